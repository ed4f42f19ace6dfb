// SPDX-License-Identifier: MIT
#include "cli/run_options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/stability_text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
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

constexpr std::size_t kQuickDirections = 300;  // a second
constexpr std::int64_t kMostSteps = 1'000'000'000'000;

/// Commands that run one method leave out the other lanes of a file.
void tell_of_lanes(std::size_t lanes, LaneId first, const Scene& scene) {
  if (lanes < 2) return;
  std::fprintf(stderr,
               "clothlab: the file has %zu lanes; this is lane %c, %s. The window runs all of them.\n", lanes,
               lane_letter(first), std::string(integrator_info(scene.integrator).title).c_str());
}

/// Where the meshes are no longer those of the summary whose run is repeated.
void warn_of_other_meshes(const LoadedScene& loaded, const SceneOptions& options) {
  if (!options.summary()) return;
  const SummarizedRun& run = *options.summary();
  const auto warn = [&](const char* what) {
    std::fprintf(stderr, "clothlab: %s is not that of the run in %s: the results will differ.\n", what,
                 shown_path(path_of(*options.scene_file())).c_str());
  };
  if (!options.changes_mesh() && !run.mesh_hash.empty() &&
      fingerprint_text(fingerprint(*loaded.mesh)) != run.mesh_hash)
    warn("the mesh");
  std::vector<std::string> hashes;
  for (const std::uint64_t hash : mesh_fingerprints(loaded.scene.obstacles.bodies))
    hashes.push_back(fingerprint_text(hash));
  if (!options.changes_obstacles() && hashes != run.obstacle_hashes) warn("the mesh of an obstacle");
}

}  // namespace

void LengthOptions::add_to(CLI::App& app) {
  CLI::Option* steps = add_text(app, "Stepping", "--steps", steps_, "N",
                                "Number of steps of --dt; default " + std::to_string(default_steps_) + ".");
  add_text(app, "Stepping", "--duration", duration_, "S",
           "Simulated time instead of --steps, rounded to whole steps.")
      ->excludes(steps);
}

std::uint64_t LengthOptions::steps(double dt, const std::optional<std::uint64_t>& without) const {
  if (steps_) return static_cast<std::uint64_t>(parse_whole("steps", *steps_, 0, kMostSteps));
  if (!duration_) return without.value_or(default_steps_);
  const double count = std::round(parse_positive("duration", *duration_, "s") / dt);
  if (!(count <= static_cast<double>(kMostSteps)))
    throw InputError("--duration: '" + *duration_ + "' is more than 1e12 steps of " + format_number(dt) +
                     " s.");
  if (count < 1)
    throw InputError("--duration: '" + *duration_ + "' is less than half a step of " + format_number(dt) +
                     " s.");
  return static_cast<std::uint64_t>(count);
}

LoadedScene load_with_state(Scene scene, const SceneOptions& options, const OutputFiles& outputs,
                            std::shared_ptr<const CheckpointFile> checkpoint) {
  for (const auto* file : {&options.scene_file(), &options.initial_state_file()})
    if (*file) outputs.spare(path_of(**file));
  outputs.spare(scene);
  if (checkpoint)
    tell_of_lanes(checkpoint->lanes.size(), checkpoint->lanes.front().lane, scene);
  else if (!options.lanes().empty())
    tell_of_lanes(options.lanes().size(), options.lanes().front().lane, scene);
  SceneLoadOptions loading;
  loading.initial_state = options.initial_state_file().value_or(std::string());
  loading.checkpoint = std::move(checkpoint);
  loading.stop = Interrupt::probe();
  LoadedScene loaded = load_scene(std::move(scene), loading);
  warn_of_other_meshes(loaded, options);
  return loaded;
}

Scene named_scene(SceneOptions& options) {
  if (!options.names_a_scene())
    throw InputError("There is no cloth: name a --mesh FILE.obj, a --grid RxC or a --scene FILE.json.");
  return options.scene();
}

LoadedScene load_checkpoint(const std::string& checkpoint, SceneOptions& options,
                            const OutputFiles& outputs) {
  if (options.changes_a_scene())
    throw InputError(
        "--resume goes on with the scene of the checkpoint: of the scene's options, only --mesh and "
        "--mesh-folder go with it.");
  outputs.spare(path_of(checkpoint));
  const auto file = std::make_shared<const CheckpointFile>(
      read_checkpoint_file(path_of(checkpoint), Interrupt::probe(), options.mesh_folder()));
  Scene scene = file->scene;
  if (options.mesh_file()) scene.mesh = FileSource{*options.mesh_file()};
  return load_with_state(std::move(scene), options, outputs, file);
}

std::string blow_up_text(const Simulation& simulation, WorkerPool& pool) {
  const std::optional<BlowUp>& blow_up = simulation.blow_up();
  if (!blow_up) return {};
  const State sound = simulation.last_sound_state().state;
  const std::optional<StabilityEstimate> estimate = measure_stability(
      simulation, sound, simulation.integrator(), pool, Interrupt::probe(), kQuickDirections);
  const BlowUpFacts facts = blow_up_facts(*blow_up, simulation);
  return explain_blow_up(facts, simulation.integrator(), integrator_parameters(simulation.scene()), estimate);
}

}  // namespace clothlab
