// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "linalg/linear_system.h"
#include "linalg/row_space.h"

namespace clothlab {

// Smoothed aggregation multigrid, preconditioner of conjugate gradients [Vaněk 1996; for cloth Tamstorf 2015]
//
// A product with A couples a particle only to its neighbours, so conjugate gradients alone need more
// iterations on finer meshes. One V-cycle per iteration removes the smooth error on coarser levels:
//
//   level 0   pre-smooth ──────────────────────────── post-smooth → z   particles, rank-one springs
//               │ restrict Pᵀ(r − A z)         z += P z₁ ▲
//   level 1     └─ pre-smooth ───────────────── post-smooth ┘           aggregates, 3×3 blocks of PᵀAP
//                    │ restrict              interpolate ▲
//   level 2          └──── at most 48 nodes: Cholesky ───┘
//
//   o─o─o o─o              Aggregates A, B: a node with its neighbours. P interpolates a constant per
//   │ A │─│B│   →  A─B     aggregate, smoothed by one damped Jacobi step.
//   o─o─o o─o
//
// 1. Structure, once per mesh and set of constraints, until a level has at most 48 nodes: aggregation of the
//    springs' graph, P and the terms of the Galerkin matrix PᵀAP (galerkin.h). P has one
//    number per pair of nodes and excludes constrained particles, which only the smoother changes. The
//    springs' strengths |u|² + b are rounded to powers of two, relative to the first spring, so earlier
//    solves and the shape of the cloth have no influence on the bits of a result.
// 2. Values, once per matrix (`prepare`): PᵀAP, D⁻¹, and the largest eigenvalue of D⁻¹A of each coarse level.
// 3. V-cycle (`apply`): the smoother is a Chebyshev polynomial in D⁻¹A. On level 0, D is
//    SpringMatrix::bounding_blocks: A ≤ 2D, so the preconditioner is positive definite even if A is not.
//
// The cycle is in single precision, which halves its memory traffic; sums of coarse matrices are in double
// precision. Matrices act on differences of nodes, so stiffness does not hide the masses.

/// The multigrid preconditioner of one matrix at a time; see above.
class Multigrid {
 public:
  Multigrid();
  ~Multigrid();

  /// Computes the values of all levels for A. A, the pool, the filter and the probe must stay unchanged until
  /// the last `apply`. Overwrites two vectors, by row. Returns false on cancellation; then `apply`
  /// must not be called. `same_springs`: as LinearSystem::same_springs, for the finest level only.
  bool prepare(const ComputeContext& context, const SpringMatrix& A, const RowFilter& filter,
               RowVector& first, RowVector& second, bool same_springs = false);

  /// z := M⁻¹ r, by row, for an r = S r of this norm; then z = S z. Returns r . z. The result is unspecified
  /// on cancellation.
  double apply(const RowVector& r, double r_norm, RowVector& z);

  /// Number of levels; 1 if the mesh is too small for a coarser one.
  std::size_t levels() const;

 private:
  struct Cycle;
  std::unique_ptr<Cycle> cycle_;
};

}  // namespace clothlab
