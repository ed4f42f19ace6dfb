// SPDX-License-Identifier: MIT
#include "experiments/method_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "arena/arena.h"
#include "core/error.h"
#include "core/text.h"
#include "documents/command_line.h"
#include "experiments/step_trial.h"
#include "io/csv.h"
#include "session/background.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

constexpr std::uint64_t kMostSubsteps = 1000;  // of a scene
constexpr double kLeastStep = 1e-6;            // of a scene [s]

/// Computing time of a run [ms] that hardly depends on other programs, for any number of threads.
double undisturbed(const StepTime& took) { return std::min(took.wall, took.processor); }

/// Empty if one of the two runs did not reach the end.
std::optional<Reference> reference_by(const LoadedScene& loaded, const IntegratorInfo& info, double duration,
                                      std::uint64_t steps, WorkerPool& pool, const StopProbe& stop,
                                      const RunScript& script) {
  const double h = duration / static_cast<double>(2 * steps);
  if (script.steps > 0 ? 2 * steps > kMostSubsteps * script.steps : h < kLeastStep) return {};
  Method method = loaded.scene.method();
  set_integrator(method, info);
  method.solver.stage_solve = StageSolve::newton;
  const RunEnd coarse = run_to(loaded, method, duration, steps, pool, stop, script);
  if (!coarse.failure.empty()) return {};
  Reference made{&info, 2 * steps, run_to(loaded, method, duration, 2 * steps, pool, stop, script)};
  if (!made.end.failure.empty()) return {};
  made.change = errors_between(coarse, made.end);
  made.change_x = made.change.error_x;
  made.change_v = made.change.error_v;
  return made;
}

/// Records a run at the times that all runs share.
class SharedTimes {
 public:
  SharedTimes(RunEnd& end, const Simulation& run, std::uint64_t spacing,
              std::optional<std::uint32_t> particle)
      : end_(end), run_(run), spacing_(spacing), particle_(particle), rest_(rest()) {}

  void add() {
    if (run_.steps() % spacing_ != 0) return;
    const EnergyReport& energy = run_.record().energy;
    end_.energies.push_back(energy.total);
    end_.exchanged = std::max({end_.exchanged, energy.kinetic, std::abs(rest() - rest_)});
    if (particle_) end_.path.push_back(run_.state().x[*particle_]);
  }

 private:
  double rest() const { return run_.record().energy.total - run_.record().energy.kinetic; }

  RunEnd& end_;
  const Simulation& run_;
  std::uint64_t spacing_;
  std::optional<std::uint32_t> particle_;
  double rest_;  // at the start [J]
};

}  // namespace

std::uint64_t coarsest_steps(double duration) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(60 * duration)));
}

RunEnd run_to(const LoadedScene& loaded, const Method& method, double duration, std::uint64_t steps,
              WorkerPool& pool, const StopProbe& stop, const RunScript& script) {
  constexpr double kShortRun = 300;  // [ms]; shorter ones run three times
  constexpr int kRepeats = 3;
  Scene scene = trial_scene(loaded, method_info(method), duration / static_cast<double>(steps));
  static_cast<Method&>(scene) = method;
  scene.adaptive = false;
  if (script.steps > 0) {
    scene.dt = loaded.scene.dt;
    scene.substeps = static_cast<int>(steps / script.steps);
    steps = script.steps;
  }
  const double dt = scene.dt;
  RunEnd end;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    Simulation simulation(scene, loaded.mesh, pool, stop, loaded.model);
    StepFigures figures;
    StepTime took;
    SharedTimes shared(end, simulation, std::max<std::uint64_t>(1, steps / script.coarsest(duration)),
                       script.particle);
    auto next = script.changes.begin();
    const auto make_changes = [&] {
      for (; next != script.changes.end() && next->step == simulation.steps(); ++next)
        repeat_change(pool, *next, simulation);
    };
    const double before = pool_seconds(pool);
    StepStatus status = StepStatus::done;
    try {
      make_changes();
      status = run_steps(simulation, steps, pool, stop, [&](const StepTime& step) {
        figures.add(simulation.record(), step, dt);
        took.wall += step.wall;
        if (repeat == 0) shared.add();
        make_changes();
      });
    } catch (const InputError& refused) {
      end.failure = refused.what();
    }
    took.processor = 1000 * (pool_seconds(pool) - before);  // not of other threads, as step.processor
    if (status == StepStatus::stopped) throw Cancelled();
    if (repeat == 0 || took.wall < end.took.wall) end.took = took;
    if (repeat > 0) continue;
    end.state = simulation.state();
    end.figures = std::move(figures);
    end.energy = simulation.record().energy.total;
    end.gains_energy = simulation.notices().has(NoticeCause::spurious_energy) ||
                       simulation.notices().has(NoticeCause::gain_in_step);
    if (const std::optional<BlowUp>& blow_up = simulation.blow_up())
      end.failure = "blew up at " + format_quantity(blow_up->time, "s");
    if (!end.failure.empty() || undisturbed(took) > kShortRun) break;
  }
  return end;
}

double RunErrors::of(ErrorMeasure measure) const {
  return std::array{error_x, largest_x, largest_energy, error_path}[static_cast<std::size_t>(measure)];
}

RunErrors errors_between(const RunEnd& run, const RunEnd& other) {
  RunErrors errors;
  errors.error_x = rms_distance(run.state.x, other.state.x);
  errors.error_v = rms_distance(run.state.v, other.state.v);
  errors.largest_x = largest_distance(run.state.x, other.state.x);
  errors.error_energy = run.energy - other.energy;
  for (std::size_t k = 0; k < run.energies.size(); ++k)
    errors.largest_energy = std::max(errors.largest_energy, std::abs(run.energies[k] - other.energies[k]));
  if (!run.path.empty()) errors.error_path = rms_distance(run.path, other.path);
  return errors;
}

Reference make_reference(const LoadedScene& loaded, double duration, WorkerPool& pool, const StopProbe& stop,
                         const RunScript& script) {
  constexpr std::uint64_t kImplicitRefinement = 32;
  constexpr std::uint64_t kMostWork = 30'000'000;  // particles times steps, about half a minute
  constexpr double kAtRest = 1e-9;                 // of the diagonal
  const IntegratorInfo& best = most_accurate_method();
  const std::uint64_t coarsest = script.coarsest(duration);
  std::uint64_t steps = coarsest;
  while (duration / static_cast<double>(steps) > 0.5 / loaded.omega_max) steps *= 2;
  std::optional<Reference> made;
  if (supports_contact(loaded.scene.contact.model, best))
    for (const std::uint64_t finer :
         std::array<std::uint64_t, 3>{1, 8, 64})  // dampers may limit the step more than ω_max
      if (!made && (finer == 1 || finer * steps * loaded.mesh->positions.size() <= kMostWork))
        made = reference_by(loaded, best, duration, finer * steps, pool, stop, script);
  if (!made)
    made = reference_by(loaded, *find_integrator("tr-bdf2"), duration, kImplicitRefinement * coarsest, pool,
                        stop, script);
  if (!made)
    throw InputError(
        "Neither " + std::string(best.id) + " nor tr-bdf2 with steps of " +
        format_quantity(duration / static_cast<double>(2 * kImplicitRefinement * coarsest), "s") +
        " gets through this scene, so there is no reference for errors.");
  const SharedValue<InitialState>& start = loaded.scene.initial_state;
  made->displacement = rms_distance(
      start ? particle_values(*loaded.mesh, start->positions) : loaded.mesh->positions, made->end.state.x);
  if (!(made->displacement > kAtRest * loaded.mesh->diagonal))
    throw InputError("The cloth does not move in this time, so that there are no errors to measure.");
  return *std::move(made);
}

std::vector<MethodVariant> variants_of(const Scene& scene, std::span<const IntegratorInfo* const> methods) {
  constexpr double kMoreSweeps = 4;
  constexpr std::array kOfTolerance{0.1, 10.0}, kOfSubsteps{0.25, 4.0};
  std::vector<MethodVariant> variants;
  const auto add = [&](std::string title, const Method& method, bool is_tuned = false) {
    if (std::ranges::find(variants, method, &MethodVariant::method) == variants.end())
      variants.push_back({std::move(title), method, is_tuned});
  };
  const auto add_tolerances = [&](const IntegratorInfo& info, Method method) {
    const bool by_newton = solves_by_newton(info, method.solver);
    if (!by_newton &&
        !(info.uses_linear_solver && method.solver.linear.kind == LinearSolverSettings::Kind::cg))
      return;
    const std::string title = title_with(info, method.solver) + (by_newton ? " with Newton" : " with CG");
    double& tolerance = by_newton ? method.solver.newton_tolerance : method.solver.linear.cg.tolerance;
    const SceneParameter& row = *find_scene_parameter(by_newton ? "newton-tolerance" : "cg-tolerance");
    for (const double factor : kOfTolerance) {
      tolerance = std::clamp(factor * row.get(scene), row.spec.min, row.spec.max);
      add(title + " tolerance " + format_plain(tolerance), method, true);
    }
  };
  if (!method_info(scene).inextensible) add(title_with(method_info(scene), scene.solver), scene.method());
  for (const IntegratorInfo* info : methods) {
    Method method = scene.method();
    set_integrator(method, *info);
    add(title_with(*info, method.solver), method);
    add_tolerances(*info, method);
    if (info->family == IntegratorFamily::implicit && !info->always_newton) {
      Method other = method;
      const bool once = method.solver.stage_solve == StageSolve::linear;
      other.solver.stage_solve = once ? StageSolve::newton : StageSolve::linear;
      add(title_with(*info, other.solver), other);
      add_tolerances(*info, other);
    }
    for (const ParameterSpec& spec : info->parameters) {
      const bool has_sweeps = spec.id.ends_with("-iterations");
      if (!has_sweeps && !spec.id.ends_with("-substeps")) continue;
      Method tuned = method;
      for (const double factor :
           has_sweeps ? std::vector{kMoreSweeps} : std::vector(kOfSubsteps.begin(), kOfSubsteps.end())) {
        const double number =
            std::clamp(std::round(factor * parameter_value(scene, spec)), spec.min, spec.max);
        tuned.integrator_parameters[std::string(spec.id)] = number;
        add(std::string(info->title) + " with " + format_plain(number) +
                (has_sweeps ? " sweeps" : " substeps"),
            tuned, !has_sweeps);
      }
    }
  }
  return variants;
}

MethodChoice::MethodChoice(const LoadedScene& loaded, std::vector<MethodVariant> variants,
                           Reference reference, const Settings& settings)
    : loaded_(loaded),
      reference_(std::move(reference)),
      settings_(settings),
      ladders_(variants.size(), {settings.script.coarsest(settings.duration)}) {
  figures_.variants = std::move(variants);
  figures_.has_own = !method_info(loaded.scene).inextensible;
  figures_.reference = reference_.info;
  figures_.reference_steps = reference_.steps;
  figures_.displacement = reference_.displacement;
  figures_.exchanged = reference_.end.exchanged;
  figures_.change = reference_.change;
  // A pin or driver prescribes the path, which has no error then.
  if (reference_.change.error_path > 0) figures_.script.particle = settings.script.particle;
  figures_.script.steps = settings.script.steps;
}

std::uint64_t MethodChoice::most_steps(std::size_t variant) const {
  constexpr std::uint64_t kTunedRefinement = 4;
  const std::uint64_t finest = (reference_.steps - 1) / 2;
  return figures_.variants[variant].is_tuned
             ? std::min(finest, kTunedRefinement * settings_.script.coarsest(settings_.duration))
             : finest;
}

bool MethodChoice::is_accurate_enough(const ChoicePoint& point) const {
  if (!point.failure.empty()) return false;
  const auto is_enough = [&](ErrorMeasure measure) {
    return figures_.error_of(point, measure) <= settings_.accurate_enough;
  };
  if (settings_.measure) return is_enough(*settings_.measure);
  for (std::size_t m = 0; m < kErrorMeasureNames.size(); ++m)
    if (!is_enough(static_cast<ErrorMeasure>(m))) return false;
  return true;
}

std::string MethodChoice::next_name() const {
  const auto next = std::ranges::min_element(ladders_, {}, &Ladder::order);
  if (next == ladders_.end() || next->ended) return {};
  return figures_.variants[static_cast<std::size_t>(next - ladders_.begin())].title +
         " at h = " + format_quantity(settings_.duration / static_cast<double>(next->steps), "s");
}

bool MethodChoice::next(WorkerPool& pool, const StopProbe& stop) {
  const auto coarsest = std::ranges::min_element(ladders_, {}, &Ladder::order);
  if (coarsest == ladders_.end() || coarsest->ended) return false;
  Ladder& ladder = *coarsest;
  const auto variant = static_cast<std::size_t>(coarsest - ladders_.begin());
  const double duration = settings_.duration;
  const RunEnd run = run_to(loaded_, figures_.variants[variant].method, duration, ladder.steps, pool, stop,
                            settings_.script);
  ChoicePoint point;
  if (run.failure.empty()) static_cast<RunErrors&>(point) = errors_between(run, reference_.end);
  point.variant = variant;
  point.steps = ladder.steps;
  point.h = duration / static_cast<double>(ladder.steps);
  const double simulated = std::max(run.figures.simulated, point.h);
  point.processor = run.took.processor / 1000 / simulated;
  point.wall = run.took.wall / 1000 / simulated;
  point.max_strain = run.figures.max_strain;
  point.spurious_energy = run.figures.spurious_energy;
  point.not_converged = run.figures.not_converged;
  point.gains_energy = run.gains_energy;
  point.failure = run.failure;
  ladder.steps *= 2;
  ladder.ended = ladder.steps > most_steps(variant) || undisturbed(run.took) > 1000 * settings_.longest_run ||
                 is_accurate_enough(point);
  figures_.points.push_back(std::move(point));
  update_fraction();
  return true;
}

void MethodChoice::update_fraction() {
  std::uint64_t open = 0;
  for (std::size_t variant = 0; variant < ladders_.size(); ++variant)
    for (std::uint64_t steps = ladders_[variant].steps;
         !ladders_[variant].ended && steps <= most_steps(variant); steps *= 2)
      ++open;
  const auto done = static_cast<double>(figures_.points.size());
  figures_.fraction = done / (done + static_cast<double>(open));
}

bool is_allowed(const ChoicePoint& point, const ChoiceGoal& goal) {
  return point.failure.empty() && !(goal.strain && point.max_strain > *goal.strain) &&
         !(goal.no_energy_gain && point.gains_energy);
}

std::vector<std::size_t> pareto_front(std::span<const ChoicePoint> points, const ChoiceGoal& goal) {
  std::vector<std::size_t> by_cost(points.size()), front;
  std::iota(by_cost.begin(), by_cost.end(), 0);
  std::erase_if(by_cost, [&](std::size_t k) { return !is_allowed(points[k], goal); });
  std::ranges::sort(
      by_cost, {}, [&](std::size_t k) { return std::pair(points[k].processor, points[k].of(goal.measure)); });
  for (const std::size_t k : by_cost)
    if (front.empty() || points[k].of(goal.measure) < points[front.back()].of(goal.measure))
      front.push_back(k);
  return front;
}

Chosen best_for(const ChoiceFigures& choice, const ChoiceGoal& goal) {
  const std::span<const ChoicePoint> points = choice.points;
  const auto best_without = [&](const Method* excluded) {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!is_allowed(points[k], goal)) continue;
      if (!(goal.error ? choice.error_of(points[k], goal.measure) <= *goal.error
                       : points[k].wall <= goal.budget))
        continue;
      const Method& method = choice.variants[points[k].variant].method;
      if (excluded != nullptr && &method_info(method) == &method_info(*excluded)) continue;
      const auto value = [&](std::size_t at) {
        return goal.error ? points[at].processor : points[at].of(goal.measure);
      };
      if (!best || value(k) < value(*best)) best = k;
    }
    return best;
  };
  Chosen chosen{best_without(nullptr), {}};
  if (chosen.best) chosen.runner_up = best_without(&choice.variants[points[*chosen.best].variant].method);
  return chosen;
}

std::string text_of(const ChoiceFigures& choice, const ChoiceGoal& goal) {
  const std::span<const ChoicePoint> points = choice.points;
  const std::vector<std::size_t> front = pareto_front(points, goal);
  if (front.empty()) return "No run reached its end within the limits.";
  const Chosen chosen = best_for(choice, goal);
  constexpr std::array kErrors{"an error of ", "a largest error of ", "an energy error of ",
                               "a path error of "};
  const auto error_of = [&](const ChoicePoint& point) { return choice.error_of(point, goal.measure); };
  const double least = choice.least_error(goal.measure);
  std::string wanted = goal.budget == 1 ? "real time" : format_plain(1 / goal.budget) + "× real time";
  if (goal.error)
    wanted = kErrors[static_cast<std::size_t>(goal.measure)] + format_plain(100 * *goal.error) + " %";
  const std::size_t nearest = goal.error ? front.back() : front.front();
  const ChoicePoint& best = points[chosen.best.value_or(nearest)];
  const auto described = [&](const ChoicePoint& point) {
    return choice.variants[point.variant].title + " at h = " + format_quantity(point.h, "s") + " (" +
           format_plain(100 * error_of(point)) + " %, " + format_plain(1 / point.wall) + "× real time)";
  };
  std::string text;
  if (!chosen.best)
    text = "No method reached " + wanted + "; " + described(best) + " comes nearest.";
  else
    text = (goal.error ? "Cheapest for " : "Most accurate in ") + wanted + ": " + described(best) + ".";
  if (chosen.runner_up) text += " Second: " + described(points[*chosen.runner_up]) + ".";
  if (chosen.best && goal.error && choice.has_own && best.variant != 0) {
    const auto own = std::ranges::find_if(points, [&](const ChoicePoint& point) {
      return point.variant == 0 && is_allowed(point, goal) && error_of(point) <= *goal.error;
    });
    text += " " + choice.variants.front().title;
    text += own == points.end() ? " did not reach that error."
                                : " needs h = " + format_quantity(own->h, "s") + " (" +
                                      format_plain(1 / own->wall) + "× real time).";
  }
  if (std::max(error_of(best), goal.error.value_or(0)) < least)
    text += " Errors below " + format_plain(100 * least) +
            " % are not significant: the reference changes by as much with half its steps. Use a shorter "
            "time, or a scene that does not amplify small differences.";
  return text;
}

std::string ChoiceFigures::axis_title(ErrorMeasure measure) const {
  const auto titled = [&](const std::string& error) {
    return error + (measure == ErrorMeasure::energy
                        ? " [% of the " + format_quantity(exchanged, "J") + " exchanged]"
                        : std::string(" [% of the displacement]"));
  };
  switch (measure) {
    case ErrorMeasure::rms:
      return titled("RMS error of the positions");
    case ErrorMeasure::largest:
      return titled("largest error of a particle");
    case ErrorMeasure::energy:
      return titled("largest error of the energy");
    case ErrorMeasure::path:
      return titled("path error of particle " + std::to_string(script.particle.value_or(0)));
  }
  return {};
}

std::string csv_of(const ChoiceFigures& choice, const Scene& scene, const ChoiceGoal& goal) {
  std::string text =
      "method,integrator,h,steps,processor_per_simulated,wall_per_simulated,error_x,error_x_percent,largest_"
      "x,largest_x_percent,largest_energy,largest_energy_percent,error_path,error_path_percent,error_v,error_"
      "energy,max_strain,spurious_energy,unconverged_steps,gains_energy,best,end,options\n";
  const Chosen chosen = best_for(choice, goal);
  for (std::size_t k = 0; k < choice.points.size(); ++k) {
    const ChoicePoint& p = choice.points[k];
    const MethodVariant& variant = choice.variants[p.variant];
    Scene tried = scene;
    static_cast<Method&>(tried) = variant.method;
    tried.dt = p.h;
    if (choice.script.steps > 0) tried.substeps = static_cast<int>(p.steps / choice.script.steps);
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    const double known = p.failure.empty() ? 1 : kUnknown;
    const double known_path = choice.script.particle ? known : kUnknown;
    const auto percent = [&](ErrorMeasure measure) { return known * 100 * choice.error_of(p, measure); };
    text += csv_row(variant.title, variant.method.integrator, p.h, p.steps, p.processor, p.wall,
                    known * p.error_x, percent(ErrorMeasure::rms), known * p.largest_x,
                    percent(ErrorMeasure::largest), known * p.largest_energy, percent(ErrorMeasure::energy),
                    known_path * p.error_path, known_path * percent(ErrorMeasure::path), known * p.error_v,
                    known * p.error_energy, p.max_strain, p.spurious_energy, p.not_converged,
                    p.gains_energy ? 1 : 0, chosen.best == k ? 1 : 0,
                    p.failure.empty() ? std::string("good") : p.failure, method_options(tried));
  }
  return text;
}

}  // namespace clothlab
