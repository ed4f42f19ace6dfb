// SPDX-License-Identifier: MIT
#include "cli/commands/replay_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/results.h"
#include "cli/parse_value.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "core/error.h"
#include "core/text_file.h"
#include "documents/replay.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct ReplayCommand {
  std::string file;
  bool check = false;
  std::optional<std::string> integrator, mesh, mesh_folder, dt_text;
  MachineOptions machine;
  Results results;

  int run() {
    const Interrupt interrupt;
    const StopProbe stop = Interrupt::probe();
    if (check && dt_text) throw InputError("--check compares bits, which another --dt changes.");
    if (check && integrator) throw InputError("--check compares bits, which another --integrator changes.");
    results.check();
    results.files().spare(path_of(file));
    if (mesh) results.files().spare(path_of(*mesh));
    std::vector<JournalEntry> journal = read_journal(path_of(file), stop, mesh_folder_of(mesh_folder));
    if (check && !std::holds_alternative<JournalEntry::StateHash>(journal.back().what))
      throw InputError(shown_path(path_of(file)) +
                       " has been cut off: its last line is not a \"state\", so its end cannot be compared. "
                       "Replay it without --check.");
    results.files().spare(journal);
    results.set_origin("journal", path_of(file));
    WorkerPool pool(machine.threads());
    Replay replay(std::move(journal),
                  {integrator.value_or(std::string()), path_of(mesh.value_or(std::string())), dt()});
    const StepStatus status = play(replay, pool, stop);
    for (const auto& [what, times] : replay.skipped())
      std::fprintf(stderr, "clothlab: skipped: %s (%zu).\n", what.c_str(), times);
    if (const std::size_t missing = replay.missing_steps(); missing > 0)
      std::fprintf(stderr, "clothlab: %zu of the journal's %llu steps %s and %s missing in the results.\n",
                   missing, static_cast<unsigned long long>(replay.step()),
                   replay.arena().is_alone() ? "blew up" : "blew up or had the first lane frozen",
                   missing == 1 ? "is" : "are");
    const int end = end_run(results, replay.simulation(), status, pool);
    return check && status != StepStatus::stopped && end != kExitFault ? report(replay) : end;
  }

  std::optional<double> dt() const {
    if (!dt_text) return std::nullopt;
    return parse_parameter(find_scene_parameter("dt")->spec, *dt_text);
  }

  /// How the last step ended.
  StepStatus play(Replay& replay, WorkerPool& pool, const StopProbe& stop) {
    Progress progress(replay.last_step(), machine.quiet());
    bool begun = false;
    for (;;) {
      const StepWatch watch;
      const Replay::Event event = replay.next(pool, stop);
      const StepTime took = watch.elapsed();
      const Simulation& simulation = replay.simulation();
      if (event == Replay::Event::loaded) {
        if (!begun) results.begin(pool, simulation);
        begun = true;
      }
      if (event == Replay::Event::stepped) {
        if (replay.arena().lanes().front().runs()) results.after_step(pool, simulation, took);
        progress.show(replay.step(), simulation.state().t);
      }
      if (event == Replay::Event::stopped || Interrupt::requested()) return StepStatus::stopped;
      if (event == Replay::Event::ended || (check && replay.difference()))
        return simulation.blow_up() ? StepStatus::blown_up : StepStatus::done;
    }
  }

  /// What --check found; a blow-up that is the journal's own is no fault.
  static int report(const Replay& replay) {
    const auto text = [](std::uint64_t step) { return std::to_string(step); };
    if (const auto& other = replay.difference()) {
      std::string sentence = "the state after step " + text(other->step) + " is not that of the journal";
      sentence +=
          other->agreed ? "; after step " + text(*other->agreed) + " it was." : ", the first compared.";
      std::fprintf(stderr, "clothlab: %s\n", sentence.c_str());
      return kExitFault;
    }
    std::printf("%zu states compared over %s steps: the same bits.\n", replay.compared(),
                text(replay.last_step()).c_str());
    return kExitDone;
  }
};

}  // namespace

std::function<int()> add_replay(CLI::App& app, const std::string& command_line) {
  auto command = std::make_shared<ReplayCommand>();
  command->results.set_command(command_line);
  CLI::App& sub = *app.add_subcommand("replay", "A journal again: all that was done in the window.");
  sub.add_option("FILE", command->file, "The journal, as the window saves it.")->required();
  sub.add_flag("--check", command->check,
               "Compare the state with the journal's, which has its hash every 30 steps and at the end; exit "
               "status 1 at the first difference, which is named.");
  sub.add_option("--integrator", command->integrator,
                 "Replay the same grabs, pins and values with this method; changes of the method and of the "
                 "parameters of others are skipped and listed.")
      ->type_name("NAME")
      ->take_last();
  sub.add_option(
         "--dt", command->dt_text,
         "Replay with this step. Commands act at the same simulated times, to the nearest step; changes of "
         "the step are skipped and listed.")
      ->type_name("S")
      ->take_last();
  sub.add_option("--mesh", command->mesh, "Where the journal's mesh lies now.")
      ->type_name("FILE.obj")
      ->take_last();
  sub.add_option("--mesh-folder", command->mesh_folder,
                 "Where the files of meshes that were moved lie now, those of cloth and obstacles: a file of "
                 "the same name there is used instead.")
      ->type_name("DIR")
      ->take_last();
  command->machine.add_to(sub);
  command->results.add_to(sub);
  return [command] { return command->run(); };
}

}  // namespace clothlab
