// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cancel_point.h"

namespace clothlab {

/// The couplings of the nodes of one multigrid level, as compressed rows without the diagonal.
struct CouplingGraph {
  std::vector<std::uint32_t> begin;      ///< node -> its first neighbour; one more at the end
  std::vector<std::uint32_t> neighbour;  ///< each coupling is listed at both its ends
  std::vector<double> strength;          ///< >= 0

  std::size_t size() const { return begin.size() - 1; }
};

/// A sparse matrix of numbers, one row per fine node, one column per coarse node.
struct Prolongation {
  /// Entries of weight 0 after the last one, for loops that read several at a time.
  static constexpr std::size_t kPadding = 3;

  std::vector<std::uint32_t> begin;   ///< row -> its first entry; one more at the end
  std::vector<std::uint32_t> column;  ///< ascending within a row
  std::vector<float> weight;
  std::size_t columns = 0;

  std::size_t rows() const { return begin.size() - 1; }
  Prolongation transposed() const;
};

/// Smoothed aggregation [Vaněk 1996; Tamstorf 2015, §4]: groups the nodes for which `active` holds into
/// aggregates of neighbours, and returns the interpolation that is constant on each, smoothed by one damped
/// Jacobi step on the graph's Laplacian. One number per pair serves x, y and z, because strengths do not
/// depend on the direction; the near-null space is the translations. Rows of other nodes, and of nodes
/// without neighbours, are empty. Deterministic; throws Cancelled.
Prolongation smoothed_aggregation(const CouplingGraph& graph, const std::vector<char>& active,
                                  CancelPoint& cancel);

}  // namespace clothlab
