// SPDX-License-Identifier: MIT
#include "cli/lane_play.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>
#include <utility>

#include "analysis/stability_text.h"
#include "chart/dash.h"
#include "cli/interrupt.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/checkpoint_file.h"
#include "documents/obstacle_meshes.h"
#include "experiments/step_trial.h"
#include "session/revival.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

/// Commands that run one method leave out the other lanes of a file.
void tell_of_lanes(std::size_t lanes, LaneId first, const Scene& scene, const char* who_runs_all) {
  if (lanes < 2) return;
  std::fprintf(stderr, "clothlab: the file has %zu lanes; this is lane %c, %s. %s all of them.\n", lanes,
               lane_letter(first), std::string(method_info(scene).title).c_str(), who_runs_all);
}

/// Warns if the meshes differ from those of the repeated summary.
void warn_of_other_meshes(const LoadedScene& loaded, const SceneOptions& options) {
  if (!options.summary()) return;
  const SummarizedRun& run = *options.summary();
  const auto warn = [&](const char* what) {
    std::fprintf(stderr, "clothlab: %s differs from the one of the run in %s: the results will differ.\n",
                 what, shown_path(path_of(*options.scene_file())).c_str());
  };
  if (!options.changes_mesh() && !run.mesh_hash.empty() &&
      hex_digits(fingerprint(*loaded.mesh)) != run.mesh_hash)
    warn("the mesh");
  std::vector<std::string> hashes;
  for (const std::uint64_t hash : mesh_fingerprints(loaded.scene.obstacles.bodies))
    hashes.push_back(hex_digits(hash));
  if (!options.changes_obstacles() && hashes != run.obstacle_hashes) warn("the mesh of an obstacle");
}

/// The scene of a checkpoint, to continue from there; --mesh and --mesh-folder may replace the paths of its
/// meshes.
LoadedScene load_checkpoint(const std::string& checkpoint, SceneOptions& options,
                            const OutputFiles& outputs) {
  if (options.changes_a_scene())
    throw InputError(
        "--resume continues the scene of the checkpoint: only the scene options --mesh and --mesh-folder can "
        "be combined with it.");
  outputs.spare(path_of(checkpoint));
  const auto file = std::make_shared<const CheckpointFile>(
      read_checkpoint_file(path_of(checkpoint), Interrupt::probe(), options.mesh_folder()));
  Scene scene = file->scene;
  if (options.mesh_file()) scene.mesh = FileSource{*options.mesh_file()};
  return load_with_state(std::move(scene), options, outputs, file);
}

}  // namespace

LoadedScene load_with_state(Scene scene, const SceneOptions& options, const OutputFiles& outputs,
                            std::shared_ptr<const CheckpointFile> checkpoint) {
  for (const auto* file : {&options.scene_file(), &options.initial_state_file()})
    if (*file) outputs.spare(path_of(**file));
  outputs.spare(scene);
  if (checkpoint)
    tell_of_lanes(checkpoint->lanes.size(), checkpoint->lanes.front().lane, scene, "The window continues");
  else if (!options.lanes().empty() && !options.chooses_lanes())
    tell_of_lanes(options.lanes().size(), options.lanes().front().lane, scene,
                  "The window, compare and render run");
  SceneLoadOptions loading;
  loading.initial_state = options.initial_state_file().value_or(std::string());
  loading.checkpoint = std::move(checkpoint);
  loading.dress = options.dresses();
  loading.stop = Interrupt::probe();
  LoadedScene loaded = load_scene(std::move(scene), loading);
  warn_of_other_meshes(loaded, options);
  return loaded;
}

void EffectNotices::add(std::span<const ParameterSpec* const> given, const Scene& run) {
  for (const ParameterSpec* spec : given) reasons_[spec->id].insert(why_without_effect(run, spec->id, true));
}

void EffectNotices::print() const {
  for (const auto& [id, reasons] : reasons_) {
    if (reasons.contains("")) continue;
    std::fprintf(stderr, "clothlab: --%s has no effect. %s\n", std::string(id).c_str(),
                 reasons.empty()       ? "Nothing runs with it."
                 : reasons.size() == 1 ? reasons.begin()->c_str()
                                       : "None of the methods uses it here.");
  }
}

void warn_of_no_effect(std::span<const ParameterSpec* const> given, std::span<const Scene> runs) {
  EffectNotices notices(given);
  for (const Scene& run : runs) notices.add(given, run);
  notices.print();
}

Scene named_scene(SceneOptions& options) {
  if (!options.names_a_scene())
    throw InputError("There is no cloth: name a --mesh FILE.obj, a --grid RxC or a --scene FILE.json.");
  return options.scene();
}

std::string blow_up_text(const Simulation& simulation, WorkerPool& pool) {
  const std::optional<BlowUp>& blow_up = simulation.blow_up();
  if (!blow_up) return {};
  const State good = simulation.last_good_state().state;
  const std::optional<StabilityEstimate> estimate = measure_stability(
      simulation, good, simulation.integrator(), pool, Interrupt::probe(), kQuickDirections);
  return explain_blow_up(blow_up_facts(*blow_up, simulation), estimate);
}

std::vector<const IntegratorInfo*> parse_lanes(std::string_view names) {
  std::vector<const IntegratorInfo*> out = parse_integrators(names);
  if (out.size() > kMostLanes)
    throw InputError("--integrators: there are at most " + std::to_string(kMostLanes) + " lanes, not " +
                     std::to_string(out.size()) + ".");
  return out;
}

Method with_integrator(Method method, const IntegratorInfo& info) {
  set_integrator(method, info);
  return method;
}

void add_look_ahead_option(CLI::App& app, OptionReaders& options, double& seconds) {
  options.add_value(
      app, {.id = "look-ahead", .title = {}, .unit = "s", .max = 60, .help = {}}, "S", seconds,
      "Runs a copy this many seconds ahead, which foretells failures to the step: blow-ups, steps that do "
      "not converge and tunnelling. The run takes about twice as long and keeps its bits. Default 0: off, "
      "warnings come from signs in past steps.");
}

void add_journal_option(CLI::App& app, std::optional<std::string>& journal, const char* group) {
  add_text(app, group, "--journal", journal, "FILE",
           "Repeats this journal of the window, or of a bundle (see `replay`), instead of a scene. Only the "
           "scene options "
           "--mesh and --mesh-folder can be combined with it.")
      ->excludes(app.get_option("--steps"))
      ->excludes(app.get_option("--duration"));
}

LaneSource read_scene_source(SceneOptions& scene, const OutputFiles& outputs,
                             const std::optional<std::string>& checkpoint) {
  LaneSource out;
  out.scene = checkpoint ? load_checkpoint(*checkpoint, scene, outputs)
                         : load_with_state(named_scene(scene), scene, outputs);
  out.steps = scene.steps(out.scene.scene.dt);
  return out;
}

LaneSource read_journal_source(const std::string& journal, const std::optional<std::string>& mesh,
                               const std::filesystem::path& mesh_folder, const OutputFiles& outputs) {
  LaneSource out;
  out.replay.mesh = path_of(mesh.value_or(std::string()));
  outputs.spare(path_of(journal));
  if (mesh) outputs.spare(out.replay.mesh);
  out.journal = read_journal(path_of(journal), Interrupt::probe(), mesh_folder);
  for (const std::filesystem::path& file : files_of(out.journal)) outputs.spare(file);
  return out;
}

LaneSource read_lane_source(const std::optional<std::string>& journal, SceneOptions& scene,
                            const OutputFiles& outputs) {
  if (!journal) return read_scene_source(scene, outputs, {});
  if (scene.changes_a_scene())
    throw InputError(
        "--journal has its own scene: only the scene options --mesh and --mesh-folder can be combined with "
        "it.");
  return read_journal_source(*journal, scene.mesh_file(), scene.mesh_folder(), outputs);
}

std::vector<Scene> runs_of(const LaneSource& source, std::span<const LaneMethod> lanes) {
  if (lanes.empty()) return {source.scene.scene};
  std::vector<Scene> runs;
  for (const LaneMethod& lane : lanes) runs.push_back(with_method(source.scene.scene, lane.method));
  return runs;
}

LanePlay::LanePlay(const LaneSource& source, std::optional<Method> method)
    : source_(source), method_(std::move(method)), left_(source.steps) {
  if (source.journal.empty()) return;
  Replay::Options options = source.replay;
  if (method_) options.integrator = &method_info(*method_);
  replay_.emplace(source.journal, std::move(options));
}

void LanePlay::begin(WorkerPool& pool) {
  if (next(pool) != Replay::Event::loaded) throw Cancelled();
  check_look_ahead();
  look_ahead(pool);
}

Replay::Event LanePlay::next(WorkerPool& pool) {
  const StopProbe stop = Interrupt::probe();
  if (replay_) return replay_->next(pool, stop);
  if (!simulation_) {
    LoadedScene loaded = source_.scene;
    if (method_) loaded.scene = with_method(std::move(loaded.scene), *method_);
    simulation_ = simulation_of(loaded, pool, stop);
    return Replay::Event::loaded;
  }
  if (left_ == 0 || simulation_->blow_up()) return Replay::Event::ended;
  --left_;
  const StepStatus status = simulation_->step(pool, stop, !method_);
  if (status == StepStatus::stopped) return Replay::Event::stopped;
  return status == StepStatus::blown_up ? Replay::Event::blown_up : Replay::Event::stepped;
}

void LanePlay::check_look_ahead() const {
  const double h = simulation().scene().dt;
  if (source_.look_ahead > 0 && (h < 0 || source_.look_ahead < h))
    throw InputError("--look-ahead needs steps forward in time and at least the length of one: dt is " +
                     format_quantity(h, "s") + ".");
}

/// Not beyond the last step.
void LanePlay::look_ahead(WorkerPool& pool) {
  if (source_.look_ahead == 0 || !first_lane_runs()) return;
  const Simulation& run = simulation();
  if (followed_ != &run) copy_ = {};  // of another run
  followed_ = &run;
  const std::uint64_t left = replay_ ? replay_->last_step() - replay_->step() : left_;
  const bool alone = replay_ ? replay_->arena().is_alone() : !method_;
  copy_.follow(pool, run, alone, source_.look_ahead,
               run.state().t + static_cast<double>(left) * run.scene().dt, Interrupt::probe());
  if (replay_) return replay_->warn(&copy_.prediction());
  simulation_->warn_by_signs(false);
  simulation_->warn_of(copy_.prediction());
}

Replay::Event LanePlay::next_step(WorkerPool& pool) {
  for (;;) {
    const StepWatch watch;
    const Replay::Event event = next(pool);
    took_ = watch.elapsed();
    if (event == Replay::Event::stepped) look_ahead(pool);
    if (event != Replay::Event::loaded) return event;
    followed_ = nullptr;
  }
}

StepStatus LanePlay::play(WorkerPool& pool, const std::function<void()>& after_step) {
  for (;;) {
    const Replay::Event event = next_step(pool);
    if (event == Replay::Event::stepped) after_step();
    if (event == Replay::Event::stopped || Interrupt::requested()) return StepStatus::stopped;
    if (event == Replay::Event::ended || (source_.ends_at_difference && replay_->difference()))
      return simulation().blow_up() ? StepStatus::blown_up : StepStatus::done;
  }
}

std::map<std::string, std::size_t> LanePlay::skipped() const {
  if (!replay_) return {};
  std::map<std::string, std::size_t> skipped = replay_->skipped();
  if (replay_->missing_steps() > 0 && !simulation().blow_up())
    skipped["steps that blew up"] = replay_->missing_steps();
  return skipped;
}

}  // namespace clothlab
