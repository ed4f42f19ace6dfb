// SPDX-License-Identifier: MIT
#include "linalg/vector_basis.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"

namespace clothlab {

namespace {

constexpr std::size_t kGrain = 512;  // a column's part of a chunk stays in the innermost cache
// Vectors between two polls of the probe: some hundredths of a second for 100 MB.
constexpr std::size_t kVectorsPerLook = std::size_t{1} << 22;

std::size_t chunks_of(std::size_t n) { return (n + kGrain - 1) / kGrain; }

// Calls body(begin, end) for every chunk of the rows, `columns` of which take part in it.
template <class Body>
void for_chunks(WorkerPool& pool, std::size_t n, std::size_t columns, const StopProbe& stop,
                const Body& body) {
  const CancelPoint cancel(stop);
  const std::size_t rows = std::max<std::size_t>(1, kVectorsPerLook / kGrain / (columns + 1)) * kGrain;
  for (std::size_t first = 0; first < n; first += rows) {
    cancel.look();
    pool.for_chunks(std::min(rows, n - first), kGrain,
                    [&](std::size_t begin, std::size_t end) { body(first + begin, first + end); });
  }
}

}  // namespace

double inner_product(WorkerPool& pool, std::span<const vec3> a, std::span<const vec3> b) {
  return pool.sum(a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += glm::dot(a[i], b[i]);
    return sum;
  });
}

double norm(WorkerPool& pool, std::span<const vec3> a) { return std::sqrt(inner_product(pool, a, a)); }

void VectorBasis::resize(std::size_t n, std::size_t columns) {
  n_ = n;
  columns_ = columns;
  if (n * columns > capacity_) {
    values_ = std::make_unique_for_overwrite<vec3[]>(n * columns);
    capacity_ = n * columns;
  }
  partials_.resize(chunks_of(n) * columns);
}

void VectorBasis::coefficients(WorkerPool& pool, std::size_t k, std::span<const vec3> w, std::span<double> c,
                               const StopProbe& stop) const {
  assert(k <= columns_ && k <= c.size() && w.size() == n_);
  for_chunks(pool, n_, k, stop, [&](std::size_t begin, std::size_t end) {
    double* partial = partials_.data() + begin / kGrain * columns_;
    for (std::size_t j = 0; j < k; ++j) {
      const std::span<const vec3> v = column(j);
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += glm::dot(v[i], w[i]);
      partial[j] = sum;
    }
  });
  std::fill_n(c.begin(), k, 0.0);
  for (std::size_t chunk = 0; chunk < chunks_of(n_); ++chunk) {
    for (std::size_t j = 0; j < k; ++j) c[j] += partials_[chunk * columns_ + j];
  }
}

void VectorBasis::add(WorkerPool& pool, std::size_t k, std::span<const double> c, double factor,
                      std::span<vec3> w, const StopProbe& stop) const {
  assert(k <= columns_ && k <= c.size() && w.size() == n_);
  for_chunks(pool, n_, k, stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = 0; j < k; ++j) {
      const std::span<const vec3> v = column(j);
      const double scale = factor * c[j];
      for (std::size_t i = begin; i < end; ++i) w[i] += scale * v[i];
    }
  });
}

void VectorBasis::assign_product(WorkerPool& pool, const VectorBasis& V, std::size_t k,
                                 std::span<const double> Q, std::size_t p, const StopProbe& stop) {
  assert(&V != this && V.n_ == n_ && k <= V.columns_ && p <= columns_ && k * p <= Q.size());
  for_chunks(pool, n_, k * p, stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = 0; q < p; ++q) {
      const std::span<vec3> out = column(q);
      for (std::size_t i = begin; i < end; ++i) out[i] = vec3(0.0);
      for (std::size_t j = 0; j < k; ++j) {
        const std::span<const vec3> v = V.column(j);
        const double scale = Q[q * k + j];
        for (std::size_t i = begin; i < end; ++i) out[i] += scale * v[i];
      }
    }
  });
}

void VectorBasis::swap(VectorBasis& other) noexcept {
  std::swap(n_, other.n_);
  std::swap(columns_, other.columns_);
  std::swap(capacity_, other.capacity_);
  values_.swap(other.values_);
  partials_.swap(other.partials_);
}

}  // namespace clothlab
