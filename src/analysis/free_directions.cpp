// SPDX-License-Identifier: MIT
#include "analysis/free_directions.h"

#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"
#include "linalg/small_dense.h"

namespace clothlab {

std::vector<FreeDirection> free_directions(const Projection& held) {
  std::vector<FreeDirection> directions;
  SymmetricEigen eigen;
  for (std::uint32_t i = 0; i < held.size(); ++i) {
    const Projection::Entry* entry = held.find(i);
    const mat3 S = entry != nullptr ? entry->S : mat3(1.0);
    eigen.compute(
        3, std::array{S[0][0], S[0][1], S[0][2], S[1][0], S[1][1], S[1][2], S[2][0], S[2][1], S[2][2]});
    const std::span<const double> e = eigen.vectors();
    for (std::size_t k = 0; k < 3; ++k)
      if (eigen.values()[k] > 0.5) directions.push_back({i, vec3(e[3 * k], e[3 * k + 1], e[3 * k + 2])});
  }
  return directions;
}

std::size_t count_free_directions(const Projection& held) {
  double fixed = 0;
  for (const Projection::Entry& entry : held.entries())
    fixed += 3 - (entry.S[0][0] + entry.S[1][1] + entry.S[2][2]);
  return 3 * held.size() - static_cast<std::size_t>(std::lround(fixed));
}

std::vector<double> dense_on(std::span<const FreeDirection> directions, const SpringMatrix& A,
                             std::span<const double> masses, WorkerPool& pool, const StopProbe& stop) {
  const CancelPoint cancel(stop);
  const std::size_t n = directions.size();
  std::vector<double> dense(n * n);
  std::vector<vec3> x(masses.size(), vec3(0)), y(masses.size());
  for (std::size_t j = 0; j < n; ++j) {
    cancel.poll();
    const auto& [particle, along] = directions[j];
    x[particle] = along / std::sqrt(masses[particle]);
    A.multiply(pool, x, y);
    x[particle] = vec3(0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [other, direction] = directions[i];
      dense[j * n + i] = glm::dot(direction, y[other]) / std::sqrt(masses[other]);
    }
  }
  return dense;
}

}  // namespace clothlab
