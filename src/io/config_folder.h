// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace clothlab {

/// Value of an environment variable; empty when it is not set.
using Environment = std::function<std::string(const char* name)>;
Environment process_environment();

/// The platform's folder for the program's settings: $XDG_CONFIG_HOME/clothlab or
/// ~/.config/clothlab, on macOS ~/Library/Application Support/clothlab, on Windows %APPDATA%\clothlab. It
/// need not exist. Empty if the environment names no absolute folder: never the working folder.
std::filesystem::path config_folder(const Environment& environment);

/// The same for what the program keeps of its last runs: $XDG_STATE_HOME/clothlab or ~/.local/state/clothlab,
/// on macOS as above, on Windows %LOCALAPPDATA%\clothlab.
std::filesystem::path state_folder(const Environment& environment);

/// The folder for a user's pictures: ~/Pictures if it exists, else the home folder, else the system's
/// temporary folder.
std::filesystem::path pictures_folder(const Environment& environment);

}  // namespace clothlab
