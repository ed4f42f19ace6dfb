// SPDX-License-Identifier: MIT
#include "mesh/join.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "mesh/obj_groups.h"

namespace clothlab {
namespace {

std::string unused_group(std::string wanted, const ObjMesh& before, const ObjMesh& own) {
  const auto has_meaning = [](char c) {
    return std::string_view(" \t\r\n,=#\\").find(c) != std::string_view::npos;
  };
  std::ranges::replace_if(wanted, has_meaning, '_');
  std::vector<std::string> taken = groups_of(before);
  std::ranges::copy(groups_of(own), std::back_inserter(taken));
  std::string name = wanted;
  for (int k = 2; std::ranges::find(taken, name) != taken.end(); ++k) name = wanted + "-" + std::to_string(k);
  return name;
}

/// Begins the mesh with statements that end the object, the groups and the material of the mesh before.
void put_into_group(const std::string& name, const ObjMesh& before, ObjMesh& mesh) {
  for (ObjMesh::FaceGroup& group : mesh.groups) group.names.push_back(name);
  if (mesh.groups.empty() || mesh.groups.front().first_face > 0)
    mesh.groups.insert(mesh.groups.begin(), {{name}, 0});
  for (ObjMesh::Statement& statement : mesh.statements)
    if (statement.text == "g" || statement.text.starts_with("g ")) statement.text += " " + name;
  std::vector<ObjMesh::Statement> begin{{"o " + name, 0}, {"g " + name, 0}};
  for (const auto& [keyword, end] : {std::pair("s ", "s off"), std::pair("usemtl ", "usemtl None")})
    if (std::ranges::any_of(before.statements, [&, k = keyword](const ObjMesh::Statement& statement) {
          return statement.text.starts_with(k);
        }))
      begin.push_back({end, 0});
  mesh.statements.insert(mesh.statements.begin(), begin.begin(), begin.end());
}

void append(const ObjMesh& next, ObjMesh& mesh) {
  const std::size_t faces = mesh.face_count(), vertices = mesh.vertices.size(),
                    textures = mesh.texture_coordinates.size(), corners = mesh.corners.size();
  const auto copy = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  mesh.joined_at.push_back(vertices);
  copy(next.vertices, mesh.vertices);
  copy(next.texture_coordinates, mesh.texture_coordinates);
  for (const ObjMesh::Corner& corner : next.corners)
    mesh.corners.push_back(
        {corner.vertex + static_cast<std::int32_t>(vertices),
         corner.texture < 0 ? corner.texture : corner.texture + static_cast<std::int32_t>(textures)});
  for (std::size_t f = 1; f < next.face_offsets.size(); ++f)
    mesh.face_offsets.push_back(next.face_offsets[f] + static_cast<std::uint32_t>(corners));
  for (const ObjMesh::FaceGroup& group : next.groups)
    mesh.groups.push_back({group.names, group.first_face + faces});
  for (const ObjMesh::Statement& statement : next.statements)
    mesh.statements.push_back({statement.text, statement.first_face + faces});
  const auto offset = static_cast<std::uint32_t>(vertices);
  for (const auto& [a, b] : next.lines) mesh.lines.push_back({a + offset, b + offset});
  mesh.normals += next.normals;
  mesh.name += " + " + next.name;
}

}  // namespace

ObjMesh joined(std::vector<MeshToJoin> meshes) {
  ObjMesh all;
  bool is_first = true;
  for (auto& [next, group] : meshes) {
    put_into_group(unused_group(std::move(group), all, next), all, next);
    if (std::exchange(is_first, false))
      all = std::move(next);
    else
      append(next, all);
  }
  all.grid.reset();
  return all;
}

}  // namespace clothlab
