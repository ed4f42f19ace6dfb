// SPDX-License-Identifier: MIT
#include "ui/step_figure.h"

#include "core/text.h"
#include "ui/numbers.h"

namespace clothlab {

std::optional<StepFigure> step_figure(const IntegratorInfo& info, const IntegratorParameters& values,
                                      const StepRecord& record) {
  if (record.integrator != info.id) return std::nullopt;
  if (info.inextensible)
    return StepFigure{
        "rods off by " + format_quantity(record.length_violation, "m"), "rods off by 000.0 mm",
        "The most that any stretch spring is longer or shorter than its length. To this method stretch "
        "springs are rods: they have no elastic energy, and neither the energies nor the blow-up test count "
        "any."};
  if (record.distance)
    return StepFigure{format_steady(*record.distance) + " from backward Euler", "0.000 from backward Euler",
                      "‖M (v1 − v0) − h f(x1, v1)‖ over ‖h f(x0, v0)‖ in the last substep: 0 would be a step "
                      "of backward Euler. "
                      "XPBD keeps a rest of it however often it sweeps, since its impulses keep the "
                      "directions that they had "
                      "on the way; more substeps make it smaller."};
  if (record.modes) {
    const std::string text = std::to_string(*record.modes) + " of " + format_plain(values.at(0)) + " modes";
    return StepFigure{text, text,
                      "Modes that the last step took by exponentials. Modes of equal frequency are taken "
                      "together or not at "
                      "all, as their shapes are not determined one by one: a flat sheet has thousands of "
                      "frequency 0, cloth "
                      "without pins three for its translations."};
  }
  return std::nullopt;
}

}  // namespace clothlab
