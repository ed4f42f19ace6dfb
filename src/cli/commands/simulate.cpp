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
  OptionReaders options{"Stepping"};
  double look_ahead = 0;  // [s]

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    scene.add_length_to(app);
    results.add_to(app);
    add_text(app, "Scene", "--resume", resume, "FILE",
             "Continues from a checkpoint or a bundle, with the same bits; --steps counts from there.");
    add_look_ahead_option(app, options, look_ahead);
  }

  int run() override {
    options.read_all();
    results.check();
    if (!scene.quiet()) results.print_summary_without_files();
    LaneSource source = read_scene_source(scene, results.files(), resume);
    source.look_ahead = look_ahead;
    warn_of_no_effect(scene.given_parameters(), runs_of(source, {}));
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
