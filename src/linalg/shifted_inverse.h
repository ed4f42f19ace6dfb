// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linalg/cholesky_factor.h"
#include "linalg/multigrid.h"
#include "linalg/row_space.h"

namespace clothlab {

/// (K + σM)⁻¹ on the free directions, for shift-invert methods: exact for small systems, by a Cholesky
/// factor, otherwise a V-cycle, which is symmetric positive definite for every σ.
class ShiftedInverse {
 public:
  /// Prepares the inverse for K, M and σ [1/s²]; K, the projection, the pool and the probe must remain until
  /// the last `apply`. False if K + σM is found not to be positive definite. Throws Cancelled.
  bool prepare(const ComputeContext& context, const SpringMatrix& K, std::span<const double> masses,
               const Projection& projection, double sigma);
  /// w := the inverse times w; returns wᵀ · inverse · w. Throws Cancelled.
  double apply(const ComputeContext& context, const Projection& projection, std::span<vec3> w);

  double sigma() const { return sigma_; }
  /// Assumed bound of wᵀ (K + σM)⁻¹ w over wᵀ · inverse · w: the condition number for which conjugate
  /// gradients need few iterations.
  double underestimate() const { return exact_ ? 1 : 4; }

 private:
  std::optional<SpringMatrix> shifted_;  // K + σM
  double sigma_ = 0;
  bool exact_ = true;
  CholeskyFactor factor_;
  std::vector<vec3> right_;
  Multigrid multigrid_;
  RowFilter filter_;
  RowVector r_, z_;
};

}  // namespace clothlab
