#include "integrate/solve_outcome.h"

namespace clothlab {

SpringMatrix& matrix_for(const DynamicSystem& system, std::optional<SpringMatrix>& slot) {
  std::shared_ptr<const SpringPattern> pattern = system.pattern();
  if (!slot || slot->shared_pattern() != pattern) slot.emplace(std::move(pattern));
  return *slot;
}

void add_linear_solve(const SolveReport& solve, const LinearSolverSettings& settings, StepReport& report) {
  if (settings.kind == LinearSolverSettings::Kind::cg) report.linear_iterations += solve.iterations;
  report.linear_residual = solve.residual;
  report.residual_history = solve.history;
  report.stopped = report.stopped || solve.stopped;
}

std::string_view linear_failure(const SolveReport& solve) {
  if (solve.converged) return {};
  if (!solve.indefinite) return "the linear solve did not reach its tolerance";
  return "the linear solve met a direction of non-positive curvature and kept the iterate before it";
}

}  // namespace clothlab
