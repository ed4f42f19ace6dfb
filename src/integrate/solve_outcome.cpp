// SPDX-License-Identifier: MIT
#include "integrate/solve_outcome.h"

namespace clothlab {

SpringMatrix& have_matrix(const DynamicSystem& system, const StepContext& context,
                          std::optional<SpringMatrix>& slot) {
  std::shared_ptr<const SpringPattern> pattern = system.pattern();
  if (!slot || slot->shared_pattern() != pattern) slot.emplace(std::move(pattern), context.stop);
  context.poll();
  return *slot;
}

void add_linear_solve(const SolveReport& solve, const LinearSolverSettings& settings, StepReport& report) {
  report.last_cg.reset();
  if (settings.kind == LinearSolverSettings::Kind::cg) {
    report.linear_iterations += solve.iterations;
    report.solves.add(solve.iterations);
    report.last_cg = {solve.preconditioner, solve.levels,     settings.cg.tolerance,
                      solve.converged,      solve.indefinite, solve.at_radius};
  }
  report.linear_residual = solve.residual;
  report.residual_history = solve.history;
  if (solve.stopped) throw Cancelled();
}

std::string_view linear_failure(const SolveReport& solve, const LinearSolverSettings& settings) {
  if (solve.converged) return {};
  const bool by_cg = settings.kind == LinearSolverSettings::Kind::cg;
  if (solve.indefinite)
    return by_cg ? "the linear solve found a direction of non-positive curvature and kept the iterate before "
                   "it; use the clamped Jacobian or a smaller h"
                 : "the matrix of the linear solve was not positive definite; use the clamped Jacobian or a "
                   "smaller h";
  return by_cg ? "the linear solve did not reach its tolerance; use more CG iterations, a better "
                 "preconditioner or a smaller h"
               : "the linear solve did not reach its tolerance; use a smaller h";
}

void solve_linear(LinearSolver& solver, const LinearSystem& system, const StepContext& context, bool warm,
                  std::span<vec3> x, StepReport& report) {
  LinearSolverSettings settings = context.solver.linear;
  settings.cg.warm_start = warm;
  LinearSystem balanced = system;
  balanced.balances_momentum = true;
  const SolveReport solve = solver.solve(context.solving(), balanced, x, settings);
  add_linear_solve(solve, settings, report);
  if (const std::string_view failure = linear_failure(solve, settings); !failure.empty())
    report.fail(failure);
  context.poll();
}

void add_contact_solve(const ContactSolveReport& solve, const LinearSolverSettings& settings,
                       StepReport& report) {
  if (!report.contact_solves) report.contact_solves.emplace();
  report.contact_solves->rounds += solve.rounds;
  report.contact_solves->changes += solve.changes;
  report.contact_solves->residual = solve.solve.residual;
  add_linear_solve(solve.solve, settings, report);
}

void solve_with_contacts(ContactSolver& contacts, LinearSolver& solver, const ContactSolver::Problem& problem,
                         const StepContext& context, std::span<vec3> x, StepReport& report) {
  const LinearSolverSettings& settings = context.solver.linear;
  const ContactSolveReport solve = contacts.solve(context.solving(), solver, problem, x, settings);
  add_contact_solve(solve, settings, report);
  if (!solve.solve.converged) report.fail(kContactsUnsolved);
  context.poll();
}

}  // namespace clothlab
