// SPDX-License-Identifier: MIT
#include "experiments/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "arena/arena.h"
#include "core/error.h"
#include "core/text.h"
#include "sim/command_rules.h"

namespace clothlab {
namespace {

/// The values at the entry of a reset, with which the run begins again.
std::shared_ptr<const Scene> values_before(std::size_t reset, const CommandLog& log,
                                           const LoadedScene& start) {
  auto values = std::make_shared<const Scene>(start.scene);
  const auto with_own_method = [&](const Scene& scene) {
    return std::make_shared<const Scene>(with_method(scene, start.scene));
  };
  for (const LogEntry& entry : log.entries().first(reset)) {
    if (!CommandLog::is_repeated(entry)) continue;
    if (entry.back && entry.back->world) values = with_own_method(*entry.back->world);
    if (entry.back) continue;
    const Command& command = std::get<Command>(entry.what);
    const auto* scene = std::get_if<SetScene>(&command);
    values = scene ? with_own_method(*scene->scene) : changed_scene(values, command, *start.mesh);
  }
  return values;
}

/// The step after a change [s].
double step_after(const LogEntry& entry, double dt) {
  if (entry.back) return entry.back->world ? entry.back->world->dt : dt;
  const Command& command = std::get<Command>(entry.what);
  if (const auto* set = std::get_if<SetParameter>(&command); set && set->id == "dt") return set->value;
  if (const auto* set = std::get_if<SetScene>(&command)) return set->scene->dt;
  return dt;
}

bool steps_back(const LogEntry& entry) {
  const auto* command = std::get_if<Command>(&entry.what);
  return command != nullptr && std::holds_alternative<StepBack>(*command);
}

}  // namespace

RecordedRun recorded_run(LoadedScene start, const CommandLog& log, std::uint64_t steps,
                         std::optional<double> duration) {
  std::vector<LogEntry> changes;
  const auto add = [&](const CommandLog& each) {
    if (const std::optional<std::size_t> reset = each.last_reset())
      start.scene = *values_before(*reset, each, start);
    for (const std::size_t index : each.changes_since({})) changes.push_back(each.entries()[index]);
  };
  if (start.moment && !log.last_reset()) {
    if (!start.past)
      throw InputError(
          "The recorded run began from a saved moment, and what led to it was not recorded: open the scene, "
          "or a journal that begins with it.");
    start.scene = start.past->scene;
    add(start.past->log);
  }
  add(log);
  RecordedRun run{std::move(start), {}, 0};
  double& dt = run.loaded.scene.dt;
  for (const LogEntry& entry : changes)
    if (entry.step == 0) dt = step_after(entry, dt);
  if (!(dt > 0)) throw InputError("The recorded run has steps back in time, which have no other step sizes.");
  if (duration) {
    const auto wanted = static_cast<std::uint64_t>(std::max(1.0, std::round(*duration / dt)));
    if (wanted > steps)
      throw InputError("The recorded run ends at " + format_quantity(static_cast<double>(steps) * dt, "s") +
                       ", before " + format_quantity(*duration, "s") + ".");
    steps = wanted;
  }
  if (steps == 0) throw InputError("The recorded run has no steps yet.");
  for (const LogEntry& entry : changes) {
    if (entry.step >= steps) break;
    const bool has_other_step = entry.step > 0 && step_after(entry, dt) != dt;
    if (has_other_step || steps_back(entry))
      throw InputError("At " + format_quantity(static_cast<double>(entry.step) * dt, "s") +
                       " of the recorded run " +
                       (has_other_step ? "the step dt changes" : "the run steps back") +
                       ", which runs with other steps cannot repeat. End it before that time.");
    run.script.changes.push_back(entry);
  }
  run.script.steps = steps;
  run.duration = static_cast<double>(steps) * dt;
  run.loaded.scene.substeps = 1;  // h is the ladder's
  run.loaded.lanes.clear();
  run.loaded.moment = nullptr;
  return run;
}

RecordedRun recorded_run(std::vector<JournalEntry> entries, const Replay::Options& options,
                         std::optional<double> duration, const ComputeContext& context,
                         const std::function<void(double fraction)>& progress) {
  Replay replay(std::move(entries), options);
  for (Replay::Event event{}; event != Replay::Event::ended;) {
    event = replay.next(context.pool, context.stop);
    if (event == Replay::Event::stopped) throw Cancelled();
    if (progress)
      progress(static_cast<double>(replay.step()) /
               static_cast<double>(std::max<std::uint64_t>(1, replay.last_step())));
  }
  const std::shared_ptr<const PastRun> past = replay.past();
  LoadedScene start;
  start.mesh = replay.simulation().shared_mesh();
  if (past) start.scene = past->scene;
  if (!past) start.moment = std::make_shared<const Moment>();
  RecordedRun run =
      recorded_run(std::move(start), past ? past->log : CommandLog(), past ? past->steps : 0, duration);
  run.loaded.scene = with_method(std::move(run.loaded.scene), replay.simulation().scene());
  run.loaded.scene.substeps = 1;
  return run;
}

}  // namespace clothlab
