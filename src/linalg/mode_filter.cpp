// SPDX-License-Identifier: MIT
#include "linalg/mode_filter.h"

#include <glm/geometric.hpp>

#include "linalg/row_space.h"

namespace clothlab {

namespace {

// v := v − along fromᵀ v
void remove_modes(WorkerPool& pool, const SpringPattern& pattern, const VectorBasis& from,
                  const VectorBasis& along, std::span<double> c, RowVector& v) {
  for (std::size_t j = 0; j < c.size(); ++j) {
    const std::span<const vec3> column = from.column(j);
    c[j] = sum_over_rows(
        pool, pattern, [&](std::size_t i) { return glm::dot(column[pattern.particle[i]], unpadded(v[i])); });
  }
  for_each_row(pool, pattern, [&](std::size_t i) {
    vec3 sum = unpadded(v[i]);
    for (std::size_t j = 0; j < c.size(); ++j) sum -= c[j] * along.column(j)[pattern.particle[i]];
    v[i] = padded(sum);
  });
}

void remove_modes(WorkerPool& pool, const VectorBasis& from, const VectorBasis& along, std::span<double> c,
                  std::span<vec3> v) {
  from.coefficients(pool, c.size(), v, c);
  along.add(pool, c.size(), c, -1, v);
}

}  // namespace

void ModeFilter::set(const VectorBasis& X, const VectorBasis& Y, std::size_t count) {
  X_ = &X;
  Y_ = &Y;
  count_ = count;
  coefficients_.resize(count);
}

void ModeFilter::filter_motion(WorkerPool& pool, std::span<vec3> v) const {
  remove_modes(pool, *Y_, *X_, coefficients_, v);
}

void ModeFilter::filter_motion(WorkerPool& pool, const SpringPattern& pattern, RowVector& v) const {
  remove_modes(pool, pattern, *Y_, *X_, coefficients_, v);
}

void ModeFilter::filter_force(WorkerPool& pool, std::span<vec3> r) const {
  remove_modes(pool, *X_, *Y_, coefficients_, r);
}

void ModeFilter::filter_force(WorkerPool& pool, const SpringPattern& pattern, RowVector& r) const {
  remove_modes(pool, pattern, *X_, *Y_, coefficients_, r);
}

}  // namespace clothlab
