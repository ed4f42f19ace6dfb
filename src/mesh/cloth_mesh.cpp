// SPDX-License-Identifier: MIT
#include "mesh/cloth_mesh.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "core/cancel_point.h"
#include "core/disjoint_sets.h"
#include "core/error.h"
#include "mesh/edge_table.h"
#include "mesh/triangulate.h"

namespace clothlab {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(const ObjMesh& obj, const std::string& reason) {
  throw InputError(obj.name + ": " + reason);
}

/// Mixes a number into a hash.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
  hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 32;
}

/// Finds the first of several equal items. A hash table with linear probing, which is several times faster
/// than a node-based one for millions of items.
class FirstIndex {
 public:
  /// `count`: the largest number of different items.
  explicit FirstIndex(std::size_t count) : slots_(std::bit_ceil(2 * count + 1), kNone) {}

  /// The first item given that equals this one: `item` itself if it is new.
  template <class Equals>
  std::uint32_t first_of(std::uint32_t item, std::uint64_t hash, const Equals& equals) {
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1))
      if (equals(slots_[slot])) return slots_[slot];
    return slots_[slot] = item;
  }

 private:
  std::vector<std::uint32_t> slots_;
};

/// Finds faces on the same particles, with any first corner and orientation.
class FaceIndex {
 public:
  FaceIndex(const ObjMesh& obj, const std::vector<std::int32_t>& particle_of_vertex)
      : obj_(obj), particle_of_vertex_(particle_of_vertex), first_(obj.face_count()) {}

  /// False if an earlier face has the same particles.
  bool add(std::uint32_t face) {
    list_particles(face, particles_);
    std::uint64_t hash = 0;
    for (const std::int32_t particle : particles_) hash = mixed(hash, static_cast<std::uint64_t>(particle));
    return face == first_.first_of(face, hash, [&](std::uint32_t other) {
      if (obj_.face(other).size() != particles_.size()) return false;
      list_particles(other, others_);
      return particles_ == others_;
    });
  }

 private:
  void list_particles(std::uint32_t face, std::vector<std::int32_t>& out) const {
    out.clear();
    for (const ObjMesh::Corner& corner : obj_.face(face))
      out.push_back(particle_of_vertex_[static_cast<std::size_t>(corner.vertex)]);
    std::sort(out.begin(), out.end());
  }

  const ObjMesh& obj_;
  const std::vector<std::int32_t>& particle_of_vertex_;
  FirstIndex first_;
  std::vector<std::int32_t> particles_, others_;
};

void number_particles(const ObjMesh& obj, const MeshOptions& options, ClothMesh& mesh) {
  const std::size_t n = obj.vertices.size();
  mesh.particle_of_vertex.assign(n, -1);
  for (const ObjMesh::Corner& corner : obj.corners)
    mesh.particle_of_vertex[static_cast<std::size_t>(corner.vertex)] = 0;
  const auto used = n - static_cast<std::size_t>(
                            std::count(mesh.particle_of_vertex.begin(), mesh.particle_of_vertex.end(), -1));
  mesh.report.unused_vertices = n - used;
  const auto check_count = [&](std::size_t particles) {
    if (particles > kMaxParticles)
      refuse(obj, "it has " + std::to_string(particles) + " particles, and " + std::to_string(kMaxParticles) +
                      " are allowed");
  };
  if (!options.weld) check_count(used);

  FirstIndex index(options.weld ? std::min(used, kMaxParticles + 1) : 0);
  std::uint32_t mesh_begin = 0;  // of the joined mesh that has the vertex: others share no particle with it
  auto next_begin = obj.joined_at.begin();
  const auto first_at_position_of = [&](std::uint32_t vertex) {
    const vec3& p = obj.vertices[vertex];
    std::uint64_t hash = 0;
    for (int axis = 0; axis < 3; ++axis)
      hash = mixed(hash, std::bit_cast<std::uint64_t>(p[axis] + 0.0));  // −0 equals 0, and −0 + 0 is 0
    return index.first_of(
        vertex, hash, [&](std::uint32_t other) { return other >= mesh_begin && obj.vertices[other] == p; });
  };
  CancelPoint cancel(options.stop);
  for (std::uint32_t v = 0; v < n; ++v) {
    cancel.pass();
    for (; next_begin != obj.joined_at.end() && *next_begin <= v; ++next_begin)
      mesh_begin = static_cast<std::uint32_t>(*next_begin);
    if (mesh.particle_of_vertex[v] < 0) continue;
    const std::uint32_t first = options.weld ? first_at_position_of(v) : v;
    if (first == v) {
      mesh.particle_of_vertex[v] = static_cast<std::int32_t>(mesh.vertex_of_particle.size());
      mesh.vertex_of_particle.push_back(v);
      check_count(mesh.vertex_of_particle.size());
    } else {
      mesh.particle_of_vertex[v] = mesh.particle_of_vertex[first];
      ++mesh.report.welded;
    }
  }
}

vec3 to_metres(const vec3& p, const ClothMesh& mesh) {
  const vec3 scaled = p * mesh.scale;
  return mesh.z_up ? vec3(scaled.x, scaled.z, -scaled.y) : scaled;
}

vec3 to_file_units(const vec3& p, const ClothMesh& mesh) {
  const vec3 turned = mesh.z_up ? vec3(p.x, -p.z, p.y) : p;
  return turned / mesh.scale;
}

void place_particles(const ObjMesh& obj, ClothMesh& mesh) {
  mesh.positions.reserve(mesh.vertex_of_particle.size());
  for (const std::uint32_t v : mesh.vertex_of_particle)
    mesh.positions.push_back(to_metres(obj.vertices[v], mesh));
  mesh.box = {mesh.positions.front(), mesh.positions.front()};
  for (const vec3& p : mesh.positions) mesh.box = {glm::min(mesh.box.low, p), glm::max(mesh.box.high, p)};
  mesh.diagonal = glm::length(mesh.box.high - mesh.box.low);
  if (!std::isfinite(mesh.diagonal) || !std::isfinite(glm::length(mesh.box.high)) ||
      !std::isfinite(glm::length(mesh.box.low)))
    refuse(obj, "its coordinates times the scale are too large to compute with");
}

bool is_degenerate(const std::array<std::uint32_t, 3>& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/// Triangles as particles and as corners, including those with a repeated particle, without repeated faces.
void triangulate_faces(const ObjMesh& obj, const StopProbe& stop, ClothMesh& mesh) {
  std::size_t count = 0;
  for (std::size_t f = 0; f < obj.face_count(); ++f) count += obj.face(f).size() - 2;
  // An edge with t triangles makes 1 + t (t − 1) / 2 >= t springs, so the mesh has at least 3 per triangle.
  if (count > kMaxSprings / 3)
    refuse(obj, "its " + std::to_string(count) + " triangles make more than the " +
                    std::to_string(kMaxSprings) + " springs that are allowed");
  const bool textured = !obj.texture_coordinates.empty();
  mesh.triangles.reserve(count);
  if (textured) mesh.triangle_corners.reserve(count);
  if (!obj.groups.empty()) mesh.face_of_triangle.reserve(count);
  Triangulator triangulator;
  FaceIndex faces(obj, mesh.particle_of_vertex);
  std::vector<vec3> polygon;
  CancelPoint cancel(stop);
  for (std::uint32_t f = 0; f < obj.face_count(); ++f) {
    cancel.pass();
    if (!faces.add(f)) {
      ++mesh.report.merged_faces;
      continue;
    }
    bool is_dropped = true;
    const auto face = obj.face(f);
    const auto vertex = [&](std::size_t corner) { return static_cast<std::size_t>(face[corner].vertex); };
    polygon.resize(face.size());
    for (std::size_t i = 0; i < face.size(); ++i) polygon[i] = obj.vertices[vertex(i)];
    for (const auto& triangle : triangulator.triangulate(polygon, stop)) {
      auto& particles = mesh.triangles.emplace_back();
      for (std::size_t i = 0; i < 3; ++i)
        particles[i] = static_cast<std::uint32_t>(mesh.particle_of_vertex[vertex(triangle[i])]);
      is_dropped = is_dropped && is_degenerate(particles);
      const std::uint32_t first = obj.face_offsets[f];
      if (textured)
        mesh.triangle_corners.push_back({first + triangle[0], first + triangle[1], first + triangle[2]});
      if (!obj.groups.empty()) mesh.face_of_triangle.push_back(f);
    }
    mesh.report.dropped_faces += is_dropped;
  }
}

/// Removes the degenerate triangles. Returns their number.
std::size_t drop_degenerate(ClothMesh& mesh) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (is_degenerate(mesh.triangles[t])) continue;
    mesh.triangles[kept] = mesh.triangles[t];
    if (!mesh.triangle_corners.empty()) mesh.triangle_corners[kept] = mesh.triangle_corners[t];
    if (!mesh.face_of_triangle.empty()) mesh.face_of_triangle[kept] = mesh.face_of_triangle[t];
    ++kept;
  }
  const std::size_t dropped = mesh.triangles.size() - kept;
  mesh.triangles.resize(kept);
  mesh.triangle_corners.resize(std::min(kept, mesh.triangle_corners.size()));
  mesh.face_of_triangle.resize(std::min(kept, mesh.face_of_triangle.size()));
  return dropped;
}

/// For each particle: true if all edges of which it is the lower particle are closed.
std::vector<std::uint8_t> make_springs(const ObjMesh& obj, const StopProbe& stop, ClothMesh& mesh) {
  const EdgeTable edges(mesh.triangles, mesh.positions.size(), stop);
  // visit(low, high, opposites, rising) for every edge: the particles opposite to it ascend, and `rising` of
  // their triangles have it as a rising side. Degenerate triangles, whose opposite particle is on the edge,
  // make the edge only.
  const auto for_edges = [&](const auto& visit) {
    CancelPoint cancel(stop);
    std::vector<std::uint32_t> opposites;
    edges.for_each([&](std::uint32_t low, std::span<const EdgeTable::Side> sides) {
      cancel.pass();
      const std::uint32_t high = sides.front().high;
      std::size_t rising = 0;
      opposites.clear();
      for (const EdgeTable::Side& side : sides) {
        const std::uint32_t opposite = edges.opposite(side);
        if (opposite == low || opposite == high) continue;
        opposites.push_back(opposite);
        rising += edges.is_rising(side);
      }
      std::ranges::sort(opposites);
      visit(low, high, opposites, rising);
    });
  };
  const auto pairs = [](std::size_t count) { return count * (count - (count > 0)) / 2; };
  std::size_t stretch = 0, bend = 0;
  std::vector<std::uint8_t> closed(mesh.positions.size(), 1);
  for_edges([&](std::uint32_t low, std::uint32_t high, const std::vector<std::uint32_t>& opposites,
                std::size_t rising) {
    const std::size_t t = opposites.size();
    if (t > kMaxTrianglesPerEdge)
      refuse(obj, "the edge between vertices " + std::to_string(mesh.vertex_of_particle[low] + 1) + " and " +
                      std::to_string(mesh.vertex_of_particle[high] + 1) + " (counted from 1) has " +
                      std::to_string(t) + " triangles, and " + std::to_string(kMaxTrianglesPerEdge) +
                      " are allowed");
    ++stretch;
    bend += pairs(t);
    mesh.report.nonmanifold_edges += t > 2;
    mesh.report.boundary_edges += t == 1;
    mesh.report.reversed_edges += t == 2 && rising != 1;
    if (t != 2 || rising != 1) closed[low] = 0;
  });
  if (stretch + bend > kMaxSprings)
    refuse(obj, "it has " + std::to_string(stretch + bend) + " springs, and " + std::to_string(kMaxSprings) +
                    " are allowed");

  mesh.stretch_springs.reserve(stretch);
  mesh.bend_springs.reserve(bend);
  std::vector<std::uint32_t> different;
  for_edges([&](std::uint32_t low, std::uint32_t high, const std::vector<std::uint32_t>& opposites,
                std::size_t /*rising*/) {
    mesh.stretch_springs.push_back({low, high});
    different.clear();
    std::ranges::unique_copy(opposites, std::back_inserter(different));
    mesh.report.dropped_springs += pairs(opposites.size()) - pairs(different.size());
    for (std::size_t i = 0; i < different.size(); ++i)
      for (std::size_t j = i + 1; j < different.size(); ++j)
        mesh.bend_springs.push_back({different[i], different[j]});
  });
  return closed;
}

/// Connected components, by joining the ends of every stretch spring.
void number_parts(const std::vector<std::uint8_t>& closed, ClothMesh& mesh) {
  DisjointSets parts(mesh.positions.size());
  for (const auto& [a, b] : mesh.stretch_springs) parts.join(a, b);
  mesh.parts = static_cast<int>(parts.number(mesh.part_of_particle));
  mesh.closed.assign(static_cast<std::size_t>(mesh.parts), 1);
  for (std::uint32_t p = 0; p < closed.size(); ++p)
    if (closed[p] == 0) mesh.closed[mesh.part_of_particle[p]] = 0;
}

/// The values of particles per `v` line, in the file's units; unused vertices have those of `rows`.
std::vector<vec3> vertex_values(const ClothMesh& mesh, std::span<const vec3> values, std::vector<vec3> rows) {
  for (std::size_t v = 0; v < rows.size(); ++v)
    if (const std::int32_t p = mesh.particle_of_vertex[v]; p >= 0)
      rows[v] = to_file_units(values[static_cast<std::size_t>(p)], mesh);
  return rows;
}

}  // namespace

ClothMesh build_cloth_mesh(ObjMesh obj, const MeshOptions& options) {
  if (!(options.scale >= kMinScale && options.scale <= kMaxScale))
    refuse(obj, "the scale must lie between 1e-9 and 1e9");
  if (obj.face_count() == 0) refuse(obj, "it has no faces");

  ClothMesh mesh;
  mesh.source = std::make_shared<const ObjMesh>(std::move(obj));
  const ObjMesh& source = *mesh.source;
  mesh.scale = options.scale;
  mesh.z_up = options.z_up;
  number_particles(source, options, mesh);
  place_particles(source, mesh);
  triangulate_faces(source, options.stop, mesh);
  number_parts(make_springs(source, options.stop, mesh), mesh);

  mesh.report.degenerate_triangles = drop_degenerate(mesh);
  for (const auto& [a, b, c] : mesh.triangles)
    mesh.area += glm::length(glm::cross(mesh.positions[b] - mesh.positions[a],
                                        mesh.positions[c] - mesh.positions[a])) /
                 2;
  if (source.grid && mesh.report.welded == 0) mesh.grid = source.grid;
  mesh.report.closed_parts = static_cast<std::size_t>(std::ranges::count(mesh.closed, 1));
  return mesh;
}

std::vector<vec3> vertex_positions(const ClothMesh& mesh, std::span<const vec3> particle_positions) {
  return vertex_values(mesh, particle_positions, mesh.source->vertices);
}

std::vector<vec3> vertex_velocities(const ClothMesh& mesh, std::span<const vec3> particle_velocities) {
  return vertex_values(mesh, particle_velocities, std::vector<vec3>(mesh.particle_of_vertex.size(), vec3(0)));
}

std::vector<vec3> particle_values(const ClothMesh& mesh, std::span<const vec3> rows) {
  if (rows.size() != mesh.particle_of_vertex.size())
    throw InputError("there are " + std::to_string(rows.size()) + " rows, and " + mesh.source->name +
                     " has " + std::to_string(mesh.particle_of_vertex.size()) + " vertices");
  std::vector<vec3> values;
  values.reserve(mesh.vertex_of_particle.size());
  for (const std::uint32_t v : mesh.vertex_of_particle) values.push_back(to_metres(rows[v], mesh));
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const std::int32_t p = mesh.particle_of_vertex[v];
    if (p < 0) continue;
    const std::uint32_t first = mesh.vertex_of_particle[static_cast<std::size_t>(p)];
    if (rows[v] != rows[first])
      throw InputError(
          "row " + std::to_string(v + 1) + " differs from row " + std::to_string(first + 1) +
          ", and their vertices are welded into one particle: use --no-weld, or make them equal");
  }
  return values;
}

}  // namespace clothlab
