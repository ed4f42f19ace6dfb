// SPDX-License-Identifier: MIT
#include "sim/presets.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

void preset_choice(const PanelContext& context) {
  choice_list("preset", "Presets: denim, soft, stiff ...",
              "Sets several values at once, which its tooltip lists. One undo reverts them all.", [&] {
                for (const Preset& preset : presets())
                  if (list_item("preset:" + std::string(preset.id), preset.title,
                                std::string(preset.about) + "\n\n" + preset_text(preset)))
                    context.set_scene(with_preset(context.edits.scene(), preset));
              });
}

void pin_buttons(const PanelContext& context) {
  struct Row {
    PinPreset preset;
    const char* label;
    const char* name;
    const char* help;
  };
  constexpr Row kRows[] = {
      {PinPreset::none, "Clear", "pin-none", "Free every particle."},
      {PinPreset::top_corners, "Top corners", "pin-top-corners",
       "Pin the two top corners where they are now, and free all others."},
      {PinPreset::top_edge, "Top edge", "pin-top-edge",
       "Pin the whole top edge where it is now, and free all others."},
      {PinPreset::corners, "Corners", "pin-corners",
       "Pin the four corners where they are now, and free all others."},
  };
  const auto* preset = std::get_if<PinPreset>(&context.snapshot.frame.scene->pins);
  const float gap = units(5);
  float widths = 0;
  for (const Row& row : kRows) widths += text_width(row.label);
  const float padding = (ImGui::GetContentRegionAvail().x - widths - 3 * gap) / 4;
  for (const Row& row : kRows) {
    if (row.preset != PinPreset::none) ImGui::SameLine(0, gap);
    const bool active = preset != nullptr && *preset == row.preset;
    if (text_button(row.name, row.label, row.help,
                    {.width = text_width(row.label) + padding, .active = active}))
      context.send(Command(SetPinPreset{row.preset}));
  }
  const Scene& own = context.snapshot.loaded->scene;
  if (text_button(
          "pin-scene", "Pins of the scene",
          "Pin the particles that the scene pins, where they are now, and free all others.",
          {.width = ImGui::GetContentRegionAvail().x, .enabled = context.edits.scene().pins != own.pins})) {
    Scene scene = context.edits.scene();
    scene.pins = own.pins;
    context.set_scene(std::move(scene));
  }
  std::size_t count = 0;
  for (const auto pinned : context.snapshot.frame.pinned) count += pinned == 1 ? 1U : 0U;
  small_text(format_count(count) + " pinned. Ctrl-click pins or frees, Ctrl-drag pins all in a rectangle.");
}

}  // namespace

void scene_parameter_row(const PanelContext& context, const ParameterSpec& spec, double value) {
  const std::string why = context.why_without_effect(spec.id);
  ImGui::BeginDisabled(spec.id == "inflate" && !why.empty());  // it would be refused
  if (const auto changed = parameter_row(spec, value, {}, {}, why)) context.set_parameter(spec.id, *changed);
  ImGui::EndDisabled();
}

void parameter_section(const PanelContext& context, std::string_view section_name) {
  for (const SceneParameter& row : scene_parameters()) {
    // h is shown above, next to the integrator.
    if (row.section != section_name || row.spec.id == "dt") continue;
    if (is_of_other_material(context.scene(), row.spec.id)) continue;
    scene_parameter_row(context, row.spec, row.get(context.scene()));
  }
}

void cloth_panel(const PanelContext& context) {
  ImGui::SetNextItemWidth(-1);
  preset_choice(context);  // the first row below it is the material: no heading
  parameter_section(context, "Material");
  section("Damping");
  parameter_section(context, "Damping");
  section("Pins");
  pin_buttons(context);
}

}  // namespace clothlab
