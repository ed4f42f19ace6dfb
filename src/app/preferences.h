// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/window.h"
#include "io/config_folder.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

/// Settings kept between two starts, in settings.json of the configuration folder (io/config_folder.h).
/// Missing or invalid values get their defaults, and errors of writing are ignored.
struct Preferences {
  std::vector<std::filesystem::path> recent_files;  ///< newest first
  std::filesystem::path save_folder;                ///< where the user saved last; empty: nowhere yet
  std::optional<WindowGeometry> window;
  std::string tab;  ///< that is open
  /// Of these, the theme, the interface's scale, the plots that are shown, the memory to look back, the
  /// strength of the grab, what is recorded (where to is save_folder) and the hints.
  ViewSettings view;

  static Preferences load(const Environment& environment = process_environment());
  void save(const Environment& environment = process_environment()) const;

  void add_recent(const std::filesystem::path& path);
};

}  // namespace clothlab
