// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "linalg/block_matrix.h"

namespace clothlab {

/// The direct solver of multigrid's coarsest level: a dense Cholesky factor.
class CoarsestSolver {
 public:
  /// Largest number of nodes of a level that is solved directly.
  static constexpr std::size_t kMostNodes = 48;

  CoarsestSolver();
  ~CoarsestSolver();

  /// Allocates for this number of nodes.
  void reserve(std::size_t nodes);
  /// Factorises scale A; false where it is not positive definite.
  bool factorise(const BlockMatrix& A, double scale);
  /// x := (scale A)⁻¹ r
  void solve(const SingleVector& r, SingleVector& x);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clothlab
