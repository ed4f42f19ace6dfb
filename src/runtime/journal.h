// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/stop_probe.h"
#include "runtime/checkpoint_file.h"
#include "runtime/scene_loader.h"
#include "sim/checkpoint.h"
#include "sim/command.h"

namespace clothlab {

/// Of all that a run has come to: positions, velocities and time, to the last bit.
std::uint64_t state_hash(const State& state);

/// All that was done to a run since it began: the scenes that were loaded and every command, each with the
/// number of steps before it. Repeated, it leads to the same bits (runtime/replay.h). For one thread; a copy
/// is another's.
class Journal {
 public:
  /// Steps from one hash of the state to the next.
  static constexpr std::uint64_t kStepsPerHash = 30;

  /// The run goes on with another scene, from its start or from its moment.
  void load(std::shared_ptr<const LoadedScene> loaded);

  /// The line of a command that is about to be carried out, with room for it: to be added once it is.
  std::string line_of(const Command& command);
  void add(const Command& command, const std::string& line) noexcept;
  /// A step was taken, whatever became of it.
  void stepped(const State& now);

  /// Where the run is now.
  const JournalPlace& place() const { return place_; }

  /// Whether the run since its start is more than its present values and steps: no command line but that of a
  /// replay leads there.
  bool needs_replay() const { return needs_replay_; }

  /// Writes the whole as a file (docs/scene-format.md), up to the state that it has come to. Throws
  /// InputError where the path cannot be written, or a mesh's name cannot be; SystemError.
  void write(const State& now, const std::filesystem::path& path) const;

 private:
  struct Section {
    std::uint64_t step = 0;
    std::shared_ptr<const LoadedScene> loaded;
    std::string lines;
  };
  std::vector<Section> sections_;
  JournalPlace place_;
  std::uint64_t start_ = 0;  // step of the last load or reset
  bool needs_replay_ = false;
};

/// One line of a journal that was read.
struct JournalEntry {
  struct Load {
    Scene scene;
    std::uint64_t mesh_hash = 0;
    std::shared_ptr<const CheckpointFile> moment;  ///< to go on from; null: from the start
  };
  struct GoTo {
    JournalPlace place;
  };
  struct StateHash {
    std::uint64_t value = 0;
  };
  std::uint64_t step = 0;  ///< steps before it
  using What = std::variant<Load, Command, GoTo, StateHash>;
  What what;
};

/// True when the name ends in `.journal`, in any case.
bool is_journal_file(const std::filesystem::path& path);

/// The entries of a journal, the first of them a Load. Throws InputError, naming file and line, for what is
/// no journal, one of another version, or one that is broken; SystemError, Cancelled. A relative path of a
/// mesh is taken from the folder of the journal.
std::vector<JournalEntry> read_journal(const std::filesystem::path& path, const StopProbe& stop = {});
/// The same of its text; a refusal begins with `name`.
std::vector<JournalEntry> parse_journal(std::string_view text, std::string_view name,
                                        const std::filesystem::path& folder, const StopProbe& stop = {});

}  // namespace clothlab
