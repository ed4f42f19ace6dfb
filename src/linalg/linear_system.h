// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/compute_context.h"
#include "core/vec.h"
#include "linalg/mode_filter.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// A x = b on the free directions, x = z on the others:
///   (S A S + I − S) y = S (b − A z),   x = y + z     [Baraff 1998, §5.3; Ascher 2003].
/// All have one vector per particle.
struct LinearSystem {
  const SpringMatrix& A;
  std::span<const vec3> b;
  const Projection& projection;  ///< S
  std::span<const vec3> z = {};  ///< prescribed change, ignored on free particles; empty is 0
  bool same_matrix = false;      ///< A and the projection are those of this solver's last solve
  /// The same, except for stencils and passing entries of the projection. The coarse levels of multigrid
  /// stay.
  bool same_springs = false;
  /// The matrix of CG's preconditioner, positive definite if A may be indefinite; none: A.
  const SpringMatrix* preconditioner = nullptr;
  /// CG may report the residual of its recursion, which saves a product.
  bool estimates_residual = false;
  /// CG ends with a translation of each of the FreeParts, so that its linear momentum is balanced at any
  /// tolerance.
  bool balances_momentum = false;
  /// Restricts x to Yᵀx = 0: x = Π x and Πᵀ A x = Πᵀ b, with Πᵀ b as the right-hand side of the residual. The
  /// modes do not move prescribed directions; z is empty.
  const ModeFilter* modes = nullptr;

  /// True if all members, and a solution x, have the same size.
  bool fits(std::span<const vec3> x) const {
    return b.size() == A.size() && x.size() == A.size() && (z.empty() || z.size() == A.size());
  }
};

enum class PreconditionerKind;

/// Result of a linear solve. The caller must check `converged`.
///
/// Residuals are relative: |r| / |b| with b = S (b - A z), r = b - S A S y, Euclidean norms without
/// preconditioner.
struct SolveReport {
  bool converged = false;
  int iterations = 0;       ///< CG iterations; for Cholesky, solves with the factor
  double residual = 0;      ///< of the result, recomputed from the definition unless it is to be estimated
  bool indefinite = false;  ///< found a direction of non-positive curvature; CG keeps the iterate before it
  double length = 0;        ///< of CG: norm of y in the preconditioner's norm
  bool at_radius = false;   ///< CG ended at its radius
  bool stopped = false;     ///< by the stop probe
  PreconditionerKind preconditioner{};  ///< of CG: the one in use, never `automatic`
  std::size_t levels = 0;               ///< of its multigrid; 0: none
  /// [k] is the residual after k iterations, [0] the initial one. Valid until the next solve.
  std::span<const double> history;
};

}  // namespace clothlab
