// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/vec.h"
#include "dynamics/dynamic_system.h"

namespace clothlab {

/// Follows the stiffest mode of the springs by one power iteration per call on M⁻¹(h² K_s + 2h C), whose
/// largest eigenvalue reaches 4 at the limit of symplectic Euler. Compressed springs count as slack across
/// (JacobianMode::clamped). Contacts, wind and the grab are left out. A call costs one pass over the springs.
/// No allocation after the first call.
class StiffestMode {
 public:
  /// The Rayleigh quotients of the mode φ, φᵀMφ = 1: lower bounds, within some per cent.
  struct Figures {
    double omega = 0;    ///< √(φᵀK_sφ) [rad/s]
    double damping = 0;  ///< φᵀCφ [1/s]
    double energy = 0;   ///< (φᵀMv)², the kinetic energy at its largest if the mode oscillates at v [J]
  };

  /// At positions x [m] and velocities v [m/s], for steps of h [s]. Zeros if nothing is free to move.
  /// `rods`: stretch springs are rods.
  Figures follow(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v, double h,
                 bool rods);
  void restart() { mode_.clear(); }

 private:
  struct Products {
    double K = 0, C = 0;
  };
  /// image_ := (h² K_s + 2h C) φ. Returns φᵀK_sφ and φᵀCφ.
  Products multiply(const DynamicSystem& system, std::span<const vec3> x, double h, bool rods);
  bool normalise(const DynamicSystem& system);

  std::vector<vec3> mode_, image_;
};

}  // namespace clothlab
