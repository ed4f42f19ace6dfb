// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cancel_point.h"

namespace clothlab {

/// An undirected graph without loops, as compressed rows.
struct Graph {
  using Pair = std::array<std::uint32_t, 2>;

  std::vector<std::uint32_t> begin{0};  ///< vertex -> its first neighbour in `of`; one more at the end
  std::vector<std::uint32_t> of;        ///< the neighbours of every vertex

  /// `pairs` of different vertices below `vertices`, in any order, possibly repeated; neighbours are in the
  /// order of the pairs. Throws Cancelled.
  static Graph of_pairs(std::size_t vertices, std::span<const Pair> pairs, CancelPoint& cancel);
  /// The same with ascending neighbours without duplicates.
  static Graph build(std::size_t vertices, std::span<const Pair> pairs, const StopProbe& stop = {});

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
