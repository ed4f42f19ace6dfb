// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/vec.h"

namespace clothlab {

/// Rows and columns of a mesh whose particle (r, c) has index r · cols + c.
struct GridShape {
  int rows = 0;
  int cols = 0;
};

/// A `vt` line: one to three numbers.
struct TextureCoordinate {
  std::array<double, 3> value{};
  int count = 0;
};

/// A mesh as read, so that an export has the same faces, texture coordinates, vertex order and vertex count.
struct ObjMesh {
  struct Corner {
    std::int32_t vertex = 0;    ///< index into `vertices`
    std::int32_t texture = -1;  ///< index into `texture_coordinates`, -1: none
  };

  /// A `g` line: the faces from there to the next one belong to its groups.
  struct FaceGroup {
    std::vector<std::string> names;
    std::size_t first_face = 0;
  };

  /// An `o`, `g`, `s`, `usemtl` or `mtllib` line, for exports: it precedes that face.
  struct Statement {
    std::string text;
    std::size_t first_face = 0;
  };

  std::string name;            ///< for messages: the file, or what was generated
  std::vector<vec3> vertices;  ///< all `v` lines in file order, in the file's units
  std::vector<TextureCoordinate> texture_coordinates;
  std::vector<Corner> corners;                 ///< of all faces, one after the other
  std::vector<std::uint32_t> face_offsets{0};  ///< face f has corners [face_offsets[f], face_offsets[f + 1])
  std::vector<FaceGroup> groups;               ///< in file order
  std::vector<Statement> statements;           ///< in file order
  std::vector<std::array<std::uint32_t, 2>> lines;  ///< pairs of vertices that `l` lines join, in file order
  std::vector<std::size_t> joined_at;  ///< the first vertex of each mesh but the first one of mesh/join.h
  std::size_t normals = 0;             ///< `vn` lines; their values are not kept, exports compute new ones
  std::optional<GridShape> grid;       ///< set by make_grid_obj

  std::size_t face_count() const { return face_offsets.size() - 1; }
  std::span<const Corner> face(std::size_t f) const {
    return std::span(corners).subspan(face_offsets[f], face_offsets[f + 1] - face_offsets[f]);
  }
  void add_face(std::span<const Corner> face_corners) {
    corners.insert(corners.end(), face_corners.begin(), face_corners.end());
    face_offsets.push_back(static_cast<std::uint32_t>(corners.size()));
  }
};

/// Counts for the mesh report that a ClothMesh does not show otherwise. Edges and parts refer to particles,
/// after welding.
struct MeshReport {
  std::size_t merged_faces = 0;          ///< on the same particles as an earlier face
  std::size_t dropped_faces = 0;         ///< without a remaining triangle
  std::size_t degenerate_triangles = 0;  ///< with a repeated particle; only their edges are used
  std::size_t unused_vertices = 0;       ///< used by no face
  std::size_t welded = 0;                ///< vertices that share the particle of an earlier one
  /// Bending springs with one particle at both ends, or with the same ends as another one across the edge.
  std::size_t dropped_springs = 0;
  std::size_t nonmanifold_edges = 0;  ///< with more than two triangles
  std::size_t boundary_edges = 0;     ///< with one triangle
  std::size_t reversed_edges = 0;     ///< with two triangles that go along them in the same direction
  std::size_t closed_parts = 0;       ///< see ClothMesh::closed
};

/// Axis-aligned box [m].
struct Box {
  vec3 low{0};
  vec3 high{0};
};

/// Particles, triangles and springs at rest (model.md, "Particles and springs").
///
/// Orders are part of the contract, since the bits of a run depend on them: particles by their lowest `v`
/// line, triangles by face, stretch springs by their two particles (lower first), bending springs by the
/// stretch spring that they cross, then by their two particles.
struct ClothMesh {
  std::vector<vec3> positions;  ///< at rest, per particle [m]
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// Corners of the triangles, as indices into source->corners; for texture coordinates; empty if the file
  /// has none.
  std::vector<std::array<std::uint32_t, 3>> triangle_corners;
  std::vector<std::uint32_t> face_of_triangle;  ///< of `source`; empty if the file has no groups
  std::vector<std::array<std::uint32_t, 2>> stretch_springs;
  std::vector<std::array<std::uint32_t, 2>> bend_springs;
  std::vector<std::int32_t> particle_of_vertex;   ///< per `v` line; -1 when no face uses it
  std::vector<std::uint32_t> vertex_of_particle;  ///< the lowest of its `v` lines
  std::vector<std::uint32_t> part_of_particle;    ///< connected component, numbered by lowest particle
  int parts = 0;
  /// Per part: true if it encloses a volume. All its edges have two triangles, which go along them in
  /// opposite directions.
  std::vector<std::uint8_t> closed;
  Box box;
  double diagonal = 0;  ///< of the box [m]
  double area = 0;      ///< of the triangles [m²]
  double scale = 1;     ///< metres per unit of the file
  bool z_up = false;    ///< the file's z axis was turned to y
  std::optional<GridShape> grid;
  MeshReport report;
  std::shared_ptr<const ObjMesh> source;  ///< never null
};

}  // namespace clothlab
