#include "analysis/stability.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

std::string seconds(double s) { return format_quantity(s, "s"); }

/// "by 1.72", or "by 0.034 %" where three digits would not show that it is more than 1.
std::string factor(double growth) {
  return std::abs(growth - 1) >= 0.1 ? format_plain(growth) + " times"
                                     : format_plain(100 * (growth - 1), 2) + " %";
}

std::string advice(const BlowUpFacts& facts, const IntegratorInfo& integrator) {
  const bool is_implicit = std::isinf(integrator.stability_limit) || integrator.growth_of_the_rest;
  return " A step smaller than h = " + seconds(facts.h) +
         (is_implicit ? " would help." : " or an implicit method would help.");
}

std::string what_happened(const BlowUpFacts& facts) {
  if (!facts.finite) return "a position or velocity is no longer a finite number.";
  if (!std::isfinite(facts.energy)) return "the energy is no longer a finite number.";
  return "the cloth held " + format_plain(facts.energy) + " J, more than " + format_plain(facts.factor) +
         " × the " + format_plain(facts.allowed / facts.factor) +
         " J that gravity, the start and your hand account for.";
}

}  // namespace

std::optional<double> StabilityMeter::omega_max(const DynamicSystem& system, std::span<const vec3> x,
                                                JacobianMode mode, WorkerPool& pool, const StopProbe& stop,
                                                bool inextensible) {
  const std::shared_ptr<const SpringPattern> pattern = system.pattern();
  if (!stiffness_ || stiffness_->shared_pattern() != pattern) {
    largest_ = LargestEigenvalue{};
    try {
      stiffness_.emplace(pattern, stop);
    } catch (const Cancelled&) {
      return std::nullopt;
    }
  }
  if (stop_requested(stop)) return std::nullopt;
  // K does not depend on v: x stands in for it.
  system.assemble(x, x, {.mass = 0, .damping = 0, .stiffness = 1}, mode, *stiffness_);
  if (stop_requested(stop)) return std::nullopt;
  if (inextensible) {
    const ElasticElements elements = system.elements();
    for (std::size_t s = 0; s < elements.size(); ++s) {
      if (elements[s].stretch) stiffness_->spring(s) = {};
    }
  }
  const LargestEigenvalue::Result result =
      largest_.compute(pool, *stiffness_, system.masses(), system.projection(), stop);
  if (result.stopped || !std::isfinite(result.value)) return std::nullopt;
  return std::sqrt(std::max(result.value, 0.0));
}

double largest_stable_step(const IntegratorInfo& integrator, double omega_max) {
  return integrator.stability_limit / omega_max;
}

std::string describe_stability(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               double omega_max) {
  const std::string title(integrator.title);
  if (!(omega_max > 0))
    return std::string("Nothing in this scene can oscillate") +
           (integrator.inextensible ? " where stretch springs are rods" : "") +
           ", so no step size is too large.";
  const double z = h * omega_max;
  const double limit = integrator.stability_limit;
  const std::string at = "at h = " + seconds(h) + " and ω_max = " + format_plain(omega_max) + " rad/s" +
                         (integrator.inextensible ? ", that of bending springs and the hand" : "");

  if (limit == 0 && integrator.growth_of_the_rest) {
    return title + " multiplies the stiffest oscillation by " +
           format_plain(stiffest_growth(integrator, z, values)) + " in every step " + at +
           ", but its slowest modes gain energy at every step size, the less the smaller h is.";
  }
  if (limit == 0) {
    const double growth = integrator.growth(z, values);
    const std::string verb = std::abs(growth - 1) >= 0.1
                                 ? " multiplies the stiffest oscillation by " + format_plain(growth)
                                 : " enlarges the stiffest oscillation by " + factor(growth);
    return title + verb + " in every step " + at + ": no step size is stable.";
  }
  if (std::isinf(limit)) {
    return title + " is stable at every step size; " + at + " (h·ω_max = " + format_plain(z) +
           ") it multiplies the stiffest oscillation by " +
           format_plain(stiffest_growth(integrator, z, values)) + " in every step.";
  }
  const std::string against = "h·ω_max = " + format_plain(z) + " (" + at + ")";
  const std::string largest =
      "the largest stable step is h = " + seconds(largest_stable_step(integrator, omega_max));
  if (z < limit)
    return title + " is stable below h·ω_max = " + format_plain(limit) + ", and here " + against + "; " +
           largest + ".";
  return title + " is stable below h·ω_max = " + format_plain(limit) + " only, but " + against +
         ": it multiplies the stiffest oscillation by " + format_plain(integrator.growth(z, values)) +
         " in every step; " + largest + ".";
}

std::string explain_blow_up(const BlowUpFacts& facts, const IntegratorInfo& integrator,
                            const IntegratorParameters& values, std::optional<double> omega_max) {
  std::string text =
      "Blown up in step " + std::to_string(facts.step) + ", at " + format_plain(facts.time) + " s: ";
  text += what_happened(facts);
  if (!omega_max) return text + advice(facts, integrator);
  text += " " + describe_stability(integrator, values, facts.h, *omega_max);

  const double limit = integrator.stability_limit;
  if (limit == 0 && integrator.growth_of_the_rest) {
    text += advice(facts, integrator);
  } else if (limit == 0) {
    text += " Symplectic Euler at the same cost holds up to h = " + seconds(2 / *omega_max) +
            ", an implicit method at any.";
  } else if (std::isinf(limit)) {
    text +=
        " That holds for small deformations: a step this large turned or crushed the springs too far, or its "
        "equations were not solved." +
        advice(facts, integrator);
  } else if (facts.h * *omega_max < limit) {
    text +=
        " That limit leaves out damping and large strains, which make it lower." + advice(facts, integrator);
  }
  return text;
}

}  // namespace clothlab
