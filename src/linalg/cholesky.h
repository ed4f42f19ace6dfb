#pragma once

#include <memory>
#include <span>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/projection.h"
#include "linalg/solve_report.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The direct solver: a sparse L D L^T factorisation in 3x3 blocks of the same pre-filtered system as
/// ConjugateGradient's. The order of elimination (nested_dissection) and the structure of the factor are
/// found once per pattern; every solve computes the values of the factor anew, unless told that the matrix is
/// still the same.
///
/// An indefinite matrix (a pivot block that is not positive definite) is reported, and x = z then.
class CholeskySolver {
 public:
  CholeskySolver();
  ~CholeskySolver();
  CholeskySolver(CholeskySolver&&) noexcept;
  CholeskySolver& operator=(CholeskySolver&&) noexcept;

  /// Arguments as in ConjugateGradient::solve. Refines the result until the residual is at most
  /// `tolerance` or rounding stops progress; converged means at most max(tolerance, 1e-9).
  /// The probe is polled every few milliseconds, in the analysis of a new pattern as well.
  /// `same_matrix`: A and the projection are those of the last solve, whose factor is used again.
  SolveReport solve(WorkerPool& pool, const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                    const Projection& projection, std::span<vec3> x, double tolerance,
                    const StopProbe& stop = {}, bool same_matrix = false);

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace clothlab
