#include "render/picking.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <vector>

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

// Woop, Benthin and Wald 2013, "Watertight Ray/Triangle Intersection": seen along the ray, each corner is
// a point of the plane that all its triangles agree on, and the sign of x₁y₂ − x₂y₁ is never wrong, for
// rounding keeps the order of the two products (both zero and equal ones count as met). So no ray slips
// between triangles that share an edge or a corner. (Their shear is a rotation here.)
// Comparisons are written so that a NaN is never met.
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
    // A triangle that touches the particle, or lies on top of it, does not hide it.
    return met && met->distance < distance * (1 - 1e-9);
  });
}

std::vector<std::optional<Projected>> project_all(std::span<const vec3> positions, const Camera& camera,
                                                  Pixels size) {
  std::vector<std::optional<Projected>> seen(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) seen[i] = camera.project(positions[i], size);
  return seen;
}

/// A rectangle of the view cut into tiles, so that a particle is tested against few triangles.
class Tiles {
 public:
  Tiles(Pixels low, Pixels high, std::size_t particles)
      : low_(low),
        count_(std::clamp(static_cast<int>(std::sqrt(static_cast<double>(particles))), 1, kMost)),
        per_pixel_(static_cast<double>(count_) / glm::max(high - low, Pixels(1))),
        tiles_(static_cast<std::size_t>(count_ * count_)) {}

  /// The tile that holds a pixel of the rectangle.
  std::vector<Triangle>& at(Pixels pixel) { return tile(column(pixel.x), row(pixel.y)); }

  /// Adds a triangle to every tile that it may cover.
  void add(const Triangle& triangle, Pixels low, Pixels high) {
    const Pixels end = low_ + static_cast<double>(count_) / per_pixel_;
    if (high.x < low_.x || high.y < low_.y || low.x > end.x || low.y > end.y) return;
    for (int y = row(low.y); y <= row(high.y); ++y)
      for (int x = column(low.x); x <= column(high.x); ++x) tile(x, y).push_back(triangle);
  }
  void add_everywhere(const Triangle& triangle) {
    for (std::vector<Triangle>& tile : tiles_) tile.push_back(triangle);
  }

 private:
  static constexpr int kMost = 256;  // in a row

  int index(double tiles) const {
    return static_cast<int>(std::clamp(tiles, 0.0, static_cast<double>(count_ - 1)));
  }
  int column(double x) const { return index((x - low_.x) * per_pixel_.x); }
  int row(double y) const { return index((y - low_.y) * per_pixel_.y); }
  std::vector<Triangle>& tile(int x, int y) { return tiles_[static_cast<std::size_t>(y * count_ + x)]; }

  Pixels low_;
  int count_;
  Pixels per_pixel_;
  std::vector<std::vector<Triangle>> tiles_;
};

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
  struct Candidate {
    double squared_pixels;
    double depth;
    std::uint32_t particle;
  };
  std::vector<Candidate> candidates;
  const std::vector<std::optional<Projected>> seen = project_all(positions, camera, size);
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    if (!seen[i]) continue;
    const Pixels offset = seen[i]->pixel - cursor;
    const double squared_pixels = glm::dot(offset, offset);
    if (squared_pixels <= radius * radius) candidates.push_back({squared_pixels, seen[i]->depth, i});
  }
  if (candidates.empty()) return std::nullopt;
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.squared_pixels != b.squared_pixels) return a.squared_pixels < b.squared_pixels;
    if (a.depth != b.depth) return a.depth < b.depth;
    return a.particle < b.particle;
  });

  // Only triangles that come near the cursor can hide a candidate; those that reach behind the eye may.
  std::vector<Triangle> hiding;
  for (const Triangle& t : mesh.triangles) {
    if (seen[t[0]] && seen[t[1]] && seen[t[2]]) {
      const Pixels a = seen[t[0]]->pixel - cursor;
      const Pixels b = seen[t[1]]->pixel - cursor;
      const Pixels c = seen[t[2]]->pixel - cursor;
      if (std::min({a.x, b.x, c.x}) > radius || std::max({a.x, b.x, c.x}) < -radius) continue;
      if (std::min({a.y, b.y, c.y}) > radius || std::max({a.y, b.y, c.y}) < -radius) continue;
    }
    hiding.push_back(t);
  }

  for (const Candidate& candidate : candidates) {
    if (!is_hidden(candidate.particle, positions, camera.eye(), hiding)) return candidate.particle;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> visible_particles(const ClothMesh& mesh, std::span<const vec3> positions,
                                             const Camera& camera, Pixels low, Pixels high, Pixels size) {
  const std::vector<std::optional<Projected>> seen = project_all(positions, camera, size);
  std::vector<std::uint32_t> inside;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    if (!seen[i]) continue;
    const Pixels p = seen[i]->pixel;
    if (p.x >= low.x && p.y >= low.y && p.x <= high.x && p.y <= high.y) inside.push_back(i);
  }
  Tiles tiles(low, high, inside.size());
  for (const Triangle& t : mesh.triangles) {
    if (!seen[t[0]] || !seen[t[1]] || !seen[t[2]]) {
      tiles.add_everywhere(t);  // it reaches behind the eye
      continue;
    }
    const Pixels a = seen[t[0]]->pixel, b = seen[t[1]]->pixel, c = seen[t[2]]->pixel;
    tiles.add(t, glm::min(glm::min(a, b), c), glm::max(glm::max(a, b), c));
  }
  std::erase_if(inside, [&](std::uint32_t i) {
    return is_hidden(i, positions, camera.eye(), tiles.at(seen[i]->pixel));
  });
  return inside;
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

std::optional<Pick> pick_for_grab(const ClothMesh& mesh, std::span<const vec3> positions,
                                  const Camera& camera, Pixels cursor, Pixels size, double radius) {
  if (!mesh.triangles.empty()) return pick(mesh.triangles, positions, camera.ray(cursor, size));
  const auto particle = nearest_visible_particle(mesh, positions, camera, cursor, size, radius);
  if (!particle) return std::nullopt;
  return Pick{{*particle, *particle, *particle}, {1, 0, 0}, glm::length(positions[*particle] - camera.eye())};
}

}  // namespace clothlab
