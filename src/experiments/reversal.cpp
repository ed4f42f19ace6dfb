// SPDX-License-Identifier: MIT
#include "experiments/reversal.h"

#include "experiments/step_trial.h"

namespace clothlab {

Reversal measure_reversal(Simulation& simulation, std::uint64_t steps, WorkerPool& pool,
                          const StopProbe& stop) {
  constexpr std::uint64_t kMostStates = 256;
  const std::uint64_t spacing = (steps - 1) / kMostStates + 1;
  const double energy = simulation.record().energy.total;
  std::vector<State> forward{simulation.state()};
  Reversal result;
  std::uint64_t step = 0;
  result.status = run_steps(simulation, steps, pool, stop, [&](const StepTime&) {
    if (++step % spacing == 0) forward.push_back(simulation.state());
  });
  if (result.status != StepStatus::done) return result;
  simulation.apply(pool, ReverseVelocities{});
  result.status = run_steps(simulation, steps, pool, stop, [&](const StepTime&) {
    if (--step % spacing != 0) return;
    State& mirrored = forward[step / spacing];
    for (vec3& v : mirrored.v) v = -v;
    const State& now = simulation.state();
    result.points.push_back({steps - step, rms_distance(now.x, mirrored.x), rms_distance(now.v, mirrored.v)});
  });
  result.energy_gain = simulation.record().energy.total - energy;
  return result;
}

}  // namespace clothlab
