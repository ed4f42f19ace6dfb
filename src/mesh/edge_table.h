// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <utility>

#include "core/cancel_point.h"
#include "core/compressed_rows.h"

namespace clothlab {

/// The edges of triangles, each with the sides of all its triangles. The triangles must outlive the table.
class EdgeTable {
 public:
  /// A side from a corner to the next one; corner 3 t + k is corner k of triangle t.
  struct Side {
    std::uint32_t high = 0;  ///< of its two particles
    std::uint32_t corner = 0;
    auto operator<=>(const Side&) const = default;
  };

  /// Leaves out sides from a particle to itself. O(n log n). Throws Cancelled on request of `stop`.
  EdgeTable(std::span<const std::array<std::uint32_t, 3>> triangles, std::size_t particles,
            const StopProbe& stop = {})
      : triangles_(triangles) {
    sides_.fill(particles, [&](const auto& add) {
      for (std::uint32_t corner = 0; corner < 3 * triangles.size(); ++corner)
        if (const auto [low, high] = ends(corner); low != high) add(low, Side{high, corner});
    });
    CancelPoint cancel(stop);
    for (std::size_t low = 0; low < particles; ++low) {
      cancel.pass();
      std::sort(sides_.items.begin() + sides_.begin[low], sides_.items.begin() + sides_.begin[low + 1]);
    }
  }

  /// The particles of the side at a corner, the lower one first.
  std::pair<std::uint32_t, std::uint32_t> ends(std::uint32_t corner) const {
    const auto& t = triangle_of(corner);
    return std::minmax(t[corner % 3], t[(corner + 1) % 3]);
  }
  /// The third corner of its triangle; it lies on the side if the triangle is degenerate.
  std::uint32_t opposite(const Side& side) const { return triangle_of(side.corner)[(side.corner + 2) % 3]; }
  /// True if its triangle traverses the side from the lower particle to the higher one.
  bool is_rising(const Side& side) const { return triangle_of(side.corner)[side.corner % 3] != side.high; }

  /// The sides of the edge between two particles, by ascending corner.
  std::span<const Side> sides(std::uint32_t a, std::uint32_t b) const {
    const std::span<const Side> row = sides_[std::min(a, b)];
    const auto first = std::lower_bound(row.begin(), row.end(), Side{std::max(a, b), 0});
    return {first, std::lower_bound(first, row.end(), Side{std::max(a, b) + 1, 0})};
  }
  /// Calls visit(low, sides) for every edge, sorted by its lower particle, then by its higher one.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::uint32_t low = 0; low < sides_.size(); ++low)
      for (std::span<const Side> rest = sides_[low]; !rest.empty();) {
        const std::span<const Side> edge = sides(low, rest.front().high);
        visit(low, edge);
        rest = rest.subspan(edge.size());
      }
  }

 private:
  const std::array<std::uint32_t, 3>& triangle_of(std::uint32_t corner) const {
    return triangles_[corner / 3];
  }

  std::span<const std::array<std::uint32_t, 3>> triangles_;
  CompressedRows<Side> sides_;  // by lower particle
};

}  // namespace clothlab
