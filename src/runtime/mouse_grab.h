// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/grab_limits.h"
#include "analysis/stability.h"
#include "sim/command.h"
#include "sim/simulation.h"

namespace clothlab {

/// What the mouse does to the cloth: a Grab with a spring and a damper that suit the method and h, whose pull
/// comes gradually.
///
/// It reaches its largest force where the held point lags by 1/200 of the mesh's diagonal, or farther off
/// where the method bears only a softer grab (analysis/grab_limits.h). The spring's force changes by at most
/// the largest one in 1/30 s: a method that linearises once per step, or leaves its equations unsolved, makes
/// energy of a force that is there all at once. The 1/30 s are not derived but measured: in jerks by half a
/// metre a step of semi-implicit Euler gained up to 36 J with 1/60 s on a T-shirt of 1,426 particles, 1.4 J
/// with 1/30 s and 0.4 J with 1/15 s, which is felt as lag.
///
/// For methods with a limit it fades as the cloth's energy grows towards that of GrabLimits::strain, and is
/// gone there: strained cloth is stiffer, and near the limit large motion gains energy by itself.
class MouseGrab {
 public:
  /// Takes hold. Throws as Simulation does.
  MouseGrab(const Grab& hold, Simulation& simulation, const StabilityEstimate& without_grab);

  /// For another method, h or material.
  void adapt(Simulation& simulation, const StabilityEstimate& without_grab);
  void move_to(const vec3& cursor) { hold_.cursor = cursor; }
  const vec3& cursor() const { return hold_.cursor; }
  /// To be called before every step: puts the far end of the spring where it pulls as far as it may.
  void pull(Simulation& simulation);

 private:
  void apply(Simulation& simulation, const GrabLimits& spring);
  /// Of the pull, that the cloth bears with the energy that it has.
  double share(const Simulation& simulation) const;

  Grab hold_;
  vec3 force_{0};      // the spring's at the last pull, where the cloth bears all of it [N]
  double calm_ = 0;    // energy of the cloth as it was taken hold of, if it stood still [J]
  double budget_ = 0;  // what may be added to that [J]
};

}  // namespace clothlab
