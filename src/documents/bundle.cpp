// SPDX-License-Identifier: MIT
#include "documents/bundle.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/about.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/body_file.h"
#include "documents/checkpoint_file.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "documents/scene_loader.h"
#include "io/output_file.h"
#include "mesh/obj_reader.h"
#include "mesh/point_cache.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr int kBundleVersion = 1;
constexpr const char* kVersionKey = "clothlab-bundle";
constexpr std::size_t kMaxManifestBytes = std::size_t{16} << 20;

/// The most bytes that a file of a bundle may have: those that its reader accepts.
std::size_t most_bytes(std::string_view name) {
  if (name == kBundledScene) return kMaxSceneBytes;
  const bool is_large =
      name == kBundledMoment || name == kBundledJournal || lower_case(name).ends_with(".pc2");
  return is_large ? kMaxPointCacheBytes : kMaxObjBytes;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found;  // reading it reports the error
}

/// An absolute path without "..", which after a link leads elsewhere than the text of the path.
fs::path resolved(const fs::path& named) {
  fs::path path = fs::absolute(named);
  if (!path.has_filename()) path = path.parent_path();  // "walk/"
  if (const auto inside = path_in_bundle(path))
    return (without_links(inside->bundle) / path_of(inside->name)).lexically_normal();
  if (path.filename() == "..") return without_links(path);
  return without_links(path.parent_path()) / path.filename();
}

/// The mesh files of a bundle and their names in it. Files of one folder stay together.
class BundledMeshes {
 public:
  explicit BundledMeshes(fs::path target) : target_(resolved(target)) {
    if (type_of(target_) != fs::file_type::regular) return;
    try {
      for (const Archive::Entry& entry : Archive(target_).entries())
        reserved_.insert(entry.name.substr(0, entry.name.find('/')));
    } catch (const InputError&) {  // it is replaced and no mesh comes from it
    }
  }

  /// The path in the bundle of a mesh of cloth or obstacle (see BodyFile), whose files it adds.
  fs::path add(const fs::path& mesh) {
    const fs::path path = resolved(mesh);
    const std::string& folder = name_of(path.parent_path());
    for (const fs::path& file : BodyFile(path).files())
      files_[folder + "/" + utf8_of(file.lexically_relative(path.parent_path()).generic_u8string())] = file;
    return path_of(folder) / path.filename();
  }

  /// Paths on the disk by name in the bundle.
  const std::map<std::string, fs::path>& files() const { return files_; }

 private:
  /// "meshes", "meshes-2", ... A run that came from the bundle that is replaced keeps its names.
  const std::string& name_of(const fs::path& folder) {
    std::string& name = folders_[folder];
    const auto inside = path_in_bundle(folder);
    if (name.empty() && inside && inside->bundle == target_) name = inside->name;
    for (int k = 1; name.empty(); ++k) {
      const std::string next = k == 1 ? "meshes" : "meshes-" + std::to_string(k);
      if (reserved_.insert(next).second) name = next;
    }
    return name;
  }

  fs::path target_;
  std::set<std::string> reserved_;
  std::map<fs::path, std::string> folders_;
  std::map<std::string, fs::path> files_;
};

/// Throws InputError if a mesh on the disk is not the one of the run.
void check_meshes(const BundledRun& run, const StopProbe& stop) {
  const Scene& present = *run.moment.lanes.front().checkpoint->scene;
  Scene scene = present;
  for (Obstacle& body : scene.obstacles.bodies) {
    body.mesh.surface = nullptr;
    body.mesh.frames = nullptr;
  }
  SceneLoadOptions options;
  options.stop = stop;
  const LoadedScene again = load_scene(std::move(scene), options);
  check_mesh_fingerprint(present, *again.mesh, fingerprint(run.mesh));
  check_mesh_fingerprints(again.scene.obstacles.bodies, mesh_fingerprints(present.obstacles.bodies));
}

nlohmann::json description(std::size_t bytes, std::uint64_t hash) {
  return {{"bytes", bytes}, {"hash", hex_digits(hash)}};
}

std::uint64_t fingerprint_in(const Archive& bundle, std::string_view name, const StopProbe& stop) {
  Hash hash;
  bundle.read_parts(name, most_bytes(name), {stop, {}}, [&](std::string_view part) { add_part(hash, part); });
  return hash.value();
}

}  // namespace

void write_bundle(const BundledRun& run, const fs::path& path, const StopProbe& stop) {
  check_replaceable(path);
  check_meshes(run, stop);
  BundledMeshes meshes(path);
  const PathChange stored = [&](const fs::path& mesh) { return meshes.add(mesh); };
  std::vector<ArchivedFile> files(1);  // the manifest is the first
  files.push_back({std::string(kBundledScene), scene_text(run.moment, stored)});
  files.push_back({std::string(kBundledMoment), checkpoint_bytes(run.moment, run.mesh, stored)});
  files.push_back({std::string(kBundledJournal), run.journal.text(run.log, run.now, stored)});
  {
    const KeepBundleOpen keep;  // not while it is replaced
    for (const auto& [name, file] : meshes.files())
      files.push_back({name, read_text_file(file, most_bytes(name), {stop, {}})});
  }
  nlohmann::ordered_json manifest{{kVersionKey, kBundleVersion},
                                  {"program", program_version()},
                                  {"commit", program_commit()},
                                  {"files", nlohmann::ordered_json::object()}};
  for (const ArchivedFile& file : std::span(files).subspan(1)) {
    if (file.bytes.size() > most_bytes(file.name))
      throw InputError("cannot write " + shown_path(path) + ": its " + printable(file.name) +
                       " would have more than the " + std::to_string(most_bytes(file.name) >> 20) +
                       " MiB that are allowed");
    manifest["files"][file.name] = description(file.bytes.size(), fingerprint(std::string_view(file.bytes)));
  }
  try {
    files.front() = {std::string(kManifestName), manifest.dump(1) + '\n'};
  } catch (const nlohmann::json::exception&) {
    throw InputError("cannot write " + shown_path(path) + ": the name of a mesh is not UTF-8");
  }
  write_file(path, archive_bytes(files));
}

void check_bundle(const Archive& bundle, std::string_view name, const StopProbe& stop) {
  const auto refuse = [&](const std::string& what) { throw InputError(std::string(name) + ": " + what); };
  if (!bundle.has(kManifestName)) refuse("this is not a bundle of the window: it has no manifest.json.");
  nlohmann::json manifest;
  try {
    manifest = parse_strict_json(bundle.read(kManifestName, kMaxManifestBytes, {stop, {}}));
  } catch (const InputError& error) {
    refuse(std::string("manifest.json: ") + error.what());
  }
  if (!manifest.is_object() || !manifest.value(kVersionKey, nlohmann::json()).is_number_integer())
    refuse("manifest.json has no version.");
  if (manifest[kVersionKey] != kBundleVersion)
    refuse("this program reads bundles of version " + std::to_string(kBundleVersion) + ".");
  const nlohmann::json files = manifest.value("files", nlohmann::json());
  if (!files.is_object() || files.size() + 1 != bundle.entries().size())
    refuse("manifest.json does not list the files of the bundle.");
  const auto require_same = [&](const Archive::Entry& entry, bool same) {
    if (!same) refuse("\"" + entry.name + "\" has changed since the bundle was saved.");
  };
  for (const Archive::Entry& entry : bundle.entries()) {  // all sizes before the first file is unpacked
    if (entry.name == kManifestName) continue;
    const auto found = files.find(entry.name);
    if (found == files.end()) refuse("manifest.json does not list \"" + entry.name + "\".");
    require_same(entry, found->is_object() && found->value("bytes", nlohmann::json()) == entry.bytes);
    if (entry.bytes > most_bytes(entry.name))
      refuse("\"" + entry.name + "\" has more than the " + std::to_string(most_bytes(entry.name) >> 20) +
             " MiB that are allowed.");
  }
  for (const Archive::Entry& entry : bundle.entries())
    if (entry.name != kManifestName)
      require_same(entry,
                   files[entry.name] == description(entry.bytes, fingerprint_in(bundle, entry.name, stop)));
}

fs::path part_of_bundle(const fs::path& path, std::string_view part, const StopProbe& stop) {
  if (kind_of(path) != FileKind::bundle || type_of(path) != fs::file_type::regular) return path;
  const Archive bundle(path, stop);
  check_bundle(bundle, shown_path(path), stop);
  if (!bundle.has(part))
    throw InputError(shown_path(path) + ": the bundle has no " + std::string(part) + ".");
  return path / path_of(part);
}

}  // namespace clothlab
