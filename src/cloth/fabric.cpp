// SPDX-License-Identifier: MIT
#include "cloth/fabric.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <optional>

#include "mesh/edge_table.h"
#include "mesh/mesh.h"

namespace clothlab {
namespace {

/// Components wwww, wwwf, wwff, wfff, ffff of a tensor that is symmetric in all indices.
using Tensor = std::array<double, 5>;

Tensor fourth_power(double c, double s) {
  return {c * c * c * c, c * c * c * s, c * c * s * s, c * s * s * s, s * s * s * s};
}

/// Least squares with bounds 0 for the w_e = k_e L_e²/A, by coordinate descent.
std::array<double, 3> fitted(const std::array<Tensor, 3>& of_edge, const Tensor& target) {
  // A small weight of the couplings, and a small pull to Van Gelder's springs against mechanisms; both are
  // from measurements of irregular meshes (docs/model.md).
  constexpr Tensor kWeights{1, 0.3, 6, 0.3, 1};
  constexpr double kPull = 0.1;
  const auto product = [&](const Tensor& a, const Tensor& b) {
    double sum = 0;
    for (std::size_t c = 0; c < a.size(); ++c) sum += kWeights[c] * a[c] * b[c];
    return sum;
  };
  std::array<double, 3> w{}, pulled{};
  for (std::size_t e = 0; e < 3; ++e) {
    const Tensor& n = of_edge[e];
    w[e] = pulled[e] = 8.0 / 9 * (target[0] * n[0] + 6 * target[2] * n[2] + target[4] * n[4]);
  }
  for (int sweep = 0; sweep < 100; ++sweep)
    for (std::size_t e = 0; e < 3; ++e) {
      double slope = product(of_edge[e], target) + kPull * pulled[e];
      for (std::size_t other = 0; other < 3; ++other)
        if (other != e) slope -= w[other] * product(of_edge[e], of_edge[other]);
      w[e] = std::max(0.0, slope / (product(of_edge[e], of_edge[e]) + kPull));
    }
  return w;
}

std::optional<std::uint32_t> slot_between(const SpringPattern& p, std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(p.row[a], p.row[b]);
  const auto begin = p.upper.begin() + p.slot_begin[low], end = p.upper.begin() + p.slot_begin[low + 1];
  const auto found = std::lower_bound(begin, end, high);
  if (found == end || *found != high) return std::nullopt;
  return static_cast<std::uint32_t>(found - p.upper.begin());
}

const Fabric& fabric_of(std::span<const Fabric> fabrics, const FabricShape& shape, std::size_t triangle) {
  return fabrics[shape.fabric_of_triangle.empty() ? 0 : shape.fabric_of_triangle[triangle]];
}

void add_membrane(std::span<const Fabric> fabrics, const FabricShape& shape, const SpringPattern& pattern,
                  FabricSprings& to) {
  double area = 0, inexact = 0;
  for (std::size_t t = 0; t < shape.triangles.size(); ++t) {
    const auto& [a, b, c] = shape.triangles[t];
    const std::array<vec3, 3> corners{shape.positions[a], shape.positions[b], shape.positions[c]};
    const TriangleSprings springs = membrane_springs(fabric_of(fabrics, shape, t), corners, shape.warp[t]);
    const double own = glm::length(glm::cross(corners[1] - corners[0], corners[2] - corners[0])) / 2;
    area += own;
    if (!springs.exact) inexact += own;
    for (std::size_t e = 0; e < 3; ++e)
      if (const auto slot = slot_between(pattern, shape.triangles[t][e], shape.triangles[t][(e + 1) % 3]))
        to.stiffness[*slot] += springs.stiffness[e];
  }
  to.inexact = area > 0 ? inexact / area : 0;
}

struct MeshHinge {
  std::array<std::uint32_t, 4> particle;
  std::array<std::uint32_t, 2> triangle;
  Hinge hinge;
};

std::vector<MeshHinge> hinges_of(const FabricShape& shape) {
  std::vector<MeshHinge> hinges;
  const EdgeTable edges(shape.triangles, shape.positions.size());
  edges.for_each([&](std::uint32_t low, std::span<const EdgeTable::Side> sides) {
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (std::size_t j = i + 1; j < sides.size(); ++j) {
        const std::array<std::uint32_t, 4> p{low, sides[i].high, edges.opposite(sides[i]),
                                             edges.opposite(sides[j])};
        const auto at = [&](std::size_t k) { return shape.positions[p[k]]; };
        if (const auto hinge = bending_hinge({at(0), at(1), at(2), at(3)}))
          hinges.push_back({p, {sides[i].corner / 3, sides[j].corner / 3}, *hinge});
      }
  });
  return hinges;
}

void add_bending(std::span<const Fabric> fabrics, const FabricShape& shape, const SpringPattern& pattern,
                 FabricSprings& to) {
  const std::vector<MeshHinge> hinges = hinges_of(shape);
  const auto area_of = [&](std::size_t t) {
    const auto& [a, b, c] = shape.triangles[t];
    return glm::length(
               glm::cross(shape.positions[b] - shape.positions[a], shape.positions[c] - shape.positions[a])) /
           2;
  };
  double area = 0, response = 0;
  for (std::size_t t = 0; t < shape.triangles.size(); ++t) area += area_of(t);
  for (const MeshHinge& each : hinges) response += each.hinge.response / each.hinge.area;
  if (!(response > 0)) return;
  for (const auto& [particle, triangle, hinge] : hinges) {
    const double first = fabric_of(fabrics, shape, triangle[0]).bending;
    const double second = fabric_of(fabrics, shape, triangle[1]).bending;
    const double bending = first + (second - first) * (area_of(triangle[1]) / hinge.area);  // B
    const double scaled = bending * area / response;                                        // λ B
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j)
        if (const auto slot = slot_between(pattern, particle[i], particle[j]))
          to.bending[*slot] -= scaled / hinge.area * hinge.weight[i] * hinge.weight[j];
  }
}

/// The part of a vector in a plane, as a unit vector; nothing if it is nearly perpendicular.
std::optional<vec3> in_plane(const vec3& a, const vec3& normal) {
  const vec3 part = a - glm::dot(a, normal) * normal;
  const double length = glm::length(part);
  constexpr double kLeast = 0.1;
  return length > kLeast ? std::optional(part / length) : std::nullopt;
}

/// ∂x/∂u of a triangle, with any length; 0 if its texture coordinates have no area.
vec3 along_u(const ClothMesh& mesh, std::size_t t) {
  std::array<TextureCoordinate, 3> uv;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int32_t index = mesh.source->corners[mesh.triangle_corners[t][k]].texture;
    if (index < 0) return vec3(0);
    uv[k] = mesh.source->texture_coordinates[static_cast<std::size_t>(index)];
  }
  const auto difference = [&](std::size_t k, std::size_t axis) {
    return uv[k].value[axis] - uv[0].value[axis];
  };
  const auto& [a, b, c] = mesh.triangles[t];
  const vec3 ab = mesh.positions[b] - mesh.positions[a], ac = mesh.positions[c] - mesh.positions[a];
  const double area = difference(1, 0) * difference(2, 1) - difference(2, 0) * difference(1, 1);
  if (area == 0) return vec3(0);
  return (difference(2, 1) * ab - difference(1, 1) * ac) / area;
}

}  // namespace

TriangleSprings membrane_springs(const Fabric& fabric, const std::array<vec3, 3>& corners, const vec3& warp) {
  TriangleSprings springs;
  const vec3 area_vector = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
  const double twice_area = glm::length(area_vector);
  if (!(twice_area > 0)) return springs;
  const vec3 weft = glm::cross(area_vector / twice_area, warp);
  std::array<Tensor, 3> of_edge;
  std::array<double, 3> squared{}, w{};
  mat3 system;
  for (std::size_t e = 0; e < 3; ++e) {
    const vec3 d = corners[(e + 1) % 3] - corners[e];
    squared[e] = glm::dot(d, d);
    const double length = std::sqrt(squared[e]);
    of_edge[e] = fourth_power(glm::dot(d, warp) / length, glm::dot(d, weft) / length);
    system[static_cast<int>(e)] = vec3(of_edge[e][0], of_edge[e][2], of_edge[e][4]);
  }
  constexpr double kSingular = 1e-6;
  springs.exact = std::abs(glm::determinant(system)) > kSingular;
  if (springs.exact) {
    const vec3 solution = glm::inverse(system) * vec3(fabric.warp, fabric.shear, fabric.weft);
    w = {solution.x, solution.y, solution.z};
    const double rounding = 1e-12 * std::max(fabric.warp, fabric.weft);
    springs.exact = std::ranges::min(w) >= -rounding;
    for (double& value : w) value = std::max(value, 0.0);
  }
  if (!springs.exact) w = fitted(of_edge, {fabric.warp, 0, fabric.shear, 0, fabric.weft});
  for (std::size_t e = 0; e < 3; ++e) springs.stiffness[e] = w[e] * twice_area / 2 / squared[e];
  return springs;
}

std::optional<Hinge> bending_hinge(const std::array<vec3, 4>& corners) {
  const vec3 edge = corners[1] - corners[0];
  const double square = glm::dot(edge, edge);
  Hinge hinge;
  hinge.weight = {};
  double ss = 0, sr = 0, rr = 0;  // Σ K_i x_i x_iᵀ of the unfolded hinge, along and across the edge
  for (std::size_t k = 0; k < 2; ++k) {
    const vec3 side = corners[2 + k] - corners[0];
    const double twice_area = glm::length(glm::cross(edge, side));
    if (!(twice_area > 0)) return std::nullopt;
    const double at_start = glm::dot(edge, side) / twice_area;  // cotangents of the angles at the edge
    const double at_end = (square - glm::dot(edge, side)) / twice_area;
    const double weight = -at_start - at_end;
    hinge.weight[0] += at_end;
    hinge.weight[1] += at_start;
    hinge.weight[2 + k] = weight;
    hinge.area += twice_area / 2;
    const double s = glm::dot(edge, side) / std::sqrt(square), r = twice_area / std::sqrt(square);
    ss += weight * s * s;
    sr += (k == 0 ? weight : -weight) * s * r;
    rr += weight * r * r;
  }
  ss += hinge.weight[1] * square;
  // p = κ m:(n nᵀ), m half the sum above; the mean of its square over the directions n of a plane
  hinge.response = ((ss + rr) * (ss + rr) + 2 * (ss * ss + rr * rr + 2 * sr * sr)) / 32;
  return hinge;
}

FabricSprings fabric_springs(std::span<const Fabric> fabrics, const FabricShape& shape,
                             const SpringPattern& pattern) {
  FabricSprings springs;
  for (auto* values : {&springs.stiffness, &springs.bending}) values->assign(pattern.springs(), 0);
  add_membrane(fabrics, shape, pattern, springs);
  add_bending(fabrics, shape, pattern, springs);
  return springs;
}

std::vector<vec3> warp_directions(const ClothMesh* mesh, std::span<const vec3> positions,
                                  std::span<const FabricShape::Triangle> triangles) {
  std::vector<vec3> warp(triangles.size());
  vec3 low = positions.front(), high = low;
  for (const vec3& p : positions) low = glm::min(low, p), high = glm::max(high, p);
  std::array<int, 3> longest{0, 1, 2};
  std::ranges::stable_sort(longest, [&](int a, int b) { return high[a] - low[a] > high[b] - low[b]; });
  vec3 first(0), second(0);
  first[longest[0]] = second[longest[1]] = 1;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    const vec3 area_vector = glm::cross(positions[b] - positions[a], positions[c] - positions[a]);
    if (area_vector == vec3(0)) continue;
    const vec3 normal = glm::normalize(area_vector);
    const vec3 u = mesh != nullptr && !mesh->triangle_corners.empty() ? along_u(*mesh, t) : vec3(0);
    if (const double length = glm::length(u); length > 0)
      warp[t] = u / length;
    else if (const auto projected = in_plane(first, normal))
      warp[t] = *projected;
    else
      warp[t] = glm::cross(*in_plane(second, normal), normal);
  }
  return warp;
}

}  // namespace clothlab
