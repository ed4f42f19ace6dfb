// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "ui/panels/panel_context.h"

namespace clothlab {

/// The group heading of a scene of that file; "More" for a file that is in no group.
std::string_view scene_group(std::string_view file);

/// The scenes that come with the program, group by group, in the order of their file names. If the assets
/// cannot be read, only the command line's sheet. Prints on stderr which files were left out.
std::vector<SceneEntry> load_scene_library(const std::filesystem::path& program);

}  // namespace clothlab
