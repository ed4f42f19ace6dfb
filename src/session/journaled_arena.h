// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "arena/arena.h"
#include "documents/journal.h"
#include "session/lane_scenes.h"

namespace clothlab {

/// The lanes, replaced at every load, and the journal of the session. Loads, commands and steps go through
/// this class, so that nothing changes a run without a line in the journal.
class JournaledArena {
 public:
  /// Replaces the lanes by these of a scene, from its start or its moment. At its moment there is no grab.
  /// Throws as Simulation does, with nothing changed.
  void use(const LoadedScene& loaded, const LaneScenes& lanes, WorkerPool& pool, const StopProbe& stop = {});

  /// Applies SetScene if the lane has other values.
  void set_scene(WorkerPool& pool, const LaneScene& lane);
  void apply(WorkerPool& pool, LaneId lane, const Command& command);
  void apply(WorkerPool& pool, const LaneCommand& command);
  void go_back(WorkerPool& pool, const Moment& moment);
  /// The run has caught up.
  void finish_catch_up(CatchUp run);
  void restore_frozen(WorkerPool& pool, LaneId lane, const Scene& method, const Moment& moment);
  StepStatus step(WorkerPool& pool, const StopProbe& stop = {}, Arena::Clock clock = nullptr);
  /// Arena::save, with the moment's position in the journal.
  void save(WorkerPool& pool, Moment& to) const;

  const Arena& operator*() const { return *arena_; }
  const Arena* operator->() const { return arena_.get(); }
  const Journal& journal() const { return journal_; }

 private:
  std::unique_ptr<Arena> arena_;
  Journal journal_;
};

}  // namespace clothlab
