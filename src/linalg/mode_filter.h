// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "linalg/spring_matrix.h"
#include "linalg/vector_basis.h"
#include "linalg/vectors.h"

namespace clothlab {

/// The projection Π = I − XYᵀ that removes a few modes X from a motion, and its transpose Πᵀ = I − YXᵀ, which
/// removes the forces on them. XᵀY = I, for example Y = MX.
class ModeFilter {
 public:
  /// The first `count` columns of X and Y, which must outlive the filter.
  void set(const VectorBasis& X, const VectorBasis& Y, std::size_t count);

  std::size_t count() const { return count_; }
  const VectorBasis& Y() const { return *Y_; }

  /// v := Π v
  void filter_motion(WorkerPool& pool, std::span<vec3> v) const { remove(pool, *Y_, *X_, v); }
  void filter_motion(WorkerPool& pool, const SpringPattern& pattern, RowVector& v) const {
    remove(pool, *Y_, *X_, pattern, v);
  }
  /// r := Πᵀ r
  void filter_force(WorkerPool& pool, std::span<vec3> r) const { remove(pool, *X_, *Y_, r); }
  void filter_force(WorkerPool& pool, const SpringPattern& pattern, RowVector& r) const {
    remove(pool, *X_, *Y_, pattern, r);
  }

 private:
  // v := v − along fromᵀ v
  void remove(WorkerPool& pool, const VectorBasis& from, const VectorBasis& along, std::span<vec3> v) const;
  void remove(WorkerPool& pool, const VectorBasis& from, const VectorBasis& along,
              const SpringPattern& pattern, RowVector& v) const;

  const VectorBasis *X_ = nullptr, *Y_ = nullptr;
  std::size_t count_ = 0;
  mutable std::vector<double> coefficients_;
};

}  // namespace clothlab
