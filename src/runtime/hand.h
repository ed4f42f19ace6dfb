#pragma once

#include "analysis/stability.h"
#include "sim/command.h"
#include "sim/simulation.h"

namespace clothlab {

/// What the mouse does to the cloth: a Grab with a spring and a damper that suit the method and h, whose pull
/// comes gradually.
///
/// It reaches its largest force where the held point lags by 1/200 of the mesh's diagonal, or farther off
/// where the method bears only a softer hand (analysis/hand_spring.h). The spring's force changes by at most
/// the largest one in 1/30 s: a method that linearises once per step, or leaves its equations unsolved, makes
/// energy of a force that is there all at once.
class Hand {
 public:
  /// Takes hold. Throws as Simulation does.
  Hand(const Grab& hold, Simulation& simulation, const StabilityEstimate& without_hand);

  /// For another method or h.
  void adapt(Simulation& simulation, const StabilityEstimate& without_hand);
  void move_to(const vec3& cursor) { hold_.cursor = cursor; }
  const vec3& cursor() const { return hold_.cursor; }
  /// To be called before every step: puts the far end of the spring where it pulls as far as it may.
  void pull(Simulation& simulation);

 private:
  Grab hold_;
  vec3 force_{0};  // the spring's at the last pull [N]
};

}  // namespace clothlab
