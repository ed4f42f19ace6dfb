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
  std::filesystem::path save_folder;                ///< the folder of the last save; empty: none yet
  std::optional<WindowGeometry> window;
  std::string tab;  ///< the open tab
  /// Of these, the theme, the interface's scale, the shown plots, the width of the panel, the memory for the
  /// past, whether copies run ahead, the strength of the grab, what scrolling does, whether sessions are
  /// kept, the settings of recordings (their folder is save_folder) and the hints.
  ViewSettings view;

  static Preferences load(const Environment& environment = process_environment());
  void save(const Environment& environment = process_environment()) const;

  void add_recent(const std::filesystem::path& path);
};

}  // namespace clothlab
