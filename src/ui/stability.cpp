#include "ui/stability.h"

#include <cmath>

#include "analysis/stability.h"
#include "core/text.h"
#include "ui/numbers.h"

namespace clothlab {
namespace {

std::string times(double growth) { return format_steady(growth) + "×"; }

// From here to the limit the gauge turns amber: ω_max changes by some per cent as the cloth moves.
constexpr double kNearLimit = 0.9;

}  // namespace

StabilityReading read_stability(const IntegratorInfo& integrator, const IntegratorParameters& values,
                                double h, std::optional<double> omega_max) {
  StabilityReading out;
  if (!omega_max) {
    out.number = "h·ω_max";
    out.verdict = "being measured";
    out.help = "ω_max, the fastest vibration of this cloth, is being measured.";
    return out;
  }
  if (!(*omega_max > 0)) {
    out.level = StabilityLevel::safe;
    out.number = "h·ω_max 0";
    out.verdict = "nothing vibrates";
    out.help = "Nothing in this scene can vibrate: every step size is stable.";
    return out;
  }
  const double z = h * *omega_max;
  const double limit = integrator.stability_limit;
  const double growth = stiffest_growth(integrator, z, values);
  out.help = describe_stability(integrator, values, h, *omega_max);
  out.number = "h·ω_max " + format_steady(z);
  if (limit == 0 && integrator.growth_of_the_rest) {
    out.level = StabilityLevel::unstable;
    out.verdict = "slow motion grows";
  } else if (limit == 0) {
    out.level = StabilityLevel::unstable;
    // A growth that three digits would round to 1 is shown as what is added.
    out.verdict = growth < 1.01 ? "grows by " + format_plain((growth - 1) * 100, 2) + " % per step"
                                : "grows " + times(growth) + " per step";
  } else if (std::isinf(limit)) {
    out.level = StabilityLevel::safe;
    out.verdict = growth < 0.995 ? "stable, fastest mode " + times(growth) + " per step" : "stable at any h";
  } else {
    out.largest_step = largest_stable_step(integrator, *omega_max);
    out.number += " of " + format_plain(limit);
    out.level = z >= limit                ? StabilityLevel::unstable
                : z >= kNearLimit * limit ? StabilityLevel::near_limit
                                          : StabilityLevel::safe;
    out.verdict = z >= limit                ? "unstable, " + times(z / limit) + " the limit"
                  : z >= kNearLimit * limit ? "close to the limit"
                                            : "stable";
  }
  return out;
}

StabilityReading not_converged(StabilityReading reading, const std::string& why) {
  if (reading.level != StabilityLevel::safe) return reading;
  reading.level = StabilityLevel::near_limit;
  reading.verdict = "not converged";
  reading.help += "\n\nThat is for steps that are solved. The last one was not: " + why + ".";
  return reading;
}

}  // namespace clothlab
