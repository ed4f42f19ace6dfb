// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>

#include "ui/keys.h"
#include "ui/overlays.h"

namespace clothlab {

/// While a recording runs, how far it is, with its stop button; then where it lies, and how to make a video
/// of it. Draws into the current window.
void recording_notice(const PanelContext& context);

/// Asks what to record, how often and where.
class RecordingDialog {
 public:
  /// `folder` is where the recording's own folder is suggested to be.
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
