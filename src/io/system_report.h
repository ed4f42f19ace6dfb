// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "io/config_folder.h"

namespace clothlab {

/// Version, commit, libraries, operating system and processor, one per line, for reports of faults.
std::string system_report();

/// The text with "~" for the home folder of the environment, so that paths do not name the user.
std::string without_home(const std::string& text, const Environment& environment = process_environment());

}  // namespace clothlab
