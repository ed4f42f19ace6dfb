// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "integrate/integrator.h"
#include "linalg/contact_solver.h"

namespace clothlab {

/// Largest number of solves in a step of one Newton iteration, repeated while contacts by forces or their
/// friction change; the second one where each solve also solves contacts, which costs as much as the step.
inline constexpr int kMostContactSolves = 10, kMostWithSolvedContacts = 5;

/// The matrix in `slot`, on the system's pattern. Throws Cancelled.
SpringMatrix& have_matrix(const DynamicSystem& system, const StepContext& context,
                          std::optional<SpringMatrix>& slot);

/// Adds a linear solve to the step's report: iterations and residual. Throws Cancelled if it was stopped.
void add_linear_solve(const SolveReport& solve, const LinearSolverSettings& settings, StepReport& report);

/// Why a linear solve did not converge, and what helps, a static sentence; empty if it did.
std::string_view linear_failure(const SolveReport& solve, const LinearSolverSettings& settings);

/// Solves one system of a step and adds the outcome, with a failure to converge, to its report. The linear
/// momentum of free parts is balanced (LinearSystem). `warm`: x is a guess. Throws Cancelled.
void solve_linear(LinearSolver& solver, const LinearSystem& system, const StepContext& context, bool warm,
                  std::span<vec3> x, StepReport& report);

inline constexpr std::string_view kContactsChange =
    "its contacts or their friction still changed after the last solve; use a smaller h";
inline constexpr std::string_view kContactsUnsolved =
    "the solve with contact and friction did not reach its tolerance; use a smaller h";

/// Adds a solve with contacts to the step's report, as add_linear_solve.
void add_contact_solve(const ContactSolveReport& solve, const LinearSolverSettings& settings,
                       StepReport& report);

/// Solves a system with the contacts of the step. On entry x has the prescribed change on pins.
void solve_with_contacts(ContactSolver& contacts, LinearSolver& solver, const ContactSolver::Problem& problem,
                         const StepContext& context, std::span<vec3> x, StepReport& report);

}  // namespace clothlab
