// SPDX-License-Identifier: MIT
#include "experiments/method_choice.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>
#include <utility>

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

/// Empty if one of the two runs did not reach the end.
std::optional<Reference> reference_by(const LoadedScene& loaded, const IntegratorInfo& info, double duration,
                                      std::uint64_t steps, WorkerPool& pool, const StopProbe& stop) {
  Method method = loaded.scene.method();
  set_integrator(method, info);
  method.solver.stage_solve = StageSolve::newton;
  const RunEnd coarse = run_to(loaded, method, duration, steps, pool, stop);
  if (!coarse.failure.empty()) return {};
  Reference made{&info, 2 * steps, run_to(loaded, method, duration, 2 * steps, pool, stop)};
  if (!made.end.failure.empty()) return {};
  made.change_x = rms_distance(coarse.state.x, made.end.state.x);
  made.change_v = rms_distance(coarse.state.v, made.end.state.v);
  return made;
}

}  // namespace

std::uint64_t coarsest_steps(double duration) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(60 * duration)));
}

RunEnd run_to(const LoadedScene& loaded, const Method& method, double duration, std::uint64_t steps,
              WorkerPool& pool, const StopProbe& stop) {
  constexpr double kShortRun = 300;  // [ms]; shorter ones run three times
  constexpr int kRepeats = 3;
  Scene scene = trial_scene(loaded, method_info(method), duration / static_cast<double>(steps));
  const double h = scene.dt;
  static_cast<Method&>(scene) = method;
  scene.adaptive = false;
  RunEnd end;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    Simulation simulation(scene, loaded.mesh, pool, stop, loaded.model);
    StepFigures figures;
    StepTime took;
    const double before = pool_seconds(pool);
    const StepStatus status = run_steps(simulation, steps, pool, stop, [&](const StepTime& step) {
      figures.add(simulation.record(), step, h);
      took.wall += step.wall;
    });
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
    if (!end.failure.empty() || took.wall > kShortRun) break;
  }
  return end;
}

Reference make_reference(const LoadedScene& loaded, double duration, WorkerPool& pool,
                         const StopProbe& stop) {
  constexpr std::uint64_t kImplicitRefinement = 32;
  constexpr double kAtRest = 1e-9;  // of the diagonal
  const IntegratorInfo& best = most_accurate_method();
  std::uint64_t steps = coarsest_steps(duration);
  while (duration / static_cast<double>(steps) > 0.5 / loaded.omega_max) steps *= 2;
  std::optional<Reference> made;
  if (supports_contact(loaded.scene.contact.model, best))
    made = reference_by(loaded, best, duration, steps, pool, stop);
  if (!made)
    made = reference_by(loaded, *find_integrator("tr-bdf2"), duration,
                        kImplicitRefinement * coarsest_steps(duration), pool, stop);
  if (!made)
    throw InputError("Even " + std::string(best.id) +
                     " with steps of 1/(2 omega_max), and tr-bdf2 with steps of 1/3840 s, blow up in this "
                     "scene, so there is no reference for errors.");
  const SharedValue<InitialState>& start = loaded.scene.initial_state;
  made->displacement = rms_distance(
      start ? particle_values(*loaded.mesh, start->positions) : loaded.mesh->positions, made->end.state.x);
  if (!(made->displacement > kAtRest * loaded.mesh->diagonal))
    throw InputError("The cloth does not move in this time, so that there are no errors to measure.");
  return *std::move(made);
}

std::vector<MethodVariant> variants_of(const Scene& scene, std::span<const IntegratorInfo* const> methods) {
  constexpr double kMoreSweeps = 4;
  std::vector<MethodVariant> variants;
  const auto add = [&](std::string title, const Method& method) {
    if (std::ranges::find(variants, method, &MethodVariant::method) == variants.end())
      variants.push_back({std::move(title), method});
  };
  if (!method_info(scene).inextensible) add(title_with(method_info(scene), scene.solver), scene.method());
  for (const IntegratorInfo* info : methods) {
    Method method = scene.method();
    set_integrator(method, *info);
    add(title_with(*info, method.solver), method);
    if (info->family == IntegratorFamily::implicit && !info->always_newton) {
      Method other = method;
      const bool once = method.solver.stage_solve == StageSolve::linear;
      other.solver.stage_solve = once ? StageSolve::newton : StageSolve::linear;
      add(title_with(*info, other.solver), other);
    }
    for (const ParameterSpec& spec : info->parameters) {
      if (!spec.id.ends_with("-iterations")) continue;
      const double sweeps = std::min(spec.max, kMoreSweeps * parameter_value(scene, spec));
      method.integrator_parameters[std::string(spec.id)] = sweeps;
      add(std::string(info->title) + " with " + format_plain(sweeps) + " sweeps", method);
    }
  }
  return variants;
}

MethodChoice::MethodChoice(const LoadedScene& loaded, std::vector<MethodVariant> variants,
                           Reference reference, const Settings& settings)
    : loaded_(loaded),
      reference_(std::move(reference)),
      settings_(settings),
      ladders_(variants.size(), {coarsest_steps(settings.duration)}) {
  figures_.variants = std::move(variants);
  figures_.has_own = !method_info(loaded.scene).inextensible;
  figures_.reference = reference_.info;
  figures_.reference_steps = reference_.steps;
  figures_.displacement = reference_.displacement;
  figures_.change_x = reference_.change_x;
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
  ChoicePoint point;
  point.variant = variant;
  point.steps = ladder.steps;
  point.h = duration / static_cast<double>(ladder.steps);
  const RunEnd run = run_to(loaded_, figures_.variants[variant].method, duration, ladder.steps, pool, stop);
  const double simulated = std::max(run.figures.simulated, point.h);
  point.processor = run.took.processor / 1000 / simulated;
  point.wall = run.took.wall / 1000 / simulated;
  point.max_strain = run.figures.max_strain;
  point.spurious_energy = run.figures.spurious_energy;
  point.not_converged = run.figures.not_converged;
  point.gains_energy = run.gains_energy;
  point.failure = run.failure;
  if (run.failure.empty()) {
    point.error_x = rms_distance(run.state.x, reference_.end.state.x);
    point.error_v = rms_distance(run.state.v, reference_.end.state.v);
    point.largest_x = largest_distance(run.state.x, reference_.end.state.x);
    point.error_energy = run.energy - reference_.end.energy;
  }
  ladder.steps *= 2;
  ladder.ended = 2 * ladder.steps >= reference_.steps || run.took.wall > 1000 * settings_.longest_run ||
                 (run.failure.empty() && figures_.error_of(point) <= settings_.accurate_enough);
  figures_.points.push_back(std::move(point));
  update_fraction();
  return true;
}

void MethodChoice::update_fraction() {
  std::uint64_t open = 0;
  for (const Ladder& ladder : ladders_)
    if (!ladder.ended)
      open += static_cast<std::uint64_t>(
          std::log2(static_cast<double>(reference_.steps) / static_cast<double>(ladder.steps)));
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
  std::ranges::sort(by_cost, {},
                    [&](std::size_t k) { return std::pair(points[k].processor, points[k].error_x); });
  for (const std::size_t k : by_cost)
    if (front.empty() || points[k].error_x < points[front.back()].error_x) front.push_back(k);
  return front;
}

Chosen best_for(const ChoiceFigures& choice, const ChoiceGoal& goal) {
  const std::span<const ChoicePoint> points = choice.points;
  const auto best_without = [&](const Method* excluded) {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!is_allowed(points[k], goal)) continue;
      if (!(goal.error ? choice.error_of(points[k]) <= *goal.error : points[k].wall <= goal.budget)) continue;
      const Method& method = choice.variants[points[k].variant].method;
      if (excluded != nullptr && &method_info(method) == &method_info(*excluded)) continue;
      const auto value = [&](std::size_t at) {
        return goal.error ? points[at].processor : points[at].error_x;
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
  std::string wanted = goal.budget == 1 ? "real time" : format_plain(1 / goal.budget) + "× real time";
  if (goal.error) wanted = "an error of " + format_plain(100 * *goal.error) + " %";
  const std::size_t nearest = goal.error ? front.back() : front.front();
  const ChoicePoint& best = points[chosen.best.value_or(nearest)];
  const auto described = [&](const ChoicePoint& point) {
    return choice.variants[point.variant].title + " at h = " + format_quantity(point.h, "s") + " (" +
           format_plain(100 * choice.error_of(point)) + " %, " + format_plain(1 / point.wall) +
           "× real time)";
  };
  std::string text;
  if (!chosen.best)
    text = "No method reached " + wanted + "; " + described(best) + " comes nearest.";
  else
    text = (goal.error ? "Cheapest for " : "Most accurate in ") + wanted + ": " + described(best) + ".";
  if (chosen.runner_up) text += " Second: " + described(points[*chosen.runner_up]) + ".";
  if (chosen.best && goal.error && choice.has_own && best.variant != 0) {
    const auto own = std::ranges::find_if(points, [&](const ChoicePoint& point) {
      return point.variant == 0 && is_allowed(point, goal) && choice.error_of(point) <= *goal.error;
    });
    text += " " + choice.variants.front().title;
    text += own == points.end() ? " did not reach that error."
                                : " needs h = " + format_quantity(own->h, "s") + " (" +
                                      format_plain(1 / own->wall) + "× real time).";
  }
  if (std::max(choice.error_of(best), goal.error.value_or(0)) < choice.least_error())
    text += " Errors below " + format_plain(100 * choice.least_error()) +
            " % are not significant: the reference changes by as much with half its steps. Use a shorter "
            "time, or a scene that does not amplify small differences.";
  return text;
}

std::string csv_of(const ChoiceFigures& choice, const Scene& scene, const ChoiceGoal& goal) {
  std::string text =
      "method,integrator,h,steps,processor_per_simulated,wall_per_simulated,error_x,error_x_percent,largest_"
      "x,"
      "error_v,error_energy,max_strain,spurious_energy,unconverged_steps,gains_energy,best,end,options\n";
  const Chosen chosen = best_for(choice, goal);
  for (std::size_t k = 0; k < choice.points.size(); ++k) {
    const ChoicePoint& p = choice.points[k];
    const MethodVariant& variant = choice.variants[p.variant];
    Scene tried = scene;
    static_cast<Method&>(tried) = variant.method;
    tried.dt = p.h;
    const double known = p.failure.empty() ? 1 : std::numeric_limits<double>::quiet_NaN();
    text += csv_row(variant.title, variant.method.integrator, p.h, p.steps, p.processor, p.wall,
                    known * p.error_x, known * 100 * choice.error_of(p), known * p.largest_x,
                    known * p.error_v, known * p.error_energy, p.max_strain, p.spurious_energy,
                    p.not_converged, p.gains_energy ? 1 : 0, chosen.best == k ? 1 : 0,
                    p.failure.empty() ? std::string("good") : p.failure, method_options(tried));
  }
  return text;
}

}  // namespace clothlab
