// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "integrate/integrator.h"

namespace clothlab {

/// Solves in a step of one Newton iteration: once more where contact was met otherwise than foreseen.
inline constexpr int kMostContactSolves = 3;

/// Ensures `slot` holds a matrix on the system's pattern; on cancellation returns false and sets
/// report.stopped.
bool have_matrix(const DynamicSystem& system, const StepContext& context, std::optional<SpringMatrix>& slot,
                 StepReport& report);

/// Adds a linear solve to the step's report: iterations, residual, stopped.
void add_linear_solve(const SolveReport& solve, const LinearSolverSettings& settings, StepReport& report);

/// Why a linear solve did not converge, a static sentence; empty where it did.
std::string_view linear_failure(const SolveReport& solve);

/// Solves one system of a step and adds the outcome, with a failure to converge, to its report. The linear
/// momentum of free parts is balanced (LinearSystem). `warm`: x holds a guess; else a repeated step begins
/// with the solver's last solution. False when stopped.
bool solve_linear(LinearSolver& solver, const LinearSystem& system, const StepContext& context, bool warm,
                  std::span<vec3> x, StepReport& report);

}  // namespace clothlab
