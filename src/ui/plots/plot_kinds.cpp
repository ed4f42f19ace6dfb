// SPDX-License-Identifier: MIT
#include "ui/plots/plot_kinds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <span>

#include "integrate/registry.h"
#include "ui/instruments/instruments.h"

namespace clothlab {
namespace {

using Samples = std::vector<PlotSample>;

constexpr float kActiveLane = 2.2F;   // thickness
constexpr double kShownSeconds = 30;  // until the user zooms; as long as the past is kept
constexpr double kShownSteps = 30;    // at least, of steps longer than a second

struct PlotQuantity {
  const char* label;
  ImU32 Palette::*colour;
  double (*get)(const PlotSample&);
  float thickness = 1.4F;
  bool stacked = false;
  bool only_if_any = false;  ///< left out if it is always 0
  bool of_method = false;    ///< relative to the last change of the lane's method or h
};

// Its switch in the legend removes it from the sum as well.
constexpr const char* kGravity = "gravity";

constexpr std::array<PlotQuantity, 7> energies_with(const PlotQuantity& sum) {
  return {
      sum,
      {"kinetic", &Palette::kinetic, [](const PlotSample& s) { return s.energy.kinetic; }},
      {"stretch", &Palette::stretch, [](const PlotSample& s) { return s.energy.stretch; }},
      {"bend", &Palette::bend, [](const PlotSample& s) { return s.energy.bend; }},
      {kGravity, &Palette::gravity, [](const PlotSample& s) { return s.energy.gravity; }},
      {"pressure", &Palette::muted, [](const PlotSample& s) { return s.energy.pressure; }, 1.4F, false, true},
      {"drivers", &Palette::failed, [](const PlotSample& s) { return s.energy.drivers; }, 1.4F, false, true}};
}
constexpr std::array kEnergies =
    energies_with({"total", &Palette::total, [](const PlotSample& s) { return s.energy.total; }, 2});
constexpr std::array kEnergiesWithoutGravity = energies_with(
    {"kinetic + elastic", &Palette::total,
     [](const PlotSample& s) { return s.energy.kinetic + s.energy.stretch + s.energy.bend; }, 2});
constexpr PlotQuantity entry(const char* label, ImU32 Palette::*colour, double (*get)(const PlotSample&)) {
  return {label, colour, get, 1.4F, true};
}
constexpr std::array kLedger{
    PlotQuantity{"sum", &Palette::total, [](const PlotSample& s) { return s.ledger.energy; }, 2},
    entry("method", &Palette::kinetic, [](const PlotSample& s) { return s.ledger.method; }),
    entry("damping", &Palette::bend, [](const PlotSample& s) { return s.ledger.damping; }),
    entry("grab", &Palette::stretch, [](const PlotSample& s) { return s.ledger.hand; }),
    entry("pins", &Palette::muted, [](const PlotSample& s) { return s.ledger.pins; }),
    entry("wind", &Palette::gravity, [](const PlotSample& s) { return s.ledger.wind; }),
    entry("drivers", &Palette::accent, [](const PlotSample& s) { return s.ledger.drivers; }),
    entry("contact", &Palette::failed, [](const PlotSample& s) { return s.ledger.contact; }),
    entry("changes", &Palette::accent_strong, [](const PlotSample& s) { return s.ledger.jump; }),
    entry("solver", &Palette::careful, [](const PlotSample& s) { return s.ledger.solver; }),
    entry("rods", &Palette::good, [](const PlotSample& s) { return s.ledger.rods; }),
    entry("limit", &Palette::text, [](const PlotSample& s) { return s.ledger.limit; }),
};
constexpr std::array kMethodsShares{PlotQuantity{
    "method", &Palette::kinetic, [](const PlotSample& s) { return s.ledger.method; }, 2, false, false, true}};
constexpr std::array kStrains{PlotQuantity{"largest strain", &Palette::stretch,
                                           [](const PlotSample& s) { return 100 * s.max_strain; }, 2}};
constexpr std::array kDistances{
    PlotQuantity{"distance", &Palette::kinetic, [](const PlotSample& s) { return s.distance; }, 2}};
constexpr std::array kLargestDistances{PlotQuantity{
    "largest distance", &Palette::stretch, [](const PlotSample& s) { return s.largest_distance; }, 2}};
constexpr std::array kHeights{
    PlotQuantity{"height", &Palette::kinetic, [](const PlotSample& s) { return s.position.y; }, 2}};
constexpr std::array kSpeeds{
    PlotQuantity{"speed", &Palette::stretch, [](const PlotSample& s) { return glm::length(s.velocity); }, 2}};
constexpr std::array kStepTimes{
    PlotQuantity{"one step", &Palette::kinetic, [](const PlotSample& s) { return s.milliseconds; }}};
constexpr std::array kIterations{
    PlotQuantity{"CG", &Palette::kinetic, [](const PlotSample& s) { return double(s.cg_iterations); }},
    PlotQuantity{"Newton", &Palette::stretch,
                 [](const PlotSample& s) { return double(s.newton_iterations); }}};

// The integrators over time.
std::vector<PlotStretch> stretches_of(const Samples& samples) {
  std::vector<PlotStretch> stretches;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= samples.size(); ++i) {
    if (i < samples.size() && samples[i].integrator == samples[start].integrator) continue;
    stretches.push_back(
        {samples[start].time, samples[std::min(i, samples.size() - 1)].time, samples[start].integrator});
    start = i;
  }
  return stretches;
}

// Name of a run: its integrator, or the first and the last of several.
std::string run_name(const std::vector<PlotStretch>& stretches) {
  if (stretches.empty()) return {};
  const std::string first = std::string(stretches.front().method->title);
  if (stretches.size() == 1) return first;
  return first + (stretches.size() == 2 ? ", then " : " ... ") + std::string(stretches.back().method->title);
}

PlotSample sample_of(const LaneOrigin& origin) {
  return {.time = origin.time, .energy = origin.energy, .ledger = origin.ledger};
}

PlotRun run_of(const LaneSnapshot& lane, std::span<const PlotQuantity> quantities, bool relative) {
  const Samples& samples = *lane.plot;
  const PlotSample origin = sample_of(lane.origin), of_method = sample_of(lane.method_origin);
  PlotRun run;
  run.stretches = stretches_of(samples);
  run.what = run_name(run.stretches);
  run.x.reserve(samples.size());
  for (const PlotSample& sample : samples) run.x.push_back(sample.time);
  for (const PlotQuantity& quantity : quantities) {
    PlotCurve curve{quantity.label, palette().*quantity.colour, quantity.thickness, {}, quantity.stacked};
    curve.y.reserve(samples.size());
    const double start = relative ? quantity.get(origin) : 0;
    // The energy of a method counts from its start.
    const double later_start = relative && quantity.of_method ? quantity.get(of_method) : start;
    bool any = !quantity.only_if_any;
    for (const PlotSample& sample : samples) {
      any = any || quantity.get(sample) != 0;
      curve.y.push_back(quantity.get(sample) - (sample.time < of_method.time ? start : later_start));
    }
    if (!any) continue;
    run.curves.push_back(std::move(curve));
  }
  return run;
}

// The last seconds before the present.
AxisRange last_seconds(const Snapshot& now) {
  std::optional<double> first;
  double end = 0;
  for (const LaneSnapshot* lane : now.lanes()) {
    if (lane->plot->empty()) continue;
    first = std::min(first.value_or(lane->plot->front().time), lane->plot->front().time);
    end = std::max(end, lane->plot->back().time);
  }
  double start = first.value_or(0);
  const double h = now.frame.scene->dt, shown = std::max(kShownSeconds, kShownSteps * std::abs(h));
  if (h < 0)
    end = std::min(end, start + shown);
  else
    start = std::max(start, end - shown);
  return {start, end > start ? end : start + std::abs(h)};
}

// Quantities over time; of several lanes only the first one, with a curve for each lane. `relative` ones are
// changes since the common origin.
Plot over_time(const Snapshot& now, std::span<const PlotQuantity> quantities, bool relative) {
  Plot plot;
  plot.x_title = "time [s]";
  plot.x_is_time = true;
  plot.empty = "Nothing yet: press Space to play, S for one step.";
  plot.fit_x = last_seconds(now);
  if (now.replay) plot.cursor = now.replay->time;
  if (now.others.empty()) {
    plot.runs.push_back(run_of(now, quantities, relative));
    return plot;
  }
  plot.origin = now.common_origin.time;
  for (const LaneSnapshot* lane : now.lanes()) {
    PlotRun run = run_of(*lane, quantities.first(1), relative);
    run.name = run.what = lane_name(*lane);
    run.fits = !lane->frozen;
    run.dash = lane_dash(lane->lane);
    run.curves.front().colour = lane_colour(lane->lane);
    if (lane->lane == now.lane) run.curves.front().thickness = kActiveLane;
    plot.runs.push_back(std::move(run));
  }
  return plot;
}

std::string since_origin(const Snapshot& now) {
  const auto began_before = [&](const LaneSnapshot* lane) {
    return !lane->plot->empty() && lane->plot->front().time < now.common_origin.time;
  };
  if (std::ranges::none_of(now.lanes(), began_before)) return "relative to start";
  return "relative to " + format_plain(now.common_origin.time, 3) + " s";
}

void count_from_origin(const Snapshot& now, Plot& plot) { plot.y_title = since_origin(now); }

// Entries that are always 0 are left out.
void finish_ledger(const Snapshot& now, Plot& plot) {
  plot.y_title = now.others.empty() ? since_origin(now) : "gained by the method";
  for (PlotRun& run : plot.runs)
    std::erase_if(run.curves, [](const PlotCurve& curve) {
      return curve.stacked && std::ranges::all_of(curve.y, [](double joule) { return joule == 0; });
    });
}

void add_strain_limit(const Snapshot& now, Plot& plot) {
  const Method& method = *now.frame.scene;
  if (method.adaptive)
    plot.levels.push_back({100 * method.max_strain, palette().careful, "limit of adaptive steps"});
}

// The reference itself has no curve.
void name_reference(const Snapshot& now, Plot& plot) {
  if (!now.reference) {
    plot.runs.clear();
    plot.empty = now.others.empty() ? "The distance from a reference: add one in the menu next to \"+\"."
                                    : "No lane is the reference: choose one in the menu \"...\" next to the "
                                      "letters of the lanes, or add one in the menu next to \"+\".";
    return;
  }
  std::erase_if(plot.runs, [&](const PlotRun& run) {
    return run.name.starts_with(std::string(1, lane_letter(*now.reference)) + ' ');
  });
  plot.y_title = std::string("from lane ") + lane_letter(*now.reference);
  plot.y_help = "The reference. Choose another one in the menu \"...\" next to the letters of the lanes.";
}

void need_followed(const Snapshot& now, Plot& plot) {
  if (now.followed) return;
  plot.runs.clear();
  plot.empty = "Alt-click a particle to follow it.";
}

// A step takes as long as the time that it simulates.
void add_real_time(const Snapshot& now, Plot& plot) {
  const double h = std::abs(now.frame.scene->dt);
  plot.levels.push_back({1e3 * h, palette().careful, "real time: " + format_quantity(h, "s") + " per step"});
}

bool iterates(const Snapshot& now) {
  const IntegratorInfo& info = running_method(now);
  const bool by_cg = now.frame.scene->solver.linear.kind == LinearSolverSettings::Kind::cg;
  return info.uses_newton || info.inextensible || (info.uses_linear_solver && by_cg);
}

struct Kind {
  const char* title;
  const char* help;
  std::span<const PlotQuantity> quantities = {};
  const char* unit = "";
  bool from_zero = false;
  void (*finish)(const Snapshot& now, Plot& plot) = nullptr;
  bool logarithmic = false;
  DrawInstrument draw = nullptr;
};
constexpr std::array<Kind, kPlotKinds> kKinds{{
    {"Energy",
     "Change of kinetic, stretch, bend, gravity and total energy [J] since the start of the run, with "
     "several lanes since their common origin (vertical line).",
     kEnergies, "J", false, count_from_origin},
    {"Ledger",
     "Sources of the change of T + V since the start [J], stacked: gains upwards, losses downwards. The line "
     "is their sum. Sources are the grab, pins, wind, contact, damping and the method itself. With several "
     "lanes: the energy of each method, since the common origin or a later change of its method or h.",
     kLedger, "J", false, finish_ledger},
    {"Strain", "Largest strain of any stretch spring, longer or shorter than at rest [%].", kStrains, "%",
     true, add_strain_limit},
    {"Distance", "RMS distance of every lane's particles from the reference lane [m].", kDistances, "m", true,
     name_reference},
    {"Largest distance",
     "Largest distance of a particle of every lane from its position in the reference lane [m].",
     kLargestDistances, "m", true, name_reference},
    {"Height", "Height of the followed particle (Alt-click) in every lane [m].", kHeights, "m", false,
     need_followed},
    {"Speed", "Speed of the followed particle (Alt-click) in every lane [m/s].", kSpeeds, "m/s", true,
     need_followed},
    {"Time per step", "Processor time of a step on this machine [ms], and the time that it simulates.",
     kStepTimes, "ms", true, add_real_time, true},
    {"Iterations", "CG and Newton iterations of each step.", kIterations, "", true},
    {"Iterations or time",
     "The iterations of an iterative method, otherwise the time per step."},  // never shown itself
    {.title = "Lanes",
     .help = "All lanes as a table to sort: limit, energy since the common origin, strain and cost. It "
             "appears next to the plots with several lanes, unless you chose another plot there.",
     .draw = lanes_instrument},
    {.title = "Stability",
     .help = "Why the method is stable or not: the frequencies of the current cloth, with pins and contacts "
             "fixed, and the method's growth per step. Or the eigenvalues hλ in the stability region.",
     .draw = stability_instrument},
    {.title = "Phase",
     .help = "Velocity over position of the followed particle (Alt-click) along a direction, in every lane. "
             "A pendulum that keeps its energy follows a closed curve; one that loses it spirals inwards.",
     .draw = phase_instrument},
    {.title = "One step",
     .help = "The force on the followed particle (Alt-click) during the last step: as it was along the path, "
             "and as the method used it. The areas are impulses.",
     .draw = step_instrument},
    {.title = "Error and cost",
     .help = "A point per running lane: RMS distance from the reference in the last second, over the cost of "
             "a simulated second. Lower and further left is better.",
     .draw = cost_instrument},
    {.title = "Solver",
     .help = "The last linear solve of every lane: its residual after each CG iteration, and the tolerance. "
             "Also the iterations of the last steps, and why a step did not converge.",
     .draw = solver_instrument},
    {.title = "Find the limits",
     .help = "Largest stable h of every method from the current state, with its cost, energy gain and error "
             "at that h. The search runs in the background.",
     .draw = limits_instrument},
    {.title = "Stability map",
     .help = "The h and stretch stiffnesses k_s at which the active lane's method is stable, from the "
             "current state. Trials run in the background. Click to set h and k_s.",
     .draw = map_instrument},
    {.title = "Choose a method",
     .help = "Error over computing time of every method at many h on this scene, and the cheapest "
             "one for an error, or the most accurate one in a time. Runs in the background.",
     .draw = choice_instrument},
}};

const Kind& row_of(PlotKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

PlotsLayout::PlotsLayout() {
  // For quantities of many magnitudes.
  for (std::size_t k = 0; k < kPlotKinds; ++k) views[k].logarithmic = kKinds[k].logarithmic;
}

std::vector<std::string> PlotsLayout::titles() const {
  std::vector<std::string> all;
  if (std::ranges::none_of(by_user, std::identity())) return all;
  for (std::size_t slot = 0; slot < chosen.size(); ++slot)
    all.emplace_back(by_user[slot] ? plot_title(chosen[slot]) : "");
  return all;
}

void PlotsLayout::choose(const std::vector<std::string>& titles) {
  for (std::size_t slot = 0; slot < std::min(titles.size(), chosen.size()); ++slot)
    for (std::size_t k = 0; k < kPlotKinds; ++k)
      if (titles[slot] == kKinds[k].title) choose(slot, static_cast<PlotKind>(k));
}

void PlotsLayout::choose(std::size_t slot, PlotKind kind) {
  chosen[slot] = kind;
  by_user[slot] = true;
}

void PlotsLayout::show(PlotKind kind) {
  const auto seen = std::span(chosen).first(columns_shown);
  const auto found = std::ranges::find(seen, kind);
  choose(enlarged.value_or(found == seen.end() ? columns_shown - 1
                                               : static_cast<std::size_t>(found - seen.begin())),
         kind);
}

PlotKind PlotsLayout::shown(std::size_t slot, std::size_t columns, const Snapshot& now) const {
  const auto shown_slots = std::span(chosen).first(columns);
  const bool is_table = slot > 0 && slot + 1 == columns && !now.others.empty() && !by_user[slot] &&
                        std::ranges::find(shown_slots, PlotKind::lanes) == shown_slots.end();
  return is_table ? PlotKind::lanes : shown_kind(chosen[slot], now);
}

bool PlotsLayout::with_gravity() const {
  return !views[static_cast<std::size_t>(PlotKind::energy)].hidden.contains(kGravity);
}

void PlotsLayout::set_with_gravity(bool with) {
  std::set<std::string>& hidden = view(PlotKind::energy).hidden;
  if (with)
    hidden.erase(kGravity);
  else
    hidden.insert(kGravity);
}

PlotKind shown_kind(PlotKind chosen, const Snapshot& now) {
  if (chosen != PlotKind::iterations_or_time) return chosen;
  return iterates(now) ? PlotKind::iterations : PlotKind::step_time;
}

DrawInstrument instrument(PlotKind kind) { return row_of(kind).draw; }

const char* plot_title(PlotKind kind) { return row_of(kind).title; }

const char* plot_help(PlotKind kind) { return row_of(kind).help; }

Plot make_plot(PlotKind chosen, const Snapshot& now, bool with_gravity) {
  const PlotKind kind = shown_kind(chosen, now);
  const Kind& row = row_of(kind);
  std::span<const PlotQuantity> quantities = row.quantities;
  if (kind == PlotKind::energy && !with_gravity) quantities = kEnergiesWithoutGravity;
  if (kind == PlotKind::ledger && !now.others.empty()) quantities = kMethodsShares;
  Plot plot = over_time(now, quantities, kind == PlotKind::energy || kind == PlotKind::ledger);
  plot.title = row.title;
  plot.unit = row.unit;
  plot.from_zero = row.from_zero;
  if (row.finish != nullptr) row.finish(now, plot);
  return plot;
}

}  // namespace clothlab
