// SPDX-License-Identifier: MIT
#include "mesh/boundary_loops.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <span>

#include "core/cancel_point.h"

namespace clothlab {
namespace {

/// An edge of one triangle.
struct Side {
  std::uint32_t low = 0;  // particles
  std::uint32_t high = 0;
  std::uint32_t triangle = 0;
  auto operator<=>(const Side&) const = default;
};

class Sides {
 public:
  Sides(const ClothMesh& mesh, const StopProbe& stop) : triangles_(mesh.triangles) {
    const CancelPoint cancel(stop);
    sides_.reserve(3 * triangles_.size());
    for (std::uint32_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = triangles_[t][i], b = triangles_[t][(i + 1) % 3];
        sides_.push_back({std::min(a, b), std::max(a, b), t});
      }
    cancel.poll();
    std::sort(sides_.begin(), sides_.end());
    cancel.poll();
  }

  std::size_t size() const { return sides_.size(); }
  const Side& operator[](std::size_t i) const { return sides_[i]; }
  bool is_open(std::size_t i) const { return with_ends(sides_[i].low, sides_[i].high).size() == 1; }

  /// The open edge that follows on edge `i` at its end `v`, around `v` from triangle to triangle; none at an
  /// edge with more than two triangles.
  std::optional<std::size_t> next_open(std::size_t i, std::uint32_t v) const {
    Side at = sides_[i];
    for (;;) {
      const auto& corners = triangles_[at.triangle];
      const std::uint32_t w = corners[0] ^ corners[1] ^ corners[2] ^ at.low ^ at.high;
      const std::span<const Side> found = with_ends(std::min(v, w), std::max(v, w));
      if (found.size() == 1) return static_cast<std::size_t>(found.data() - sides_.data());
      if (found.size() > 2) return std::nullopt;
      at = found[0].triangle == at.triangle ? found[1] : found[0];
    }
  }

 private:
  std::span<const Side> with_ends(std::uint32_t low, std::uint32_t high) const {
    const auto first = std::lower_bound(sides_.begin(), sides_.end(), Side{low, high, 0});
    auto last = first;
    while (last != sides_.end() && last->low == low && last->high == high) ++last;
    return {first, last};
  }

  const std::vector<std::array<std::uint32_t, 3>>& triangles_;
  std::vector<Side> sides_;
};

}  // namespace

std::vector<BoundaryLoop> boundary_loops(const ClothMesh& mesh, const StopProbe& stop) {
  const Sides sides(mesh, stop);
  std::vector<bool> seen(sides.size(), false);
  std::vector<BoundaryLoop> loops;

  // Follows the open edges from `first` at its end `v`, to an end or to a repeated edge.
  const auto follow = [&](std::size_t first, std::uint32_t v, std::vector<std::uint32_t>& particles) {
    std::size_t edge = first;
    for (;;) {
      const std::optional<std::size_t> next = sides.next_open(edge, v);
      if (!next) return false;
      if (seen[*next]) return true;
      seen[*next] = true;
      edge = *next;
      v ^= sides[edge].low ^ sides[edge].high;
      particles.push_back(v);
    }
  };

  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (seen[i] || !sides.is_open(i)) continue;
    seen[i] = true;
    BoundaryLoop loop;
    loop.particles = {sides[i].low, sides[i].high};
    loop.closed = follow(i, sides[i].high, loop.particles);
    if (loop.closed) {
      loop.particles.pop_back();  // the first one again
    } else {
      std::vector<std::uint32_t> before;
      follow(i, sides[i].low, before);
      loop.particles.insert(loop.particles.begin(), before.rbegin(), before.rend());
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace clothlab
