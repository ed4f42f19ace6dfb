// SPDX-License-Identifier: MIT
#include "documents/scene_file.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/body_file.h"
#include "documents/bundle.h"
#include "io/output_file.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

std::string in_mebibytes(std::size_t bytes) {
  return format_plain(static_cast<double>(bytes) / (1 << 20)) + " MiB";
}

fs::path nearest_path(const fs::path& mesh, const fs::path& scene_file) {
  const fs::path whole = fs::absolute(mesh);
  const fs::path near = whole.lexically_relative(fs::absolute(scene_file).parent_path());
  const bool below = !near.empty() && *near.begin() != "..";
  return below ? near : whole;
}

/// `mesh`, which a file in this folder names; an absolute path stays. Throws InputError if the folder is in a
/// bundle and `mesh` is not.
fs::path from_folder(const fs::path& folder, const fs::path& mesh) {
  const bool leaves = mesh.is_absolute() || std::ranges::find(mesh, fs::path("..")) != mesh.end();
  if (leaves && path_in_bundle(folder / "mesh"))
    throw InputError(shown_path(folder) + " names the mesh " + shown_path(mesh) +
                     ", which is not in the bundle.");
  return folder / mesh;
}

using Json = nlohmann::ordered_json;

/// Replaces the text of a summary by the text of its scene.
std::optional<SummarizedRun> take_scene_of_summary(std::string& text, const std::string& name) {
  if (text.find(std::string("\"") + kSummaryKey + "\"") == std::string::npos) return std::nullopt;
  const auto refuse = [&](const std::string& what) { throw InputError(name + ": " + what); };
  Json summary;
  try {
    summary = parse_strict_json(text);
  } catch (const InputError& error) {
    refuse(error.what());
  }
  if (!summary.is_object() || !summary.contains(kSummaryKey)) return std::nullopt;
  if (summary[kSummaryKey] != kSummaryVersion)
    refuse("this program reads summaries of version " + std::to_string(kSummaryVersion) + " only.");
  for (const char* origin : {"checkpoint", "journal"})
    if (const auto found = summary.find(origin); found != summary.end() && !found->is_null()) {
      const Json command = summary.value("command", Json());
      refuse(std::string("this run continued from a ") + origin + ", not from its scene" +
             (command.is_string() ? "; it was: " + printable(command.get<std::string>()) : std::string(".")));
    }
  if (!summary.value("scene", Json()).is_object() || !summary.value("steps", Json()).is_number_unsigned())
    refuse("the summary has no \"scene\" with \"steps\" to repeat.");
  text = summary["scene"].dump();
  SummarizedRun run{.steps = summary["steps"].get<std::uint64_t>()};
  if (const Json blow_up = summary.value("blow_up", Json());
      blow_up.is_object() && blow_up.value("step", Json()).is_number_unsigned())
    run.steps = std::max(run.steps, blow_up["step"].get<std::uint64_t>());
  const Json mesh = summary.value("mesh", Json());
  if (mesh.is_object() && mesh.value("hash", Json()).is_string())
    run.mesh_hash = mesh["hash"].get<std::string>();
  for (const Json& hash : summary.value("obstacle_meshes", Json::array()))
    if (hash.is_string()) run.obstacle_hashes.push_back(hash.get<std::string>());
  return run;
}

}  // namespace

FileKind kind_of(const fs::path& path) {
  constexpr std::array<std::pair<std::string_view, FileKind>, 6> kKinds{
      {{".json", FileKind::scene},
       {".obj", FileKind::mesh},
       {".checkpoint", FileKind::checkpoint},
       {".journal", FileKind::journal},
       {kSessionEnding, FileKind::journal},
       {kBundleEnding, FileKind::bundle}}};
  const std::string ending = lower_case(utf8_of(BodyFile(path).file.extension()));
  const auto* const found = std::ranges::find(kKinds, ending, [](const auto& kind) { return kind.first; });
  return found == kKinds.end() ? FileKind::other : found->second;
}

Scene read_scene_file(const fs::path& named, const StopProbe& stop, SceneExtras* extras,
                      std::optional<SummarizedRun>* summary) {
  const fs::path path = part_of_bundle(named, kBundledScene, stop);
  std::string text = read_text_file(path, kMaxSceneBytes, {stop, {}});
  std::optional<SummarizedRun> run = take_scene_of_summary(text, shown_path(path));
  if (summary != nullptr) *summary = std::move(run);
  Scene scene = parse_scene(text, shown_path(path), stop, extras);
  change_paths(scene, [&](const fs::path& mesh) { return from_folder(path.parent_path(), mesh); });
  return scene;
}

Scene scene_from_path(const fs::path& path, const StopProbe& stop, SceneExtras* extras) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::scene || kind == FileKind::bundle) return read_scene_file(path, stop, extras);
  if (kind == FileKind::journal)
    throw InputError(shown_path(path) + " is a journal: `clothlab replay` repeats it.");
  if (kind != FileKind::mesh)
    throw InputError(
        shown_path(path) +
        " is neither a mesh (.obj), a scene (.json), a checkpoint (.checkpoint) nor a bundle (.clothlab).");
  Scene scene;
  scene.title = printable(utf8_of(path.stem()), kLongestTitle);
  scene.mesh = FileSource{utf8_of(path)};
  return scene;
}

std::vector<fs::path> files_of(std::span<const Obstacle> bodies) {
  std::vector<fs::path> files;
  for (const Obstacle& body : bodies)
    if (body.mesh.path)
      std::ranges::move(BodyFile(path_of(*body.mesh.path)).files(), std::back_inserter(files));
  return files;
}

std::vector<fs::path> files_of(const Scene& scene) {
  std::vector<fs::path> files = files_of(scene.obstacles.bodies);
  if (const auto* mesh = std::get_if<FileSource>(&scene.mesh))
    files.push_back(BodyFile(path_of(mesh->path)).file);
  for (const AddedMesh& mesh : scene.added_meshes) files.push_back(BodyFile(path_of(mesh.path)).file);
  return files;
}

fs::path moved_to(const fs::path& folder, const fs::path& mesh) {
  const fs::path moved = folder / (mesh.has_filename() ? mesh : mesh.parent_path()).filename();  // "walk/"
  return BodyFile(moved).exists() ? moved : mesh;
}

fs::path MeshSearch::find(const fs::path& mesh) const {
  const fs::path named = from_folder(folder, mesh);
  const fs::path found = moved.empty() ? named : moved_to(moved, named);
  return found != named || BodyFile(named).exists() ? found : moved_to(folder, named);
}

void change_path(Obstacle& body, const PathChange& change) {
  if (body.mesh.path)
    body.mesh.path = std::make_shared<const std::string>(utf8_of(change(path_of(*body.mesh.path))));
}

void change_paths(Scene& scene, const PathChange& change) {
  if (auto* file = std::get_if<FileSource>(&scene.mesh)) file->path = utf8_of(change(path_of(file->path)));
  for (AddedMesh& mesh : scene.added_meshes) mesh.path = utf8_of(change(path_of(mesh.path)));
  for (Obstacle& body : scene.obstacles.bodies) change_path(body, change);
}

std::size_t save_scene_file(Scene scene, std::span<const LaneMethod> lanes, const fs::path& path,
                            std::size_t max_bytes) {
  check_replaceable(path);
  change_paths(scene,
               [&](const fs::path& mesh) { return fs::path(nearest_path(mesh, path).generic_u8string()); });
  const std::string text = write_scene(scene, lanes);
  if (text.size() > max_bytes)
    throw InputError("cannot write " + shown_path(path) + ": the scene takes " + in_mebibytes(text.size()) +
                     ", and a scene file may have " + in_mebibytes(max_bytes));
  SceneExtras read;
  const Scene again = parse_scene(text, shown_path(path), {}, &read);
  if (write_scene(again, read.lanes) != text)
    throw SystemError("cannot write " + shown_path(path) + ": the scene would change when it is read again");
  write_file(path, text);
  if (read_text_file(path, kMaxSceneBytes) != text)
    throw SystemError(shown_path(path) + " does not contain what was written to it");
  return text.size();
}

}  // namespace clothlab
