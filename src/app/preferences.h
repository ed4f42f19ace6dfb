// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/window.h"
#include "io/config_folder.h"
#include "ui/palette.h"
#include "ui/panel_context.h"

namespace clothlab {

/// What the window remembers between two starts, in settings.json of the configuration folder
/// (io/config_folder.h). What is missing or makes no sense in the file has its default, and a file that
/// cannot be written is silently not written: nothing here is worth a failure.
struct Preferences {
  std::vector<std::filesystem::path> recent_files;  ///< newest first
  std::filesystem::path save_folder;                ///< where the user saved last; empty: nowhere yet
  std::optional<WindowPlace> window;
  std::string tab;  ///< that is open
  bool plots = true;
  double plots_height = 190;              ///< [interface units]
  std::vector<std::string> plots_chosen;  ///< their titles, side by side; empty: those of a first start
  bool energy_with_gravity = true;        ///< in the plot of the energies
  double history_megabytes = 256;
  double grab_strength = 1;      ///< share of the largest force (Grab)
  Recorder::Settings recording;  ///< what is recorded; where to is save_folder
  double interface_scale = 1;
  Theme theme = Theme::dark;
  HintsDone hints_done{};

  static Preferences load(const Environment& environment = process_environment());
  void save(const Environment& environment = process_environment()) const;

  void add_recent(const std::filesystem::path& path);
};

}  // namespace clothlab
