// SPDX-License-Identifier: MIT
#include "linalg/mode_filter.h"

#include <glm/geometric.hpp>

#include "linalg/row_space.h"

namespace clothlab {

void ModeFilter::set(const VectorBasis& X, const VectorBasis& Y, std::size_t count) {
  X_ = &X;
  Y_ = &Y;
  count_ = count;
  coefficients_.resize(count);
}

void ModeFilter::remove(WorkerPool& pool, const VectorBasis& from, const VectorBasis& along,
                        std::span<vec3> v) const {
  from.coefficients(pool, count_, v, coefficients_);
  along.add(pool, count_, coefficients_, -1, v);
}

void ModeFilter::remove(WorkerPool& pool, const VectorBasis& from, const VectorBasis& along,
                        const SpringPattern& pattern, RowVector& v) const {
  for (std::size_t j = 0; j < count_; ++j) {
    const std::span<const vec3> column = from.column(j);
    coefficients_[j] = sum_over_rows(
        pool, pattern, [&](std::size_t i) { return glm::dot(column[pattern.particle[i]], unpadded(v[i])); });
  }
  for_each_row(pool, pattern, [&](std::size_t i) {
    vec3 sum = unpadded(v[i]);
    for (std::size_t j = 0; j < count_; ++j) sum -= coefficients_[j] * along.column(j)[pattern.particle[i]];
    v[i] = padded(sum);
  });
}

}  // namespace clothlab
