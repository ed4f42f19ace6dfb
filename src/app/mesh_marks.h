// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

#include "render/camera.h"
#include "runtime/snapshot.h"
#include "ui/overlays.h"
#include "ui/shelf.h"

namespace clothlab {

/// Draws over a mesh that waits what its bar speaks of: the open edge under the mouse or all of them, and
/// the numbers of the parts that no pin holds.
void draw_mesh_marks(const MeshBar& bar, const Snapshot& snapshot, const Camera& camera, const Area& view,
                     std::optional<std::size_t> edge_under_mouse);

}  // namespace clothlab
