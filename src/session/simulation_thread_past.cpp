// SPDX-License-Identifier: MIT
#include <cmath>
#include <utility>

#include "core/error.h"
#include "session/simulation_thread_impl.h"
#include "sim/contact.h"
#include "sim/diagnostics.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kFramesPerSecond = 60;  // of viewing time

/// What a scene whose file names no lanes changes in several lanes; empty: nothing but the world.
std::string changes_by_scene(const LoadedScene& loaded, const LaneScenes& before, const LaneScenes& after,
                             const std::vector<LaneId>& removed) {
  const auto name = [](LaneId lane, const Scene& scene) {
    return std::string("Lane ") + lane_letter(lane) + " (" + title_with(method_info(scene), scene.solver) +
           ")";
  };
  if (!removed.empty()) {
    std::string names;
    bool support_contact = true;
    for (const LaneId lane : removed) {
      const Scene& scene = *find_scene(before, lane);
      names += (names.empty() ? "" : ", ") + name(lane, scene);
      support_contact &= supports_contact(loaded.scene.contact.model, method_info(scene));
    }
    if (support_contact) return "Removed: " + names + ". These methods cannot keep the scene's distances.";
    return "Removed: " + names + ". These methods cannot have the scene's contact by " +
           std::string(info_of(loaded.scene.contact.model).id) +
           ". To compare them, choose contact by filter or impulse.";
  }
  if (before.size() < 2 || !loaded.lanes.empty() || loaded.moment ||
      after.front().scene->integrator == before.front().scene->integrator)
    return {};
  return name(after.front().lane, *after.front().scene) +
         " has the scene's method now. The other lanes keep theirs.";
}

}  // namespace

void SimulationThread::Impl::use(std::shared_ptr<const LoadedScene> next, LaneScenes begin) {
  // The current scene stays until the new one is built.
  const StopProbe superseded = [this] { return queue.scene_waits(); };
  LaneScenes present;
  if (!lanes.empty())
    for (const Lane& lane : arena->lanes()) present.push_back({lane.id, lane.simulation->shared_scene()});
  std::string news;
  if (begin.empty()) {
    std::vector<LaneId> left_out;
    begin = initial_lanes(*next, present, &left_out);
    news = changes_by_scene(*next, present, begin, left_out);
  }
  std::vector<std::unique_ptr<LiveLane>> live_lanes;
  for (const LaneScene& lane : begin) insert_lane(live_lanes, lane.lane);
  Journal journal_of_next = journal;
  CommandLog log = journal_of_next.load(*next, arena ? arena->log() : CommandLog());
  arena = begin_run(pool, *next, begin, std::move(log), superseded);
  journal = std::move(journal_of_next);
  for (const auto& lane : lanes) lane->end_copy();  // all of them before the first is destroyed
  lanes = std::move(live_lanes);
  if (!find_scene(begin, active)) active = begin.front().lane;
  grab_lane = active;
  followed.reset();
  loaded = std::move(next);
  look_ahead.failure.clear();  // of the scene before
  end_recording();
  written.loaded.reset();
  start_over();
  if (loaded->moment) {
    begin_origin("the opened moment");
    for (const auto& lane : lanes) lane->new_notices.in(simulation_of(*lane).notices());  // known before it
  }
  follow_blow_ups();
  request_estimates();
  if (!news.empty()) tell(std::move(news));
}

void SimulationThread::Impl::start_over() {
  give_up_returns();
  history.clear();
  removed.clear();
  first.lanes.clear();
  for (const auto& lane : lanes) {
    lane->plot = {};
    lane->blown.reset();
    lane->last_blow_up.reset();
    lane->warning = {};
    lane->new_notices = {};
  }
  past.reset();
  pacer.restart(Clock::now());
  dirty = true;
  Moment start;  // none if memory runs out
  arena->save(pool, start);
  first = std::move(start);
  note_return(arena->time());
  begin_origin("the start");
  remember(false);
}

void SimulationThread::Impl::begin_origin(std::string why) {
  common_origin = {arena->time(), std::move(why)};
  for (const auto& lane : lanes) set_origin(*lane);
}

LaneOrigin SimulationThread::Impl::present_figures(const LiveLane& lane) const {
  const Simulation& simulation = simulation_of(lane);
  const double time = lane.catching_up ? simulation.state().t : arena->time();
  return {time, simulation.notices().list()->size(), simulation.record().energy, simulation.record().ledger};
}

LiveLane::MethodOrigin SimulationThread::Impl::method_from_now(const LiveLane& lane) const {
  const Simulation& run = simulation_of(lane);
  // Of a lane that catches up, the values that it will have then.
  const double h = lane.catching_up ? simulation().scene().dt / lane.catching_up->substeps : run.scene().h();
  return {present_figures(lane), &run.integrator(), run.scene().solver.stage_solve, h};
}

void SimulationThread::Impl::set_origin(LiveLane& lane) {
  lane.origins = {present_figures(lane), method_from_now(lane), std::nullopt};
}

void SimulationThread::Impl::follow_methods() {
  const auto same = [](const LiveLane::MethodOrigin& a, const LiveLane::MethodOrigin& b) {
    return a.integrator == b.integrator && a.stages == b.stages && a.h == b.h;
  };
  for (const auto& lane : lanes) {
    auto& [common, method, before] = lane->origins;
    const LiveLane::MethodOrigin now = method_from_now(*lane);
    if (same(now, method)) continue;
    if (now.h != method.h || now.stages != method.stages) timer(*lane) = {};  // other steps
    const bool has_stepped = now.since.time != method.since.time;
    if (!has_stepped && before && same(now, *before)) {
      method = *std::exchange(before, std::nullopt);  // the change was undone
      continue;
    }
    if (has_stepped) before = method;
    method = now;
  }
}

void SimulationThread::Impl::restart_methods() {
  for (const auto& lane : lanes) {
    lane->origins.method.since = present_figures(*lane);
    lane->origins.before.reset();
  }
}

void SimulationThread::Impl::note_return(double time) {
  auto more = std::make_shared<std::vector<double>>(*returns);
  more->push_back(time);
  returns = std::move(more);
}

void SimulationThread::Impl::start_all_over() {
  std::vector<std::pair<LaneScene, LiveLane::Arrival>> on_their_way;
  for (const auto& lane : lanes)
    if (lane->catching_up && arena->find(lane->id) == nullptr)
      on_their_way.push_back(
          {{lane->id, lane->catching_up->run.simulation().shared_scene()}, lane->catching_up->arrival});
  start_over();
  for (const auto& [lane, arrival] : on_their_way)
    start_catch_up(insert_lane(lanes, lane.lane), *lane.scene, first, arrival);
}

void SimulationThread::Impl::continue_from_restored_state(bool failed) {
  const double t = arena->time();
  note_return(t);
  branch_at_time(t, failed);
  follow_blow_ups();
  resumes = false;
  past.reset();
  if (!history.empty() && history.newest()->time > t) history.clear();
  if (history.empty() || history.newest()->time != t) remember(false);
  if (t < common_origin.time) begin_origin("the run went back");
  for (const auto& lane : lanes)
    if (t < lane->origins.method.since.time) lane->origins.method.since = present_figures(*lane);
  pacer.restart(Clock::now());
  dirty = true;
}

void SimulationThread::Impl::remember_step_back() {
  const double t = arena->time();
  branch_history_at(t, true);
  if (!history.empty() && history.newest()->time >= t) history.forget_newest();
  remember(true);
}

void SimulationThread::Impl::branch_at_time(double time, bool failed) {
  give_up_returns();
  branch_history_at(time, failed);
  for (const auto& lane : lanes) lane->plot.forget_after(time);
}

void SimulationThread::Impl::branch_history_at(double time, bool failed) {
  std::erase_if(removed, [&](const RemovedLane& each) { return each.moment.time > time; });
  if (!(failed ? history.give_up_after(time) : history.branch_at(time))) return;
  origin_of_other_branch = common_origin;
  for (const auto& lane : lanes) {
    lane->plot_of_other_branch = lane->plot;
    lane->origins_of_other_branch = lane->origins;
  }
}

void SimulationThread::Impl::show_past_state(std::size_t state) {
  playing = false;
  past.reset();
  if (state + 1 < history.size()) past = Past{.shown = state};
  dirty = true;
}

void SimulationThread::Impl::continue_from_shown() {
  if (past && !past->by_itself()) {
    branch_at_time(history[past->shown].time);
    continue_from_newest_kept();
  } else if (stands() && live().blown) {
    revive(live(), tries_again_text(prospect(live()), good_time(live())));
  }
  past.reset();
  dirty = true;
}

void SimulationThread::Impl::continue_from_newest_kept() {
  if (history.empty()) throw InputError("No moment of the past is kept.");  // there was no memory for it
  arena->go_back(pool, *history.newest());
  continue_from_restored_state();
  request_estimates();
}

void SimulationThread::Impl::show_next_past_state(Clock::time_point now) {
  if (++past->shown >= history.size())
    past.reset();
  else
    past->next = std::max(past->next + past->spacing, now);
  dirty = true;
}

void SimulationThread::Impl::remember(bool stepped) {
  history.add([this](Moment& to) { arena->save(pool, to); });
  for (const auto& lane : lanes)
    if (runs(*lane)) add_sample(*lane, stepped ? 1e3 * arena->find(lane->id)->cost.processor : NAN);
}

void SimulationThread::Impl::refer_to(std::optional<LaneId> lane) {
  reference = lane;
  for (const auto& each : lanes) {
    PlotSample* present = each->plot.newest();
    if (present == nullptr || present->time != simulation_of(*each).state().t) continue;
    measure_distances(*each, *present);
  }
}

void SimulationThread::Impl::measure_distances(const LiveLane& lane, PlotSample& sample) const {
  const Lane* from = reference ? arena->find(*reference) : nullptr;
  const State& own = simulation_of(lane).state();
  sample.distance = sample.largest_distance = NAN;
  if (from == nullptr || lane.catching_up || from->simulation->state().t != own.t) return;
  const std::vector<vec3>& theirs = from->simulation->state().x;
  sample.distance = rms_distance(own.x, theirs);
  sample.largest_distance = largest_distance(own.x, theirs);
}

void SimulationThread::Impl::add_sample(LiveLane& lane, double milliseconds) {
  const Simulation& simulation = simulation_of(lane);
  const StepRecord& record = simulation.record();
  PlotSample sample{.time = simulation.state().t,
                    .energy = record.energy,
                    .ledger = record.ledger,
                    .max_strain = record.max_strain,
                    .milliseconds = milliseconds,
                    .cg_iterations = record.cg_iterations,
                    .newton_iterations = record.newton_iterations,
                    .converged = record.converged,
                    .integrator = &simulation.integrator()};
  measure_distances(lane, sample);
  if (followed) {
    sample.position = simulation.state().x[*followed];
    sample.velocity = simulation.state().v[*followed];
  }
  lane.plot.add(sample, speed / kFramesPerSecond);
}

}  // namespace clothlab
