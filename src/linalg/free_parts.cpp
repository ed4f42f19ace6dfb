// SPDX-License-Identifier: MIT
#include "linalg/free_parts.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {

void FreeParts::find(const SpringPattern& pattern, const Projection& projection) {
  pattern_ = &pattern;
  parts_.assign(pattern.parts, {.free = true});
  count_ = pattern.parts;
  for (const Projection::Entry& entry : projection.entries()) {
    if (count_ == 0) return;
    // A common translation of a part changes no distance within it.
    if (!entry.coupled || entry.S != mat3(1.0)) exclude(pattern.row[entry.particle]);
  }
  for (const auto& [i, j, length] : projection.couplings().constraints()) {
    const std::uint32_t of_i = pattern.row[i], of_j = pattern.row[j];
    if (pattern.part[of_i] == pattern.part[of_j]) continue;
    exclude(of_i);
    exclude(of_j);
  }
}

void FreeParts::exclude_stencils(const SpringMatrix& matrix) {
  constexpr double kRounding = 1e-14;  // of weights of at most 1
  for (const SpringMatrix::Stencil& stencil : matrix.stencils()) {
    if (count_ == 0) return;
    const auto count = static_cast<std::size_t>(stencil.count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t row = pattern_->row[stencil.particle[k]];
      double sum = 0;
      for (std::size_t l = 0; l < count; ++l)
        if (pattern_->part[pattern_->row[stencil.particle[l]]] == pattern_->part[row])
          sum += stencil.weight[l];
      if (std::abs(sum) > kRounding) exclude(row);
    }
  }
}

void FreeParts::exclude(std::size_t row) {
  Part& part = parts_[pattern_->part[row]];
  if (part.free) --count_;
  part.free = false;
}

double FreeParts::weighted_square() const {
  double sum = 0;
  for (const Part& part : parts_)
    if (part.free) sum += part.weight * glm::dot(part.mean, part.mean);
  return sum;
}

}  // namespace clothlab
