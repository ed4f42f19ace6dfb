// SPDX-License-Identifier: MIT
#include "mesh/obj_writer.h"

#include <charconv>

#include "core/text.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

void append_index(std::string& text, std::size_t zero_based) {
  char buffer[24];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, zero_based + 1).ptr);
}

/// `number` appends one coordinate.
template <class Number>
void write(const ObjMesh& mesh, std::span<const vec3> vertices, const Number& number,
           const std::function<void(std::string_view)>& sink) {
  std::string piece;
  const auto end_line = [&] {
    piece += '\n';
    if (piece.size() < kPiece) return;
    sink(piece);
    piece.clear();
  };
  for (const vec3& p : vertices) {
    piece += 'v';
    for (int axis = 0; axis < 3; ++axis) number(piece += ' ', p[axis]);
    end_line();
  }
  for (const TextureCoordinate& texture : mesh.texture_coordinates) {
    piece += "vt";
    for (int i = 0; i < texture.count; ++i) number(piece += ' ', texture.value[static_cast<std::size_t>(i)]);
    end_line();
  }
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    piece += 'f';
    for (const ObjMesh::Corner& corner : mesh.face(f)) {
      append_index(piece += ' ', static_cast<std::size_t>(corner.vertex));
      if (corner.texture >= 0) append_index(piece += '/', static_cast<std::size_t>(corner.texture));
    }
    end_line();
  }
  if (!piece.empty()) sink(piece);
}

}  // namespace

void write_obj(const ClothMesh& mesh, std::span<const vec3> particle_positions,
               const std::function<void(std::string_view piece)>& sink) {
  write(*mesh.source, vertex_positions(mesh, particle_positions), append_number, sink);
}

std::string obj_text(const ClothMesh& mesh, std::span<const vec3> particle_positions) {
  std::string text;
  write_obj(mesh, particle_positions, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string obj_text(const ObjMesh& mesh) {
  std::string text;
  const auto shortest = [](std::string& piece, double value) { piece += format_number(value); };
  write(mesh, mesh.vertices, shortest, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace clothlab
