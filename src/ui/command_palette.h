// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.h"
#include "ui/actions.h"

namespace clothlab {

/// An entry of the command palette: an action, or a row of another registry of the window.
struct PaletteEntry {
  std::string_view kind;      ///< "Scene"
  std::string name;           ///< "Hanging sheet"
  std::string keywords = {};  ///< further words that find it, such as its id
  std::string keys = {};      ///< "Ctrl-O"
  std::string value = {};     ///< current value with its unit, or "current"
  std::string help = {};
  std::function<void(bool shift)> act = {};  ///< empty: a number to type, of `parameter`
  const ParameterSpec* parameter = nullptr;  ///< null: none
};

/// The actions, scenes, methods, parameters, other values of the panels, pins, bodies, tabs, switches of the
/// view, plots, lanes and sets of values that can be chosen now. Each comes from the registry of its kind.
/// The entries refer to `on`.
std::vector<PaletteEntry> palette_entries(const ActionTargets& on);

/// Indices of the entries that match a query, best first; all in their order for an empty one. Each word of
/// the query must match a word of the name, the keywords, the kind or the keys: as its beginning, a part, the
/// initials of the name, or, where no entry matches so, with letters left out or misspelt. Ignores case.
std::vector<std::size_t> matching_entries(std::span<const PaletteEntry> entries, std::string_view query);

/// A text field, and the list of the entries that match it. Arrows choose, Enter runs, Esc closes; a number
/// is typed in the same field.
class CommandPalette {
 public:
  void open();
  void close() { open_ = false; }
  bool is_open() const { return open_; }
  /// True when the key was meant for the palette.
  bool on_key(const KeyPress& press);
  void draw(const ActionTargets& on, const Area& view);

 private:
  void draw_list(std::span<const PaletteEntry> entries, std::span<const std::size_t> shown);
  void draw_value(const PanelContext& context, const ParameterSpec& spec);
  void run(const PaletteEntry& entry, const PanelContext& context);

  bool open_ = false, appearing_ = false, scrolls_ = false;
  bool accepts_ = false, shift_ = false;      // Enter since the last picture; with Shift
  int moves_ = 0;                             // of the chosen row since the last picture
  std::string text_, value_, note_;           // the query; the typed value and why it was changed or refused
  std::size_t chosen_ = 0;                    // index into the matching entries
  const ParameterSpec* parameter_ = nullptr;  // whose value is typed; null: the list is shown
};

}  // namespace clothlab
