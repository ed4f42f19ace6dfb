// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/grab_limits.h"
#include "analysis/stability_text.h"
#include "runtime/simulation_thread_impl.h"
#include "sim/parameters.h"

namespace clothlab {

Prospect SimulationThread::Impl::prospect() const {
  const IntegratorInfo& info = simulation->integrator();
  Prospect now{&info, simulation->scene().stepping.dt, std::nullopt};
  if (is_stable_at_every_step())
    now.largest_step = std::numeric_limits<double>::infinity();
  else if (stability)
    now.largest_step = largest_stable_step(info, integrator_parameters(simulation->scene()), *stability);
  return now;
}

bool SimulationThread::Impl::is_stable_at_every_step() const {
  const IntegratorInfo& info = simulation->integrator();
  return std::isinf(stability_limit(info, integrator_parameters(simulation->scene()))) &&
         !(info.wind_limit && simulation->scene().wind.on);
}

void SimulationThread::Impl::revive(std::string sentence) {
  const bool plays = resumes;
  simulation.apply(pool, RestoreSoundState{});
  go_on_from_restored_state();
  playing = plays;
  ask_for_estimate();
  tell(std::move(sentence));
}

void SimulationThread::Impl::reconsider() {
  blown->decided_by = blown->asks_again ? question + 1 : question;
  if (is_stable_at_every_step()) decide();
}

void SimulationThread::Impl::decide() {
  blown->decided_by = 0;
  const Prospect now = prospect();
  if (past && !past->by_itself()) return tell(waits_in_past_text(now));
  if (now.is_stable()) return revive(goes_on_text(now, sound_time()));
  tell(stays_frozen_text(now));
}

void SimulationThread::Impl::explain() {
  const BlowUp& b = blown->facts;
  const Simulation::StateAtStep sound = simulation->last_sound_state();
  blown->why = explain_blow_up({.finite = b.cause != BlowUp::Cause::not_finite,
                                .step = b.step,
                                .time = b.time,
                                .h = b.dt,
                                .energy = b.energy,
                                .allowed = b.allowed,
                                .factor = simulation->scene().stepping.energy_limit,
                                .sound_time = sound.step > 0 ? std::optional(sound.state.t) : std::nullopt},
                               *blown->integrator, blown->parameters, stability);
}

void SimulationThread::Impl::ask_for_estimate(bool urgent) {
  if (blown && blown->explained_by != 0 && !blown->explained) {
    blown->asks_again = true;
    return;
  }
  asked = Clock::now();
  StabilityMonitor::Question q;
  q.model = simulation->system().shared_model();
  q.material = simulation->scene().material;
  q.mode = simulation->scene().stepping.solver.jacobian;
  q.integrator = &simulation->integrator();
  q.wind = simulation->scene().wind;
  q.grab = simulation->grab();
  q.state = blown ? simulation->last_sound_state().state : simulation->state();
  q.held = simulation->constraints(q.state.x);
  q.urgent = urgent;
  q.tag = ++question;
  monitor.ask(std::move(q));
}

void SimulationThread::Impl::forget_estimate() {
  stability.reset();
  free_stability.reset();
  forgotten = question;
  if (blown) blown->explained = true;  // as well as it can be
}

void SimulationThread::Impl::adopt_estimate() {
  const std::shared_ptr<const StabilityMonitor::Answer> answer = monitor.answer();
  if (!answer || answer == taken || answer->tag <= forgotten) return;
  taken = answer;
  stability = answer->estimate;
  if (!answer->held) free_stability = stability;
  dirty = true;
  if (!blown) return;
  if (answer->tag == blown->explained_by) {
    explain();
    blown->explained = true;
    if (std::exchange(blown->asks_again, false)) ask_for_estimate();
  }
  if (blown->decided_by != 0 && answer->tag >= blown->decided_by) decide();
}

StabilityEstimate SimulationThread::Impl::estimate_without_grab() const {
  if (free_stability && simulation->integrator().inextensible) return *free_stability;
  const Material &now = simulation->scene().material, &then = loaded->scene.material;
  const auto ratio = [](double k, double k0) { return k0 > 0 ? k / k0 : 0.0; };
  const double stiffer = std::max(ratio(now.stretch_stiffness, then.stretch_stiffness),
                                  ratio(now.bend_stiffness, then.bend_stiffness));
  StabilityEstimate unknown;
  unknown.others = {DampedOscillation()};
  return at_least(free_stability.value_or(unknown),
                  loaded->omega_max * std::sqrt(stiffer * then.mass / now.mass));
}

}  // namespace clothlab
