#include <algorithm>

#include "core/text.h"
#include "integrate/registry.h"
#include "sim/parameters.h"
#include "ui/method_mark.h"
#include "ui/panels.h"
#include "ui/parameter_row.h"
#include "ui/stability.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

// "1", "2", ... as far as there are digit keys; two spaces are as wide as a digit.
std::string key_of(std::size_t row) { return row < 9 ? std::to_string(row + 1) : std::string("  "); }

void integrator_choice(const PanelContext& context) {
  const auto rows = integrators();
  const std::size_t current = context.integrator();
  const float height = ImGui::GetFrameHeight();
  const float gap = units(5);
  if (icon_button("previous", Icon::previous, "Previous integrator ( , )", false, height)) {
    context.set_integrator(method_after(current, -1));
  }
  note_item("previous-integrator");
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - 2 * (height + gap));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  // Room for the mark in front of the name.
  const ImVec2 mark = method_mark_size();
  const std::string indent(static_cast<std::size_t>((mark.x + units(6)) / ImGui::CalcTextSize(" ").x) + 1,
                           ' ');
  const std::string preview = indent + displayable(rows[current].title);
  const bool open = begin_choice("##integrator", preview, ImGuiComboFlags_HeightLargest);
  note_item("integrator");
  if (!open)
    tooltip(
        "The method that advances the cloth. Switching keeps positions, velocities and h. Keys 1 to 9, comma "
        "and full stop.");
  if (open) {
    for (const std::size_t i : methods_by_family()) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const std::string label = indent + key_of(i) + "   " + displayable(rows[i].title);
      if (ImGui::Selectable(label.c_str(), i == current)) context.set_integrator(i);
      note_item("integrator:" + std::string(rows[i].id));
      tooltip(rows[i].summary);
      draw_method_mark(ImGui::GetWindowDrawList(),
                       ImVec2(at.x + units(2), at.y + (ImGui::GetTextLineHeight() - mark.y) / 2), i);
    }
    ImGui::EndCombo();
  }
  draw_method_mark(ImGui::GetWindowDrawList(), ImVec2(origin.x + units(6), origin.y + (height - mark.y) / 2),
                   current);
  ImGui::SameLine(0, gap);
  if (icon_button("next", Icon::next, "Next integrator ( . )", false, height))
    context.set_integrator(method_after(current, 1));
  note_item("next-integrator");
  ImGui::SameLine(0, gap);
  if (text_button(
          "?", "Explain this method: its formula, order, cost, and stability with the present numbers (E).",
          height, context.view.explain))
    context.view.explain = !context.view.explain;
  note_item("explain-button");
}

void step_size(const PanelContext& context, const IntegratorInfo& info) {
  const SceneParameter* dt = find_scene_parameter("dt");
  const double h = context.step_size();
  const StabilityReading stability =
      read_stability(info, context.own_parameters(), h, context.snapshot.omega_max);
  std::optional<SliderMark> mark;
  if (stability.largest_step) {
    mark = SliderMark{*stability.largest_step, palette().failed,
                      "The mark: " + std::string(info.title) + " is stable below " +
                          format_quantity(*stability.largest_step, "s") + "."};
  } else if (info.stability_limit == 0) {
    mark =
        SliderMark{dt->spec.min, palette().failed,
                   std::string(info.title) + " grows at every step size; less per second the smaller h is."};
  }
  const auto span = step_size_span(h, context.snapshot.omega_max);
  if (const auto changed = parameter_row(dt->spec, h, mark, span)) context.set_parameter("dt", *changed);
  const std::string steps = format_plain(1.0 / 60 / h, 4);
  small_text(steps + (steps == "1" ? " step" : " steps") + " per 1/60 s · " + stability.number);
  tooltip(stability.help);
}

// The formula and the summary, in as much room as the method's own parameters leave: always the same for all
// methods with so many, so that little jumps when another one is chosen. The rest is on the card that
// explains the method.
void short_explanation(const IntegratorInfo& info) {
  const std::size_t parameters = info.parameters.size();
  const int summary_lines = parameters == 0 ? 4 : 2;
  const bool has_formula = parameters < 2;
  const float top = ImGui::GetCursorPosY();
  const float line = fonts().small->FontSize, spacing = ImGui::GetStyle().ItemSpacing.y;
  ImGui::BeginGroup();
  if (has_formula) small_text(info.formula, 1);
  small_text(info.summary, summary_lines);
  ImGui::EndGroup();
  note_item("explain");
  tooltip("The start of its explanation: E or the question mark opens the rest.");
  const float height =
      static_cast<float>(summary_lines) * line + spacing + (has_formula ? line + spacing : 0);
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + height));
}

}  // namespace

void integrator_panel(const PanelContext& context) {
  integrator_choice(context);
  const IntegratorInfo& info = integrators()[context.integrator()];
  short_explanation(info);
  step_size(context, info);
  const IntegratorParameters values = context.own_parameters();
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterSpec& spec = info.parameters[i];
    if (const auto changed = parameter_row(spec, values[i])) context.set_parameter(spec.id, *changed);
  }
}

}  // namespace clothlab
