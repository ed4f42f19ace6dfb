// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>

#include "ui/keys.h"
#include "ui/overlays.h"

namespace clothlab {

/// Progress of a recording with its stop button; after it, its folder and how to make a video. Draws into the
/// current window.
void recording_notice(const PanelContext& context);

/// Dialog: what to record, how often and where.
class RecordingDialog {
 public:
  /// `folder` is the suggested parent of the recording's folder.
  void open(const std::filesystem::path& folder);
  void close() { open_ = false; }
  bool is_open() const { return open_; }

  /// True when the key was meant for the dialog.
  bool on_key(const KeyPress& press);
  void draw(const PanelContext& context, const Area& view);

 private:
  bool open_ = false;
  bool accept_ = false;
  std::array<char, 1024> folder_{};
};

}  // namespace clothlab
