// SPDX-License-Identifier: MIT
#include "cli/sweep/sweep_run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/output/output_files.h"
#include "cli/output/results.h"
#include "core/about.h"
#include "core/error.h"
#include "core/text_file.h"
#include "documents/checkpoint_file.h"
#include "documents/scene_file.h"
#include "experiments/step_trial.h"
#include "io/csv.h"
#include "io/output_file.h"
#include "session/background.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using Json = nlohmann::ordered_json;

std::string status_reason(const StepFigures& figures) {
  if (figures.not_converged == 0) return {};
  return std::to_string(figures.not_converged) + " of " + std::to_string(figures.good_steps()) +
         " steps did not converge, the first of them step " + std::to_string(figures.first_not_converged) +
         ": " + figures.first_reason + ".";
}

void add_figures(const Simulation& simulation, const StepFigures& figures, Json& result) {
  const StepRecord& last = simulation.record();
  result["particles"] = simulation.system().size();
  result["steps_taken"] = simulation.steps();
  result["time"] = simulation.state().t;
  result["energy_kinetic"] = last.energy.kinetic;
  result["energy_stretch"] = last.energy.stretch;
  result["energy_bend"] = last.energy.bend;
  result["energy_gravity"] = last.energy.gravity;
  result["energy_pressure"] = last.energy.pressure;
  result["energy_drivers"] = last.energy.drivers;
  result["energy_total"] = last.energy.total;
  for (const EnergyEntry& entry : kEnergyEntries)
    result[std::string("ledger_").append(entry.column)] = last.ledger.*entry.joule;
  result["spurious_energy"] = figures.spurious_energy;
  result["max_strain_last"] = last.max_strain;
  result["max_strain"] = figures.max_strain;
  result["steps_not_converged"] = figures.not_converged;
  result["newton_iterations"] = figures.newton_iterations;
  result["cg_iterations"] = figures.cg_iterations;
  result["force_evaluations"] = figures.force_evaluations;
  result["residual"] = figures.residual;
  result["state_hash"] = hex_digits(state_hash(simulation.state()));
}

void add_errors(const State& state, const SweepRun& run, const SweepFolder& folder, Json& result) {
  std::error_code error;
  const std::filesystem::path file = folder.state(run.reference);
  if (run.reference.empty() || !std::filesystem::exists(file, error)) return;  // the reference blew up
  const StateRows exact = read_state_csv(file, state.x.size(), Interrupt::probe());
  result["error_x_rms"] = rms_distance(state.x, exact.positions);
  result["error_x_max"] = largest_distance(state.x, exact.positions);
  result["error_v_rms"] = rms_distance(state.v, exact.velocities);
}

/// Throws InputError, SystemError, Cancelled.
void simulate(const SweepRun& run, const SweepFolder& folder, int threads, Json& result) {
  SceneLoadOptions loading;
  loading.initial_state = path_of(run.initial_state);
  loading.stop = Interrupt::probe();
  LaneSource source;
  source.scene = load_scene(run.scene, loading);
  source.steps = run.steps;
  WorkerPool pool(threads);
  LanePlay play(source, std::nullopt);
  play.begin(pool);
  const Simulation& simulation = play.simulation();
  StepFigures figures;
  figures.max_strain = simulation.record().max_strain;
  const StepStatus status =
      play.play(pool, [&] { figures.add(simulation.record(), play.took(), simulation.scene().dt); });
  if (status == StepStatus::stopped) throw Cancelled();
  add_figures(simulation, figures, result);
  result["exit"] = status == StepStatus::blown_up ? kExitBlownUp
                   : figures.not_converged > 0    ? kExitNotConverged
                                                  : kExitDone;
  result["reason"] = status == StepStatus::blown_up ? blow_up_text(simulation, pool) : status_reason(figures);
  if (status == StepStatus::blown_up) return;
  if (run.is_reference)
    write_file(folder.state(run.key), state_csv(simulation.state().x, simulation.state().v));
  add_errors(simulation.state(), run, folder, result);
}

void write_record(const SweepRun& run, const SweepFolder& folder, const Json& result) {
  Json record;
  Scene scene = run.scene;
  const bool is_known = !std::holds_alternative<NoSource>(scene.mesh);
  const bool starts_at_rest = !scene.initial_state && run.initial_state.empty();
  if (is_known && starts_at_rest)
    record[kSummaryKey] = kSummaryVersion;  // with these settings alone it can be repeated
  scene.initial_state.reset();
  record["version"] = program_version();
  record["integrator"] = is_known ? Json(label_of(method_info(scene))) : Json();
  record["steps"] = is_known ? Json(run.steps) : Json();
  record["reference"] = run.reference;
  record["result"] = result;
  record["scene"] = is_known ? Json::parse(text_of_scene(std::move(scene))) : Json::object();
  write_file(folder.record(run.key), record.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// Every column, without values.
Json empty_result() {
  Json result;
  for (const std::string& column : sweep_result_columns()) result[column] = nullptr;
  return result;
}

}  // namespace

std::filesystem::path SweepFolder::record(std::string_view key) const {
  return path / "runs" / std::string(key).append(".json");
}

std::filesystem::path SweepFolder::state(std::string_view key) const {
  return path / "references" / std::string(key).append(".csv");
}

void SweepFolder::create(const std::string& command) const {
  for (const std::filesystem::path& folder : {path, path / "runs", path / "references"})
    if (!has_folder(folder)) make_folder(folder);
  // Also removes files that killed processes left, so that no run has to look for them.
  for (const char* folder : {"runs", "references"}) write_file(path / folder / "command.txt", command + "\n");
}

std::optional<Json> SweepFolder::read(std::string_view key) const {
  constexpr std::size_t kMostBytes = 100'000'000;
  const std::filesystem::path file = record(key);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  Json found = Json::parse(read_text_file(file, kMostBytes), nullptr, false);
  const bool is_whole = found.is_object() && found.contains("scene") && found.contains("result");
  return is_whole ? std::optional(std::move(found)) : std::nullopt;  // the machine may have stopped in it
}

const std::vector<std::string>& sweep_result_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names{"exit",
                                   "reason",
                                   "error_x_rms",
                                   "error_x_max",
                                   "error_v_rms",
                                   "particles",
                                   "steps_taken",
                                   "time",
                                   "energy_kinetic",
                                   "energy_stretch",
                                   "energy_bend",
                                   "energy_gravity",
                                   "energy_pressure",
                                   "energy_drivers",
                                   "energy_total"};
    for (const EnergyEntry& entry : kEnergyEntries)
      names.push_back(std::string("ledger_").append(entry.column));
    for (const char* name :
         {"spurious_energy", "max_strain_last", "max_strain", "steps_not_converged", "newton_iterations",
          "cg_iterations", "force_evaluations", "residual", "state_hash", "cpu_seconds", "wall_seconds"})
      names.emplace_back(name);
    return names;
  }();
  return columns;
}

int execute(const SweepRun& run, const SweepFolder& folder, int threads) {
  Json result = empty_result();
  const auto fail = [&](int status, const char* reason) {
    result["exit"] = status;
    result["reason"] = reason;
  };
  try {
    const StepWatch watch;
    try {
      simulate(run, folder, threads, result);
    } catch (const InputError& error) {
      fail(kExitUsage, error.what());
    } catch (const std::bad_alloc&) {
      fail(kExitFault, "not enough memory.");
    } catch (const SystemError& error) {
      fail(kExitFault, error.what());
    }
    const StepTime took = watch.elapsed();
    result["cpu_seconds"] = took.processor / 1000;
    result["wall_seconds"] = took.wall / 1000;
    write_record(run, folder, result);
    return kExitDone;
  } catch (const Cancelled&) {
    return Interrupt::exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clothlab: run %s: %s\n", run.name.c_str(), error.what());
    return kExitFault;
  }
}

void write_failure(const SweepRun& run, const SweepFolder& folder, int exit, const std::string& reason) {
  Json result = empty_result();
  result["exit"] = exit;
  result["reason"] = reason;
  write_record(run, folder, result);
}

}  // namespace clothlab
