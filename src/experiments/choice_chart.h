// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "chart/chart.h"
#include "experiments/method_choice.h"

namespace clothlab {

/// Error over computing time: a curve for each variant, dots for tuned ones, the best runs, and the band in
/// which errors are not significant. `colour`: of the variant's curve.
Chart chart_of(const ChoiceFigures& choice, const ChoiceGoal& goal, double duration,
               const ChartColours& colours, const std::function<Rgb(const MethodVariant&)>& colour);

}  // namespace clothlab
