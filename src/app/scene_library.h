// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "ui/panel_context.h"

namespace clothlab {

/// The scenes that come with the program, in the order of their file names. Where the assets cannot be read,
/// the command line's sheet alone. Prints on stderr what was left out.
std::vector<SceneEntry> load_scene_library(const std::filesystem::path& program);

}  // namespace clothlab
