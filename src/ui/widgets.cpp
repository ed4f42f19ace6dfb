#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "ui/numbers.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

constexpr float kLabelWidth = 122;
constexpr float kFieldWidth = 88;
constexpr float kGap = 5;
constexpr double kTooltipDelay = 0.45;  // [s]

void draw_icon(ImDrawList* draw, Icon icon, ImVec2 centre, float r, ImU32 colour) {
  const auto at = [&](float x, float y) { return ImVec2(centre.x + x * r, centre.y + y * r); };
  const float line = std::max(1.0F, r * 0.28F);
  const auto triangle = [&](float x0, float x1) {
    draw->AddTriangleFilled(at(x0, -0.85F), at(x1, 0), at(x0, 0.85F), colour);
  };
  switch (icon) {
    case Icon::play:
      triangle(-0.6F, 0.95F);
      break;
    case Icon::pause:
      draw->AddRectFilled(at(-0.75F, -0.85F), at(-0.2F, 0.85F), colour);
      draw->AddRectFilled(at(0.2F, -0.85F), at(0.75F, 0.85F), colour);
      break;
    case Icon::step:
      triangle(-0.8F, 0.4F);
      draw->AddRectFilled(at(0.5F, -0.85F), at(0.85F, 0.85F), colour);
      break;
    case Icon::rewind:
      draw->AddTriangleFilled(at(0.05F, -0.8F), at(-0.95F, 0), at(0.05F, 0.8F), colour);
      draw->AddTriangleFilled(at(0.95F, -0.8F), at(-0.05F, 0), at(0.95F, 0.8F), colour);
      break;
    case Icon::reset:
    case Icon::fallback: {
      // An open circle with an arrow head at its upper left end.
      const float radius = r * 0.8F;
      const auto pi = std::numbers::pi_v<float>;
      draw->PathArcTo(centre, radius, -0.75F * pi, 0.85F * pi, 20);
      draw->PathStroke(colour, 0, line);
      const ImVec2 tip(centre.x + radius * std::cos(-0.75F * pi), centre.y + radius * std::sin(-0.75F * pi));
      const float h = r * 0.62F;
      draw->AddTriangleFilled(ImVec2(tip.x - h * 0.75F, tip.y - h * 0.55F),
                              ImVec2(tip.x - h * 0.55F, tip.y + h),
                              ImVec2(tip.x + h * 0.95F, tip.y + h * 0.45F), colour);
      break;
    }
    case Icon::undo:
    case Icon::redo: {
      // Half a circle, its arrow head at the left end, or mirrored.
      const float side = icon == Icon::undo ? -1 : 1;
      const auto pi = std::numbers::pi_v<float>;
      draw->PathArcTo(at(0, 0.3F), r * 0.65F, -pi, 0, 16);
      draw->PathStroke(colour, 0, line);
      draw->AddTriangleFilled(at(side * 1.1F, 0.1F), at(side * 0.65F, 0.85F), at(side * 0.2F, 0.1F), colour);
      break;
    }
    case Icon::previous:
      draw->AddPolyline(std::array{at(0.35F, -0.7F), at(-0.4F, 0), at(0.35F, 0.7F)}.data(), 3, colour, 0,
                        line);
      break;
    case Icon::next:
      draw->AddPolyline(std::array{at(-0.35F, -0.7F), at(0.4F, 0), at(-0.35F, 0.7F)}.data(), 3, colour, 0,
                        line);
      break;
    case Icon::close:
      draw->AddLine(at(-0.6F, -0.6F), at(0.6F, 0.6F), colour, line);
      draw->AddLine(at(-0.6F, 0.6F), at(0.6F, -0.6F), colour, line);
      break;
  }
}

// The label in its column; one that does not fit is set smaller, then in a line of its own.
void row_label(std::string_view title, std::string_view help) {
  const std::string text = displayable(title);
  const float column = units(kLabelWidth);
  ImGui::AlignTextToFramePadding();
  const float start = ImGui::GetCursorPosX();
  ImGui::BeginGroup();
  bool own_line = false;
  if (ImGui::CalcTextSize(text.c_str()).x <= column) {
    ImGui::TextUnformatted(text.c_str());
  } else {
    ImGui::PushFont(fonts().small);
    own_line = ImGui::CalcTextSize(text.c_str()).x > column;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopFont();
  }
  ImGui::EndGroup();
  tooltip(help);
  if (!own_line) ImGui::SameLine();
  ImGui::SetCursorPosX(start + column + units(kGap));
}

// Text that is being typed, kept here because a field that loses the focus to an earlier control never
// gets to hand its text over (Dear ImGui 1.86).
struct Editing {
  ImGuiID id = 0;
  std::array<char, 64> text{};
  std::string shown;  // before the user typed
};
Editing g_editing;

// Typed text once the user is done, when it differs from what was shown.
std::optional<std::string> text_field(const char* id, const std::string& shown, float width, bool focus) {
  std::array<char, 64> buffer{};
  const ImGuiID full_id = ImGui::GetID(id);
  const bool editing = g_editing.id == full_id;
  if (editing) {
    buffer = g_editing.text;
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%s", shown.c_str());
  }
  if (focus) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  ImGui::InputText(id, buffer.data(), buffer.size(), ImGuiInputTextFlags_AutoSelectAll);
  std::optional<std::string> typed;
  if (ImGui::IsItemActivated()) g_editing = {full_id, buffer, shown};
  if (g_editing.id == full_id) {
    // On the frame of a stolen focus the buffer is what we kept: typing is never lost.
    g_editing.text = buffer;
    if (!ImGui::IsItemActive() && !ImGui::IsItemActivated()) {
      if (g_editing.shown != buffer.data()) typed = buffer.data();
      g_editing.id = 0;
    }
  }
  return typed;
}

// The slider itself. Returns the new value while it is dragged; `wants_text` is set by Ctrl-click.
std::optional<double> slider(const char* id, const ParameterSpec& spec, double value, float width,
                             const std::optional<SliderMark>& mark, bool& wants_text) {
  const float height = ImGui::GetFrameHeight();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, ImVec2(width, height));
  const bool active = ImGui::IsItemActive();
  const bool hovered = ImGui::IsItemHovered();
  const float knob = units(6);
  const float left = origin.x + knob;
  const float right = origin.x + width - knob;
  const float middle = origin.y + height / 2;

  std::optional<double> changed;
  // The one slider that is held, the place of its knob, and the value that this place means.
  static ImGuiID dragged = 0;
  static double dragged_position = 0;
  static double dragged_value = 0;
  const ImGuiID self = ImGui::GetID(id);
  if (ImGui::IsItemActivated()) {
    if (ImGui::GetIO().KeyCtrl) {
      wants_text = true;
      dragged = 0;
    } else {
      dragged = self;
      dragged_position = slider_position(spec, value);
      dragged_value = value;
    }
  }
  if (active && dragged == self && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.KeyShift) {
      // A tenth of the way that the hand moves: fifteen decades are a lot for one slider.
      dragged_position = std::clamp(
          dragged_position + static_cast<double>(0.1F * io.MouseDelta.x / (right - left)), 0.0, 1.0);
    } else if (ImGui::IsItemActivated() || io.MouseDelta.x != 0) {
      dragged_position = std::clamp(static_cast<double>((io.MousePos.x - left) / (right - left)), 0.0, 1.0);
    }
    const bool moved = ImGui::IsItemActivated() ? !io.KeyShift : io.MouseDelta.x != 0;
    if (moved) {
      const double next = slider_value(spec, dragged_position);
      if (next != dragged_value) changed = next;
      dragged_value = next;
    }
    value = dragged_value;
  }

  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float track = units(2);
  const auto x_of = [&](double v) {
    return left + (right - left) * static_cast<float>(slider_position(spec, v));
  };
  const float x = x_of(value);
  draw->AddRectFilled(ImVec2(left, middle - track), ImVec2(right, middle + track), palette().field, track);
  if (mark) {
    const float at = x_of(mark->value);
    draw->AddRectFilled(ImVec2(at, middle - track), ImVec2(right, middle + track),
                        with_alpha(mark->colour, 0.45F), track);
    draw->AddRectFilled(ImVec2(at - units(1), middle - units(8)), ImVec2(at + units(1), middle + units(8)),
                        mark->colour);
  }
  if (x > left) {
    draw->AddRectFilled(ImVec2(left, middle - track), ImVec2(x, middle + track),
                        with_alpha(palette().accent, 0.75F), track);
  }
  const ImU32 knob_colour = active || hovered ? palette().accent_strong : palette().accent;
  draw->AddCircleFilled(ImVec2(x, middle), knob, knob_colour, 20);
  return changed;
}

void reset_button(bool differs, double fallback, const std::string& shown, std::optional<double>& changed) {
  const float size = ImGui::GetFrameHeight();
  if (!differs) {
    ImGui::Dummy(ImVec2(size, size));
    return;
  }
  const std::string help = "Back to the default, " + shown + ".";
  if (icon_button("##default", Icon::fallback, help.c_str(), false, size)) changed = fallback;
}

}  // namespace

ItemRects& item_rects() {
  static ItemRects rects;
  return rects;
}

void note_item(std::string_view name) {
  const ImVec2 a = ImGui::GetItemRectMin();
  const ImVec2 b = ImGui::GetItemRectMax();
  item_rects()[std::string(name)] = ImVec4(a.x, a.y, b.x, b.y);
}

void tooltip(std::string_view text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  // After a moment of rest, so that a passing cursor does not cover what lies beside the control.
  static ImVec2 hovered{-1, -1};
  static double since = 0;
  static int last_frame = 0;
  const ImVec2 item = ImGui::GetItemRectMin();
  const bool same = item.x == hovered.x && item.y == hovered.y && last_frame >= ImGui::GetFrameCount() - 1;
  if (!same) since = ImGui::GetTime();
  hovered = item;
  last_frame = ImGui::GetFrameCount();
  if (ImGui::GetTime() - since < kTooltipDelay) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(10), units(8)));
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(units(330));
  ImGui::TextUnformatted(broken_lines(text, units(320)).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

namespace {

// The first lines of a broken text; its end is marked where there are more.
std::string cut_to_lines(std::string text, int lines, float width) {
  std::size_t end = 0, start = 0;
  for (int line = 0; line < lines; ++line) {
    start = end;
    end = text.find('\n', end);
    if (end == std::string::npos) return text;
    ++end;
  }
  text.resize(end - 1);
  const std::string more = " ...";
  const auto too_wide = [&] { return ImGui::CalcTextSize((text.substr(start) + more).c_str()).x > width; };
  for (std::size_t space = text.rfind(' '); too_wide() && space != std::string::npos && space > start;
       space = text.rfind(' '))
    text.resize(space);
  return text + more;
}

}  // namespace

std::string broken_lines(std::string_view text, float width) {
  std::string shown = displayable(text);
  const auto relates = [&](std::size_t i) { return shown[i] == '=' || shown[i] == '<'; };
  const auto may_break = [&](std::size_t i) {
    return shown[i] == ' ' && i > 0 && !relates(i - 1) && i + 1 < shown.size() && !relates(i + 1);
  };
  std::size_t line = 0, space = std::string::npos;
  for (std::size_t i = 0; i <= shown.size(); ++i) {
    const bool ends = i == shown.size() || shown[i] == '\n';
    if (!ends && !may_break(i)) continue;
    if (space != std::string::npos && ImGui::CalcTextSize(&shown[line], shown.data() + i).x > width) {
      shown[space] = '\n';
      line = space + 1;
    }
    space = i;
    if (ends) line = i + 1, space = std::string::npos;
  }
  return shown;
}

std::string shortened(std::string_view name, float width) {
  const std::string shown = displayable(name);
  const auto fits = [&](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x <= width; };
  if (fits(shown)) return shown;
  // Whole characters: no cut before a byte that continues one.
  const auto continues = [&](std::size_t i) { return i < shown.size() && (shown[i] & 0xC0) == 0x80; };
  std::string best = "...";
  for (std::size_t head = 1, tail = shown.size() - 1; head < tail; ++head, --tail) {
    if (continues(head) || continues(tail)) continue;
    const std::string text = shown.substr(0, head) + "..." + shown.substr(tail);
    if (!fits(text)) break;
    best = text;
  }
  return best;
}

void wrapped_text(std::string_view text) {
  ImGui::PushTextWrapPos(0);  // for a word that is longer than a line
  ImGui::TextUnformatted(broken_lines(text, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopTextWrapPos();
}

void small_text(std::string_view text, std::optional<int> lines) {
  ImGui::PushFont(fonts().small);
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::PushTextWrapPos(0);
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string shown = broken_lines(text, width);
  ImGui::TextUnformatted((lines ? cut_to_lines(shown, *lines, width) : shown).c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void section(std::string_view title) {
  ImGui::Dummy(ImVec2(0, units(1)));
  ImGui::PushFont(fonts().small);
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::TextUnformatted(displayable(title).c_str());
  const ImVec2 end = ImGui::GetItemRectMax();
  const float middle = (ImGui::GetItemRectMin().y + end.y) / 2;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  ImGui::GetWindowDrawList()->AddLine(ImVec2(end.x + units(8), middle), ImVec2(right, middle),
                                      palette().line);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

namespace {
constexpr int kNever = -2;
int choice_open_in = kNever;  // frames
int choice_closed_in = kNever;

bool in_this_frame_or_the_last(int frame) {
  const int since = ImGui::GetFrameCount() - frame;
  return since == 0 || since == 1;
}
}  // namespace

bool begin_choice(const char* id, const std::string& preview, ImGuiComboFlags flags) {
  if (!ImGui::BeginCombo(id, preview.c_str(), flags)) return false;
  if (in_this_frame_or_the_last(choice_closed_in)) {
    choice_closed_in = kNever;
    ImGui::CloseCurrentPopup();
  } else {
    choice_open_in = ImGui::GetFrameCount();
  }
  return true;
}

bool close_choice() {
  if (!in_this_frame_or_the_last(choice_open_in)) return false;
  choice_closed_in = ImGui::GetFrameCount();
  return true;
}

bool icon_button(const char* id, Icon icon, const char* help, bool active, float width) {
  const float height = ImGui::GetFrameHeight();
  if (width == 0) width = units(34);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const bool plain = icon == Icon::fallback || icon == Icon::close;
  if (active) ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(palette().accent, 0.55F));
  if (plain) ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32(0, 0, 0, 0));
  const bool pressed = ImGui::Button((std::string("##icon") + id).c_str(), ImVec2(width, height));
  if (plain) ImGui::PopStyleColor();
  if (active) ImGui::PopStyleColor();
  const float r = units(plain ? 5.5F : 6.5F);
  const ImU32 colour = plain && !ImGui::IsItemHovered() ? palette().muted : palette().text;
  draw_icon(ImGui::GetWindowDrawList(), icon, ImVec2(origin.x + width / 2, origin.y + height / 2), r,
            ImGui::GetColorU32(ImGui::ColorConvertU32ToFloat4(colour)));
  tooltip(help);
  return pressed;
}

bool text_button(const char* label, const char* help, float width, bool active) {
  if (active) ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(palette().accent, 0.45F));
  const bool pressed = ImGui::Button(displayable(label).c_str(), ImVec2(width, 0));
  if (active) ImGui::PopStyleColor();
  tooltip(help);
  return pressed;
}

std::optional<double> parameter_row(const ParameterSpec& spec, double value,
                                    const std::optional<SliderMark>& mark) {
  const std::string id(spec.id);
  ImGui::PushID(id.c_str());
  row_label(spec.title, spec.help);
  std::optional<double> changed;
  const float size = ImGui::GetFrameHeight();
  const float gap = units(kGap);
  const float rest = ImGui::GetContentRegionAvail().x - size - gap;
  if (spec.kind == ParameterSpec::Kind::boolean) {
    bool on = value != 0;
    if (ImGui::Checkbox("##value", &on)) changed = on ? 1 : 0;
    note_item(id);
    tooltip(spec.help);
    ImGui::SameLine(0, rest - size + gap);
  } else if (spec.kind == ParameterSpec::Kind::choice) {
    const auto index =
        std::clamp(static_cast<std::size_t>(std::max(value, 0.0)), std::size_t{0}, spec.choices.size() - 1);
    ImGui::SetNextItemWidth(rest);
    const bool open = begin_choice("##value", std::string(spec.choices[index]));
    note_item(id);
    if (!open) tooltip(spec.help);
    if (open) {
      for (std::size_t i = 0; i < spec.choices.size(); ++i) {
        if (ImGui::Selectable(std::string(spec.choices[i]).c_str(), i == index))
          changed = static_cast<double>(i);
        note_item(id + ":" + std::string(spec.choices[i]));
      }
      ImGui::EndCombo();
    }
    ImGui::SameLine(0, gap);
  } else {
    bool wants_text = false;
    const float field = units(kFieldWidth);
    changed = slider("##slider", spec, value, rest - field - gap, mark, wants_text);
    note_item(id);
    if (!ImGui::IsItemActive()) {
      tooltip(std::string(spec.help) + (mark ? "\n\n" + mark->help : "") +
              "\n\nDrag; with Shift finer. Ctrl-click to type.");
    }
    ImGui::SameLine(0, gap);
    const std::string shown = shown_value(spec, changed.value_or(value));
    if (const auto typed = text_field("##field", shown, field, wants_text)) {
      if (const auto number = parse_typed_value(spec, *typed)) {
        double next = std::clamp(*number, spec.min, spec.max);
        if (spec.kind == ParameterSpec::Kind::integer) next = std::round(next);
        changed = next;
      }
    }
    note_item(id + "#field");
    if (!ImGui::IsItemActive()) {
      tooltip("Click to type a value, from " + shown_value(spec, spec.min) + " to " +
              shown_value(spec, spec.max) + (spec.unit == "s" ? ". Also as \"0.01 s\" or \"1/60 s\"." : "."));
    }
    ImGui::SameLine(0, gap);
  }
  const std::string fallback = spec.kind == ParameterSpec::Kind::choice
                                   ? std::string(spec.choices[static_cast<std::size_t>(spec.fallback)])
                               : spec.kind == ParameterSpec::Kind::boolean
                                   ? std::string(spec.fallback != 0 ? "on" : "off")
                                   : shown_value(spec, spec.fallback);
  reset_button(value != spec.fallback, spec.fallback, fallback, changed);
  note_item(id + "#default");
  ImGui::PopID();
  if (changed && *changed == value) changed.reset();
  return changed;
}

std::optional<double> number_row(const char* id, std::string_view title, std::string_view help, double value,
                                 double min, double max, double fallback, std::string_view unit) {
  ParameterSpec spec;
  spec.id = id;
  spec.title = title;
  spec.help = help;
  spec.unit = unit;
  spec.min = min;
  spec.max = max;
  spec.fallback = fallback;
  spec.logarithmic = true;
  return parameter_row(spec, value);
}

std::optional<vec3> vector_row(const char* id, std::string_view title, std::string_view help,
                               const vec3& value, double limit, std::string_view unit) {
  ImGui::PushID(id);
  row_label(title, help);
  const float gap = units(kGap);
  const float width = (ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() - 3 * gap) / 3;
  std::optional<vec3> changed;
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0) ImGui::SameLine(0, gap);
    ParameterSpec spec;
    spec.min = -limit;
    spec.max = limit;
    const std::string name(1, static_cast<char>('x' + axis));
    if (const auto typed = text_field(("##" + name).c_str(), shown_value(spec, value[axis]), width, false)) {
      if (const auto number = parse_typed_value(spec, *typed)) {
        changed = value;
        (*changed)[axis] = std::clamp(*number, -limit, limit);
      }
    }
    note_item(std::string(id) + ":" + name);
    if (!ImGui::IsItemActive()) {
      tooltip(std::string(help) + "\n\n" + name + ", in " + std::string(unit) + ". Click to type.");
    }
  }
  ImGui::PopID();
  return changed;
}

}  // namespace clothlab
