// SPDX-License-Identifier: MIT
#include "ui/instruments/step_figure.h"

#include "core/text.h"
#include "ui/widgets/numbers.h"

namespace clothlab {

std::optional<StepFigure> step_figure(const IntegratorInfo& info, const IntegratorParameters& values,
                                      const StepRecord& record) {
  if (record.integrator != info.id) return std::nullopt;
  if (info.inextensible)
    return StepFigure{"rods off by " + format_quantity(record.length_violation, "m"), "rods off by 000.0 mm",
                      "Largest difference of a stretch spring from its length. For this method stretch "
                      "springs are rods without elastic energy, in the energies and in the blow-up test."};
  if (record.distance)
    return StepFigure{format_steady(*record.distance) + " from backward Euler", "0.000 from backward Euler",
                      "‖M (v1 − v0) − h f(x1, v1)‖ over ‖h f(x0, v0)‖ in the last substep: 0 would be a step "
                      "of backward Euler. "
                      "XPBD keeps a remainder for any number of sweeps, since its impulses keep their "
                      "directions; more substeps make it smaller."};
  if (record.modes) {
    const std::string text = std::to_string(*record.modes) + " of " + format_plain(values.at(0)) + " modes";
    return StepFigure{
        text, text,
        "Modes integrated exponentially in the last step. Modes of equal frequency are included together or "
        "not at all, since their shapes are not unique: a flat sheet has thousands of "
        "frequency 0, cloth "
        "without pins three for its translations."};
  }
  return std::nullopt;
}

}  // namespace clothlab
