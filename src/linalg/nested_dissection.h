// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stop_probe.h"

namespace clothlab {

/// An undirected graph without loops, as compressed rows without duplicates.
struct Graph {
  std::vector<std::uint32_t> begin{0};  ///< vertex -> its first neighbour in `of`; one more at the end
  std::vector<std::uint32_t> of;        ///< the neighbours of every vertex, ascending

  /// `pairs` of different vertices below `vertices`, in any order, possibly repeated. Throws Cancelled on
  /// request of `stop`.
  static Graph build(std::size_t vertices, std::span<const std::array<std::uint32_t, 2>> pairs,
                     const StopProbe& stop = {});

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> neighbours(std::size_t v) const {
    return {of.data() + begin[v], of.data() + begin[v + 1]};
  }
};

/// An order in which to eliminate the vertices of a symmetric matrix with little fill: nested dissection
/// [George 1973]. A small separator, which leaves two unconnected sides, is ordered last, the sides before it
/// recursively, and small parts by minimum degree.
///
/// Returns every vertex once. Depends only on the graph. Throws Cancelled on request of `stop`, which is
/// polled every few milliseconds.
std::vector<std::uint32_t> nested_dissection(const Graph& graph, const StopProbe& stop = {});

}  // namespace clothlab
