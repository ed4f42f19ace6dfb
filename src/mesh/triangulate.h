// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"

namespace clothlab {

/// Largest number of corners of a face; the time for a concave one grows with its square.
inline constexpr std::size_t kMaxCorners = 4096;

/// Cuts polygons into triangles by clipping ears in the polygon's best-fit plane (normal after Newell),
/// so that the triangles of a simple polygon, concave or not, do not overlap. A convex polygon becomes
/// the fan of its first corner. Corners on a straight edge get no flat triangle of their own unless
/// that is unavoidable; polygons that cross themselves also give n − 2 triangles. The result does
/// not depend on the size of the polygon.
class Triangulator {
 public:
  /// Triangles as indices into `polygon` (at least 3 corners), n − 2 of them, with the polygon's
  /// orientation; valid until the next call. Throws Cancelled on request of `stop`.
  std::span<const std::array<std::uint32_t, 3>> triangulate(std::span<const vec3> polygon,
                                                            const StopProbe& stop = {});

 private:
  struct Point {
    double x, y;
  };
  void project(std::span<const vec3> polygon);
  int turn(std::uint32_t a, std::uint32_t b, std::uint32_t c) const;
  bool is_convex(std::uint32_t corner) const;
  bool is_ear(std::uint32_t corner);
  bool sees(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t corner_to_clip(std::uint32_t from, std::size_t remaining);
  void clip(std::uint32_t corner);
  void set_blocking(std::uint32_t corner, bool blocks);

  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<Point> points_;
  std::vector<std::uint32_t> next_, previous_;
  std::vector<std::uint32_t> blockers_;  // corners that are not convex: only they can lie in an ear
  std::vector<bool> blocks_;             // whether a corner is one of blockers_
  // A corner found in the triangle at each corner: while it blocks, no search is needed.
  std::vector<std::uint32_t> found_blocker_;
};

}  // namespace clothlab
