// SPDX-License-Identifier: MIT
#include "sim/added_mesh.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "collide/obstacle.h"
#include "core/error.h"
#include "core/quantity.h"
#include "core/text.h"
#include "core/text_file.h"
#include "mesh/cloth_mesh.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

AddedMesh read_added_mesh(const nlohmann::json& value) {
  const JsonMembers members(value, "an added mesh", {"file", "position", "turn", "scale"});
  AddedMesh mesh;
  members.read("file", mesh.path);
  members.read_if("position", mesh.position);
  members.read_if("turn", mesh.turn);
  members.read_if("scale", mesh.scale);
  return mesh;
}

std::string write_added_mesh(const AddedMesh& mesh) {
  std::string text = "{\"file\": " + json_text(mesh.path);
  if (mesh.position != vec3(0)) text += ", \"position\": " + json_list(mesh.position);
  if (mesh.turn != vec3(0)) text += ", \"turn\": " + json_list(mesh.turn);
  if (mesh.scale != 1) text += ", \"scale\": " + json_number(mesh.scale);
  return text + "}";
}

/// "x,y,z,scale,FILE"; the name of the file may contain commas.
AddedMesh parse_numbers(std::string_view text) {
  std::array<double, 4> numbers{};
  for (double& number : numbers) {
    const std::size_t end = text.find(',');
    const std::optional<double> value = parse_quantity(text.substr(0, end), "m").value;
    if (!value || end == std::string_view::npos)
      throw InputError("write x,y,z,scale,FILE, with x, y and z in metres");
    number = *value;
    text.remove_prefix(end + 1);
  }
  return {std::string(text), {numbers[0], numbers[1], numbers[2]}, vec3(0), numbers[3]};
}

}  // namespace

void check_added_meshes(std::span<const AddedMesh> meshes) {
  if (meshes.size() > kMostAddedMeshes)
    throw InputError("There may be at most " + std::to_string(kMostAddedMeshes) + " added meshes.");
  for (const AddedMesh& mesh : meshes) {
    if (mesh.path.empty() || mesh.path.find('\0') != std::string::npos)
      throw InputError("An added mesh needs the name of its file, without the character U+0000.");
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(mesh.position[k]) <= kFarthestObstacle && std::abs(mesh.turn[k]) <= kMostTurn))
        throw InputError("An added mesh must lie within " + format_number(kFarthestObstacle) +
                         " m of the origin and may be turned by at most " + format_number(kMostTurn) + "°.");
    if (!(mesh.scale >= kMinScale && mesh.scale <= kMaxScale))
      throw InputError("The scale of an added mesh must be " + format_number(kMinScale) + " to " +
                       format_number(kMaxScale) + ".");
  }
}

std::string with_added_names(std::string first, const MeshPart& cloth) {
  for (const AddedMesh& mesh : cloth.added_meshes)
    first += (first.empty() ? "" : " + ") + shown_path(path_of(mesh.path).filename());
  return first;
}

std::vector<AddedMesh> read_added_meshes(const nlohmann::json& value) {
  if (!value.is_array()) refuse_value("added-meshes", "must be a list of objects with a \"file\"");
  std::vector<AddedMesh> meshes;
  for (const nlohmann::json& each : value) meshes.push_back(read_added_mesh(each));
  check_added_meshes(meshes);
  return meshes;
}

std::string write_added_meshes(const std::vector<AddedMesh>& meshes) {
  std::string text;
  for (const AddedMesh& mesh : meshes) text += (text.empty() ? "[" : ", ") + write_added_mesh(mesh);
  return text.empty() ? text : text + "]";
}

AddedMesh parse_added_mesh(std::string_view text) try {
  const nlohmann::json value =
      text.starts_with('{') ? nlohmann::json(parse_strict_json(text)) : nlohmann::json();
  if (value.is_discarded()) throw InputError("this is not valid JSON");
  AddedMesh mesh = value.is_null() ? parse_numbers(text) : read_added_mesh(value);
  check_added_meshes({&mesh, 1});
  return mesh;
} catch (const InputError& error) {
  const std::string_view reason = error.what();
  throw InputError("The added mesh \"" + printable(text) + "\": " + std::string(reason) +
                   (reason.ends_with('.') ? "" : "."));
}

std::string added_mesh_argument(const AddedMesh& mesh) {
  if (mesh.turn != vec3(0)) return write_added_mesh(mesh);
  std::string text;
  for (const double number : {mesh.position.x, mesh.position.y, mesh.position.z, mesh.scale})
    text += format_number(number) + ",";
  return text + mesh.path;
}

}  // namespace clothlab
