// SPDX-License-Identifier: MIT
#include "render/obstacle_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <numbers>

namespace clothlab {
namespace {

constexpr std::uint32_t kAround = 48, kRings = 12;  // of each half of a sphere
constexpr double kShare = 0.985;                    // of the radius

// Rings of the half sphere at one end, those of the other, and between the two the cylinder.
void add_body(const Obstacle& body, ClothMesh& mesh) {
  const vec3 axis = body.to - body.from;
  const vec3 up = glm::length(axis) > 0 ? glm::normalize(axis) : vec3(0, 1, 0);
  const vec3 side = glm::normalize(glm::cross(up, std::abs(up.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 0, 1)));
  const vec3 third = glm::cross(up, side);
  const double radius = kShare * body.radius;
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::uint32_t ring = 0; ring < 2 * (kRings + 1); ++ring) {
    const bool at_end = ring > kRings;
    const double share =
        at_end ? static_cast<double>(ring - kRings - 1) / kRings : static_cast<double>(ring) / kRings - 1;
    const double latitude = share * std::numbers::pi / 2;
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      const vec3 level = std::cos(angle) * side + std::sin(angle) * third;
      mesh.positions.push_back((at_end ? body.to : body.from) +
                               radius * (std::cos(latitude) * level + std::sin(latitude) * up));
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
}

}  // namespace

void ObstacleLayer::update(std::span<const Obstacle> bodies, const vec3& target) {
  if (!std::ranges::equal(bodies, bodies_)) {
    bodies_.assign(bodies.begin(), bodies.end());
    ClothMesh mesh;
    for (const Obstacle& body : bodies_) add_body(body, mesh);
    surface_.set_mesh(mesh);
    places_ = std::move(mesh.positions);
  }
  positions_.resize(places_.size());
  std::ranges::transform(places_, positions_.begin(), [&](const vec3& p) { return glm::vec3(p - target); });
  surface_.update(positions_, {});
}

}  // namespace clothlab
