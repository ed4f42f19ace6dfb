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

/// Everything that was done in a session: the loaded scenes and all commands, each with the number of steps
/// before it. Replaying it gives the same bits (documents/replay.h). For one thread; copy it for another.
class Journal {
 public:
  /// Steps from one hash of the state to the next.
  static constexpr std::uint64_t kStepsPerHash = 30;

  /// Another scene replaces the current one, from its start or its moment. Before the first command it
  /// replaces the whole journal.
  void load(const LoadedScene& loaded);

  /// The line of a command, and reserves memory for it, so that add() after the command cannot fail. `lane`:
  /// for a command that does not act on all of several lanes.
  std::string line_of(const Command& command, std::optional<LaneId> lane = {});
  std::string line_of(const LaneCommand& command);
  /// The line of a return to a moment.
  std::string line_of(const JournalPosition& moment);
  /// That of a lane that has caught up from a moment, or was restored as it was frozen then, with the method
  /// of this scene.
  std::string line_of(LaneId lane, const JournalPosition& from, const Scene& method, bool frozen = false);
  void add(const Command& command, const std::string& line) noexcept;
  void add(const std::string& line) noexcept;
  /// Counts a step; a blown-up step counts as well.
  void stepped(const Arena& now);

  /// The current position.
  const JournalPosition& position() const { return position_; }

  /// True if only a replay reproduces the current state: since the start there was more than changes of
  /// values before the first step.
  bool needs_replay() const { return needs_replay_; }

  /// Writes the journal to a file (docs/scene-format.md), with the hash of the current state, `now`, at its
  /// end. Throws InputError if the path is not writable or the name of a mesh is not UTF-8; SystemError.
  void write(std::uint64_t now, const std::filesystem::path& path) const;

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
    std::string lines;
  };
  static std::string load_line(const Section& section);
  std::string kept_room_for(std::string line);

  std::vector<Section> sections_;
  JournalPosition position_;
  std::uint64_t start_ = 0;  // step of the last load or reset
  bool has_commands_ = false;
  bool needs_replay_ = false;
};

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
  struct GoTo {
    JournalPosition position;
  };
  struct StateHash {
    std::uint64_t value = 0;
  };
  /// A lane, existing or new, becomes a run from a moment on with the method of this scene.
  struct CaughtUp {
    LaneId lane = 0;
    JournalPosition from;
    std::shared_ptr<const Scene> method;
    bool frozen = false;  ///< it is as it was at that moment
  };
  std::uint64_t step = 0;      ///< steps before it
  std::optional<LaneId> lane;  ///< of a command to one lane; none: the only one
  using What = std::variant<Load, Command, LaneCommand, CaughtUp, GoTo, StateHash>;
  What what;
};

/// All files that the entries name: meshes of cloth and of obstacles.
std::vector<std::filesystem::path> files_of(std::span<const JournalEntry> entries);

/// True when the name ends in `.journal`, in any case.
bool is_journal_file(const std::filesystem::path& path);

/// Reads the entries of a journal; the first is a Load. Throws InputError, with file and line, for a file
/// that is not a journal, of another version or damaged; SystemError, Cancelled. MeshSearch finds the meshes
/// of cloth and obstacles; `moved` is the folder that the user names.
std::vector<JournalEntry> read_journal(const std::filesystem::path& path, const StopProbe& stop = {},
                                       const std::filesystem::path& moved = {});
/// The same of its text; a refusal begins with `name`.
std::vector<JournalEntry> parse_journal(std::string_view text, std::string_view name,
                                        const MeshSearch& meshes, const StopProbe& stop = {});

}  // namespace clothlab
