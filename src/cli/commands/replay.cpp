// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/results.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text_file.h"
#include "documents/replay.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct ReplayCommand final : Subcommand {
  explicit ReplayCommand(const SubcommandContext& context) { results.set_command(context.line); }

  std::string file;
  bool check = false;
  std::optional<std::string> integrator, mesh, mesh_folder, dt_text;
  MachineOptions machine;
  Results results;
  OptionReaders options{"Options"};
  double look_ahead = 0;  // [s]

  void add_to(CLI::App& app) override {
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) { add_text(app, "Options", name, target, type, help); };
    app.add_option("FILE", file, "The journal, as the window saves it, or a bundle.")->required();
    app.add_flag("--check", check,
                 "Compares the state with the journal, which has its hash every 30 steps and at the end. "
                 "Reports the first difference and exits with status 1.");
    text("--integrator", integrator, "NAME",
         "Repeats the same grabs, pins and values with this method. Changes of the method and of parameters "
         "of other methods are skipped and listed.");
    text("--dt", dt_text, "S",
         "Repeats with this step. Commands act at the same simulated times, to the nearest step; changes of "
         "the step are skipped and listed.");
    text("--mesh", mesh, "FILE.obj", "Path of the journal's mesh, if it was moved.");
    text("--mesh-folder", mesh_folder, "DIR",
         "Folder with moved mesh files of cloth and obstacles: a file there replaces the file of the same "
         "name.");
    add_look_ahead_option(app, options, look_ahead);
    machine.add_to(app);
    results.add_to(app);
  }

  int run() override {
    if (check && dt_text) throw InputError("--check compares bits, which another --dt changes.");
    if (check && integrator) throw InputError("--check compares bits, which another --integrator changes.");
    options.read_all();
    results.check();
    LaneSource source = read_journal_source(file, mesh, mesh_folder_of(mesh_folder), results.files());
    if (check && !std::holds_alternative<StateHash>(source.journal.back().what))
      throw InputError(shown_path(path_of(file)) +
                       " has been cut off: its last line is not a \"state\", so its end cannot be compared. "
                       "Replay it without --check.");
    source.ends_at_difference = check;
    source.look_ahead = look_ahead;
    if (integrator) source.replay.integrator = &parse_integrator(*integrator);
    if (dt_text) source.replay.dt = parse_parameter(find_scene_parameter("dt")->spec, *dt_text);
    if (source.replay.dt && *source.replay.dt < 0)
      throw InputError("--dt: '" + *dt_text + "' is negative; a journal has its commands at positive times.");
    results.set_origin("journal", path_of(file));
    WorkerPool pool(machine.threads());
    LanePlay play(source, std::nullopt);
    const Replay& replay = play.replay();
    play.begin(pool);
    const StepStatus status = results.play(play, replay.last_step(), pool, machine.quiet());
    for (const auto& [what, times] : replay.skipped())
      std::fprintf(stderr, "clothlab: skipped: %s (%zu).\n", what.c_str(), times);
    if (const std::size_t missing = replay.missing_steps(); missing > 0)
      std::fprintf(stderr, "clothlab: %zu of the journal's %llu steps %s and %s missing in the results.\n",
                   missing, static_cast<unsigned long long>(replay.step()),
                   replay.arena().is_alone() ? "blew up" : "blew up or had the first lane frozen",
                   missing == 1 ? "is" : "are");
    const int end = results.finish(pool, replay.simulation(), status);
    return check && status != StepStatus::stopped && end != kExitFault ? report(replay) : end;
  }

  /// The result of --check; a blow-up of the journal itself is not a fault.
  static int report(const Replay& replay) {
    if (const auto& other = replay.difference()) {
      std::string sentence =
          "the state after step " + std::to_string(other->step) + " differs from the journal";
      sentence += other->agreed ? "; after step " + std::to_string(*other->agreed) + " it did not."
                                : ", the first compared.";
      std::fprintf(stderr, "clothlab: %s\n", sentence.c_str());
      return kExitFault;
    }
    std::printf("%zu states compared over %s steps: the same bits.\n", replay.compared(),
                std::to_string(replay.last_step()).c_str());
    return kExitDone;
  }
};

}  // namespace

const SubcommandRow kReplayCommand{"replay", "Repeats a journal: everything that was done in the window.",
                                   make_subcommand<ReplayCommand>};

}  // namespace clothlab
