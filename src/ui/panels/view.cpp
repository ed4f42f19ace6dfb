// SPDX-License-Identifier: MIT
#include <span>
#include <string>
#include <utility>

#include "ui/actions.h"
#include "ui/panels/panel_values.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

// Those over the cloth first.
constexpr std::array kViewSwitches = {
    ViewSwitch{
        "Weave", "weave", &ViewSettings::weave,
        "Threads along the grid or along the mesh's texture coordinates, every eighth one darker; threads "
        "finer than a pixel fade out. A mesh without texture coordinates has none."},
    ViewSwitch{"Wireframe", "wireframe", &ViewSettings::wireframe,
               "Draw the edges of the triangles over the cloth: each is a stretch spring."},
    ViewSwitch{"Pins", "pins", &ViewSettings::pins, "Mark the pinned particles, the drivers and open seams."},
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
    ViewSwitch{"Plots", "plots", &ViewSettings::plots,
               "Energies, strain, times and iterations, below the cloth."},
    ViewSwitch{
        "Trackpad", "trackpad", &ViewSettings::trackpad,
        "To scroll with two fingers over the cloth orbits; with Shift it pans, with Ctrl it zooms. Off: "
        "scrolling zooms, as with a wheel, and sideways or with Shift it pans."},
    ViewSwitch{"Keep session for recovery", "write-session", &ViewSettings::write_session,
               "Write the session to a file while the window is open. After a crash the next start offers to "
               "restore it, to the last steps. A change acts from the next start on."},
};
constexpr std::size_t kOverCloth = 12;
static_assert(kViewSwitches[kOverCloth - 1].value == &ViewSettings::ground);

// With its key.
std::string label_of(const ViewSwitch& each) {
  const Action* const action = find_action(each.name);
  const bool has_key = action != nullptr && action->keys != nullptr;
  return each.label + (has_key ? std::string(" (") + action->keys + ")" : "");
}

// In columns.
void toggles(ViewSettings& view) {
  constexpr std::array kToggleColumns{0.0F, 0.315F, 0.655F};  // of the width
  constexpr float kLeastForThree = 360;
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::size_t columns = width < units(kLeastForThree) ? 2 : kToggleColumns.size();
  for (std::size_t i = 0; i < kOverCloth; ++i) {
    const std::size_t column = i % columns;
    if (column > 0) ImGui::SameLine(start + (columns == 2 ? 0.5F : kToggleColumns[column]) * width);
    const ViewSwitch& each = kViewSwitches[i];
    check_item(each.name, label_of(each).c_str(), view.*each.value, each.help);
  }
}

void run_ahead(const PanelContext& context) {
  panel_value_row(context, "look-ahead");
  const std::string text = "Now " + text_of(context.snapshot.look_ahead) + ".";
  note_text("look-ahead-state", text);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y / 2);  // of the row above
  small_text(text);
}

// Of the window, in as few lines as the width allows.
void window_switches(ViewSettings& view) {
  bool is_first = true;
  for (const ViewSwitch& each : std::span(kViewSwitches).subspan(kOverCloth)) {
    const std::string label = label_of(each);
    const float box = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
    if (!std::exchange(is_first, false)) next_in_row(box + text_width(label));
    check_item(each.name, label.c_str(), view.*each.value, each.help);
  }
}

}  // namespace

std::span<const ViewSwitch> view_switches() { return kViewSwitches; }

void view_panel(const PanelContext& context) {
  ViewSettings& view = context.view;
  section("Over the cloth");
  toggles(view);
  for (const char* id : {"heat-of", "heat-max-strain"}) panel_value_row(context, id);
  if (text_button("frame", "Frame the cloth (F)", "Move the camera so that the whole cloth is visible.",
                  {.width = -1}))
    context.request(FrameCloth{});
  section("Window");
  for (const char* id : {"theme", "text-size"}) panel_value_row(context, id);
  window_switches(view);
  run_ahead(context);
  panel_value_row(context, "history-memory");
}

}  // namespace clothlab
