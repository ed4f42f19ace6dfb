// SPDX-License-Identifier: MIT
#include "analysis/jacobian_spectrum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"
#include "linalg/eigenvalues.h"
#include "linalg/small_dense.h"

namespace clothlab {
namespace {

/// One free direction: a unit vector at a particle.
struct Direction {
  std::uint32_t particle;
  vec3 along;
};

std::vector<Direction> free_directions(const Projection& projection) {
  std::vector<Direction> directions;
  SymmetricEigen eigen;
  for (std::uint32_t i = 0; i < projection.size(); ++i) {
    const Projection::Entry* entry = projection.find(i);
    const mat3 S = entry != nullptr ? entry->S : mat3(1.0);
    eigen.compute(
        3, std::array{S[0][0], S[0][1], S[0][2], S[1][0], S[1][1], S[1][2], S[2][0], S[2][1], S[2][2]});
    const std::span<const double> e = eigen.vectors();
    for (std::size_t k = 0; k < 3; ++k)
      if (eigen.values()[k] > 0.5) directions.push_back({i, vec3(e[3 * k], e[3 * k + 1], e[3 * k + 2])});
  }
  return directions;
}

/// Double zeros (motions without force) come out as the square root of rounding.
constexpr double kZeroMotion = 1e-7;  // of the largest

std::vector<DampedOscillation> oscillations(const std::vector<std::complex<double>>& eigenvalues) {
  double largest = 0;
  for (const std::complex<double> l : eigenvalues) largest = std::max(largest, std::abs(l));
  std::vector<DampedOscillation> result;
  for (const std::complex<double> l : eigenvalues) {
    if (l.imag() < 0 || std::abs(l) < kZeroMotion * largest) continue;
    const double rate = std::max(-l.real(), 0.0);
    if (l.imag() > 0)
      result.push_back({std::hypot(rate, l.imag()), 2 * rate});
    else if (rate > 0)
      result.push_back({0, rate});
  }
  return result;
}

}  // namespace

std::size_t count_free_directions(const Projection& held) {
  double fixed = 0;
  for (const Projection::Entry& entry : held.entries())
    fixed += 3 - (entry.S[0][0] + entry.S[1][1] + entry.S[2][2]);
  return 3 * held.size() - static_cast<std::size_t>(std::lround(fixed));
}

std::vector<DampedOscillation> jacobian_spectrum(const SpringMatrix& K, const SpringMatrix& C,
                                                 std::span<const double> masses, const Projection& held,
                                                 WorkerPool& pool, const StopProbe& stop) {
  const CancelPoint cancel(stop);
  const std::vector<Direction> directions = free_directions(held);
  const std::size_t n = directions.size(), rows = 2 * n;
  std::vector<double> J(rows * rows, 0.0);
  std::vector<vec3> x(masses.size(), vec3(0)), y(masses.size());
  double stiffest = 0;
  const auto fill = [&](const SpringMatrix& A, std::size_t first_column) {
    for (std::size_t j = 0; j < n; ++j) {
      cancel.look();
      const auto& [particle, along] = directions[j];
      x[particle] = along / std::sqrt(masses[particle]);
      A.multiply(pool, x, y);
      x[particle] = vec3(0);
      double* column = &J[(first_column + j) * rows + n];
      for (std::size_t i = 0; i < n; ++i) {
        const auto& [other, direction] = directions[i];
        column[i] = -glm::dot(direction, y[other]) / std::sqrt(masses[other]);
      }
      stiffest = std::max(stiffest, std::abs(column[j]));
    }
  };
  fill(K, 0);
  // x is scaled by a frequency, so that both halves have one magnitude.
  const double scale = stiffest > 0 ? std::sqrt(stiffest) : 1;
  for (std::size_t j = 0; j < n; ++j) {
    J[(n + j) * rows + j] = scale;
    for (std::size_t i = 0; i < n; ++i) J[j * rows + n + i] /= scale;
  }
  fill(C, n);
  return oscillations(eigenvalues(rows, std::move(J), stop));
}

}  // namespace clothlab
