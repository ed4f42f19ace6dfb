#include "ui/panels.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

void toggle(const char* label, const char* name, const char* help, bool& value) {
  ImGui::Checkbox(label, &value);
  note_item(name);
  tooltip(help);
}

}  // namespace

void view_panel(const PanelContext& context) {
  ViewSettings& view = context.view;
  section("Cloth");
  toggle("Weave", "weave",
         "Threads along the grid or along the mesh's texture coordinates, every eighth one darker; fine ones "
         "fade "
         "with the distance. A mesh without texture coordinates has none.",
         view.weave);
  toggle("Wireframe", "wireframe",
         "Draw the edges of the triangles, the stretch springs, over the cloth (W).", view.wireframe);
  toggle("Strain heat map", "heat-map",
         "Colour the cloth by the strain of its stretch springs, longer or shorter than at rest (H).",
         view.heat_map);
  if (const auto changed = number_row("heat-max-strain", "Heat map up to",
                                      "The strain at which the heat map's colours end, 0.1 is 10 %.",
                                      view.heat_max_strain, 1e-4, 10, 0.1, "")) {
    view.heat_max_strain = *changed;
  }
  toggle("Ground grid", "ground",
         "A grid of 0.25 m at the height of the ground (G). Nothing collides with it.", view.ground);
  section("Window");
  bool light = view.theme == Theme::light;
  toggle("Light theme", "light-theme", "Dark on light, for bright rooms and for print.", light);
  view.theme = light ? Theme::light : Theme::dark;
  toggle("Plots", "plots", "Energies, strain, times and iterations, below the cloth (P).", view.plots);
  if (const auto changed = number_row("interface-scale", "Interface size",
                                      "Size of text and controls, times what the display asks for.",
                                      static_cast<double>(view.interface_scale), 0.75, 2, 1, "×")) {
    view.interface_scale = static_cast<float>(*changed);
  }
  if (const auto changed =
          number_row("history-memory", "Memory for the past",
                     "What the states of the last 30 s may take. Where it does not last, older "
                     "states are farther apart.",
                     view.history_megabytes, 16, 16384, 256, "MB")) {
    view.history_megabytes = *changed;
    context.send(Control(SetHistoryMemory{static_cast<std::size_t>(*changed * (1 << 20))}));
  }
  if (text_button("Frame the cloth (F)", "Turn the camera to the whole cloth.", -1))
    context.request(FrameCloth{});
  note_item("frame");
}

}  // namespace clothlab
