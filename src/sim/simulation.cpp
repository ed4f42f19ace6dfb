#include "sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text.h"
#include "sim/checkpoint.h"
#include "sim/energy_account.h"
#include "sim/floor_contact.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"
#include "sim/step_control.h"

namespace clothlab {
namespace {

constexpr std::string_view kFloorReached =
    "Adaptive steps: even h/1024 leaves a larger strain than allowed; the step was taken as it is.";

// Of the mesh's diagonal: what entering a method with rods moves less than this is rounding.
constexpr double kMoved = 1e-6;

// How often a step is taken again because cloth has landed in it.
constexpr int kLandings = 2;

bool is_finite(const vec3& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

std::shared_ptr<const ClothMesh> not_null(std::shared_ptr<const ClothMesh> mesh) {
  if (!mesh) throw InputError("A simulation needs a mesh.");
  return mesh;
}

Scene checked(Scene scene) {
  check_parameters(scene);
  return scene;
}

State initial_state(const Scene& scene, const ClothMesh& mesh) {
  State state;
  if (scene.initial_state) {
    const auto& [positions, velocities] = *scene.initial_state;
    for (const std::vector<vec3>* rows : {&positions, &velocities})
      for (std::size_t v = 0; v < rows->size(); ++v)
        if (!is_finite((*rows)[v]))
          throw InputError("The initial state of vertex " + std::to_string(v) + " is not finite.");
    state.x = particle_values(mesh, positions);
    state.v = particle_values(mesh, velocities);
  } else {
    state.x = mesh.positions;
    state.v.assign(mesh.positions.size(), vec3(0));
  }
  return state;
}

std::unique_ptr<Integrator> make_integrator(const Scene& scene) {
  return integrator_info(scene.integrator).make(integrator_parameters(scene));
}

}  // namespace

struct Simulation::Impl {
  Impl(Scene the_scene, std::shared_ptr<const ClothMesh> the_mesh, WorkerPool& the_pool,
       const StopProbe& stop, std::shared_ptr<const ClothModel> model)
      : mesh(not_null(std::move(the_mesh))),
        scene(std::make_shared<const Scene>(checked(std::move(the_scene)))),
        pool(the_pool),
        system(model ? std::move(model) : std::make_shared<const ClothModel>(mesh, stop), scene->material,
               pool),
        info(&integrator_info(scene->integrator)),
        integrator(make_integrator(*scene)) {
    system.set_wind(scene->wind);
    start(stop);
  }

  // The stages of a step -----------------------------------------------------------------------

  StepStatus step(const StopProbe& stop) {
    keep_start_of_step();
    StepStatus status = StepStatus::stopped;
    try {
      status = take_step(stop);
    } catch (const Cancelled&) {
      abandon_step();
    } catch (...) {
      abandon_step();
      leave_floor();
      throw;
    }
    leave_floor();
    return status;
  }

  /// Throws Cancelled when `stop` asks, as all its stages do.
  StepStatus take_step(const StopProbe& stop) {
    const CancelPoint cancel(stop);
    control.begin();
    while (!control.done()) {
      const double h = scene->stepping.dt * control.units() / StepControl::kUnits;
      if (scene->stepping.adaptive || scene->floor.on) keep_start_of_substep();
      aim_pins(h, stop);
      meet_world(h, stop);
      cancel.look();
      restart_integrator_if_new(h);
      enter_integrator_if_new(h, stop);
      const StepReport report = advance(h, stop);
      measure(stop);
      const std::optional<BlowUp> bad = check_energy(h);
      const bool good = !bad && (!scene->stepping.adaptive || measured.strain <= scene->stepping.max_strain);
      if (!good && scene->stepping.adaptive && !control.at_floor()) {
        retry_with_half();
        continue;
      }
      if (bad) return refuse_step(*bad);
      adopt_substep(report, good);
    }
    finish_record();
    return StepStatus::done;
  }

  void keep_start_of_step() {
    save_progress(at_step);
    moved_on_entry = 0;
    next = StepRecord{};
    next.step = record.step + 1;
    next.dt = scene->stepping.dt;
    next.integrator = info->id;
  }

  /// The step that is done began with the newest sound state.
  void keep_last_sound() {
    if (last_sound.use_count() != 1) last_sound = std::make_shared<State>();  // a checkpoint has it
    std::swap(*last_sound, at_step.state);
    last_sound_step = record.step - 1;
  }

  bool is_sound() const { return record.max_strain < kSoundStrain; }

  void copy_state(State& to) const {
    constexpr std::size_t kGrain = 4096;
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

  void keep_start_of_substep() {
    copy_state(substep_start);
    account_at_substep = account;
  }

  /// Aims the pins at the end of the substep and books the work that moving them takes: by how much
  /// the springs gain when only the pins move, and what the pins gain in speed. Up to second order in the
  /// displacement Δx this is −f·Δx with the forces f at the beginning; the second order counts when a pin
  /// jumps. Nothing of it depends on the outcome of the step.
  void aim_pins(double h, const StopProbe& stop) {
    Projection& projection = system.projection();
    pins.aim(state.t + h, projection);
    const bool rods = has_rods();
    bool moving = false;
    double work = 0, lifted = 0;
    for (const Projection::Entry& pin : projection.entries()) {
      const vec3 way = pin.target - state.x[pin.particle], velocity = way / h;
      moving = moving || way != vec3(0.0);
      const double gain =
          glm::dot(velocity, velocity) - glm::dot(state.v[pin.particle], state.v[pin.particle]);
      const double mass = system.masses()[pin.particle];
      // Rods may hand it on to all of the cloth at once.
      work += 0.5 * (rods ? system.material().mass : mass) * std::max(gain, 0.0);
      lifted -= mass * glm::dot(system.material().gravity, way);
    }
    if (!moving) return;
    account.add_work(lifted);
    probe.x = state.x;
    for (const Projection::Entry& pin : projection.entries()) probe.x[pin.particle] = pin.target;
    const ClothSystem::Energies before = energies_of(state.x);
    CancelPoint(stop).look();
    const ClothSystem::Energies after = energies_of(probe.x);
    account.add_work(work + after.stretch + after.bend - before.stretch - before.bend);
  }

  bool has_rods() const { return info->inextensible; }

  /// Without what the integrator knows nothing of: rods have no elastic energy.
  ClothSystem::Energies energies_of(std::span<const vec3> x) const {
    return without_rods(system.energies(x));
  }
  ClothSystem::Energies without_rods(ClothSystem::Energies energies) const {
    if (has_rods()) energies.stretch = 0;
    return energies;
  }

  /// The air and the floor of the substep. A changed contact set restarts multistep methods, as a changed pin
  /// does.
  void meet_world(double h, const StopProbe& stop) {
    system.blow(state.x, state.t);
    CancelPoint(stop).look();
    if (contact.hold(scene->floor, h, state, system, stop)) integrator->reset();
  }

  /// One substep, taken again where cloth has landed on the floor.
  StepReport advance(double h, const StopProbe& stop) {
    const StepContext context{scene->stepping.solver, pool, stop};
    StepReport report = integrator->advance(system, state, h, context);
    if (report.stopped) throw Cancelled();
    for (int again = 0; again < kLandings; ++again) {
      if (!contact.land(scene->floor, h, substep_start, state, system, stop)) break;
      state = substep_start;
      integrator->reset();
      const StepReport before = report;
      report = integrator->advance(system, state, h, context);
      if (report.stopped) throw Cancelled();
      report.newton_iterations += before.newton_iterations;
      report.linear_iterations += before.linear_iterations;
    }
    if (contact.settle(scene->floor, state, system, stop)) integrator->reset();
    return report;
  }

  /// Between steps, only the pins hold anything.
  void leave_floor() {
    if (!scene->floor.on) return;
    system.set_pushes({});
    aim_at_pins();
  }

  void aim_at_pins() {
    system.projection().clear(state.x.size());
    pins.aim(state.t, system.projection());
  }

  void restart_integrator_if_new(double h) {
    if (h != last_h) integrator->reset();
    last_h = h;
  }

  /// Lets the integrator take over a state that it has not come to itself. Throws Cancelled.
  void enter_integrator_if_new(double h, const StopProbe& stop) {
    if (!entering) return;
    const double before = has_rods() ? internal_energy_now() : 0;
    StepReport report;
    const double moved = integrator->enter(system, state, h, {scene->stepping.solver, pool, stop}, report);
    if (report.stopped) throw Cancelled();
    if (moved > kMoved * mesh->diagonal) {
      moved_on_entry = moved;
      account.add_work(internal_energy_now() - before);
    }
  }

  /// Energies and strain of the state at hand. Throws Cancelled.
  void measure(const StopProbe& stop = {}) {
    const CancelPoint cancel(stop);
    cancel.look();
    const auto [potential, max_strain] = system.measure(state.x);
    measured.potential = without_rods(potential);
    measured.strain = max_strain;
    cancel.look();
    measured.internal = meter.measure(system, state, measured.potential);
    cancel.look();
  }

  /// The blow-up test of model.md.
  std::optional<BlowUp> check_energy(double h) const {
    BlowUp bad;
    bad.step = next.step;
    bad.time = state.t;
    bad.dt = h;
    bad.energy = measured.internal.shaking();
    bad.allowed = account.allowed(scene->stepping.energy_limit);
    // A non-finite x or v would make these energies non-finite too.
    const auto& [kinetic, drift, elastic] = measured.internal;
    const bool finite = std::isfinite(kinetic + drift) && std::isfinite(measured.potential.gravity);
    if (finite && bad.energy <= bad.allowed && std::isfinite(bad.energy)) return std::nullopt;

    double fastest = -1;
    for (std::size_t i = 0; i < state.x.size(); ++i) {
      const double speed = glm::dot(state.v[i], state.v[i]);
      if (!is_finite(state.x[i]) || !is_finite(state.v[i])) {
        bad.cause = BlowUp::Cause::not_finite;
        bad.particle = static_cast<std::uint32_t>(i);
        return bad;
      }
      if (speed > fastest) {
        fastest = speed;
        bad.particle = static_cast<std::uint32_t>(i);
      }
    }
    // Positions may be finite and their energy not: an energy that is not a number is refused as well.
    if (bad.energy <= bad.allowed && std::isfinite(bad.energy)) return std::nullopt;
    bad.cause = BlowUp::Cause::energy;
    return bad;
  }

  void retry_with_half() {
    std::swap(state, substep_start);
    account = account_at_substep;
    control.refuse();
  }

  void restore_start_of_step() {
    entering = at_step.entering;
    std::swap(state, at_step.state);
    account = at_step.account;
    aim_at_pins();
  }

  /// As if it had never begun, whatever stage it was in.
  void abandon_step() {
    std::swap(state, at_step.state);
    load_progress(at_step);
    aim_at_pins();
  }

  StepStatus refuse_step(const BlowUp& bad) {
    restore_start_of_step();
    integrator->reset();
    blow_up = bad;
    return StepStatus::blown_up;
  }

  void adopt_substep(const StepReport& report, bool good) {
    next.dt = std::min(next.dt, report.h);
    next.newton_iterations += report.newton_iterations;
    next.cg_iterations += report.linear_iterations;
    next.cg_residual = report.linear_residual;
    next.residual = std::max(next.residual, report.newton_residual);
    next.distance = report.distance;
    next.length_violation = report.length_violation;
    next.modes = report.modes;
    entering = false;
    if (next.converged && !report.converged) {
      next.converged = false;
      next.reason = report.reason;
    }
    if (!good) next.warning = kFloorReached;
    next_residuals.assign(report.residual_history.begin(), report.residual_history.end());
    control.accept(good);
  }

  void finish_record() {
    next.time = state.t;
    next.energy = energy_report();
    next.max_strain = measured.strain;
    const bool was_sound = is_sound();
    record = next;
    if (was_sound && !is_sound()) keep_last_sound();
    residuals.swap(next_residuals);
    blow_up.reset();
    notice_entry();
    notice_energy();
  }

  // Checkpoints ----------------------------------------------------------------------------------

  /// What a step changes.
  void save_progress(Checkpoint& to) const {
    copy_state(to.state);
    to.memory.clear();
    integrator->save(to.memory);
    to.entering = entering;
    to.last_h = last_h;
    to.control = control;
    to.contacts = contact.contacts();
    to.account = account;
  }

  /// All of that but the state.
  void load_progress(const Checkpoint& from) {
    MemoryReader memory(from.memory);
    integrator->load(memory, state.x.size());
    entering = from.entering;
    last_h = from.last_h;
    control = from.control;
    contact.set_contacts(from.contacts);
    account = from.account;
  }

  void save(Checkpoint& to) const {
    save_progress(to);
    to.scene = scene;
    to.pins = pins;
    to.drag = system.drag();
    to.hand_strength = hand_strength;
    to.measured = measured;
    to.watch = watch;
    to.said_energy = said_energy;
    to.record = record;
    to.residuals = residuals;
    to.blow_up = blow_up;
    to.last_sound = last_sound;
    to.last_sound_step = last_sound_step;
  }

  void load(const Checkpoint& from) {
    const std::size_t n = state.x.size();
    if (!from.scene || !from.last_sound || from.state.x.size() != n || from.state.v.size() != n)
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
    load_progress(from);
    pins = from.pins;
    system.set_drag(from.drag);
    hand_strength = from.hand_strength;
    watch = from.watch;
    said_energy = from.said_energy;
    if (from.measured) {
      measured = *from.measured;
      record = from.record;
    } else {
      measure();
      record_state(from.record.step);
    }
    blow_up = from.blow_up;
    set_last_sound(*from.last_sound, from.last_sound_step);
    at_start.reset();
    reserve_residuals();
    residuals = from.residuals;
    aim_at_pins();
  }

  StateAtStep last_sound_state() const {
    if (is_sound()) return {state, record.step};
    return {*last_sound, last_sound_step};
  }

  void set_last_sound(State sound, std::uint64_t step) {
    last_sound = std::make_shared<State>(std::move(sound));
    last_sound_step = step;
  }

  // What is said once ------------------------------------------------------------------------------

  void say(std::string text) { notice = {notice.number + 1, record.step, std::move(text)}; }

  void notice_entry() {
    if (moved_on_entry == 0) return;
    say(std::string(info->title) +
        " takes stretch springs as rods: the cloth was brought to their lengths, by up to " +
        format_quantity(moved_on_entry, "m") + ", which does not count as motion.");
  }

  /// Wind, rods and a floor that lifts do work that is not counted.
  void notice_energy() {
    if (said_energy) return;
    if (scene->wind.on || contact.lifts() || has_rods()) return watch.restart();
    const auto made = watch.look({record.time, record.energy.total, measured.internal.shaking()}, account);
    if (!made) return;
    said_energy = true;
    say(std::string(info->title) + " at h = " + format_quantity(scene->stepping.dt, "s") +
        " has made at least " + format_quantity(*made, "J") +
        " from nothing; gravity, the start and what was done to the cloth account for " +
        format_quantity(account.given(), "J") +
        ". A smaller h or a method with numerical damping makes less.");
  }

  // Commands -------------------------------------------------------------------------------------

  void apply(const SetParameter& command) {
    Scene changed = *scene;
    set_parameter(changed, command.id, command.value);
    if (find_scene_parameter(command.id) == nullptr) integrator = make_integrator(changed);
    change_scene(std::move(changed));
  }

  void apply(const SetGravity& command) {
    check_gravity(command.gravity);
    Scene changed = *scene;
    changed.material.gravity = command.gravity;
    change_scene(std::move(changed));
  }

  void apply(const SetIntegrator& command) {
    Scene changed = *scene;
    changed.integrator = integrator_info(command.id).id;
    take_integrator(changed);
    scene = std::make_shared<const Scene>(std::move(changed));
    break_continuity();
  }

  void apply(const SetPinned& command) {
    for (const std::uint32_t i : command.particles) check_particle(i);
    const std::vector<std::uint32_t> before = pins.particles();
    std::vector<std::uint32_t> held = with_pinned(before, command.particles, command.pinned);
    if (held == before) return;
    pins.keep_or_hold(held, state.x);
    for (std::uint32_t& i : held) i = mesh->vertex_of_particle[i];
    Scene changed = *scene;
    changed.pins = std::move(held);
    scene = std::make_shared<const Scene>(std::move(changed));
    pins_changed();
  }

  void apply(const SetPinPreset& command) {
    pins.hold(pinned_particles(*mesh, command.preset), state.x);
    Scene changed = *scene;
    changed.pins = command.preset;
    scene = std::make_shared<const Scene>(std::move(changed));
    pins_changed();
  }

  void apply(const SetScene& command) {
    if (!command.scene) throw InputError("There is no scene to take the values from.");
    Scene changed = *command.scene;
    check_parameters(changed);
    system.model().masses(changed.material);  // refuses what change_scene would, before anything changes
    changed.title = scene->title;
    changed.description = scene->description;
    changed.mesh = scene->mesh;
    changed.scale = scene->scale;
    changed.weld = scene->weld;
    changed.z_up = scene->z_up;
    changed.initial_state = scene->initial_state;
    const std::vector<std::uint32_t> held = selected_particles(*mesh, changed.pins);
    if (changed.integrator != scene->integrator ||
        integrator_parameters(changed) != integrator_parameters(*scene))
      take_integrator(changed);
    const bool other_pins = held != pins.particles();
    pins.keep_or_hold(held, state.x);
    change_scene(std::move(changed));
    if (other_pins) pins_changed();
  }

  void apply(const MovePins& command) {
    for (const PinPlace& pin : command.pins) {
      check_particle(pin.particle);
      check_point("The target of a pin", pin.place);
      if (!pins.contains(pin.particle))
        throw InputError("Particle " + std::to_string(pin.particle) + " is not pinned.");
    }
    if (!(command.duration >= 0) || !std::isfinite(command.duration))
      throw InputError("The duration of a pin's motion must be a finite number of seconds, 0 or more.");
    if (command.duration == 0) return put_pins(command.pins);
    // A pin move takes at least one step. It starts where the pin is, so that the integrator keeps its
    // history: a pin that is dragged is moved between all steps.
    for (const PinPlace& pin : command.pins)
      pins.move(pin.particle, state.x[pin.particle], pin.place, state.t,
                std::max(command.duration, scene->stepping.dt));
    blow_up.reset();
  }

  void apply(const Grab& command) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      check_particle(command.particles[static_cast<std::size_t>(c)]);
      const double w = command.weights[c];
      if (!(w >= -kWeightTolerance && w <= 1 + kWeightTolerance))
        throw InputError("The weights of a grabbed point must lie between 0 and 1.");
      sum += w;
    }
    if (!(std::abs(sum - 1) <= kWeightTolerance))
      throw InputError("The weights of a grabbed point must add up to 1.");
    check_point("The cursor", command.cursor);
    if (!(command.stiffness >= 0) || !(command.damping >= 0) || !std::isfinite(command.stiffness) ||
        !std::isfinite(command.damping))
      throw InputError("Stiffness and damping of the hand must be finite numbers, 0 or more.");

    if (!(command.strength > 0 && command.strength <= 1))
      throw InputError("The strength of the hand must be above 0, and at most 1.");

    release_hand();
    hand_strength = command.strength;
    take_hold({command.particles, command.weights, command.cursor, command.stiffness, command.damping});
    // The hand may stop a cloth that falls or flies as a whole, and turn that motion into shaking.
    account.add_work(meter.measure(system, state, energies_of(state.x)).drift);
    break_continuity();
  }

  void apply(const MoveCursor& command) {
    check_point("The cursor", command.cursor);
    if (!system.drag()) return;  // let go while the command was under way
    Drag drag = *system.drag();
    drag.cursor = command.cursor;
    move_hand(drag);
  }

  void apply(const Release&) {
    if (!system.drag()) return;
    release_hand();
    break_continuity();
  }

  void apply(const Reset&) { start(); }

  /// What was set since then stays set: the values, the integrator and the pins, in that state's places.
  void apply(const GoBack& command) {
    if (!command.moment) throw InputError("There is no moment to go back to.");
    const std::shared_ptr<const Scene> now = scene;
    load(*command.moment);
    pins.hold_at(state.x);
    aim_at_pins();
    if (system.drag()) apply(Release{});
    if (now != scene) apply(SetScene{now});
  }

  void apply(const RestoreState& command) {
    if (!command.state || command.state->x.size() != state.x.size() ||
        command.state->v.size() != state.v.size())
      throw InputError("The state to continue from does not belong to this mesh.");
    for (std::size_t i = 0; i < state.x.size(); ++i)
      if (!is_finite(command.state->x[i]) || !is_finite(command.state->v[i]))
        throw InputError("The state to continue from is not finite.");
    if (!std::isfinite(command.state->t)) throw InputError("The state to continue from is not finite.");

    release_hand();
    entering = true;
    const double before = internal_energy_now();
    if (command.step < last_sound_step)
      set_last_sound(initial_state(*scene, *mesh), 0);  // of a future that is given up
    state = *command.state;
    pins.hold_at(state.x);
    measure();
    account.add_work(measured.internal.shaking() - before);
    record_state(command.step);
    break_continuity();
  }

  // Helpers shared by the commands -----------------------------------------------------------------

  /// Everything as at the beginning, but for the parameters, the integrator and which particles are pinned.
  void start(const StopProbe& stop = {}) {
    const CancelPoint cancel(stop);
    cancel.look();
    release_hand();
    entering = true;
    said_energy = false;
    state = initial_state(*scene, *mesh);
    set_last_sound(state, 0);
    pins.hold(selected_particles(*mesh, scene->pins), state.x);
    if (!at_start || !at_start->is_of(*scene, pins.empty())) {
      measure(stop);
      // Pins and floor may turn the common motion that a cloth starts with into shaking.
      const bool free = pins.empty() && !scene->floor.on;
      account.start(measured.internal.shaking() + (free ? 0.0 : measured.internal.drift));
      account.set_scale(system, reach(scene->floor));
      at_start = {scene->material, scene->wind, scene->floor, pins.empty(), has_rods(), measured, account};
    }
    measured = at_start->measured;
    account = at_start->account;
    record_state(0);
    break_continuity();
    notice_energy();  // what there is counts as given
  }

  /// Switches to the integrator of `named`, with its parameters there. Springs that were rods have energy
  /// again.
  void take_integrator(const Scene& named) {
    entering = entering || named.integrator != scene->integrator;
    const double before = internal_energy_now();
    integrator = make_integrator(named);
    info = &integrator_info(named.integrator);
    account.add_work(internal_energy_now() - before);
  }

  /// Takes over new parameter values. Energy that they add to the state at hand is work from outside.
  void change_scene(Scene changed) {
    if (!(changed.material == system.material())) {
      const double before = internal_energy_now();
      system.set_material(changed.material);
      account.set_scale(system, reach(changed.floor));
      account.add_work(internal_energy_now() - before);
      if (system.drag()) take_hold(*system.drag());
    }
    if (!(changed.wind == scene->wind)) {
      system.set_wind(changed.wind);
      account.set_scale(system, reach(changed.floor));
    }
    if (!(changed.floor == scene->floor)) {
      account.set_scale(system, reach(changed.floor));
      // A floor that is new there may stop what falls, and lift what lies below it.
      if (changed.floor.on && (!scene->floor.on || changed.floor.height != scene->floor.height))
        account.add_work(meter.measure(system, state, energies_of(state.x)).drift);
    }
    scene = std::make_shared<const Scene>(std::move(changed));
    break_continuity();
  }

  /// How far forces may take the cloth before it is stopped [m]: across the mesh, and down to the floor or up
  /// to it.
  double reach(const Floor& floor) const {
    double way = 0;
    if (floor.on)
      for (const vec3& x : state.x) way = std::max(way, std::abs(x.y - floor.height));
    return mesh->diagonal + way;
  }

  /// Moves pins and their particles to a place between two steps. What the springs gain is work from outside.
  void put_pins(const std::vector<PinPlace>& places) {
    const double before = internal_energy_now();
    for (const auto& [particle, place] : places) {
      pins.move(particle, place, place, state.t, 0);
      state.x[particle] = place;
      state.v[particle] = vec3(0);
    }
    measure();
    account.add_work(measured.internal.shaking() - before);
    record.energy = energy_report();
    record.max_strain = measured.strain;
    entering = true;
    break_continuity();
  }

  void pins_changed() {
    // A pin may stop a cloth that falls or flies as a whole, and turn that motion into shaking.
    account.add_work(meter.measure(system, state, energies_of(state.x)).drift);
    break_continuity();
  }

  /// The history of the integrator ends here, and so does that of the adaptive steps. What is shown of
  /// pins is up to date at once.
  void break_continuity() {
    integrator->reset();
    control.reset();
    watch.restart();
    aim_at_pins();
    blow_up.reset();
    reserve_residuals();
  }

  void reserve_residuals() {
    for (std::vector<double>* history : {&residuals, &next_residuals})
      history->reserve(static_cast<std::size_t>(scene->stepping.solver.linear.cg.max_iterations) + 1);
  }

  /// Holds with the force that the part of the cloth and its springs allow.
  void take_hold(Drag drag) {
    const ClothModel& model = system.model();
    drag.max_force = hand_strength *
                     drag_force_bound(model, system.masses(), system.material().gravity, drag.particles[0]);
    drag.least_block = drag_least_block(model, system.material(), drag);
    move_hand(drag);
  }

  /// What the hand's spring gains is the work of the hand: at most largest force × way of the cursor.
  void move_hand(const Drag& drag) {
    const double before = system.drag_energy(state.x);
    system.set_drag(drag);
    account.add_work(system.drag_energy(state.x) - before);
  }

  void release_hand() { system.set_drag(std::nullopt); }

  double internal_energy_now() { return meter.measure(system, state, energies_of(state.x)).shaking(); }

  /// The record of a state that no step led to, measured before.
  void record_state(std::uint64_t step) {
    record = StepRecord{};
    record.step = step;
    record.time = state.t;
    record.dt = scene->stepping.dt;
    record.energy = energy_report();
    record.max_strain = measured.strain;
    residuals.clear();
  }

  EnergyReport energy_report() const {
    const auto& [potential, internal, strain] = measured;
    const double kinetic = internal.kinetic + internal.drift;
    return {kinetic, potential.stretch, potential.bend, potential.gravity,
            kinetic + potential.stretch + potential.bend + potential.gravity};
  }

  void check_particle(std::uint32_t i) const {
    if (i >= state.x.size())
      throw InputError("There is no particle " + std::to_string(i) + "; the cloth has " +
                       std::to_string(state.x.size()) + ".");
  }

  static void check_point(const std::string& what, const vec3& point) {
    if (!is_finite(point)) throw InputError(what + " must be a finite position.");
  }

  static constexpr double kWeightTolerance = 1e-6;  // the window picks in single precision

  const std::shared_ptr<const ClothMesh> mesh;
  std::shared_ptr<const Scene> scene;
  WorkerPool& pool;

  ClothSystem system;
  const IntegratorInfo* info;  // of scene->integrator
  std::unique_ptr<Integrator> integrator;
  PinSet pins;
  State state;

  FloorContact contact;
  StepControl control;
  EnergyMeter meter{system.model(), pool};
  EnergyAccount account;
  std::optional<BlowUp> blow_up;
  double hand_strength = 1;  // of the hold at hand, see Grab

  StepRecord record;
  std::vector<double> residuals;
  Notice notice;
  EnergyWatch watch;
  bool said_energy = false;  // since the start
  bool entering = true;      // the integrator has not come to the state itself

  Measurement measured;  // of the state, when a step or a jump has led to it
  /// What the start costs to measure, for the next Reset.
  struct AtStart {
    Material material;
    Wind wind;
    Floor floor;
    bool unpinned = false;
    bool rods = false;
    Measurement measured;
    EnergyAccount account;

    bool is_of(const Scene& other, bool other_unpinned) const {
      return material == other.material && wind == other.wind && floor == other.floor &&
             unpinned == other_unpinned && rods == integrator_info(other.integrator).inextensible;
    }
  };
  std::optional<AtStart> at_start;

  double last_h = 0;  // of the last substep [s]

  std::shared_ptr<State> last_sound;  // the newest sound state, where `state` is not; or the start
  std::uint64_t last_sound_step = 0;

  // Of the step being taken.
  StepRecord next;
  std::vector<double> next_residuals;
  Checkpoint at_step;  // its start, of what a step changes
  State substep_start, probe;
  EnergyAccount account_at_substep;
  double moved_on_entry = 0;  // [m]
};

Simulation::Simulation(Scene scene, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool,
                       const StopProbe& stop, std::shared_ptr<const ClothModel> model)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(mesh), pool, stop, std::move(model))) {}
Simulation::~Simulation() = default;

StepStatus Simulation::step(const StopProbe& stop) { return impl_->step(stop); }

void Simulation::save(Checkpoint& to) const { impl_->save(to); }
void Simulation::load(const Checkpoint& from) { impl_->load(from); }

void Simulation::apply(const Command& command) {
  std::visit([this](const auto& each) { impl_->apply(each); }, command);
}

const Scene& Simulation::scene() const { return *impl_->scene; }
std::shared_ptr<const Scene> Simulation::shared_scene() const { return impl_->scene; }
const ClothMesh& Simulation::mesh() const { return *impl_->mesh; }
std::shared_ptr<const ClothMesh> Simulation::shared_mesh() const { return impl_->mesh; }
const ClothSystem& Simulation::system() const { return impl_->system; }
const IntegratorInfo& Simulation::integrator() const { return *impl_->info; }
const State& Simulation::state() const { return impl_->state; }
std::uint64_t Simulation::steps() const { return impl_->record.step; }
const StepRecord& Simulation::record() const { return impl_->record; }
std::span<const double> Simulation::residual_history() const { return impl_->residuals; }
const std::optional<BlowUp>& Simulation::blow_up() const { return impl_->blow_up; }
Simulation::StateAtStep Simulation::last_sound_state() const { return impl_->last_sound_state(); }
Projection Simulation::constraints(std::span<const vec3> x) const {
  Projection held = impl_->system.projection();
  impl_->contact.add_to(held, impl_->scene->floor, x);
  return held;
}

const Notice& Simulation::notice() const { return impl_->notice; }
bool Simulation::is_pinned(std::uint32_t particle) const { return impl_->pins.contains(particle); }
std::vector<PinPlace> Simulation::pins_under_way() const { return impl_->pins.under_way(impl_->state.t); }
const std::optional<Drag>& Simulation::drag() const { return impl_->system.drag(); }

InitialState Simulation::export_state() const {
  return {vertex_positions(*impl_->mesh, impl_->state.x), vertex_velocities(*impl_->mesh, impl_->state.v)};
}

}  // namespace clothlab
