#pragma once

#include <optional>
#include <string_view>

#include "integrate/integrator.h"

namespace clothlab {

/// The matrix in `slot`, made anew when the system has another pattern.
SpringMatrix& matrix_for(const DynamicSystem& system, std::optional<SpringMatrix>& slot);

/// Adds a linear solve of the step to its report: iterations, residual, whether it was stopped.
void add_linear_solve(const SolveReport& solve, const LinearSolverSettings& settings, StepReport& report);

/// Why a linear solve did not converge, a static sentence; empty where it did.
std::string_view linear_failure(const SolveReport& solve);

}  // namespace clothlab
