// SPDX-License-Identifier: MIT
#include "cli/lane_play.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "chart/lane_style.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "core/error.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

Replay::Options options_for(const LaneSource& source, const IntegratorInfo* info) {
  Replay::Options options = source.replay;
  if (info != nullptr) options.integrator = info->id;
  return options;
}

}  // namespace

std::vector<const IntegratorInfo*> parse_lanes(std::string_view names) {
  std::vector<const IntegratorInfo*> out = parse_integrators(names);
  if (out.size() > kMostLanes)
    throw InputError("--integrators: there are at most " + std::to_string(kMostLanes) + " lanes, not " +
                     std::to_string(out.size()) + ".");
  return out;
}

void add_journal_option(CLI::App& app, std::optional<std::string>& journal, const char* group) {
  add_text(app, group, "--journal", journal, "FILE",
           "Instead of a scene: what was done in the window, again (`replay`). Of the scene's options, "
           "only --mesh and --mesh-folder go with it.")
      ->excludes(app.get_option("--steps"))
      ->excludes(app.get_option("--duration"));
}

LaneSource read_scene_source(SceneOptions& scene, const LengthOptions& length, const OutputFiles& outputs,
                             const std::optional<std::string>& checkpoint) {
  LaneSource out;
  out.scene = checkpoint ? load_checkpoint(*checkpoint, scene, outputs)
                         : load_with_state(named_scene(scene), scene, outputs);
  out.steps = length.steps(out.scene.scene.dt, scene.steps_of_summary());
  return out;
}

LaneSource read_journal_source(const std::string& journal, const std::optional<std::string>& mesh,
                               const std::filesystem::path& mesh_folder, const OutputFiles& outputs) {
  LaneSource out;
  out.replay.mesh = path_of(mesh.value_or(std::string()));
  outputs.spare(path_of(journal));
  if (mesh) outputs.spare(out.replay.mesh);
  out.journal = read_journal(path_of(journal), Interrupt::probe(), mesh_folder);
  outputs.spare(out.journal);
  return out;
}

LaneSource read_lane_source(const std::optional<std::string>& journal, SceneOptions& scene,
                            const LengthOptions& length, const OutputFiles& outputs) {
  if (!journal) return read_scene_source(scene, length, outputs, {});
  if (scene.changes_a_scene())
    throw InputError(
        "--journal brings its own scene: of the scene's options, only --mesh and --mesh-folder go with it.");
  return read_journal_source(*journal, scene.mesh_file(), scene.mesh_folder(), outputs);
}

LanePlay::LanePlay(const LaneSource& source, const IntegratorInfo* info)
    : source_(source), info_(info), left_(source.steps) {
  if (!source.journal.empty()) replay_.emplace(source.journal, options_for(source, info));
}

void LanePlay::begin(WorkerPool& pool) {
  if (next(pool) != Replay::Event::loaded) throw Cancelled();
}

Replay::Event LanePlay::next(WorkerPool& pool) {
  const StopProbe stop = Interrupt::probe();
  if (replay_) return replay_->next(pool, stop);
  if (!simulation_) {
    LoadedScene loaded = source_.scene;
    if (info_ != nullptr) loaded.scene.integrator = info_->id;
    simulation_ = simulation_of(loaded, pool, stop);
    return Replay::Event::loaded;
  }
  if (left_ == 0 || simulation_->blow_up()) return Replay::Event::ended;
  --left_;
  switch (simulation_->step(pool, stop, info_ == nullptr)) {
    case StepStatus::stopped:
      return Replay::Event::stopped;
    case StepStatus::blown_up:
      return Replay::Event::blown_up;
    default:
      return Replay::Event::stepped;
  }
}

Replay::Event LanePlay::next_step(WorkerPool& pool) {
  while (!ended_) {
    const StepWatch watch;
    const Replay::Event event = next(pool);
    took_ = watch.elapsed();
    ended_ = event == Replay::Event::ended;
    if (event != Replay::Event::loaded) return event;
  }
  return Replay::Event::ended;
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
