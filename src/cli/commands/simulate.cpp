// SPDX-License-Identifier: MIT
#include <optional>
#include <string>

#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/results.h"
#include "cli/subcommand.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

struct Simulate final : Subcommand {
  explicit Simulate(const SubcommandContext& context) { results.set_command(context.line); }

  SceneOptions scene;
  Results results;
  std::optional<std::string> resume;

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    scene.add_length_to(app);
    results.add_to(app);
    add_text(app, "Scene", "--resume", resume, "FILE",
             "Continues from a checkpoint, with the same bits; --steps counts from there.");
  }

  int run() override {
    results.check();
    if (!scene.quiet()) results.print_summary_without_files();
    const LaneSource source = read_scene_source(scene, results.files(), resume);
    WorkerPool pool(scene.threads());
    LanePlay play(source, std::nullopt);
    play.begin(pool);
    if (resume) results.set_origin("checkpoint", path_of(*resume));
    const StepStatus status = results.play(play, source.steps, pool, scene.quiet());
    return results.finish(pool, play.simulation(), status);
  }
};

}  // namespace

const SubcommandRow kSimulateCommand{
    "simulate", "One run without a window. Without an output file it prints its summary.",
    make_subcommand<Simulate>};

}  // namespace clothlab
