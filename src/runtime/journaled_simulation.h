// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "runtime/journal.h"
#include "sim/simulation.h"

namespace clothlab {

/// A simulation, replaced at every load, and the journal of the session. Loads, commands and steps go through
/// this class, so that nothing changes a run without a line in the journal.
class JournaledSimulation {
 public:
  /// Replaces the simulation by one of this scene, from its start or its moment, and applies the commands.
  /// Throws as Simulation does, with nothing changed.
  void use(const LoadedScene& loaded, const std::vector<Command>& commands, WorkerPool& pool,
           const StopProbe& stop = {});

  void apply(WorkerPool& pool, const Command& command);
  StepStatus step(WorkerPool& pool, const StopProbe& stop = {});
  /// Simulation::save, with the moment's place in the journal.
  void save(WorkerPool& pool, Checkpoint& to) const;

  const Simulation& operator*() const { return *simulation_; }
  const Simulation* operator->() const { return simulation_.get(); }
  const Journal& journal() const { return journal_; }

 private:
  std::unique_ptr<Simulation> simulation_;
  Journal journal_;
};

}  // namespace clothlab
