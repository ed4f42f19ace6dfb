// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "mesh/mesh.h"
#include "session/snapshot.h"
#include "sim/frame.h"
#include "sim/obstacle_placement.h"

namespace clothlab {

/// The box to show at the start of a scene: the cloth, the space into which level cloth will hang, and the
/// bodies that free cloth may fall on, and the room in which drivers move it.
Box room_to_move(const Frame& frame);

/// Whether free cloth is above a mesh that is wider and hollow in the middle, such as a funnel: in there it
/// is seen only from high up.
bool may_fall_into_mesh(const Frame& frame);

/// The surroundings of the spring or the contact that failed, if one did.
std::optional<Box> box_of_failure(const LaneSnapshot& lane);

}  // namespace clothlab
