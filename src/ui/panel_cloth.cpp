#include <glm/geometric.hpp>

#include "sim/parameters.h"
#include "ui/numbers.h"
#include "ui/panels.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

// Strength on a slider, direction kept; the three components as typed values below it.
void gravity_rows(const PanelContext& context) {
  const vec3 gravity = context.gravity();
  const double strength = glm::length(gravity);
  if (const auto changed = number_row("gravity", "Gravity",
                                      "Strength of gravity; its direction stays. With 0 the cloth floats.",
                                      strength, 0, kMaxGravity, 9.8, "m/s²")) {
    const vec3 direction = strength > 0 ? gravity / strength : vec3(0, -1, 0);
    context.set_gravity(direction * *changed);
  }
  if (const auto changed = vector_row("gravity-vector", "Gravity x, y, z",
                                      "Strength and direction of gravity.", gravity, kMaxGravity, "m/s²")) {
    context.set_gravity(*changed);
  }
}

void pin_buttons(const PanelContext& context) {
  struct Row {
    PinPreset preset;
    const char* label;
    const char* name;
    const char* help;
  };
  constexpr Row kRows[] = {
      {PinPreset::none, "None", "pin-none", "Free every particle."},
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
  for (const Row& row : kRows) widths += ImGui::CalcTextSize(row.label).x;
  const float padding = (ImGui::GetContentRegionAvail().x - widths - 3 * gap) / 4;
  for (const Row& row : kRows) {
    if (row.preset != PinPreset::none) ImGui::SameLine(0, gap);
    const bool active = preset != nullptr && *preset == row.preset;
    if (text_button(row.label, row.help, ImGui::CalcTextSize(row.label).x + padding, active)) {
      context.send(Command(SetPinPreset{row.preset}));
    }
    note_item(row.name);
  }
  std::size_t count = 0;
  for (const auto pinned : context.snapshot.frame.pinned) count += pinned != 0 ? 1U : 0U;
  small_text(format_count(count) + " pinned. Ctrl-click pins or frees; drag a pin to move it.");
}

}  // namespace

void parameter_section(const PanelContext& context, std::string_view section_name) {
  for (const SceneParameter& row : scene_parameters()) {
    // h has its place above, beside the integrator.
    if (row.section != section_name || row.spec.id == "dt") continue;
    const double value = context.parameter(row.spec.id, row.get(*context.snapshot.frame.scene));
    if (const auto changed = parameter_row(row.spec, value)) context.set_parameter(row.spec.id, *changed);
  }
}

void cloth_panel(const PanelContext& context) {
  section("Material");
  parameter_section(context, "Material");
  gravity_rows(context);
  section("Damping");
  parameter_section(context, "Damping");
  section("Pins");
  pin_buttons(context);
}

}  // namespace clothlab
