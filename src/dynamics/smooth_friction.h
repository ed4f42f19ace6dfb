// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

namespace clothlab {

/// Coulomb's friction, smoothed (model.md, "Contact by penalty"): along the tangential velocity u, against
/// it,
///   μ λ s(|u|),   s(y) = 2 y/ε − y²/ε² below ε, 1 above     [Ascher 2022, (37g)].
struct SmoothFriction {
  double speed = 0;  ///< ε [m/s], > 0

  /// s(y)/y [s/m]
  double secant(double y) const { return y < speed ? (2 - y / speed) / speed : 1 / y; }
  /// ∫ s dy from 0 [m/s]
  double potential(double y) const {
    return y < speed ? y * y * (1 - y / (3 * speed)) / speed : y - speed / 3;
  }
  /// s′(y) [s/m]
  double slope(double y) const { return y < speed ? 2 * (1 - y / speed) / speed : 0; }

  /// y with y + a s(y) = y0, a ≥ 0 [m/s]: the speed that friction leaves of y0.
  double slowed(double y0, double a) const {
    if (y0 >= speed + a) return y0 - a;
    const double b = speed + 2 * a;
    return 2 * speed * y0 / (b + std::sqrt(b * b - 4 * a * y0));
  }

  bool operator==(const SmoothFriction&) const = default;
};

}  // namespace clothlab
