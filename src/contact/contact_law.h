// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

namespace clothlab {

/// A pair of features that are closer than a contact distance d̂ push each other apart, by a potential of
/// their gap g [m]:
///   penalty  E = ½ k max(0, d̂ − g)²,
///   barrier  E = −κ (g − d̂)² ln(g/d̂) for 0 < g < d̂  [Ascher 2022, (31)–(33); Li 2020, (6)].
/// Below a twentieth of d̂ the barrier continues as its osculating parabola: methods evaluate it there within
/// a step, and need a number that does not hide all other forces. DisplacementBound keeps the gap above 0.
struct ContactLaw {
  double stiffness = 0;  ///< k or κ [N/m]
  double distance = 0;   ///< d̂ [m], > 0
  bool barrier = false;

  static constexpr double kLeastShare = 0.05;  ///< of d̂

  bool acts_at(double gap) const { return gap < distance; }
  double energy(double gap) const {  ///< [J]
    if (!barrier) return 0.5 * push(gap) * std::max(distance - gap, 0.0);
    if (!acts_at(gap)) return 0;
    const double least = kLeastShare * distance, at = std::max(gap, least), below = at - gap;
    const double apart = distance - at;
    return -stiffness * apart * apart * std::log(at / distance) +
           below * (barrier_push(at) + 0.5 * below * barrier_slope(at));
  }
  /// −E′ [N]
  double push(double gap) const { return std::max(line(gap), 0.0); }
  /// E″ where it acts [N/m]
  double slope(double gap) const {
    return barrier ? barrier_slope(std::max(gap, kLeastShare * distance)) : stiffness;
  }
  /// Of a penalty, the line of which `push` is the part above 0; of a barrier `push` itself [N].
  double line(double gap) const {
    if (!barrier) return stiffness * (distance - gap);
    if (!acts_at(gap)) return 0;
    const double at = std::max(gap, kLeastShare * distance);
    return barrier_push(at) + (at - gap) * barrier_slope(at);
  }

  bool operator==(const ContactLaw&) const = default;

 private:
  double barrier_push(double gap) const {
    const double apart = distance - gap;
    return stiffness * apart * (apart / gap - 2 * std::log(gap / distance));
  }
  double barrier_slope(double gap) const {
    const double ratio = distance / gap - 1;
    return stiffness * (ratio * (ratio + 4) - 2 * std::log(gap / distance));
  }
};

}  // namespace clothlab
