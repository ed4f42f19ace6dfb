// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/output_files.h"
#include "documents/journal.h"
#include "documents/replay.h"
#include "documents/scene_loader.h"
#include "integrate/registry.h"
#include "sim/simulation.h"

namespace CLI {
class App;
}

namespace clothlab {

class LengthOptions;
class SceneOptions;

/// The methods of `--integrators a,b,c`, one lane each; a method may stand there again. Throws InputError for
/// an unknown one, and for more lanes than there are letters.
std::vector<const IntegratorInfo*> parse_lanes(std::string_view names);

/// The run that all lanes make: a scene for so many steps, or a journal.
struct LaneSource {
  LoadedScene scene;
  std::uint64_t steps = 0;
  std::vector<JournalEntry> journal;  ///< not empty: instead of the scene
  std::filesystem::path mesh;         ///< see Replay::Options

  std::uint64_t last_step() const { return journal.empty() ? steps : journal.back().step; }
};

/// Adds `--journal`, which takes the place of a scene and of its length; these are among the options already.
void add_journal_option(CLI::App& app, std::optional<std::string>& journal, const char* group);

/// Reads the journal, or else the scene that the options name; none of what is read may be one of `outputs`.
/// Throws InputError, SystemError, Cancelled.
LaneSource read_lane_source(const std::optional<std::string>& journal, SceneOptions& scene,
                            const LengthOptions& length, const OutputFiles& outputs);

/// One lane step by step, with the same bits as `simulate` or `replay` alone; but among several a barrier
/// keeps its stiffness.
class LanePlay {
 public:
  virtual ~LanePlay() = default;
  /// Loads the scene; call it first. Throws InputError, SystemError, Cancelled.
  void begin(WorkerPool& pool, const StopProbe& stop);
  /// As Replay::next, but never Event::loaded: one step, or the end. A blow-up that a journal does not return
  /// from is followed by the end.
  Replay::Event next_step(WorkerPool& pool, const StopProbe& stop);
  virtual const Simulation& simulation() const = 0;
  virtual std::uint64_t step() const = 0;
  /// Commands of a journal for other methods, and how often.
  virtual std::map<std::string, std::size_t> skipped() const = 0;

 private:
  virtual Replay::Event next(WorkerPool& pool, const StopProbe& stop) = 0;

  bool ended_ = false;
};

/// A lane of the source, which must outlive it, by this method; null: by those of the scene or the journal.
std::unique_ptr<LanePlay> play_lane(const LaneSource& source, const IntegratorInfo* info);

}  // namespace clothlab
