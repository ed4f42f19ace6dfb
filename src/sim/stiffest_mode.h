// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Follows the stiffest mode of the cloth by one power iteration per call on M⁻¹(h² K + 2h C), whose largest
/// eigenvalue reaches 4 at the limit of symplectic Euler. Compressed springs count as slack across
/// (JacobianMode::clamped). A call assembles two matrices and multiplies each once. No allocation after the
/// first call on a mesh.
class StiffestMode {
 public:
  /// The Rayleigh quotients of the mode φ, φᵀMφ = 1: lower bounds, within some per cent.
  struct Figures {
    double omega = 0;    ///< √(φᵀKφ) [rad/s]
    double damping = 0;  ///< φᵀCφ [1/s]
    double energy = 0;   ///< (φᵀMv)², the kinetic energy at its largest if the mode oscillates at v [J]
  };

  /// At positions x [m] and velocities v [m/s], for steps of h [s]. Zeros if nothing is free to move.
  /// `rods`: stretch springs are rods, which neither stretch nor damp.
  Figures follow(WorkerPool& pool, const DynamicSystem& system, std::span<const vec3> x,
                 std::span<const vec3> v, double h, bool rods);

 private:
  void begin(const DynamicSystem& system);
  bool normalise(const DynamicSystem& system);

  std::vector<vec3> mode_, stiff_, damped_;  // φ, K φ, C φ
  std::optional<SpringMatrix> K_, C_;
};

}  // namespace clothlab
