// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"
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
  /// `rods`: stretch springs are rods, which neither stretch nor damp.
  Figures follow(WorkerPool& pool, const DynamicSystem& system, std::span<const vec3> x,
                 std::span<const vec3> v, double h, bool rods);
  void restart() { mode_.clear(); }

 private:
  struct Products {
    double K = 0, C = 0;
  };
  /// Of one spring: (h² K_s + 2h C) φ at its lower end, with the other sign at the upper one.
  struct Term {
    vec3 image{0};
    Products products;
  };
  Term term(const ElasticElements& elements, std::size_t slot, std::span<const vec3> x, double h,
            bool rods) const;
  /// image_ := (h² K_s + 2h C) φ. Returns φᵀK_sφ and φᵀCφ.
  Products multiply(WorkerPool& pool, const DynamicSystem& system, std::span<const vec3> x, double h,
                    bool rods);
  void begin(const DynamicSystem& system);
  bool normalise(const DynamicSystem& system);

  std::vector<vec3> mode_, image_;
  std::vector<std::uint32_t> spring_;  // by slot: memory is read front to back
  std::vector<Products> by_chunk_;
};

}  // namespace clothlab
