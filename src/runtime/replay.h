// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "runtime/journal.h"
#include "runtime/scene_loader.h"
#include "sim/simulation.h"

namespace clothlab {

/// Does again what a journal says: with the same bits, or the same to another integrator. No threads of its
/// own.
class Replay {
 public:
  struct Options {
    /// The method to play to instead; empty: those of the journal. Changes of the integrator and of the
    /// parameters of other methods are skipped, and so is what there was to do after a blow-up where this one
    /// has none.
    std::string integrator;
    /// Where the mesh of the journal lies now; empty: where it was.
    std::filesystem::path mesh;
  };
  enum class Event {
    loaded,    ///< another scene
    stepped,   ///< a step was taken
    blown_up,  ///< a step blew up; the journal may go on after that, but not to another integrator
    stopped,   ///< `stop` asked; all is as it was before the step
    ended
  };

  /// `pool` must outlive this.
  Replay(std::vector<JournalEntry> entries, Options options, WorkerPool& pool);

  /// Goes on to the next event. Throws InputError for a mesh that is missing or another than that of the
  /// journal, and for a command that this cloth refuses; SystemError, Cancelled.
  Event next(const StopProbe& stop = {});

  /// After the first `loaded`.
  const Simulation& simulation() const { return *simulation_; }
  const LoadedScene& loaded() const { return *loaded_; }
  /// Of the journal, which go on counting where the run goes back.
  std::uint64_t step() const { return place_.step; }
  std::uint64_t last_step() const { return entries_.back().step; }

  /// Hashes of the state that were compared, and the first that was another than the journal's: at this step
  /// of the journal, after `agreed` with the same.
  struct Difference {
    std::uint64_t step = 0;
    std::optional<std::uint64_t> agreed;
  };
  std::size_t compared() const { return compared_; }
  const std::optional<Difference>& difference() const { return difference_; }

  /// What was not done to another integrator, and how often.
  const std::map<std::string, std::size_t>& skipped() const { return skipped_; }

 private:
  bool carry_out(const JournalEntry& entry, const StopProbe& stop);
  void load(const JournalEntry::Load& load, const StopProbe& stop);
  void go_to(const JournalPlace& place);
  void apply(Command command);
  bool plays_to_another() const { return !options_.integrator.empty(); }
  /// Whether another integrator is to have the command, as it stands then.
  bool is_for_another(Command& command);
  void keep_moment();

  std::vector<JournalEntry> entries_;
  Options options_;
  WorkerPool& pool_;
  std::size_t next_ = 0;
  JournalPlace place_;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<const LoadedScene> loaded_;
  struct Moment {
    std::size_t uses = 0;
    std::shared_ptr<const Checkpoint> checkpoint;
  };
  std::map<JournalPlace, Moment> moments_;  // that the journal goes back to
  std::map<std::string, std::size_t> skipped_;
  std::size_t compared_ = 0;
  std::optional<std::uint64_t> agreed_;
  std::optional<Difference> difference_;
};

}  // namespace clothlab
