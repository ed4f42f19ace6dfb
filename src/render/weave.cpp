// SPDX-License-Identifier: MIT
#include "render/weave.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

namespace clothlab {
namespace {

using dvec2 = glm::dvec2;

constexpr double kThreadsPerDiagonal = 140;

// Every vertex of the surface once: no seams.
Weave seamless(const Surface& surface) {
  Weave weave;
  weave.surface_vertex.resize(surface.particles().size());
  std::iota(weave.surface_vertex.begin(), weave.surface_vertex.end(), 0u);
  weave.triangles.assign(surface.triangles().begin(), surface.triangles().end());
  return weave;
}

Weave grid_weave(const ClothMesh& mesh, const Surface& surface, double pitch) {
  Weave weave = seamless(surface);
  const auto cols = static_cast<std::uint32_t>(mesh.grid->cols);
  const dvec2 step(glm::length(mesh.positions[1] - mesh.positions[0]),
                   glm::length(mesh.positions[cols] - mesh.positions[0]));
  weave.threads.reserve(surface.particles().size());
  for (const std::uint32_t p : surface.particles())
    weave.threads.emplace_back(step * dvec2(p % cols, p / cols) / pitch);
  return weave;
}

bool has_texture(const ClothMesh& mesh) {
  return !mesh.triangle_corners.empty() &&
         std::all_of(mesh.triangle_corners.begin(), mesh.triangle_corners.end(), [&](const auto& corners) {
           return std::all_of(corners.begin(), corners.end(),
                              [&](std::uint32_t c) { return mesh.source->corners[c].texture >= 0; });
         });
}

dvec2 place(const ClothMesh& mesh, std::int32_t texture) {
  const auto& value = mesh.source->texture_coordinates[static_cast<std::size_t>(texture)].value;
  return {value[0], value[1]};
}

// Metres per unit of the texture coordinates; not finite where they measure no area.
double texture_scale(const ClothMesh& mesh) {
  double area = 0, texture_area = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const vec3 origin = mesh.positions[a];
    area += glm::length(glm::cross(mesh.positions[b] - origin, mesh.positions[c] - origin));
    const auto at = [&](std::size_t i) {
      return place(mesh, mesh.source->corners[mesh.triangle_corners[t][i]].texture);
    };
    const dvec2 u = at(1) - at(0), v = at(2) - at(0);
    texture_area += std::abs(u.x * v.y - u.y * v.x);
  }
  return std::sqrt(area / texture_area);
}

Weave texture_weave(const ClothMesh& mesh, const Surface& surface, double threads_per_unit) {
  constexpr std::uint32_t kNone = ~0u;
  Weave weave;
  // The vertices made of one vertex of the surface, as a chain; they differ by their texture coordinates.
  std::vector<std::uint32_t> first(surface.particles().size(), kNone), next;
  std::vector<std::int32_t> textures;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    auto triangle = surface.triangles()[t];
    for (std::uint32_t& corner : triangle) {
      const std::uint32_t particle = surface.particles()[corner];
      // The surface may have reversed the triangle.
      const auto i =
          static_cast<std::size_t>(std::find(mesh.triangles[t].begin(), mesh.triangles[t].end(), particle) -
                                   mesh.triangles[t].begin());
      const std::int32_t texture = mesh.source->corners[mesh.triangle_corners[t][i]].texture;
      std::uint32_t vertex = first[corner];
      while (vertex != kNone && textures[vertex] != texture) vertex = next[vertex];
      if (vertex == kNone) {
        vertex = static_cast<std::uint32_t>(textures.size());
        next.push_back(first[corner]);
        first[corner] = vertex;
        textures.push_back(texture);
        weave.surface_vertex.push_back(corner);
        weave.threads.emplace_back(threads_per_unit * place(mesh, texture));
      }
      corner = vertex;
    }
    weave.triangles.push_back(triangle);
  }
  // Mostly seams: an atlas of scraps in all directions, no pattern that the cloth was cut by.
  if (weave.surface_vertex.size() > 2 * surface.particles().size()) return seamless(surface);
  return weave;
}

}  // namespace

Weave make_weave(const ClothMesh& mesh, const Surface& surface) {
  const double pitch = mesh.diagonal / kThreadsPerDiagonal;
  if (!(pitch > 0) || mesh.triangles.empty()) return seamless(surface);
  if (mesh.grid) return grid_weave(mesh, surface, pitch);
  if (has_texture(mesh)) {
    const double scale = texture_scale(mesh) / pitch;
    if (std::isfinite(scale)) return texture_weave(mesh, surface, scale);
  }
  return seamless(surface);
}

}  // namespace clothlab
