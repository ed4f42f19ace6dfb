// SPDX-License-Identifier: MIT
#include "collide/triangle_surface.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "collide/feature_pair.h"
#include "core/disjoint_sets.h"
#include "core/error.h"

namespace clothlab {
namespace {

constexpr double kRoundingShare = 1e-3;  // of the diagonal

double angle_between(const vec3& a, const vec3& b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

/// True if the segment from the origin to `line` crosses a triangle. Of two triangles that share an edge, a
/// segment through that edge crosses at least one.
bool crosses_triangle(const vec3& line, const vec3& a, const vec3& b, const vec3& c) {
  const double u = glm::dot(line, glm::cross(c, b)), v = glm::dot(line, glm::cross(a, c)),
               w = glm::dot(line, glm::cross(b, a));
  if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0))) return false;
  const vec3 across = glm::cross(b - a, c - a);
  const double begin = -glm::dot(across, a), end = begin + glm::dot(across, line);
  return (begin >= 0) != (end >= 0);
}

}  // namespace

TriangleSurface::TriangleSurface(std::vector<vec3> positions, std::vector<Triangle> triangles)
    : positions_(std::move(positions)), triangles_(std::move(triangles)) {
  for (const vec3& x : positions_)
    if (!std::isfinite(glm::dot(x, x))) throw InputError("a mesh obstacle has a corner too far away.");
  std::erase_if(triangles_, [&](const Triangle& t) {
    const vec3 across = glm::cross(positions_[t[1]] - positions_[t[0]], positions_[t[2]] - positions_[t[0]]);
    return !(glm::dot(across, across) > 0);
  });
  if (triangles_.empty()) throw InputError("a mesh obstacle needs a triangle with an area.");
  tree_ = TriangleTree(triangles_, positions_);
  rounding_ = kRoundingShare * glm::distance(bounds().low, bounds().high);
  for (const Triangle& t : triangles_)
    for (const std::uint32_t corner : t) radius_ = std::max(radius_, glm::length(positions_[corner]));
  find_parts();
  find_normals();
  continuous_ = keeps_parts_apart();
}

// Compares the boxes of the parts.
bool TriangleSurface::keeps_parts_apart() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Bounds> boxes(parts(), {vec3(kInfinity), vec3(-kInfinity)});
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (const std::uint32_t corner : triangles_[t])
      boxes[part_[t]].include(Bounds::around(positions_[corner]));
  for (std::size_t part = 0; part < parts(); ++part)
    for (std::size_t other = 0; closed_[part] && other < parts(); ++other)
      if (other != part && boxes[part].overlaps(boxes[other])) return false;
  return true;
}

// Triangles that share a corner belong to one part.
void TriangleSurface::find_parts() {
  DisjointSets sets(positions_.size());
  for (const auto& [a, b, c] : triangles_)
    for (const std::uint32_t other : {b, c}) sets.join(a, other);
  std::map<std::uint32_t, std::uint32_t> number;
  for (const Triangle& t : triangles_)
    part_.push_back(number.emplace(sets.find(t[0]), static_cast<std::uint32_t>(number.size())).first->second);
  closed_.assign(number.size(), true);
}

void TriangleSurface::find_normals() {
  normals_.resize(triangles_.size());
  of_corner_.assign(positions_.size(), vec3(0));
  std::vector<double> volume(parts());  // six times
  const vec3& any = positions_[triangles_.front()[0]];
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto [a, b, c] = triangles_[t];
    const vec3 &x = positions_[a], &y = positions_[b], &z = positions_[c];
    normals_[t].face = glm::normalize(glm::cross(y - x, z - x));
    volume[part_[t]] += glm::dot(x - any, glm::cross(y - any, z - any));
    of_corner_[a] += angle_between(y - x, z - x) * normals_[t].face;
    of_corner_[b] += angle_between(z - y, x - y) * normals_[t].face;
    of_corner_[c] += angle_between(x - z, y - z) * normals_[t].face;
  }
  // Edges by the direction in which a triangle traverses them.
  struct Side {
    int triangles = 0;
    vec3 normals{0};
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Side> sides;
  const auto for_sides = [&](auto visit) {
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k)
        visit(t, k, std::pair(triangles_[t][(k + 1) % 3], triangles_[t][(k + 2) % 3]));
  };
  for_sides([&](std::size_t t, std::size_t /*k*/, const auto& side) {
    Side& along = sides[side];
    ++along.triangles;
    along.normals += normals_[t].face;
  });
  for (vec3& corner : of_corner_)
    if (const double length = glm::length(corner); length > 0) corner /= length;
  std::set<std::pair<std::uint32_t, std::uint32_t>> open;
  for_sides([&](std::size_t t, std::size_t k, const auto& side) {
    const auto other = sides.find(std::pair(side.second, side.first));
    vec3 sum = sides.at(side).normals;
    if (other != sides.end()) sum += other->second.normals;
    if (sides.at(side).triangles != 1 || other == sides.end()) {
      closed_[part_[t]] = false;
      open.emplace(std::min(side.first, side.second), std::max(side.first, side.second));
    }
    const double length = glm::length(sum);
    normals_[t].edge[k] = length > 0 ? sum / length : normals_[t].face;
  });
  open_edges_ = open.size();
  for (std::size_t part = 0; part < parts(); ++part)
    if (volume[part] == 0) closed_[part] = false;
  // Parts that are inside out.
  const auto is_reversed = [&](std::size_t t) { return closed_[part_[t]] && volume[part_[t]] < 0; };
  std::vector<bool> reversed(positions_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    if (!is_reversed(t)) continue;
    normals_[t].face = -normals_[t].face;
    for (vec3& edge : normals_[t].edge) edge = -edge;
    for (const std::uint32_t corner : triangles_[t]) reversed[corner] = true;
  }
  for (std::size_t i = 0; i < positions_.size(); ++i)
    if (reversed[i]) of_corner_[i] = -of_corner_[i];
}

SurfacePoint TriangleSurface::closest_point(const vec3& x, double within) const {
  double least = within * within;
  std::size_t nearest = triangles_.size();
  vec3 weights(1, 0, 0), from_surface(0);
  tree_.find_nearest(x, least, [&](std::uint32_t t) {
    const auto [a, b, c] = triangles_[t];
    const vec3 w = closest_on_triangle(x, positions_[a], positions_[b], positions_[c]);
    const vec3 apart = x - (w.x * positions_[a] + w.y * positions_[b] + w.z * positions_[c]);
    const double squared = glm::dot(apart, apart);
    if (squared < least) {
      least = squared;
      nearest = t;
      weights = w;
      from_surface = apart;
    }
    return least;
  });
  if (nearest == triangles_.size()) {
    if (within != std::numeric_limits<double>::infinity()) return closest_point(x);  // by rounding
    nearest = 0;                                                                     // x is not finite
  }
  const Normals& normals = normals_[nearest];
  const Triangle& corners = triangles_[nearest];
  const bool closed = closed_[part_[nearest]];
  int zeros = 0, zero = 0, full = 0;
  for (int k = 0; k < 3; ++k) {
    if (weights[k] == 0) {
      ++zeros;
      zero = k;
    }
    if (weights[k] > weights[full]) full = k;
  }
  SurfacePoint point;
  point.level = rounding_;
  point.slack = kSurfaceRounding;
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  if (zeros == 0) {
    const double height = glm::dot(from_surface, normals.face);
    const bool other_side = !closed && height < 0;
    point.normal = other_side ? -normals.face : normals.face;
    point.height = other_side ? -height : height;
    return point;
  }
  const vec3 out = zeros == 1 ? normals.edge[at(zero)] : of_corner_[corners[at(full)]];
  const double distance = std::sqrt(least);
  const double side = closed && glm::dot(from_surface, out) < 0 ? -1 : 1;
  point.height = side * distance;
  point.normal = distance > 0 ? side / distance * from_surface : out;
  if (!(point.height > 0)) return point;  // the core, where the nearest face decides
  point.curvature = 1 / rounding_;
  if (zeros == 1)
    point.least =
        glm::normalize(positions_[corners[at((zero + 2) % 3)]] - positions_[corners[at((zero + 1) % 3)]]);
  return point;
}

bool TriangleSurface::is_crossed(const vec3& from, const vec3& to) const {
  bool crossed = false;
  Bounds line = Bounds::around(from);
  line.include(Bounds::around(to));
  tree_.find(line, [&](std::uint32_t t) {
    const auto [a, b, c] = triangles_[t];
    crossed = crossed ||
              crosses_triangle(to - from, positions_[a] - from, positions_[b] - from, positions_[c] - from);
  });
  return crossed;
}

}  // namespace clothlab
