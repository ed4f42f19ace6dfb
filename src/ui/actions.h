// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ui/keys.h"
#include "ui/overlays.h"

namespace clothlab {

class AboutDialog;
class CommandPalette;
class FileDialog;
class RecordingDialog;

/// The targets of actions, in addition to a panel's.
struct ActionTargets {
  const PanelContext& context;
  FileDialog& files;
  RecordingDialog& recording;
  AboutDialog& about;
  CommandPalette& commands;
  bool& help_open;
  std::string& wanted_tab;  ///< opened in the next picture
  bool shift = false;       ///< held with the key
};

/// The key of an action; without one no key runs it.
struct ActionKey {
  Key key = Key::none;
  char character = 0;
  bool ctrl = false;
  bool shift = false;    ///< compared only for keys with Ctrl
  bool repeats = false;  ///< a held key acts again and again

  bool exists() const { return key != Key::none || character != 0; }
};

/// Something the user can do in the window. The keys, the list that F1 shows, the Export menu and the
/// command palette read the same rows.
struct Action {
  std::string_view id;  ///< "save-scene"
  const char* name;     ///< "Save the scene"; null: another key of an action above
  const char* keys;     ///< "Ctrl-S"; null: none
  ActionKey key;
  void (*act)(const ActionTargets& on) = nullptr;  ///< null: handled elsewhere
  const char* help = "";                           ///< tooltip
  const char* listed = nullptr;                    ///< in the list that F1 shows; null: the name
};

std::span<const Action> actions();
/// The row with that id; null without one.
const Action* find_action(std::string_view id);
/// Its name now: that of the recording is "Stop recording" while one runs.
const char* current_name(const Action& action, const RecordingStatus& recording);

/// Runs the action of a key. True if it has one.
bool run_action(const KeyPress& press, const ActionTargets& targets);

/// Draws the list that F1 opens; its buttons open `about` and `commands`. Returns false when it was closed.
bool help_overlay(const Area& view, AboutDialog& about, CommandPalette& commands);

}  // namespace clothlab
