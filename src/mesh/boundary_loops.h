// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/stop_probe.h"
#include "mesh/mesh.h"

namespace clothlab {

/// An open edge of the cloth: a hem, a neckline, the border of a hole.
struct BoundaryLoop {
  std::vector<std::uint32_t> particles;  ///< in order along the edge, each named once
  /// False where the edge ends: where more than two triangles meet.
  bool closed = true;
};

/// The edges with one triangle, joined into loops. Sheets that touch in a single particle keep their loops
/// apart. The orientation of the triangles does not matter. A loop begins with its lowest edge (lowest
/// particle, then the lower neighbour), and loops are sorted by it; an open one runs from end to end, and is
/// sorted by its lowest edge too. O(n log n). Throws Cancelled when `stop` asks.
std::vector<BoundaryLoop> boundary_loops(const ClothMesh& mesh, const StopProbe& stop = {});

}  // namespace clothlab
