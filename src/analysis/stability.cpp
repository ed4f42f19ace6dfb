// SPDX-License-Identifier: MIT
#include "analysis/stability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clothlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;  // of a growth of 1

/// Oscillations with ω_max and up to the largest damping, and the most damped one without stiffness: their
/// smallest limit is that of all oscillations with ω <= ω_max and d <= damping_max. On one oscillator the
/// limit of a composition is not monotonic in d.
std::vector<DampedOscillation> all_up_to_largest(const StabilityEstimate& e) {
  constexpr int kDampings = 8;
  std::vector<DampedOscillation> result{{0, e.damping_max}};
  for (int k = 0; k <= kDampings; ++k) result.push_back({e.omega_max(), e.damping_max * k / kDampings});
  return result;
}

/// The oscillations whose largest growth is that of a step on the cloth.
std::vector<DampedOscillation> deciding(const IntegratorInfo& integrator, const StabilityEstimate& e) {
  switch (integrator.coupling) {
    case StepCoupling::symplectic_euler:
      return {e.symplectic_euler};
    case StepCoupling::velocity_verlet:
      return {e.velocity_verlet, {0, e.damping_max}};
    case StepCoupling::composition:
      return all_up_to_largest(e);
    case StepCoupling::undamped:
      return {{e.omega_max(), 0}};
    case StepCoupling::eigenvalues:
      break;
  }
  return e.others;
}

bool has_limit(const IntegratorInfo& integrator, const IntegratorParameters& values) {
  return !std::isinf(stability_limit(integrator, values));
}

/// Methods whose slow modes gain energy; no estimate covers them.
bool gains_slowly(const IntegratorInfo& integrator) {
  return integrator.stability_limit == 0 && integrator.growth_of_slow_modes;
}

template <class Change>
void change_oscillations(StabilityEstimate& e, const Change& change) {
  change(e.stiffest);
  change(e.symplectic_euler);
  change(e.velocity_verlet);
  for (DampedOscillation& o : e.others) change(o);
}

}  // namespace

double largest_stable_step(const IntegratorInfo& integrator, const IntegratorParameters& values,
                           const DampedOscillation& oscillation) {
  const double rate = std::max(oscillation.omega, oscillation.damping);
  if (!(rate > 0)) return kInfinity;
  const double undamped = stability_limit(integrator, values);
  // Its slow growth would be lost to rounding.
  if (undamped == 0 && oscillation.damping == 0 && integrator.growth_of_slow_modes == nullptr) return 0;
  const auto is_stable = [&](double t) {
    const double growth =
        integrator.growth(t * oscillation.omega / rate, t * oscillation.damping / rate, values);
    return growth <= 1 + kRounding;
  };
  // The first interval of instability of every method is longer than kInterval and begins before `last`.
  constexpr double kInterval = 0.05;
  const double last = std::isinf(undamped) ? 8 : std::max(8.0, 1.1 * undamped);
  constexpr double kNone = 1e-5;  // below, instability is hidden by rounding
  double stable = 0, unstable = kInterval;
  while (is_stable(unstable)) {
    stable = unstable;
    unstable += kInterval;
    if (unstable > last) return kInfinity;
  }
  for (double middle = (stable + unstable) / 2; stable < middle && middle < unstable;
       middle = (stable + unstable) / 2)
    (is_stable(middle) ? stable : unstable) = middle;
  return stable < kNone ? 0 : stable / rate;
}

std::optional<double> largest_stable_step(const IntegratorInfo& integrator,
                                          const IntegratorParameters& values, const StabilityEstimate& e) {
  if (integrator.wind_limit && e.wind_rate > 0) return integrator.wind_limit(values) / e.wind_rate;
  if (!has_limit(integrator, values)) return kInfinity;
  if (gains_slowly(integrator)) return 0;
  if (integrator.stability_limit == 0 && !e.others_are_exact) return std::nullopt;
  if (integrator.coupling == StepCoupling::undamped)
    return e.omega_max() > 0 ? stability_limit(integrator, values) / e.omega_max() : kInfinity;
  double smallest = kInfinity;
  for (const DampedOscillation& o : deciding(integrator, e))
    smallest = std::min(smallest, largest_stable_step(integrator, values, o));
  return smallest;
}

bool is_limited_by_contact(const IntegratorInfo& integrator, const IntegratorParameters& values,
                           const StabilityEstimate& e) {
  constexpr double kMost = 0.5;
  if (!has_limit(integrator, values)) return false;
  const std::optional<double> limit = largest_stable_step(integrator, values, e);
  if (!limit || *limit == 0 || std::isinf(*limit)) return false;
  const double undamped = largest_stable_step(integrator, values, DampedOscillation{e.omega_max(), 0});
  return (*limit < kMost * undamped ? e.contact_in_damping : e.contact_in_stiffness) > kMost;
}

double explicit_limit(const StabilityEstimate& e) {
  return largest_stable_step(*find_integrator("symplectic-euler"), {}, e).value();
}

bool is_approximate(const IntegratorInfo& integrator, const IntegratorParameters& values,
                    const StabilityEstimate& e) {
  if (!has_limit(integrator, values)) return false;
  return e.free_directions > kExactDirections ||
         (integrator.coupling == StepCoupling::eigenvalues && !e.others_are_exact) ||
         (integrator.coupling == StepCoupling::composition && e.damping_max > 0);
}

double deciding_growth(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& e) {
  const auto growth = [&](const DampedOscillation& o) {
    return integrator.growth(h * o.omega, h * o.damping, values);
  };
  double largest = growth(e.stiffest);
  if (!has_limit(integrator, values) || gains_slowly(integrator)) return largest;
  if (integrator.coupling == StepCoupling::velocity_verlet) largest = 0;
  for (const DampedOscillation& o : deciding(integrator, e)) largest = std::max(largest, growth(o));
  return largest;
}

bool damps_stiff_motion(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                        const StabilityEstimate& e) {
  return integrator.growth(h * e.stiffest.omega, 0, values) < 1 - kRounding;
}

StabilityEstimate with_grab(StabilityEstimate e, double stiffness, double damping) {
  change_oscillations(e, [&](DampedOscillation& o) {
    o = {std::sqrt(o.omega * o.omega + stiffness), o.damping + damping};
  });
  e.damping_max += damping;
  return e;
}

StabilityEstimate with_strain(StabilityEstimate e, double strain) {
  change_oscillations(e, [&](DampedOscillation& o) {
    o = {o.omega * std::sqrt(1 + strain), o.damping * (1 + strain)};
  });
  e.damping_max *= 1 + strain;
  return e;
}

StabilityEstimate at_least(StabilityEstimate e, double omega) {
  change_oscillations(e, [&](DampedOscillation& o) { o.omega = std::max(o.omega, omega); });
  return e;
}

}  // namespace clothlab
