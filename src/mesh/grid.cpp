// SPDX-License-Identifier: MIT
#include "mesh/grid.h"

#include <array>
#include <cmath>
#include <string>

#include "core/error.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

void check(const std::string& name, int rows, int cols, double width, double depth) {
  if (rows < 2 || cols < 2) throw InputError(name + " is too small: it needs at least 2 rows and 2 columns");
  for (const double size : {width, depth})
    if (!(size > 0) || !std::isfinite(size)) throw InputError(name + ": its size must be positive numbers");
  // With n = R·C particles: 3n − 2R − 2C + 1 edges, and one bending spring for each that is not on the rim.
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(cols);
  if (r > kMaxParticles / c)
    throw InputError(name + " is too large: " + std::to_string(kMaxParticles) + " particles are allowed");
  const std::size_t edges = 3 * r * c - 2 * (r + c) + 1, rim = 2 * (r - 1) + 2 * (c - 1);
  if (edges + (edges - rim) > kMaxSprings)
    throw InputError(name + " is too large: " + std::to_string(kMaxSprings) + " springs are allowed");
}

}  // namespace

ObjMesh make_grid_obj(int rows, int cols, double width, double depth) {
  ObjMesh mesh;
  mesh.name = "grid " + std::to_string(rows) + "x" + std::to_string(cols);
  check(mesh.name, rows, cols, width, depth);
  mesh.grid = GridShape{rows, cols};
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  mesh.vertices.reserve(n);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      mesh.vertices.emplace_back(width * (static_cast<double>(c) / (cols - 1)), 0.0,
                                 depth * (static_cast<double>(r) / (rows - 1)));
  mesh.corners.reserve(6 * n);
  mesh.face_offsets.reserve(2 * n);
  for (int r = 0; r + 1 < rows; ++r)
    for (int c = 0; c + 1 < cols; ++c) {
      const int a = r * cols + c, b = a + 1, d = a + cols, e = d + 1;
      mesh.add_face(std::array<ObjMesh::Corner, 3>{{{a}, {d}, {b}}});
      mesh.add_face(std::array<ObjMesh::Corner, 3>{{{b}, {d}, {e}}});
    }
  return mesh;
}

}  // namespace clothlab
