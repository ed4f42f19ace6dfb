// SPDX-License-Identifier: MIT
#include "session/mouse_grab.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "analysis/free_directions.h"
#include "cloth/grab_force.h"
#include "sim/command_rules.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kGraspTime = 1.0 / 30;  // time to the largest force [s]

GrabLimits spring_of(const Grab& hold, const Simulation& simulation, const StabilityEstimate& without_grab) {
  const ClothSystem& system = simulation.system();
  const Scene& scene = simulation.scene();
  const double reach = std::max(simulation.mesh().diagonal / 200, 1e-9);
  const double force = hold.strength * grab_force_bound(scene.material.mass_of(simulation.mesh().area),
                                                        scene.material.gravity);
  const double inverse_mass =
      grab_inverse_mass(hold.particles, hold.weights, system.masses(), system.projection());
  return grab_limits(simulation.integrator(), integrator_parameters(scene), std::abs(scene.h()), without_grab,
                     inverse_mass, force / reach);
}

}  // namespace

MouseGrab::MouseGrab(WorkerPool& pool, const Grab& hold, const Simulation& simulation,
                     const StabilityEstimate& without_grab)
    : hold_(hold) {
  changed_scene(simulation.shared_scene(), hold,
                simulation.mesh());  // refuses a point that cannot be grabbed
  adapt(pool, simulation, without_grab);
}

bool MouseGrab::adapt(WorkerPool& pool, const Simulation& simulation, const StabilityEstimate& without_grab) {
  const GrabLimits spring = spring_of(hold_, simulation, without_grab);
  const ClothSystem& system = simulation.system();
  const State& state = simulation.state();
  budget_ = std::isinf(spring.strain) ? spring.strain : system.stretch_energy(spring.strain);
  const ClothSystem::Energies now = system.energies(pool, state.x);
  calm_ = now.of_cloth();
  // Cloth without constraints keeps its kinetic energy; constrained cloth counts without it.
  if (count_free_directions(system.projection()) == 3 * state.x.size())
    calm_ += simulation.record().energy.kinetic;
  if (spring.stiffness == hold_.stiffness && spring.damping == hold_.damping) return false;
  hold_.stiffness = spring.stiffness;
  hold_.damping = spring.damping;
  return true;
}

bool MouseGrab::breaks_limit(const Simulation& simulation, const StabilityEstimate& without_grab) const {
  const double inverse_mass = grab_inverse_mass(hold_.particles, hold_.weights, simulation.system().masses(),
                                                simulation.system().projection());
  const auto is_stable = [&](const StabilityEstimate& cloth) {
    const Scene& scene = simulation.scene();
    return std::abs(scene.h()) <
           largest_stable_step(simulation.integrator(), integrator_parameters(scene), cloth).value_or(0);
  };
  return is_stable(without_grab) &&
         !is_stable(with_grab(without_grab, hold_.stiffness * inverse_mass, hold_.damping * inverse_mass));
}

MoveCursor MouseGrab::pull(const Simulation& simulation) {
  const GrabSpring& grab = simulation.grab().value();
  const double bound = GrabSpring::kSpringShare * grab.max_force;
  if (!(bound > 0 && grab.stiffness > 0)) return {hold_.cursor};
  const vec3 point = grab.blend(simulation.state().x);
  const vec3 spring = grab.stiffness * (hold_.cursor - point);
  const vec3 wanted = spring * saturation(spring, bound);
  const double most = bound * std::abs(simulation.scene().dt) / kGraspTime;
  const double change = glm::length(wanted - force_);
  // The share of the force at the cloth's current energy.
  double share = 1;
  if (!std::isinf(budget_)) {
    const double added = simulation.record().energy.total - calm_;
    share = budget_ > 0 ? std::clamp(2 - 2 * added / budget_, 0.0, 1.0) : 0;
  }
  const bool at_once = change <= most;
  force_ = at_once ? wanted : force_ + (most / change) * (wanted - force_);
  if (at_once && share == 1) return {hold_.cursor};
  // Inverse of saturation().
  const vec3 force = share * force_;
  const double saturated = std::min(glm::length(force) / bound, 0.999);
  return {point + force / (grab.stiffness * std::sqrt(1 - saturated * saturated))};
}

}  // namespace clothlab
