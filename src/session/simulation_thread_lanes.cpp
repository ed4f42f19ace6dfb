// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "session/simulation_thread_impl.h"
#include "sim/parameters.h"

namespace clothlab {

LiveLane& SimulationThread::Impl::live(LaneId lane) {
  return **std::ranges::find_if(lanes, [&](const auto& each) { return each->id == lane; });
}

LaneId SimulationThread::Impl::running_lane() const {
  const auto first_running = std::ranges::find_if(arena->lanes(), &Lane::runs);
  return runs(live()) || first_running == arena->lanes().end() ? active : first_running->id;
}

LiveLane& SimulationThread::Impl::insert_lane(std::vector<std::unique_ptr<LiveLane>>& to, LaneId lane) {
  const auto position = std::ranges::lower_bound(to, lane, {}, [](const auto& each) { return each->id; });
  return **to.insert(position, std::make_unique<LiveLane>(lane, [this] { queue.wake(); }));
}

void SimulationThread::Impl::follow_lanes() noexcept {
  std::erase_if(lanes,
                [&](const auto& lane) { return arena->find(lane->id) == nullptr && !lane->catching_up; });
  if (arena->find(active) == nullptr) active = arena->lanes().front().id;
  if (arena->find(grab_lane) == nullptr) grab_lane = running_lane();
  if (reference && arena->find(*reference) == nullptr) reference.reset();
  dirty = true;
}

void SimulationThread::Impl::begin_lane(LiveLane& lane) {
  lane.new_notices.in(simulation_of(lane).notices());  // they are not new
  request_estimate(lane);
}

void SimulationThread::Impl::follow_blow_ups() {
  for (const auto& lane : lanes) {
    const Lane* own = arena->find(lane->id);
    if (own == nullptr || !own->frozen)
      lane->blown.reset();
    else if (!lane->blown || !describes(*lane->blown, *own->frozen))
      blow_up(*lane);
  }
}

void SimulationThread::Impl::start_catch_up(LiveLane& lane, const Scene& method, const Moment& moment,
                                            LiveLane::Arrival arrival) {
  if (moment.lanes.empty())
    throw InputError("The start could not be kept because memory ran out: go back to it first.");
  const double from = moment.of(lane.id).checkpoint->state.t;
  // A waiting reset does not undo it: it catches up from there then.
  const StopProbe superseded = [this] { return queue.scene_waits(); };
  Scene catching_up = method;
  if (arena->find(lane.id) != nullptr) {
    const double parts =
        std::ceil(arena->largest_step_since(moment) / std::abs(method.dt) * (1 - 1e-9)) * method.substeps;
    catching_up.substeps = static_cast<int>(
        std::clamp(parts, static_cast<double>(method.substeps), find_scene_parameter("substeps")->spec.max));
  }
  CatchUp run = arena->start_catch_up(pool, lane.id, catching_up, moment, superseded);
  const bool begins = lane.plot.newest() == nullptr;
  lane.catching_up.emplace(LiveLane::Return{std::move(run), from, arrival, lane.origins, method.substeps});
  lane.plot.forget_after(from);
  if (from < origin.time || begins)
    set_origin(lane);
  else if (from < lane.origins.method.since.time)
    lane.origins.method.since = present_figures(lane);
  if (begins) add_sample(lane, std::numeric_limits<double>::quiet_NaN());
  dirty = true;
}

void SimulationThread::Impl::remove(LaneId lane) {
  RemovedLane kept;
  arena->save(pool, kept.moment);
  std::erase_if(kept.moment.lanes, [&](const Moment::Part& part) { return part.lane != lane; });
  std::erase_if(removed, [&](const RemovedLane& each) { return each.lane->id == lane; });
  removed.reserve(removed.size() + 1);
  arena->apply(pool, RemoveLane{lane});
  if (const auto recorder = recorders.find(lane); recorder != recorders.end()) {
    recorder->second->forget();
    recorders.erase(recorder);
  }
  const auto position = std::ranges::find_if(lanes, [&](const auto& each) { return each->id == lane; });
  cancel_catch_up(**position);
  kept.lane = std::move(*position);
  lanes.erase(position);
  removed.push_back(std::move(kept));
  follow_lanes();
}

void SimulationThread::Impl::restore(const LaneScene& lane) {
  const auto kept = std::ranges::find_if(removed, [&](const RemovedLane& each) {
    return each.lane->id == lane.lane && arena->has_passed(each.moment);
  });
  Moment from = first;
  lanes.reserve(lanes.size() + 1);  // a failure here loses nothing
  if (kept != removed.end()) {
    const auto position =
        std::ranges::lower_bound(lanes, lane.lane, {}, [](const auto& each) { return each->id; });
    from = std::move(kept->moment);
    lanes.insert(position, std::move(kept->lane));
    removed.erase(kept);
  } else {
    insert_lane(lanes, lane.lane);
  }
  try {
    LiveLane& live_lane = live(lane.lane);
    const Moment::Part* part = from.lanes.empty() ? nullptr : &from.of(lane.lane);
    if (part != nullptr && part->lane == lane.lane && (part->frozen || part->held)) {
      arena->restore_frozen(pool, lane.lane, *lane.scene, from);
      return follow_blow_ups();
    }
    live_lane.blown.reset();
    start_catch_up(live_lane, *lane.scene, from);
  } catch (...) {
    follow_lanes();
    throw;
  }
}

const Moment& SimulationThread::Impl::good_moment(LaneId lane) const {
  for (std::size_t i = history.size(); i-- > 0;) {
    const Moment::Part& part = history[i].of(lane);
    if (arena->has_passed(history[i]) && part.lane == lane && !part.frozen && !part.held &&
        part.checkpoint->record.max_strain < kGoodStrain)
      return history[i];
  }
  return first;
}

bool SimulationThread::Impl::is_catching_up() const {
  return std::ranges::any_of(lanes, [](const auto& lane) { return lane->catching_up.has_value(); });
}

void SimulationThread::Impl::catch_up(Clock::time_point until, int least) {
  for (int taken = 0; (taken < least || Clock::now() < until) && is_catching_up() && !queue.urgent();
       ++taken) {
    for (const auto& lane : lanes) {
      if (!lane->catching_up) continue;
      const Arena::Progress progress = advance_catch_up(*lane);
      dirty = true;
      if (progress != Arena::Progress::advanced) return;
    }
  }
}

Arena::Progress SimulationThread::Impl::advance_catch_up(LiveLane& lane) {
  try {
    const Arena::Progress progress = arena->advance(pool, lane.catching_up->run, stop);
    if (progress == Arena::Progress::advanced) {
      const Simulation& run = lane.catching_up->run.simulation();
      // It passes the common origin between two steps.
      if (run.state().t < origin.time + std::abs(run.scene().dt) / 2) set_origin(lane);
      add_sample(lane, std::numeric_limits<double>::quiet_NaN());
    }
    if (progress == Arena::Progress::arrived) arrive(lane);
    if (progress == Arena::Progress::blown_up) {
      tell(std::string("Lane ") + lane_letter(lane.id) + " blew up again while it caught up.");
      cancel_catch_up(lane);
      follow_lanes();
    }
    return progress;
  } catch (const InputError& refused_entry) {
    const std::string name = std::string("Lane ") + lane_letter(lane.id);  // it may end with follow_lanes()
    cancel_catch_up(lane);
    follow_lanes();
    throw InputError(name + " cannot repeat this run. " + refused_entry.what());
  } catch (...) {
    cancel_catch_up(lane);
    follow_lanes();
    throw;
  }
}

void SimulationThread::Impl::arrive(LiveLane& lane) {
  const LiveLane::Arrival arrival = lane.catching_up->arrival;
  const int substeps = lane.catching_up->substeps;
  arena->finish(std::move(lane.catching_up->run));
  lane.catching_up.reset();
  if ((*arena)[lane.id].scene().substeps != substeps)
    arena->apply(pool, lane.id, SetParameter{"substeps", static_cast<double>(substeps)});
  lane.blown.reset();
  if (!history.empty() && history.newest()->time == arena->time())
    history.replace_newest([this](Moment& to) { arena->save(pool, to); });
  if (arrival == LiveLane::Arrival::reference) refer_to(lane.id);
  if (arrival == LiveLane::Arrival::active) active = lane.id;
  begin_lane(lane);
  warn_of_grab(lane.id);
}

void SimulationThread::Impl::cancel_catch_up(LiveLane& lane) {
  if (!lane.catching_up) return;
  lane.origins = lane.catching_up->origins_before;
  lane.catching_up.reset();
  if (lane.origins.common.time < origin.time && arena->find(lane.id) != nullptr) set_origin(lane);
}

void SimulationThread::Impl::give_up_returns() {
  for (const auto& lane : lanes) cancel_catch_up(*lane);
  follow_lanes();
}

}  // namespace clothlab
