#include "analysis/hand_spring.h"

#include <algorithm>
#include <cmath>

namespace clothlab {
namespace {

constexpr double kDampingRatio = 0.1;
constexpr double kLimitShare = 0.98;
constexpr double kRise = 1.1 * 1.1 - 1;  // of ω², by a hand that raises ω by 10 %

HandSpring with_damper(double stiffness, double inverse_mass) {
  return {stiffness, 2 * kDampingRatio * std::sqrt(stiffness / inverse_mass)};
}

}  // namespace

HandSpring hand_spring(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& without_hand, double inverse_mass, double wanted) {
  if (!(inverse_mass > 0)) return {};
  if (integrator.inextensible) wanted = std::min(wanted, kRise / (h * h * inverse_mass));
  if (integrator.growth_of_slow_modes) return with_damper(wanted, inverse_mass);
  const double rising = kRise * std::pow(without_hand.omega_max(), 2) / inverse_mass;
  const std::optional<double> limit = largest_stable_step(integrator, values, without_hand);
  if (!limit || !(h < *limit)) return with_damper(std::min(wanted, rising), inverse_mass);

  const double share = std::max(kLimitShare, (h / *limit + 1) / 2);
  const auto bears = [&](double stiffness, double damping) {
    const StabilityEstimate held = with_hand(without_hand, stiffness * inverse_mass, damping * inverse_mass);
    return h <= share * largest_stable_step(integrator, values, held).value_or(0);
  };
  // Damping helps some methods, but the damper saturates.
  const auto fits = [&](double stiffness) {
    return bears(stiffness, 0) && bears(stiffness, with_damper(stiffness, inverse_mass).damping);
  };
  if (fits(wanted)) return with_damper(wanted, inverse_mass);
  double least = 0, most = wanted;
  constexpr int kBisections = 40;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (least + most) / 2;
    (fits(middle) ? least : most) = middle;
  }
  return with_damper(least, inverse_mass);
}

StabilityEstimate at_least(StabilityEstimate estimate, double omega) {
  for (DampedOscillation* o : {&estimate.stiffest, &estimate.symplectic_euler, &estimate.velocity_verlet})
    o->omega = std::max(o->omega, omega);
  for (DampedOscillation& o : estimate.others) o.omega = std::max(o.omega, omega);
  return estimate;
}

}  // namespace clothlab
