// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collide/obstacle.h"
#include "core/stop_probe.h"
#include "core/vec.h"
#include "integrate/tableau.h"
#include "sim/command.h"
#include "sim/scene.h"

namespace clothlab {

/// The version that is written. Earlier ones are read too, with their defaults (scene_reader.cpp).
inline constexpr int kSceneVersion = 5;

/// Limits of a title and of a description [characters].
inline constexpr std::size_t kLongestTitle = 200;
inline constexpr std::size_t kLongestDescription = 4000;

/// Contents of a scene file in addition to its scene.
struct SceneExtras {
  std::string remark;             ///< a sentence about a value of an earlier version
  std::vector<LaneMethod> lanes;  ///< ascending; the first has the method of the scene. Empty: none are named
};

/// The scene in a JSON text (docs/scene-format.md): one object whose keys are the options of the command
/// line. Missing keys have their defaults. Strict: throws InputError, one sentence that begins with `name`
/// (the file) and gives the line or the key, for text that is not JSON, an unknown key (naming the nearest),
/// a repeated key, and a value of the wrong type or out of its range. A title or a description that is too
/// long is cut. A mesh file is not opened. Throws Cancelled. With lanes, the scene has the method of the
/// first one.
Scene parse_scene(std::string_view json_text, std::string_view name, const StopProbe& stop = {},
                  SceneExtras* extras = nullptr);

/// The text from which parse_scene reads the same scene, every number to the last bit. The integrators' own
/// parameters are written if they differ from their defaults. Throws InputError for a number that is not
/// finite and a path that is not UTF-8. The first of the lanes has the method of the scene.
std::string write_scene(const Scene& scene, std::span<const LaneMethod> lanes = {});
/// The same on one line.
std::string write_scene_line(const Scene& scene, std::span<const LaneMethod> lanes = {});
/// The fields of a method alone as a JSON object on one line.
std::string write_method(const Method& method);
/// A JSON number, from which the same double is read. Throws InputError for one that is not finite.
std::string json_number(double value);
/// A JSON list of three numbers.
std::string json_list(const vec3& v);
/// A JSON string. Throws InputError for text that is not UTF-8.
std::string json_text(std::string_view text);

/// Every key of a scene file: its own first, then the parameters' ids.
std::vector<std::string_view> scene_keys();

/// The value of a JSON text; a discarded value if the text is not JSON. Throws InputError if an object has a
/// key twice, or if values are nested too deeply for recursive copying and writing.
nlohmann::ordered_json parse_strict_json(std::string_view text);

/// Throws InputError: the key in quotes, and the fault of its value.
/// `of`: the words for the object that has the key, if it is not the scene.
[[noreturn]] void refuse_value(std::string_view key, const std::string& what, std::string_view of = {});
/// Reads the value of a key, which is named as by refuse_value. Throws InputError for another type.
void read_json(std::string_view key, const nlohmann::json& value, double& to, std::string_view of = {});
void read_json(std::string_view key, const nlohmann::json& value, bool& to, std::string_view of = {});
void read_json(std::string_view key, const nlohmann::json& value, std::string& to, std::string_view of = {});
void read_json(std::string_view key, const nlohmann::json& value, vec3& to, std::string_view of = {});

/// A JSON object and the words that name it in messages. `at`, `list` and `read` throw InputError for a
/// missing key; `list`, `read` and `read_if` for a value of another type.
class JsonMembers {
 public:
  using Names = std::vector<std::string_view>;

  /// Throws for a value other than an object, and for keys other than the `known` ones.
  JsonMembers(const nlohmann::json& object, std::string of, const Names& known);

  bool has(const char* key) const;
  const nlohmann::json& at(const char* key) const;
  const nlohmann::json& list(const char* key, const char* allowed) const;
  const std::string& of() const { return of_; }
  /// Throws unless exactly one of them is present.
  void need_one_of(const Names& keys) const;
  template <class T>
  void read(const char* key, T& to) const {
    read_json(key, at(key), to, of_);
  }
  template <class T>
  void read_if(const char* key, T& to) const {
    if (has(key)) read(key, to);
  }
  /// Throws: the value of the key must be `allowed`.
  [[noreturn]] void refuse(const char* key, const std::string& allowed) const {
    refuse_value(key, "must be " + allowed, of_);
  }

 private:
  const nlohmann::json& object_;
  std::string of_;
};

/// Throws InputError for a key that is not among the `known` ones, naming the nearest.
void check_key(std::string_view key, std::span<const std::string_view> known);

/// Replaces a value of an earlier version by its successor. Returns one sentence about it, empty if there was
/// nothing to replace.
std::string replace_retired_value(std::string_view key, nlohmann::json& value);

/// Sets the value of a key of a scene file: every key of scene_keys() but "initial-state". Throws
/// InputError for a value of the wrong type or out of its range.
void read_value(std::string_view key, const nlohmann::json& value, Scene& scene);

/// Reads the text of write_method; missing keys have their defaults. Throws InputError for a value that is
/// not an object, an unknown key, and a value that a scene file may not have.
Method method_from_json(const nlohmann::json& object);

/// An obstacle as scene files and journals have it: a text of parse_obstacle(), or an object with that as its
/// "body" and members that no text has. Throws InputError.
Obstacle read_obstacle(const nlohmann::json& value);
/// The text from which read_obstacle() reads the same obstacle, in one line.
std::string write_obstacle(const Obstacle& obstacle);

/// The same as an argument of a command: a text is without quotes.
Obstacle parse_obstacle_argument(std::string_view text);
std::string obstacle_argument(const Obstacle& obstacle);

/// "added-meshes" of a scene file. Throws InputError for a value of the wrong type, an unknown member, and as
/// check_added_meshes() does.
std::vector<AddedMesh> read_added_meshes(const nlohmann::json& value);
/// The text from which it reads the same; empty if there are none.
std::string write_added_meshes(const std::vector<AddedMesh>& meshes);
/// A mesh as an argument of a command, "x,y,z,scale,FILE" or a JSON object as above. Throws InputError.
AddedMesh parse_added_mesh(std::string_view text);
std::string added_mesh_argument(const AddedMesh& mesh);

/// "groups" and "drivers" of a scene file (docs/scene-format.md). Throw InputError for a value of the wrong
/// type and an unknown member; ranges and names are those of check_drivers().
std::vector<ParticleGroup> read_groups(const nlohmann::json& value);
std::vector<Driver> read_drivers(const nlohmann::json& value);
/// "seams" of a scene file. Throws InputError for a value of the wrong type, or seconds out of their range.
std::vector<Seam> read_seams(const nlohmann::json& value);
/// The texts from which they read the same; empty if there are none.
std::string write_seams(const std::vector<Seam>& seams);
std::string write_groups(const std::vector<ParticleGroup>& groups);
std::string write_drivers(const std::vector<Driver>& drivers);

/// {"name": "Heun", "a": [["0", "0"], ["1", "0"]], "b": ["1/2", "1/2"]}; cells are texts or numbers. The row
/// sums "c" may be given as well. Of a two-step method {"name", "alpha", "beta"}, for u₋₁, u0 and u1. Throws
/// InputError: what is wrong and what is allowed.
const TableauMethod& read_tableau(const nlohmann::json& object);
/// The same from the text of a file. `name`: of the file, for messages.
const TableauMethod& parse_tableau(std::string_view text, std::string_view name);

/// The text from which the same tableau is read, on one line.
std::string write_tableau(const Tableau& tableau);
/// The same, or the id of a preset.
std::string tableau_text(const Tableau& tableau);

/// Writes a command as an object of a journal (docs/scene-format.md), bit by bit: {"do": "set", "id": "dt",
/// "value": 0.01}, on one line; of a GoBack only the name.
std::string write_command(const Command& command);

/// The values of a scene; neither its mesh nor the state that it starts from.
std::string write_values(Scene scene);

/// Reads what write_command wrote, except a GoBack. Throws InputError with one sentence.
Command read_command(const nlohmann::ordered_json& object);

}  // namespace clothlab
