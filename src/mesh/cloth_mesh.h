// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"
#include "mesh/mesh.h"

namespace clothlab {

/// Largest number of particles of a mesh, and of springs (stretch and bending, including dropped ones).
inline constexpr std::size_t kMaxParticles = 5'000'000;
inline constexpr std::size_t kMaxSprings = 50'000'000;
/// Range of the scale in which any mesh that was read can be written in the file's units.
inline constexpr double kMinScale = 1e-9;
inline constexpr double kMaxScale = 1e9;
/// Largest number of triangles at an edge.
inline constexpr std::size_t kMaxTrianglesPerEdge = 16;

struct MeshOptions {
  double scale = 1;   ///< metres per unit of the file; from kMinScale to kMaxScale
  bool weld = true;   ///< vertices at exactly the same position become one particle
  bool z_up = false;  ///< the file's z axis points up: (x, y, z) becomes (x, z, −y)
  StopProbe stop;
};

/// Particles, triangles and springs of a mesh as read. Throws InputError, naming the mesh, if it has an
/// edge with more than 16 triangles (model.md), is too large, or has a size in metres outside the range of
/// double; Cancelled on request of `stop`.
ClothMesh build_cloth_mesh(ObjMesh obj, const MeshOptions& options = {});

/// The particles' positions or velocities per `v` line, in the file's units. Unused vertices stay as read, at
/// rest; welded ones share their particle's values.
std::vector<vec3> vertex_positions(const ClothMesh& mesh, std::span<const vec3> particle_positions);
std::vector<vec3> vertex_velocities(const ClothMesh& mesh, std::span<const vec3> particle_velocities);

/// The inverse, for rows read from a file: row i belongs to `v` line i. Throws InputError if
/// their number differs from the number of `v` lines, or if rows of welded vertices differ.
std::vector<vec3> particle_values(const ClothMesh& mesh, std::span<const vec3> rows);

}  // namespace clothlab
