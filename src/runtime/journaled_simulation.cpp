// SPDX-License-Identifier: MIT
#include "runtime/journaled_simulation.h"

#include <string>
#include <utility>

namespace clothlab {

void JournaledSimulation::use(const LoadedScene& loaded, const std::vector<Command>& commands,
                              WorkerPool& pool, const StopProbe& stop) {
  auto made = std::make_unique<Simulation>(loaded.scene, loaded.mesh, pool, stop, loaded.model);
  if (loaded.moment) made->load(pool, *loaded.moment);
  for (const Command& command : commands) made->apply(pool, command);
  Journal journal = journal_;
  journal.load(loaded);
  for (const Command& command : commands) journal.add(command, journal.line_of(command));
  journal_ = std::move(journal);
  simulation_ = std::move(made);
}

void JournaledSimulation::apply(WorkerPool& pool, const Command& command) {
  const std::string line = journal_.line_of(command);
  simulation_->apply(pool, command);
  journal_.add(command, line);
}

StepStatus JournaledSimulation::step(WorkerPool& pool, const StopProbe& stop) {
  const StepStatus status = simulation_->step(pool, stop);
  if (status != StepStatus::stopped) journal_.stepped(simulation_->state());
  return status;
}

void JournaledSimulation::save(WorkerPool& pool, Checkpoint& to) const {
  simulation_->save(pool, to);
  to.place = journal_.place();
}

}  // namespace clothlab
