// SPDX-License-Identifier: MIT
#include "sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <new>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "sim/contact.h"
#include "sim/mesh_notices.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::string_view kSmallestStepReached =
    "Adaptive steps: even h/1024 leaves a larger strain than allowed; the step was accepted.";

constexpr std::string_view kSmallestStepGains =
    "Adaptive steps: even h/1024 gains more spurious energy than allowed; the step was accepted.";

// Of the mesh's diagonal: smaller displacements on entering a method with rods are rounding.
constexpr double kMoved = 1e-6;

// Of the mesh's diagonal: smaller errors of distances are rounding.
constexpr double kOffLength = 1e-9;

// How often a step is repeated because cloth has landed.
constexpr int kLandings = 2;

constexpr double kMostStiffened = 1024;

constexpr std::size_t kStateGrain = 1024;

std::shared_ptr<const ClothMesh> not_null(std::shared_ptr<const ClothMesh> mesh) {
  if (!mesh) throw InputError("A simulation needs a mesh.");
  return mesh;
}

Scene checked(Scene scene) {
  check_parameters(scene);
  return scene;
}

// A sweep of XPBD carries a pull by about a row of springs, a wave by h √(k/m) rows in h. Where cloth lands
// and sweeps are slower than waves, springs stretch by the displacement that the others do not know yet.
std::string slow_sweeps_text(const Scene& scene, const ClothMesh& mesh) {
  if (scene.integrator != "xpbd") return {};
  const double sweeps = parameter_value(scene, parameter_spec("xpbd-iterations"));
  const double substeps = parameter_value(scene, parameter_spec("xpbd-substeps"));
  const double mass = scene.material.mass_of(mesh.area) / static_cast<double>(mesh.positions.size());
  const double rows = std::ceil(scene.h() * std::sqrt(scene.material.stretch_scale() / mass));
  if (rows <= sweeps * substeps) return {};
  const double needed = std::ceil(rows / sweeps);
  const ParameterSpec& limits = parameter_spec("xpbd-substeps");
  return "XPBD's " + format_plain(sweeps * substeps) + " sweeps in " + format_quantity(scene.h(), "s") +
         " carry a pull by about as many rows of springs, a wave in this cloth by " + format_plain(rows) +
         ". Where cloth lands, springs stretch too far and gain energy. Use " +
         (needed <= limits.max
              ? "at least " + format_plain(needed) + " of its substeps (--xpbd-substeps), or Backward Euler."
              : "Backward Euler.");
}

// XPBD evaluates hinges once per substep, like symplectic Euler: h ω ≤ 2, and ω² ≤ 2 max Σ|β|/m by
// Gershgorin's circles.
std::string explicit_hinges_text(const Scene& scene, const ClothSystem& system) {
  const ElasticElements springs = system.elements();
  if (scene.integrator != "xpbd" || springs.bending_by_slot == nullptr) return {};
  std::vector<double> sums(system.size());
  for (std::size_t s = 0; s < springs.size(); ++s)
    for (const std::uint32_t end : {springs[s].i, springs[s].j}) sums[end] += std::abs(springs.bending(s));
  double square = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) square = std::max(square, 2 * sums[i] / system.masses()[i]);
  const ParameterSpec& spec = parameter_spec("xpbd-substeps");
  const double needed = std::ceil(scene.h() * std::sqrt(square) / 2), has = parameter_value(scene, spec);
  if (needed <= has) return {};
  return "XPBD evaluates the bending of a fabric explicitly, and may blow up with " + format_plain(has) +
         (has == 1 ? " substep" : " substeps") + ". Use " +
         (needed <= spec.max ? "at least " + format_plain(needed) + " (--xpbd-substeps), or Backward Euler."
                             : "Backward Euler.");
}

// Position-based methods evaluate soft pins once per substep, like symplectic Euler: h² k < 4 m.
std::string explicit_pins_text(const Scene& scene, std::span<const DrivenGroup> forces,
                               std::span<const double> masses) {
  const IntegratorInfo& info = method_info(scene);
  if (info.family != IntegratorFamily::position_based || info.inextensible) return {};
  const bool has_substeps = scene.integrator == "xpbd";
  const double h = scene.h() / (has_substeps ? parameter_value(scene, parameter_spec("xpbd-substeps")) : 1);
  double stiffest = 0, bearable = std::numeric_limits<double>::infinity();
  for (const DrivenGroup& group : forces) {
    if (group.force.kind != DriverForce::Kind::spring) continue;
    for (const std::uint32_t i : group.particles) {
      bearable = std::min(bearable, 4 * masses[i] / (h * h));
      stiffest = std::max(stiffest, group.force.stiffness);
    }
  }
  if (stiffest < bearable) return {};
  return std::string(info.title) + " evaluates soft pins explicitly, and may blow up with " +
         format_quantity(stiffest, "N/m") + ". Use less than " + format_quantity(bearable, "N/m") +
         (has_substeps ? ", more substeps (--xpbd-substeps)" : ", a smaller h") + ", or Backward Euler.";
}

const Scene& scene_of(const Checkpoint& checkpoint) {
  if (!checkpoint.scene) throw InputError("The checkpoint has no scene.");
  return *checkpoint.scene;
}

}  // namespace

void Simulation::set_integrator(const Scene& scene, std::unique_ptr<Integrator> integrator) {
  constexpr double kMiddle = 0.5;
  integrator_ = std::move(integrator);
  info_ = &method_info(scene);
  force_time_ =
      info_->force_time == nullptr ? kMiddle : info_->force_time(integrator_parameters(scene, *info_));
}

std::unique_ptr<Integrator> Simulation::make_integrator(const Scene& scene) {
  return method_info(scene).make(integrator_parameters(scene));
}

Simulation::Simulation(Scene scene, std::shared_ptr<const ClothMesh> mesh, const ComputeContext& context,
                       std::shared_ptr<const ClothModel> model)
    : mesh_(not_null(std::move(mesh))),
      scene_(std::make_shared<const Scene>(checked(std::move(scene)))),
      system_(model ? std::move(model) : std::make_shared<const ClothModel>(mesh_, context.stop),
              scene_->material),
      contact_model_(scene_->contact.model),
      contact_(info_of(contact_model_).make()) {
  set_integrator(*scene_, make_integrator(*scene_));
  system_.set_wind(scene_->wind);
}

Simulation::Simulation(Scene scene, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool,
                       const StopProbe& stop, std::shared_ptr<const ClothModel> model)
    : Simulation(std::move(scene), std::move(mesh), ComputeContext{pool, stop}, std::move(model)) {
  start({pool, stop});
}

Simulation::Simulation(const Checkpoint& from, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool,
                       const StopProbe& stop, std::shared_ptr<const ClothModel> model)
    : Simulation(scene_of(from), std::move(mesh), ComputeContext{pool, stop}, std::move(model)) {
  set_start();
  load(pool, from);
}

StepStatus Simulation::step(WorkerPool& pool, const StopProbe& stop, bool alone) {
  const ComputeContext context{pool, stop};
  save_progress(pool, at_step_);
  begin_record();
  StepStatus status = StepStatus::stopped;
  is_alone_ = alone;
  try {
    while ((status = run_stages(context)) == StepStatus::stopped) repeat_stiffer();
  } catch (const Cancelled&) {
    abandon_step();
  } catch (...) {
    abandon_step();
    throw;
  }
  if (status == StepStatus::done) end_growth(pool);
  return status;
}

/// Stopped: the step needs a stiffer barrier. All stages throw Cancelled on cancellation.
StepStatus Simulation::run_stages(const ComputeContext& context) {
  const double end = state_.t + scene_->dt;
  for (int substep = 0; substep < scene_->substeps; ++substep)
    if (const StepStatus status = run_substep(context); status != StepStatus::done) return status;
  // The same time to the last bit, whatever the number of substeps and the adaptive steps.
  state_.t = end;
  finish_record(context.pool);
  return StepStatus::done;
}

/// In one or, with adaptive steps, in several pieces.
StepStatus Simulation::run_substep(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  control_.begin();
  while (!control_.done()) {
    const double h = scene_->h() * control_.units() / StepControl::kUnits;
    const bool has_obstacles = !scene_->obstacles.bodies.empty();
    watched_substep_ = ledger_.watches();
    if (watched_substep_ || scene_->adaptive || contact_->corrects_steps() ||
        contact_->force().limits_displacements() || has_obstacles) {
      copy_state(context.pool, substep_start_);
      account_at_substep_ = account_;
    }
    const double kinetic_before = measured_.internal.kinetic + measured_.internal.drift;
    set_pin_targets(h, context);
    begin_contact(h, context);
    cancel.poll();
    if (!contact_->may_begin(contact_step(h, state_, context))) {
      if (control_.at_smallest() && may_stiffen()) return StepStatus::stopped;
      if (control_.at_smallest()) return refuse_step(failed_step(BlowUp::Cause::squeezed, h), context.pool);
      retry_with_half();
      continue;
    }
    if (h != last_h_) integrator_->reset();
    last_h_ = h;
    enter_integrator_if_new(h, context);
    begin_ledger(context.pool);
    const double from = state_.t;
    account_.add_work(seam_energy(context.pool, from + h) - seam_energy(context.pool, from));
    seam_work_ = 0;
    shorten_seams(context.pool, from + force_time_ * h);
    const StepReport report = advance(h, context);
    shorten_seams(context.pool, from + h);
    measure(context);
    end_ledger();
    const std::optional<BlowUp> bad = check_energy(h);
    const bool good =
        !bad && (!scene_->adaptive || (measured_.strain <= scene_->max_strain && !gains_too_much()));
    if (!good && scene_->adaptive && !control_.at_smallest()) {
      retry_with_half();
      continue;
    }
    if (bad) return refuse_step(*bad, context.pool);
    if (contact_->force().is_pressed_shut() && may_stiffen()) return StepStatus::stopped;
    if (has_obstacles)
      contact_watch_.watch(context.pool, *mesh_, system_, surfaces_, h, substep_start_, state_,
                           std::max(kinetic_before, measured_.internal.kinetic + measured_.internal.drift),
                           measured_.strain);
    adopt_substep(report, h, good);
  }
  return StepStatus::done;
}

void Simulation::begin_record() {
  moved_on_entry_ = 0;
  contact_watch_.begin_step();
  next_ = StepRecord{};
  next_.step = record_.step + 1;
  next_.h = scene_->dt;
  next_.integrator = info_->id;
  next_.ledger = record_.ledger;
  ledger_.clear_evaluations();
  next_body_contacts_ = {};
}

void Simulation::copy_state(WorkerPool& pool, State& to) const {
  to.x.resize(state_.x.size());
  to.v.resize(state_.v.size());
  to.t = state_.t;
  for_each(pool, state_.x.size(), kStateGrain, [&](std::size_t i) {
    to.x[i] = state_.x[i];
    to.v[i] = state_.v[i];
  });
}

/// Sets the targets of the pins and of driven particles for the substep.
void Simulation::set_pin_targets(double h, const ComputeContext& context) {
  constrain_pins(state_.t + h);
  system_.projection().linearise(system_.masses(), state_.x, state_.v, h, info_->coupling_time);
  add_work_of_pins(h, context);
}

/// Adds the work of moving the pins: the gain of the springs when only those
/// move, and their gain in kinetic energy. Up to second order in the displacement Δx this is −f·Δx with the
/// forces f at the beginning; the second order counts when a pin jumps. It does not depend on the outcome of
/// the step.
void Simulation::add_work_of_pins(double h, const ComputeContext& context) {
  const Projection& projection = system_.projection();
  const bool rods = has_rods();
  bool moving = false;
  double work = 0, lifted = 0;
  const auto displacement_of = [&](const Projection::Entry& entry) {
    const vec3 displacement = entry.target - state_.x[entry.particle];
    return entry.S == mat3(0.0) ? displacement : displacement - entry.S * displacement;
  };
  for (const Projection::Entry& entry : projection.entries()) {
    const vec3 displacement = displacement_of(entry), velocity = displacement / h;
    moving = moving || displacement != vec3(0.0);
    const vec3 before = state_.v[entry.particle];
    const double gain = glm::dot(velocity, velocity) - glm::dot(before, before);
    const double mass = system_.masses()[entry.particle];
    // Rods may transfer it to the whole cloth at once.
    work += 0.5 * (rods ? system_.material().mass_of(mesh_->area) : mass) * std::max(gain, 0.0);
    lifted -= mass * glm::dot(system_.material().gravity, displacement);
  }
  if (!moving) return;
  account_.add_work(lifted);
  probe_.x = state_.x;
  for (const Projection::Entry& entry : projection.entries())
    probe_.x[entry.particle] += displacement_of(entry);
  const ClothSystem::Energies before = energies_of(context.pool, state_.x);
  CancelPoint(context.stop).poll();
  const ClothSystem::Energies after = energies_of(context.pool, probe_.x);
  account_.add_work(work + after.stretch + after.bend - before.stretch - before.bend);
}

/// A changed set of contacts restarts methods whose history contains contact, as a changed pin does.
void Simulation::restart_at_contact() {
  if (integrator_->has_history()) integrator_->reset();
}

/// The air, the surfaces and the contacts of the substep.
void Simulation::begin_contact(double h, const ComputeContext& context) {
  system_.update_wind(context.pool, state_.x, state_.t);
  system_.set_driver_time(state_.t + force_time_ * h);
  system_.set_seam_time(state_.t);
  CancelPoint(context.stop).poll();
  place_surfaces(h);
  if (contact_->begin_step(contact_step(h, state_, context))) restart_at_contact();
}

/// Adopts the contact model of the scene and its values, with the surfaces in their current poses.
void Simulation::configure_contact() {
  if (const ContactModel model = acting_model(*scene_, moves_); model != contact_model_) {
    std::unique_ptr<ContactResponse> other = info_of(model).make();
    other->set_contacts(contact_->contacts());
    other->set_active_pairs(contact_->active_pairs());
    system_.set_contact(nullptr);
    contact_ = std::move(other);
    contact_model_ = model;
  }
  place_surfaces(0);
  contact_->configure(contact_input(*scene_, moves_, system_.model(), *mesh_, joined_), surfaces_);
  system_.set_contact(contact_->force().empty() ? nullptr : &contact_->force());
}

void Simulation::limit_displacements(double h, const ComputeContext& context) {
  given_by_limit_ = 0;
  const double fraction = contact_->limit(contact_step(h, substep_start_, context), state_.x);
  next_.contacts.limit = std::min(next_.contacts.limit, fraction);
  if (fraction == 1) return;
  const auto energy = [&] {
    const ClothSystem::Energies potential = energies_of(context.pool, state_.x);
    return energy_report(potential, meter_.measure(context.pool, system_, state_, potential)).total;
  };
  const double before = energy();
  contact_->apply_limit(contact_step(h, substep_start_, context), state_);
  given_by_limit_ = energy() - before;
  integrator_->reset();
}

/// One substep, repeated if cloth has landed.
StepReport Simulation::advance(double h, const ComputeContext& context) {
  StepContext of_step{scene_->solver, context.pool, context.stop, &ledger_};
  of_step.reached = contact_->reached();
  of_step.contacts = contact_->solved();
  of_step.pairs = contact_->solved_pairs();
  ledger_.begin();
  ContactStep step = contact_step(h, substep_start_, context);
  step.continues = integrator_->has_history();
  history_before_.clear();
  if (contact_->corrects_steps() && !step.continues) integrator_->save(history_before_);
  StepReport report = integrator_->advance(system_, state_, h, of_step);
  if (report.stopped) throw Cancelled();
  for (int again = 0; again < kLandings; ++again) {
    if (!contact_->needs_repeat(step, state_)) break;
    state_ = substep_start_;
    MemoryReader history(history_before_);  // nothing, if contact restarts the method
    integrator_->load(history, state_.x.size());
    step.continues = false;
    of_step.contacts = contact_->solved();
    of_step.pairs = contact_->solved_pairs();
    const StepReport before = report;
    ledger_.begin();
    report = integrator_->advance(system_, state_, h, of_step);
    if (report.stopped) throw Cancelled();
    report.newton_iterations += before.newton_iterations;
    report.linear_iterations += before.linear_iterations;
    report.products += before.products;
    report.contact_solves = sum_of(before.contact_solves, report.contact_solves);
  }
  limit_displacements(h, context);
  end_contact(h, context);
  if (report.converged && !contact_->converged()) {
    report.converged = false;
    report.reason =
        "a linear solve of contact by impulses did not reach its tolerance; use more CG iterations or a "
        "smaller h";
  }
  return report;
}

/// Corrects the end of the substep for contact.
void Simulation::end_contact(double h, const ComputeContext& context) {
  WorkerPool& pool = context.pool;
  grab_energy_ -= system_.grab_energy(pool, state_.x);
  const std::span<const double> m = system_.masses();
  const auto kinetic = [&] {
    return sum_over(pool, m.size(), kStateGrain,
                    [&](std::size_t i) { return 0.5 * m[i] * glm::dot(state_.v[i], state_.v[i]); });
  };
  const bool corrects = contact_->corrects_steps();
  given_by_surfaces_ = corrects ? -kinetic() : 0;
  if (corrects) probe_.x = state_.x;
  const ContactResponse::End end = contact_->end_step(contact_step(h, substep_start_, context), state_);
  contact_failure_.reset();
  if (end.failure && !moves_.grows())  // bodies that grow may leave no room for a while
    contact_failure_ =
        end.failure == ContactResponse::Failure::crowded ? BlowUp::Cause::crowded : BlowUp::Cause::squeezed;
  if (corrects) given_by_surfaces_ += kinetic();
  if (end.moved)
    given_by_surfaces_ += energies_of(pool, state_.x).of_cloth() - energies_of(pool, probe_.x).of_cloth();
  const bool separated = separate(h, context);
  if (end.changed || end.moved || separated) restart_at_contact();
}

/// Seams keep their lengths while the method takes its step, those of the mean time of its forces. So their
/// springs are conservative in it, and what a change of the lengths adds to their energy is work.
void Simulation::shorten_seams(WorkerPool& pool, double t) {
  if (!system_.seams()) return;
  const double before = system_.seams()->energy(pool, state_.x);
  system_.set_seam_time(t);
  seam_work_ += system_.seams()->energy(pool, state_.x) - before;
}

/// At the beginning of a substep.
void Simulation::begin_ledger(WorkerPool& pool) {
  energy_ledger_ = next_.ledger;
  grab_energy_ = system_.grab_energy(pool, state_.x);
  contact_energy_ = system_.contact_energy(pool, state_.x);
  if (!jumped_) return;
  // A jump of its stiffness adds energy to contact, which H does not count.
  const double given = (1 - at_step_.stiffened / contact_->stiffened()) * contact_energy_;
  energy_ledger_.jump += given;
  energy_ledger_.contact -= given;
  account_.add_work(given);
  const ClothSystem::Energies potential = energies_of(pool, state_.x);
  const double energy = energy_report(potential, meter_.measure(pool, system_, state_, potential)).total;
  energy_ledger_.jump += energy - energy_ledger_.energy;
  energy_ledger_.energy = energy;
}

/// At the end of a substep. The remainder after all forces, constraints and solvers is the energy of the
/// method.
void Simulation::end_ledger() {
  const StepWork& work = ledger_.work();
  EnergyLedger of_step;
  of_step.hand = grab_energy_ + work.hand;
  of_step.wind = work.wind;
  of_step.drivers = work.drivers + seam_work_;
  of_step.damping = work.damping;
  of_step.solver = work.solver;
  of_step.rods = work.rods;
  of_step.limit = given_by_limit_;
  double by_contact = work.friction + given_by_surfaces_;
  for (const double of_pin : ledger_.held_work()) of_step.pins += of_pin;
  // A body at rest does no positive work, unless it appeared in the cloth and lifts it out. Other gains, also
  // from lifting cloth that the method let in, return energy that its error had taken.
  if (!touches_moving() && !(lifting_ && contact_->lifts())) by_contact = std::min(by_contact, 0.0);
  by_contact += given_by_separation_;
  of_step.contact = contact_energy_ - measured_.potential.contact + by_contact;

  if (moves_.grows()) account_.add_work(std::max(of_step.contact, 0.0));

  const double energy = energy_report().total;
  of_step.method = energy - energy_ledger_.energy - of_step.sum();
  for (const EnergyEntry& entry : kEnergyEntries) energy_ledger_.*entry.joule += of_step.*entry.joule;
  energy_ledger_.wind_given += work.given_by_wind;
  energy_ledger_.energy = energy;
}

/// Integrator::enter for a state that was set from outside. Throws Cancelled.
void Simulation::enter_integrator_if_new(double h, const ComputeContext& context) {
  if (!entering_) return;
  const double before = has_rods() ? internal_now(context.pool).shaking() : 0;
  StepReport report;
  const double moved =
      integrator_->enter(system_, state_, h, {scene_->solver, context.pool, context.stop}, report);
  if (report.stopped) throw Cancelled();
  if (moved > kMoved * mesh_->diagonal) {
    moved_on_entry_ = moved;
    account_.add_work(internal_now(context.pool).shaking() - before);
  }
}

/// Energies and strain of the current state. Throws Cancelled.
void Simulation::measure(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  // Explicit methods begin the next step with the forces of this state.
  const bool forces_next = info_->family == IntegratorFamily::explicit_method;
  const auto [potential, max_strain, volume] = system_.measure(
      context.pool, state_.x, forces_next ? std::span<const vec3>(state_.v) : std::span<const vec3>());
  measured_.potential = without_rods(potential);
  measured_.strain = max_strain;
  measured_.volume = volume;
  cancel.poll();
  measured_.internal = meter_.measure(context.pool, system_, state_, measured_.potential);
  cancel.poll();
}

/// The blow-up test of model.md.
std::optional<BlowUp> Simulation::check_energy(double h) const {
  BlowUp bad = failed_step(BlowUp::Cause::energy, h);
  bad.energy = measured_.internal.shaking();
  bad.allowed = account_.allowed(scene_->energy_limit);
  // A non-finite x or v would make these energies non-finite too.
  const auto& [kinetic, drift, elastic] = measured_.internal;
  const bool finite = std::isfinite(kinetic + drift) && std::isfinite(measured_.potential.gravity);
  // The internal energy does not include the common motion of a part.
  const double gained = energy_ledger_.spurious() - next_.ledger.spurious();
  const bool spurious = finite && gained > bad.allowed;
  if (finite && !spurious && !contact_failure_ && bad.energy <= bad.allowed && std::isfinite(bad.energy))
    return std::nullopt;

  for (std::size_t i = 0; i < state_.x.size(); ++i) {
    if (is_finite(state_.x[i]) && is_finite(state_.v[i])) continue;
    bad.cause = BlowUp::Cause::not_finite;
    return bad;
  }
  // Finite positions may have an energy that is not finite: it is rejected too.
  if (!(bad.energy <= bad.allowed && std::isfinite(bad.energy))) return bad;
  bad.cause = contact_failure_.value_or(BlowUp::Cause::spurious_energy);
  if (contact_failure_) return bad;
  if (!spurious) return std::nullopt;
  bad.energy = gained;
  return bad;
}

void Simulation::retry_with_half() {
  std::swap(state_, substep_start_);
  account_ = account_at_substep_;
  contact_->undo_step();
  control_.refuse();
}

void Simulation::restore_start_of_step() {
  entering_ = at_step_.entering;
  std::swap(state_, at_step_.state);
  account_ = at_step_.account;
  contact_->set_contacts(at_step_.contacts);
  contact_->set_active_pairs(at_step_.pairs);
  lifting_ = at_step_.lifting;
  jumped_ = true;
  constrain_pins(state_.t);
  contact_->stiffen(at_step_.stiffened);
}

/// Begins the step again with a barrier twice as stiff or, if the stiffest does not help, as it was.
void Simulation::repeat_stiffer() {
  state_ = at_step_.state;
  load_progress(at_step_);
  integrator_->reset();
  jumped_ = true;
  constrain_pins(state_.t);
  begin_record();
  is_alone_ = contact_->stiffened() < kMostStiffened;
  contact_->stiffen(is_alone_ ? 2 * contact_->stiffened() : at_step_.stiffened);
}

/// Undoes the step in any of its stages.
void Simulation::abandon_step() {
  std::swap(state_, at_step_.state);
  load_progress(at_step_);
  jumped_ = true;
  constrain_pins(state_.t);
  contact_->stiffen(at_step_.stiffened);
}

StepStatus Simulation::refuse_step(const BlowUp& bad, WorkerPool& pool) {
  blow_up_ = bad;
  const bool finite = bad.cause != BlowUp::Cause::not_finite && bad.cause != BlowUp::Cause::spurious_energy;
  const std::vector<vec3>& from = finite || is_good() ? at_step_.state.x : last_good_->x;
  const std::vector<vec3>& to = finite ? state_.x : at_step_.state.x;
  blow_up_->spring = failed_spring(system_, from, to);
  if (!contact_->force().empty())
    blow_up_->contact = failed_contact(contact_->force(), system_, pool, from, to);
  if (bad.cause == BlowUp::Cause::squeezed) {
    const auto [particle, surface] = contact_->squeezed();
    blow_up_->contact = {.particle = particle, .surface = surface};
  }
  restore_start_of_step();
  integrator_->reset();
  warnings_[0].reset();
  return StepStatus::blown_up;
}

void Simulation::adopt_substep(const StepReport& report, double h, bool good) {
  if (std::abs(h) < std::abs(next_.h)) next_.h = h;
  next_.newton_iterations += report.newton_iterations;
  next_.most_newton_iterations = std::max(next_.most_newton_iterations, report.most_newton_iterations);
  next_.cg_iterations += report.linear_iterations;
  next_.products += report.products;
  next_.cg_residual = report.linear_residual;
  next_.last_cg = report.last_cg;
  next_.solves = report.solves;
  next_.residual = std::max(next_.residual, report.newton_residual);
  next_.distance = report.distance;
  next_.contact_solves = sum_of(next_.contact_solves, report.contact_solves);
  const Couplings& couplings = system_.projection().couplings();
  const double violation = couplings.violation(state_.x);
  next_.length_violation = couplings.empty() ? report.length_violation : violation;
  if (violation > kOffLength * mesh_->diagonal) integrator_->reset();  // couplings.finish() moved x
  rod_forces_.assign(report.rod_forces.begin(), report.rod_forces.end());
  next_.rod_force = 0;
  for (const std::span<const double> forces :
       {std::span<const double>(rod_forces_), ledger_.coupling_forces()})
    for (const double force : forces) next_.rod_force = std::max(next_.rod_force, std::abs(force));
  next_.modes = report.modes;
  next_.ledger = energy_ledger_;
  entering_ = jumped_ = false;
  lifting_ = contact_->lifts() && (lifting_ || touches_moving());
  if (next_.converged && !report.converged) {
    next_.converged = false;
    next_.reason = report.reason;
  }
  if (!good)
    next_.warning = measured_.strain <= scene_->max_strain ? kSmallestStepGains : kSmallestStepReached;
  add_body_contacts(h);
  next_residuals_.assign(report.residual_history.begin(), report.residual_history.end());
  control_.accept(good);
}

/// Contact forces were measured last in this state.
void Simulation::add_body_contacts(double h) {
  const ContactForce& force = contact_->force();
  for (const ContactPair& pair : contact_->pairs(state_.v)) {
    if (!force.empty())
      contact_watch_.add_contact(pair, scene_->obstacles.bodies, force.settings().thickness);
    const double push = glm::length(pair.push);
    const vec3 normal = push > 0 ? pair.push / push : vec3(0);
    const vec3 velocity =
        pair.surface == kClothItself
            ? vec3(0)
            : surfaces_.velocity_at_end(pair.surface, pair.particle, state_.x[pair.particle], normal);
    next_body_contacts_.of(pair.surface).add(pair, velocity, h);
  }
}

void Simulation::finish_record(WorkerPool& pool) {
  add_measurement(next_);
  next_.force_evaluations = ledger_.evaluations();
  contact_watch_.end_step();
  // Contact forces were measured last in this state.
  for (const ContactPair& pair : contact_->pairs(state_.v)) next_.contacts.add(pair);
  contact_->add_figures(next_.contacts);
  next_.ledger_of_step = next_.ledger;
  for (const EnergyEntry& entry : kEnergyEntries)
    next_.ledger_of_step.*entry.joule -= record_.ledger.*entry.joule;
  next_.ledger_of_step.wind_given -= record_.ledger.wind_given;
  // Allocations come before the step is completed; notices after it may fail.
  const bool was_good = is_good();
  if (was_good && !(measured_.strain < kGoodStrain) && last_good_.use_count() != 1)
    last_good_ = std::make_shared<State>(*last_good_);  // a checkpoint has it
  std::swap(record_, next_);
  body_contacts_ = next_body_contacts_;
  if (was_good && !is_good()) {  // keeps the start of the step
    std::swap(*last_good_, at_step_.state);
    last_good_step_ = record_.step - 1;
  }
  residuals_.swap(next_residuals_);
  blow_up_.reset();
  try {
    notice_step();
    notice_strain();
    notice_energy();
    notice_gain_in_step();
    notice_foresight(pool);
  } catch (const std::bad_alloc&) {
  }
}

void Simulation::notice_material() {
  report(NoticeCause::unstable_bending, [&] { return explicit_hinges_text(*scene_, system_); });
  report(NoticeCause::unstable_pins,
         [&] { return explicit_pins_text(*scene_, drivers_.forces(), system_.masses()); });
  if (const double share = system_.inexact_share(); share > 0)
    report(NoticeCause::fabric_fitted, [&] {
      return "On " + format_digits(100 * share, 2) +
             " % of the area no springs have the membrane stiffnesses of the fabric; the nearest ones are "
             "used. Align edges with the warp and the weft, or make the stiffnesses more equal.";
    });
}

void Simulation::notice_mesh() {
  if (!std::holds_alternative<FileSource>(scene_->mesh) && scene_->added_meshes.empty()) return;
  report(NoticeCause::mesh_size, [&] { return mesh_size_text(*mesh_); });
  report(NoticeCause::mesh_repaired, [&] { return mesh_repair_text(mesh_->report); });
}

void Simulation::notice_step() {
  if (!record_.converged)
    report(NoticeCause::not_converged,
           [&] { return "The step did not converge: " + std::string(record_.reason) + "."; });
  if (record_.warning == kSmallestStepReached)
    report(NoticeCause::strain_not_limited, [&] { return std::string(record_.warning); });
  if (moved_on_entry_ > 0)
    report(NoticeCause::rods_entered, [&] {
      return std::string(info_->title) +
             " treats stretch springs as rods: the cloth was moved to their lengths, by up to " +
             format_quantity(moved_on_entry_, "m") + ". This does not count as motion.";
    });
  if (contact_->stiffened() != at_step_.stiffened)
    report(NoticeCause::barrier_stiffened, [&] {
      return "The cloth closed the barrier's gap: its automatic stiffness was raised to " +
             format_quantity(contact_->force().settings().law.stiffness, "N/m") + ", " +
             format_plain(contact_->stiffened()) + " times that at the start.";
    });
  notice_distances();
  report(NoticeCause::tunnelling, [&] { return contact_watch_.tunnelling_text(*scene_); });
  report(NoticeCause::behind_obstacle, [&] { return contact_watch_.behind_text(*scene_); });
}

void Simulation::notice_distances() {
  const Couplings& couplings = system_.projection().couplings();
  if (couplings.violation(state_.x) <= kOffLength * mesh_->diagonal) return;
  report(NoticeCause::distances_violated, [&] {
    const auto& [i, j, length] = couplings.constraints()[couplings.worst(state_.x)];
    const double off = glm::distance(state_.x[i], state_.x[j]) - length;
    return "The vertices " + std::to_string(mesh_->vertex_of_particle[i]) + " and " +
           std::to_string(mesh_->vertex_of_particle[j]) + " are " + format_quantity(std::abs(off), "m") +
           (off > 0 ? " farther apart" : " nearer") + " than their distance of " +
           format_quantity(length, "m") +
           ", which pins, paths, lines, other distances or contact do not allow: change one of them, or "
           "switch the distance off.";
  });
}

void Simulation::notice_strain() {
  constexpr double kLarge = 0.5;
  if (!(record_.max_strain > kLarge)) return;
  report(NoticeCause::large_strain, [&] {
    const EnergyLedger& work = record_.ledger;
    const bool is_pulled = work.hand != 0 || work.pins != 0 || work.contact != 0;
    return "A stretch spring was strained by " + format_plain(100 * record_.max_strain) +
           " %. Use a smaller h or more substeps, " +
           (is_pulled ? "a larger stretch stiffness, or slower pins, bodies and grabs."
                      : "or a larger stretch stiffness.");
  });
}

Overlap Simulation::find_overlap(WorkerPool& pool, double normal) const {
  constexpr double kRounding = 1e-6;  // of the diagonal
  if (!has_surfaces(*scene_) || moves_.grows_at(state_.t)) return {};
  return clothlab::find_overlap(pool, scene_->floor, obstacles(), state_.x, pins_,
                                std::max(normal, kRounding * mesh_->diagonal));
}

void Simulation::notice_world(const Overlap& overlap) {
  if (overlap.particles > 0)
    report(NoticeCause::overlap, [&] { return text_of(overlap, state_.x.size(), scene_->obstacles.bodies); });
  report(NoticeCause::open_obstacle, [&] { return open_mesh_text(*scene_); });
  report(NoticeCause::obstacle_size, [&] { return obstacle_size_text(scene_->obstacles.bodies); });
  if (!has_surfaces(*scene_)) return;
  if (scene_->h() > info_->longest_contact_step)
    report(NoticeCause::unstable_contact,
           [&] { return std::string(info_->title) + " " + std::string(info_->contact_warning) + "."; });
  report(NoticeCause::unstable_contact, [&] { return slow_sweeps_text(*scene_, *mesh_); });
}

void Simulation::notice_energy() {
  if (notices_.has(NoticeCause::spurious_energy)) return;
  const bool oscillates =
      info_->family == IntegratorFamily::explicit_method || info_->family == IntegratorFamily::position_based;
  const auto gained = watch_.check({record_.time, record_.ledger.spurious(), measured_.internal.shaking()},
                                   account_, oscillates);
  if (!gained) return;
  const bool constrains_contacts = has_surfaces(*scene_) && !info_of(scene_->contact.model).by_forces;
  const std::string by_contact(constrains_contacts ? integrator_->contact_gain() : "");
  report(NoticeCause::spurious_energy, [&] {
    return title_with(*info_, scene_->solver) + " at h = " + format_quantity(scene_->h(), "s") +
           " gained at least " + format_quantity(*gained, "J") +
           " of spurious energy. Gravity, the start and external work account for " +
           format_quantity(account_.given(), "J") +
           (by_contact.empty() ? ". Use" : ". " + by_contact + ", or else") + " a smaller h" +
           (newton_is_cure(*info_, integrator_parameters(*scene_), scene_->solver)
                ? ", or Newton's method (--stage-solve newton)."
                : " or a method with numerical damping.");
  });
}

void Simulation::notice_gain_in_step() {
  const double gained = record_.ledger_of_step.spurious();
  if (!is_linearised() || !(gained > account_.allowed_gain())) return;
  report(NoticeCause::gain_in_step, [&] {
    // finish_record() may have kept the start of the step as the last good state.
    const std::vector<vec3>& x0 = last_good_step_ + 1 == record_.step ? last_good_->x : at_step_.state.x;
    double shortest = 1, longest = 1, turned = 0;
    for (const ElasticElement spring : system_.elements()) {
      if (!spring.stretch) continue;
      const vec3 before = x0[spring.j] - x0[spring.i], after = state_.x[spring.j] - state_.x[spring.i];
      for (const double length : {glm::length(before), glm::length(after)}) {
        shortest = std::min(shortest, length / spring.rest_length);
        longest = std::max(longest, length / spring.rest_length);
      }
      turned = std::max(turned, std::atan2(glm::length(glm::cross(before, after)), glm::dot(before, after)));
    }
    constexpr double kFewDegrees = 0.1;  // [rad]
    const auto percent = [](double share) { return format_plain(std::round(100 * share)) + " %"; };
    return title_with(*info_, scene_->solver) + " at h = " + format_quantity(scene_->h(), "s") + " gained " +
           format_quantity(gained, "J") + " of spurious energy in the step that ends at " +
           format_quantity(record_.time, "s") + ". Gravity, the start and external work account for " +
           format_quantity(account_.given(), "J") + ". In that step stretch springs turned by up to " +
           format_plain(std::round(turned * 180 / std::numbers::pi)) + "°, with lengths from " +
           percent(shortest) + " to " + percent(longest) +
           " of those at rest; the linearised forces do not follow " +
           (turned < kFewDegrees && !contact_->force().empty()
                ? "contact forces that begin within a step"
                : std::string("such turns") +
                      (contact_->force().empty() ? "" : ", nor contact forces that begin within a step")) +
           ". Use " + (scene_->adaptive ? "" : "adaptive steps, ") + "a smaller h, or " +
           (newton_is_cure(*info_, integrator_parameters(*scene_), scene_->solver)
                ? "Newton's method (--stage-solve newton)."
                : "backward Euler.");
  });
}

void Simulation::notice_intersections(const ClothIntersections& found, const char* when) {
  if (moves_.grows_at(state_.t)) return;  // reported when bodies have grown
  report(NoticeCause::intersections, [&] {
    if (found.pairs == 0) return std::string();
    const std::string other = contact_by({ContactModel::filter, ContactModel::penalty}, *info_);
    return text_of(found, when) + "; contact by " + std::string(info_of(scene_->contact.model).id) +
           (uses_impulses(*scene_) ? " cannot undo that. Separate them"
                                   : " may not undo that. Separate them") +
           (uses_impulses(*scene_) && !other.empty() ? ", or use " + other + "." : ".");
  });
}

void Simulation::add_measurement(StepRecord& to) const {
  to.time = state_.t;
  to.energy = energy_report();
  to.max_strain = measured_.strain;
  to.volume = measured_.volume;
}

/// The record of a state without a step, measured before.
void Simulation::record_state(std::uint64_t step) {
  const EnergyLedger ledger_so_far = record_.ledger;
  record_ = StepRecord{};
  body_contacts_ = {};
  record_.ledger = ledger_so_far;
  record_.step = step;
  record_.h = scene_->dt;
  add_measurement(record_);
  residuals_.clear();
  rod_forces_.clear();
}

EnergyReport Simulation::energy_report(const ClothSystem::Energies& potential,
                                       const InternalEnergy& internal) {
  EnergyReport now{.kinetic = internal.kinetic + internal.drift,
                   .stretch = potential.stretch,
                   .bend = potential.bend,
                   .gravity = potential.gravity,
                   .pressure = potential.pressure,
                   .drivers = potential.drivers};
  now.total = now.kinetic + now.stretch + now.bend + now.gravity + now.pressure + now.drivers;
  return now;
}

Projection Simulation::constraints(std::span<const vec3> x) const {
  Projection constraints = system_.projection();
  constraints.couple({});
  Surfaces now;
  now.place(scene_->floor, scene_->obstacles, contact_->thickness(), moves_, x.size(), state_.t, 0);
  contact_->add_constraints(constraints, now, x);
  return constraints;
}

std::vector<ContactPair> Simulation::contacts(WorkerPool& pool) const {
  system_.contact_energy(pool, state_.x);
  const std::span<const ContactPair> pairs = contact_->pairs(state_.v);
  return {pairs.begin(), pairs.end()};
}

}  // namespace clothlab
