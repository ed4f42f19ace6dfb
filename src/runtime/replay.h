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
#include "sim/simulation.h"

namespace clothlab {

/// Replays a journal: with the same bits, or with another integrator. Starts no threads.
class Replay {
 public:
  struct Options {
    /// The integrator to use instead; empty: those of the journal. Changes of the integrator and of other
    /// methods' parameters are skipped, and so is the return after a blow-up that this integrator does not
    /// have.
    std::string integrator;
    /// The file of the journal's mesh; empty: the one that it names.
    std::filesystem::path mesh;
  };
  enum class Event {
    loaded,    ///< another scene
    stepped,   ///< a step was taken
    blown_up,  ///< a step blew up; with another integrator the replay ends unless the journal returns
    stopped,   ///< `stop` asked for it; the state is that before the step
    ended
  };

  Replay(std::vector<JournalEntry> entries, Options options);

  /// Continues to the next event. Throws InputError for a mesh that is missing or is not the journal's, and
  /// for a refused command; SystemError, Cancelled.
  Event next(WorkerPool& pool, const StopProbe& stop = {});

  /// After the first `loaded`.
  const Simulation& simulation() const { return *simulation_; }
  /// Steps of the journal, which count on where the run goes back.
  std::uint64_t step() const { return place_.step; }
  std::uint64_t last_step() const { return entries_.back().step; }

  /// The first compared state that differs from the journal's: its step, and the last step before it whose
  /// state agreed.
  struct Difference {
    std::uint64_t step = 0;
    std::optional<std::uint64_t> agreed;
  };
  /// How many states were compared.
  std::size_t compared() const { return compared_; }
  const std::optional<Difference>& difference() const { return difference_; }

  /// What was skipped for another integrator, and how often.
  const std::map<std::string, std::size_t>& skipped() const { return skipped_; }

 private:
  bool carry_out(const JournalEntry& entry, const ComputeContext& context);
  void load(const JournalEntry::Load& load, const ComputeContext& context);
  void go_to(WorkerPool& pool, const JournalPlace& place);
  void apply(WorkerPool& pool, Command command);
  bool plays_to_another() const { return !options_.integrator.empty(); }
  /// Whether the command applies to another integrator; changes it where only part of it does.
  bool is_for_another(Command& command);
  void keep_moment(WorkerPool& pool);

  std::vector<JournalEntry> entries_;
  Options options_;
  std::size_t next_ = 0;
  JournalPlace place_;
  std::unique_ptr<Simulation> simulation_;
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
