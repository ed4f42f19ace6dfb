// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cloth/cloth_model.h"

namespace clothlab {

/// The triangles at every particle, for forces on triangles that each particle sums up for itself: no locks,
/// and the same bits for any number of threads.
class ParticleTriangles {
 public:
  ParticleTriangles(std::size_t particles, std::span<const ClothModel::Triangle> triangles)
      : begin_(particles + 1, 0), triangle_(3 * triangles.size()) {
    for (const ClothModel::Triangle& t : triangles)
      for (const std::uint32_t i : t) ++begin_[i + 1];
    for (std::size_t i = 0; i < particles; ++i) begin_[i + 1] += begin_[i];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t t = 0; t < triangles.size(); ++t)
      for (const std::uint32_t i : triangles[t]) triangle_[next[i]++] = t;
  }

  /// Ascending.
  std::span<const std::uint32_t> at(std::size_t particle) const {
    return std::span(triangle_).subspan(begin_[particle], begin_[particle + 1] - begin_[particle]);
  }

 private:
  std::vector<std::uint32_t> begin_;  // particle -> its first in triangle_; one more at the end
  std::vector<std::uint32_t> triangle_;
};

}  // namespace clothlab
