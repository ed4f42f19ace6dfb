// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace clothlab {

/// Where the last frame put the named controls, in window coordinates: [left, top, right, bottom]. The
/// window tests click by name, so that they do not depend on the layout.
using ItemRects = std::map<std::string, ImVec4, std::less<>>;
ItemRects& item_rects();

/// Notes the rectangle of the control that was drawn last.
void note_item(std::string_view name);

/// A tooltip for the control that was drawn last, wrapped to a readable width. It stands below the control,
/// or above or beside it where there is no room, and never on it.
void tooltip(std::string_view text);

/// Where the tooltips stand that are shown during the lifetime of this, so that they do not cover what the
/// controls belong to either: above the buttons of a plot, beside the entries of a list.
enum class TooltipSide { below, above, beside };
class TooltipsThere {
 public:
  explicit TooltipsThere(TooltipSide side);
  ~TooltipsThere();
  TooltipsThere(const TooltipsThere&) = delete;
  TooltipsThere& operator=(const TooltipsThere&) = delete;

 private:
  TooltipSide before_;
};

/// Begins a tooltip that lies above y [window coordinates], so that it covers nothing below; end it with
/// ImGui::EndTooltip.
void begin_tooltip_above(float y);

/// The text in lines of at most that width [px] in the current font, broken at spaces alone, and not beside
/// an equals or less-than sign: Dear ImGui itself would break numbers and file names at their point.
std::string broken_lines(std::string_view text, float width);
/// A name in one line of at most that width [px] in the current font: of a longer one its beginning and its
/// end, with dots between them.
std::string shortened(std::string_view name, float width);
/// The beginning of a text, as many words of it as fit into one line; dots say that there is more.
std::string first_line(std::string_view text, float width);
/// Text broken like that at the edge of the panel.
void wrapped_text(std::string_view text);
/// Text in the muted colour and the small font, wrapped at the edge of the panel, and cut after so many
/// lines.
void small_text(std::string_view text, std::optional<int> lines = {});
/// A heading with a line under it.
void section(std::string_view title);

enum class Icon { play, pause, step, reset, rewind, previous, next, undo, redo, close, fallback };
/// A square button with a drawn sign; `active` fills it with the accent.
bool icon_button(const char* id, Icon icon, const char* help, bool active = false, float width = 0);
/// A text button with a tooltip.
bool text_button(const char* label, const char* help, float width = 0, bool active = false);

/// A text button, or one with a sign, that follows on the last item: on the same line where there is room,
/// else on the next. Notes its rectangle. `width` 0: that of the label.
bool row_button(const char* name, const std::string& label, const char* help, bool active = false,
                float width = 0);
bool row_icon_button(const char* name, Icon icon, const char* help);
/// The same for any other item of that width.
void next_in_row(float width);

/// A closed list of names that shows `preview`; what is drawn while it returns true is its open part, up to
/// ImGui::EndCombo.
bool begin_choice(const char* id, const std::string& preview, ImGuiComboFlags flags = 0);
/// Closes the list that was drawn open last, when it is drawn again; false when none was. ImGui itself
/// closes one on Esc only where the keyboard moves about.
bool close_choice();

}  // namespace clothlab
