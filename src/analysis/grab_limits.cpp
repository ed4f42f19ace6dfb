// SPDX-License-Identifier: MIT
#include "analysis/grab_limits.h"

#include <algorithm>
#include <cmath>

namespace clothlab {
namespace {

constexpr double kDampingRatio = 0.1;
constexpr double kLimitShare = 0.98;
constexpr double kRise = 1.1 * 1.1 - 1;  // of ω²: 10 % of ω

GrabLimits with_damper(double stiffness, double inverse_mass) {
  return {stiffness, 2 * kDampingRatio * std::sqrt(stiffness / inverse_mass)};
}

/// The largest value up to `most` that fits; all smaller values fit too.
template <class Fits>
double largest(double most, const Fits& fits) {
  if (fits(most)) return most;
  double least = 0;
  constexpr int kBisections = 40;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (least + most) / 2;
    (fits(middle) ? least : most) = middle;
  }
  return least;
}

}  // namespace

GrabLimits grab_limits(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& without_grab, double inverse_mass, double wanted) {
  if (!(inverse_mass > 0)) return {};
  if (integrator.inextensible) wanted = std::min(wanted, kRise / (h * h * inverse_mass));
  if (integrator.growth_of_slow_modes) return with_damper(wanted, inverse_mass);
  const double rising = kRise * std::pow(without_grab.omega_max(), 2) / inverse_mass;
  const std::optional<double> limit = largest_stable_step(integrator, values, without_grab);
  if (!limit || !(h < *limit)) return with_damper(std::min(wanted, rising), inverse_mass);

  const double share = std::max(kLimitShare, (h / *limit + 1) / 2);
  const auto bears = [&](const StabilityEstimate& cloth) {
    return h <= share * largest_stable_step(integrator, values, cloth).value_or(0);
  };
  // Damping helps some methods, but the damper saturates.
  const auto bears_grab = [&](double stiffness) {
    const double damping = with_damper(stiffness, inverse_mass).damping;
    return bears(with_grab(without_grab, stiffness * inverse_mass, 0)) &&
           bears(with_grab(without_grab, stiffness * inverse_mass, damping * inverse_mass));
  };
  GrabLimits grab = with_damper(largest(wanted, bears_grab), inverse_mass);
  if (integrator.inextensible) return grab;
  const double strain = largest(1, [&](double e) { return bears(with_strain(without_grab, 2 * e)); });
  if (strain < 1) grab.strain = strain;
  return grab;
}

}  // namespace clothlab
