// SPDX-License-Identifier: MIT
#include "experiments/limit_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/quantile.h"
#include "experiments/step_trial.h"
#include "integrate/tableau.h"
#include "session/background.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::string_view kReference = "rk4";
constexpr double kOfReferenceLimit = 0.25;
constexpr double kBelowLimit = 0.95;  // it changes by some per cent as the cloth moves

struct TimedRun {
  MethodLimit::Run figures;
  std::vector<vec3> end;
};

/// LimitSearch::kRunSeconds in equal steps of at most h. None if it blew up. Throws Cancelled.
std::optional<TimedRun> run_at(const LoadedScene& loaded, const IntegratorInfo& info, double h,
                               WorkerPool& pool, const StopProbe& stop) {
  const auto steps = static_cast<std::size_t>(std::ceil(LimitSearch::kRunSeconds / h));
  TimedRun out;
  out.figures.h = LimitSearch::kRunSeconds / static_cast<double>(steps);
  Simulation simulation(trial_scene(loaded, info, out.figures.h), loaded.mesh, pool, stop, loaded.model);
  std::vector<double> seconds;
  double begin = thread_seconds();
  const StepStatus status = run_steps(simulation, steps, pool, stop, [&](const StepTime&) {
    seconds.push_back(thread_seconds() - begin);
    begin = thread_seconds();
  });
  if (status == StepStatus::stopped) throw Cancelled();
  if (status == StepStatus::blown_up) return std::nullopt;
  out.figures.cost = quantile(seconds, 0.5) / out.figures.h;
  out.figures.spurious = simulation.record().ledger.spurious();
  out.end = simulation.state().x;
  return out;
}

/// The search on its thread.
struct LimitRun {
  SearchRun<LimitProgress>& run;
  LoadedScene& scene = run.scene;
  LimitProgress& now = run.now;
  WorkerPool& pool = run.pool;
  const StopProbe& stop = run.stop;
  std::vector<vec3> reference = {};

  void search_all() {
    now.tick = scene.scene.dt = std::abs(scene.scene.dt);
    now.under_way = "ω_max";
    run.publish();
    measure_omega_max(scene, pool, stop);
    now.omega_max = scene.omega_max;
    for (MethodLimit& method : now.methods)
      if (scene.scene.tableau != nullptr && method.info->id == scene.scene.tableau->info.id)
        method.info = &scene.scene.tableau->info;
    std::erase_if(now.methods,
                  [&](const MethodLimit& method) { return !supports(scene.scene, *method.info); });
    const auto is_reference = [](const MethodLimit& method) { return method.info->id == kReference; };
    const auto position = std::ranges::find_if(now.methods, is_reference);
    const auto first = static_cast<std::size_t>(position - now.methods.begin());
    search(first);
    for (std::size_t row = 0; row < now.methods.size(); ++row)
      if (row != first) search(row);
  }

  void search(std::size_t row) {
    MethodLimit& method = now.methods[row];
    const IntegratorInfo& info = *method.info;
    now.under_way = info.title;
    run.publish();
    if (has_stable_step(info)) {
      const StableRange range =
          find_largest_stable_step(scene, info, largest_trial_step(scene.omega_max), kTrialSteps, pool, stop);
      method.largest = range.stable;
      method.limited = range.unstable.has_value();
    }
    run.publish();
    if (method.largest > 0) {
      if (info.id == kReference)
        if (auto done = run_at(scene, info, kOfReferenceLimit * method.largest, pool, stop))
          reference = std::move(done->end);
      if (auto done = run_at(scene, info, (method.limited ? kBelowLimit : 1) * method.largest, pool, stop)) {
        if (!reference.empty() && !info.inextensible)
          done->figures.error = rms_distance(done->end, reference);
        method.run = done->figures;
      }
    }
    method.done = true;
    now.fraction += 1.0 / static_cast<double>(now.methods.size());
    run.publish();
  }

  /// Theory calls some methods unstable at every h, too slowly for a trial to see.
  bool has_stable_step(const IntegratorInfo& info) {
    if (info.stability_limit != 0) return true;
    const Simulation start(scene.scene, scene.mesh, pool, stop, scene.model);
    const auto estimate = measure_stability(start, start.state(), info, pool, stop);
    if (!estimate) throw Cancelled();
    const auto limit = largest_stable_step(info, integrator_parameters(scene.scene, info), *estimate);
    return !limit || *limit > 0;
  }
};

LimitProgress all_methods() {
  LimitProgress first;
  for (const IntegratorInfo& info : integrators()) first.methods.emplace_back().info = &info;
  return first;
}

}  // namespace

LimitSearch::LimitSearch(std::shared_future<KeepMoment::Kept> from)
    : MomentSearch(std::move(from), all_methods(), [](Run& run) { LimitRun{run}.search_all(); }) {}

}  // namespace clothlab
