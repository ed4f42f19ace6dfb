// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <span>

#include "core/vec.h"

namespace clothlab {

/// sat(s, B) = s · saturation(s, B): about s if s is short, and at most B long. 0 if the root overflows.
inline double saturation(const vec3& s, double bound) {
  return bound / std::sqrt(bound * bound + glm::dot(s, s));
}

/// The grab of the mouse: a spring–damper between the point Σ wᵢ xᵢ of a triangle and the cursor.
/// With d = Σ wᵢ xᵢ − cursor and ḋ = Σ wᵢ vᵢ its force is
///
///   f_i = −wᵢ (sat(k d, ⅘ F) + sat(c ḋ, ⅕ F)),   sat(s, B) = s B / √(B² + |s|²),   F = max_force.
struct GrabSpring {
  // Shares of the bound F at which spring and damper saturate. The damper needs less: its force is
  // 2 × damping ratio × the force of the spring.
  static constexpr double kSpringShare = 0.8;
  static constexpr double kDamperShare = 0.2;

  std::array<std::uint32_t, 3> particles{};
  vec3 weights{0.0};     ///< w, barycentric: each in [0, 1], their sum 1
  vec3 cursor{0.0};      ///< [m]
  double stiffness = 0;  ///< k [N/m], see grab_stiffness
  double damping = 0;    ///< c [N·s/m], see grab_damping
  double max_force = 0;  ///< bound of the force [N], see grab_force_bound; 0: no force
  /// Least stiffness of the spring in `clamped` blocks, unless k is less [N/m]; see grab_least_block.
  double least_block = 0;

  /// Σ wᵢ aᵢ
  vec3 blend(std::span<const vec3> a) const {
    return weights[0] * a[particles[0]] + weights[1] * a[particles[1]] + weights[2] * a[particles[2]];
  }

  /// Secants of the force, f_i = −wᵢ (k(d) d + c(ḋ) ḋ), with k(d) ≤ k [N/m] and c(ḋ) ≤ c [N·s/m].
  double secant_stiffness(const vec3& d) const {
    return max_force > 0 ? stiffness * saturation(stiffness * d, kSpringShare * max_force) : 0.0;
  }
  double secant_damping(const vec3& d_dot) const {
    return max_force > 0 ? damping * saturation(damping * d_dot, kDamperShare * max_force) : 0.0;
  }
  /// The force on the grabbed point [N].
  vec3 force(const vec3& d, const vec3& d_dot) const {
    return -(secant_stiffness(d) * d + secant_damping(d_dot) * d_dot);
  }
};

}  // namespace clothlab
