// SPDX-License-Identifier: MIT
#include "collide/triangle_surface.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <map>
#include <utility>

#include "collide/feature_pair.h"
#include "core/disjoint_sets.h"
#include "core/error.h"

namespace clothlab {
namespace {

constexpr double kRoundingShare = 1e-3;  // of the diagonal
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

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
  find_sides();
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

void TriangleSurface::find_sides() {
  triangles_at_.fill(positions_.size(), [&](const auto& add) {
    for (std::uint32_t t = 0; t < triangles_.size(); ++t)
      for (const std::uint32_t corner : triangles_[t]) add(corner, t);
  });
  std::vector<double> volume(parts());  // six times
  const vec3& any = positions_[triangles_.front()[0]];
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    const auto [a, b, c] = triangles_[t];
    volume[part_[t]] += glm::dot(positions_[a] - any, glm::cross(positions_[b] - any, positions_[c] - any));
    for (std::size_t k = 0; k < 3; ++k) {
      int along = 0, against = 0;
      std::uint32_t first = t;
      for_sides(triangles_[t][k], triangles_[t][(k + 1) % 3], [&](std::uint32_t other, bool is_along) {
        ++(is_along ? along : against);
        first = std::min(first, other);
      });
      if (along == 1 && against == 1) continue;
      closed_[part_[t]] = false;
      if (first == t) ++open_edges_;
    }
  }
  for (std::size_t part = 0; part < parts(); ++part) {
    if (volume[part] == 0) closed_[part] = false;
    inside_out_.push_back(closed_[part] && volume[part] < 0);
  }
}

/// Calls visit(triangle, traverses it in this direction) for the triangles at an edge, in ascending order.
template <class Visit>
void TriangleSurface::for_sides(std::uint32_t from, std::uint32_t to, const Visit& visit) const {
  for (const std::uint32_t t : triangles_at_[from]) {
    const auto k = static_cast<std::size_t>(std::ranges::find(triangles_[t], from) - triangles_[t].begin());
    if (triangles_[t][(k + 1) % 3] == to) visit(t, true);
    if (triangles_[t][(k + 2) % 3] == to) visit(t, false);
  }
}

vec3 TriangleSurface::face_normal(std::uint32_t triangle) const {
  const auto [a, b, c] = triangles_[triangle];
  const vec3 across = glm::cross(positions_[b] - positions_[a], positions_[c] - positions_[a]);
  if (!(glm::dot(across, across) > 0)) return vec3(0);
  return inside_out_[part_[triangle]] ? -glm::normalize(across) : glm::normalize(across);
}

vec3 TriangleSurface::edge_normal(std::uint32_t triangle, std::size_t opposite) const {
  const Triangle& t = triangles_[triangle];
  vec3 along(0), against(0);
  for_sides(t[(opposite + 1) % 3], t[(opposite + 2) % 3],
            [&](std::uint32_t other, bool is_along) { (is_along ? along : against) += face_normal(other); });
  const vec3 sum = along + against;
  const double length = glm::length(sum);
  return length > 0 ? sum / length : face_normal(triangle);
}

vec3 TriangleSurface::corner_normal(std::uint32_t corner) const {
  vec3 sum(0);
  for (const std::uint32_t t : triangles_at_[corner]) {
    const auto k = static_cast<std::size_t>(std::ranges::find(triangles_[t], corner) - triangles_[t].begin());
    const vec3 &x = positions_[corner], &y = positions_[triangles_[t][(k + 1) % 3]],
               &z = positions_[triangles_[t][(k + 2) % 3]];
    sum += angle_between(y - x, z - x) * face_normal(t);
  }
  const double length = glm::length(sum);
  return length > 0 ? sum / length : sum;
}

void TriangleSurface::deform(const MeshFrames& frames, double phase) {
  frames.interpolate(phase, positions_);
  tree_.move(triangles_, positions_);
  travel_ = frames.travel(phase);
  radius_ = frames.radius();
  continuous_ = parts() == 1;  // other parts may come near
}

SurfacePoint TriangleSurface::closest_point(const vec3& x, double within) const {
  double least = within * within;
  std::uint32_t nearest = kNone;
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
  if (nearest == kNone) {
    if (within != std::numeric_limits<double>::infinity()) return closest_point(x);  // by rounding
    nearest = 0;                                                                     // x is not finite
  }
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
  point.triangle = nearest;
  point.weights = weights;
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  if (zeros == 0) {
    const vec3 face = face_normal(nearest);
    const double height = glm::dot(from_surface, face);
    const bool other_side = !closed && height < 0;
    point.normal = other_side ? -face : face;
    point.height = other_side ? -height : height;
    return point;
  }
  const vec3 out = zeros == 1 ? edge_normal(nearest, at(zero)) : corner_normal(corners[at(full)]);
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
