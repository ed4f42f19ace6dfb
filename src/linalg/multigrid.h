// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "linalg/linear_system.h"
#include "linalg/row_space.h"

namespace clothlab {

// Conjugate gradients alone need more iterations on finer meshes, because a product passes information from a
// node to its neighbours only. One V-cycle per iteration removes the slow part of the error on coarser
// levels:
//
//   level 0   smooth r ──────────────────────────────────────── smooth → z   particles, rank-one springs
//               │ restrict Pᵀ(r − A z)               z += P z₁ ▲
//   level 1     └─ smooth ─────────────────────────── smooth ──┘             aggregates, 3×3 blocks of PᵀAP
//                    │ restrict                    interpolate ▲
//   level 2          └──── at most 48 nodes: Cholesky ─────────┘
//
//   o─o─o o─o              An aggregate A, B is a node with its neighbours. P interpolates a constant per
//   │ A │─│B│   →  A─B     aggregate, smoothed once. It depends on the pattern, the constraints and the
//   o─o─o o─o              relative strengths of the springs: built once per mesh, its values per matrix.

/// Smoothed aggregation multigrid as preconditioner of conjugate gradients [Vaněk 1996; for cloth Tamstorf
/// 2015]: one V-cycle with coarse matrices PᵀAP.
///
/// P (aggregation.h) has one number per pair of nodes and leaves out constrained particles, which only the
/// smoother changes. Strengths |u|² + b enter in powers of two relative to the first spring: the shape of the
/// cloth does not change them, so earlier solves have no influence on the bits of a result.
///
/// The smoother is a Chebyshev polynomial in D⁻¹A, on the finest level with D from
/// SpringMatrix::bounding_blocks: A ≤ 2D for every A, so the preconditioner is positive definite even where A
/// is not. All levels are in single precision, which halves the memory traffic of a cycle; their matrices act
/// on differences, so that stiffness does not hide the masses. Coarse values are summed in double precision.
class Multigrid {
 public:
  Multigrid();
  ~Multigrid();

  /// Computes the values of all levels for A. A, the pool, the filter and the probe must stay unchanged until
  /// the last `apply`. Overwrites two vectors, by row. Returns false when the probe asked to stop; then
  /// `apply` must not be called.
  bool prepare(const ComputeContext& context, const SpringMatrix& A, const RowFilter& filter,
               RowVector& first, RowVector& second);

  /// z := M⁻¹ r, by row, for an r = S r of this norm; then z = S z. Returns r . z. The result is unspecified
  /// when the probe asks to stop.
  double apply(const RowVector& r, double r_norm, RowVector& z);

  /// Levels in use, 1 where the mesh is too small for a coarser one.
  std::size_t levels() const;

 private:
  struct Cycle;
  std::unique_ptr<Cycle> cycle_;
};

}  // namespace clothlab
