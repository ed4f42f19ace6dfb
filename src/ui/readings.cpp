// SPDX-License-Identifier: MIT
#include "ui/readings.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/stability_text.h"
#include "core/text.h"
#include "session/real_time.h"
#include "sim/parameters.h"
#include "ui/theme.h"
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
    // Three digits would show 1.00 times.
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

// Overrules a verdict of stable that the run contradicts.
StabilityReading overruled(StabilityReading reading, StabilityLevel level, std::string verdict,
                           const std::string& why) {
  if (reading.level != StabilityLevel::safe) return reading;
  reading.level = level;
  reading.verdict = std::move(verdict);
  reading.help += "\n\n" + why;
  return reading;
}

/// The current estimate; none if the shown state had other forces.
std::optional<StabilityEstimate> shown_estimate(const LaneSnapshot& lane) {
  const Scene &then = lane.scene(), &now = *lane.frame.scene;
  const bool has_same_forces = then.integrator == now.integrator && then.material == now.material &&
                               then.wind == now.wind && then.contact == now.contact &&
                               then.thickness == now.thickness && then.self_contact == now.self_contact &&
                               then.floor == now.floor && then.obstacles == now.obstacles &&
                               then.solver.jacobian == now.solver.jacobian;
  return has_same_forces ? lane.stability : std::nullopt;
}

std::string share_text(double share) {
  const double value = 100 * share;
  return (value < 10 ? format_steady(value, 2) : format_plain(std::round(value), 4)) + " %";
}

// From here on a verdict of stable comes with the strain.
constexpr double kLargeStrain = 0.5;

// A difference of energies below this fraction of them is rounding error.
constexpr double kRounding = 1e-13;

std::string signed_quantity(double value, const char* unit) {
  return (value > 0 ? "+" : "") + format_quantity(value, unit, 3);
}

// Sets the state: runs, is frozen, blew up, catches up.
void describe_state(const LaneSnapshot& lane, LaneReading& out) {
  if (lane.catching_up) {
    out.short_state = "catches up";
    out.state = "catches up: " + format_plain(lane.catching_up->time, 3) + " s";
    out.colour = palette().careful;
  } else if (!lane.blow_up_sentence.empty()) {
    out.short_state = "blew up";
    out.state = "blew up at " + format_plain(lane.blow_up_time, 3) + " s";
    out.colour = palette().failed;
  } else if (lane.frozen) {
    out.short_state = "frozen";
    out.state = "frozen at " + format_plain(lane.frame.record.time, 3) + " s";
    out.colour = palette().careful;
  } else if (out.real_time) {
    out.short_state = factor_text(*out.real_time);
    out.state = out.short_state + " real time";
    out.colour = *out.real_time < 1 ? palette().careful : palette().muted;
  } else {
    out.state = out.short_state = "no step yet";
    out.colour = palette().muted;
  }
}

// Values of the method that differ from the defaults, since lanes may differ in them. The title says how
// stages are solved.
std::string own_values(const Scene& scene) {
  std::string text;
  const auto add = [&](const ParameterSpec& spec, double value) {
    if (value != spec.fallback) text += " · " + std::string(spec.title) + " " + shown_value(spec, value);
  };
  for (const SceneParameter& row : scene_parameters())
    if (row.of_method && row.spec.id != "stage-solve") add(row.spec, row.get(scene));
  const IntegratorInfo& info = method_info(scene);
  const IntegratorParameters values = integrator_parameters(scene);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) add(info.parameters[i], values[i]);
  return text;
}

// Without a limit: whether every or no h is stable, which may be unknown, as for explicit Euler.
std::string limit_text(std::optional<double> share, StabilityLevel level) {
  if (share) return format_steady(*share, 2);
  if (level == StabilityLevel::unstable) return "none";
  return level == StabilityLevel::unknown ? "–" : "any";
}

struct MethodShare {
  double gained = 0;  // [J]; dissipated, where negative
  double share = 0;   // of all energy exchanged, -1 to 1
};

// None before the lane got its method.
std::optional<MethodShare> method_share(const LaneSnapshot& lane) {
  if (lane.frame.record.time + kRounding < lane.method_origin.time) return std::nullopt;
  EnergyLedger ledger = lane.frame.record.ledger;
  double moved = 0;
  for (const EnergyEntry& entry : kEnergyEntries) {
    ledger.*entry.joule -= lane.method_origin.ledger.*entry.joule;
    moved += std::abs(ledger.*entry.joule);
  }
  MethodShare out{ledger.spurious()};
  if (moved > 0) out.share = std::clamp(out.gained / moved, -1.0, 1.0);
  return out;
}

StabilityReading theory_of(const LaneSnapshot& lane) {
  const Scene& scene = lane.scene();
  return read_stability(shown_method(lane), integrator_parameters(scene), scene.h(), shown_estimate(lane));
}

/// The reading of theory, overruled by the run, also by its blow-up.
StabilityReading judged(StabilityReading theory, const LaneSnapshot& lane) {
  if (lane.blow_up_sentence.empty()) return judged_by_run(std::move(theory), lane);
  if (theory.level == StabilityLevel::unstable) return theory;
  const Scene& scene = lane.scene();
  theory.level = StabilityLevel::unstable;
  // h may have changed since; adaptive steps are smaller.
  theory.verdict = scene.adaptive || lane.blow_up_h == scene.h()
                       ? std::string("blew up anyway")
                       : "blew up at h = " + format_quantity(lane.blow_up_h, "s");
  return theory;
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
  if (h < 0) {
    out.verdict = "back in time";
    return out;
  }
  if (!(estimate->omega_max() > 0) && !(estimate->damping_max > 0)) {
    out.level = StabilityLevel::safe;
    out.number = "h·ω_max 0";
    out.verdict = "nothing vibrates";
    return out;
  }
  const double growth = deciding_growth(integrator, values, h, *estimate);
  const std::optional<double> limit = largest_stable_step(integrator, values, *estimate);
  if (stability_limit(integrator, values) == 0 && integrator.growth_of_slow_modes) {
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
  return overruled(std::move(reading), StabilityLevel::near_limit, "not converged",
                   "This assumes converged steps. The last step did not converge: " + why + ".");
}

std::optional<StepFigure> step_figure(const IntegratorInfo& info, const IntegratorParameters& values,
                                      const StepRecord& record) {
  if (record.integrator != info.id) return std::nullopt;
  if (info.inextensible)
    return StepFigure{"rods off by " + format_quantity(record.length_violation, "m"), "rods off by 000.0 mm",
                      "Largest difference of a stretch spring from its length. For this method stretch "
                      "springs are rods without elastic energy, in the energies and in the blow-up test."};
  if (record.distance)
    return StepFigure{format_steady(*record.distance) + " from backward Euler", "0.000 from backward Euler",
                      "‖M (v1 − v0) − h f(x1, v1)‖ over ‖h f(x0, v0)‖ in the last substep: 0 would be a step "
                      "of backward Euler. XPBD keeps a remainder for any number of sweeps, since its "
                      "impulses keep their directions; more substeps make it smaller."};
  if (record.modes) {
    const std::string text = std::to_string(*record.modes) + " of " + format_plain(values.at(0)) + " modes";
    return StepFigure{text, text,
                      "Modes integrated exponentially in the last step. Modes of equal frequency are "
                      "included together or not at all, since their shapes are not unique: a flat sheet has "
                      "thousands of frequency 0, cloth without pins three for its translations."};
  }
  return std::nullopt;
}

const LaneSnapshot* find_lane(const Snapshot& now, LaneId lane) {
  const std::vector<const LaneSnapshot*> lanes = now.lanes();
  const auto found = std::ranges::find(lanes, lane, &LaneSnapshot::lane);
  return found == lanes.end() ? nullptr : *found;
}

const IntegratorInfo& shown_method(const LaneSnapshot& lane) {
  return lane.scene_then ? method_info(*lane.scene_then) : running_method(lane);
}

const IntegratorInfo& running_method(const LaneSnapshot& lane) {
  const IntegratorInfo& row = integrators()[lane.integrator];
  const Scene& scene = *lane.frame.scene;
  return row.id == scene.integrator ? method_info(scene) : row;
}

StepTrouble trouble_of(const LaneSnapshot& lane, const IntegratorInfo& info) {
  if (!lane.warning.empty()) return {lane.warning, lane.converged};
  // Non-convergence of another method does not apply to this one.
  const StepRecord& record = lane.frame.record;
  if (record.integrator != info.id) return {};
  return {std::string(record.converged ? record.warning : record.reason), record.converged};
}

ImU32 level_colour(StabilityLevel level) {
  switch (level) {
    case StabilityLevel::safe:
      return palette().good;
    case StabilityLevel::near_limit:
      return palette().careful;
    case StabilityLevel::unstable:
      return palette().failed;
    case StabilityLevel::unknown:
      break;
  }
  return palette().muted;
}

std::optional<double> spurious_energy(const LaneSnapshot& lane) {
  constexpr double kLargeShare = 0.1;  // of all energy exchanged
  const std::optional<MethodShare> method = method_share(lane);
  if (!method || !(method->gained > 0)) return std::nullopt;
  const EnergyReport& energy = lane.frame.record.energy;
  const bool is_reported =
      lane.notices &&
      contains(std::span(*lane.notices).subspan(std::min(lane.method_origin.notices, lane.notices->size())),
               NoticeCause::spurious_energy);
  if (!is_reported &&
      !(method->share > kLargeShare && method->gained > energy.kinetic + energy.stretch + energy.bend))
    return std::nullopt;
  return method->gained;
}

std::optional<RealTimeLag::Limit> limit_of_others(const Snapshot& now) {
  std::optional<RealTimeLag::Limit> lowest;
  for (const LaneSnapshot& lane : now.others) {
    if (lane.frozen || !lane.stability) continue;
    const Scene& scene = *lane.frame.scene;
    const auto limit =
        largest_stable_step(running_method(lane), integrator_parameters(scene), *lane.stability);
    if (!limit || std::isinf(*limit) || *limit == 0) continue;
    const double step = *limit * scene.substeps;
    if (!lowest || step < lowest->step) lowest = RealTimeLag::Limit{lane.lane, step};
  }
  return lowest;
}

StabilityReading judged_by_run(StabilityReading theory, const LaneSnapshot& lane) {
  if (lane.blew_up_at) {
    const std::string time = format_plain(*lane.blew_up_at, 3) + " s";
    theory = overruled(
        std::move(theory), StabilityLevel::unstable, "blew up here at " + time,
        "That is linear theory. With these values this run blew up at " + time + ", before you went back.");
  } else if (const auto gained = spurious_energy(lane)) {
    const std::string energy = format_quantity(*gained, "J", 3), verdict = "gained " + energy + ", though ";
    theory = overruled(theory, StabilityLevel::unstable, verdict + theory.verdict,
                       "That is linear theory. In this run the method gained " + energy +
                           " of spurious energy (see the ledger).");
  }
  const StepTrouble trouble = trouble_of(lane, shown_method(lane));
  if (!trouble.converged) return not_converged(std::move(theory), trouble.why);
  const double strain = lane.frame.record.max_strain;
  if (!(strain > kLargeStrain)) return theory;
  const std::string much = share_text(strain);
  return overruled(
      std::move(theory), StabilityLevel::near_limit, "stable, but strained by " + much,
      "That is linear theory, for small strains. A spring of this cloth is strained by " + much + ".");
}

StabilityReading read_stability(const LaneSnapshot& lane) { return judged(theory_of(lane), lane); }

LaneReading read_lane(const LaneSnapshot& lane) {
  LaneReading out;
  const Scene& scene = lane.scene();
  const IntegratorInfo& info = shown_method(lane);
  const double h = scene.h();
  if (lane.step_ms.wall > 0) out.real_time = lane.step_ms.real_time_factor(lane.frame.scene->dt);
  describe_state(lane, out);
  const StabilityReading theory = theory_of(lane), stability = judged(theory, lane);
  if (stability.largest_step) out.limit_share = h / *stability.largest_step;
  // A lane that blew up anyway has shown that not every h is stable.
  const bool was_wrong = !lane.blow_up_sentence.empty() && theory.level != StabilityLevel::unstable;
  out.limit = limit_text(out.limit_share, was_wrong ? StabilityLevel::unknown : theory.level);
  out.verdict = stability.verdict;
  out.level_colour = level_colour(stability.level);
  const EnergyReport& energy = lane.frame.record.energy;
  const double rounding = kRounding * (energy.kinetic + energy.stretch + energy.bend +
                                       std::abs(energy.gravity) + std::abs(energy.pressure));
  const auto without_rounding = [&](double joule) { return std::abs(joule) < rounding ? 0 : joule; };
  // A lane frozen before the origin, or an earlier moment, has no energy since then.
  const bool counts = lane.frame.record.time + kRounding >= lane.origin.time || lane.frame.record.h < 0;
  if (counts) out.energy_change = without_rounding(energy.total - lane.origin.energy.total);
  out.energy = counts ? signed_quantity(out.energy_change, "J") : "–";
  const std::optional<MethodShare> method = method_share(lane);
  if (method) {
    out.method_energy = without_rounding(method->gained);
    out.method_share = out.method_energy == 0 ? 0 : method->share;
  }
  out.method = method ? signed_quantity(out.method_energy, "J") : "–";
  const double seconds = lane.frame.record.time - lane.method_origin.time;
  if (method && seconds > 0) out.method_power = out.method_energy / seconds;
  out.power = method && seconds > 0 ? signed_quantity(out.method_power, "W") : "–";
  if (lane.method_origin.time > lane.origin.time)
    out.method_since = "since " + format_plain(lane.method_origin.time, 3) + " s";
  out.name = title_with(info, scene.solver) + own_values(scene);
  out.help = out.name + ", h = " + format_quantity(h, "s") + ". ";
  if (solves_stages_once(info, scene.solver)) out.help += "S: semi-implicit, one linear solve per stage. ";
  if (!lane.blow_up_sentence.empty()) out.help += lane.blow_up_sentence + " ";
  if (out.real_time)
    out.help += "A step costs " + format_plain(lane.step_ms.median) +
                " ms of processor time (median of the last steps); alone, the lane runs at " +
                factor_text(*out.real_time) + " real time. ";
  if (counts) out.help += "Energy since " + format_plain(lane.origin.time, 3) + " s: " + out.energy + ". ";
  if (method)
    out.help +=
        std::string("The method ") + (out.method_energy < 0 ? "dissipated " : "gained ") +
        format_quantity(std::abs(out.method_energy), "J", 3) +
        (out.method_since.empty() ? "" : ' ' + out.method_since + ", when the lane's method or h changed") +
        ". ";
  out.help += "Largest strain " + share_text(lane.frame.record.max_strain) + ". " + stability.help;
  return out;
}

}  // namespace clothlab
