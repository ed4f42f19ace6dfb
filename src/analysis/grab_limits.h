// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "analysis/stability.h"

namespace clothlab {

/// Spring and damper of a grab (dynamics/grab_spring.h) for which the method stays stable, and the strain
/// that it may cause.
struct GrabLimits {
  double stiffness = 0;  ///< k [N/m]
  double damping = 0;    ///< c [N·s/m]: damping ratio 0.1 of the grabbed point alone about the cursor
  /// Bounds the energy that the grab may add: that of all springs at this strain. Infinity: no bound.
  double strain = std::numeric_limits<double>::infinity();
};

/// Stiffness `wanted` [N/m], or the largest at which the method is stable with this h. `without_grab` is the
/// estimate of the cloth alone; m is the effective mass of the grabbed point, 1/m = Σ wᵢ²/mᵢ = `inverse_mass`
/// [1/kg] over its free particles. With the grab's k/m and c/m (with_grab) the largest stable step is at
/// least h/0.98. If h is above 0.98 of the limit already, the grab gets half of the rest; if h is unstable
/// without the grab, k raises ω_max by 10 %. For methods with rods also h² k/m ≤ 0.21: they predict without
/// the rods' forces, so a step may move the point by a fifth of its distance to the cursor. Methods that
/// treat only slow modes explicitly have no bound.
///
/// A pull stiffens the cloth: a spring strained by ε has the transverse stiffness k ε/(1 + ε), so ω² grows by
/// a share of up to ε. Below the limit `strain` is half of the strain whose largest stable step is h/0.98
/// (with_strain); the other half is for the grab's own stiffness and for uneven strain.
GrabLimits grab_limits(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& without_grab, double inverse_mass, double wanted);

}  // namespace clothlab
