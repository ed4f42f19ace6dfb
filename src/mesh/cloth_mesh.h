// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"
#include "mesh/mesh.h"

namespace clothlab {

/// The most particles, and the most springs (stretch and bending, those that are dropped included), that
/// a mesh may have.
inline constexpr std::size_t kMaxParticles = 5'000'000;
inline constexpr std::size_t kMaxSprings = 50'000'000;
/// Range of the scale, such that a mesh that was read can be written in the file's units.
inline constexpr double kMinScale = 1e-9;
inline constexpr double kMaxScale = 1e9;
/// The most triangles that may share an edge.
inline constexpr std::size_t kMaxTrianglesPerEdge = 16;

struct MeshOptions {
  double scale = 1;   ///< metres per unit of the file; from kMinScale to kMaxScale
  bool weld = true;   ///< vertices at exactly the same position become one particle
  bool z_up = false;  ///< the file's z axis points up: (x, y, z) becomes (x, z, −y)
  StopProbe stop;
};

/// Particles, triangles and springs of a mesh as read. Throws InputError, naming the mesh, for one that
/// model.md refuses (an edge with more than 16 triangles), that is too large, or whose size in metres
/// no double can hold; Cancelled when `stop` asks.
ClothMesh build_cloth_mesh(ObjMesh obj, const MeshOptions& options = {});

/// The particles' positions or velocities per `v` line, in the file's units. Unused vertices stay as read, at
/// rest; welded ones share their particle's values.
std::vector<vec3> vertex_positions(const ClothMesh& mesh, std::span<const vec3> particle_positions);
std::vector<vec3> vertex_velocities(const ClothMesh& mesh, std::span<const vec3> particle_velocities);

/// The inverse, for rows read from a file: row i belongs to `v` line i. Throws InputError when
/// their number is not that of the `v` lines, or when the rows of welded vertices differ.
std::vector<vec3> particle_values(const ClothMesh& mesh, std::span<const vec3> rows);

}  // namespace clothlab
