// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/grab_limits.h"
#include "analysis/stability.h"
#include "sim/command.h"
#include "sim/simulation.h"

namespace clothlab {

/// The mouse's grab, as the commands for it: a Grab with spring and damper chosen for the method and h, and a
/// force that grows gradually.
///
/// The force is largest where the grabbed point lags by 1/200 of the mesh's diagonal, or more if the method
/// is stable only with a softer grab (analysis/grab_limits.h). The spring's force changes by at most the
/// largest one in 1/30 s: a method that linearises once per step, or does not converge, gains energy from a
/// sudden force. 1/30 s is measured, not derived: in jerks by half a metre a step of semi-implicit Euler
/// gained up to 36 J with 1/60 s on a T-shirt of 1,426 particles, 1.4 J with 1/30 s and 0.4 J with 1/15 s,
/// which is felt as lag.
///
/// For methods with a stability limit the force fades to 0 as the cloth's energy grows to that of
/// GrabLimits::strain: strained cloth is stiffer, and near the limit large motion gains energy by itself.
class MouseGrab {
 public:
  /// Starts with the command grab(). Throws InputError for a point that is not of this cloth.
  MouseGrab(WorkerPool& pool, const Grab& hold, const Simulation& simulation,
            const StabilityEstimate& without_grab);

  /// The grab in force.
  const Grab& grab() const { return hold_; }
  /// For another method, h or material. True if grab() changed and must be applied again.
  bool adapt(WorkerPool& pool, const Simulation& simulation, const StabilityEstimate& without_grab);
  /// Whether the simulation's method is stable without this grab and not with it.
  bool breaks_limit(const Simulation& simulation, const StabilityEstimate& without_grab) const;
  void move_to(const vec3& cursor) { hold_.cursor = cursor; }
  const vec3& cursor() const { return hold_.cursor; }
  /// The far end of the spring, within the bounds on its force. Call before every step while grab() is in
  /// force.
  MoveCursor pull(const Simulation& simulation);

 private:
  Grab hold_;
  vec3 force_{0};      // of the spring at the last step, before the share [N]
  double calm_ = 0;    // energy of the cloth at the start, at rest [J]
  double budget_ = 0;  // energy that may be added [J]
};

}  // namespace clothlab
