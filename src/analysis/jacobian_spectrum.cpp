// SPDX-License-Identifier: MIT
#include "analysis/jacobian_spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "analysis/free_directions.h"
#include "linalg/eigenvalues.h"

namespace clothlab {
namespace {

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

std::vector<DampedOscillation> jacobian_spectrum(const SpringMatrix& K, const SpringMatrix& C,
                                                 std::span<const double> masses, const Projection& held,
                                                 WorkerPool& pool, const StopProbe& stop) {
  const std::vector<FreeDirection> directions = free_directions(held);
  const std::size_t n = directions.size(), rows = 2 * n;
  std::vector<double> J(rows * rows, 0.0);
  // −A into the lower half, divided by `scale`.
  const auto fill = [&](const std::vector<double>& A, std::size_t first_column, double scale) {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) J[(first_column + j) * rows + n + i] = -A[j * n + i] / scale;
  };
  const std::vector<double> dense_K = dense_on(directions, K, masses, pool, stop);
  double stiffest = 0;
  for (std::size_t j = 0; j < n; ++j) stiffest = std::max(stiffest, std::abs(dense_K[j * n + j]));
  // x is scaled by a frequency, so that both halves have one magnitude.
  const double scale = stiffest > 0 ? std::sqrt(stiffest) : 1;
  for (std::size_t j = 0; j < n; ++j) J[(n + j) * rows + j] = scale;
  fill(dense_K, 0, scale);
  fill(dense_on(directions, C, masses, pool, stop), n, 1);
  return oscillations(eigenvalues(rows, std::move(J), stop));
}

}  // namespace clothlab
