#include "runtime/hand.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "analysis/hand_spring.h"
#include "cloth/drag_force.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kGraspTime = 1.0 / 30;  // of the growth to the largest force [s]

Grab with_spring(Grab hold, const Simulation& simulation, const StabilityEstimate& without_hand) {
  const ClothSystem& system = simulation.system();
  const Scene& scene = simulation.scene();
  const double reach = std::max(simulation.mesh().diagonal / 200, 1e-9);
  const double force = hold.strength * drag_force_bound(scene.material.mass, scene.material.gravity);
  const double inverse_mass =
      drag_inverse_mass(hold.particles, hold.weights, system.masses(), system.projection());
  const HandSpring spring = hand_spring(simulation.integrator(), integrator_parameters(scene),
                                        scene.stepping.dt, without_hand, inverse_mass, force / reach);
  hold.stiffness = spring.stiffness;
  hold.damping = spring.damping;
  return hold;
}

}  // namespace

Hand::Hand(const Grab& hold, Simulation& simulation, const StabilityEstimate& without_hand)
    : hold_(with_spring(hold, simulation, without_hand)) {
  simulation.apply(hold_);
}

void Hand::adapt(Simulation& simulation, const StabilityEstimate& without_hand) {
  const Grab next = with_spring(hold_, simulation, without_hand);
  if (next.stiffness == hold_.stiffness && next.damping == hold_.damping) return;
  hold_ = next;
  simulation.apply(hold_);
}

void Hand::pull(Simulation& simulation) {
  const Drag& drag = simulation.drag().value();
  const double bound = Drag::kSpringShare * drag.max_force;
  const vec3 point = drag.blend(simulation.state().x);
  const vec3 spring = drag.stiffness * (hold_.cursor - point);
  const vec3 wanted = bound > 0 ? spring * saturation(spring, bound) : vec3(0);
  const double most = bound * simulation.scene().stepping.dt / kGraspTime;
  const double change = glm::length(wanted - force_);
  if (change <= most || drag.stiffness == 0) {
    force_ = wanted;
    simulation.apply(MoveCursor{hold_.cursor});
    return;
  }
  force_ += (most / change) * (wanted - force_);
  // Inverse of saturation().
  const double share = std::min(glm::length(force_) / bound, 0.999);
  simulation.apply(MoveCursor{point + force_ / (drag.stiffness * std::sqrt(1 - share * share))});
}

}  // namespace clothlab
