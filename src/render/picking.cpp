// SPDX-License-Identifier: MIT
#include "render/picking.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <tuple>
#include <utility>

#include "collide/triangle_tree.h"

namespace clothlab {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

double distance_to_segment(Pixels point, Pixels a, Pixels b) {
  const Pixels along = b - a;
  const double squared = glm::dot(along, along);
  const double share = squared > 0 ? std::clamp(glm::dot(point - a, along) / squared, 0.0, 1.0) : 0;
  return glm::length(point - a - share * along);
}

/// Coordinates along a ray and across it, from its origin.
struct RaySpace {
  explicit RaySpace(const Ray& ray) : origin(ray.origin), along(ray.direction) {
    const vec3 aside = std::abs(along.y) < 0.7 ? vec3(0, 1, 0) : vec3(1, 0, 0);
    across[0] = glm::normalize(glm::cross(along, aside));
    across[1] = glm::cross(along, across[0]);
  }

  /// x and y across the ray, z along it.
  vec3 operator()(const vec3& point) const {
    const vec3 p = point - origin;
    return {glm::dot(across[0], p), glm::dot(across[1], p), glm::dot(along, p)};
  }

  vec3 origin;
  vec3 along;
  vec3 across[2];
};

// [Woop 2013]: projected along the ray, a corner is the same point for all its triangles, and the sign of
// x₁y₂ − x₂y₁ is never wrong, since rounding keeps the order of the two products (zero counts as a hit). So
// no ray slips between triangles that share an edge or a corner. (Their shear is a rotation here.) NaN is
// never a hit.
std::optional<Pick> meet(const Triangle& triangle, std::span<const vec3> positions, const RaySpace& seen) {
  const vec3 a = seen(positions[triangle[0]]);
  const vec3 b = seen(positions[triangle[1]]);
  const vec3 c = seen(positions[triangle[2]]);
  const double wa = b.x * c.y - b.y * c.x;
  const double wb = c.x * a.y - c.y * a.x;
  const double wc = a.x * b.y - a.y * b.x;
  const bool front = wa >= 0 && wb >= 0 && wc >= 0;
  const bool back = wa <= 0 && wb <= 0 && wc <= 0;
  if (!front && !back) return std::nullopt;
  const double sum = wa + wb + wc;
  if (!std::isfinite(sum) || sum == 0) return std::nullopt;
  const vec3 weights = vec3(wa, wb, wc) / sum;
  const double distance = weights.x * a.z + weights.y * b.z + weights.z * c.z;
  if (!std::isfinite(distance) || !(distance > 0)) return std::nullopt;
  return Pick{triangle, weights, distance};
}

/// Whether one of the triangles lies between the eye and a particle.
bool is_hidden(std::uint32_t particle, std::span<const vec3> positions, const vec3& eye,
               std::span<const Triangle> triangles) {
  const vec3 to_particle = positions[particle] - eye;
  const double distance = glm::length(to_particle);
  const RaySpace along({eye, to_particle / distance});
  return std::any_of(triangles.begin(), triangles.end(), [&](const Triangle& t) {
    if (std::find(t.begin(), t.end(), particle) != t.end()) return false;
    const std::optional<Pick> met = meet(t, positions, along);
    // A triangle that touches the particle or coincides with it does not hide it.
    return met && met->distance < distance * (1 - 1e-9);
  });
}

/// The particles and triangles in a rectangle of the view, by one pass over each, so that searches visit few
/// of them.
class Nearby {
 public:
  struct Particle {
    std::uint32_t index;
    Projected seen;
  };

  Nearby(const ClothMesh& mesh, std::span<const vec3> positions, const Projector& project, Pixels low,
         Pixels high) {
    // Cohen–Sutherland: the sides of the rectangle that a particle lies outside of.
    constexpr std::uint8_t kLeft = 1, kRight = 2, kAbove = 4, kBelow = 8, kUnseen = 16;
    std::vector<std::uint8_t> sides(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::optional<Projected> seen = project(positions[i]);
      if (!seen) {
        sides[i] = kUnseen;
        continue;
      }
      const Pixels p = seen->pixel;
      sides[i] = static_cast<std::uint8_t>((p.x < low.x ? kLeft : 0) | (p.x > high.x ? kRight : 0) |
                                           (p.y < low.y ? kAbove : 0) | (p.y > high.y ? kBelow : 0));
      if (sides[i] == 0) particles.push_back({static_cast<std::uint32_t>(i), *seen});
    }
    for (const Triangle& t : mesh.triangles)
      if ((sides[t[0]] & sides[t[1]] & sides[t[2]]) == 0) triangles.push_back(t);
  }

  std::vector<Particle> particles;  ///< within the rectangle, ascending
  std::vector<Triangle> triangles;  ///< that may cover some of it
};

/// The point of a triangle's edges that appears nearest to the cursor, without edges that reach behind the
/// eye.
struct EdgePoint {
  double squared_pixels = std::numeric_limits<double>::infinity();
  double depth = 0;
  Pick pick;

  bool better_than(const EdgePoint& other) const {
    return std::tie(squared_pixels, depth) < std::tie(other.squared_pixels, other.depth);
  }
};

EdgePoint nearest_edge_point(const Triangle& triangle, std::span<const vec3> positions,
                             const Projector& project, Pixels cursor, const vec3& eye) {
  EdgePoint nearest;
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const std::optional<Projected> a = project(positions[triangle[static_cast<std::size_t>(k)]]);
    const std::optional<Projected> b = project(positions[triangle[static_cast<std::size_t>(next)]]);
    if (!a || !b) continue;
    const Pixels along = b->pixel - a->pixel;
    const double squared = glm::dot(along, along);
    const double t = squared > 0 ? std::clamp(glm::dot(cursor - a->pixel, along) / squared, 0.0, 1.0) : 0.0;
    const Pixels offset = a->pixel + t * along - cursor;
    // The share t of the projected edge as a share of the edge in space.
    const double share = t * a->depth / ((1 - t) * b->depth + t * a->depth);
    EdgePoint point;
    point.squared_pixels = glm::dot(offset, offset);
    point.depth = (1 - share) * a->depth + share * b->depth;
    if (!point.better_than(nearest)) continue;
    point.pick.particles = triangle;
    point.pick.weights[k] = 1 - share;
    point.pick.weights[next] = share;
    nearest = point;
  }
  vec3 at(0);
  for (int k = 0; k < 3; ++k)
    at += nearest.pick.weights[k] * positions[triangle[static_cast<std::size_t>(k)]];
  nearest.pick.distance = glm::length(at - eye);
  return nearest;
}

std::optional<std::uint32_t> nearest_visible(Nearby nearby, std::span<const vec3> positions, const vec3& eye,
                                             Pixels cursor, double radius) {
  const auto squared_pixels = [&](const Nearby::Particle& p) {
    const Pixels offset = p.seen.pixel - cursor;
    return glm::dot(offset, offset);
  };
  std::erase_if(nearby.particles,
                [&](const Nearby::Particle& p) { return squared_pixels(p) > radius * radius; });
  std::ranges::sort(nearby.particles, {}, [&](const Nearby::Particle& p) {
    return std::tuple(squared_pixels(p), p.seen.depth, p.index);
  });
  const auto found = std::ranges::find_if(nearby.particles, [&](const Nearby::Particle& p) {
    return !is_hidden(p.index, positions, eye, nearby.triangles);
  });
  if (found == nearby.particles.end()) return std::nullopt;
  return found->index;
}

}  // namespace

std::optional<Pick> pick(std::span<const Triangle> triangles, std::span<const vec3> positions,
                         const Ray& ray) {
  const RaySpace seen(ray);
  std::optional<Pick> nearest;
  for (const Triangle& triangle : triangles) {
    const std::optional<Pick> met = meet(triangle, positions, seen);
    if (met && (!nearest || met->distance < nearest->distance)) nearest = met;
  }
  return nearest;
}

std::optional<std::uint32_t> nearest_visible_particle(const ClothMesh& mesh, std::span<const vec3> positions,
                                                      const Camera& camera, Pixels cursor, Pixels size,
                                                      double radius) {
  Nearby nearby(mesh, positions, camera.projector(size), cursor - radius, cursor + radius);
  return nearest_visible(std::move(nearby), positions, camera.eye(), cursor, radius);
}

std::vector<std::uint32_t> visible_particles(const ClothMesh& mesh, std::span<const vec3> positions,
                                             const Camera& camera, Pixels low, Pixels high, Pixels size) {
  const Projector project = camera.projector(size);
  const Nearby nearby(mesh, positions, project, low, high);
  // z = 0; NaN behind the eye
  std::vector<vec3> pixels(positions.size(), vec3(std::numeric_limits<double>::quiet_NaN()));
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (const std::optional<Projected> seen = project(positions[i]))
      pixels[i] = {seen->pixel.x, seen->pixel.y, 0};
  std::vector<Triangle> in_front, behind;  // in front of the eye; partly behind it
  for (const Triangle& t : nearby.triangles) {
    const bool seen = std::ranges::all_of(t, [&](std::uint32_t i) { return is_finite(pixels[i]); });
    (seen ? in_front : behind).push_back(t);
  }
  const TriangleTree tree(in_front, pixels);
  std::vector<std::uint32_t> visible;
  std::vector<Triangle> covering;
  for (const Nearby::Particle& p : nearby.particles) {
    constexpr double kSlack = 0.1;  // of a pixel, for rounding
    Bounds at = Bounds::around(pixels[p.index]);
    at.grow(kSlack);
    covering = behind;
    tree.find(at, [&](std::uint32_t t) { covering.push_back(in_front[t]); });
    if (!is_hidden(p.index, positions, camera.eye(), covering)) visible.push_back(p.index);
  }
  return visible;
}

std::optional<std::size_t> nearest_loop(std::span<const BoundaryLoop> loops, std::span<const vec3> positions,
                                        const Camera& camera, Pixels cursor, Pixels size, double radius) {
  std::optional<std::size_t> nearest;
  double least = radius;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::vector<std::uint32_t>& particles = loops[i].particles;
    std::optional<Projected> from = camera.project(positions[particles.back()], size);
    if (!loops[i].closed) from.reset();
    for (const std::uint32_t particle : particles) {
      const std::optional<Projected> to = camera.project(positions[particle], size);
      const double distance = from && to ? distance_to_segment(cursor, from->pixel, to->pixel) : least;
      if (distance < least) {
        least = distance;
        nearest = i;
      }
      from = to;
    }
  }
  return nearest;
}

std::optional<ObstaclePick> pick_obstacle(std::span<const Obstacle> obstacles, const Ray& ray) {
  constexpr int kMostSteps = 400;
  constexpr double kClose = 1e-6;  // of the extent of a body
  std::optional<ObstaclePick> nearest;
  for (std::uint32_t k = 0; k < obstacles.size(); ++k) {
    const Obstacle& body = obstacles[k];
    if (body.shape == Obstacle::Shape::plane) continue;
    const double bound = bound_of(body);
    const double middle = glm::dot(centre_of(body) - ray.origin, ray.direction);
    // The height bounds the distance to the body along the ray.
    double distance = 0;
    for (int step = 0; step < kMostSteps && distance <= middle + bound; ++step) {
      const SurfacePoint surface = closest_point(body, ray.at(distance));
      const double gap = surface.gap();
      if (step == 0 && gap < 0) break;  // from within
      if (gap < kClose * bound) {
        if (!nearest || distance < nearest->distance) nearest = ObstaclePick{k, distance};
        break;
      }
      distance += gap;
    }
  }
  return nearest;
}

Grip grip_at(const ClothMesh& mesh, std::span<const vec3> positions, const Camera& camera, Pixels cursor,
             Pixels size, double radius) {
  const Projector project = camera.projector(size);
  Nearby nearby(mesh, positions, project, cursor - radius, cursor + radius);
  Grip grip;
  grip.point = pick(nearby.triangles, positions, camera.ray(cursor, size));
  if (!grip.point) {
    // The cursor is next to the cloth. No triangle hides the nearest point: it would be nearer to the cursor
    // itself.
    EdgePoint nearest;
    for (const Triangle& t : nearby.triangles) {
      const EdgePoint point = nearest_edge_point(t, positions, project, cursor, camera.eye());
      if (point.better_than(nearest)) nearest = point;
    }
    if (nearest.squared_pixels <= radius * radius) grip.point = nearest.pick;
  }
  grip.particle = nearest_visible(std::move(nearby), positions, camera.eye(), cursor, radius);
  if (mesh.triangles.empty() && grip.particle) {
    const std::uint32_t i = *grip.particle;
    grip.point = Pick{{i, i, i}, {1, 0, 0}, glm::length(positions[i] - camera.eye())};
  }
  return grip;
}

}  // namespace clothlab
