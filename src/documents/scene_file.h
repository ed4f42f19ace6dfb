// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/stop_probe.h"
#include "sim/scene.h"
#include "sim/scene_json.h"

namespace clothlab {

/// The ending of the file of a session (session/session_journal.h).
inline constexpr const char* kSessionEnding = ".session";

/// The kind of a file by the ending of its name, in any case: .json, .obj, .checkpoint, .journal, .clothlab;
/// .session is a journal too.
enum class FileKind { scene, mesh, checkpoint, journal, bundle, other };
FileKind kind_of(const std::filesystem::path& path);

/// The largest scene file, read or written [byte].
inline constexpr std::size_t kMaxSceneBytes = std::size_t{64} << 20;

/// The data of a run in a summary in addition to its scene.
struct SummarizedRun {
  std::uint64_t steps = 0;                        ///< with the one that blew up
  std::string mesh_hash = {};                     ///< hex_digits; empty if the summary has none
  std::vector<std::string> obstacle_hashes = {};  ///< the same of the obstacles that are meshes
};

/// A scene file (sim/scene_json.h), the one in a bundle, or a summary of `simulate`, whose scene it is then.
/// Relative paths in it become relative to its own folder. `extras`: see parse_scene; `summary` receives the
/// further data of the run. Throws InputError, also for the summary of a run that did not start from its
/// scene; SystemError, Cancelled.
Scene read_scene_file(const std::filesystem::path& path, const StopProbe& stop = {},
                      SceneExtras* extras = nullptr, std::optional<SummarizedRun>* summary = nullptr);

/// The member that summaries have, and its value.
inline constexpr const char* kSummaryKey = "clothlab-summary";
inline constexpr int kSummaryVersion = 1;

/// The scene that a file name means: `.json` is a scene file, `.clothlab` a bundle with one, `.obj` a mesh
/// with every default. Throws InputError for any other extension; an OBJ file is not opened yet.
Scene scene_from_path(const std::filesystem::path& path, const StopProbe& stop = {},
                      SceneExtras* extras = nullptr);

/// All files that a scene names, of its mesh and of obstacles.
std::vector<std::filesystem::path> files_of(const Scene& scene);
std::vector<std::filesystem::path> files_of(std::span<const Obstacle> bodies);
/// The file of the same name in `folder` if it exists, otherwise `mesh`.
std::filesystem::path moved_to(const std::filesystem::path& folder, const std::filesystem::path& mesh);

/// Finds the mesh files that a scene, a checkpoint or a journal names.
struct MeshSearch {
  std::filesystem::path folder = {};  ///< of the file that names them
  std::filesystem::path moved = {};   ///< the folder that the user names; empty: none

  /// The first that exists: the file of that name in the user's folder, `mesh` from `folder`, the file of
  /// that name in `folder`. If none exists, `mesh` from `folder`. Throws InputError if a bundle names a mesh
  /// outside of it.
  std::filesystem::path find(const std::filesystem::path& mesh) const;
};

using PathChange = std::function<std::filesystem::path(const std::filesystem::path&)>;
/// Gives the file of an obstacle that is a mesh another path.
void change_path(Obstacle& body, const PathChange& change);
/// Gives all files that a scene names, of its mesh and of obstacles, other paths.
void change_paths(Scene& scene, const PathChange& change);

/// Writes a scene file with its lanes. Refuses, before writing, a scene that would not be read back unchanged
/// or has more than `max_bytes`. Paths of meshes in or below the file's folder become relative to it, so that
/// the files can move together. Returns the file's size [byte]. Throws InputError, SystemError.
std::size_t save_scene_file(Scene scene, std::span<const LaneMethod> lanes, const std::filesystem::path& path,
                            std::size_t max_bytes = kMaxSceneBytes);

}  // namespace clothlab
