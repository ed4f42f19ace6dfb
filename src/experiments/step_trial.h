// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/stability.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "experiments/step_loop.h"
#include "integrate/registry.h"
#include "sim/diagnostics.h"
#include "sim/simulation.h"

namespace clothlab {

// On cancellation these throw Cancelled, apart from measure_stability().

/// Distinguishes slow growth from oscillating energy: the largest energy in the last quarter of the run
/// exceeds the largest of its first quarter by more than a tenth of the largest kinetic and elastic energy of
/// the whole run (the one of the first quarter may be nearly 0).
class GrowthWatch {
 public:
  /// After every step: the total energy, and its kinetic and elastic part [J].
  void add(double total, double shaking);
  bool grows() const;

 private:
  std::vector<double> total_;
  double most_shaking_ = 0;
};

/// Result of a run with one step size.
struct StepTrial : StepFigures {
  bool stable = true;  ///< it did not blow up, and its energy did not grow (GrowthWatch)
};

/// The method of the highest order, which moves the same cloth as others.
const IntegratorInfo& most_accurate_method();

/// The scene with this integrator and steps of `h` [s]. The energy limit is 2: far from the cloth's motion, a
/// method that damps fast oscillations may never reach the usual limit.
Scene trial_scene(const LoadedScene& loaded, const IntegratorInfo& info, double h);

/// Runs trial_scene() for up to `steps` steps.
StepTrial try_step_size(const LoadedScene& loaded, const IntegratorInfo& info, double h, std::uint64_t steps,
                        WorkerPool& pool, const StopProbe& stop);

/// The step sizes [s] between which a method becomes unstable.
struct StableRange {
  double stable = 0;               ///< largest stable one; 0: none
  std::optional<double> unstable;  ///< smallest unstable one above it; none: stable up to the largest
};

/// Halves h from `largest` on until a trial is stable, at most down to `smallest`, then bisects to within
/// the relative `precision` > 0. If stable steps lie above unstable ones, the first range from above counts.
StableRange find_stable_range(double smallest, double largest, double precision,
                              const std::function<bool(double h)>& is_stable);

/// The smallest h [s] to try: that of a scene, or 1/1000 of the fastest oscillation's limit.
double smallest_trial_step(double omega_max);
/// The default largest h to try: 1/60 s, or twice the limit of symplectic Euler.
double largest_trial_step(double omega_max);
inline constexpr std::uint64_t kTrialSteps = 400;

/// The largest h up to `largest` at which trials of so many steps stay bounded, to half a per cent.
StableRange find_largest_stable_step(const LoadedScene& loaded, const IntegratorInfo& info, double largest,
                                     std::uint64_t steps, WorkerPool& pool, const StopProbe& stop);

/// Of a state of the run by a method, with eigenvalues of J if the method needs them and at most that many
/// directions are free. None if it was cancelled or the state is not finite.
std::optional<StabilityEstimate> measure_stability(const Simulation& run, const State& state,
                                                   const IntegratorInfo& info, WorkerPool& pool,
                                                   const StopProbe& stop,
                                                   std::size_t most_directions = kExactDirections);

/// Computes loaded.model and loaded.omega_max of the scene's cloth at its start. Throws InputError if nothing
/// can oscillate.
void measure_omega_max(LoadedScene& loaded, WorkerPool& pool, const StopProbe& stop);

}  // namespace clothlab
