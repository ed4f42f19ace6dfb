// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace clothlab {

/// How a linear solve ended. Non-convergence is a value that the caller has to look at.
///
/// Residuals are relative: |r| / |b| with b = S (b - A z), r = b - S A S y, Euclidean norms without
/// preconditioner.
struct SolveReport {
  bool converged = false;
  int iterations = 0;       ///< CG iterations; for Cholesky, solves with the factor
  double residual = 0;      ///< of the result, recomputed from the definition
  bool indefinite = false;  ///< met a direction of non-positive curvature; CG keeps the iterate before it
  bool stopped = false;     ///< the stop probe asked to give up
  /// [k] is the residual after k iterations, [0] that of the start. Valid until the next solve.
  std::span<const double> history;
};

}  // namespace clothlab
