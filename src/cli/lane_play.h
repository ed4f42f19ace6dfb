// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/output/output_files.h"
#include "documents/journal.h"
#include "documents/replay.h"
#include "documents/scene_loader.h"
#include "experiments/step_loop.h"
#include "integrate/registry.h"
#include "sim/look_ahead.h"
#include "sim/scene.h"
#include "sim/simulation.h"

namespace clothlab {

/// Reads the mesh of `scene`, and the initial state that the options name; no input may be one of the
/// `outputs`. `checkpoint`: see SceneLoadOptions. Throws InputError, SystemError, and Cancelled on Ctrl-C.
LoadedScene load_with_state(Scene scene, const SceneOptions& options, const OutputFiles& outputs,
                            std::shared_ptr<const CheckpointFile> checkpoint = nullptr);

/// Reports on stderr which parameters affect none of some runs, and why.
class EffectNotices {
 public:
  explicit EffectNotices(std::span<const ParameterSpec* const> given = {}) {
    for (const ParameterSpec* spec : given) reasons_[spec->id];
  }
  void add(std::span<const ParameterSpec* const> given, const Scene& run);
  void print() const;

 private:
  std::map<std::string_view, std::set<std::string>> reasons_;  // by option; an empty one: it affects a run
};

/// The same of all these runs.
void warn_of_no_effect(std::span<const ParameterSpec* const> given, std::span<const Scene> runs);

/// The scene that the options name, which must name one. Throws InputError.
Scene named_scene(SceneOptions& options);

/// The methods of `--integrators a,b,c`, one lane each; a method may occur several times. Throws InputError
/// for an unknown one, and for more lanes than there are letters.
std::vector<const IntegratorInfo*> parse_lanes(std::string_view names);

Method with_integrator(Method method, const IntegratorInfo& info);

/// The run of all lanes: a scene for a number of steps, or a journal.
struct LaneSource {
  LoadedScene scene;
  std::uint64_t steps = 0;
  std::vector<JournalEntry> journal;  ///< not empty: instead of the scene
  Replay::Options replay = {};        ///< of the journal
  bool ends_at_difference = false;    ///< of a state from the journal's
  double look_ahead = 0;              ///< warnings come from a copy so far ahead [s]; 0: from signs

  std::uint64_t last_step() const { return journal.empty() ? steps : journal.back().step; }
};

/// The scene as each of these lanes runs it; without lanes as it is.
std::vector<Scene> runs_of(const LaneSource& source, std::span<const LaneMethod> lanes);

/// Adds `--look-ahead`, which sets LaneSource::look_ahead [s].
void add_look_ahead_option(CLI::App& app, OptionReaders& options, double& seconds);
/// Adds `--journal`, which replaces a scene and its length; the app already has their options.
void add_journal_option(CLI::App& app, std::optional<std::string>& journal, const char* group);

// No input may be one of `outputs`. All throw InputError, SystemError, Cancelled.

/// The scene of the checkpoint if there is one, otherwise the one that the options name.
LaneSource read_scene_source(SceneOptions& scene, const OutputFiles& outputs,
                             const std::optional<std::string>& checkpoint);
/// A journal; `mesh` and `mesh_folder` replace the paths of its meshes.
LaneSource read_journal_source(const std::string& journal, const std::optional<std::string>& mesh,
                               const std::filesystem::path& mesh_folder, const OutputFiles& outputs);
/// The journal that --journal names, otherwise the scene.
LaneSource read_lane_source(const std::optional<std::string>& journal, SceneOptions& scene,
                            const OutputFiles& outputs);

/// One lane step by step, with the same bits as `simulate` or `replay` alone, except that among several lanes
/// a barrier keeps its stiffness.
class LanePlay {
 public:
  /// The source must outlive it. By this method, of which a journal uses the integrator only; none: by the
  /// methods of the scene or the journal.
  LanePlay(const LaneSource& source, std::optional<Method> method);
  /// Loads the scene; call it first. Throws InputError, SystemError, Cancelled.
  void begin(WorkerPool& pool);
  /// As Replay::next, but never Event::loaded: one step, or the end. A blow-up that a journal does not return
  /// from is followed by the end.
  Replay::Event next_step(WorkerPool& pool);
  /// Takes all steps, until Ctrl-C, and calls `after_step` after each. Returns how the last one ended.
  StepStatus play(WorkerPool& pool, const std::function<void()>& after_step);

  const Simulation& simulation() const { return replay_ ? replay_->simulation() : *simulation_; }
  /// Of a journal.
  const Replay& replay() const { return *replay_; }
  /// True if simulation(), the first lane of a journal, takes part in the steps.
  bool first_lane_runs() const { return !replay_ || replay_->arena().lanes().front().runs(); }
  std::uint64_t step() const { return replay_ ? replay_->step() : simulation_->steps(); }
  /// Time of the last step.
  const StepTime& took() const { return took_; }
  /// Commands of a journal for other methods, and how often. A blow-up at the end is reported as such.
  std::map<std::string, std::size_t> skipped() const;

 private:
  Replay::Event next(WorkerPool& pool);
  void look_ahead(WorkerPool& pool);
  void check_look_ahead() const;

  const LaneSource& source_;
  std::optional<Method> method_;
  std::optional<Replay> replay_;
  std::unique_ptr<Simulation> simulation_;  // of a scene
  std::uint64_t left_;                      // steps of it
  LookAhead copy_;                          // of the run that is followed
  const Simulation* followed_ = nullptr;
  StepTime took_;
};

/// The most free directions for which eigenvalues are computed next to a run: they take about a second.
inline constexpr std::size_t kQuickDirections = 300;

/// The kind and the reason of a blow-up, with the numbers (model.md, "Blow-up").
std::string blow_up_text(const Simulation& simulation, WorkerPool& pool);

}  // namespace clothlab
