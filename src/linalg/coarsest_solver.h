// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "linalg/block_matrix.h"

namespace clothlab {

/// The direct solver of multigrid's coarsest level: a dense Cholesky factor.
class CoarsestSolver {
 public:
  /// A level of at most so many nodes is solved directly.
  static constexpr std::size_t kMostNodes = 48;

  CoarsestSolver();
  ~CoarsestSolver();

  /// Room for so many nodes: nothing is allocated after it.
  void reserve(std::size_t nodes);
  /// Of scale A, for which room was made; false where it is not positive definite.
  bool factorise(const BlockMatrix& A, double scale);
  /// x := (scale A)⁻¹ r
  void solve(const SingleVector& r, SingleVector& x);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clothlab
