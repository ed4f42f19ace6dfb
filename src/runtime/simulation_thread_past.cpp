// SPDX-License-Identifier: MIT
#include <limits>
#include <utility>

#include "core/error.h"
#include "runtime/simulation_thread_impl.h"

namespace clothlab {
namespace {

constexpr double kFramesPerSecond = 60;  // of viewing time

}  // namespace

void SimulationThread::Impl::use(std::shared_ptr<const LoadedScene> next,
                                 const std::shared_ptr<const Scene>& values) {
  // The current scene stays until the new one is built.
  const StopProbe superseded = [this] { return queue.scene_waits(); };
  std::vector<Command> first;
  if (next->moment) first.emplace_back(Release{});  // nobody holds it here
  if (values) first.emplace_back(SetScene{values});
  auto no_ghosts = std::make_shared<const std::vector<GhostRun>>();
  simulation.use(*next, first, pool, superseded);
  loaded = std::move(next);
  ghosts = std::move(no_ghosts);
  if (recorder) recorder->forget();
  recorder.reset();
  notice_of_simulation = 0;
  timers.assign(integrators().size(), {});
  method_ms.assign(integrators().size(), 0);
  forget_estimate();
  start_over();
  ask_for_estimate();
}

void SimulationThread::Impl::start_over() {
  history.clear();
  plot.clear();
  blown.reset();
  warning = {};
  past.reset();
  pacer.restart(Clock::now());
  dirty = true;
  remember(std::nullopt);
}

void SimulationThread::Impl::go_on_from_restored_state() {
  const double t = simulation->state().t;
  leave_for(t);
  blown.reset();
  resumes = false;
  past.reset();
  if (!history.empty() && history.newest()->state.t > t) history.clear();
  if (history.empty() || history.newest()->state.t != t) remember(std::nullopt);
  pacer.restart(Clock::now());
  dirty = true;
}

void SimulationThread::Impl::leave_for(double time) {
  if (history.branch_at(time)) plot_of_other_branch = plot.share();
  plot.forget_after(time);
}

void SimulationThread::Impl::look_back_to(std::size_t state) {
  playing = false;
  past.reset();
  if (state + 1 < history.size()) past = Past{.shown = state};
  dirty = true;
}

void SimulationThread::Impl::continue_from_shown() {
  if (past && !past->by_itself()) {
    leave_for(history[past->shown].state.t);
    continue_from_newest_kept();
  } else if (blown) {
    revive(tries_again_text(prospect(), sound_time()));
  }
  past.reset();
  dirty = true;
}

void SimulationThread::Impl::continue_from_newest_kept() {
  if (history.empty()) throw InputError("No moment of the past is kept.");  // there was no memory for it
  simulation.apply(pool, GoBack{history.newest()});
  go_on_from_restored_state();
  ask_for_estimate();
}

void SimulationThread::Impl::show_next_past_state(Clock::time_point now) {
  if (++past->shown >= history.size()) {
    past.reset();
  } else {
    past->next = std::max(past->next + past->spacing, now);
  }
  dirty = true;
}

void SimulationThread::Impl::keep_ghost() {
  const std::shared_ptr<const std::vector<PlotSample>> samples = plot.share();
  if (samples->size() < 2) return;
  std::vector<GhostRun> kept = *ghosts;
  if (kept.size() == kMostGhosts) kept.erase(kept.begin());
  kept.push_back({simulation->scene().stepping.dt, samples});
  ghosts = std::make_shared<const std::vector<GhostRun>>(std::move(kept));
}

void SimulationThread::Impl::remember(std::optional<double> milliseconds) {
  const StepRecord& record = simulation->record();
  history.add([this](Checkpoint& to) { simulation.save(pool, to); });
  plot.add({.time = simulation->state().t,
            .energy = record.energy,
            .max_strain = record.max_strain,
            .milliseconds = milliseconds.value_or(std::numeric_limits<double>::quiet_NaN()),
            .cg_iterations = record.cg_iterations,
            .newton_iterations = record.newton_iterations,
            .converged = record.converged,
            .integrator = integrator_index()},
           speed / kFramesPerSecond);
}

}  // namespace clothlab
