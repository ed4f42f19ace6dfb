// SPDX-License-Identifier: MIT
#include "sim/dressing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <numbers>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "collide/triangle_tree.h"
#include "contact/surfaces.h"
#include "core/error.h"
#include "core/text.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

using Triangle = TriangleTree::Triangle;
using Progress = std::function<void(double)>;

constexpr double kCellsOfDiagonal = 64;  // of the grids, along the diagonal of the cloth
constexpr int kStepsToEnd = 8;           // of the first search, along each axis and direction
constexpr double kFarthest = 1.0 / 3;    // of the diagonal, along each axis
constexpr double kFinest = 1e-3;         // of the diagonal: accuracy of the translation
constexpr std::size_t kStarts = 8;       // local maxima of the first search that are refined
constexpr std::size_t kSamples = 4000;   // of each surface
constexpr double kClothInside = 0.5;     // weight of the cloth's area inside the bodies
constexpr double kDistance = 0.7;        // weight of the translation
constexpr double kLeastInside = 0.05;    // of the smaller area: less is no position inside

struct Surface {
  std::vector<vec3> x;
  std::vector<Triangle> triangles;

  std::array<vec3, 3> corners(std::uint32_t t) const {
    const auto [a, b, c] = triangles[t];
    return {x[a], x[b], x[c]};
  }
  Bounds box() const {
    Bounds box = Bounds::around(x[triangles.front()[0]]);
    for (const Triangle& t : triangles)
      for (const std::uint32_t i : t) box.include(Bounds::around(x[i]));
    return box;
  }
};

vec3 area_vector(const std::array<vec3, 3>& x) { return 0.5 * glm::cross(x[1] - x[0], x[2] - x[0]); }

/// Solid angle of a triangle, signed [Oosterom 1983].
double solid_angle(const vec3& a, const vec3& b, const vec3& c) {
  const double la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
  return 2 * std::atan2(glm::dot(a, glm::cross(b, c)),
                        la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb);
}

/// The generalized winding number of a part of a surface, with a dipole for far clusters of triangles.
class Winding {
 public:
  Winding(const Surface& surface, std::vector<std::uint32_t> triangles)
      : surface_(surface), order_(std::move(triangles)) {
    build(0, static_cast<std::uint32_t>(order_.size()));
  }

  double at(const vec3& x) const {
    constexpr double kFar = 2;  // radii of a cluster [Barill 2018]
    std::array<std::uint32_t, kDeepest> open{};
    std::size_t count = 1;
    double sum = 0;
    while (count > 0) {
      const std::uint32_t at = open[--count];
      const Node& node = nodes_[at];
      const vec3 to = node.centre - x;
      const double distance = glm::length(to);
      if (distance > kFar * node.radius) {
        sum += glm::dot(to, node.area) / (distance * distance * distance);
      } else if (node.right == 0) {
        for (std::uint32_t k = node.begin; k < node.end; ++k) {
          const auto [a, b, c] = surface_.corners(order_[k]);
          sum += solid_angle(a - x, b - x, c - x);
        }
      } else {
        open[count++] = node.right;
        open[count++] = at + 1;
      }
    }
    return sum / (4 * std::numbers::pi);
  }

 private:
  static constexpr std::size_t kDeepest = 64;  // halving: 2^32 triangles are 31 levels
  static constexpr std::uint32_t kLeaf = 4;
  struct Node {
    std::uint32_t begin = 0, end = 0, right = 0;  // 0: a leaf; the left child is the next node
    vec3 centre{0}, area{0};
    double radius = 0;
  };

  vec3 centre(std::uint32_t t) const {
    const auto [a, b, c] = surface_.corners(t);
    return (a + b + c) / 3.0;
  }

  void build(std::uint32_t begin, std::uint32_t end) {
    const std::size_t at = nodes_.size();
    Node node{.begin = begin, .end = end};
    Bounds box = Bounds::around(centre(order_[begin]));
    double area = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      const vec3 own = area_vector(surface_.corners(order_[k])), middle = centre(order_[k]);
      node.area += own;
      node.centre += glm::length(own) * middle;
      area += glm::length(own);
      box.include(Bounds::around(middle));
    }
    node.centre = area > 0 ? node.centre / area : box.low;
    for (std::uint32_t k = begin; k < end; ++k)
      for (const vec3& x : surface_.corners(order_[k]))
        node.radius = std::max(node.radius, glm::distance(x, node.centre));
    nodes_.push_back(node);
    if (end - begin <= kLeaf) return;
    const vec3 extent = box.high - box.low;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const std::uint32_t middle = begin + (end - begin) / 2;
    const auto slot = [&](std::uint32_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(slot(begin), slot(middle), slot(end), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(centre(a)[axis], a) < std::tuple(centre(b)[axis], b);
    });
    build(begin, middle);
    nodes_[at].right = static_cast<std::uint32_t>(nodes_.size());
    build(middle, end);
  }

  const Surface& surface_;
  std::vector<std::uint32_t> order_;  // of its triangles
  std::vector<Node> nodes_;
};

/// How far points are inside a surface: 0 where the winding number is at most ½, 1 where it is 1, linear
/// between the points of a grid; 0 outside the grid.
class InsideField {
 public:
  /// `report` is called with the fraction that is done.
  InsideField(WorkerPool& pool, std::span<const Winding> parts, const Bounds& box, double cell,
              const Progress& report)
      : low_(box.low), cell_(cell) {
    for (int a = 0; a < 3; ++a)
      count_[static_cast<std::size_t>(a)] =
          2 + static_cast<std::size_t>(std::max(0.0, (box.high - box.low)[a] / cell));
    values_.resize(count_[0] * count_[1] * count_[2]);
    for (std::size_t z = 0; z < count_[2]; ++z) {
      report(static_cast<double>(z) / static_cast<double>(count_[2]));
      for_each(pool, count_[1], 1, [&](std::size_t y) {
        for (std::size_t x = 0; x < count_[0]; ++x)
          values_[index(x, y, z)] = inside(parts, low_ + cell_ * vec3(x, y, z));
      });
    }
  }

  double at(const vec3& x) const {
    const vec3 cells = (x - low_) / cell_;
    for (int a = 0; a < 3; ++a)
      if (!(cells[a] >= 0 && cells[a] < static_cast<double>(count_[static_cast<std::size_t>(a)] - 1)))
        return 0;
    const vec3 first = glm::floor(cells), part = cells - first;
    const std::size_t at = index(static_cast<std::size_t>(first.x), static_cast<std::size_t>(first.y),
                                 static_cast<std::size_t>(first.z));
    const auto along_x = [&](std::size_t i) {
      return std::lerp(double{values_[i]}, double{values_[i + 1]}, part.x);
    };
    const auto in_plane = [&](std::size_t i) {
      return std::lerp(along_x(i), along_x(i + count_[0]), part.y);
    };
    return std::lerp(in_plane(at), in_plane(at + count_[0] * count_[1]), part.z);
  }

 private:
  std::size_t index(std::size_t x, std::size_t y, std::size_t z) const {
    return (z * count_[1] + y) * count_[0] + x;
  }
  static float inside(std::span<const Winding> parts, const vec3& x) {
    double sum = 0, largest = 0;
    for (const Winding& part : parts) {
      const double own = part.at(x);
      sum += own;
      largest = std::max(largest, std::abs(own));
    }
    return static_cast<float>(std::clamp(2 * std::max(std::abs(sum), largest) - 1, 0.0, 1.0));
  }

  vec3 low_;
  double cell_;
  std::array<std::size_t, 3> count_{};
  std::vector<float> values_;
};

/// Points spread over the triangles of a surface that reach into a box, each for the same area.
struct Samples {
  std::vector<vec3> points;
  double area = 0;  ///< of these triangles [m²]

  Samples(const Surface& surface, const Bounds& box) {
    std::vector<double> until;
    for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
      const std::array<vec3, 3> corners = surface.corners(t);
      Bounds own = Bounds::around(corners[0]);
      for (const vec3& x : corners) own.include(Bounds::around(x));
      if (own.overlaps(box)) area += glm::length(area_vector(corners));
      until.push_back(area);
    }
    if (!(area > 0)) return;
    constexpr double kU = 0.7548776662466927, kV = 0.5698402909980532;  // of evenly spread points
    for (std::size_t k = 0; k < kSamples; ++k) {
      const double number = static_cast<double>(k) + 0.5;
      const auto after = std::ranges::upper_bound(until, number / kSamples * area);
      const auto t = std::min(static_cast<std::size_t>(after - until.begin()), until.size() - 1);
      double u = number * kU - std::floor(number * kU), v = number * kV - std::floor(number * kV);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const auto [a, b, c] = surface.corners(static_cast<std::uint32_t>(t));
      points.push_back(a + u * (b - a) + v * (c - a));
    }
  }

  /// The area inside, if the points move by `shift`.
  double inside(const InsideField& field, const vec3& shift) const {
    double sum = 0;
    for (const vec3& x : points) sum += field.at(x + shift);
    return points.empty() ? 0 : sum * area / static_cast<double>(points.size());
  }
};

std::vector<Winding> parts_of(const Surface& cloth, const ClothMesh& mesh) {
  std::vector<std::vector<std::uint32_t>> triangles(static_cast<std::size_t>(mesh.parts));
  for (std::uint32_t t = 0; t < cloth.triangles.size(); ++t)
    triangles[mesh.part_of_particle[cloth.triangles[t][0]]].push_back(t);
  std::vector<Winding> parts;
  for (std::vector<std::uint32_t>& part : triangles)
    if (!part.empty()) parts.emplace_back(cloth, std::move(part));
  return parts;
}

/// The triangles of the bodies that are meshes.
Surface triangles_of(std::span<const Obstacle> bodies) {
  Surface all;
  for (const Obstacle& body : bodies) {
    if (body.shape != Obstacle::Shape::mesh) continue;
    const std::vector<vec3> corners = corners_of(body);
    const auto first = static_cast<std::uint32_t>(all.x.size());
    all.x.insert(all.x.end(), corners.begin(), corners.end());
    for (const auto& [a, b, c] : body.mesh.surface->triangles())
      all.triangles.push_back({first + a, first + b, first + c});
  }
  return all;
}

struct Candidate {
  vec3 shift{0};
  double score = 0;
};

/// The best positions on a coarse grid, those that are no worse than their neighbours, in order.
std::vector<Candidate> first_search(WorkerPool& pool, const auto& score, double step,
                                    const Progress& report) {
  constexpr int kSide = 2 * kStepsToEnd + 1;
  constexpr std::size_t kOfPlane = std::size_t{kSide} * kSide;
  std::vector<Candidate> all(kSide * kOfPlane);
  for (int z = 0; z < kSide; ++z) {
    report(static_cast<double>(z) / kSide);
    for_each(pool, kOfPlane, 1, [&](std::size_t k) {
      const auto [row, column] = std::div(static_cast<int>(k), kSide);
      Candidate& own = all[static_cast<std::size_t>(z) * kOfPlane + k];
      own.shift = step * (vec3(column, row, z) - vec3(kStepsToEnd));
      own.score = score(own.shift);
    });
  }
  std::vector<Candidate> best;
  for (const Candidate& own : all) {
    const auto is_better = [&](const Candidate& other) {
      const vec3 away = glm::abs(other.shift - own.shift);
      return other.score > own.score && std::max({away.x, away.y, away.z}) < 1.5 * step;
    };
    if (std::ranges::none_of(all, is_better)) best.push_back(own);
  }
  std::ranges::stable_sort(best, std::greater(), &Candidate::score);
  best.resize(std::min(best.size(), kStarts));
  return best;
}

/// Moves to the best of the 26 neighbours at a distance that is halved where none is better.
Candidate refined(Candidate best, const auto& score, double distance, double finest) {
  while (distance > finest) {
    const Candidate from = best;
    for (int k = 0; k < 27; ++k) {
      const vec3 shift = from.shift + distance * vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      if (const double own = score(shift); own > best.score) best = {shift, own};
    }
    if (best.score == from.score) distance /= 2;
  }
  return best;
}

Surface cloth_at_start(const Scene& scene, const ClothMesh& mesh) {
  return {scene.initial_state ? particle_values(mesh, scene.initial_state->positions) : mesh.positions,
          mesh.triangles};
}

/// The part from `begin` to `end` of a computation.
Progress part_of(const Progress& whole, double begin, double end) {
  return [&whole, begin, end](double fraction) {
    if (whole) whole(std::lerp(begin, end, fraction));
  };
}

Bounds common(Bounds a, const Bounds& b) {
  a.low = glm::max(a.low, b.low);
  a.high = glm::min(a.high, b.high);
  return a;
}

}  // namespace

Dressing dress_bodies(WorkerPool& pool, const Scene& scene, const ClothMesh& mesh, const Progress& progress) {
  const Surface cloth = cloth_at_start(scene, mesh);
  const Surface bodies = triangles_of(obstacles_at(scene.obstacles, {}, 0));
  if (bodies.triangles.empty())
    throw InputError("There is no body to dress. Add one as a mesh (--obstacle mesh:x,y,z,scale,FILE).");
  if (cloth.triangles.empty()) throw InputError("Cloth without triangles dresses no body.");
  Bounds box = cloth.box();
  const double diagonal = glm::distance(box.low, box.high), cell = diagonal / kCellsOfDiagonal;
  box.grow(cell);
  Bounds reach = box;
  reach.grow(kFarthest * diagonal);
  Bounds of_bodies = bodies.box();
  of_bodies.grow(cell);
  const Samples on_cloth(cloth, box), on_bodies(bodies, reach);
  std::vector<std::uint32_t> all(bodies.triangles.size());
  std::iota(all.begin(), all.end(), 0U);
  const std::vector<Winding> body_parts{Winding(bodies, std::move(all))};
  const InsideField in_cloth(pool, parts_of(cloth, mesh), box, cell, part_of(progress, 0, 0.3));
  const InsideField in_bodies(pool, body_parts, common(of_bodies, reach), cell, part_of(progress, 0.3, 0.6));
  const auto score = [&](const vec3& shift) {
    return on_bodies.inside(in_cloth, shift) - kClothInside * on_cloth.inside(in_bodies, -shift) -
           kDistance * on_cloth.area * glm::length(shift) / diagonal;
  };
  const double step = kFarthest * diagonal / kStepsToEnd;
  const std::vector<Candidate> starts = first_search(pool, score, step, part_of(progress, 0.6, 0.9));
  Candidate best = starts.front();
  std::vector<Candidate> ends(starts.size());
  for_each(pool, starts.size(), 1,
           [&](std::size_t k) { ends[k] = refined(starts[k], score, step / 2, kFinest * diagonal); });
  for (const Candidate& end : ends)
    if (end.score > best.score) best = end;
  const double inside = on_bodies.inside(in_cloth, best.shift);
  if (inside <= std::max(kLeastInside * std::min(on_cloth.area, on_bodies.area),
                         on_cloth.inside(in_bodies, -best.shift)))
    throw InputError("The bodies do not fit into the cloth within " +
                     format_quantity(kFarthest * diagonal, "m") +
                     " of their positions. Move them into the cloth, turn them, or change their scale.");
  Dressing dressing{scene.obstacles.bodies, best.shift};
  for (Obstacle& body : dressing.bodies)
    if (body.shape == Obstacle::Shape::mesh) body = moved_to(body, centre_of(body) + best.shift);
  check_obstacles(dressing.bodies);
  return dressing;
}

}  // namespace clothlab
