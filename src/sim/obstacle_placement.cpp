// SPDX-License-Identifier: MIT
#include "sim/obstacle_placement.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "collide/triangle_surface.h"
#include "core/vec.h"

namespace clothlab {
namespace {

constexpr double kFarthestCentre =
    kFarthestObstacle / 2;  // so that both ends of a body are in the allowed range

Obstacle placed_mesh(const Frame& frame, const Box& cloth, Obstacle body) {
  const Scene& scene = *frame.scene;
  if (std::holds_alternative<FileSource>(scene.mesh)) {
    body.scale = scene.scale;
    return scene.z_up ? turned(body, vec3(-90, 0, 0)) : body;
  }
  const Bounds& bounds = body.mesh.surface->bounds();
  const double size = glm::distance(bounds.low, bounds.high), diagonal = frame.mesh->diagonal;
  constexpr double kSmall = 0.2, kLarge = 5, kFitted = 0.75, kBelowCloth = 0.05;  // of the cloth's diagonal
  if (!(size > kSmall * diagonal && size < kLarge * diagonal)) body.scale = kFitted * diagonal / size;
  const vec3 middle = 0.5 * (cloth.low + cloth.high), own = 0.5 * (bounds.low + bounds.high);
  const vec3 top(own.x, bounds.high.y, own.z);
  return moved_to(body, vec3(middle.x, cloth.low.y - kBelowCloth * diagonal, middle.z) - body.scale * top);
}

}  // namespace

Box box_of(const Frame& frame, bool of_pins) {
  std::optional<Box> box;
  for (std::size_t i = 0; i < frame.positions.size(); ++i) {
    const vec3& p = frame.positions[i];
    if (!is_finite(p) || (of_pins && frame.pinned[i] == 0)) continue;
    if (!box) box = {p, p};
    *box = {glm::min(box->low, p), glm::max(box->high, p)};
  }
  return box.value_or(Box());
}

Obstacle placed_near_cloth(const Frame& frame, Obstacle body, std::span<const Obstacle> others) {
  constexpr double kRadius = 0.2, kHalfLength = 0.6;  // of the diagonal
  const Box cloth = box_of(frame);
  if (body.shape == Obstacle::Shape::mesh) return placed_mesh(frame, cloth, std::move(body));
  const auto near = [](const vec3& v) {
    return glm::clamp(v, vec3(-kFarthestCentre), vec3(kFarthestCentre));
  };
  const double size = std::clamp(frame.mesh->diagonal, 10 * kSmallestObstacle, 0.1 * kLargestObstacle);
  const double radius = kRadius * size * (body.shape == Obstacle::Shape::capsule ? 0.5 : 1.0);
  const double digits = std::pow(10.0, 2 - std::floor(std::log10(radius)));
  const auto rounded = [&](const vec3& v) { return glm::round(v * digits) / digits + 0.0; };  // no -0
  body.radius = rounded(vec3(radius)).x;
  if (body.shape == Obstacle::Shape::plane) {
    body.normal = vec3(0.5, 1, 0);
    body.offset = rounded(vec3(glm::dot(body.normal, near(cloth.low)) - 0.5 * body.radius)).x;
    return body;
  }
  const vec3 middle = near((cloth.low + cloth.high) / 2.0);
  vec3 centre(middle.x, std::max(cloth.low.y, -kFarthestCentre) - 1.2 * body.radius, middle.z);
  // It would be invisible under the floor.
  if (const auto& floor = frame.scene->floor; floor.on && centre.y - body.radius < floor.height)
    centre = vec3(middle.x, floor.height + body.radius,
                  std::min(cloth.high.z, kFarthestCentre) + 1.2 * body.radius);
  centre = rounded(centre);
  const auto hides = [&](const Obstacle& other) {
    return other.shape != Obstacle::Shape::plane &&
           glm::distance((other.from + other.to) / 2.0, centre) < other.radius + body.radius;
  };
  while (std::ranges::any_of(others, hides)) centre.z += body.radius;
  vec3 half(0);
  if (body.shape == Obstacle::Shape::capsule) half.x = kHalfLength * size;
  if (body.shape == Obstacle::Shape::cylinder) half.y = body.radius;
  if (body.shape == Obstacle::Shape::box) body.size = rounded(vec3(2 * body.radius));
  body.from = centre - half;
  body.to = centre + half;
  return body;
}

}  // namespace clothlab
