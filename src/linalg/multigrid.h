// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "linalg/row_space.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Smoothed aggregation multigrid as preconditioner of conjugate gradients [Vaněk 1996; for cloth Tamstorf
/// 2015]: one V-cycle with coarse matrices PᵀAP.
///
/// The interpolation P (see aggregation.h) has one number per pair of nodes and does not touch constrained
/// particles, which are left to the smoother. It depends on the pattern, on who is constrained, and on the
/// strengths |u|² + b of the springs beside each other, in powers of two. These do not change with the shape
/// of the cloth: P is built once, and only values are computed anew for each matrix. What was solved before
/// therefore has no influence on the bits of a result.
///
/// The smoother is a Chebyshev polynomial in D⁻¹A, on the finest level with D from
/// SpringMatrix::bounding_blocks: A ≤ 2D for every A, so the preconditioner is positive definite even where A
/// is not. All levels work in single precision, which halves what a cycle has to read; their matrices act on
/// differences, so that stiffness does not hide the masses. Coarse values are summed up in double precision.
class Multigrid {
 public:
  Multigrid();
  ~Multigrid();
  Multigrid(Multigrid&&) noexcept;
  Multigrid& operator=(Multigrid&&) noexcept;

  /// Two vectors, by row, that `prepare` may overwrite.
  struct Scratch {
    RowVector &first, &second;
  };

  /// Takes over the values of A, which has to stay as it is until the last `apply`, like the pool, the filter
  /// and the probe. Returns false when the probe asked to stop; then `apply` must not be called.
  bool prepare(WorkerPool& pool, const SpringMatrix& A, const RowFilter& filter, Scratch scratch,
               const StopProbe& stop);

  /// z := M⁻¹ r, by row, for an r = S r of this norm; then z = S z. Returns r . z. Something else when the
  /// probe asks to stop.
  double apply(const RowVector& r, double r_norm, RowVector& z);

  /// Levels in use, 1 where the mesh is too small for a coarser one.
  std::size_t levels() const;

 private:
  struct Hierarchy;
  std::unique_ptr<Hierarchy> hierarchy_;
};

}  // namespace clothlab
