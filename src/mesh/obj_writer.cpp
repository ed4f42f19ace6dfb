// SPDX-License-Identifier: MIT
#include "mesh/obj_writer.h"

#include <charconv>
#include <glm/geometric.hpp>
#include <vector>

#include "core/text.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

void append_index(std::string& text, std::size_t zero_based) {
  char buffer[24];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, zero_based + 1).ptr);
}

/// A unit normal per `v` line, the same at all that share a particle; 0 where there is none.
std::vector<vec3> vertex_normals(const ClothMesh& mesh, std::span<const vec3> vertices) {
  std::vector<vec3> of_particle(mesh.positions.size(), vec3(0));
  const ObjMesh& obj = *mesh.source;
  for (std::size_t f = 0; f < obj.face_count(); ++f) {
    const auto face = obj.face(f);
    const auto corner = [&](std::size_t k) { return vertices[static_cast<std::size_t>(face[k].vertex)]; };
    vec3 twice_area(0);
    for (std::size_t k = 2; k < face.size(); ++k)
      twice_area += glm::cross(corner(k - 1) - corner(0), corner(k) - corner(0));
    for (const ObjMesh::Corner& c : face)
      of_particle[static_cast<std::size_t>(mesh.particle_of_vertex[static_cast<std::size_t>(c.vertex)])] +=
          twice_area;
  }
  std::vector<vec3> normals;
  for (const std::int32_t particle : mesh.particle_of_vertex) {
    const vec3 sum = particle < 0 ? vec3(0) : of_particle[static_cast<std::size_t>(particle)];
    const double length = glm::length(sum);
    normals.push_back(length > 0 ? sum / length : vec3(0));
  }
  return normals;
}

/// `number` appends one coordinate; `normals`: per vertex, or none.
template <class Number>
void write(const ObjMesh& mesh, std::span<const vec3> vertices, std::span<const vec3> normals,
           const Number& number, const std::function<void(std::string_view)>& sink) {
  std::string piece;
  const auto end_line = [&] {
    piece += '\n';
    if (piece.size() < kPiece) return;
    sink(piece);
    piece.clear();
  };
  const auto write_points = [&](const char* keyword, std::span<const vec3> points) {
    for (const vec3& p : points) {
      piece += keyword;
      for (int axis = 0; axis < 3; ++axis) number(piece += ' ', p[axis]);
      end_line();
    }
  };
  write_points("v", vertices);
  for (const TextureCoordinate& texture : mesh.texture_coordinates) {
    piece += "vt";
    for (int i = 0; i < texture.count; ++i) number(piece += ' ', texture.value[static_cast<std::size_t>(i)]);
    end_line();
  }
  write_points("vn", normals);
  auto statement = mesh.statements.begin();
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    for (; statement != mesh.statements.end() && statement->first_face <= f; ++statement) {
      piece += statement->text;
      end_line();
    }
    piece += 'f';
    for (const ObjMesh::Corner& corner : mesh.face(f)) {
      append_index(piece += ' ', static_cast<std::size_t>(corner.vertex));
      if (corner.texture >= 0) append_index(piece += '/', static_cast<std::size_t>(corner.texture));
      if (!normals.empty())
        append_index(piece += corner.texture >= 0 ? "/" : "//", static_cast<std::size_t>(corner.vertex));
    }
    end_line();
  }
  for (const auto& [a, b] : mesh.lines) {
    append_index(piece += "l ", a);
    append_index(piece += ' ', b);
    end_line();
  }
  if (!piece.empty()) sink(piece);
}

}  // namespace

void write_obj(const ClothMesh& mesh, std::span<const vec3> particle_positions,
               const std::function<void(std::string_view piece)>& sink) {
  const std::vector<vec3> vertices = vertex_positions(mesh, particle_positions);
  const std::vector<vec3> normals =
      mesh.source->normals > 0 ? vertex_normals(mesh, vertices) : std::vector<vec3>();
  write(*mesh.source, vertices, normals, append_number, sink);
}

std::string obj_text(const ClothMesh& mesh, std::span<const vec3> particle_positions) {
  std::string text;
  write_obj(mesh, particle_positions, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string obj_text(const ObjMesh& mesh) {
  std::string text;
  const auto shortest = [](std::string& piece, double value) { piece += format_number(value); };
  write(mesh, mesh.vertices, {}, shortest, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace clothlab
