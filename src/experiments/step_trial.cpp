// SPDX-License-Identifier: MIT
#include "experiments/step_trial.h"

#include <algorithm>
#include <chrono>

#include "analysis/stability_meter.h"
#include "core/error.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {

Scene trial_scene(const LoadedScene& loaded, const IntegratorInfo& info, double h) {
  constexpr double kEnergyLimit = 2;
  Scene scene = loaded.scene;
  scene.integrator = info.id;
  scene.dt = h;
  scene.adaptive = false;
  scene.energy_limit = std::min(scene.energy_limit, kEnergyLimit);
  return scene;
}

std::optional<StepTrial> try_step_size(const LoadedScene& loaded, const IntegratorInfo& info, double h,
                                       std::uint64_t steps, WorkerPool& pool, const StopProbe& stop) {
  using Watch = std::chrono::steady_clock;
  Simulation simulation(trial_scene(loaded, info, h), loaded.mesh, pool, stop, loaded.model);
  StepTrial trial;
  GrowthWatch watch;
  while (trial.good_steps() < steps) {
    const Watch::time_point begin = Watch::now();
    const StepStatus status = simulation.step(pool, stop);
    const double ms = std::chrono::duration<double, std::milli>(Watch::now() - begin).count();
    if (status == StepStatus::stopped || stop_requested(stop)) return std::nullopt;
    if (status == StepStatus::blown_up) {
      trial.stable = false;
      return trial;
    }
    const StepRecord& record = simulation.record();
    watch.add(record.energy.total, record.energy.kinetic + record.energy.stretch + record.energy.bend);
    trial.step_ms.push_back(ms);
    trial.newton_iterations += record.newton_iterations;
    trial.linear_iterations += record.cg_iterations;
    trial.unconverged += record.converged ? 0 : 1;
  }
  trial.stable = !watch.grows();
  return trial;
}

double smallest_trial_step(double omega_max) {
  return std::max(find_scene_parameter("dt")->spec.min, 1e-3 / omega_max);
}

double largest_trial_step(double omega_max) { return std::max(4 / omega_max, 1.0 / 60); }

std::optional<StableRange> find_largest_stable_step(const LoadedScene& loaded, const IntegratorInfo& info,
                                                    double largest, std::uint64_t steps, WorkerPool& pool,
                                                    const StopProbe& stop) {
  constexpr double kPrecision = 0.005;
  return find_stable_range(std::min(largest, smallest_trial_step(loaded.omega_max)), largest, kPrecision,
                           [&](double h) -> std::optional<bool> {
                             const auto trial = try_step_size(loaded, info, h, steps, pool, stop);
                             return trial ? std::optional(trial->stable) : std::nullopt;
                           });
}

std::optional<StabilityEstimate> measure_stability(const Simulation& run, const State& state,
                                                   const IntegratorInfo& info, WorkerPool& pool,
                                                   const StopProbe& stop, std::size_t most_directions) {
  const Projection held = run.constraints(state.x);
  const StabilityMeter::Subject subject{run.system(), state, held, info, run.scene().solver.jacobian};
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
