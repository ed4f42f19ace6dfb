// SPDX-License-Identifier: MIT
#include "render/surface.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

#include "core/disjoint_sets.h"
#include "mesh/edge_table.h"

namespace clothlab {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

std::uint32_t next_corner(std::uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

/// Two triangles that share an edge with no third one.
struct Link {
  std::uint32_t first, second;  // the corners where their sides begin
  bool same_direction;          // of the sides; then the triangles are wound in opposite directions
};

std::vector<Link> find_links(std::span<const Triangle> triangles, std::size_t particles) {
  const EdgeTable edges(triangles, particles);
  std::vector<Link> links;
  edges.for_each([&](std::uint32_t /*low*/, std::span<const EdgeTable::Side> sides) {
    if (sides.size() != 2) return;
    links.push_back(
        {sides[0].corner, sides[1].corner, edges.is_rising(sides[0]) == edges.is_rising(sides[1])});
  });
  return links;
}

/// Disjoint sets whose elements have a parity (turned or not) relative to the root: of each element i both
/// sides, 2i and 2i + 1, each in a set of its own.
class TurnedSets {
 public:
  explicit TurnedSets(std::size_t n) : sides_(2 * n) {}

  struct Member {
    std::uint32_t root;
    std::uint8_t turned;
  };
  Member find(std::uint32_t i) {
    const std::uint32_t least = sides_.find(2 * i);
    return {least / 2, static_cast<std::uint8_t>(least % 2)};
  }

  /// Joins a and b with a relative parity. False when that contradicts earlier joins.
  bool join(std::uint32_t a, std::uint32_t b, bool against) {
    const Member pa = find(a), pb = find(b);
    if (pa.root == pb.root) return (pa.turned != pb.turned) == against;
    for (const std::uint32_t side : {0U, 1U}) sides_.join(2 * a + side, 2 * b + (against ? 1 - side : side));
    return true;
  }

 private:
  DisjointSets sides_;
};

}  // namespace

Surface::Surface(const ClothMesh& mesh) : triangles_(mesh.triangles) {
  const auto count = static_cast<std::uint32_t>(triangles_.size());
  const std::vector<Link> links = find_links(triangles_, mesh.positions.size());

  TurnedSets sheets(count);
  std::vector<std::uint32_t> contradicted;
  for (const Link& link : links) {
    const std::uint32_t a = link.first / 3;
    if (!sheets.join(a, link.second / 3, link.same_direction)) contradicted.push_back(a);
  }
  std::vector<std::uint8_t> one_sided(count, 0);  // by root
  for (const std::uint32_t triangle : contradicted) one_sided[sheets.find(triangle).root] = 1;
  std::vector<std::int64_t> turned_majority(count, 0);  // by root
  for (std::uint32_t t = 0; t < count; ++t) {
    const auto sheet = sheets.find(t);
    turned_majority[sheet.root] += sheet.turned ? 1 : -1;
  }
  // A sheet faces the side of most of its triangles' winding.
  std::vector<std::uint8_t> flipped(count, 0);
  for (std::uint32_t t = 0; t < count; ++t) {
    const auto sheet = sheets.find(t);
    flipped[t] = sheet.turned ^ static_cast<std::uint8_t>(turned_majority[sheet.root] > 0);
  }

  // Corners at one particle share a normal when a path of links around the particle joins their triangles.
  TurnedSets fans(3 * static_cast<std::size_t>(count));
  for (const Link& link : links) {
    const auto [a, b, same_direction] = link;
    const bool against = same_direction == (flipped[a / 3] == flipped[b / 3]);
    fans.join(a, same_direction ? b : next_corner(b), against);
    fans.join(next_corner(a), same_direction ? next_corner(b) : b, against);
  }
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::array<std::uint32_t, 2>> vertex_of_fan(3 * static_cast<std::size_t>(count),
                                                          {kNone, kNone});
  for (std::uint32_t corner = 0; corner < 3 * count; ++corner) {
    std::uint32_t& index = triangles_[corner / 3][corner % 3];
    const auto fan = fans.find(corner);
    std::uint32_t& vertex = vertex_of_fan[fan.root][fan.turned];
    if (vertex == kNone) {
      vertex = static_cast<std::uint32_t>(particles_.size());
      particles_.push_back(index);
      two_sided_.push_back(one_sided[sheets.find(corner / 3).root] ? 0 : 1);
      const std::uint32_t other = vertex_of_fan[fan.root][1 - fan.turned];
      if (other != kNone) twins_.push_back({vertex, other});
    }
    index = vertex;
  }
  for (std::uint32_t t = 0; t < count; ++t)
    if (flipped[t]) std::swap(triangles_[t][1], triangles_[t][2]);
}

void Surface::normals(std::span<const glm::vec3> positions, std::vector<glm::vec3>& normals) const {
  normals.assign(particles_.size(), glm::vec3(0));
  for (const Triangle& t : triangles_) {
    const glm::vec3 a = positions[particles_[t[0]]];
    const glm::vec3 normal = glm::cross(positions[particles_[t[1]]] - a, positions[particles_[t[2]]] - a);
    if (!std::isfinite(normal.x + normal.y + normal.z)) continue;
    for (const std::uint32_t vertex : t) normals[vertex] += normal;
  }
  for (const Twin& twin : twins_) {
    normals[twin.of] -= normals[twin.vertex];
    normals[twin.vertex] = -normals[twin.of];
  }
  for (glm::vec3& normal : normals) {
    const float length = glm::length(normal);
    normal = length > 0 && std::isfinite(length) ? normal / length : glm::vec3(0);
  }
}

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

dvec2 coordinates(const ClothMesh& mesh, std::int32_t texture) {
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
      return coordinates(mesh, mesh.source->corners[mesh.triangle_corners[t][i]].texture);
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
        weave.threads.emplace_back(threads_per_unit * coordinates(mesh, texture));
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
