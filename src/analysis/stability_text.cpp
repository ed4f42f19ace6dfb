// SPDX-License-Identifier: MIT
#include "analysis/stability_text.h"

#include <cmath>

#include "core/text.h"

namespace clothlab {
namespace {

std::string seconds(double s) { return format_quantity(s, "s"); }

/// " multiplies X by 1.72", or " enlarges X by 0.034 %" if three digits do not distinguish it from 1.
std::string multiplies(const std::string& what, double growth) {
  if (growth > 1 && growth < 1.1)
    return " enlarges " + what + " by " + format_plain(100 * (growth - 1), 2) + " %";
  return " multiplies " + what + " by " + format_plain(growth);
}

std::string at(double h, const StabilityEstimate& e) {
  return "h = " + seconds(h) + " (h·ω_max = " + format_plain(h * e.omega_max()) + ")";
}

/// The limit without damping, to compare.
std::string without_damping(const IntegratorInfo& integrator, const IntegratorParameters& values,
                            const StabilityEstimate& e) {
  const double h_omega = stability_limit(integrator, values);
  if (h_omega == 0) return "; without damping no step size would be";
  if (!(e.omega_max() > 0)) return "";
  return "; without damping it would be " + format_plain(h_omega) +
         "/ω_max = " + seconds(h_omega / e.omega_max());
}

std::string by_contact(const IntegratorInfo& integrator, const IntegratorParameters& values,
                       const StabilityEstimate& e) {
  return is_limited_by_contact(integrator, values, e)
             ? " Contact forces set that limit: with softer ones, or none, it would be larger."
             : "";
}

std::string against_the_limit(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                              double limit, const StabilityEstimate& e) {
  const std::string text =
      std::string(integrator.title) + " is stable below h " +
      (is_approximate(integrator, values, e) ? "≈ " : "= ") + seconds(limit) +
      ", its linear limit at this shape" +
      (integrator.inextensible
           ? " as far as bending springs, dampers and the grab go; rods under tension, or "
             "more of them than the cloth has freedom, may have a lower one"
           : without_damping(integrator, values, e));
  if (h < limit) return text + ". Here " + at(h, e) + "." + by_contact(integrator, values, e);
  return text + ". Here " + at(h, e) + ", which" +
         multiplies("an oscillation", deciding_growth(integrator, values, h, e)) + " in every step." +
         by_contact(integrator, values, e);
}

/// For a method without a limit on an oscillator.
std::string at_every_step_size(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               const StabilityEstimate& e) {
  std::string text = std::string(integrator.title) + " is stable at every step size";
  if (!integrator.stability_condition.empty())
    text += " " + std::string(integrator.stability_condition);
  else if (!damps_stiff_motion(integrator, values, h, e))
    return text + " on an oscillator, here at " + at(h, e) +
           ", but damps nothing: on cloth that bends and turns, energy may grow at large steps. Watch its "
           "plot.";
  return text + "; at " + at(h, e) + " it" +
         multiplies("the stiffest oscillation", deciding_growth(integrator, values, h, e)) +
         " in every step.";
}

std::string in_the_wind(double h, double limit) {
  if (std::isinf(limit)) return "";
  return " The wind is explicit, though: in this wind it is stable below h = " + seconds(limit) +
         (h < limit ? "." : " only.");
}

std::string advice(const BlowUpFacts& facts) {
  const bool is_implicit =
      std::isinf(facts.integrator->stability_limit) || facts.integrator->growth_of_slow_modes;
  return " A step smaller than h = " + seconds(facts.h) +
         (is_implicit ? " would help." : " or an implicit method would help.");
}

std::string name_of_contact(const BlowUpFacts& facts) {
  return "the contact of vertex " + std::to_string(facts.contact_vertex) + " with " + facts.contact_with;
}

std::string or_other_contact(const BlowUpFacts& facts) {
  return facts.other_contact.empty() ? "" : ", or " + facts.other_contact;
}

std::string what_happened(const BlowUpFacts& facts) {
  if (facts.crowded)
    return "more contacts are possible within the step than contact can resolve. Use a smaller h or more "
           "substeps, a thickness and a contact distance that are small compared with the edges" +
           or_other_contact(facts) + ".";
  if (facts.squeezed)
    return "contact found no free displacement at " + name_of_contact(facts) +
           ": moving pins or obstacles squeeze it. Move them more slowly, or use a smaller h or more "
           "substeps" +
           (facts.contact_model == ContactModel::barrier ? ", a stiffer barrier" : "") +
           or_other_contact(facts) + ".";
  if (!facts.finite) return "a position or velocity is no longer a finite number.";
  if (!std::isfinite(facts.energy)) return "the energy is no longer a finite number.";
  return (facts.spurious ? "it gained " + format_plain(facts.energy) + " J of spurious energy"
                         : "the cloth held " + format_plain(facts.energy) + " J") +
         ", more than " + format_plain(facts.factor) + " × the " +
         format_plain(facts.allowed / facts.factor) + " J from gravity, the start and your grabs.";
}

/// Remedies other than h if the cloth touched something.
std::string contact_remedy(const BlowUpFacts& facts) {
  if (facts.contact_model != ContactModel::impulse) return "";
  const std::string other = or_other_contact(facts);
  return " Contact by impulses was active; more substeps" + (other.empty() ? "" : other + ",") + " may help.";
}

std::string name_of_spring(const BlowUpFacts& facts) {
  return std::string("the ") + (facts.spring->stretch ? "stretch" : "bending") + " spring between vertices " +
         std::to_string(facts.vertices[0]) + " and " + std::to_string(facts.vertices[1]);
}

/// [s]
double largest_stable_h(const BlowUpFacts& facts, const DampedOscillation& oscillation) {
  return largest_stable_step(*facts.integrator, facts.parameters, oscillation);
}

bool is_stiffer(const BlowUpFacts& facts) {
  return facts.contact && !(facts.spring && std::max(facts.contact->omega, facts.contact->friction_rate) <
                                                facts.spring->omega);
}

/// The contact alone, if it is stiffer than the spring.
std::string what_contact_did(const BlowUpFacts& facts) {
  if (!is_stiffer(facts)) return "";
  const FailedContact& c = *facts.contact;
  const auto share = [&](const char* what, double rate, const DampedOscillation& oscillation) {
    const double limit = largest_stable_h(facts, oscillation) * rate;
    return what + format_plain(facts.h * rate) +
           (limit > 0 && std::isfinite(limit) ? ", of " + format_plain(limit) : std::string());
  };
  std::string text = name_of_contact(facts) + " is stiffer: " + share("h·ω = ", c.omega, {c.omega, 0});
  text.replace(0, 1, " T");
  if (c.friction_rate > 0)
    text += share("; its friction brakes at h·d = ", c.friction_rate, {0, c.friction_rate});
  return text + ".";
}

/// Compares its frequency alone with the limit of one undamped oscillation.
std::string what_failed(const BlowUpFacts& facts) {
  if (!facts.spring) return "";
  const FailedSpring& s = *facts.spring;
  const auto share = [&](double length) { return format_plain(length / s.rest_length); };
  std::string text = " No spring gained more energy than " + name_of_spring(facts) + ": from " +
                     share(s.before) + " to " + share(s.after) + " times its length at rest";
  if (!(s.omega > 0) || (facts.integrator->inextensible && s.stretch)) return text + ".";
  text += "; alone between its particles it has h·ω = " + format_plain(facts.h * s.omega);
  const double limit = stability_limit(*facts.integrator, facts.parameters);
  return text + (limit > 0 && std::isfinite(limit) ? ", of " + format_plain(limit) + "." : ".");
}

std::string where_measured(const BlowUpFacts& facts) {
  if (!facts.good_time) return " At the start: ";
  return " In the last good state (no spring strained by 10 %), at " + format_plain(*facts.good_time) +
         " s: ";
}

std::string describe_cloth(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                           const StabilityEstimate& e) {
  const std::string title(integrator.title);
  if (!(e.omega_max() > 0) && !(e.damping_max > 0))
    return std::string("Nothing in this scene can oscillate") +
           (integrator.inextensible ? " where stretch springs are rods" : "") +
           ", so no step size is too large.";
  if (h < 0)
    return title + " takes steps back in time, here of " + seconds(h) +
           ". Its stability limit is one of positive steps; back in time, damping adds energy.";
  const double growth = deciding_growth(integrator, values, h, e);
  const std::string stiffest =
      title + multiplies("the stiffest oscillation", growth) + " in every step at " + at(h, e);
  const std::optional<double> limit = largest_stable_step(integrator, values, e);

  if (std::isinf(stability_limit(integrator, values)))
    return at_every_step_size(integrator, values, h, e) + in_the_wind(h, limit.value());
  if (integrator.growth_of_slow_modes)
    return stiffest +
           ", but its slowest modes gain energy at every step size unless damping removes it; a smaller h "
           "gains less.";
  if (!limit)
    return stiffest + ". Its linear limit depends on all oscillations and is found for cloth of up to " +
           std::to_string(kExactDirections / 3) + " free particles.";
  if (*limit == 0) return stiffest + ": no step size is stable.";
  return against_the_limit(integrator, values, h, *limit, e);
}

}  // namespace

std::string describe_stability(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               const StabilityEstimate& e) {
  return describe_cloth(integrator, values, h, e) +
         (e.without_distances ? std::string(" ") + kWithoutDistances : "");
}

bool contact_failed(const BlowUpFacts& facts) {
  if (facts.squeezed) return true;
  if (!is_stiffer(facts)) return false;
  return largest_stable_h(facts, {facts.contact->omega, 0}) < facts.h ||
         largest_stable_h(facts, {0, facts.contact->friction_rate}) < facts.h;
}

std::string name_of_failure(const BlowUpFacts& facts) {
  if (facts.crowded) return "";
  if (contact_failed(facts)) return name_of_contact(facts);
  return facts.spring ? name_of_spring(facts) : std::string();
}

std::string explain_blow_up(const BlowUpFacts& facts, const std::optional<StabilityEstimate>& estimate) {
  const IntegratorInfo& integrator = *facts.integrator;
  const IntegratorParameters& values = facts.parameters;
  std::string text =
      "Blown up in step " + std::to_string(facts.step) + ", at " + format_plain(facts.time) + " s: ";
  if (facts.squeezed || facts.crowded) return text + what_happened(facts);
  text += what_happened(facts) + contact_remedy(facts) + what_failed(facts) + what_contact_did(facts);
  if (!estimate) return text + advice(facts);
  text += where_measured(facts) + describe_stability(integrator, values, facts.h, *estimate);

  const std::optional<double> limit = largest_stable_step(integrator, values, *estimate);
  if (std::isinf(stability_limit(integrator, values))) {
    if (facts.h < limit)
      text +=
          std::string(
              " That limit is valid for small deformations: the step turned or crushed the springs too far") +
          (facts.solved_once ? ", which one linear solve per stage does not follow. Newton's method "
                               "(--stage-solve newton) does."
                             : ", or its equations did not converge.");
    return text + advice(facts);
  }
  if (integrator.growth_of_slow_modes) return text + advice(facts);
  if (!limit || *limit == 0)
    return text + " Symplectic Euler at the same cost holds up to h = " + seconds(explicit_limit(*estimate)) +
           ", an implicit method at any h.";
  if (facts.h < *limit)
    text += " That limit is of small motion about this shape: large strains make it lower." + advice(facts);
  return text;
}

}  // namespace clothlab
