// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arena/arena.h"
#include "core/stop_probe.h"
#include "documents/checkpoint_file.h"
#include "documents/scene_file.h"
#include "documents/scene_loader.h"
#include "sim/checkpoint.h"
#include "sim/command.h"

namespace clothlab {

/// Everything that was done in a session: the loaded scenes, each with the log of its run. Replaying it gives
/// the same bits (documents/replay.h). For one thread; copy it for another.
class Journal {
 public:
  /// Arena::Options::steps_per_hash of its runs.
  static constexpr std::uint64_t kStepsPerHash = 30;

  /// Another scene replaces the current one, whose log is `before`, from its start or its moment. Before the
  /// first command it replaces the whole journal. Returns the log with which its run
  /// begins.
  CommandLog load(const LoadedScene& loaded, const CommandLog& before = CommandLog());

  /// Writes the journal to a file (docs/scene-format.md), with `run`, the log of the current scene, and the
  /// hash of its state, `now`, at its end. Throws InputError if the path is not writable or the name of a
  /// mesh is not UTF-8; SystemError.
  void write(const CommandLog& run, std::uint64_t now, const std::filesystem::path& path) const;
  /// The same as text, with other paths of meshes.
  std::string text(const CommandLog& run, std::uint64_t now, const PathChange& stored) const;

 private:
  /// The contents of a load line, without the mesh.
  struct Start {
    Scene scene;  // with its obstacles' triangles
    std::vector<LaneMethod> lanes;
    std::uint64_t mesh_hash = 0;
    std::shared_ptr<const Moment> moment;
  };
  struct Section {
    std::uint64_t step = 0;
    std::shared_ptr<const Start> start;
    std::shared_ptr<const CommandLog> log;  // of a scene that another one replaced
  };
  static std::string load_line(const Section& section, const PathChange& stored);

  std::vector<Section> sections_;
};

/// The first lines of a journal that begins at a moment of a run: its version, with the step of the run, and
/// its load.
std::string begin_journal(const LoadedScene& loaded, const Moment& moment);
/// Further lines of it: entries of the log of the run, none of which refers to the past, and the hash of the
/// state at `end`. `begin` is the position of the moment.
std::string continue_journal(std::span<const LogEntry> entries, const LogPosition& begin,
                             const LogPosition& end, std::uint64_t state);

/// What such a journal is about.
struct JournalSummary {
  Scene scene;                    ///< at its start, without the triangles of obstacles
  std::vector<LaneMethod> lanes;  ///< LoadedScene::lanes
  std::uint64_t steps = 0;        ///< of the run, at its end
  /// Bytes of its complete lines: a program that was killed may leave a part of the last one.
  std::size_t complete = 0;
};
/// Throws InputError if the file is not a journal with a load; SystemError, Cancelled.
JournalSummary summarize_journal(const std::filesystem::path& path, const StopProbe& stop = {});

/// One line of a journal that was read.
struct JournalEntry {
  struct Load {
    Scene scene;
    std::vector<LaneMethod> lanes;  ///< LoadedScene::lanes
    std::uint64_t mesh_hash = 0;
    /// mesh_fingerprints() of the scene's obstacles; none in files of earlier versions.
    std::optional<std::vector<std::uint64_t>> obstacle_hashes;
    std::shared_ptr<const CheckpointFile> moment;  ///< to continue from; null: from the start
  };
  std::uint64_t step = 0;      ///< steps before it
  std::optional<LaneId> lane;  ///< of a command to one lane; none: the only one
  using What = std::variant<Load, Command, LaneCommand, CaughtUp, GoTo, StateHash>;
  What what;
};

/// All files that the entries name: meshes of cloth and of obstacles.
std::vector<std::filesystem::path> files_of(std::span<const JournalEntry> entries);

/// Reads the entries of a journal, or of the one in a bundle; the first is a Load. Throws InputError, with
/// file and line, for a file that is not a journal, of another version or damaged; SystemError, Cancelled.
/// MeshSearch finds the meshes of cloth and obstacles; `moved` is the folder that the user names.
std::vector<JournalEntry> read_journal(const std::filesystem::path& path, const StopProbe& stop = {},
                                       const std::filesystem::path& moved = {});
/// The same of its text; a refusal begins with `name`.
std::vector<JournalEntry> parse_journal(std::string_view text, std::string_view name,
                                        const MeshSearch& meshes, const StopProbe& stop = {});

}  // namespace clothlab
