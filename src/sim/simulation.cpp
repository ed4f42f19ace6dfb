// SPDX-License-Identifier: MIT
#include "sim/simulation_impl.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text.h"
#include "core/vec.h"
#include "sim/mesh_notices.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::string_view kSmallestStepReached =
    "Adaptive steps: even h/1024 leaves a larger strain than allowed; the step was accepted.";

// Of the mesh's diagonal: smaller displacements on entering a method with rods are rounding.
constexpr double kMoved = 1e-6;

// How often a step is repeated because cloth has landed.
constexpr int kLandings = 2;

std::shared_ptr<const ClothMesh> not_null(std::shared_ptr<const ClothMesh> mesh) {
  if (!mesh) throw InputError("A simulation needs a mesh.");
  return mesh;
}

Scene checked(Scene scene) {
  check_parameters(scene);
  return scene;
}

const Scene& scene_of(const Checkpoint& checkpoint) {
  if (!checkpoint.scene) throw InputError("The checkpoint has no scene.");
  return *checkpoint.scene;
}

}  // namespace

std::unique_ptr<Integrator> make_integrator(const Scene& scene) {
  return integrator_info(scene.integrator).make(integrator_parameters(scene));
}

Simulation::Impl::Impl(Scene the_scene, std::shared_ptr<const ClothMesh> the_mesh,
                       const ComputeContext& context, std::shared_ptr<const ClothModel> model)
    : mesh(not_null(std::move(the_mesh))),
      scene(std::make_shared<const Scene>(checked(std::move(the_scene)))),
      system(model ? std::move(model) : std::make_shared<const ClothModel>(mesh, context.stop),
             scene->material),
      info(&integrator_info(scene->integrator)),
      integrator(make_integrator(*scene)),
      contact(info_of(scene->contact.model).make()),
      contact_model(scene->contact.model) {
  system.set_wind(scene->wind);
}

StepStatus Simulation::Impl::step(const ComputeContext& context, bool alone) {
  keep_start_of_step(context.pool);
  StepStatus status = StepStatus::stopped;
  is_alone = alone;
  try {
    while ((status = run_stages(context)) == StepStatus::stopped) repeat_stiffer();
  } catch (const Cancelled&) {
    abandon_step();
  } catch (...) {
    abandon_step();
    leave_surfaces();
    throw;
  }
  leave_surfaces();
  return status;
}

/// Stopped: the step needs a stiffer barrier. All stages throw Cancelled on cancellation.
StepStatus Simulation::Impl::run_stages(const ComputeContext& context) {
  const double end = state.t + scene->dt;
  for (int substep = 0; substep < scene->substeps; ++substep)
    if (const StepStatus status = run_substep(context); status != StepStatus::done) return status;
  // The same time to the last bit, whatever the number of substeps and the adaptive steps.
  state.t = end;
  finish_record();
  return StepStatus::done;
}

/// In one or, with adaptive steps, in several pieces.
StepStatus Simulation::Impl::run_substep(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  control.begin();
  while (!control.done()) {
    const double h = scene->h() * control.units() / StepControl::kUnits;
    const bool has_obstacles = !scene->obstacles.bodies.empty();
    if (scene->adaptive || contact->corrects_steps() || contact->force().limits_displacements() ||
        has_obstacles)
      keep_start_of_substep(context.pool);
    const double kinetic_before = measured.internal.kinetic + measured.internal.drift;
    set_pin_targets(h, context);
    begin_contact(h, context);
    cancel.poll();
    if (!contact->may_begin(contact_step(h, state, context))) {
      if (control.at_smallest() && may_stiffen()) return StepStatus::stopped;
      if (control.at_smallest()) return refuse_step(squeezed(h), context.pool);
      retry_with_half();
      continue;
    }
    restart_integrator_if_new(h);
    enter_integrator_if_new(h, context);
    begin_ledger(context.pool);
    const StepReport report = advance(h, context);
    measure(context);
    end_ledger();
    const std::optional<BlowUp> bad = check_energy(h);
    const bool good = !bad && (!scene->adaptive || measured.strain <= scene->max_strain);
    if (!good && scene->adaptive && !control.at_smallest()) {
      retry_with_half();
      continue;
    }
    if (bad) return refuse_step(*bad, context.pool);
    if (contact->force().is_pressed_shut() && may_stiffen()) return StepStatus::stopped;
    if (has_obstacles)
      contact_watch.watch(context.pool, *mesh, system, surfaces, h, substep_start, state,
                          std::max(kinetic_before, measured.internal.kinetic + measured.internal.drift),
                          measured.strain);
    adopt_substep(report, h, good);
  }
  return StepStatus::done;
}

void Simulation::Impl::keep_start_of_step(WorkerPool& pool) {
  save_progress(pool, at_step);
  begin_record();
}

void Simulation::Impl::begin_record() {
  moved_on_entry = 0;
  contact_watch.begin_step();
  next = StepRecord{};
  next.step = record.step + 1;
  next.h = scene->dt;
  next.integrator = info->id;
  next.ledger = record.ledger;
  next_body_contacts = {};
}

/// Keeps the start of the completed step, which was the last good state.
void Simulation::Impl::keep_last_good() {
  std::swap(*last_good, at_step.state);
  last_good_step = record.step - 1;
}

void Simulation::Impl::copy_state(WorkerPool& pool, State& to) const {
  constexpr std::size_t kGrain = 1024;
  to.x.resize(state.x.size());
  to.v.resize(state.v.size());
  to.t = state.t;
  pool.for_chunks(state.x.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      to.x[i] = state.x[i];
      to.v[i] = state.v[i];
    }
  });
}

void Simulation::Impl::keep_start_of_substep(WorkerPool& pool) {
  copy_state(pool, substep_start);
  account_at_substep = account;
}

/// Sets the targets of the pins for the substep.
void Simulation::Impl::set_pin_targets(double h, const ComputeContext& context) {
  pins.set_pin_targets(state.t + h, system.projection());
  add_work_of_constraints(h, true, context);
}

/// Adds the work of moving the pins, or the particles in contact: the gain of the springs when only those
/// move, and their gain in kinetic energy. Up to second order in the displacement Δx this is −f·Δx with the
/// forces f at the beginning; the second order counts when a pin jumps. It does not depend on the outcome of
/// the step.
void Simulation::Impl::add_work_of_constraints(double h, bool of_pins, const ComputeContext& context) {
  const Projection& projection = system.projection();
  const bool rods = has_rods();
  bool moving = false;
  double work = 0, lifted = 0;
  const auto displacement_of = [&](const Projection::Entry& entry) {
    const vec3 displacement = entry.target - state.x[entry.particle];
    return entry.S == mat3(0.0) ? displacement : displacement - entry.S * displacement;
  };
  for (const Projection::Entry& entry : projection.entries()) {
    if (!of_pins && pins.contains(entry.particle)) continue;
    const vec3 displacement = displacement_of(entry), velocity = displacement / h;
    moving = moving || displacement != vec3(0.0);
    const vec3 before = state.v[entry.particle];
    const double gain = glm::dot(velocity, velocity) - glm::dot(before, before);
    const double mass = system.masses()[entry.particle];
    // Rods may transfer it to the whole cloth at once.
    work += 0.5 * (rods ? system.material().mass : mass) * std::max(gain, 0.0);
    lifted -= mass * glm::dot(system.material().gravity, displacement);
  }
  if (!moving) return;
  account.add_work(lifted);
  probe.x = state.x;
  for (const Projection::Entry& entry : projection.entries())
    if (of_pins || !pins.contains(entry.particle)) probe.x[entry.particle] += displacement_of(entry);
  const ClothSystem::Energies before = energies_of(context.pool, state.x);
  CancelPoint(context.stop).poll();
  const ClothSystem::Energies after = energies_of(context.pool, probe.x);
  account.add_work(work + after.stretch + after.bend - before.stretch - before.bend);
}

/// The air, the surfaces and the contacts of the substep. A changed set of constraints restarts multistep
/// methods, as a changed pin does.
void Simulation::Impl::begin_contact(double h, const ComputeContext& context) {
  system.update_wind(context.pool, state.x, state.t);
  CancelPoint(context.stop).poll();
  place_surfaces(h);
  if (contact->begin_step(contact_step(h, state, context))) integrator->reset();
  if (contact->constrains() && surfaces.move()) add_work_of_constraints(h, false, context);
}

/// Adopts the contact model of the scene and its values, with the surfaces in their current poses.
void Simulation::Impl::configure_contact() {
  if (contact_model != scene->contact.model) {
    std::unique_ptr<ContactResponse> other = info_of(scene->contact.model).make();
    other->set_contacts(contact->contacts());
    system.set_contact(nullptr);
    contact = std::move(other);
    contact_model = scene->contact.model;
  }
  place_surfaces(0);
  contact->configure(contact_input(*scene, system.model(), *mesh), surfaces);
  system.set_contact(contact->force().empty() ? nullptr : &contact->force());
}

void Simulation::Impl::limit_displacements(double h, const ComputeContext& context) {
  given_by_limit = 0;
  const double fraction = contact->limit(context.pool, state.x);
  next.contacts.limit = std::min(next.contacts.limit, fraction);
  if (fraction == 1) return;
  const auto energy = [&] {
    const ClothSystem::Energies potential = energies_of(context.pool, state.x);
    return energy_report(potential, meter.measure(context.pool, system, state, potential)).total;
  };
  const double before = energy();
  contact->apply_limit(contact_step(h, substep_start, context), state);
  given_by_limit = energy() - before;
  integrator->reset();
}

/// One substep, repeated if cloth has landed.
StepReport Simulation::Impl::advance(double h, const ComputeContext& context) {
  StepContext of_step{scene->solver, context.pool, context.stop, &ledger};
  of_step.reached = contact->reached();
  ledger.begin();
  StepReport report = integrator->advance(system, state, h, of_step);
  if (report.stopped) throw Cancelled();
  for (int again = 0; again < kLandings; ++again) {
    if (!contact->needs_repeat(contact_step(h, substep_start, context), state)) break;
    state = substep_start;
    integrator->reset();
    of_step.repeats = contact->uses_reactions();
    const StepReport before = report;
    ledger.begin();
    report = integrator->advance(system, state, h, of_step);
    if (report.stopped) throw Cancelled();
    report.newton_iterations += before.newton_iterations;
    report.linear_iterations += before.linear_iterations;
  }
  limit_displacements(h, context);
  end_contact(h, context);
  if (report.converged && !contact->converged()) {
    report.converged = false;
    report.reason = "a linear solve of contact by impulses did not reach its tolerance";
  }
  return report;
}

/// Corrects the end of the substep for contact.
void Simulation::Impl::end_contact(double h, const ComputeContext& context) {
  WorkerPool& pool = context.pool;
  grab_energy -= system.grab_energy(pool, state.x);
  const std::span<const double> m = system.masses();
  const auto kinetic = [&] {
    return pool.sum(m.size(), 1024, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += 0.5 * m[i] * glm::dot(state.v[i], state.v[i]);
      return sum;
    });
  };
  const bool corrects = contact->corrects_steps();
  given_by_surfaces = corrects ? -kinetic() : 0;
  if (corrects) probe.x = state.x;
  const ContactResponse::End end =
      contact->end_step(contact_step(h, substep_start, context), ledger.reactions(), state);
  contact_failure.reset();
  if (end.failure)
    contact_failure =
        end.failure == ContactResponse::Failure::crowded ? BlowUp::Cause::crowded : BlowUp::Cause::squeezed;
  if (corrects) given_by_surfaces += kinetic();
  if (!end.moved) return;
  integrator->reset();
  given_by_surfaces += energies_of(pool, state.x).of_cloth() - energies_of(pool, probe.x).of_cloth();
}

/// At the beginning of a substep.
void Simulation::Impl::begin_ledger(WorkerPool& pool) {
  energy_ledger = next.ledger;
  grab_energy = system.grab_energy(pool, state.x);
  contact_energy = system.contact_energy(pool, state.x);
  if (!jumped) return;
  // A jump of its stiffness adds energy to contact, which H does not count.
  const double given = (1 - at_step.stiffened / contact->stiffened()) * contact_energy;
  energy_ledger.jump += given;
  energy_ledger.contact -= given;
  account.add_work(given);
  const ClothSystem::Energies potential = energies_of(pool, state.x);
  const double energy = energy_report(potential, meter.measure(pool, system, state, potential)).total;
  energy_ledger.jump += energy - energy_ledger.energy;
  energy_ledger.energy = energy;
}

/// At the end of a substep. The remainder after all forces, constraints and solvers is the energy of the
/// method.
void Simulation::Impl::end_ledger() {
  const StepWork& work = ledger.work();
  EnergyLedger of_step;
  of_step.hand = grab_energy + work.hand;
  of_step.wind = work.wind;
  of_step.damping = work.damping;
  of_step.solver = work.solver;
  of_step.rods = work.rods;
  of_step.limit = given_by_limit;
  double by_contact = work.friction + given_by_surfaces;
  const std::span<const Projection::Entry> entries = system.projection().entries();
  const std::span<const double> work_of_constraints = ledger.held_work();
  for (std::size_t k = 0; k < entries.size(); ++k)
    (pins.contains(entries[k].particle) ? of_step.pins : by_contact) += work_of_constraints[k];
  // A body at rest does no positive work, unless it appeared in the cloth and lifts it out. Other gains, also
  // from lifting cloth that the method let in, return energy that its error had taken.
  if (!touches_moving() && !(lifting && contact->lifts())) by_contact = std::min(by_contact, 0.0);
  of_step.contact = contact_energy - measured.potential.contact + by_contact;

  const double energy = energy_report().total;
  of_step.method = energy - energy_ledger.energy - of_step.sum();
  for (const EnergyEntry& entry : kEnergyEntries) energy_ledger.*entry.joule += of_step.*entry.joule;
  energy_ledger.wind_given += work.given_by_wind;
  energy_ledger.energy = energy;
}

/// Between steps only the pins constrain particles.
void Simulation::Impl::leave_surfaces() {
  if (!contact->constrains()) return;
  system.set_pushes({});
  constrain_pins();
}

void Simulation::Impl::constrain_pins() {
  system.projection().clear(state.x.size());
  pins.set_pin_targets(state.t, system.projection());
}

void Simulation::Impl::restart_integrator_if_new(double h) {
  if (h != last_h) integrator->reset();
  last_h = h;
}

/// Integrator::enter for a state that was set from outside. Throws Cancelled.
void Simulation::Impl::enter_integrator_if_new(double h, const ComputeContext& context) {
  if (!entering) return;
  const double before = has_rods() ? internal_now(context.pool).shaking() : 0;
  StepReport report;
  const double moved =
      integrator->enter(system, state, h, {scene->solver, context.pool, context.stop}, report);
  if (report.stopped) throw Cancelled();
  if (moved > kMoved * mesh->diagonal) {
    moved_on_entry = moved;
    account.add_work(internal_now(context.pool).shaking() - before);
  }
}

/// Energies and strain of the current state. Throws Cancelled.
void Simulation::Impl::measure(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  // Explicit methods begin the next step with the forces of this state.
  const bool forces_next = info->family == IntegratorFamily::explicit_method;
  const auto [potential, max_strain, volume] = system.measure(
      context.pool, state.x, forces_next ? std::span<const vec3>(state.v) : std::span<const vec3>());
  measured.potential = without_rods(potential);
  measured.strain = max_strain;
  measured.volume = volume;
  cancel.poll();
  measured.internal = meter.measure(context.pool, system, state, measured.potential);
  cancel.poll();
}

BlowUp Simulation::Impl::squeezed(double h) const {
  BlowUp bad;
  bad.step = next.step;
  bad.time = state.t;
  bad.h = h;
  bad.cause = BlowUp::Cause::squeezed;
  return bad;
}

/// The blow-up test of model.md.
std::optional<BlowUp> Simulation::Impl::check_energy(double h) const {
  BlowUp bad;
  bad.step = next.step;
  bad.time = state.t;
  bad.h = h;
  bad.energy = measured.internal.shaking();
  bad.allowed = account.allowed(scene->energy_limit);
  // A non-finite x or v would make these energies non-finite too.
  const auto& [kinetic, drift, elastic] = measured.internal;
  const bool finite = std::isfinite(kinetic + drift) && std::isfinite(measured.potential.gravity);
  // The internal energy does not include the common motion of a part.
  const double gained = energy_ledger.spurious() - next.ledger.spurious();
  const bool spurious = finite && gained > bad.allowed;
  if (finite && !spurious && !contact_failure && bad.energy <= bad.allowed && std::isfinite(bad.energy))
    return std::nullopt;

  for (std::size_t i = 0; i < state.x.size(); ++i) {
    if (is_finite(state.x[i]) && is_finite(state.v[i])) continue;
    bad.cause = BlowUp::Cause::not_finite;
    return bad;
  }
  bad.cause = BlowUp::Cause::energy;
  // Finite positions may have an energy that is not finite: it is rejected too.
  if (!(bad.energy <= bad.allowed && std::isfinite(bad.energy))) return bad;
  bad.cause = contact_failure.value_or(BlowUp::Cause::spurious_energy);
  if (contact_failure) return bad;
  if (!spurious) return std::nullopt;
  bad.energy = gained;
  return bad;
}

void Simulation::Impl::retry_with_half() {
  std::swap(state, substep_start);
  account = account_at_substep;
  contact->undo_step();
  control.refuse();
}

void Simulation::Impl::restore_start_of_step() {
  entering = at_step.entering;
  std::swap(state, at_step.state);
  account = at_step.account;
  contact->set_contacts(at_step.contacts);
  lifting = at_step.lifting;
  jumped = true;
  constrain_pins();
  contact->stiffen(at_step.stiffened);
}

/// Begins the step again with a barrier twice as stiff or, if the stiffest does not help, as it was.
void Simulation::Impl::repeat_stiffer() {
  state = at_step.state;
  load_progress(at_step);
  integrator->reset();
  jumped = true;
  constrain_pins();
  begin_record();
  is_alone = contact->stiffened() < kMostStiffened;
  contact->stiffen(is_alone ? 2 * contact->stiffened() : at_step.stiffened);
}

/// Undoes the step in any of its stages.
void Simulation::Impl::abandon_step() {
  std::swap(state, at_step.state);
  load_progress(at_step);
  jumped = true;
  constrain_pins();
  contact->stiffen(at_step.stiffened);
}

StepStatus Simulation::Impl::refuse_step(const BlowUp& bad, WorkerPool& pool) {
  blow_up = bad;
  const bool finite = bad.cause != BlowUp::Cause::not_finite && bad.cause != BlowUp::Cause::spurious_energy;
  const std::vector<vec3>& from = finite || is_good() ? at_step.state.x : last_good->x;
  const std::vector<vec3>& to = finite ? state.x : at_step.state.x;
  blow_up->spring = failed_spring(system, from, to);
  if (!contact->force().empty()) blow_up->contact = failed_contact(contact->force(), system, pool, from, to);
  if (bad.cause == BlowUp::Cause::squeezed)
    std::tie(blow_up->contact.emplace().particle, blow_up->contact->surface) = contact->squeezed();
  restore_start_of_step();
  integrator->reset();
  return StepStatus::blown_up;
}

void Simulation::Impl::adopt_substep(const StepReport& report, double h, bool good) {
  next.h = std::min(next.h, h);
  next.newton_iterations += report.newton_iterations;
  next.cg_iterations += report.linear_iterations;
  next.cg_residual = report.linear_residual;
  next.last_cg = report.last_cg;
  next.solves = report.solves;
  next.residual = std::max(next.residual, report.newton_residual);
  next.distance = report.distance;
  next.length_violation = report.length_violation;
  next.modes = report.modes;
  next.ledger = energy_ledger;
  entering = jumped = false;
  lifting = contact->lifts() && (lifting || touches_moving());
  if (next.converged && !report.converged) {
    next.converged = false;
    next.reason = report.reason;
  }
  if (!good) next.warning = kSmallestStepReached;
  add_body_contacts(h);
  next_residuals.assign(report.residual_history.begin(), report.residual_history.end());
  control.accept(good);
}

/// Contact forces were measured last in this state.
void Simulation::Impl::add_body_contacts(double h) {
  const ContactForce& force = contact->force();
  for (const ContactPair& pair : contact->pairs(state.v)) {
    if (!force.empty()) contact_watch.add_contact(pair, scene->obstacles.bodies, force.settings().thickness);
    const vec3 velocity = pair.surface == kClothItself
                              ? vec3(0)
                              : surfaces.velocity_at_end(pair.surface, state.x[pair.particle]);
    next_body_contacts.of(pair.surface).add(pair, velocity, h);
  }
}

void Simulation::Impl::finish_record() {
  next.time = state.t;
  next.energy = energy_report();
  next.max_strain = measured.strain;
  next.volume = measured.volume;
  contact_watch.end_step();
  // Contact forces were measured last in this state.
  for (const ContactPair& pair : contact->pairs(state.v)) next.contacts.add(pair);
  contact->add_figures(next.contacts);
  next.ledger_of_step = next.ledger;
  for (const EnergyEntry& entry : kEnergyEntries)
    next.ledger_of_step.*entry.joule -= record.ledger.*entry.joule;
  next.ledger_of_step.wind_given -= record.ledger.wind_given;
  // Allocations come before the step is completed; notices after it may fail.
  const bool was_good = is_good();
  if (was_good && !(measured.strain < kGoodStrain) && last_good.use_count() != 1)
    last_good = std::make_shared<State>(*last_good);  // a checkpoint has it
  std::swap(record, next);
  body_contacts = next_body_contacts;
  if (was_good && !is_good()) keep_last_good();
  residuals.swap(next_residuals);
  blow_up.reset();
  try {
    notice_step();
    notice_entry();
    notice_stiffened();
    notice_passages();
    notice_strain();
    notice_energy();
  } catch (const std::bad_alloc&) {
  }
}

void Simulation::Impl::notice_mesh() {
  if (!std::holds_alternative<FileSource>(scene->mesh)) return;
  if (std::string text = mesh_size_text(*mesh); !text.empty())
    report(NoticeCause::mesh_size, [&] { return std::move(text); });
  if (std::string text = mesh_repair_text(mesh->report); !text.empty())
    report(NoticeCause::mesh_repaired, [&] { return std::move(text); });
}

void Simulation::Impl::notice_step() {
  if (!record.converged)
    report(NoticeCause::not_converged,
           [&] { return "The step did not converge: " + std::string(record.reason) + "."; });
  if (!record.warning.empty())
    report(NoticeCause::strain_not_limited, [&] { return std::string(record.warning); });
}

void Simulation::Impl::notice_entry() {
  if (moved_on_entry == 0) return;
  report(NoticeCause::rods_entered, [&] {
    return std::string(info->title) +
           " treats stretch springs as rods: the cloth was moved to their lengths, by up to " +
           format_quantity(moved_on_entry, "m") + ". This does not count as motion.";
  });
}

void Simulation::Impl::notice_stiffened() {
  if (contact->stiffened() == at_step.stiffened) return;
  report(NoticeCause::barrier_stiffened, [&] {
    return "The cloth closed the barrier's gap: its automatic stiffness was raised to " +
           format_quantity(contact->force().settings().law.stiffness, "N/m") + ", " +
           format_plain(contact->stiffened()) + " times that at the start.";
  });
}

void Simulation::Impl::notice_strain() {
  constexpr double kLarge = 0.5;
  if (!(record.max_strain > kLarge)) return;
  report(NoticeCause::large_strain, [&] {
    return "A stretch spring was strained by " + format_plain(100 * record.max_strain) +
           " %. Use a smaller h or more substeps, a larger stretch stiffness, or weaker pulls by pins and "
           "obstacles.";
  });
}

void Simulation::Impl::notice_passages() {
  if (!notices.has(NoticeCause::tunnelling))
    if (const auto text = contact_watch.tunnelling_text(*scene))
      report(NoticeCause::tunnelling, [&] { return *text; });
  if (!notices.has(NoticeCause::behind_obstacle))
    if (const auto text = contact_watch.behind_text(*scene))
      report(NoticeCause::behind_obstacle, [&] { return *text; });
}

Overlap Simulation::Impl::find_overlap(WorkerPool& pool, double normal) const {
  constexpr double kRounding = 1e-6;  // of the diagonal
  if (!has_surfaces(*scene)) return {};
  return clothlab::find_overlap(pool, scene->floor, obstacles_at(scene->obstacles, moves, state.t), state.x,
                                pins, std::max(normal, kRounding * mesh->diagonal));
}

void Simulation::Impl::notice_world(const Overlap& overlap) {
  if (overlap.particles > 0)
    report(NoticeCause::overlap, [&] { return text_of(overlap, state.x.size(), scene->obstacles.bodies); });
  if (const std::string text = open_mesh_text(*scene); !text.empty())
    report(NoticeCause::open_obstacle, [&] { return text; });
  if (std::string text = obstacle_size_text(scene->obstacles.bodies); !text.empty())
    report(NoticeCause::obstacle_size, [&] { return std::move(text); });
  if (has_surfaces(*scene) && scene->h() > info->longest_contact_step)
    report(NoticeCause::unstable_contact,
           [&] { return std::string(info->title) + " " + std::string(info->contact_warning) + "."; });
}

void Simulation::Impl::notice_energy() {
  if (notices.has(NoticeCause::spurious_energy)) return;
  const bool oscillates =
      info->family == IntegratorFamily::explicit_method || info->family == IntegratorFamily::position_based;
  const auto gained =
      watch.check({record.time, record.ledger.spurious(), measured.internal.shaking()}, account, oscillates);
  if (!gained) return;
  report(NoticeCause::spurious_energy, [&] {
    return std::string(info->title) + " at h = " + format_quantity(scene->h(), "s") + " gained at least " +
           format_quantity(*gained, "J") +
           " of spurious energy. Gravity, the start and external work account for " +
           format_quantity(account.given(), "J") + ". Use a smaller h or a method with numerical damping.";
  });
}

ClothIntersections Simulation::Impl::find_intersections(WorkerPool& pool) const {
  return clothlab::find_intersections(pool, *mesh, state.x, obstacles_at(scene->obstacles, moves, state.t));
}

void Simulation::Impl::notice_intersections(const ClothIntersections& found, const char* when) {
  if (found.pairs == 0) return;
  report(NoticeCause::intersections, [&] {
    const std::string other = contact_by({ContactModel::filter, ContactModel::penalty}, *info);
    return text_of(found, when) + "; contact by " + std::string(info_of(scene->contact.model).id) +
           (uses_impulses(*scene) ? " cannot undo that. Separate them"
                                  : " may not undo that. Separate them") +
           (uses_impulses(*scene) && !other.empty() ? ", or use " + other + "." : ".");
  });
}

/// The record of a state without a step, measured before.
void Simulation::Impl::record_state(std::uint64_t step) {
  const EnergyLedger ledger_so_far = record.ledger;
  record = StepRecord{};
  body_contacts = {};
  record.ledger = ledger_so_far;
  record.step = step;
  record.time = state.t;
  record.h = scene->dt;
  record.energy = energy_report();
  record.max_strain = measured.strain;
  record.volume = measured.volume;
  residuals.clear();
}

EnergyReport Simulation::Impl::energy_report(const ClothSystem::Energies& potential,
                                             const InternalEnergy& internal) {
  const double kinetic = internal.kinetic + internal.drift;
  return {kinetic,
          potential.stretch,
          potential.bend,
          potential.gravity,
          potential.pressure,
          kinetic + potential.stretch + potential.bend + potential.gravity + potential.pressure};
}

Simulation::Simulation(Scene scene, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool,
                       const StopProbe& stop, std::shared_ptr<const ClothModel> model)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(mesh), ComputeContext{pool, stop},
                                   std::move(model))) {
  impl_->start({pool, stop});
}
Simulation::Simulation(const Checkpoint& from, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool,
                       const StopProbe& stop, std::shared_ptr<const ClothModel> model)
    : impl_(std::make_unique<Impl>(scene_of(from), std::move(mesh), ComputeContext{pool, stop},
                                   std::move(model))) {
  impl_->check_start();
  impl_->load(pool, from);
}
Simulation::~Simulation() = default;

StepStatus Simulation::step(WorkerPool& pool, const StopProbe& stop, bool alone) {
  return impl_->step({pool, stop}, alone);
}

void Simulation::save(WorkerPool& pool, Checkpoint& to) const { impl_->save(pool, to); }
void Simulation::load(WorkerPool& pool, const Checkpoint& from) { impl_->load(pool, from); }
void Simulation::restore(WorkerPool& pool, const State& from, std::uint64_t step) {
  impl_->restore(pool, from, step);
}

void Simulation::apply(WorkerPool& pool, const Command& command) { impl_->apply(pool, command); }

const Scene& Simulation::scene() const { return *impl_->scene; }
std::shared_ptr<const Scene> Simulation::shared_scene() const { return impl_->scene; }
const ClothMesh& Simulation::mesh() const { return *impl_->mesh; }
std::shared_ptr<const ClothMesh> Simulation::shared_mesh() const { return impl_->mesh; }
const ClothSystem& Simulation::system() const { return impl_->system; }
const ContactResponse& Simulation::contact() const { return *impl_->contact; }
const Surfaces& Simulation::surfaces() const { return impl_->surfaces; }
const IntegratorInfo& Simulation::integrator() const { return *impl_->info; }
const State& Simulation::state() const { return impl_->state; }
std::uint64_t Simulation::steps() const { return impl_->record.step; }
const StepRecord& Simulation::record() const { return impl_->record; }
const BodyContacts& Simulation::body_contacts() const { return impl_->body_contacts; }
std::span<const double> Simulation::residual_history() const { return impl_->residuals; }
const std::optional<BlowUp>& Simulation::blow_up() const { return impl_->blow_up; }
Simulation::StateAtStep Simulation::last_good_state() const { return impl_->last_good_state(); }
Projection Simulation::constraints(std::span<const vec3> x) const {
  Projection constraints = impl_->system.projection();
  Surfaces now;
  now.place(impl_->scene->floor, impl_->scene->obstacles, impl_->contact->thickness(), impl_->moves, x.size(),
            impl_->state.t, 0);
  impl_->contact->add_constraints(constraints, now, x);
  return constraints;
}

const NoticeLog& Simulation::notices() const { return impl_->notices; }
bool Simulation::is_pinned(std::uint32_t particle) const { return impl_->pins.contains(particle); }
std::vector<PinTarget> Simulation::moving_pins() const { return impl_->pins.moving(impl_->state.t); }
std::vector<ContactPair> Simulation::contacts(WorkerPool& pool) const {
  impl_->system.contact_energy(pool, impl_->state.x);
  const std::span<const ContactPair> pairs = impl_->contact->pairs(impl_->state.v);
  return {pairs.begin(), pairs.end()};
}
std::vector<Obstacle> Simulation::obstacles() const {
  return obstacles_at(impl_->scene->obstacles, impl_->moves, impl_->state.t);
}
const std::optional<GrabSpring>& Simulation::grab() const { return impl_->system.grab(); }

InitialState Simulation::export_state() const {
  return {vertex_positions(*impl_->mesh, impl_->state.x), vertex_velocities(*impl_->mesh, impl_->state.v)};
}

}  // namespace clothlab
