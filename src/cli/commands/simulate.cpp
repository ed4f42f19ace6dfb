// SPDX-License-Identifier: MIT
#include "cli/commands/simulate.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/results.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

struct Simulate {
  SceneOptions scene;
  LengthOptions length;
  Results results;
  std::optional<std::string> resume;

  int run() {
    const Interrupt interrupt;
    results.check();
    if (!scene.quiet()) results.print_summary_without_files();
    Run run = resume ? resume_run(*resume, scene, results.files()) : prepare_run(scene, results.files());
    Simulation& simulation = *run.simulation;
    const std::uint64_t steps = length.steps(simulation.scene().dt, scene.steps_of_summary());
    if (resume) results.set_origin("checkpoint", path_of(*resume));
    results.begin(*run.pool, simulation);
    StepStatus status = StepStatus::done;
    {
      Progress progress(steps, scene.quiet());
      const StopProbe stop = Interrupt::probe();
      for (std::uint64_t step = 0; step < steps && status == StepStatus::done; ++step) {
        const StepWatch watch;
        status = simulation.step(*run.pool, stop, true);
        const StepTime took = watch.elapsed();
        if (status == StepStatus::done) {
          results.after_step(*run.pool, simulation, took);
          progress.show(simulation.steps(), simulation.state().t);
        }
        if (Interrupt::requested()) status = StepStatus::stopped;
      }
    }
    return end_run(results, simulation, status, *run.pool);
  }
};

}  // namespace

std::function<int()> add_simulate(CLI::App& app, const std::string& command_line) {
  auto command = std::make_shared<Simulate>();
  command->results.set_command(command_line);
  CLI::App& sub = *app.add_subcommand(
      "simulate", "One run without a window. Without an output file it prints its summary.");
  command->scene.add_to(sub);
  command->length.add_to(sub);
  command->results.add_to(sub);
  sub.add_option("--resume", command->resume,
                 "Continues from a checkpoint, with the same bits; --steps counts from there.")
      ->type_name("FILE")
      ->take_last()
      ->group("Scene");
  return [command] { return command->run(); };
}

}  // namespace clothlab
