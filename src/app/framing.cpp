// SPDX-License-Identifier: MIT
#include "app/framing.h"

#include <algorithm>
#include <cmath>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

namespace clothlab {

namespace {

// Extended by the near bodies that free cloth may fall on, without those that are much larger.
Box with_bodies(const Box& cloth, const Scene& scene) {
  constexpr double kNear = 1, kLarge = 2;  // of the cloth's diagonal
  const double size = glm::distance(cloth.low, cloth.high);
  Box all = cloth;
  for (const Obstacle& body : scene.obstacles.bodies) {
    const bool is_mesh = body.shape == Obstacle::Shape::mesh;
    vec3 half(body.radius), from = body.from, to = body.to;
    if (has_axes(body.shape)) {
      const Bounds bounds = is_mesh ? body.mesh.surface->bounds() : Bounds();
      const vec3 extent = is_mesh ? body.scale * (bounds.high - bounds.low) : body.size;
      from = to = from + body.axes * (0.5 * body.scale * (bounds.low + bounds.high));
      half = vec3(0);
      for (int k = 0; k < 3; ++k) half += glm::abs(0.5 * extent[k] * body.axes[k]);
    }
    if (body.shape == Obstacle::Shape::plane) {
      // The point of its surface below the middle of the cloth.
      const vec3 middle = (cloth.low + cloth.high) / 2.0;
      const SurfacePoint below = closest_point(body, middle);
      from = to = middle + (below.level - below.height) * below.normal;
      half = vec3(0);
    }
    const vec3 low = glm::min(from, to) - half;
    const vec3 high = glm::max(from, to) + half;
    const vec3 gap = glm::max(glm::max(low - cloth.high, cloth.low - high), vec3(0));
    if (glm::length(gap) > kNear * size || glm::distance(low, high) > kLarge * size) continue;
    all = {glm::min(all.low, low), glm::max(all.high, high)};
  }
  return all;
}

// Whether a triangle is above or below the point.
bool covers(const vec3& at, const vec3& a, const vec3& b, const vec3& c) {
  const auto side = [&](const vec3& p, const vec3& q) {
    return (q.x - p.x) * (at.z - p.z) - (q.z - p.z) * (at.x - p.x);
  };
  const double u = side(a, b), v = side(b, c), w = side(c, a);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

bool is_free(const Frame& frame) {
  return std::ranges::none_of(frame.pinned, [](std::uint8_t pinned) { return pinned != 0; });
}

Box room_for_cloth(const Frame& frame) {
  Box box = box_of(frame);
  // Free cloth falls on obstacles and the floor.
  if (frame.scene && is_free(frame)) {
    box = with_bodies(box, *frame.scene);
    if (frame.scene->floor.on) box.low.y = std::min(box.low.y, frame.scene->floor.height);
    return box;
  }
  const Box pins = box_of(frame, true);
  const bool any = !is_free(frame);
  if (any && frame.scene && frame.scene->material.gravity == vec3(0)) {
    // Nothing falls; cloth with initial velocities may rotate about its pins.
    const auto& start = frame.scene->initial_state;
    if (!start || std::ranges::all_of(start->velocities, [](const vec3& v) { return v == vec3(0); }))
      return box;
    const vec3 centre = (pins.low + pins.high) / 2.0;
    double reach = 0;
    for (const vec3& p : frame.positions) reach = std::max(reach, glm::distance(p, centre));
    return {centre - reach, centre + reach};
  }
  const vec3 extent = box.high - box.low;
  const double across = std::max(extent.x, extent.z);
  if (!any) return box;
  if (extent.y > 0.5 * across) {
    // Hanging cloth also swings to the other side.
    const vec3 centre = (pins.low + pins.high) / 2.0;
    for (const int axis : {0, 2}) {
      const double swing = std::max(box.high[axis] - centre[axis], centre[axis] - box.low[axis]);
      box.low[axis] = centre[axis] - swing;
      box.high[axis] = centre[axis] + swing;
    }
    return box;
  }
  // A level sheet swings down by its extent beyond its pins; pinned all around it sags.
  double reach = 0.2 * across;
  for (const int axis : {0, 2}) {
    const double below = pins.low[axis] - box.low[axis];
    const double above = box.high[axis] - pins.high[axis];
    reach = std::max({reach, 0.9 * below, 0.9 * above});
    if (above > 0.5 * extent[axis]) box.high[axis] -= 0.5 * extent[axis];
    if (below > 0.5 * extent[axis]) box.low[axis] += 0.5 * extent[axis];
  }
  box.low.y -= reach;
  return box;
}

/// Extended by the paths of groups, and around the centres of central forces by the distance of the group.
Box with_drivers(Box box, const Frame& frame) {
  if (!frame.drivers || !frame.scene || frame.drivers->size() != frame.scene->drivers.size()) return box;
  const auto include = [&](const vec3& point, double around) {
    box = {glm::min(box.low, point - around), glm::max(box.high, point + around)};
  };
  for (std::size_t k = 0; k < frame.drivers->size(); ++k) {
    const DriverMark& mark = (*frame.drivers)[k];
    for (const vec3& point : mark.line) include(point, 0);
    const auto* force = std::get_if<DriverForce>(&frame.scene->drivers[k].action);
    if (force == nullptr || force->kind != DriverForce::Kind::central) continue;
    double farthest = 0;
    for (const std::uint32_t i : mark.particles)
      farthest = std::max(farthest, glm::distance(frame.positions[i], force->centre));
    include(force->centre, farthest);
  }
  return box;
}

}  // namespace

bool may_fall_into_mesh(const Frame& frame) {
  if (!frame.scene || !is_free(frame)) return false;
  const Box cloth = box_of(frame);
  return std::ranges::any_of(frame.scene->obstacles.bodies, [&](const Obstacle& body) {
    if (body.shape != Obstacle::Shape::mesh || !body.mesh.surface) return false;
    const std::vector<vec3> corners = corners_of(body);
    Bounds bounds = Bounds::around(corners.front());
    for (const vec3& corner : corners) bounds.include(Bounds::around(corner));
    const auto& [low, high] = bounds;
    const vec3 middle = (low + high) / 2.0;
    const bool is_wider =
        low.x < cloth.low.x && low.z < cloth.low.z && high.x > cloth.high.x && high.z > cloth.high.z;
    if (!is_wider || middle.y > cloth.low.y) return false;
    return std::ranges::none_of(body.mesh.surface->triangles(), [&](const TriangleSurface::Triangle& t) {
      return covers(middle, corners[t[0]], corners[t[1]], corners[t[2]]);
    });
  });
}

std::optional<Box> box_of_failure(const LaneSnapshot& lane) {
  constexpr double kAround = 0.75;        // of the spring's length
  constexpr double kAroundContact = 1.5;  // of the longest spring at the particle
  if (lane.failed_contact) {
    const std::uint32_t particle = lane.failed_contact->particle;
    const ClothMesh& mesh = *lane.frame.mesh;
    double edge = 0;
    for (const auto& [i, j] : mesh.stretch_springs)
      if (i == particle || j == particle)
        edge = std::max(edge, glm::distance(mesh.positions[i], mesh.positions[j]));
    const vec3& at = lane.frame.positions[particle];
    const vec3 around(kAroundContact * edge);
    return Box{at - around, at + around};
  }
  if (!lane.failed_spring) return std::nullopt;
  const FailedSpring& spring = *lane.failed_spring;
  const vec3 &a = lane.frame.positions[spring.i], &b = lane.frame.positions[spring.j];
  const vec3 around(kAround * std::max(spring.rest_length, glm::distance(a, b)));
  return Box{glm::min(a, b) - around, glm::max(a, b) + around};
}

Box room_to_move(const Frame& frame) { return with_drivers(room_for_cloth(frame), frame); }

}  // namespace clothlab
