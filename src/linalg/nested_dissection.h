// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/compressed_rows.h"

namespace clothlab {

/// An undirected graph without loops: the neighbours of every vertex.
using Graph = CompressedRows<std::uint32_t>;

/// The graph of `pairs` of different vertices below `vertices`, in any order, possibly repeated; neighbours
/// are in the order of the pairs. Throws Cancelled.
Graph graph_of_pairs(std::size_t vertices, std::span<const std::array<std::uint32_t, 2>> pairs,
                     CancelPoint& cancel);
/// The same with ascending neighbours without duplicates.
Graph simple_graph(std::size_t vertices, std::span<const std::array<std::uint32_t, 2>> pairs,
                   const StopProbe& stop = {});

/// An order in which to eliminate the vertices of a symmetric matrix with little fill: nested dissection
/// [George 1973]. A small separator, which leaves two unconnected sides, is ordered last, the sides before it
/// recursively, and small parts by minimum degree.
///
/// Returns every vertex once. Depends only on the graph. Throws Cancelled on request of `stop`, which is
/// polled every few milliseconds.
std::vector<std::uint32_t> nested_dissection(const Graph& graph, const StopProbe& stop = {});

}  // namespace clothlab
