// SPDX-License-Identifier: MIT
#include "linalg/vector_basis.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

#include "core/cancel_point.h"
#include "linalg/vectors.h"

namespace clothlab {

namespace {

constexpr std::size_t kGrain = 512;  // a column's part of a chunk stays in the innermost cache
// Vectors between two polls of the probe: some hundredths of a second for 100 MB.
constexpr std::size_t kVectorsPerPoll = std::size_t{1} << 22;

std::size_t chunks_of(std::size_t n) { return (n + kGrain - 1) / kGrain; }

// Calls body(begin, end) for every chunk of rows of vectors in `columns` columns.
template <class Body>
void for_chunks(WorkerPool& pool, std::size_t n, std::size_t columns, const StopProbe& stop,
                const Body& body) {
  const CancelPoint cancel(stop);
  const std::size_t rows = std::max<std::size_t>(1, kVectorsPerPoll / kGrain / (columns + 1)) * kGrain;
  for (std::size_t first = 0; first < n; first += rows) {
    cancel.poll();
    pool.for_chunks(std::min(rows, n - first), kGrain,
                    [&](std::size_t begin, std::size_t end) { body(first + begin, first + end); });
  }
}

// Components side by side, two in a register: vectors of three fill registers badly.

// Sum of a_i . b_i over n vectors, in three independent sums, to avoid latency.
double dot_of(const vec3* a, const vec3* b, std::size_t n) {
  const double *const p = &a->x, *const q = &b->x;
  HalfLanes first{}, second{}, third{};
  std::size_t i = 0;
  for (; i + 6 <= 3 * n; i += 6) {
    first = first + load_unaligned<HalfLanes>(p + i) * load_unaligned<HalfLanes>(q + i);
    second = second + load_unaligned<HalfLanes>(p + i + 2) * load_unaligned<HalfLanes>(q + i + 2);
    third = third + load_unaligned<HalfLanes>(p + i + 4) * load_unaligned<HalfLanes>(q + i + 4);
  }
  const HalfLanes sums = first + second + third;
  double sum = sums[0] + sums[1];
  for (; i < 3 * n; ++i) sum += p[i] * q[i];
  return sum;
}

// w += Σ c_j v_j over n vectors, for `Width` columns v_j: w is read and written once.
template <std::size_t Width>
void add_scaled(const VectorBasis& V, std::size_t first, const double* c, double factor, std::size_t begin,
                std::size_t n, vec3* w) {
  std::array<const double*, Width> v;
  std::array<double, Width> scale;
  for (std::size_t j = 0; j < Width; ++j) {
    v[j] = &V.column(first + j)[begin].x;
    scale[j] = factor * c[j];
  }
  double* const out = &w->x;
  std::size_t i = 0;
  for (; i + 2 <= 3 * n; i += 2) {
    HalfLanes sum = load_unaligned<HalfLanes>(out + i);
    for (std::size_t j = 0; j < Width; ++j) sum = sum + both(scale[j]) * load_unaligned<HalfLanes>(v[j] + i);
    std::memcpy(out + i, &sum, sizeof sum);
  }
  for (; i < 3 * n; ++i)
    for (std::size_t j = 0; j < Width; ++j) out[i] += scale[j] * v[j][i];
}

// w += factor V c in the rows [begin, end)
void add_columns(const VectorBasis& V, std::size_t k, std::span<const double> c, double factor,
                 std::size_t begin, std::size_t end, std::span<vec3> w) {
  constexpr std::size_t kAtOnce = 4;
  std::size_t j = 0;
  for (; j + kAtOnce <= k; j += kAtOnce)
    add_scaled<kAtOnce>(V, j, &c[j], factor, begin, end - begin, &w[begin]);
  for (; j < k; ++j) add_scaled<1>(V, j, &c[j], factor, begin, end - begin, &w[begin]);
}

}  // namespace

double inner_product(std::span<const vec3> a, std::span<const vec3> b) {
  return dot_of(a.data(), b.data(), a.size());
}

double inner_product(WorkerPool& pool, std::span<const vec3> a, std::span<const vec3> b) {
  return pool.sum(a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    return dot_of(&a[begin], &b[begin], end - begin);
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
    for (std::size_t j = 0; j < k; ++j) partial[j] = dot_of(&column(j)[begin], &w[begin], end - begin);
  });
  std::fill_n(c.begin(), k, 0.0);
  for (std::size_t chunk = 0; chunk < chunks_of(n_); ++chunk)
    for (std::size_t j = 0; j < k; ++j) c[j] += partials_[chunk * columns_ + j];
}

void VectorBasis::add(WorkerPool& pool, std::size_t k, std::span<const double> c, double factor,
                      std::span<vec3> w, const StopProbe& stop) const {
  assert(k <= columns_ && k <= c.size() && w.size() == n_);
  for_chunks(pool, n_, k, stop,
             [&](std::size_t begin, std::size_t end) { add_columns(*this, k, c, factor, begin, end, w); });
}

void VectorBasis::assign_product(WorkerPool& pool, const VectorBasis& V, std::size_t k,
                                 std::span<const double> Q, std::size_t p, const StopProbe& stop) {
  assert(&V != this && V.n_ == n_ && k <= V.columns_ && p <= columns_ && k * p <= Q.size());
  for_chunks(pool, n_, k * p, stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = 0; q < p; ++q) {
      const std::span<vec3> out = column(q);
      for (std::size_t i = begin; i < end; ++i) out[i] = vec3(0.0);
      add_columns(V, k, Q.subspan(q * k, k), 1, begin, end, out);
    }
  });
}

}  // namespace clothlab
