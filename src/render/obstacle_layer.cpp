// SPDX-License-Identifier: MIT
#include "render/obstacle_layer.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <numbers>
#include <utility>

namespace clothlab {
namespace {

constexpr std::uint32_t kAround = 48, kRings = 12;  // of each half of a sphere
constexpr double kShare = 0.015;                    // of the radius, by which it is drawn smaller
constexpr double kShareOfEdge = 0.3;                // of the rounding, in the same way

// Of the diagonal of the cloth.
constexpr double kHalfPatch = 1.5, kPatchBelow = 2e-3;
constexpr int kSquares = 12;  // of a patch, in a row

/// A core with everything within a radius of it, as rings about an axis.
struct Rings {
  vec3 from, to;         // ends of the core
  vec3 side, third, up;  // axes; up along the core
  double half_side = 0;  // of the core's ends: a rectangle
  double half_third = 0;
  double core_radius = 0;  // or a disc
  double radius = 0;
};

Rings rings_of(const Obstacle& body) {
  Rings rings;
  const vec3 axis = body.to - body.from;
  rings.up = glm::length(axis) > 0 ? glm::normalize(axis) : body.axes[1];
  // Its drawn lines turn with it.
  const vec3 aside = std::abs(glm::dot(rings.up, body.axes[0])) < 0.9 ? body.axes[0] : body.axes[2];
  rings.side = glm::normalize(glm::cross(rings.up, aside));
  rings.third = glm::cross(rings.up, rings.side);
  rings.from = body.from;
  rings.to = body.to;
  rings.radius = (1 - kShare) * body.radius;
  if (body.shape == Obstacle::Shape::cylinder) {
    rings.radius = rounding_of(body);
    const double less = kShareOfEdge * rings.radius;
    rings.core_radius = body.radius - rings.radius - less;
    rings.from += (rings.radius + less) * rings.up;
    rings.to -= (rings.radius + less) * rings.up;
  } else if (body.shape == Obstacle::Shape::box) {
    rings.side = body.axes[0];
    rings.up = body.axes[1];
    rings.third = -body.axes[2];
    rings.radius = rounding_of(body);
    const vec3 core = 0.5 * body.size - rings.radius * (1 + kShareOfEdge);
    rings.half_side = core.x;
    rings.half_third = core.z;
    rings.from -= core.y * rings.up;
    rings.to += core.y * rings.up;
  }
  return rings;
}

// Rings of the half spheres at both ends of the core, and its sides between them.
void add_body(const Obstacle& body, bool has_meridians, ClothMesh& mesh, std::vector<vec3>& lines) {
  const Rings rings = rings_of(body);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  constexpr std::uint32_t kAll = 2 * (kRings + 1);
  for (std::uint32_t ring = 0; ring < kAll; ++ring) {
    const bool at_end = ring > kRings;
    const double share =
        at_end ? static_cast<double>(ring - kRings - 1) / kRings : static_cast<double>(ring) / kRings - 1;
    const double latitude = share * std::numbers::pi / 2;
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * (k + 0.5) / kAround;
      const double cosine = std::cos(angle), sine = std::sin(angle);
      const vec3 level = cosine * rings.side + sine * rings.third;
      const vec3 core = rings.core_radius * level + std::copysign(rings.half_side, cosine) * rings.side +
                        std::copysign(rings.half_third, sine) * rings.third;
      mesh.positions.push_back((at_end ? rings.to : rings.from) + core +
                               rings.radius * (std::cos(latitude) * level + std::sin(latitude) * rings.up));
    }
    if (ring == 0) continue;
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const std::uint32_t here = first + ring * kAround + k,
                          next = first + ring * kAround + (k + 1) % kAround;
      const std::uint32_t below = here - kAround, below_next = next - kAround;
      mesh.triangles.push_back({below, here, next});
      mesh.triangles.push_back({below, next, below_next});
    }
  }
  constexpr std::uint32_t kMeridians = 8;
  for (std::uint32_t k = 0; k < kAround && has_meridians; k += kAround / kMeridians)
    for (std::uint32_t ring = 1; ring < kAll; ++ring)
      for (const std::uint32_t end : {ring - 1, ring})
        lines.push_back(mesh.positions[first + end * kAround + k]);
  // The flat ends.
  for (const bool at_end : {false, true}) {
    const auto middle = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(at_end ? rings.to + rings.radius * rings.up
                                    : rings.from - rings.radius * rings.up);
    const std::uint32_t rim = first + (at_end ? (kAll - 1) * kAround : 0);
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const std::uint32_t a = rim + k, b = rim + (k + 1) % kAround;
      mesh.triangles.push_back(at_end ? std::array{middle, b, a} : std::array{middle, a, b});
    }
  }
}

void add_triangles(const Obstacle& body, ClothMesh& mesh) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  std::ranges::copy(corners_of(body), std::back_inserter(mesh.positions));
  for (const auto& [a, b, c] : body.mesh.surface->triangles())
    mesh.triangles.push_back({first + a, first + b, first + c});
}

// A square around the point below the middle of the cloth, and the ends of its lines.
void add_patch(const Obstacle& plane, double diagonal, const vec3& centre, ClothMesh& mesh,
               std::vector<vec3>& lines) {
  const SurfacePoint below = closest_point(plane, centre);
  const vec3& n = below.normal;
  const vec3 middle = centre + (below.level - below.height - kPatchBelow * diagonal) * n;
  const vec3 side = glm::normalize(glm::cross(n, std::abs(n.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 0, 1)));
  const vec3 third = glm::cross(n, side);
  const double half = kHalfPatch * diagonal;
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  const auto at = [&](int i, int j) {
    const double step = 2 * half / kSquares;
    return middle + (i * step - half) * side + (j * step - half) * third;
  };
  for (int i = 0; i <= kSquares; ++i)
    for (int j = 0; j <= kSquares; ++j) mesh.positions.push_back(at(i, j));
  for (std::uint32_t i = 0; i < kSquares; ++i)
    for (std::uint32_t j = 0; j < kSquares; ++j) {
      const std::uint32_t a = first + i * (kSquares + 1) + j, b = a + kSquares + 1;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  for (int i = 0; i <= kSquares; ++i)
    for (const vec3& end : {at(i, 0), at(i, kSquares), at(0, i), at(kSquares, i)}) lines.push_back(end);
}

}  // namespace

void ObstacleLayer::Part::set_mesh(ClothMesh mesh, bool other_triangles) {
  if (other_triangles) surface.set_mesh(mesh);
  exact = std::move(mesh.positions);
}

void ObstacleLayer::Part::set_target(const vec3& target) {
  set_relative(exact, target, positions);
  surface.update(positions, {});
}

void ObstacleLayer::update(std::span<const Obstacle> bodies, std::span<const Obstacle> in_scene,
                           const ClothMesh& cloth, const vec3& target) {
  const vec3 centre = 0.5 * (cloth.box.low + cloth.box.high);
  if (!std::ranges::equal(bodies, bodies_) || cloth.diagonal != diagonal_ || centre != centre_) {
    const auto has_same_triangles = [](const Obstacle& a, const Obstacle& b) {
      return a.shape == b.shape && a.mesh.surface == b.mesh.surface;
    };
    const bool same_shapes = std::ranges::equal(bodies, bodies_, has_same_triangles);
    bodies_.assign(bodies.begin(), bodies.end());
    diagonal_ = cloth.diagonal;
    centre_ = centre;
    line_places_.clear();
    ClothMesh solids, planes;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const auto turns = [](const Keyframe& key) { return key.turn != vec3(0); };
      if (bodies_[k].shape == Obstacle::Shape::plane)
        add_patch(bodies_[k], diagonal_, centre_, planes, line_places_);
      else if (bodies_[k].shape == Obstacle::Shape::mesh)
        add_triangles(bodies_[k], solids);
      else
        add_body(bodies_[k], k < in_scene.size() && std::ranges::any_of(in_scene[k].path.keys, turns), solids,
                 line_places_);
    }
    solids_.set_mesh(std::move(solids), !same_shapes);
    planes_.set_mesh(std::move(planes), !same_shapes);
  }
  solids_.set_target(target);
  planes_.set_target(target);
  set_relative(line_places_, target, line_ends_);
}

}  // namespace clothlab
