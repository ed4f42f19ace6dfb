// SPDX-License-Identifier: MIT
#include "linalg/norm_bound.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"

namespace clothlab {

double norm_bound(const SpringMatrix& K, std::span<const double> masses, std::vector<double>& scratch,
                  const StopProbe& stop) {
  CancelPoint cancel(stop);
  scratch.assign(K.size(), 0.0);
  for (std::size_t s = 0; s < K.pattern().springs(); ++s) {
    cancel.pass();
    const SpringMatrix::Spring& spring = K.spring(s);
    // The block appears twice in each of its two rows.
    const double size = 2 * (glm::dot(spring.u, spring.u) + std::abs(spring.b));
    for (const std::uint32_t i : K.pattern().ends(s)) scratch[i] += size;
  }
  for (const SpringMatrix::Stencil& stencil : K.stencils()) {
    const double size =
        std::sqrt(glm::dot(stencil.C[0], stencil.C[0]) + glm::dot(stencil.C[1], stencil.C[1]) +
                  glm::dot(stencil.C[2], stencil.C[2]));
    double weights = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      weights += std::abs(stencil.weight[k]);
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      scratch[stencil.particle[k]] += std::abs(stencil.weight[k]) * weights * size;
    }
  }
  double bound = 0;
  for (std::size_t i = 0; i < K.size(); ++i) {
    bound = std::max(bound, (scratch[i] + std::abs(K.diagonal(i))) / masses[i]);
  }
  return bound;
}

}  // namespace clothlab
