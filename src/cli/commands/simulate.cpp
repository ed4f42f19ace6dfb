// SPDX-License-Identifier: MIT
#include <optional>
#include <string>

#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/results.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text.h"
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
    options.add_value(
        app, {.id = "look-ahead", .title = {}, .unit = "s", .max = 60, .help = {}}, "S", look_ahead,
        "Runs a copy this many seconds ahead, which foretells failures to the step: blow-ups, "
        "steps that do not converge and tunnelling. The run takes about twice as long and keeps "
        "its bits. Default 0: off, warnings come from signs in past steps.");
  }

  int run() override {
    options.read_all();
    results.check();
    if (!scene.quiet()) results.print_summary_without_files();
    LaneSource source = read_scene_source(scene, results.files(), resume);
    source.look_ahead = look_ahead;
    WorkerPool pool(scene.threads());
    LanePlay play(source, std::nullopt);
    play.begin(pool);
    const double h = play.simulation().scene().dt;
    if (look_ahead > 0 && (h < 0 || look_ahead < h))
      throw InputError("--look-ahead needs steps forward in time and at least the length of one: dt is " +
                       format_quantity(h, "s") + ".");
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
