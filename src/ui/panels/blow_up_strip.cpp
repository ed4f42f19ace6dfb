// SPDX-License-Identifier: MIT
#include <cmath>
#include <optional>
#include <string>

#include "analysis/stability_text.h"
#include "core/text.h"
#include "sim/parameters.h"
#include "ui/panels/shelf.h"
#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

// Margin below the limit, which changes as the cloth moves.
constexpr double kMargin = 0.95;
constexpr double kForkSeconds = 0.5;

double rounded_down(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::floor(value / unit) * unit;
}

/// A smaller h for the current method [s]: the largest stable one, or half of the current one where theory
/// calls that stable.
struct SmallerStep {
  double h = 0;
  bool largest = false;
};
std::optional<SmallerStep> smaller_step(const PanelContext& context) {
  const double h = context.step_size();
  const IntegratorInfo& info = integrators()[context.integrator()];
  const std::optional<StabilityEstimate>& estimate = context.snapshot.stability;
  if (!estimate) return std::nullopt;
  const double largest = largest_stable_step(info, context.own_parameters(), *estimate).value_or(0);
  if (!(largest > 0)) return std::nullopt;
  const bool is_above = h >= largest;
  return SmallerStep{rounded_down(is_above ? kMargin * largest : h / 2), is_above};
}

std::string help_of_smaller_step(const PanelContext& context, const std::optional<SmallerStep>& smaller) {
  if (smaller && smaller->largest)
    return "Continues from the last sound state with the largest step at which this method is stable here, "
           "less "
           "5 % as the limit changes while the cloth moves.";
  if (smaller) return "Continues from the last sound state with half of the step.";
  const std::optional<StabilityEstimate>& estimate = context.snapshot.stability;
  if (!estimate) return "The largest stable step is being measured.";
  const IntegratorInfo& info = integrators()[context.integrator()];
  return describe_stability(info, context.own_parameters(), context.step_size(), *estimate);
}

// Always shown with the same width: the largest stable step may become known later, and the buttons beside it
// must not move.
void smaller_step_button(const PanelContext& context) {
  const std::optional<SmallerStep> smaller = smaller_step(context);
  const std::string label = smaller ? "Smaller h: " + format_quantity(smaller->h, "s") : "Smaller h";
  const float width = text_width("Smaller h: 0.00 ms") + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::BeginDisabled(!smaller);
  if (row_button("blow-up-smaller-h", label, help_of_smaller_step(context, smaller), false, width))
    context.set_parameter("dt", smaller->h * context.scene().substeps);
  ImGui::EndDisabled();
}

// As many substeps as keep this method stable, or twice as many as now where theory calls these stable.
void more_substeps_button(const PanelContext& context) {
  const std::optional<SmallerStep> smaller = smaller_step(context);
  const ParameterSpec& spec = find_scene_parameter("substeps")->spec;
  const double count = smaller ? std::ceil(context.scene().dt / smaller->h) : spec.max + 1;
  const bool can = count <= spec.max;
  const std::string label = can ? "Substeps: " + format_plain(count) : "Substeps";
  const float width = text_width("Substeps: 1000") + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::BeginDisabled(!can);
  if (row_button("blow-up-substeps", label,
                 can ? "Keeps the step between pictures and commands, and takes it in so many parts."
                     : help_of_smaller_step(context, smaller),
                 false, width))
    context.set_parameter("substeps", count);
  ImGui::EndDisabled();
}

/// The first other method that is stable at every h.
std::size_t stable_method(const PanelContext& context) {
  std::size_t row = 0;
  while (!std::isinf(integrators()[row].stability_limit) || row == context.integrator()) ++row;
  return row;
}

/// Tooltip of that method's button.
std::string help_of_stable_method(const PanelContext& context, const IntegratorInfo& info) {
  std::string help = "Continues from the last sound state with this method. ";
  if (const std::optional<StabilityEstimate>& estimate = context.snapshot.stability)
    return help + describe_stability(info, default_parameters(info), context.step_size(), *estimate);
  return help + "It is stable at every h.";
}

void fork(const PanelContext& context, const IntegratorInfo& method) {
  context.send(Control(ShowPast{context.snapshot.frame.record.time - kForkSeconds}));
  context.send(Control(NewLane{std::string(method.id)}));
  context.send(Control(SetPlaying{true}));
}

void ways_on(const PanelContext& context) {
  if (row_button("watch-again", "Watch again",
                 "Replays the last states before it, within a few seconds (B)."))
    context.send(Control(WatchAgain{}));
  if ((context.snapshot.failed_spring || context.snapshot.failed_contact) &&
      row_button("blow-up-where", "Where?", "Moves the camera to what failed; F shows all again."))
    context.request(FrameFailure{});
  smaller_step_button(context);
  more_substeps_button(context);
  const std::size_t stable = stable_method(context);
  const IntegratorInfo& method = integrators()[stable];
  if (row_button("blow-up-stable-method", "Stable: " + std::string(method.title),
                 help_of_stable_method(context, method)))
    context.set_integrator(stable);
  if (row_button("blow-up-fork", "Fork " + format_plain(kForkSeconds) + " s before",
                 "Goes back by that and on with another lane, by " + std::string(method.title) +
                     ", beside this one, which will blow up again."))
    fork(context, method);
  if (row_button("blow-up-rewind", "Rewind",
                 "Back to before the blow-up, and pause: change something and continue (Backspace)."))
    context.send(Control(Rewind{}));
  if (row_button("blow-up-reset", "Reset", "Back to the start (R).")) context.send(Command(Reset{}));
}

}  // namespace

void blow_up_strip(const PanelContext& context, bool& why) {
  const Snapshot& now = context.snapshot;
  ImGui::AlignTextToFramePadding();
  wrapped_text(now.blow_up_sentence, palette().failed);
  note_item("blow-up");
  if (row_button("blow-up-why", "Why?", "What made it blow up, with the numbers.", why)) why = !why;
  ways_on(context);
  if (!why) return;
  wrapped_text(now.blow_up_text);
  note_text("blow-up-why", now.blow_up_text);
}

}  // namespace clothlab
