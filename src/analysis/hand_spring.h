#pragma once

#include "analysis/stability.h"

namespace clothlab {

/// The spring and the damper with which the hand holds a point of the cloth (dynamics/drag.h).
struct HandSpring {
  double stiffness = 0;  ///< k [N/m]
  double damping = 0;    ///< c [N·s/m]: ratio 0.1 of the held point alone about the cursor
};

/// As stiff as `wanted` [N/m], or as the method bears it at this h. `without_hand` is of the cloth alone; the
/// point feels the mass m, 1/m = Σ wᵢ²/mᵢ = `inverse_mass` [1/kg] over the free particles that it belongs to.
/// A hand of k/m and c/m (with_hand) leaves a largest stable step of h/0.98. Where h is more than 0.98 of the
/// largest stable step already, it takes half of what is left; where no step of this size is stable without
/// it either, it raises ω_max by 10 %. For methods whose stretch springs are rods, h² k/m ≤ 0.21 besides:
/// they predict without the rods' forces, so in one step the hand may move the point by a fifth of its way to
/// the cursor. Methods that treat only slow modes explicitly bear every hand.
HandSpring hand_spring(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& without_hand, double inverse_mass, double wanted);

/// The estimate with no oscillation that decides slower than `omega` [rad/s]: a hand pulls taut what hangs
/// compressed, which is stiffer then.
StabilityEstimate at_least(StabilityEstimate estimate, double omega);

}  // namespace clothlab
