// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace clothlab {

/// The absolute path of the running program. `argv0` is the argument of main(), used if the system
/// does not know the path.
std::filesystem::path executable_path(const char* argv0);

/// The folder of the meshes and scenes that come with the program: `assets` next to `executable` (a build
/// folder) or `../share/clothlab/assets` from there (an installed program). Throws SystemError, naming
/// both, if neither exists.
std::filesystem::path asset_directory(const std::filesystem::path& executable);

}  // namespace clothlab
