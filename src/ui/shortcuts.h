// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "ui/keys.h"
#include "ui/overlays.h"

namespace clothlab {

/// The targets of shortcuts, in addition to a panel's.
class AboutDialog;
class FileDialog;
class RecordingDialog;
struct ShortcutTargets {
  const PanelContext& context;
  FileDialog& files;
  RecordingDialog& recording;
  bool& help_open;
  bool shift = false;  ///< held with the key
};

/// One row per shortcut: key, text in the F1 list, action.
struct Shortcut {
  Key key = Key::none;
  char character = 0;
  bool ctrl = false;
  bool repeats = false;                                   ///< a held key acts again and again
  const char* keys;                                       ///< "Space"
  const char* help;                                       ///< "play or pause"
  void (*act)(const ShortcutTargets& targets) = nullptr;  ///< null: shown in the list, handled elsewhere
  bool shift = false;                                     ///< compared only for keys with Ctrl
};

std::span<const Shortcut> shortcuts();

/// Opens the dialog, or ends the recording that runs.
void record_or_stop(const PanelContext& context, const FileDialog& files, RecordingDialog& dialog);

/// Runs the action of a key. True if it has one.
bool run_shortcut(const KeyPress& press, const ShortcutTargets& targets);

/// Draws the list that F1 opens; a button of it opens `about`. Returns false when it was closed.
bool help_overlay(const Area& view, AboutDialog& about);

}  // namespace clothlab
