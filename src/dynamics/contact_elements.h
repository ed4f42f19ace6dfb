// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/vec.h"

namespace clothlab {

/// Two features that may touch in a step of h, for methods that treat forces one by one. n and w are those of
/// its start; after ways Δx of the particles, with s = n·Σ wᵢ Δxᵢ, the force on particle i is wᵢ n max(0,
/// push − k s) and, across n, friction.
struct ContactElement {
  std::array<std::uint32_t, 4> particle{};
  std::array<double, 4> weight{};  ///< w of the particles; what they meet has the rest
  int count = 0;                   ///< of particles
  vec3 normal{0};                  ///< n
  double push = 0;                 ///< on the start, from what is met where the step ends [N]; below 0: apart
  double friction = 0;             ///< μ
  vec3 velocity{0};                ///< u of what is met [m/s]

  vec3 blend(std::span<const vec3> a) const {
    vec3 sum(0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) sum += weight[k] * a[particle[k]];
    return sum;
  }
  void spread(const vec3& force, std::span<vec3> f) const {
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) f[particle[k]] += weight[k] * force;
  }
};

/// All of a step. Those of one particle come first, in the order of particles.
struct ContactElements {
  std::span<const ContactElement> all;
  double stiffness = 0;       ///< k [N/m]
  double damping = 0;         ///< c along n, where push > 0 [N·s/m]
  double friction_speed = 0;  ///< ε [m/s]
};

}  // namespace clothlab
