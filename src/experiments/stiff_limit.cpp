// SPDX-License-Identifier: MIT
#include "experiments/stiff_limit.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>

#include "experiments/step_trial.h"
#include "sim/parameters.h"

namespace clothlab {

SpringForcesAtEnd run_to_forces(const LoadedScene& loaded, const IntegratorInfo& info, double stiffness,
                                std::uint64_t steps, WorkerPool& pool, const StopProbe& stop) {
  Scene scene = loaded.scene;
  set_integrator(scene, info);
  scene.material.set_stretch_scale(stiffness);
  Simulation simulation(std::move(scene), loaded.mesh, pool, stop);
  SpringForcesAtEnd end;
  end.status = run_steps(simulation, steps, pool, stop, [](const StepTime&) {});
  end.reason = simulation.record().reason;
  end.positions = simulation.state().x;
  const std::span<const double> of_rods = simulation.rod_forces();
  for (const ElasticElement e : simulation.system().elements()) {
    if (!e.stretch) continue;
    const std::size_t row = end.forces.size();
    const double length = glm::distance(end.positions[e.i], end.positions[e.j]);
    const auto [factor, rest_length] = e.limit.at(e.rest_length, length);
    double force = factor * e.stiffness * (length - rest_length);
    if (info.inextensible) force = row < of_rods.size() ? of_rods[row] : NAN;
    if (simulation.is_pinned(e.i) && simulation.is_pinned(e.j)) force = NAN;
    end.forces.push_back(force);
  }
  return end;
}

StiffLimit compare_with_rods(const SpringForcesAtEnd& springs, const SpringForcesAtEnd& rods) {
  StiffLimit limit{.distance = rms_distance(springs.positions, rods.positions)};
  for (std::size_t k = 0; k < rods.forces.size(); ++k) {
    if (std::isnan(rods.forces[k])) continue;
    limit.largest = std::max(limit.largest, std::abs(rods.forces[k]));
    limit.force = std::max(limit.force, std::abs(springs.forces[k] - rods.forces[k]));
  }
  limit.force /= limit.largest;
  return limit;
}

}  // namespace clothlab
