// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace clothlab {

/// A step of the Chebyshev iteration for A x = r after its first:
///   x_k+1 = x_k + again (x_k - x_k-1) + second D⁻¹ (r - A x_k).
struct ChebyshevStep {
  float again, second;
};
/// Four steps for the part [lambda / part, lambda] of the spectrum of D⁻¹A. The first is
///   x_1 = x_0 + first D⁻¹ (r - A x_0).
struct Chebyshev {
  float first;
  std::array<ChebyshevStep, 3> steps;

  Chebyshev(double lambda, double part) {
    const double low = lambda / part;
    const double theta = (lambda + low) / 2;
    const double delta = (lambda - low) / 2;
    const double sigma = theta / delta;
    first = static_cast<float>(1 / theta);
    double rho = 1 / sigma;
    for (ChebyshevStep& step : steps) {
      const double next = 1 / (2 * sigma - rho);
      step = {static_cast<float>(next * rho), static_cast<float>(2 * next / delta)};
      rho = next;
    }
  }
};

/// The smoother of one level, for A x = r. Row i of its vectors belongs to node i; `previous` and `x` are the
/// last two iterates.
struct Smoother {
  std::vector<SingleSymmetric> inverse;  // D⁻¹
  Chebyshev chebyshev;
  SingleVector r, x, previous;

  explicit Smoother(double part) : chebyshev(2.0, part) {}

  // Row i of the next iterate, given row i of A x: the first step from x_0 = 0 (without a product), the
  // second step after it, the first step from any x_0, and every later step.
  Quad first_from_zero(std::size_t i) const { return chebyshev.first * (inverse[i] * r[i]); }
  Quad second_from_zero(std::size_t i, Quad Ax) const {
    const auto [again, second] = chebyshev.steps[0];
    return (1 + again) * x[i] + second * (inverse[i] * (r[i] - Ax));
  }
  Quad first(std::size_t i, Quad Ax) const { return x[i] + chebyshev.first * (inverse[i] * (r[i] - Ax)); }
  Quad next_iterate(const ChebyshevStep& step, std::size_t i, Quad Ax) const {
    return x[i] + step.again * (x[i] - previous[i]) + step.second * (inverse[i] * (r[i] - Ax));
  }
};

}  // namespace clothlab
