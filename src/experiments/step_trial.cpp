// SPDX-License-Identifier: MIT
#include "experiments/step_trial.h"

#include <algorithm>
#include <cmath>

#include "analysis/stability_meter.h"
#include "core/error.h"
#include "sim/parameters.h"

namespace clothlab {

const IntegratorInfo& most_accurate_method() {
  return *std::ranges::max_element(
      integrators(), {}, [](const IntegratorInfo& info) { return info.inextensible ? 0 : info.order; });
}

Scene trial_scene(const LoadedScene& loaded, const IntegratorInfo& info, double h) {
  constexpr double kEnergyLimit = 2;
  Scene scene = loaded.scene;
  set_integrator(scene, info);
  scene.dt = h;
  scene.adaptive = false;
  scene.energy_limit = std::min(scene.energy_limit, kEnergyLimit);
  return scene;
}

void GrowthWatch::add(double total, double shaking) {
  total_.push_back(total);
  most_shaking_ = std::max(most_shaking_, shaking);
}

bool GrowthWatch::grows() const {
  const auto quarter = static_cast<std::ptrdiff_t>(total_.size() / 4);
  if (quarter == 0) return false;
  const double first = *std::max_element(total_.begin(), total_.begin() + quarter);
  const double last = *std::max_element(total_.end() - quarter, total_.end());
  return last - first > 0.1 * most_shaking_;
}

StepTrial try_step_size(const LoadedScene& loaded, const IntegratorInfo& info, double h, std::uint64_t steps,
                        WorkerPool& pool, const StopProbe& stop) {
  Simulation simulation(trial_scene(loaded, info, h), loaded.mesh, pool, stop, loaded.model);
  StepTrial trial;
  GrowthWatch watch;
  const StepStatus status = run_steps(simulation, steps, pool, stop, [&](const StepTime& took) {
    const StepRecord& record = simulation.record();
    watch.add(record.energy.total, record.energy.kinetic + record.energy.stretch + record.energy.bend);
    trial.add(record, took, h);
  });
  if (status == StepStatus::stopped) throw Cancelled();
  trial.stable = status == StepStatus::done && !watch.grows();
  return trial;
}

StableRange find_stable_range(double smallest, double largest, double precision,
                              const std::function<bool(double h)>& is_stable) {
  StableRange range;
  const auto try_at = [&](double h) {
    if (is_stable(h))
      range.stable = h;
    else
      range.unstable = h;
  };
  for (double h = largest; h >= smallest && range.stable == 0; h /= 2) try_at(h);
  while (range.stable > 0 && range.unstable && *range.unstable > range.stable * (1 + precision))
    try_at(std::sqrt(range.stable * *range.unstable));
  return range;
}

double smallest_trial_step(double omega_max) {
  return std::max(find_scene_parameter("dt")->spec.min, 1e-3 / omega_max);
}

double largest_trial_step(double omega_max) { return std::max(4 / omega_max, 1.0 / 60); }

StableRange find_largest_stable_step(const LoadedScene& loaded, const IntegratorInfo& info, double largest,
                                     std::uint64_t steps, WorkerPool& pool, const StopProbe& stop) {
  constexpr double kPrecision = 0.005;
  return find_stable_range(
      std::min(largest, smallest_trial_step(loaded.omega_max)), largest, kPrecision,
      [&](double h) { return try_step_size(loaded, info, h, steps, pool, stop).stable; });
}

std::optional<StabilityEstimate> measure_stability(const Simulation& run, const State& state,
                                                   const IntegratorInfo& info, WorkerPool& pool,
                                                   const StopProbe& stop, std::size_t most_directions) {
  const Projection held = run.constraints(state.x);
  const StabilityMeter::Subject subject{
      run.system(), state, held, info, run.scene().solver.jacobian, has_distances(run.scene().drivers)};
  StabilityMeter meter;
  std::optional<StabilityEstimate> estimate = meter.estimate(subject, pool, stop);
  if (estimate && estimate->free_directions <= most_directions && needs_eigenvalues(info, *estimate))
    meter.add_eigenvalues(*estimate, subject, pool, stop);
  return estimate;
}

void measure_omega_max(LoadedScene& loaded, WorkerPool& pool, const StopProbe& stop) {
  const Simulation start(loaded.scene, loaded.mesh, pool, stop);
  loaded.model = start.system().shared_model();
  StabilityMeter meter;
  const std::optional<double> omega_max =
      meter.omega_max(start.system(), start.state().x, loaded.scene.solver.jacobian, pool, stop);
  if (stop_requested(stop)) throw Cancelled();
  loaded.omega_max = omega_max.value_or(0);
  if (!(loaded.omega_max > 0))
    throw InputError("Nothing in this scene can oscillate, so no step size is too large.");
}

}  // namespace clothlab
