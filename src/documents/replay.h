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
#include "documents/journal.h"
#include "documents/scene_loader.h"
#include "sim/simulation.h"

namespace clothlab {

/// Replays a journal: with the same bits, or with another integrator or step. Starts no threads.
class Replay {
 public:
  struct Options {
    /// The integrator to use instead; null: those of the journal. Changes of the integrator, of other
    /// methods' parameters and of lanes are skipped, and so is the return after a blow-up that this
    /// integrator does not have.
    const IntegratorInfo* integrator = nullptr;
    /// The file of the journal's mesh; empty: the one that it names.
    std::filesystem::path mesh;
    /// The step to use instead [s]. Entries act at the same simulated times, to the nearest step; changes of
    /// the step are skipped, and so is the return after a blow-up that does not happen.
    std::optional<double> dt = {};
  };
  enum class Event {
    loaded,    ///< another scene
    stepped,   ///< a step was taken
    blown_up,  ///< a step blew up; with another integrator or step the replay ends if no lane runs any more,
               ///< unless the journal returns
    stopped,   ///< cancelled; the state is the one before the step
    ended
  };

  Replay(std::vector<JournalEntry> entries, Options options);

  /// Continues to the next event. Throws InputError for a missing or different mesh and for a refused
  /// command; SystemError, Cancelled.
  Event next(WorkerPool& pool, const StopProbe& stop = {});

  /// After the first `loaded`.
  const Arena& arena() const { return *arena_; }
  /// What led to the present since the last `loaded`; null if that began with a moment.
  std::shared_ptr<const PastRun> past() const;
  /// The first lane.
  const Simulation& simulation() const { return *arena_->lanes().front().simulation; }
  /// Arena::warn of the first lane.
  void warn(const Prediction* found) { arena_->warn(arena_->lanes().front().id, found); }
  /// Steps of the journal; returns to the past do not reset this count.
  std::uint64_t step() const { return position_.step; }
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

  /// Steps that the first lane misses: they blew up, here or in its run, or it was frozen.
  std::size_t missing_steps() const { return missing_; }

  /// Skipped entries because of another integrator or step, with their numbers.
  const std::map<std::string, std::size_t>& skipped() const { return skipped_; }

 private:
  bool carry_out(const JournalEntry& entry, const ComputeContext& context);
  void load(const JournalEntry::Load& load, const ComputeContext& context);
  void go_to(WorkerPool& pool, const LogPosition& position);
  void finish_catch_up(const CaughtUp& back, const ComputeContext& context);
  void apply(WorkerPool& pool, std::optional<LaneId> lane, Command command);
  bool plays_to_another() const { return options_.integrator != nullptr; }
  /// True if the run may have other bits than the journal.
  bool differs() const { return plays_to_another() || options_.dt.has_value(); }
  /// True if the command applies with these options; changes it if only a part applies.
  bool applies(Command& command);
  bool may_apply(const LaneCommand& command) const;
  /// True if no lane can take a step.
  bool stands() const;
  void keep_moment(WorkerPool& pool);

  std::vector<JournalEntry> entries_;
  Options options_;
  std::size_t next_ = 0;
  LogPosition position_;
  std::unique_ptr<Arena> arena_;
  std::shared_ptr<const Scene> start_;  // of its run; null: a moment
  struct Kept {
    std::size_t uses = 0;
    std::optional<Moment> moment;
  };
  const Moment& moment_at(const LogPosition& position) const;
  void forget_use(const LogPosition& position);
  std::map<LogPosition, Kept> moments_;  // that the journal goes back to
  std::map<std::string, std::size_t> skipped_;
  std::size_t compared_ = 0, missing_ = 0;
  std::optional<std::uint64_t> agreed_;
  std::optional<Difference> difference_;
};

}  // namespace clothlab
