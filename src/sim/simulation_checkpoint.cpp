// SPDX-License-Identifier: MIT
// Saving and loading the state of a step and of a run (sim/checkpoint.h).

#include <memory>
#include <utility>

#include "core/error.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {

/// The part that a step changes.
void Simulation::save_progress(WorkerPool& pool, Checkpoint& to) const {
  copy_state(pool, to.state);
  to.memory.clear();
  integrator_->save(to.memory);
  to.entering = entering_;
  to.last_h = last_h_;
  to.control = control_;
  to.contacts = contact_->contacts();
  to.pairs = contact_->active_pairs();
  to.lifting = lifting_;
  to.stiffened = contact_->stiffened();
  to.account = account_;
}

/// All of that but the state.
void Simulation::load_progress(const Checkpoint& from) {
  MemoryReader memory(from.memory);
  integrator_->load(memory, state_.x.size());
  entering_ = from.entering;
  last_h_ = from.last_h;
  control_ = from.control;
  contact_->set_contacts(from.contacts);
  contact_->set_active_pairs(from.pairs);
  lifting_ = from.lifting;
  account_ = from.account;
}

void Simulation::save(WorkerPool& pool, Checkpoint& to) const {
  save_progress(pool, to);
  to.scene = scene_;
  to.pins = pins_;
  to.moves = moves_;
  to.grab = system_.grab();
  to.grab_strength = grab_strength_;
  to.measured = measured_;
  to.watch = watch_;
  to.notices = notices_;
  to.warnings = warnings_;
  to.behind = contact_watch_.behind();
  to.record = record_;
  to.residuals = residuals_;
  to.blow_up = blow_up_;
  to.last_good = last_good_;
  to.last_good_step = last_good_step_;
}

void Simulation::load(WorkerPool& pool, const Checkpoint& from) {
  const std::size_t n = state_.x.size();
  if (!from.scene || !from.last_good || from.state.x.size() != n || from.state.v.size() != n)
    throw InputError("The checkpoint does not belong to this mesh.");
  ++changes_;
  std::unique_ptr<Integrator> fresh = make_integrator(*from.scene);
  MemoryReader memory(from.memory);
  fresh->load(memory, n);  // throws before anything has changed
  set_drivers(drivers_of(*from.scene));
  system_.set_material(from.scene->material);
  set_seams(*from.scene);
  system_.set_wind(from.scene->wind);
  set_integrator(*from.scene, std::move(fresh));
  scene_ = from.scene;
  state_ = from.state;
  pins_ = from.pins;
  moves_ = from.moves;
  configure_contact();
  load_progress(from);
  contact_->stiffen(from.stiffened);
  contact_->detect(pool, state_.x);
  system_.set_grab(from.grab);
  grab_strength_ = from.grab_strength;
  watch_ = from.watch;
  notices_ = from.notices;
  warnings_ = from.warnings;
  for (std::size_t k = 0; k < warned_.size(); ++k) warned_[k] = warnings_[k].has_value();
  foresight_.reset();
  contact_watch_.set_behind(from.behind);
  record_ = from.record;
  if (from.measured) {
    measured_ = *from.measured;
  } else {
    measure({pool});
    record_state(from.record.step);
  }
  body_contacts_ = {};
  blow_up_ = from.blow_up;
  set_last_good(*from.last_good, from.last_good_step);
  at_start_.reset();
  reserve_residuals();
  residuals_ = from.residuals;
  jumped_ = true;
  constrain_pins(state_.t);
}

Simulation::StateAtStep last_good_state(const Checkpoint& checkpoint) {
  if (checkpoint.record.max_strain < kGoodStrain) return {checkpoint.state, checkpoint.record.step};
  return {*checkpoint.last_good, checkpoint.last_good_step};
}

}  // namespace clothlab
