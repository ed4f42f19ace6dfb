#include "ui/stability.h"

#include <cmath>

#include "ui/numbers.h"

namespace clothlab {
namespace {

// "1.73×", and exact words where the factor is one.
std::string factor(double growth) { return format_plain(growth) + "×"; }

// From here to the limit the gauge turns amber: ω_max changes by some per cent as the cloth moves.
constexpr double kNearLimit = 0.9;

}  // namespace

Stability describe_stability(const IntegratorInfo& integrator, double h, std::optional<double> omega_max) {
  Stability out;
  if (!omega_max) {
    out.number = "h·ω_max ...";
    out.verdict = "being measured";
    out.help = "ω_max, the fastest vibration of this cloth, is being estimated.";
    return out;
  }
  const double z = h * *omega_max;
  const double limit = integrator.stability_limit;
  const std::string title(integrator.title);
  const std::string fastest =
      "The fastest vibration of this cloth has ω_max = " + format_plain(*omega_max) + " 1/s. ";
  if (*omega_max <= 0) {
    out.level = StabilityLevel::safe;
    out.number = "h·ω_max 0";
    out.verdict = "nothing vibrates";
    out.help = "Nothing in this scene can vibrate.";
    return out;
  }
  if (limit == 0) {
    const double growth = integrator.growth(z);
    out.level = StabilityLevel::unstable;
    out.number = "h·ω_max " + format_plain(z);
    out.verdict = growth < 1.005 ? "grows " + format_plain((growth - 1) * 100, 2) + " % per step"
                                 : "grows " + factor(growth) + " per step";
    out.help = fastest + title +
               " has no stable step: without damping, that vibration grows by a factor of " +
               format_plain(growth, 4) + " in every step, √(1 + (h·ω)²).";
    return out;
  }
  if (std::isinf(limit)) {
    const double growth = integrator.growth(z);
    out.level = StabilityLevel::safe;
    out.number = "h·ω_max " + format_plain(z);
    out.verdict =
        growth < 0.995 ? "stable at any h, fastest mode " + factor(growth) + " per step" : "stable at any h";
    out.help = fastest + title + " is stable at any step size. At this one it multiplies that vibration by " +
               format_plain(growth) + " in every step: numerical damping that the material does not have.";
    return out;
  }
  out.largest_step = limit / *omega_max;
  out.number = "h·ω_max " + format_plain(z) + " of " + format_plain(limit);
  out.level = z >= limit                ? StabilityLevel::unstable
              : z >= kNearLimit * limit ? StabilityLevel::near_limit
                                        : StabilityLevel::safe;
  out.verdict = z >= limit                ? "unstable, " + factor(z / limit) + " the limit"
                : z >= kNearLimit * limit ? "close to the limit"
                                          : "stable";
  out.help = fastest + title + " is stable for h·ω_max below " + format_plain(limit) + ": here for h below " +
             format_quantity(*out.largest_step, "s") + ".";
  return out;
}

}  // namespace clothlab
