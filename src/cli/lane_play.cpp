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

class ScenePlay final : public LanePlay {
 public:
  ScenePlay(const LaneSource& source, const IntegratorInfo* info) : source_(source), info_(info) {}

  const Simulation& simulation() const override { return *simulation_; }
  std::uint64_t step() const override { return simulation_->steps(); }
  std::map<std::string, std::size_t> skipped() const override { return {}; }

 private:
  Replay::Event next(WorkerPool& pool, const StopProbe& stop) override {
    if (!simulation_) {
      Scene scene = source_.scene.scene;
      if (info_ != nullptr) scene.integrator = info_->id;
      simulation_ = std::make_unique<Simulation>(std::move(scene), source_.scene.mesh, pool, stop);
      return Replay::Event::loaded;
    }
    if (simulation_->steps() == source_.steps || simulation_->blow_up()) return Replay::Event::ended;
    switch (simulation_->step(pool, stop, info_ == nullptr)) {
      case StepStatus::stopped:
        return Replay::Event::stopped;
      case StepStatus::blown_up:
        return Replay::Event::blown_up;
      default:
        return Replay::Event::stepped;
    }
  }

  const LaneSource& source_;
  const IntegratorInfo* info_;
  std::unique_ptr<Simulation> simulation_;
};

class JournalPlay final : public LanePlay {
 public:
  JournalPlay(const LaneSource& source, const IntegratorInfo* info)
      : replay_(source.journal, {info != nullptr ? std::string(info->id) : std::string(), source.mesh}) {}
  const Simulation& simulation() const override { return replay_.simulation(); }
  std::uint64_t step() const override { return replay_.step(); }
  /// A blow-up at the end is reported as such.
  std::map<std::string, std::size_t> skipped() const override {
    std::map<std::string, std::size_t> skipped = replay_.skipped();
    if (replay_.missing_steps() > 0 && !simulation().blow_up())
      skipped["steps that blew up"] = replay_.missing_steps();
    return skipped;
  }

 private:
  Replay::Event next(WorkerPool& pool, const StopProbe& stop) override { return replay_.next(pool, stop); }

  Replay replay_;
};

}  // namespace

std::vector<const IntegratorInfo*> parse_lanes(std::string_view names) {
  std::vector<const IntegratorInfo*> out = parse_integrators(names);
  if (out.size() > kMostLanes)
    throw InputError("--integrators: there are at most " + std::to_string(kMostLanes) + " lanes, not " +
                     std::to_string(out.size()) + ".");
  return out;
}

void add_journal_option(CLI::App& app, std::optional<std::string>& journal, const char* group) {
  app.add_option("--journal", journal,
                 "Instead of a scene: what was done in the window, again (`replay`). Of the scene's options, "
                 "only --mesh and --mesh-folder go with it.")
      ->type_name("FILE")
      ->take_last()
      ->excludes(app.get_option("--steps"))
      ->excludes(app.get_option("--duration"))
      ->group(group);
}

LaneSource read_lane_source(const std::optional<std::string>& journal, SceneOptions& scene,
                            const LengthOptions& length, const OutputFiles& outputs) {
  LaneSource out;
  if (!journal) {
    out.scene = load_with_state(named_scene(scene), scene, outputs);
    out.steps = length.steps(out.scene.scene.dt, scene.steps_of_summary());
    return out;
  }
  if (scene.changes_a_scene())
    throw InputError(
        "--journal brings its own scene: of the scene's options, only --mesh and --mesh-folder go with it.");
  outputs.spare(path_of(*journal));
  out.journal = read_journal(path_of(*journal), Interrupt::probe(), scene.mesh_folder());
  outputs.spare(out.journal);
  out.mesh = path_of(scene.mesh_file().value_or(std::string()));
  if (scene.mesh_file()) outputs.spare(out.mesh);
  return out;
}

void LanePlay::begin(WorkerPool& pool, const StopProbe& stop) {
  if (next(pool, stop) != Replay::Event::loaded) throw Cancelled();
}

Replay::Event LanePlay::next_step(WorkerPool& pool, const StopProbe& stop) {
  while (!ended_) {
    const Replay::Event event = next(pool, stop);
    ended_ = event == Replay::Event::ended;
    if (event != Replay::Event::loaded) return event;
  }
  return Replay::Event::ended;
}

std::unique_ptr<LanePlay> play_lane(const LaneSource& source, const IntegratorInfo* info) {
  if (source.journal.empty()) return std::make_unique<ScenePlay>(source, info);
  return std::make_unique<JournalPlay>(source, info);
}

}  // namespace clothlab
