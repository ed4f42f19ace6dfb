// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "integrate/registry.h"
#include "sim/simulation.h"

namespace clothlab {

/// The figure of the last step that only methods of its kind have: what rods are off their lengths by, how
/// far XPBD is from backward Euler, how many modes a split method took.
struct StepFigure {
  std::string text;   ///< "rods off by 1.2 mm"
  std::string usual;  ///< one as wide as most, so that what follows it stays in place
  std::string help;   ///< in sentences
};

/// `values` are the method's own parameters. Nothing for other methods and until this one has taken a step.
std::optional<StepFigure> step_figure(const IntegratorInfo& info, const IntegratorParameters& values,
                                      const StepRecord& record);

}  // namespace clothlab
