// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "ui/panels/panel_context.h"

namespace clothlab {

/// The heading below which a scene of that file is listed; "More" for a file that is in no group.
std::string_view scene_group(std::string_view file);

/// The scenes that come with the program, group by group, in the order of their file names. Where the assets
/// cannot be read, the command line's sheet alone. Prints on stderr what was left out.
std::vector<SceneEntry> load_scene_library(const std::filesystem::path& program);

}  // namespace clothlab
