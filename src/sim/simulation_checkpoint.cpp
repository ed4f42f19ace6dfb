// SPDX-License-Identifier: MIT
// Saving and loading the state of a step and of a run (sim/checkpoint.h).

#include <memory>
#include <utility>

#include "core/error.h"
#include "sim/parameters.h"
#include "sim/simulation_impl.h"

namespace clothlab {

/// The part that a step changes.
void Simulation::Impl::save_progress(WorkerPool& pool, Checkpoint& to) const {
  copy_state(pool, to.state);
  to.memory.clear();
  integrator->save(to.memory);
  to.entering = entering;
  to.last_h = last_h;
  to.control = control;
  to.contacts = contact->contacts();
  to.lifting = lifting;
  to.stiffened = contact->stiffened();
  to.account = account;
}

/// All of that but the state.
void Simulation::Impl::load_progress(const Checkpoint& from) {
  MemoryReader memory(from.memory);
  integrator->load(memory, state.x.size());
  entering = from.entering;
  last_h = from.last_h;
  control = from.control;
  contact->set_contacts(from.contacts);
  lifting = from.lifting;
  account = from.account;
}

void Simulation::Impl::save(WorkerPool& pool, Checkpoint& to) const {
  save_progress(pool, to);
  to.scene = scene;
  to.pins = pins;
  to.moves = moves;
  to.grab = system.grab();
  to.grab_strength = grab_strength;
  to.measured = measured;
  to.watch = watch;
  to.notices = notices;
  to.behind = contact_watch.behind();
  to.record = record;
  to.residuals = residuals;
  to.blow_up = blow_up;
  to.last_good = last_good;
  to.last_good_step = last_good_step;
}

void Simulation::Impl::load(WorkerPool& pool, const Checkpoint& from) {
  const std::size_t n = state.x.size();
  if (!from.scene || !from.last_good || from.state.x.size() != n || from.state.v.size() != n)
    throw InputError("The checkpoint does not belong to this mesh.");
  std::unique_ptr<Integrator> fresh = make_integrator(*from.scene);
  MemoryReader memory(from.memory);
  fresh->load(memory, n);  // throws before anything has changed
  system.set_material(from.scene->material);
  system.set_wind(from.scene->wind);
  integrator = std::move(fresh);
  info = &integrator_info(from.scene->integrator);
  scene = from.scene;
  state = from.state;
  pins = from.pins;
  moves = from.moves;
  configure_contact();
  load_progress(from);
  contact->stiffen(from.stiffened);
  contact->detect(pool, state.x);
  system.set_grab(from.grab);
  grab_strength = from.grab_strength;
  watch = from.watch;
  notices = from.notices;
  contact_watch.set_behind(from.behind);
  if (from.measured) {
    measured = *from.measured;
    record = from.record;
  } else {
    measure({pool});
    record = from.record;
    record_state(from.record.step);
  }
  body_contacts = {};
  blow_up = from.blow_up;
  set_last_good(*from.last_good, from.last_good_step);
  at_start.reset();
  reserve_residuals();
  residuals = from.residuals;
  jumped = true;
  constrain_pins();
}

Simulation::StateAtStep Simulation::Impl::last_good_state() const {
  if (is_good()) return {state, record.step};
  return {*last_good, last_good_step};
}

Simulation::StateAtStep last_good_state(const Checkpoint& checkpoint) {
  if (checkpoint.record.max_strain < kGoodStrain) return {checkpoint.state, checkpoint.record.step};
  return {*checkpoint.last_good, checkpoint.last_good_step};
}

void Simulation::Impl::set_last_good(State good, std::uint64_t step) {
  last_good = std::make_shared<State>(std::move(good));
  last_good_step = step;
}

}  // namespace clothlab
