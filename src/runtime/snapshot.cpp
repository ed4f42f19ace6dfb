#include "runtime/snapshot.h"

#include "cloth/drag_force.h"

namespace clothlab {

Command grab_command(const Snapshot& snapshot, const std::array<std::uint32_t, 3>& particles,
                     const vec3& weights, const vec3& cursor) {
  Projection fixed(snapshot.frame.positions.size());
  for (const std::uint32_t i : particles) {
    if (snapshot.frame.pinned[i] != 0) fixed.fix(i, snapshot.frame.positions[i]);
  }
  const std::vector<double>& masses = *snapshot.masses;
  // Where nothing but rods is left, the springs that they stand for say how strong a hand has to be.
  const double measured = snapshot.stability ? snapshot.stability->omega_max() : 0;
  const double omega_max = measured > 0 ? measured : snapshot.loaded->omega_max;

  Grab grab;
  grab.particles = particles;
  grab.weights = weights;
  grab.cursor = cursor;
  grab.stiffness = drag_stiffness(particles, weights, masses, fixed, omega_max);
  grab.damping = drag_damping(particles, weights, masses, fixed, grab.stiffness);
  return grab;
}

}  // namespace clothlab
