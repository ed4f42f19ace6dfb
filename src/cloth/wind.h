// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/vec.h"

namespace clothlab {

/// The air around the cloth. Switched off it costs nothing.
struct Wind {
  bool on = false;
  double speed = 5;               ///< U of the mean wind [m/s]; air at rest still resists motion
  double azimuth = 0;             ///< direction to which it blows, about the vertical [°]: 0 is +x, 90 is +z
  double elevation = 0;           ///< angle above the horizontal [°]: 90 is straight up
  double gusts = 0;               ///< g, the largest change of each component by gusts [% of U]
  std::uint32_t seed = 1;         ///< of the gusts
  double density = 1.2;           ///< ρ [kg/m³]
  double drag_coefficient = 1.2;  ///< c; a square plate, face on, has about 1.2 [Hoerner 1965]

  bool operator==(const Wind&) const = default;
};

/// Velocity of the air at x [m] and t [s], in m/s: U d + U g/100 · (n₁, n₂, n₃), d the mean direction. The
/// nᵢ in [−1, 1] are smooth noise along the wind, p = (U t − d·x) / 1.5 m: gusts are frozen into the air,
/// which carries them past the cloth. A function of its arguments alone.
vec3 air_velocity(const Wind& wind, const vec3& x, double t);

/// Upper bound of the speed of the air [m/s].
double top_speed(const Wind& wind);

}  // namespace clothlab
