#pragma once

#include <optional>

#include "integrate/integrator.h"

namespace clothlab {

/// The matrix in `slot`, made anew when the system has another pattern.
SpringMatrix& matrix_for(const DynamicSystem& system, std::optional<SpringMatrix>& slot);

/// Adds a linear solve of the step to its report: iterations, residual, whether it was stopped.
void add_linear_solve(const SolveReport& solve, const LinearSolverSettings& settings, StepReport& report);

/// Marks the step as not converged, for the reason that this solve gives; nothing where it converged.
void add_linear_failure(const SolveReport& solve, StepReport& report);

}  // namespace clothlab
