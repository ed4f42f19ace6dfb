// SPDX-License-Identifier: MIT
#include "mesh/boundary_loops.h"

#include <optional>

#include "mesh/edge_table.h"

namespace clothlab {
namespace {

using Side = EdgeTable::Side;

/// The open edge that follows on a side at its end `v`, around `v` from triangle to triangle; none at an edge
/// with more than two triangles.
std::optional<Side> next_open(const EdgeTable& edges, Side at, std::uint32_t v) {
  for (;;) {
    const std::span<const Side> found = edges.sides(v, edges.opposite(at));
    if (found.size() == 1) return found[0];
    if (found.size() > 2) return std::nullopt;
    at = found[0].corner / 3 == at.corner / 3 ? found[1] : found[0];
  }
}

}  // namespace

std::vector<BoundaryLoop> boundary_loops(const ClothMesh& mesh, const StopProbe& stop) {
  const EdgeTable edges(mesh.triangles, mesh.positions.size(), stop);
  std::vector<bool> seen(3 * mesh.triangles.size(), false);  // by corner
  std::vector<BoundaryLoop> loops;

  // Follows the open edges from a side at its end `v`, to an end or to a repeated edge.
  const auto follow = [&](Side at, std::uint32_t v, std::vector<std::uint32_t>& particles) {
    for (;;) {
      const std::optional<Side> next = next_open(edges, at, v);
      if (!next) return false;
      if (seen[next->corner]) return true;
      seen[next->corner] = true;
      at = *next;
      const auto [low, high] = edges.ends(at.corner);
      v = v == low ? high : low;
      particles.push_back(v);
    }
  };

  edges.for_each([&](std::uint32_t low, std::span<const Side> sides) {
    const Side& first = sides.front();
    if (sides.size() > 1 || seen[first.corner]) return;
    seen[first.corner] = true;
    BoundaryLoop loop;
    loop.particles = {low, first.high};
    loop.closed = follow(first, first.high, loop.particles);
    if (loop.closed) {
      loop.particles.pop_back();  // the first one again
    } else {
      std::vector<std::uint32_t> before;
      follow(first, low, before);
      loop.particles.insert(loop.particles.begin(), before.rbegin(), before.rend());
    }
    loops.push_back(std::move(loop));
  });
  return loops;
}

}  // namespace clothlab
