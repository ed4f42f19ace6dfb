// SPDX-License-Identifier: MIT
#include "sim/frame.h"

#include <algorithm>
#include <utility>

namespace clothlab {

vec3 pin_position(const Frame& frame, std::uint32_t particle) {
  const auto found = std::ranges::find(frame.moving_pins, particle, &PinTarget::particle);
  return found == frame.moving_pins.end() ? frame.positions[particle] : found->position;
}

void capture(const Simulation& simulation, std::shared_ptr<const Scene> scene, Frame& frame) {
  frame.mesh = simulation.shared_mesh();
  frame.scene = std::move(scene);
  frame.positions = simulation.state().x;
  frame.pinned.assign(frame.positions.size(), 0);
  // Between steps the projection contains only pins and the particles of drivers.
  for (const Projection::Entry& pin : simulation.system().projection().entries())
    if (pin.S != mat3(1.0))
      frame.pinned[pin.particle] = simulation.is_pinned(pin.particle) ? 1 : pin.S == mat3(0.0) ? 2 : 3;
  frame.moving_pins = simulation.moving_pins();
  frame.drivers = simulation.drivers().marks();
  const std::span<const double> distance_forces = simulation.distance_forces();
  frame.distance_forces.assign(distance_forces.begin(), distance_forces.end());
  const std::span<const SewnPair> seams = simulation.seams();
  frame.seams.assign(seams.begin(), seams.end());
  frame.obstacles = simulation.obstacles();

  frame.grab.reset();
  if (const std::optional<GrabSpring>& grab = simulation.grab()) {
    const vec3 point = grab->blend(simulation.state().x);
    frame.grab = Frame::Grab{point, grab->cursor,
                             grab->force(point - grab->cursor, grab->blend(simulation.state().v))};
  }

  frame.record = simulation.record();
  const std::span<const double> residuals = simulation.residual_history();
  frame.residuals.assign(residuals.begin(), residuals.end());
}

void capture_motion(WorkerPool& pool, const Simulation& simulation, const State& state, const Motion& wanted,
                    Frame& frame) {
  frame.velocities.clear();
  frame.forces.clear();
  frame.contacts.clear();
  frame.intersections = {};
  frame.steps.clear();
  if (wanted.velocities) frame.velocities = state.v;
  if (wanted.forces) {
    frame.forces.resize(state.x.size());
    simulation.system().force_at(
        pool, state.t, state.x, state.v, frame.forces,
        simulation.integrator().inextensible ? SpringForces::inextensible : SpringForces::all);
  }
  if (wanted.contacts && &state == &simulation.state()) frame.contacts = simulation.contacts(pool);
  if (wanted.step_of && &state == &simulation.state())
    frame.steps = pictures_of_step(pool, simulation, *wanted.step_of);
  if (wanted.intersections)
    frame.intersections =
        find_intersections(pool, *frame.mesh, state.x, frame.obstacles, simulation.joined());
}

}  // namespace clothlab
