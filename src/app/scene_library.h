// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "ui/panel_context.h"

namespace clothlab {

/// The scenes that come with the program, in the order of their file names. Where the assets cannot be
/// read, the one scene that needs none: the command line's sheet. Says on stderr what it had to leave out.
std::vector<SceneEntry> load_scene_library(const std::filesystem::path& program);

}  // namespace clothlab
