#pragma once

#include <filesystem>
#include <vector>

#include "ui/palette.h"

namespace clothlab {

/// What the window remembers between two starts, in $XDG_STATE_HOME/clothlab/window.json (or
/// ~/.local/state; %APPDATA% on Windows). A file that is missing or unreadable gives the defaults, one
/// that cannot be written is silently not written: nothing here is worth a failure.
struct Preferences {
  std::vector<std::filesystem::path> recent_files;  ///< newest first
  double interface_scale = 1;
  Theme theme = Theme::dark;
  bool has_dragged = false;  ///< the hint "drag the cloth" has done its work

  static Preferences load();
  void save() const;

  void add_recent(const std::filesystem::path& path);
};

}  // namespace clothlab
