// SPDX-License-Identifier: MIT
#include "ui/widgets/parameter_row.h"

#include <algorithm>
#include <utility>

#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr float kLabelWidth = 120;
constexpr float kFieldWidth = 88;
constexpr float kGap = 5;
// A shorter slider gets its own line: less than a pixel per cent is too coarse.
constexpr float kLeastSlider = 140;

std::string g_without_effect;  // why this row has none; empty: it has one

std::string row_help(std::string_view help) {
  return g_without_effect.empty() ? std::string(help)
                                  : "No effect now: " + g_without_effect + "\n\n" + std::string(help);
}

void row_tooltip(std::string_view help) { tooltip(row_help(help)); }

// Of a row as wide as that, between label, field and button.
float slider_width(float row) {
  return row - units(kLabelWidth + kFieldWidth + 3 * kGap) - ImGui::GetFrameHeight();
}

// The label in its column; one that does not fit is set smaller, then on its own line.
void row_label(std::string_view title, std::string_view help, float column) {
  const std::string text = displayable(title);
  ImGui::AlignTextToFramePadding();
  const float start = ImGui::GetCursorPosX();
  ImGui::BeginGroup();
  bool own_line = false;
  if (text_width(text) <= column) {
    plain_text(text);
  } else {
    ImGui::PushFont(fonts().small);
    own_line = text_width(text) > column;
    ImGui::AlignTextToFramePadding();
    plain_text(text);
    ImGui::PopFont();
  }
  ImGui::EndGroup();
  row_tooltip(help);
  if (!own_line) ImGui::SameLine();
  ImGui::SetCursorPosX(start + column + units(kGap));
}

// The dragged slider, the position of its knob, and its value.
struct Dragging {
  ImGuiID id = 0;
  double position = 0;
  double value = 0;
};
Dragging g_dragging;

// Between the knob's ends.
struct Track {
  float left, right, middle;
  double share(float x) const { return static_cast<double>((x - left) / (right - left)); }
};

// Of the item before: the new value while it is dragged.
std::optional<double> dragged_value(ImGuiID id, const ParameterSpec& spec, const SliderSpan& span,
                                    double value, const Track& track) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool activated = ImGui::IsItemActivated();
  if (activated && io.KeyCtrl) {
    focus_number_field("##field");
    g_dragging.id = 0;
  } else if (activated) {
    g_dragging = {id, slider_position(spec, span, value), value};
  }
  if (!ImGui::IsItemActive() || g_dragging.id != id || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return {};
  if (activated ? io.KeyShift : io.MouseDelta.x == 0) return {};
  // With Shift a tenth of the mouse's motion.
  const double to = io.KeyShift ? g_dragging.position +
                                      static_cast<double>(0.1F * io.MouseDelta.x / (track.right - track.left))
                                : track.share(io.MousePos.x);
  g_dragging.position = std::clamp(to, 0.0, 1.0);
  const double next = slider_value(spec, span, g_dragging.position);
  if (next == std::exchange(g_dragging.value, next)) return {};
  return next;
}

// The slider itself. Returns the new value while it is dragged.
std::optional<double> slider(const char* id, const ParameterSpec& spec, const SliderSpan& span, double value,
                             float width, const std::optional<SliderMark>& mark) {
  const float height = ImGui::GetFrameHeight();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, ImVec2(width, height));
  const bool active = ImGui::IsItemActive();
  const bool bright = active || ImGui::IsItemHovered();
  const float knob = units(6);
  const Track ends{origin.x + knob, origin.x + width - knob, origin.y + height / 2};
  const auto& [left, right, middle] = ends;
  const ImGuiID self = ImGui::GetID(id);
  const std::optional<double> changed = dragged_value(self, spec, span, value, ends);
  if (active && g_dragging.id == self && ImGui::IsMouseDown(ImGuiMouseButton_Left)) value = g_dragging.value;

  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float track = units(2);
  const auto dimmed = [](ImU32 colour) { return ImGui::GetColorU32(colour); };
  const auto bar = [&, y = middle](float from, float to, ImU32 colour) {
    draw_bar(from, to, y, track, dimmed(colour), track);
  };
  const auto x_of = [&, from = left, to = right](double v) {
    return from + (to - from) * static_cast<float>(slider_position(spec, span, v));
  };
  const float x = x_of(value);
  bar(left, right, palette().field);
  if (mark) {
    const float at = x_of(mark->value);
    bar(at, right, with_alpha(mark->colour, 0.45F));
    draw->AddRectFilled(ImVec2(at - units(1), middle - units(8)), ImVec2(at + units(1), middle + units(8)),
                        dimmed(mark->colour));
  }
  if (x > left) bar(left, x, with_alpha(palette().accent, 0.75F));
  draw->AddCircleFilled(ImVec2(x, middle), knob, dimmed(bright ? palette().accent_strong : palette().accent),
                        20);
  return changed;
}

void reset_button(bool differs, double fallback, const std::string& shown, std::optional<double>& changed) {
  const float size = ImGui::GetFrameHeight();
  if (!differs) {
    ImGui::Dummy(ImVec2(size, size));
    return;
  }
  const std::string help = "Back to the default, " + shown + ".";
  if (icon_button("##default", Icon::fallback, help, {.width = size})) changed = fallback;
}

std::optional<double> check_box(const ParameterSpec& spec, double value, float room) {
  std::optional<double> changed;
  bool on = value != 0;
  if (ImGui::Checkbox("##value", &on)) changed = on ? 1 : 0;
  note_item(spec.id);
  row_tooltip(spec.help);
  ImGui::SameLine(0, room - ImGui::GetFrameHeight() + units(kGap));
  return changed;
}

std::optional<double> choice(std::string_view name, const ParameterSpec& spec, double value, float room) {
  std::optional<double> changed;
  const auto index =
      std::clamp(static_cast<std::size_t>(std::max(value, 0.0)), std::size_t{0}, spec.choices.size() - 1);
  const auto entries = [&] {
    for (std::size_t i = 0; i < spec.choices.size(); ++i)
      if (list_item(std::string(name) + ":" + std::string(spec.choices[i]), spec.choices[i], {}, i == index))
        changed = static_cast<double>(i);
  };
  ImGui::SetNextItemWidth(room);
  choice_list(std::string(name), std::string(spec.choices[index]), row_help(spec.help), entries);
  ImGui::SameLine(0, units(kGap));
  return changed;
}

std::optional<double> value_field(std::string_view name, std::string_view help, const ParameterSpec& spec,
                                  double value, float width) {
  const auto changed = number_field("##field", std::string(name) + "#field", spec, value, width);
  if (!ImGui::IsItemActive())
    row_tooltip(std::string(help) + "Click to type a value " + typing_help(spec) + ".");
  ImGui::SameLine(0, units(kGap));
  return changed;
}

std::optional<double> slider_of(const ParameterSpec& spec, double value,
                                const std::optional<SliderMark>& mark,
                                const std::optional<SliderSpan>& wanted, float width) {
  // The span stays while its slider is dragged, even where the mark moves.
  const bool follows = mark && mark->value > spec.min && !ImGui::IsAnyMouseDown();
  const SliderSpan span =
      slider_spans().of(spec, value, follows ? std::optional(mark->value) : std::nullopt, wanted);
  const auto changed = slider("##slider", spec, span, value, width, mark);
  note_item(spec.id);
  if (ImGui::IsItemActive()) return changed;
  const std::string low = shown_value(spec, slider_value(spec, span, 0)),
                    high = shown_value(spec, slider_value(spec, span, 1)),
                    least = shown_value(spec, spec.min), most = shown_value(spec, spec.max);
  std::string usage = "Drag for " + low + " to " + high + ", with Shift ten times finer; Ctrl-click to type";
  if (low != least || high != most)
    usage += " any value from " + least + " to " + most + ", which the slider is then centred on";
  row_tooltip(std::string(spec.help) + (mark ? "\n\n" + mark->help : "") + "\n\n" + usage + ".");
  return changed;
}

}  // namespace

SliderSpans& slider_spans() {
  static SliderSpans spans;
  return spans;
}

float parameter_row_height(float width) {
  const float frame = ImGui::GetFrameHeight();
  return slider_width(width) < units(kLeastSlider) ? 2 * frame + ImGui::GetStyle().ItemSpacing.y : frame;
}

std::optional<double> parameter_row(const ParameterSpec& spec, double value,
                                    const std::optional<SliderMark>& mark,
                                    const std::optional<SliderSpan>& wanted, std::string why_without_effect) {
  using Kind = ParameterSpec::Kind;
  g_without_effect = std::move(why_without_effect);
  const ImGuiStyle& style = ImGui::GetStyle();
  const bool dims = !g_without_effect.empty();
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, dims ? std::min(style.Alpha, style.DisabledAlpha) : style.Alpha);
  if (dims) note_text(std::string(spec.id) + "#without-effect", g_without_effect);
  ImGui::PushID(std::string(spec.id).c_str());
  const float gap = units(kGap), button = ImGui::GetFrameHeight();
  const float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x;
  const float room = width - units(kLabelWidth) - gap - button - gap;
  const float in_line = slider_width(width);
  const bool slides = spec.kind == Kind::real || spec.kind == Kind::integer;
  const bool own_line = slides && in_line < units(kLeastSlider);
  // The slider has the size of a value that may be negative, and keeps its sign.
  const double sign = spec.most_negative < 0 && value < 0 ? -1 : 1;
  const auto dragged_slider = [&](float slider_width) {
    const auto size = slider_of(spec, sign * value, mark, wanted, slider_width);
    return size ? std::optional(std::max(sign * *size, std::min(spec.most_negative, spec.min))) : size;
  };
  row_label(spec.title, spec.help,
            own_line ? width - button - 2 * gap - units(kFieldWidth) : units(kLabelWidth));
  std::optional<double> changed;
  if (spec.kind == Kind::boolean) changed = check_box(spec, value, room);
  if (spec.kind == Kind::choice) changed = choice(spec.id, spec, value, room);
  if (own_line) ImGui::SetCursorPosX(left + width - button - gap - units(kFieldWidth));
  if (slides && !own_line) {
    changed = dragged_slider(in_line);
    ImGui::SameLine(0, gap);
  }
  if (slides) {
    if (const auto typed = value_field(spec.id, {}, spec, changed.value_or(value), units(kFieldWidth)))
      changed = typed;
  }
  reset_button(value != spec.fallback, spec.fallback, shown_value(spec, spec.fallback), changed);
  note_item(std::string(spec.id) + "#default");
  if (own_line)
    if (const auto dragged = dragged_slider(width)) changed = dragged;
  ImGui::PopID();
  ImGui::PopStyleVar();
  g_without_effect.clear();
  if (changed && *changed == value) changed.reset();
  return changed;
}

std::optional<double> parameter_field(const std::string& name, const ParameterSpec& spec, double value,
                                      float width) {
  ImGui::PushID(name.c_str());
  std::optional<double> changed =
      spec.kind == ParameterSpec::Kind::choice
          ? choice(name, spec, value, width)
          : value_field(name, std::string(spec.title) + ". " + std::string(spec.help) + "\n\n", spec, value,
                        width);
  ImGui::PopID();
  if (changed && *changed == value) changed.reset();
  return changed;
}

ParameterSpec number_spec(std::string_view id, std::string_view title, std::string_view unit, double min,
                          double max, double fallback, std::string_view help) {
  return {.id = id,
          .title = title,
          .unit = unit,
          .min = min,
          .max = max,
          .fallback = fallback,
          .logarithmic = true,
          .help = help};
}

std::optional<double> number_row(const char* id, std::string_view title, std::string_view help, double value,
                                 double min, double max, double fallback, std::string_view unit) {
  return parameter_row(number_spec(id, title, unit, min, max, fallback, help), value);
}

std::optional<vec3> vector_row(const char* id, std::string_view title, std::string_view help,
                               const vec3& value, double limit, std::string_view unit) {
  ImGui::PushID(id);
  row_label(title, help, units(kLabelWidth));
  const float gap = units(kGap);
  const float width = (ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() - 3 * gap) / 3;
  std::optional<vec3> changed;
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0) ImGui::SameLine(0, gap);
    const ParameterSpec spec{
        .id = id, .title = title, .unit = unit, .min = -limit, .max = limit, .help = help};
    const std::string name(1, static_cast<char>('x' + axis));
    if (const auto typed =
            number_field(("##" + name).c_str(), std::string(id) + ":" + name, spec, value[axis], width)) {
      changed = value;
      (*changed)[axis] = *typed;
    }
    if (!ImGui::IsItemActive())
      row_tooltip(std::string(help) + "\n\n" + name + ": click to type a value " + typing_help(spec) + ".");
  }
  ImGui::PopID();
  return changed;
}

namespace {

// Text being typed, kept here because a field that loses the focus to an earlier control never returns its
// text (Dear ImGui 1.86).
struct Editing {
  ImGuiID id = 0;
  std::string text;
  std::string shown;  // before the user typed
};
Editing g_editing;

// The field that takes the keyboard with the next frame.
ImGuiID g_wanted = 0;

// What is wrong with the text of a field.
struct Note {
  ImGuiID id = 0;
  std::string text;
  std::optional<std::string> refused;  // to be corrected, once the field has the keyboard again
  int made = 0;                        // in which frame
  int drawn = 0;
};
Note g_note;

// The last field that returned a value.
struct Typed {
  ImGuiID id = 0;
  std::string text;
  bool by_click = false;  // a click elsewhere ended the typing
};
Typed g_typed;

bool mouse_is_clicked() {
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right) ||
         ImGui::IsMouseClicked(ImGuiMouseButton_Middle);
}

bool escape_is_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(ImGuiKey_Escape);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
#endif
}

void explain(const Typed& typed, std::string_view why, bool refused) {
  const int now = ImGui::GetFrameCount();
  g_note = {typed.id, std::string(why), {}, now, now};
  if (typed.by_click) return;
  g_wanted = typed.id;
  if (refused) g_note.refused = typed.text;
}

// A click elsewhere removes it, and so does the end of the field.
bool has_note(ImGuiID id) {
  if (g_note.id != id) return false;
  const int now = ImGui::GetFrameCount();
  const bool left = now != g_note.drawn && now != g_note.drawn + 1;
  if (left || (now > g_note.made && mouse_is_clicked() && !ImGui::IsItemHovered())) g_note = {};
  g_note.drawn = now;
  return g_note.id == id;
}

// Over everything else, below the previous item, or above it if there is no room.
void draw_note() {
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax(), room = ImGui::GetIO().DisplaySize;
  const std::string text = broken_lines(g_note.text, units(240));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), padding(units(8), units(5));
  const float width = size.x + 2 * padding.x, height = size.y + 2 * padding.y, gap = units(3);
  const float x = std::clamp(a.x, 0.0F, std::max(room.x - width, 0.0F));
  const float y = b.y + gap + height <= room.y ? b.y + gap : std::max(a.y - gap - height, 0.0F);
  const ImVec2 from(x, y), to(x + width, y + height);
  ImDrawList* draw = ImGui::GetForegroundDrawList();
  draw->AddRectFilled(from, to, ImGui::GetColorU32(ImGuiCol_PopupBg, 1), units(4));
  draw->AddRect(from, to, palette().failed, units(4), 0, units(1.5F));
  draw->AddText(ImVec2(x + padding.x, y + padding.y), palette().text, text.c_str());
  note_rect("field-note", from, to);
  note_text("field-note", g_note.text);
}

// Without its unit where that does not fit.
std::string fitted(std::string shown, float width) {
  const float room = width - 2 * ImGui::GetStyle().FramePadding.x;
  const std::size_t space = shown.find(' ');
  if (space != std::string::npos && text_width(shown) > room) shown.resize(space);
  return shown;
}

// Typed text once the user is done, when it differs from what was shown.
std::optional<Typed> text_field(const char* id, const std::string& shown, float width) {
  std::string text = shown;
  const ImGuiID full_id = ImGui::GetID(id);
  if (g_editing.id == full_id)
    text = g_editing.text;
  else if (g_note.id == full_id && g_note.refused)
    text = *g_note.refused;
  if (g_wanted == full_id) {
    g_wanted = 0;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(width);
  // Dear ImGui keeps the undo history of the earlier text when a field is activated again, and mixes both.
  text_input(id, text, ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_NoUndoRedo);
  if (ImGui::IsItemActivated()) {
    g_editing = {full_id, text, shown};
    if (g_note.id == full_id) g_note.refused.reset();
  }
  if (g_editing.id != full_id) return std::nullopt;
  // When the focus was stolen, the kept text is used.
  g_editing.text = text;
  if (ImGui::IsItemActive() || ImGui::IsItemActivated()) return std::nullopt;
  g_editing.id = 0;
  if (g_note.id == full_id) g_note = {};
  if (escape_is_pressed() || g_editing.shown == text) return std::nullopt;
  return Typed{full_id, text, mouse_is_clicked()};
}

}  // namespace

std::optional<double> number_field(const char* id, std::string_view name, const ParameterSpec& spec,
                                   double value, float width) {
  const std::optional<Typed> typed = text_field(id, fitted(shown_value(spec, value), width), width);
  note_item(name);
  std::optional<double> changed;
  if (typed) {
    const TypedNumber number = typed_number(spec, typed->text);
    if (!number.note.empty()) explain(*typed, number.note, !number.value);
    if (number.value) g_typed = *typed;
    changed = number.value;
  }
  if (has_note(ImGui::GetID(id))) draw_note();
  return changed;
}

void focus_number_field(const char* id) { g_wanted = ImGui::GetID(id); }

void refuse_typed_number(std::string_view why) { explain(g_typed, why, true); }

}  // namespace clothlab
