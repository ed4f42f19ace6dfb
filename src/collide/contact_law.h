// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

namespace clothlab {

/// A pair of features that are closer than a contact distance d̂ push each other apart, by a potential of
/// their gap g [m]: E = ½ k max(0, d̂ − g)².
struct ContactLaw {
  double stiffness = 0;  ///< k [N/m]
  double distance = 0;   ///< d̂ [m], > 0

  bool acts_at(double gap) const { return gap < distance; }
  double energy(double gap) const { return 0.5 * push(gap) * std::max(distance - gap, 0.0); }  ///< [J]
  double push(double gap) const { return std::max(line(gap), 0.0); }  ///< −E′ [N]
  /// The line of which `push` is the part above 0 [N].
  double line(double gap) const { return stiffness * (distance - gap); }

  bool operator==(const ContactLaw&) const = default;
};

/// Coulomb's friction, smoothed (model.md, "Contact by penalty"): along the tangential velocity u, against
/// it,
///   μ λ s(|u|),   s(y) = 2 y/ε − y²/ε² below ε, 1 above     [Ascher 2022, (38)].
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

  bool operator==(const SmoothFriction&) const = default;
};

}  // namespace clothlab
