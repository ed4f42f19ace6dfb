// SPDX-License-Identifier: MIT
#include "session/journaled_arena.h"

#include <string>
#include <utility>

#include "sim/command_rules.h"
#include "sim/parameters.h"

namespace clothlab {

void JournaledArena::use(const LoadedScene& loaded, const LaneScenes& lanes, WorkerPool& pool,
                         const StopProbe& stop) {
  JournaledArena next;
  next.arena_ = std::make_unique<Arena>(lanes_of(loaded, pool, stop));
  next.journal_ = journal_;
  next.journal_.load(loaded);
  const auto first = [&] { return next.arena_->lanes().front().id; };
  std::vector<LaneId> loaded_lanes;
  for (const Lane& lane : next.arena_->lanes()) loaded_lanes.push_back(lane.id);
  if (loaded.moment) next.apply(pool, first(), Release{});
  for (const LaneScene& each : lanes)
    if (next.arena_->find(each.lane) == nullptr) next.apply(pool, AddLane{each.lane, first()});
  for (const LaneId lane : loaded_lanes)
    if (!find_scene(lanes, lane)) next.apply(pool, RemoveLane{lane});
  for (const LaneScene& each : lanes) next.set_scene(pool, each);
  *this = std::move(next);
}

void JournaledArena::set_scene(WorkerPool& pool, const LaneScene& lane) {
  if (!have_same_values((*arena_)[lane.lane].scene(), *lane.scene))
    apply(pool, lane.lane, SetScene{lane.scene});
}

void JournaledArena::apply(WorkerPool& pool, LaneId lane, const Command& command) {
  const bool names_lane =
      !arena_->is_alone() && (is_of_method(command) || std::holds_alternative<SetScene>(command));
  const std::string line = journal_.line_of(command, names_lane ? std::optional(lane) : std::nullopt);
  arena_->apply(pool, lane, command);
  journal_.add(command, line);
}

void JournaledArena::apply(WorkerPool& pool, const LaneCommand& command) {
  const std::string line = journal_.line_of(command);
  arena_->apply(pool, command);
  journal_.add(line);
}

void JournaledArena::go_back(WorkerPool& pool, const Moment& moment) {
  const std::string line = journal_.line_of(moment.position);
  arena_->go_back(pool, moment);
  journal_.add(line);
}

void JournaledArena::finish_catch_up(CatchUp run) {
  const std::string line = journal_.line_of(run.lane(), run.from(), run.simulation().scene());
  arena_->finish(std::move(run));
  journal_.add(line);
}

void JournaledArena::restore_frozen(WorkerPool& pool, LaneId lane, const Scene& method,
                                    const Moment& moment) {
  const std::string line = journal_.line_of(lane, moment.position, method, true);
  arena_->restore_frozen(pool, lane, method, moment);
  journal_.add(line);
}

StepStatus JournaledArena::step(WorkerPool& pool, const StopProbe& stop, Arena::Clock clock) {
  const StepStatus status = arena_->step(pool, stop, clock);
  if (status != StepStatus::stopped) journal_.stepped(*arena_);
  return status;
}

void JournaledArena::save(WorkerPool& pool, Moment& to) const {
  arena_->save(pool, to);
  to.position = journal_.position();
}

}  // namespace clothlab
