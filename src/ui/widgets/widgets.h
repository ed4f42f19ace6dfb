// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace clothlab {

/// Rectangles of the named controls in the last frame, in window coordinates: [left, top, right, bottom]. The
/// window tests click by name.
using ItemRects = std::map<std::string, ImVec4, std::less<>>;
ItemRects& item_rects();

/// Notes a rectangle, or that of the last control.
void note_rect(std::string_view name, ImVec2 from, ImVec2 to);
void note_item(std::string_view name);

/// The texts of named parts of the window in the last frame; the window tests read them.
using ShownTexts = std::map<std::string, std::string, std::less<>>;
ShownTexts& shown_texts();

/// Notes the text of a part, which need not be a control.
void note_text(std::string_view name, std::string_view text);

/// Notes the last control and gives it a tooltip; where `text` is not empty, notes that too.
void explain_item(std::string_view name, std::string_view help, std::string_view text = {});

/// A tooltip for the last control, wrapped to a readable width, below the control, or above or to the side of
/// it if there is no room; never over it.
void tooltip(std::string_view text);

/// Hides tooltips until the mouse moves: a key was pressed, and they might cover what it opens.
void hide_tooltips();

/// Placement of tooltips during the lifetime of this, so that they do not cover related content: above the
/// buttons of a plot, to the side of the entries of a list.
enum class TooltipSide { below, above, side };
class TooltipsThere {
 public:
  explicit TooltipsThere(TooltipSide side);
  ~TooltipsThere();
  TooltipsThere(const TooltipsThere&) = delete;
  TooltipsThere& operator=(const TooltipsThere&) = delete;

 private:
  TooltipSide before_;
};

/// Begins a tooltip above y [window coordinates]; end it with ImGui::EndTooltip.
void begin_tooltip_above(float y);

/// The text in lines of at most that width [px] in the current font, broken only at spaces, and not next to
/// an equals or less-than sign. Dear ImGui would also break numbers and file names at their point.
std::string broken_lines(std::string_view text, float width);
/// A name in one line of at most that width [px] in the current font, shortened in the middle with dots.
std::string shortened(std::string_view name, float width);
/// As many words of a text as fit into one line, or into that number of lines, with dots where it is cut.
std::string first_line(std::string_view text, float width, int lines = 1);
/// Width of a text in the current font [px], and the text at a position in the current window.
float text_width(std::string_view text);
void draw_text(ImVec2 at, ImU32 colour, std::string_view text);
/// Width of a button with that label [px].
float button_width(std::string_view label);
/// Text in the current font, in lines as given, and in a colour.
void plain_text(std::string_view text);
void coloured_text(ImU32 colour, std::string_view text);
/// Text wrapped at the edge of the panel and cut after `lines` lines.
void wrapped_text(std::string_view text, std::optional<ImU32> colour = {}, std::optional<int> lines = {});
/// The same, muted and small.
void small_text(std::string_view text, std::optional<int> lines = {});
/// A heading with a line under it.
void section(std::string_view title);

/// A bar `half` to either side of the height `middle`.
void draw_bar(float from, float to, float middle, float half, ImU32 colour, float rounding = 0);
/// A bar whose left end is at `middle`, filled up to a share of 0 to 1; a larger share is drawn as 1.
void draw_gauge(ImVec2 middle, float width, double share, ImU32 colour);

enum class Icon { play, pause, step, reset, rewind, previous, next, undo, redo, close, fallback };
struct ButtonOptions {
  float width = 0;      ///< [px]; 0: of the label or the sign
  bool active = false;  ///< filled with the accent
  bool enabled = true;
};
/// A square button with a drawn sign and a tooltip. Notes its rectangle.
bool icon_button(std::string_view name, Icon icon, std::string_view help, const ButtonOptions& options = {});
/// The same with a text.
bool text_button(std::string_view name, std::string_view label, std::string_view help,
                 const ButtonOptions& options = {});

/// A text button, or one with a sign, after the last item: on the same line if there is room, else on the
/// next.
bool row_button(std::string_view name, std::string_view label, std::string_view help,
                ButtonOptions options = {});
bool row_icon_button(std::string_view name, Icon icon, std::string_view help);
/// The same for any other item of that width.
void next_in_row(float width);

/// A closed list of names that shows `preview`; `entries` draws the open part, with tooltips next to it. Its
/// rectangle is noted under `name`, `help` is the tooltip of the closed list.
void choice_list(const std::string& name, const std::string& preview, std::string_view help,
                 const std::function<void()>& entries, ImGuiComboFlags flags = 0);
/// An entry of a list; true when it is chosen.
bool list_item(const std::string& name, std::string_view label, std::string_view help, bool selected = false);
/// A box to check with its label, tooltip and name.
bool check_item(const char* name, const char* label, bool& value, std::string_view help);
/// A text field without a label; `hint` is shown while it is empty. True when the text was edited.
bool text_input(const char* id, std::string& text, ImGuiInputTextFlags flags = 0, const char* hint = "");
/// Closes the open list when it is drawn next; false when none is open. ImGui itself closes lists on Esc only
/// with keyboard navigation.
bool close_choice();

/// Registry rows in the order of the method list: by family, then as registered. Comma and full stop use this
/// order too.
std::span<const std::size_t> methods_by_family();
/// The row of a registered integrator.
std::size_t method_row(std::string_view id);
/// The row `steps` further in that order, cyclic.
std::size_t method_after(std::size_t row, int steps);

/// Size of a method's mark in the current font.
ImVec2 method_mark_size();
/// Draws a method's mark, the same in list, status bar and plots: its letters on its colour, with the corners
/// of its family. `at` is the upper left corner.
void draw_method_mark(ImDrawList* draw, ImVec2 at, std::size_t row);

}  // namespace clothlab
