// SPDX-License-Identifier: MIT
#include "ui/command_palette.h"

#include <algorithm>
#include <utility>

#include "contact/contact_model.h"
#include "integrate/registry.h"
#include "sim/obstacle_placement.h"
#include "sim/presets.h"
#include "ui/instruments/instruments.h"
#include "ui/lanes.h"
#include "ui/panels/panel_values.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

using Entries = std::vector<PaletteEntry>;

constexpr std::size_t kDigitKeys = 9;
constexpr float kKindWidth = 96;  // [interface units]

std::string on_or_off(bool on) { return on ? "on" : "off"; }

const ViewSwitch* switch_of(std::string_view id) {
  for (const ViewSwitch& each : view_switches())
    if (each.name == id) return &each;
  return nullptr;
}

void add_actions(const ActionTargets& on, Entries& out) {
  for (const Action& each : actions()) {
    if (each.name == nullptr || each.act == nullptr || each.id == "commands") continue;
    PaletteEntry& entry = out.emplace_back(
        PaletteEntry{"Command", current_name(each, on.context.recording), std::string(each.id)});
    if (each.keys != nullptr) entry.keys = each.keys;
    entry.help = each.help;
    if (const ViewSwitch* shown = switch_of(each.id)) {
      entry.value = on_or_off(on.context.view.*shown->value);
      entry.help = shown->help;
    }
    entry.act = [&on, act = each.act](bool shift) {
      ActionTargets with = on;
      with.shift = shift;
      act(with);
    };
  }
}

void add_view(const ActionTargets& on, Entries& out) {
  ViewSettings& view = on.context.view;
  for (const ViewSwitch& each : view_switches()) {
    if (find_action(each.name) != nullptr) continue;
    out.push_back({"View",
                   each.label,
                   each.name,
                   {},
                   on_or_off(view.*each.value),
                   each.help,
                   [&view, value = each.value](bool) { view.*value = !(view.*value); }});
  }
  for (const Tab& tab : tabs())
    out.push_back(
        {"Tab", std::string(tab.title) + " tab", "panel", {}, {}, tab.help, [&on, title = tab.title](bool) {
           on.wanted_tab = title;
         }});
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    const auto kind = static_cast<PlotKind>(k);
    out.push_back({instrument(kind) ? "Instrument" : "Plot",
                   plot_title(kind),
                   "plot",
                   {},
                   {},
                   plot_help(kind),
                   [&view, kind](bool) {
                     view.plots = true;
                     view.plots_layout.show(kind);
                   }});
  }
}

void add_methods(const PanelContext& context, Entries& out) {
  for (const std::size_t row : methods_by_family()) {
    const IntegratorInfo& info = integrators()[row];
    out.push_back(
        {"Method", std::string(info.title),
         std::string(info.id) + " integrator " + std::string(family_title(info.family)),
         row < kDigitKeys ? std::to_string(row + 1) : "", row == context.integrator() ? "current" : "",
         std::string(info.summary) + " With Shift as a new lane.",
         [&context, row](bool shift) { shift ? context.add_lane(row) : context.set_integrator(row); }});
  }
}

double value_of(const PanelContext& context, const ParameterSpec& spec) {
  const PanelValue* const own = find_panel_value(spec.id);
  return own != nullptr ? own->get(context) : parameter_value(context.scene(), spec);
}

void set_value(const PanelContext& context, const ParameterSpec& spec, double value) {
  const PanelValue* const own = find_panel_value(spec.id);
  own != nullptr ? own->set(context, value) : context.set_parameter(spec.id, value);
}

// The methods that have that parameter, if the current one does not; else as the panels state it.
std::string why_without_effect(const PanelContext& context, std::string_view id) {
  const auto has = [&](const IntegratorInfo& info) {
    return std::ranges::find(info.parameters, id, &ParameterSpec::id) != info.parameters.end();
  };
  if (find_panel_value(id) != nullptr) return {};
  if (find_scene_parameter(id) != nullptr || has(context.method())) return context.why_without_effect(id);
  std::string methods;
  for (const IntegratorInfo& info : integrators())
    if (has(info)) methods += (methods.empty() ? "" : ", ") + std::string(info.title);
  return "Only for " + methods + ".";
}

void add_parameter(const PanelContext& context, const ParameterSpec& spec, Entries& out) {
  using Kind = ParameterSpec::Kind;
  const double value = value_of(context, spec);
  const SceneParameter* row = find_scene_parameter(spec.id);
  const std::string why = why_without_effect(context, spec.id);
  PaletteEntry entry{"Parameter",
                     std::string(spec.title),
                     std::string(spec.id),
                     {},
                     shown_value(spec, value),
                     (why.empty() ? "" : "No effect now: " + why + " ") + std::string(spec.help)};
  if (row != nullptr) entry.keywords += " " + std::string(row->section);
  const auto set = [&context, &spec](double to) {
    return [&context, &spec, to](bool) { set_value(context, spec, to); };
  };
  if (spec.kind != Kind::choice) {
    entry.parameter = &spec;
    if (spec.kind == Kind::boolean) entry.act = set(value != 0 ? 0 : 1);
    return out.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < spec.choices.size(); ++i) {
    PaletteEntry choice = entry;
    choice.name += ": " + std::string(spec.choices[i]);
    choice.value = static_cast<double>(i) == value ? "current" : "";
    if (spec.id == "contact") choice.keywords += " model " + std::string(kContactModels.at(i).title);
    choice.act = set(static_cast<double>(i));
    out.push_back(std::move(choice));
  }
}

void add_pins(const PanelContext& context, Entries& out) {
  const auto* const now = std::get_if<PinPreset>(&context.scene().pins);
  for (const PinChoice& each : pin_choices())
    out.push_back({"Pins",
                   std::string("Pins: ") + each.label,
                   each.name,
                   {},
                   now != nullptr && *now == each.preset ? "current" : "",
                   each.help,
                   [&context, preset = each.preset](bool) { context.send(Command(SetPinPreset{preset})); }});
}

// A mesh is a command: it needs a file.
void add_obstacles(const PanelContext& context, Entries& out) {
  for (const ObstacleOffer& each : obstacle_offers())
    if (each.shape != Obstacle::Shape::mesh)
      out.push_back({"Obstacle",
                     each.label,
                     std::string(each.id) + " body",
                     {},
                     {},
                     each.help,
                     [&context, shape = each.shape](bool) {
                       std::vector<Obstacle> bodies = context.scene().obstacles.bodies;
                       bodies.push_back(placed_near_cloth(context.snapshot.frame, {.shape = shape}, bodies));
                       context.send(Command(SetObstacles{std::move(bodies)}));
                     }});
}

void add_scenes(const PanelContext& context, Entries& out) {
  for (const SceneEntry& each : context.scenes)
    out.push_back({"Scene",
                   each.scene.title,
                   each.file,
                   {},
                   each.scene.title == context.snapshot.loaded->scene.title ? "current" : "",
                   each.scene.description,
                   [&context, &each](bool) {
                     context.request(OpenScene{each.scene, each.lanes, each.path});
                   }});
  for (const Preset& preset : presets())
    out.push_back(
        {"Preset",
         std::string(preset.title),
         std::string(preset.id) + " material values",
         {},
         {},
         std::string(preset.about),
         [&context, &preset](bool) { context.set_scene(with_preset(context.edits.scene(), preset)); }});
}

void add_lanes(const PanelContext& context, Entries& out) {
  for (const LaneSnapshot* lane : context.snapshot.lanes())
    out.push_back({"Lane",
                   "Lane " + lane_name(*lane),
                   {},
                   {},
                   lane->lane == context.snapshot.lane ? "current" : "",
                   "The panels edit this lane.",
                   [&context, id = lane->lane](bool) { context.select_lane(id); }});
  for (const LaneSet& set : lane_sets())
    out.push_back({"Lanes", set.title, "set compare", {}, {}, set.help, [&context, &set](bool) {
                     use_lanes(context, set.choose(context));
                   }});
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const ActionTargets& on) {
  Entries out;
  add_actions(on, out);
  add_methods(on.context, out);
  for (const ParameterSpec* spec : all_parameters()) add_parameter(on.context, *spec, out);
  for (const PanelValue& each : panel_values()) add_parameter(on.context, each.spec, out);
  add_pins(on.context, out);
  add_obstacles(on.context, out);
  add_scenes(on.context, out);
  add_view(on, out);
  add_lanes(on.context, out);
  return out;
}

void CommandPalette::open() {
  *this = {};
  open_ = appearing_ = true;
}

bool CommandPalette::on_key(const KeyPress& press) {
  if (!open_) return false;
  constexpr std::array<std::pair<Key, int>, 4> kMoves{
      {{Key::up, -1}, {Key::down, 1}, {Key::page_up, -10}, {Key::page_down, 10}}};
  for (const auto& [key, by] : kMoves)
    if (press.key == key && parameter_ == nullptr) moves_ += by;
  if (press.key == Key::escape) {
    if (parameter_ == nullptr) close();
    note_.clear();
    parameter_ = nullptr;
    appearing_ = true;
  }
  if (press.key == Key::enter) {
    accepts_ = true;  // earlier typing reaches the field in draw()
    shift_ = press.shift;
  }
  if (press.ctrl && press.character == 'K' && !press.repeat) close();
  return true;
}

void CommandPalette::run(const PaletteEntry& entry, const PanelContext& context) {
  if (entry.act) {
    close();
    return entry.act(std::exchange(shift_, false));
  }
  parameter_ = entry.parameter;
  value_ = shown_value(*parameter_, value_of(context, *parameter_));
  note_.clear();
  appearing_ = true;
}

void CommandPalette::draw_list(std::span<const PaletteEntry> entries, std::span<const std::size_t> shown) {
  const float row = ImGui::GetTextLineHeightWithSpacing();
  if (std::exchange(scrolls_, false))
    ImGui::SetScrollY(static_cast<float>(chosen_) * row - (ImGui::GetWindowHeight() - row) / 2);
  float of_keys = 0;
  for (const std::size_t i : shown) of_keys = std::max(of_keys, text_width(entries[i].keys));
  ImGuiListClipper clipper;  // only the rows in view are drawn
  clipper.Begin(static_cast<int>(shown.size()), row);
  while (clipper.Step()) {
    for (auto i = static_cast<std::size_t>(clipper.DisplayStart);
         i < static_cast<std::size_t>(clipper.DisplayEnd); ++i) {
      const PaletteEntry& entry = entries[shown[i]];
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable("##entry", i == chosen_)) {
        chosen_ = i;
        accepts_ = true;
        shift_ = ImGui::GetIO().KeyShift;
      }
      ImGui::PopID();
      note_item("command:" + entry.name);
      const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
      const float y = a.y + (b.y - a.y - ImGui::GetTextLineHeight()) / 2, gap = units(8);
      const float left = a.x + units(kKindWidth), right = b.x - gap - of_keys - (of_keys > 0 ? 2 * gap : 0);
      const std::string value = shortened(entry.value, (right - left) / 2);
      draw_text(ImVec2(a.x + gap, y), palette().muted, entry.kind);
      draw_text(ImVec2(b.x - gap - text_width(entry.keys), y), palette().accent, entry.keys);
      draw_text(ImVec2(right - text_width(value), y), palette().muted, value);
      draw_text(ImVec2(left, y), palette().text,
                shortened(entry.name, right - left - text_width(value) - 2 * gap));
    }
  }
}

void CommandPalette::draw_value(const PanelContext& context, const ParameterSpec& spec) {
  const std::string range = "A value " + typing_help(spec) + ".";
  if (std::exchange(accepts_, false)) {
    appearing_ = true;
    const TypedNumber number = typed_number(spec, value_);
    if (number.value) {
      set_value(context, spec, *number.value);
      value_ = shown_value(spec, *number.value);
    }
    note_ = number.note;
    if (note_.empty()) close();
  }
  if (!note_.empty()) {
    wrapped_text(note_, palette().careful);
    note_text("command-note", note_);
  }
  wrapped_text(range);
  note_text("command-range", range);
  small_text(spec.help);
  const std::string why = why_without_effect(context, spec.id);
  note_text("command-effect", why);
  if (!why.empty()) small_text("No effect now: " + why);
  small_text("Enter sets it, Esc goes back to the list.");
}

void CommandPalette::draw(const ActionTargets& on, const Area& view) {
  if (!open_) return;
  const Entries entries = palette_entries(on);
  const float margin = units(12), width = std::min(units(680), view.width - 2 * margin);
  ImGui::SetNextWindowPos(ImVec2(view.x + view.width / 2, view.y + margin + view.height * 0.06F),
                          ImGuiCond_Always, ImVec2(0.5F, 0));
  // A value needs little room: as high as its text.
  const float height = std::min(units(470), view.height * 0.94F - 2 * margin);
  ImGui::SetNextWindowSize(ImVec2(width, parameter_ == nullptr ? height : 0));
  if (appearing_) ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(palette().overlay, 1));
  ImGui::PushStyleColor(ImGuiCol_Border, palette().accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(14), units(12)));
  ImGui::Begin("##commands", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  const bool outside = !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows);
  if (outside && !appearing_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) close();
  if (parameter_ != nullptr) card_heading(std::string(parameter_->title));
  if (appearing_) ImGui::SetKeyboardFocusHere();
  appearing_ = false;
  ImGui::SetNextItemWidth(-1);
  // Two fields, since an active one keeps its own text.
  const bool types_value = parameter_ != nullptr;
  const bool edited = text_input(types_value ? "##value" : "##text", types_value ? value_ : text_,
                                 types_value ? ImGuiInputTextFlags_AutoSelectAll : 0,
                                 "Command, scene, method, parameter, plot ...");
  note_item("command-text");
  if (parameter_ != nullptr) {
    if (edited) note_.clear();  // of another text
    draw_value(on.context, *parameter_);
  } else {
    const std::vector<std::size_t> shown = matching_entries(entries, text_);
    if (edited) chosen_ = 0;
    const int last = std::max(static_cast<int>(shown.size()) - 1, 0);
    chosen_ = static_cast<std::size_t>(std::clamp(static_cast<int>(chosen_) + moves_, 0, last));
    scrolls_ |= edited || moves_ != 0;
    moves_ = 0;
    const float foot = 3 * fonts().small->FontSize + 2 * ImGui::GetStyle().ItemSpacing.y;
    ImGui::BeginChild("list", ImVec2(0, std::max(ImGui::GetContentRegionAvail().y - foot, units(60))));
    if (shown.empty()) small_text("Nothing has that name.");
    draw_list(entries, shown);
    ImGui::EndChild();
    if (chosen_ < shown.size()) {
      const PaletteEntry& entry = entries[shown[chosen_]];
      note_text("command", entry.name);
      note_text("command-value", entry.value);
      small_text(entry.help.empty() ? entry.name + "." : entry.help, 2);
      if (std::exchange(accepts_, false)) run(entry, on.context);
    }
    accepts_ = false;
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - units(12) - fonts().small->FontSize);
    small_text(counted(shown.size(), "entry", "entries") + " · arrows and Enter, or a click · Esc closes");
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
}

}  // namespace clothlab
