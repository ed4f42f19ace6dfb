// SPDX-License-Identifier: MIT
#pragma once

#include "mesh/mesh.h"
#include "sim/frame.h"

namespace clothlab {

/// Box of what is finite among the positions; of no size at the origin when nothing is.
Box box_of(const Frame& frame);

/// What a camera should show of a scene that starts: the cloth, and the room below it that a cloth which
/// starts level will hang into.
Box room_to_move(const Frame& frame);

}  // namespace clothlab
