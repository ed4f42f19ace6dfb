// SPDX-License-Identifier: MIT
#include <string_view>

#include "ui/actions.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

constexpr std::array kCloth = {
    ViewSwitch{
        "Weave", "weave", &ViewSettings::weave,
        "Threads along the grid or along the mesh's texture coordinates, every eighth one darker; threads "
        "finer than a pixel fade out. A mesh without texture coordinates has none."},
    ViewSwitch{"Wireframe", "wireframe", &ViewSettings::wireframe,
               "Draw the edges of the triangles over the cloth: each is a stretch spring."},
    ViewSwitch{"Pins", "pins", &ViewSettings::pins, "Mark the pinned particles and the drivers."},
    ViewSwitch{"Particles", "particles", &ViewSettings::particles, "Mark every particle of the cloth."},
    ViewSwitch{"Stretch springs", "stretch-springs", &ViewSettings::stretch_springs,
               "Draw the springs along the edges of the triangles, in a colour of their own."},
    ViewSwitch{"Bending springs", "bend-springs", &ViewSettings::bend_springs,
               "Draw the springs across the edges of the triangles, which resist bending."},
    ViewSwitch{"Velocities", "velocities", &ViewSettings::velocities,
               "The velocity of every free particle as an arrow. The legend gives the scale; on large cloths "
               "only some particles have one."},
    ViewSwitch{
        "Forces", "forces", &ViewSettings::forces,
        "The net force on every free particle as an arrow: springs, damping, gravity, wind and the grab, "
        "without constraint forces of pins and rods. The legend gives the scale."},
    ViewSwitch{
        "Contacts", "contacts", &ViewSettings::contacts,
        "Mark contacts with the floor and obstacles, with the force on the cloth as an arrow, friction "
        "included, in all lanes. Colours tell sticking from sliding; the legend gives the scale."},
    ViewSwitch{
        "Intersections", "intersections", &ViewSettings::intersections,
        "Mark the triangles that intersect others of the cloth or of a mesh obstacle, in all lanes. At "
        "the start they are always marked."},
    ViewSwitch{"Heat map", "heat-map", &ViewSettings::heat_map,
               "Colour the cloth by the strain of its stretch springs, in tension or compression, or by the "
               "distance from the reference lane; the legend gives the scale."},
    ViewSwitch{"Ground grid", "ground", &ViewSettings::ground, "A grid at the height of the ground."},
};

// In columns.
void toggles(ViewSettings& view) {
  constexpr std::array kToggleColumns{0.0F, 0.315F, 0.655F};  // of the width
  constexpr float kLeastForThree = 360;
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::size_t columns = width < units(kLeastForThree) ? 2 : kToggleColumns.size();
  for (std::size_t i = 0; i < kCloth.size(); ++i) {
    const std::size_t column = i % columns;
    if (column > 0) ImGui::SameLine(start + (columns == 2 ? 0.5F : kToggleColumns[column]) * width);
    const ViewSwitch& each = kCloth[i];
    const Action* const action = find_action(each.name);
    const std::string key = action != nullptr ? std::string(" (") + action->keys + ")" : "";
    check_item(each.name, (each.label + key).c_str(), view.*each.value, each.help);
  }
}

constexpr std::array<std::string_view, 2> kThemes{"dark", "light"}, kQuantities{"strain", "distance"};

/// True when the user changed the value, an enumerator or an index.
template <class Value>
bool choice_row(std::string_view id, std::string_view title, std::span<const std::string_view> choices,
                Value& value, Value fallback, std::string_view help) {
  const auto changed = parameter_row({.id = id,
                                      .title = title,
                                      .unit = {},
                                      .kind = ParameterSpec::Kind::choice,
                                      .fallback = static_cast<double>(fallback),
                                      .help = help,
                                      .choices = choices},
                                     static_cast<double>(value));
  if (changed) value = static_cast<Value>(*changed);
  return changed.has_value();
}

void heat_rows(ViewSettings& view) {
  choice_row("heat-of", "Heat map of", kQuantities, view.heat_of, HeatQuantity::strain,
             "strain: of the stretch springs, up to the value below. distance: of every particle from its "
             "position in the reference lane, up to the current largest; strain without a reference lane.");
  if (const auto changed =
          number_row("heat-max-strain", "Strain up to", "The strain at which the heat map's colours end.",
                     view.heat_max_strain * 100, 0.01, 1000, 10, "%"))
    view.heat_max_strain = *changed / 100;
}

void window_rows(ViewSettings& view) {
  choice_row("theme", "Theme", kThemes, view.theme, Theme::dark,
             "dark: light text on slate. light: dark text on paper, for bright rooms and for print.");
  std::size_t size = text_size(view);
  if (choice_row(
          "text-size", "Text size", kTextSizeNames, size, kUsualTextSize,
          "Size of text and controls, relative to the display's own scale and limited to what fits the "
          "window (Ctrl with +, - and 0)."))
    view.interface_scale = kTextSizes[size];
}

void run_ahead(const PanelContext& context) {
  bool& on = context.view.look_ahead;
  if (check_item(
          "look-ahead", "Run ahead by 0.4 s", on,
          "A copy of every lane runs 0.4 s of simulated time ahead, on a processor of its own. Warnings then "
          "have the exact step and time of a blow-up, a step that does not converge or tunnelling, until "
          "something changes. The status bar shows how far ahead it is. Off: signs in past steps give the "
          "warnings."))
    context.send(Control(SetLookAhead{on}));
}

}  // namespace

std::span<const ViewSwitch> view_switches() { return kCloth; }

void view_panel(const PanelContext& context) {
  ViewSettings& view = context.view;
  section("Over the cloth");
  toggles(view);
  heat_rows(view);
  if (text_button("frame", "Frame the cloth (F)", "Move the camera so that the whole cloth is visible.",
                  {.width = -1}))
    context.request(FrameCloth{});
  section("Window");
  window_rows(view);
  const float start = ImGui::GetCursorPosX(), half = ImGui::GetContentRegionAvail().x / 2;
  check_item("plots", "Plots (P)", view.plots, "Energies, strain, times and iterations, below the cloth.");
  ImGui::SameLine(start + half);
  run_ahead(context);
  check_item("write-session", "Keep the session for recovery", view.write_session,
             "Write the session to a file while the window is open. After a crash the next start offers to "
             "restore it, to the last steps. A change acts from the next start on.");
  if (const auto changed =
          number_row("history-memory", "History memory",
                     "Memory for the states of the last 30 s. With too little memory, older states are "
                     "farther apart in time.",
                     view.history_megabytes, kLeastHistoryMegabytes, kMostHistoryMegabytes, 256, "MB")) {
    view.history_megabytes = *changed;
    context.send(Control(history_memory(view)));
  }
}

}  // namespace clothlab
