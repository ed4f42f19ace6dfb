// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "runtime/journal.h"
#include "sim/simulation.h"

namespace clothlab {

/// A run, from one scene to the next, and the journal of all that is done to it: what is done goes through
/// here, and only that.
class JournaledSimulation {
 public:
  /// Goes on with another scene, or with the moment of it that was loaded, after these commands. Throws as
  /// Simulation does, with nothing changed.
  void use(std::shared_ptr<const LoadedScene> loaded, const std::vector<Command>& commands, WorkerPool& pool,
           const StopProbe& stop = {});

  void apply(const Command& command);
  StepStatus step(const StopProbe& stop = {});
  /// Simulation::save, with the moment's place in the journal.
  void save(Checkpoint& to) const;

  const Simulation& operator*() const { return *simulation_; }
  const Simulation* operator->() const { return simulation_.get(); }
  const Journal& journal() const { return journal_; }

 private:
  std::unique_ptr<Simulation> simulation_;
  Journal journal_;
};

}  // namespace clothlab
