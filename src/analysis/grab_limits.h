// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "analysis/stability.h"

namespace clothlab {

/// The spring and the damper with which the grab holds a point of the cloth (dynamics/grab_spring.h), and how
/// far it may strain the cloth.
struct GrabLimits {
  double stiffness = 0;  ///< k [N/m]
  double damping = 0;    ///< c [N·s/m]: ratio 0.1 of the held point alone about the cursor
  /// Strain of all springs that takes as much energy as the grab may put into the cloth; infinity: any.
  double strain = std::numeric_limits<double>::infinity();
};

/// As stiff as `wanted` [N/m], or as the method bears it at this h. `without_grab` is of the cloth alone; the
/// point feels the mass m, 1/m = Σ wᵢ²/mᵢ = `inverse_mass` [1/kg] over the free particles that it belongs to.
/// A grab of k/m and c/m (with_grab) leaves a largest stable step of h/0.98. Where h is more than 0.98 of the
/// largest stable step already, it takes half of what is left; where no step of this size is stable without
/// it either, it raises ω_max by 10 %. For methods whose stretch springs are rods, h² k/m ≤ 0.21 besides:
/// they predict without the rods' forces, so in one step the grab may move the point by a fifth of its way to
/// the cursor. Methods that treat only slow modes explicitly bear every grab.
///
/// A pull makes the cloth itself stiffer: a spring of stiffness k that is strained by ε has k ε/(1 + ε)
/// across it, so that ω² grows by a share of up to ε. Below the limit `strain` is half of what leaves a
/// largest stable step of h/0.98 (with_strain); the other half is for the grab's own stiffness and for where
/// the strain is larger than elsewhere.
GrabLimits grab_limits(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& without_grab, double inverse_mass, double wanted);

}  // namespace clothlab
