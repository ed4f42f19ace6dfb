// SPDX-License-Identifier: MIT
#include "mesh/ply_writer.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

std::vector<double> strains_of(const ClothMesh& mesh, std::span<const vec3> positions) {
  std::vector<double> strains(positions.size(), 0);
  for (const auto& [a, b] : mesh.stretch_springs) {
    const double rest = glm::length(mesh.positions[a] - mesh.positions[b]);
    if (!(rest > 0)) continue;
    const double strain = std::abs(glm::length(positions[a] - positions[b]) / rest - 1);
    for (const std::uint32_t end : {a, b}) strains[end] = std::max(strains[end], strain);
  }
  return strains;
}

}  // namespace

void write_ply(const ClothMesh& mesh, std::span<const vec3> positions, std::span<const vec3> velocities,
               const std::function<void(std::string_view piece)>& sink) {
  const ObjMesh& obj = *mesh.source;
  const std::vector<vec3> x = vertex_positions(mesh, positions), v = vertex_velocities(mesh, velocities);
  const std::vector<double> strains = strains_of(mesh, positions);
  std::string piece = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(x.size()) + "\n";
  for (const char* name : {"x", "y", "z", "vx", "vy", "vz", "strain"})
    piece += std::string("property double ") + name + "\n";
  piece += "element face " + std::to_string(obj.face_count()) +
           "\nproperty list int int vertex_indices\nend_header\n";
  const auto end_line = [&] {
    piece += '\n';
    sink(piece);
    piece.clear();
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const double value : {x[i].x, x[i].y, x[i].z, v[i].x, v[i].y, v[i].z})
      append_number(piece, value), piece += ' ';
    const std::int32_t particle = mesh.particle_of_vertex[i];
    append_number(piece, particle < 0 ? 0 : strains[static_cast<std::size_t>(particle)]);
    end_line();
  }
  for (std::size_t f = 0; f < obj.face_count(); ++f) {
    piece += std::to_string(obj.face(f).size());
    for (const ObjMesh::Corner& corner : obj.face(f)) piece += ' ' + std::to_string(corner.vertex);
    end_line();
  }
}

}  // namespace clothlab
