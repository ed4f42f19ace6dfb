// SPDX-License-Identifier: MIT
#include "render/surface.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

namespace clothlab {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

/// One side of a triangle: corner `corner % 3` of triangle `corner / 3` and the next one.
struct Side {
  std::uint32_t higher;  ///< the side's particle of higher index
  std::uint32_t corner;
  bool rising;  ///< goes from the lower particle to the higher one
};

std::uint32_t next_corner(std::uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

/// Two triangles that share an edge with no third one.
struct Link {
  Side first;
  Side second;

  bool same_winding() const { return first.rising != second.rising; }
};

// Sides are sorted in small buckets, one per lower particle.
std::vector<Link> find_links(std::span<const Triangle> triangles, std::size_t particles) {
  std::vector<std::uint32_t> begin(particles + 1, 0);
  const auto each_side = [&](auto&& visit) {
    for (std::uint32_t corner = 0; corner < 3 * triangles.size(); ++corner) {
      const std::uint32_t from = triangles[corner / 3][corner % 3];
      const std::uint32_t to = triangles[corner / 3][(corner + 1) % 3];
      visit(std::min(from, to), Side{std::max(from, to), corner, from < to});
    }
  };
  each_side([&](std::uint32_t lower, const Side&) { ++begin[lower + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Side> sides(3 * triangles.size());
  std::vector<std::uint32_t> filled(begin.begin(), begin.end() - 1);
  each_side([&](std::uint32_t lower, const Side& side) { sides[filled[lower]++] = side; });

  std::vector<Link> links;
  for (std::size_t p = 0; p < particles; ++p) {
    const auto bucket = std::span(sides).subspan(begin[p], begin[p + 1] - begin[p]);
    std::sort(bucket.begin(), bucket.end(), [](const Side& a, const Side& b) {
      return a.higher != b.higher ? a.higher < b.higher : a.corner < b.corner;
    });
    for (std::size_t i = 0; i < bucket.size();) {
      std::size_t end = i + 1;
      while (end < bucket.size() && bucket[end].higher == bucket[i].higher) ++end;
      if (end - i == 2) links.push_back({bucket[i], bucket[i + 1]});
      i = end;
    }
  }
  return links;
}

/// Disjoint sets whose elements have a parity (turned or not) relative to the root.
class TurnedSets {
 public:
  explicit TurnedSets(std::size_t n) : parent_(n), turned_(n, 0) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  struct Member {
    std::uint32_t root;
    std::uint8_t turned;
  };
  Member find(std::uint32_t i) {
    std::uint32_t root = i;
    std::uint8_t turned = 0;
    while (parent_[root] != root) {
      turned ^= turned_[root];
      root = parent_[root];
    }
    const Member member{root, turned};
    while (parent_[i] != i) {  // path compression
      const std::uint32_t up = parent_[i];
      const std::uint8_t rest = turned ^ turned_[i];
      parent_[i] = root;
      turned_[i] = turned;
      i = up;
      turned = rest;
    }
    return member;
  }

  /// Joins a and b with a relative parity. False when that contradicts earlier joins.
  bool join(std::uint32_t a, std::uint32_t b, bool against) {
    const Member pa = find(a);
    const Member pb = find(b);
    const auto turned = static_cast<std::uint8_t>(pa.turned ^ pb.turned ^ static_cast<std::uint8_t>(against));
    if (pa.root == pb.root) return turned == 0;
    const std::uint32_t root = std::min(pa.root, pb.root);
    const std::uint32_t child = std::max(pa.root, pb.root);
    parent_[child] = root;
    turned_[child] = turned;
    return true;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint8_t> turned_;  // against the parent
};

}  // namespace

Surface::Surface(const ClothMesh& mesh) : triangles_(mesh.triangles) {
  const auto count = static_cast<std::uint32_t>(triangles_.size());
  const std::vector<Link> links = find_links(triangles_, mesh.positions.size());

  TurnedSets sheets(count);
  std::vector<std::uint32_t> contradicted;
  for (const Link& link : links) {
    const std::uint32_t a = link.first.corner / 3;
    if (!sheets.join(a, link.second.corner / 3, !link.same_winding())) contradicted.push_back(a);
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
    const std::uint32_t a = link.first.corner;
    const std::uint32_t b = link.second.corner;
    const bool against = link.same_winding() == (flipped[a / 3] != flipped[b / 3]);
    const bool same_direction = link.first.rising == link.second.rising;
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
