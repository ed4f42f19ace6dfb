#pragma once

#include <optional>

#include "integrate/integrator.h"

namespace clothlab {

/// The matrix in `slot`, made anew when the system has another pattern.
SpringMatrix& matrix_for(const DynamicSystem& system, std::optional<SpringMatrix>& slot);

/// Adds a linear solve of the step to its report: iterations, residual, and why it did not converge.
void add_linear_solve(const SolveReport& solve, StepReport& report);

}  // namespace clothlab
