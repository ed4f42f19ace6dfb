// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/cholesky_factor.h"
#include "linalg/projection.h"
#include "linalg/solve_report.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The direct solver of the same pre-filtered system as ConjugateGradient's, by a CholeskyFactor. Every solve
/// computes its values anew, unless told that the matrix is still the same.
///
/// An indefinite matrix (a pivot block that is not positive definite) is reported, and x = z then.
class CholeskySolver {
 public:
  /// Arguments as in ConjugateGradient::solve. Refines the result until the residual is at most
  /// `tolerance` or rounding stops progress; converged means at most max(tolerance, 1e-9).
  /// The probe is polled every few milliseconds, in the analysis of a new pattern as well.
  /// `same_matrix`: A and the projection are those of the last solve, whose factor is used again.
  SolveReport solve(WorkerPool& pool, const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                    const Projection& projection, std::span<vec3> x, double tolerance,
                    const StopProbe& stop = {}, bool same_matrix = false);

 private:
  CholeskyFactor factor_;
  std::vector<vec3> rhs_, residual_, y_, product_;
  std::vector<double> history_;
};

}  // namespace clothlab
