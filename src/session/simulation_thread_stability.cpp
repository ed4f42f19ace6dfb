// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/grab_limits.h"
#include "analysis/stability_text.h"
#include "contact/contact_response.h"
#include "session/simulation_thread_impl.h"
#include "sim/parameters.h"

namespace clothlab {

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
  lane.blown = describe_blow_up(lane.id, blow_up_facts(blow_up, *own.simulation), own.simulation->scene());
  lane.last_blow_up = {blow_up.time, own.simulation->shared_scene()};
  if (arena->runs() && !arena->is_alone()) tell(lane.blown->sentence);
  // The reason is reported when the last good state is measured.
  request_estimate(lane);
  lane.blown->explained_by = lane.question;
  explain(lane);
}

BlownUpRun SimulationThread::Impl::describe_blow_up(LaneId lane, const BlowUpFacts& facts,
                                                    const Scene& scene) const {
  BlownUpRun blown{
      .facts = facts, .integrator = &method_info(scene), .parameters = integrator_parameters(scene)};
  blown.sentence = blow_up_sentence(blown);
  if (!arena->is_alone()) blown.sentence.insert(0, std::string("Lane ") + lane_letter(lane) + ": ");
  return blown;
}

std::optional<BlownUpRun> SimulationThread::Impl::blow_up_at(const LiveLane& lane,
                                                             const Moment::Part& then) const {
  if (!then.frozen) return std::nullopt;
  if (lane.blown && describes(*lane.blown, *then.frozen)) return lane.blown;
  // A frozen lane may have got another method since it blew up.
  const bool is_last = lane.last_blow_up && lane.last_blow_up->time == then.frozen->time;
  BlownUpRun blown =
      describe_blow_up(lane.id, blow_up_facts(*then.frozen, *then.checkpoint, simulation().mesh()),
                       is_last ? *lane.last_blow_up->scene : *then.checkpoint->scene);
  blown.why = explain_blow_up(blown.facts, *blown.integrator, blown.parameters, std::nullopt);
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
  lane.blown->why =
      explain_blow_up(lane.blown->facts, *lane.blown->integrator, lane.blown->parameters, lane.stability);
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
    explain(lane);
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
  const double stiffer = std::max(ratio(now.stretch_stiffness, then.stretch_stiffness),
                                  ratio(now.bend_stiffness, then.bend_stiffness));
  StabilityEstimate unknown;
  unknown.others = {DampedOscillation()};
  return at_least(lane.free_stability.value_or(unknown),
                  loaded->omega_max * std::sqrt(stiffer * then.mass / now.mass));
}

}  // namespace clothlab
