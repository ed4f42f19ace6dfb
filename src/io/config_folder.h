// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace clothlab {

/// Value of an environment variable; empty when it is not set.
using Environment = std::function<std::string(const char* name)>;
Environment process_environment();

/// The folder for the program's settings, as the platform has it: $XDG_CONFIG_HOME/clothlab or
/// ~/.config/clothlab, on macOS ~/Library/Application Support/clothlab, on Windows %APPDATA%\clothlab. It
/// need not exist. Empty where the environment names no absolute folder: never the working folder.
std::filesystem::path config_folder(const Environment& environment);

/// Where a user's pictures go: ~/Pictures where it exists, else the home folder, else the system's
/// temporary one.
std::filesystem::path pictures_folder(const Environment& environment);

}  // namespace clothlab
