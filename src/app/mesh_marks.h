// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "render/camera.h"
#include "session/snapshot.h"
#include "ui/overlays.h"
#include "ui/panels/shelf.h"

namespace clothlab {

/// Draws the marks of the mesh bar over a waiting mesh: the open edge under the mouse or all of them, and the
/// numbers of the parts without a pin.
void draw_mesh_marks(const MeshBar& bar, const Snapshot& snapshot, const Camera& camera, const Area& view,
                     std::optional<std::size_t> edge_under_mouse);

/// Marks the spring or the contact at which the lane's last step failed, if it did.
void draw_failure(const LaneSnapshot& lane, const Camera& camera, const Area& view);

/// Marks the particle that is followed, and the way of its last seconds.
void draw_trail(const LaneSnapshot& lane, std::uint32_t particle, bool alone, const Camera& camera,
                const Area& view);

}  // namespace clothlab
