// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// Sum of a_i . b_i.
double inner_product(std::span<const vec3> a, std::span<const vec3> b);
/// The same in parts; the same bits for any number of threads.
double inner_product(WorkerPool& pool, std::span<const vec3> a, std::span<const vec3> b);
/// The Euclidean norm of a; the same bits for any number of threads.
double norm(WorkerPool& pool, std::span<const vec3> a);

/// The columns of a tall matrix V, a few vectors of n vec3 each, with the products of subspace methods, which
/// use the first `k` columns. Dense matrices are stored by columns. Only `resize` beyond the largest size so
/// far allocates.
///
/// On cancellation the products throw Cancelled and leave partial results.
class VectorBasis {
 public:
  /// Without an allocation the columns keep their values, otherwise they are unspecified: columns that are
  /// never written cost no time and no memory.
  void resize(std::size_t n, std::size_t columns);

  std::size_t length() const { return n_; }
  std::size_t columns() const { return columns_; }
  std::span<vec3> column(std::size_t j) { return {values_.get() + j * n_, n_}; }
  std::span<const vec3> column(std::size_t j) const { return {values_.get() + j * n_, n_}; }

  /// c := V^T w
  void coefficients(WorkerPool& pool, std::size_t k, std::span<const vec3> w, std::span<double> c,
                    const StopProbe& stop = {}) const;
  /// w := w + factor V c
  void add(WorkerPool& pool, std::size_t k, std::span<const double> c, double factor, std::span<vec3> w,
           const StopProbe& stop = {}) const;
  /// The first p columns := V Q, with Q a matrix of k rows and p columns; V is another basis.
  void assign_product(WorkerPool& pool, const VectorBasis& V, std::size_t k, std::span<const double> Q,
                      std::size_t p, const StopProbe& stop = {});

 private:
  std::size_t n_ = 0, columns_ = 0, capacity_ = 0;
  std::unique_ptr<vec3[]> values_;        // column after column
  mutable std::vector<double> partials_;  // chunk after chunk
};

}  // namespace clothlab
