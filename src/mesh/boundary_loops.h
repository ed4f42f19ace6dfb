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
  /// False if the edge ends, at an edge with more than two triangles.
  bool closed = true;
};

/// The edges with one triangle, joined into loops. Sheets that touch in a single particle keep separate
/// loops. The orientation of the triangles does not matter. A loop begins with its lowest edge (lowest
/// particle, then the lower neighbour), and loops are sorted by it; an open one runs from end to end and is
/// also sorted by its lowest edge. O(n log n). Throws Cancelled on request of `stop`.
std::vector<BoundaryLoop> boundary_loops(const ClothMesh& mesh, const StopProbe& stop = {});

}  // namespace clothlab
