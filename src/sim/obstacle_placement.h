// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "mesh/mesh.h"
#include "sim/frame.h"

namespace clothlab {

/// Box of the finite positions, optionally of pins only; of size 0 at the origin without any.
Box box_of(const Frame& frame, bool of_pins = false);

/// A new body near the cloth. A sphere, capsule, box or cylinder of a fifth of the cloth's size is below its
/// middle, or next to it if the floor leaves no room, and next to `others`; a plane slopes, with all of
/// the cloth above it. A mesh, which has been read, shares the space of the cloth's file; for cloth without a
/// file it is below the cloth, scaled if its size differs much.
Obstacle placed_near_cloth(const Frame& frame, Obstacle body, std::span<const Obstacle> others);

}  // namespace clothlab
