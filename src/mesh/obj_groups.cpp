// SPDX-License-Identifier: MIT
#include "mesh/obj_groups.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

std::size_t end_of_group(const ObjMesh& mesh, std::size_t k) {
  return k + 1 < mesh.groups.size() ? mesh.groups[k + 1].first_face : mesh.face_count();
}

[[noreturn]] void refuse_group(const ObjMesh& mesh, const std::string& name) {
  const std::vector<std::string> existing = groups_of(mesh);
  const std::vector<std::string_view> all(existing.begin(), existing.end());
  throw InputError(mesh.name + ": no face is in the group \"" + printable(name) + "\"" +
                   (all.empty() ? std::string("; it has no groups.")
                                : "; its groups are " + printable(joined(all)) + "."));
}

}  // namespace

std::vector<std::uint32_t> faces_of_group(const ObjMesh& mesh, const std::string& name) {
  std::vector<std::uint32_t> faces;
  for (std::size_t k = 0; k < mesh.groups.size(); ++k) {
    const std::vector<std::string>& names = mesh.groups[k].names;
    if (std::ranges::find(names, name) == names.end()) continue;
    for (std::size_t f = mesh.groups[k].first_face; f < end_of_group(mesh, k); ++f)
      faces.push_back(static_cast<std::uint32_t>(f));
  }
  if (faces.empty()) refuse_group(mesh, name);
  return faces;
}

std::vector<std::string> groups_of(const ObjMesh& mesh) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < mesh.groups.size(); ++k)
    if (const auto& group = mesh.groups[k]; group.first_face < end_of_group(mesh, k))
      names.insert(group.names.begin(), group.names.end());
  return {names.begin(), names.end()};
}

void keep_groups(ObjMesh& mesh, std::span<const std::string> names) {
  if (names.empty()) return;
  ObjMesh kept;
  std::vector<std::size_t> faces;  // that are kept
  std::set<std::string> used;
  for (std::size_t k = 0; k < mesh.groups.size(); ++k) {
    const ObjMesh::FaceGroup& group = mesh.groups[k];
    const std::size_t end = end_of_group(mesh, k);
    std::vector<std::string> wanted;
    for (const std::string& name : group.names)
      if (std::ranges::find(names, name) != names.end()) wanted.push_back(name);
    if (wanted.empty()) continue;
    used.insert(wanted.begin(), wanted.end());
    kept.groups.push_back({wanted, kept.face_count()});
    for (std::size_t f = group.first_face; f < end; ++f) {
      kept.add_face(mesh.face(f));
      faces.push_back(f);
    }
  }
  for (const std::string& name : names)
    if (!used.contains(name)) refuse_group(mesh, name);
  mesh.corners = std::move(kept.corners);
  mesh.face_offsets = std::move(kept.face_offsets);
  mesh.groups = std::move(kept.groups);
  // A statement before removed faces precedes the next face; of several the last one is in force there.
  for (ObjMesh::Statement& statement : mesh.statements)
    statement.first_face =
        static_cast<std::size_t>(std::ranges::lower_bound(faces, statement.first_face) - faces.begin());
}

}  // namespace clothlab
