// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collide/obstacle.h"
#include "contact/contact_force.h"

namespace clothlab {

/// The contact by forces at which a step failed.
struct FailedContact {
  std::uint32_t particle = 0;
  std::uint32_t surface = 0;  ///< as in ContactPair
  /// Of an obstacle, which may be removed or replaced later.
  std::optional<Obstacle::Shape> shape = {};
  double omega = 0;          ///< √(k/m), the frequency of the particle on it alone [rad/s]
  double friction_rate = 0;  ///< 2 μλ/(ε m), the largest rate at which friction brakes it alone [1/s]
};

/// Of the contacts at positions x0 [m] the one whose energy at x1 exceeds the linear prediction of its force
/// at x0 most. Constrained particles do not count. None if no contact exceeds it.
std::optional<FailedContact> failed_contact(const ContactForce& contact, const DynamicSystem& system,
                                            WorkerPool& pool, std::span<const vec3> x0,
                                            std::span<const vec3> x1);

}  // namespace clothlab
