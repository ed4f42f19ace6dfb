// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/grab_limits.h"
#include "analysis/stability_text.h"
#include "contact/contact_response.h"
#include "core/error.h"
#include "session/simulation_thread_impl.h"
#include "sim/parameters.h"

namespace clothlab {

LiveLane* SimulationThread::Impl::find_live(LaneId lane) const {
  const auto found = std::ranges::find_if(lanes, [&](const auto& each) { return each->id == lane; });
  return found == lanes.end() ? nullptr : found->get();
}

LaneId SimulationThread::Impl::running_lane() const {
  const auto first_running = std::ranges::find_if(arena->lanes(), &Lane::runs);
  return runs(live()) || first_running == arena->lanes().end() ? active : first_running->id;
}

LiveLane& SimulationThread::Impl::insert_lane(std::vector<std::unique_ptr<LiveLane>>& to, LaneId lane,
                                              std::unique_ptr<LiveLane> data) {
  if (!data) data = std::make_unique<LiveLane>(lane, [this] { queue.wake(); });
  const auto position = std::ranges::lower_bound(to, lane, {}, [](const auto& each) { return each->id; });
  return **to.insert(position, std::move(data));
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
  if (from < common_origin.time || begins)
    set_origin(lane);
  else if (from < lane.origins.method.since.time)
    lane.origins.method.since = present_figures(lane);
  if (begins) add_sample(lane, NAN);
  dirty = true;
}

void SimulationThread::Impl::remove(LaneId lane) {
  RemovedLane kept;
  arena->save(pool, kept.moment);
  std::erase_if(kept.moment.lanes, [&](const Moment::Part& part) { return part.lane != lane; });
  std::erase_if(removed, [&](const RemovedLane& each) { return each.lane->id == lane; });
  removed.reserve(removed.size() + 1);
  arena->apply(pool, RemoveLane{lane});
  std::erase_if(recordings, [&](const Record::Recording& each) {
    const bool ends = std::ranges::count(each.lanes, lane) > 0;
    if (ends) each.recorder->forget();
    return ends;
  });
  const auto position = std::ranges::find_if(lanes, [&](const auto& each) { return each->id == lane; });
  cancel_catch_up(**position);
  (*position)->end_copy();
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
  std::unique_ptr<LiveLane> data;
  lanes.reserve(lanes.size() + 1);  // a failure here loses nothing
  if (kept != removed.end()) {
    from = std::move(kept->moment);
    data = std::move(kept->lane);
    removed.erase(kept);
  }
  LiveLane& live_lane = insert_lane(lanes, lane.lane, std::move(data));
  const Moment::Part* part = from.lanes.empty() ? nullptr : &from.of(lane.lane);
  if (part != nullptr && part->lane == lane.lane && (part->frozen || part->held)) {
    arena->restore_frozen(pool, lane.lane, *lane.scene, from);
    return follow_blow_ups();
  }
  live_lane.blown.reset();
  start_catch_up(live_lane, *lane.scene, from);
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
      const bool advanced = advance_catch_up(*lane);
      dirty = true;
      if (!advanced) return;
    }
  }
}

bool SimulationThread::Impl::advance_catch_up(LiveLane& lane) {
  const std::string name = std::string("Lane ") + lane_letter(lane.id);
  const auto give_up = [&] {
    cancel_catch_up(lane);
    follow_lanes();
  };
  try {
    const std::optional<StepStatus> status = arena->advance(pool, lane.catching_up->run, stop);
    if (status == StepStatus::done) {
      const Simulation& run = lane.catching_up->run.simulation();
      // It passes the common origin between two steps.
      if (run.state().t < common_origin.time + std::abs(run.scene().dt) / 2) set_origin(lane);
      add_sample(lane, NAN);
    }
    if (!status) arrive(lane);
    if (status == StepStatus::blown_up) {
      tell(name + " blew up again while it caught up.");
      give_up();
    }
    return status == StepStatus::done;
  } catch (const InputError& refused_entry) {
    give_up();
    throw InputError(name + " cannot repeat this run. " + refused_entry.what());
  } catch (...) {
    give_up();
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
  if (lane.origins.common.time < common_origin.time && arena->find(lane.id) != nullptr) set_origin(lane);
}

void SimulationThread::Impl::give_up_returns() {
  for (const auto& lane : lanes) cancel_catch_up(*lane);
  follow_lanes();
}

// Stability and blow-ups ----------------------------------------------------------------------------

Prospect SimulationThread::Impl::prospect(const LiveLane& lane) const {
  const Simulation& simulation = simulation_of(lane);
  Prospect now{&simulation.integrator(), simulation.scene().h(), std::nullopt};
  if (is_stable_at_every_step(lane))
    now.largest_step = std::numeric_limits<double>::infinity();
  else if (lane.stability)
    now.largest_step =
        largest_stable_step(*now.integrator, integrator_parameters(simulation.scene()), *lane.stability);
  return now;
}

bool SimulationThread::Impl::is_stable_at_every_step(const LiveLane& lane) const {
  const Simulation& simulation = simulation_of(lane);
  const IntegratorInfo& info = simulation.integrator();
  return std::isinf(stability_limit(info, integrator_parameters(simulation.scene()))) &&
         !(info.wind_limit && simulation.scene().wind.on);
}

void SimulationThread::Impl::blow_up(LiveLane& lane) {
  const Lane& own = *arena->find(lane.id);
  forget_estimate(lane);
  const BlowUp& blow_up = own.frozen ? *own.frozen : own.simulation->blow_up().value();
  lane.blown = describe_blow_up(lane.id, blow_up_facts(blow_up, *own.simulation));
  lane.last_blow_up = {blow_up.time, own.simulation->shared_scene()};
  if (arena->runs() && !arena->is_alone()) tell(lane.blown->sentence);
  // The reason is reported when the last good state is measured.
  request_estimate(lane);
  lane.blown->explained_by = lane.question;
  explain(lane);
}

BlownUpRun SimulationThread::Impl::describe_blow_up(LaneId lane, const BlowUpFacts& facts) const {
  BlownUpRun blown{.facts = facts};
  blown.sentence = blow_up_sentence(blown);
  if (!arena->is_alone()) blown.sentence.insert(0, std::string("Lane ") + lane_letter(lane) + ": ");
  return blown;
}

std::optional<BlownUpRun> SimulationThread::Impl::blow_up_at(const LiveLane& lane,
                                                             const Moment::Part& then) const {
  if (!then.frozen) return std::nullopt;
  if (lane.blown && describes(*lane.blown, *then.frozen)) return lane.blown;
  BlowUpFacts facts = blow_up_facts(*then.frozen, *then.checkpoint, simulation().mesh());
  // A frozen lane may have got another method since it blew up.
  if (lane.last_blow_up && lane.last_blow_up->time == then.frozen->time) {
    facts.integrator = &method_info(*lane.last_blow_up->scene);
    facts.parameters = integrator_parameters(*lane.last_blow_up->scene);
  }
  BlownUpRun blown = describe_blow_up(lane.id, facts);
  blown.why = explain_blow_up(blown.facts, std::nullopt);
  return blown;
}

void SimulationThread::Impl::revive(LiveLane& lane, std::string sentence) {
  if (!stands()) {
    start_catch_up(lane, (*arena)[lane.id].scene(), good_moment(lane.id));
    return tell(std::move(sentence));
  }
  const bool plays = resumes;
  arena->apply(pool, lane.id, RestoreGoodState{});
  continue_from_restored_state(true);
  restart_methods();
  playing = plays;
  request_estimate(lane);
  tell(std::move(sentence));
}

void SimulationThread::Impl::reconsider(LiveLane& lane) {
  lane.blown->decided_by = lane.blown->requests_again ? lane.question + 1 : lane.question;
  if (is_stable_at_every_step(lane)) decide(lane);
}

void SimulationThread::Impl::decide(LiveLane& lane) {
  lane.blown->decided_by = 0;
  const Prospect now = prospect(lane);
  if (past && !past->by_itself()) return tell(waits_in_past_text(now));
  if (now.is_stable()) return revive(lane, continues_text(now, good_time(lane)));
  // Space plays the other lanes, if there are any that run.
  if (stands()) tell(stays_frozen_text(now));
}

void SimulationThread::Impl::explain(LiveLane& lane) {
  lane.blown->why = explain_blow_up(lane.blown->facts, lane.stability);
}

void SimulationThread::Impl::request_estimates() {
  for (const auto& lane : lanes) request_estimate(*lane);
}

void SimulationThread::Impl::request_estimate(LiveLane& lane, bool urgent) {
  if (lane.blown && lane.blown->explained_by != 0 && !lane.blown->explained) {
    lane.blown->requests_again = true;
    return;
  }
  const Simulation& simulation = simulation_of(lane);
  lane.asked = Clock::now();
  StabilityMonitor::Question q;
  q.model = simulation.system().shared_model();
  q.material = simulation.scene().material;
  q.mode = simulation.scene().solver.jacobian;
  q.integrator = &simulation.integrator();
  q.wind = simulation.scene().wind;
  q.contact = simulation.contact().force().settings();
  q.surfaces = simulation.surfaces().at_end();
  q.grab = simulation.grab();
  q.state = lane.blown ? simulation.last_good_state().state : simulation.state();
  q.held = simulation.constraints(q.state.x);
  q.without_distances = has_distances(simulation.scene().drivers);
  q.urgent = urgent;
  q.spectrum = spectrum.wanted && lane.id == active;
  q.eigenvalues = spectrum.eigenvalues;
  lane.requested_at = simulation.state().t;
  q.tag = ++lane.question;
  lane.monitor.ask(std::move(q));
}

void SimulationThread::Impl::forget_estimate(LiveLane& lane) {
  lane.stability.reset();
  lane.spectrum.reset();
  lane.free_stability.reset();
  lane.forgotten = lane.question;
  if (lane.blown) lane.blown->explained = true;  // as far as possible
}

void SimulationThread::Impl::adopt_estimate(LiveLane& lane) {
  const std::shared_ptr<const StabilityMonitor::Answer> answer = lane.monitor.answer();
  if (!answer || answer == lane.taken || answer->tag <= lane.forgotten) return;
  lane.taken = answer;
  lane.stability = answer->estimate;
  lane.spectrum = answer->spectrum;
  if (!answer->held) lane.free_stability = lane.stability;
  dirty = true;
  if (!lane.blown) return;
  if (answer->tag == lane.blown->explained_by) {
    explain(lane);  // again where eigenvalues follow an estimate
    lane.blown->explained = true;
    if (std::exchange(lane.blown->requests_again, false)) request_estimate(lane);
  }
  if (lane.blown->decided_by != 0 && answer->tag >= lane.blown->decided_by) decide(lane);
}

LaneId SimulationThread::Impl::softest_grab_lane(const Grab& hold) {
  std::optional<LaneId> softest;
  double stiffness = std::numeric_limits<double>::infinity();
  for (const Lane& lane : arena->lanes()) {
    const IntegratorInfo& info = lane.simulation->integrator();
    const bool limited =
        !std::isinf(stability_limit(info, integrator_parameters(lane.simulation->scene()))) &&
        !info.inextensible;
    if (!lane.runs() || !limited) continue;
    const double own =
        MouseGrab(pool, hold, *lane.simulation, estimate_without_grab(live(lane.id))).grab().stiffness;
    if (own < stiffness) softest = lane.id, stiffness = own;
  }
  return softest.value_or(running_lane());
}

void SimulationThread::Impl::warn_of_grab(LaneId lane) {
  const Lane& own = *arena->find(lane);
  if (mouse_grab && lane != grab_lane && own.runs() &&
      mouse_grab->breaks_limit(*own.simulation, estimate_without_grab(live(lane))))
    tell(own.name() +
         " is stable without this grab, but perhaps not with it. Release the cloth and grab it again.");
}

StabilityEstimate SimulationThread::Impl::estimate_without_grab(const LiveLane& lane) const {
  const Simulation& simulation = simulation_of(lane);
  if (lane.free_stability && simulation.integrator().inextensible) return *lane.free_stability;
  const Material &now = simulation.scene().material, &then = loaded->scene.material;
  const auto ratio = [](double k, double k0) { return k0 > 0 ? k / k0 : 0.0; };
  const auto bend = [](const Material& of) { return of.is_fabric() ? of.fabric.bending : of.bend_stiffness; };
  const double stiffer = std::max(ratio(now.stretch_scale(), then.stretch_scale()),
                                  now.kind == then.kind ? ratio(bend(now), bend(then)) : 0.0);
  const double area = simulation.mesh().area;
  StabilityEstimate unknown;
  unknown.others = {DampedOscillation()};
  return at_least(lane.free_stability.value_or(unknown),
                  loaded->omega_max * std::sqrt(stiffer * then.mass_of(area) / now.mass_of(area)));
}

}  // namespace clothlab
