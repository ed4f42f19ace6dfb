// SPDX-License-Identifier: MIT
#include "runtime/journaled_arena.h"

#include <string>
#include <utility>

#include "sim/command_rules.h"

namespace clothlab {

void JournaledArena::use(const LoadedScene& loaded, const std::vector<Command>& commands, WorkerPool& pool,
                         const StopProbe& stop) {
  auto made = std::make_unique<Simulation>(loaded.scene, loaded.mesh, pool, stop, loaded.model);
  if (loaded.moment) made->load(pool, *loaded.moment);
  auto arena = std::make_unique<Arena>(std::move(made));
  const LaneId first = arena->lanes().front().id;
  for (const Command& command : commands) arena->apply(pool, first, command);
  Journal journal = journal_;
  journal.load(loaded);
  for (const Command& command : commands) journal.add(command, journal.line_of(command));
  journal_ = std::move(journal);
  arena_ = std::move(arena);
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
  const std::string line = journal_.line_of(moment.place);
  arena_->go_back(pool, moment);
  journal_.add(line);
}

void JournaledArena::come_back(CatchUp run) {
  const std::string line = journal_.line_of(run.lane(), run.from(), run.simulation().scene());
  arena_->finish(std::move(run));
  journal_.add(line);
}

StepStatus JournaledArena::step(WorkerPool& pool, const StopProbe& stop, Arena::Clock clock) {
  const StepStatus status = arena_->step(pool, stop, clock);
  if (status != StepStatus::stopped) journal_.stepped(*arena_);
  return status;
}

void JournaledArena::save(WorkerPool& pool, Moment& to) const {
  arena_->save(pool, to);
  to.place = journal_.place();
}

}  // namespace clothlab
