// SPDX-License-Identifier: MIT
#include "linalg/linear_solver.h"

namespace clothlab {

SolveReport LinearSolver::solve(WorkerPool& pool, const SpringMatrix& A, std::span<const vec3> b,
                                std::span<const vec3> z, const Projection& projection, std::span<vec3> x,
                                const LinearSolverSettings& settings, const StopProbe& stop,
                                bool same_matrix) {
  if (settings.kind == LinearSolverSettings::Kind::cholesky) {
    return cholesky_.solve(pool, A, b, z, projection, x, settings.cg.tolerance, stop, same_matrix);
  }
  return cg_.solve(pool, A, b, z, projection, x, settings.cg, stop);
}

}  // namespace clothlab
