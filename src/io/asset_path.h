// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace clothlab {

/// The absolute path of the running program. `argv0` is what main() was given, used where the system
/// cannot tell.
std::filesystem::path executable_path(const char* argv0);

/// The folder of the meshes and scenes that come with the program: `assets` beside `executable` (a build
/// folder) or `../share/clothlab/assets` from there (an installed program). Throws SystemError, naming
/// both, when neither is there.
std::filesystem::path asset_directory(const std::filesystem::path& executable);

}  // namespace clothlab
