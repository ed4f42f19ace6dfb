// SPDX-License-Identifier: MIT
#include "ui/instruments/stability_reading.h"

#include <cmath>

#include "analysis/stability_text.h"
#include "core/text.h"
#include "ui/widgets/numbers.h"

namespace clothlab {
namespace {

std::string times(double growth) { return format_steady(growth) + "×"; }

// The gauge is amber from here to the limit, which changes by some per cent as the cloth moves.
constexpr double kNearLimit = 0.9;

void judge_against(StabilityReading& out, double h, double limit, bool approximate) {
  out.largest_step = limit;
  const std::string shown = (approximate ? "≈ " : "") + format_quantity(limit, "s");
  if (h >= limit) {
    out.level = StabilityLevel::unstable;
    // Three digits would say 1.00 times.
    const std::string far = h / limit < 1.005 ? "just above" : times(h / limit);
    out.verdict = "unstable, " + far + " the limit";
  } else if (h >= kNearLimit * limit) {
    out.level = StabilityLevel::near_limit;
    out.verdict = "close to the limit, " + shown;
  } else {
    out.level = StabilityLevel::safe;
    out.verdict = "stable below " + shown;
  }
}

void show_growth(StabilityReading& out, double growth) {
  out.level = StabilityLevel::unstable;
  // A growth that three digits round to 1 is shown as its difference from 1.
  out.verdict = growth < 1.01 ? "grows by " + format_plain((growth - 1) * 100, 2) + " % per step"
                              : "grows " + times(growth) + " per step";
}

std::string at_any_step(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                        const StabilityEstimate& estimate) {
  if (!integrator.stability_condition.empty()) return "stable " + std::string(integrator.stability_condition);
  if (!damps_stiff_motion(integrator, values, h, estimate)) return "stable on an oscillator";
  const double growth = deciding_growth(integrator, values, h, estimate);
  return growth < 0.995 ? "stable, fastest mode " + times(growth) + " per step" : "stable at any h";
}

}  // namespace

StabilityReading read_stability(const IntegratorInfo& integrator, const IntegratorParameters& values,
                                double h, const std::optional<StabilityEstimate>& estimate) {
  StabilityReading out;
  if (!estimate) {
    out.number = "h·ω_max";
    out.verdict = "being measured";
    out.help = "The oscillations of this cloth are being measured.";
    return out;
  }
  out.help = describe_stability(integrator, values, h, *estimate);
  out.number = "h·ω_max " + format_steady(h * estimate->omega_max());
  if (!(estimate->omega_max() > 0) && !(estimate->damping_max > 0)) {
    out.level = StabilityLevel::safe;
    out.number = "h·ω_max 0";
    out.verdict = "nothing vibrates";
    return out;
  }
  const double growth = deciding_growth(integrator, values, h, *estimate);
  const std::optional<double> limit = largest_stable_step(integrator, values, *estimate);
  if (integrator.stability_limit == 0 && integrator.growth_of_slow_modes) {
    out.level = StabilityLevel::unstable;
    out.verdict = "slow motion grows";
  } else if (!limit && growth <= 1) {
    out.verdict = "limit unknown";
  } else if (!limit || *limit == 0) {
    show_growth(out, growth);
  } else if (std::isinf(*limit)) {
    out.level = StabilityLevel::safe;
    out.verdict = at_any_step(integrator, values, h, *estimate);
  } else {
    judge_against(out, h, *limit, is_approximate(integrator, values, *estimate));
    if (integrator.inextensible && h < *limit) out.verdict = "bending " + out.verdict;
    if (integrator.wind_limit) out.verdict += " in this wind";
    if (is_limited_by_contact(integrator, values, *estimate)) out.verdict += ", by contact";
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

StabilityReading blew_up_before(StabilityReading reading, double time) {
  if (reading.level != StabilityLevel::safe) return reading;
  reading.level = StabilityLevel::unstable;
  reading.verdict = "blew up here at " + format_plain(time, 3) + " s";
  reading.help += "\n\nThat is linear theory. With these values this run has blown up at " +
                  format_plain(time, 3) + " s before it went back.";
  return reading;
}

StabilityReading contradicted(StabilityReading reading, double gained) {
  if (reading.level != StabilityLevel::safe) return reading;
  const std::string energy = format_quantity(gained, "J", 3);
  reading.level = StabilityLevel::unstable;
  reading.verdict = "gained " + energy + ", though " + reading.verdict;
  reading.help += "\n\nThat is linear theory. In this run the method itself gained " + energy +
                  ", which no force gave (the ledger).";
  return reading;
}

}  // namespace clothlab
