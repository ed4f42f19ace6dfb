// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "integrate/registry.h"
#include "sim/simulation.h"

namespace clothlab {

/// The figure of the last step that is particular to a method: the length error of rods, the distance of XPBD
/// from backward Euler, the number of modes of a split method.
struct StepFigure {
  std::string text;   ///< "rods off by 1.2 mm"
  std::string usual;  ///< of usual width, so that the items after it stay in place
  std::string help;   ///< in sentences
};

/// `values` are the method's own parameters. None for other methods and before the first step.
std::optional<StepFigure> step_figure(const IntegratorInfo& info, const IntegratorParameters& values,
                                      const StepRecord& record);

}  // namespace clothlab
