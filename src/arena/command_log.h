// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/lane_id.h"
#include "sim/command.h"
#include "sim/scene.h"

namespace clothlab {

/// A new lane that continues from the present state of another one, with its method.
struct AddLane {
  LaneId lane = 0, from = 0;
};
struct RemoveLane {
  LaneId lane = 0;
};
/// The lane continues from the present state of another one, with its own method.
struct JoinLane {
  LaneId lane = 0, from = 0;
};
/// Freezes the lane while the others continue; not the last one that runs.
struct HoldLane {
  LaneId lane = 0;
};
using LaneCommand = std::variant<AddLane, RemoveLane, JoinLane, HoldLane>;

/// A moment of a session: the number of steps since its log began, whatever their outcome, and of the entries
/// after the last of them.
struct LogPosition {
  std::uint64_t step = 0;
  std::uint64_t commands = 0;
  auto operator<=>(const LogPosition&) const = default;
};

/// The run continues from a moment of the past.
struct GoTo {
  LogPosition position;
};
/// A lane, existing or new, becomes a run from a moment on with the method of this scene.
struct CaughtUp {
  LaneId lane = 0;
  LogPosition from;
  std::shared_ptr<const Scene> method;
  bool frozen = false;  ///< it is as it was at that moment
};
/// The hash of all lanes' states, for a replay to compare.
struct StateHash {
  std::uint64_t value = 0;
};

/// One entry of a log.
struct LogEntry {
  using What = std::variant<Command, LaneCommand, CaughtUp, GoTo, StateHash>;
  LogPosition position = {};        ///< before it
  std::optional<LaneId> lane = {};  ///< of a command to one of several lanes
  What what;
  std::uint64_t step = 0;  ///< Simulation::steps() where a catch-up repeats it
  /// After it the run continues from this earlier position, with these values of the world if they differ.
  struct Return {
    LogPosition to;
    std::shared_ptr<const Scene> world;  ///< null: those of then
  };
  std::optional<Return> back = {};
};

/// Everything that was done to the lanes of a run, in order. The journal of a session is this log as text
/// (documents/journal.h), and lanes that catch up repeat its changes of the world. Entries are only added:
/// where the run went back to the past, the branch that it left stays in the log.
///
///     entries   a   b   c   d   GoTo(after b)   e   f
///     branch    a   b           GoTo            e   f      what led to the present
///
/// Undo does not use it: it restores versions of the scene (session/edit_history.h), whatever was done to
/// the run.
class CommandLog {
 public:
  /// `needs_replay`: the start is more than a scene.
  explicit CommandLog(LogPosition begin = {}, bool needs_replay = false)
      : position_(begin), first_step_(begin.step), needs_replay_(needs_replay) {}

  const LogPosition& position() const { return position_; }
  std::span<const LogEntry> entries() const { return entries_; }
  /// True if anything but steps was done.
  bool has_commands() const { return has_commands_; }
  /// True if only a replay reproduces the present state: since the start there was more than changes of
  /// values before the first step.
  bool needs_replay() const { return needs_replay_; }

  /// Room for one more entry, so that add() cannot fail.
  void reserve();
  /// Adds an entry at the present position. A Reset begins a new branch.
  void add(LogEntry entry) noexcept;
  void count_step() noexcept { position_ = {position_.step + 1, 0}; }

  /// True if the branch passed through the position.
  bool has_passed(const LogPosition& position) const;
  /// Where the branch that leads to `end` was after the last change of the world at or before `step`.
  LogPosition last_at(std::uint64_t step, const LogPosition& end) const;
  /// The entries of the branch after a position that a catch-up repeats: changes of the world and returns.
  std::vector<std::size_t> changes_since(const LogPosition& position) const;
  static bool is_repeated(const LogEntry& entry);
  /// The reset with which the branch begins; none: it begins with the log.
  std::optional<std::size_t> last_reset() const;

 private:
  std::size_t count_before(const LogPosition& position) const;

  std::vector<LogEntry> entries_;
  std::vector<std::size_t> returns_;  // entries after which the branch jumps
  LogPosition position_;
  std::uint64_t first_step_ = 0;  // position's step at the start or the last reset
  bool has_commands_ = false;
  bool needs_replay_ = false;
};

}  // namespace clothlab
