// SPDX-License-Identifier: MIT
#include "integrate/growth.h"

namespace clothlab {

double quadratic_radius(double q, double g, double e) {
  const double discriminant = q * q - g;
  return discriminant < 0 ? std::sqrt(e) : std::abs(1 - q) + std::sqrt(discriminant);
}

double implicit_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) { return 1 / std::abs(1.0 - z); });
}

double trapezoidal_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) { return std::abs(2.0 + z) / std::abs(2.0 - z); });
}

// (3 − 2z) ζ² − 4 ζ + 1 = 0. The one Newton iteration of the semi-implicit method is exact here.
double bdf2_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) {
    const auto root = std::sqrt(1.0 + 2.0 * z), lead = 3.0 - 2.0 * z;
    return std::max(std::abs((2.0 + root) / lead), std::abs((2.0 - root) / lead));
  });
}

double siere_mode_growth(double y, const IntegratorParameters& values) {
  return values.at(0) > 0 ? 1 : implicit_euler_growth(y, 0, values);
}

// They gain energy: ζ² − ⅔ (1 + e^z) ζ + ⅓ = 0 at z = iy, so |ζ| ≈ 1 + y²/2.
double bdf2_ere_mode_growth(double y, const IntegratorParameters& values) {
  if (!(values.at(0) > 0)) return bdf2_growth(y, 0, values);
  const std::complex<double> half_sum = (1.0 + std::polar(1.0, y)) / 3.0;
  const std::complex<double> root = std::sqrt(half_sum * half_sum - 1.0 / 3);
  return std::max(std::abs(half_sum + root), std::abs(half_sum - root));
}

double symplectic_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return quadratic_radius((y * y + s) / 2, y * y, 1 - s);
}

double velocity_verlet_growth(double y, double s, const IntegratorParameters& /*values*/) {
  const double q = (y * y + s - s * s / 2 - s * y * y / 4) / 2;
  return quadratic_radius(q, y * y * (1 - s / 2), 1 - s + s * s / 2 - s * y * y / 4);
}

}  // namespace clothlab
