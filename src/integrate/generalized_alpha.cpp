// SPDX-License-Identifier: MIT
#include "integrate/generalized_alpha.h"

#include <algorithm>
#include <cmath>

namespace clothlab {

// Largest |ζ| of ((1 − α_m) ζ + α_m) (ζ − 1)² + ((1 − α) ζ + α) (y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β)
// + s (ζ − 1) (γζ + 1 − γ)), with the whole weight α of u0 in a linear force. One root is real and found by
// bisection; the others are roots of a quadratic.
double GeneralizedAlpha::Constants::growth(double y, double s) const {
  const double m1 = 1 - alpha_m, m0 = alpha_m, f0 = (1 - sigma) * alpha_f + sigma, f1 = 1 - f0;
  const double n2 = y * y * beta + s * gamma;
  const double n1 = y * y * (0.5 + gamma - 2 * beta) + s * (1 - 2 * gamma);
  const double n0 = y * y * (0.5 - gamma + beta) - s * (1 - gamma);
  const double p3 = m1 + f1 * n2, p2 = m0 - 2 * m1 + f0 * n2 + f1 * n1;
  const double p1 = m1 - 2 * m0 + f0 * n1 + f1 * n0, p0 = m0 + f0 * n0;

  double below = -2, above = 2;  // the polynomial is negative at `below`, positive at `above`
  for (double middle = 0; below < middle && middle < above; middle = (below + above) / 2) {
    (((p3 * middle + p2) * middle + p1) * middle + p0 < 0 ? below : above) = middle;
  }
  const double real = above;
  const double q1 = p2 + p3 * real, q0 = p1 + q1 * real;  // p3 ζ² + q1 ζ + q0
  const double discriminant = q1 * q1 - 4 * p3 * q0;
  const double other =
      discriminant < 0 ? std::sqrt(q0 / p3) : (std::abs(q1) + std::sqrt(discriminant)) / (2 * p3);
  return std::min(1.0, std::max(std::abs(real), other));
}

}  // namespace clothlab
