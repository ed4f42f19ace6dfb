// SPDX-License-Identifier: MIT
// The effect of commands on a run. Their effect on its scene, and refusals: sim/command_rules.h.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contact/surface_name.h"
#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text.h"
#include "core/vec.h"
#include "sim/command_rules.h"
#include "sim/simulation_impl.h"

namespace clothlab {

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

void Simulation::Impl::apply(WorkerPool& pool, const Command& command) {
  std::shared_ptr<const Scene> after = changed_scene(scene, command, *mesh);
  const CommandRule& rule = rule_of(command);
  if (rule.changes_scene && after == scene) return;
  const auto* move = std::get_if<MoveObstacle>(&command);
  const bool breaks = rule.breaks_continuity || (move != nullptr && move->duration == 0);
  // Small changes need no memory.
  if (breaks) save(pool, at_step);
  try {
    if (move != nullptr && !breaks)
      begin_obstacle_move(pool, *move, std::move(after));
    else if (rule.changes_scene)
      adopt(pool, std::move(after));
    std::visit([&](const auto& each) { carry_out(pool, each); }, command);
  } catch (...) {
    if (breaks) load(pool, at_step);
    throw;
  }
  at_step.last_good.reset();  // a step may overwrite it
}

void Simulation::Impl::carry_out(WorkerPool& /*pool*/, const SetPinPreset&) {
  pins.fix_at(state.x);
  constrain_pins();
}

void Simulation::Impl::carry_out(WorkerPool& pool, const MovePins& command) {
  if (command.duration == 0) return put_pins(pool, command.pins);
  // A pin move takes at least one step. It starts at the position of the pin, so that the integrator keeps
  // its history while a pin is dragged, with a command per step.
  for (const PinTarget& pin : command.pins)
    pins.move(pin.particle, state.x[pin.particle], pin.position, state.t,
              std::max(command.duration, scene->dt));
  blow_up.reset();
}

void Simulation::Impl::carry_out(WorkerPool& pool, const Grab& command) {
  release_grab();
  grab_strength = command.strength;
  set_grab(pool, {command.particles, command.weights, command.cursor, command.stiffness, command.damping});
  // The grab may stop a cloth that moves as a whole: common motion becomes internal energy.
  account.add_work(internal_now(pool).drift);
  break_continuity();
}

/// The obstacle starts at its current position, so that the integrator keeps its history during a drag with a
/// command per step.
void Simulation::Impl::begin_obstacle_move(WorkerPool& pool, const MoveObstacle& command,
                                           std::shared_ptr<const Scene> after) {
  constexpr double kFastest = 2;  // diagonals of the cloth per second
  constexpr double kShare = 0.5;  // of its depth in a substep: overtaken cloth comes out on the near side
  const Obstacle& before = scene->obstacles.bodies[command.obstacle];
  const vec3 left = moves.shift(command.obstacle, state.t) - (command.to - centre_of(before));
  const double fastest = std::min(kFastest * mesh->diagonal, kShare * depth_of(before) / scene->h());
  // It may stop a cloth that moves as a whole.
  const bool begins = moves.shift(command.obstacle, state.t) == vec3(0);
  const double drift = begins ? internal_now(pool).drift : 0;
  moves.move(command.obstacle, left, state.t,
             std::max({command.duration, scene->dt, glm::length(left) / fastest}));
  account.add_work(drift);
  set_account_scale(*after, fastest);
  scene = std::move(after);
  blow_up.reset();
}

/// No effect if the grab has ended meanwhile.
void Simulation::Impl::carry_out(WorkerPool& pool, const MoveCursor& command) {
  if (!system.grab()) return;
  GrabSpring grab = *system.grab();
  grab.cursor = command.cursor;
  move_grab(pool, grab);
}

void Simulation::Impl::carry_out(WorkerPool& /*pool*/, const Release&) {
  if (!system.grab()) return;
  release_grab();
  break_continuity();
}

void Simulation::Impl::carry_out(WorkerPool& pool, const Reset&) { start({pool}); }

/// Values, integrator and pins do not change; pins stay at their positions in that state.
void Simulation::Impl::carry_out(WorkerPool& pool, const GoBack& command) {
  const std::shared_ptr<const Scene> now = scene;
  load(pool, *command.moment);
  pins.fix_at(state.x);
  constrain_pins();
  carry_out(pool, Release{});
  if (now != scene) adopt(pool, now);
}

void Simulation::Impl::carry_out(WorkerPool& pool, const RestoreGoodState&) {
  const auto [good, step] = last_good_state();
  const State copy = good;
  restore(pool, copy, step);
  // Obstacles have moved since.
  if (uses_impulses(*scene)) notice_intersections(find_intersections(pool), "now");
  notice_world(find_overlap(pool, normal_depth()));
}

void Simulation::Impl::carry_out(WorkerPool& /*pool*/, const ReverseVelocities&) {
  for (vec3& v : state.v) v = -v;
  break_continuity();
}

void Simulation::Impl::restore(WorkerPool& pool, const State& from, std::uint64_t step) {
  const std::size_t n = state.x.size();
  if (from.x.size() != n || from.v.size() != n)
    throw InputError("The state to continue from does not belong to this mesh.");
  if (!std::ranges::all_of(from.x, is_finite) || !std::ranges::all_of(from.v, is_finite) ||
      !std::isfinite(from.t))
    throw InputError("The state to continue from is not finite.");
  release_grab();
  moves.rest();
  contact_watch.restart();
  entering = true;
  const double before = internal_now(pool).shaking();
  if (step < last_good_step) set_last_good(initial_state(*scene, *mesh), 0);  // of the abandoned future
  state = from;
  lifting = true;
  pins.fix_at(state.x);
  measure({pool});
  account.add_work(measured.internal.shaking() - before);
  record_state(step);
  break_continuity();
}

/// Checks the initial state and the pins for a reset, without the room for a barrier.
void Simulation::Impl::check_start() {
  state = initial_state(*scene, *mesh);
  pins.pin_only(selected_particles(*mesh, scene->pins), state.x);
}

/// Sets the initial state; parameters, integrator and the set of pins do not change.
void Simulation::Impl::start(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  release_grab();
  moves.rest();
  contact_watch.restart();
  entering = true;
  notices = {};
  state = initial_state(*scene, *mesh);
  lifting = true;
  contact->stiffen(1);
  configure_contact();
  make_room(context.pool, "at the start");
  contact->detect(context.pool, state.x);  // so that the meter has their friction and damping
  set_last_good(state, 0);
  pins.pin_only(selected_particles(*mesh, scene->pins), state.x);
  const AtStart::Cause cause{scene->world(), contact->force().settings(), is_free(), has_rods()};
  if (!at_start || !(at_start->cause == cause)) {
    measure(context);
    begin_account(measured.internal, measured.potential.contact);
    set_account_scale(*scene);
    at_start = {cause, measured, account};
  }
  measured = at_start->measured;
  account = at_start->account;
  record_state(0);
  record.ledger = {};
  record.ledger.energy = record.energy.total;
  break_continuity();
  notice_world(find_overlap(context.pool, 0));
  if (!searched_at_start || searched_at_start->initial_state != scene->initial_state ||
      searched_at_start->obstacles.bodies != scene->obstacles.bodies)
    crossed_at_start = find_intersections(context.pool);
  searched_at_start = scene;
  notice_intersections(crossed_at_start, "at the start");
  notice_strain();
  notice_energy();  // the current energy becomes the reference
  notice_mesh();
}

/// Adopts the values, the integrator and the pins of a scene. The energy that they add to the current state
/// is work from outside.
void Simulation::Impl::adopt(WorkerPool& pool, std::shared_ptr<const Scene> after) {
  if (after->integrator != scene->integrator ||
      integrator_parameters(*after) != integrator_parameters(*scene))
    adopt_integrator(pool, *after);
  bool other_pins = false;
  if (after->pins != scene->pins) {
    const std::vector<std::uint32_t> pinned = selected_particles(*mesh, after->pins);
    other_pins = pinned != pins.particles();
    pins.keep_or_pin(pinned, state.x);
  }
  if (!(after->material == system.material())) {
    const double before = internal_now(pool).shaking();
    system.set_material(after->material);
    set_account_scale(*after);
    account.add_work(internal_now(pool).shaking() - before);
    if (system.grab()) set_grab(pool, *system.grab());
  }
  if (!(after->wind == scene->wind)) {
    system.set_wind(after->wind);
    set_account_scale(*after);
  }
  bool may_stop = other_pins;
  if (!(after->floor == scene->floor)) {
    set_account_scale(*after);
    may_stop =
        may_stop || (after->floor.on && (!scene->floor.on || after->floor.height != scene->floor.height));
  }
  if (!(after->obstacles == scene->obstacles)) {
    moves.rest();
    contact_watch.restart();
    set_account_scale(*after);
    may_stop = true;
  }
  const bool other_surfaces = after->floor.on != scene->floor.on ||
                              after->floor.height != scene->floor.height ||
                              after->obstacles.bodies != scene->obstacles.bodies;
  if (other_surfaces || other_pins || after->contact.model != scene->contact.model) lifting = true;
  const bool begins_impulses = uses_impulses(*after) && !uses_impulses(*scene);
  const bool adds_body = after->obstacles.bodies.size() > scene->obstacles.bodies.size();
  may_stop = may_stop || begins_impulses;
  // New pins or a new surface may turn common motion into internal energy; a surface also lifts cloth from
  // below.
  if (may_stop) account.add_work(internal_now(pool).drift);
  World with_this_step = scene->world();
  with_this_step.dt = after->dt;
  const bool other_energy = !(with_this_step == after->world()) || !(scene->contact == after->contact) ||
                            scene->integrator != after->integrator;
  const bool other_contact = after->contact.model != scene->contact.model;
  const ContactSettings force_before = contact->force().settings();
  const double contact_before = system.contact_energy(pool, state.x);
  scene = std::move(after);
  configure_contact();
  if (other_surfaces || other_contact || !(contact->force().settings() == force_before))
    make_room(pool, "now");
  contact->detect(pool, state.x);
  account.add_work(system.contact_energy(pool, state.x) - contact_before);
  // As after a reset: no work has been done yet.
  if (other_energy && record.step == 0 && !system.grab() && moves.empty()) {
    begin_account(internal_now(pool), system.contact_energy(pool, state.x));
    set_account_scale(*scene);
  }
  break_continuity();
  if (begins_impulses || adds_body) notice_intersections(find_intersections(pool), "now");
  notice_world(other_surfaces ? find_overlap(pool, normal_depth()) : Overlap{});
}

/// Switches to the integrator of `named`, with its parameters. Springs that were rods get elastic energy.
void Simulation::Impl::adopt_integrator(WorkerPool& pool, const Scene& named) {
  entering = entering || named.integrator != scene->integrator;
  const double before = internal_now(pool).shaking();
  integrator = make_integrator(named);
  info = &integrator_info(named.integrator);
  account.add_work(internal_now(pool).shaking() - before);
}

/// Largest distance over which forces act on the cloth [m]: the mesh's diagonal and the distance to the
/// farthest surface.
double Simulation::Impl::reach(const Scene& world) const {
  double distance = 0;
  for (const vec3& x : state.x) {
    if (world.floor.on) distance = std::max(distance, std::abs(x.y - world.floor.height));
    for (const Obstacle& body : world.obstacles.bodies) {
      const SurfacePoint point = closest_point(body, x);
      distance = std::max(distance, std::abs(point.height - point.level));
    }
  }
  double on_paths = 0;
  for (const Obstacle& body : world.obstacles.bodies)
    for (const Keyframe& key : body.path.keys)
      on_paths = std::max(on_paths, glm::length(key.move) +
                                        (key.turn != vec3(0) ? 2 * std::min(bound_of(body), distance) : 0.0));
  return mesh->diagonal + distance + on_paths;
}

/// The largest speed of obstacles on paths [m/s].
double Simulation::Impl::surface_speed(const Scene& world) const {
  double fastest = 0;
  for (const Obstacle& body : world.obstacles.bodies)
    fastest = std::max(fastest, fastest_on(body.path, std::min(bound_of(body), reach(world))));
  return fastest;
}

/// Pins, surfaces and other parts may turn common initial motion into internal energy.
bool Simulation::Impl::is_free() const { return pins.empty() && !may_touch(*scene); }

void Simulation::Impl::begin_account(const InternalEnergy& internal, double of_contact) {
  account.start(internal.shaking() + of_contact + (is_free() ? 0.0 : internal.drift));
}

void Simulation::Impl::set_account_scale(const Scene& world, double speed) {
  account.set_scale(system, reach(world), std::max(speed, surface_speed(world)));
}

/// Moves pins and their particles between two steps. The springs' gain is work from outside.
void Simulation::Impl::put_pins(WorkerPool& pool, const std::vector<PinTarget>& targets) {
  const double before = internal_now(pool).shaking();
  for (const auto& [particle, target] : targets) {
    pins.move(particle, target, target, state.t, 0);
    state.x[particle] = target;
    state.v[particle] = vec3(0);
  }
  measure({pool});
  account.add_work(measured.internal.shaking() - before);
  record.energy = energy_report();
  record.max_strain = measured.strain;
  record.volume = measured.volume;
  entering = true;
  break_continuity();
}

/// Resets the history of the integrator and of the adaptive steps, and updates the shown pins.
void Simulation::Impl::break_continuity() {
  integrator->reset();
  control.reset();
  watch.restart();
  jumped = true;
  constrain_pins();
  blow_up.reset();
  reserve_residuals();
}

/// A barrier needs cloth that intersects nothing and is above all surfaces. Cloth that lies on them, or a
/// little below, is put above them. Throws InputError for other cloth; `when` is part of the message.
void Simulation::Impl::make_room(WorkerPool& pool, std::string_view when) {
  const ContactForce& force = contact->force();
  if (!force.limits_displacements()) return;
  constexpr double kLeast = 0.02, kRoom = 0.05;  // of the contact distance
  constexpr const char* kWhy =
      "; contact by barrier needs cloth that intersects nothing and is above all surfaces. Separate them, "
      "or use contact by filter or penalty.";
  const double distance = force.settings().law.distance;
  probe.x.assign(state.x.size(), vec3(0));  // the displacements there
  bool lifted = false;
  for (std::uint32_t i = 0; i < state.x.size(); ++i)
    for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
      if (surfaces.is_mesh(surface)) continue;
      const SurfacePoint point = surfaces.at_end(surface, i, state.x[i] + probe.x[i]);
      const double gap = point.height - point.level;
      if (gap >= kLeast * distance) continue;
      if (gap < -distance || pins.contains(i))
        throw InputError("Vertex " + std::to_string(mesh->vertex_of_particle[i]) + " is " +
                         (gap < 0 ? format_quantity(-gap, "m") + " below " : std::string("on ")) +
                         surface_text(surface, scene->obstacles.bodies) + " " + std::string(when) + kWhy);
      probe.x[i] += (kRoom * distance - gap) * point.normal;
      lifted = true;
    }
  for (std::size_t i = 0; i < state.x.size(); ++i) probe.x[i] += state.x[i];
  const ClothIntersections found =
      clothlab::find_intersections(pool, *mesh, probe.x, obstacles_at(scene->obstacles, moves, state.t));
  if ((force.settings().with_itself ? found.pairs : found.with_obstacles) > 0)
    throw InputError(text_of(found, when) + " (" + names_of_first(found) + ")" + kWhy);
  if (!lifted) return;
  const double before = internal_now(pool).shaking();
  state.x = probe.x;
  account.add_work(std::max(internal_now(pool).shaking() - before, 0.0));
}

void Simulation::Impl::reserve_residuals() {
  for (std::vector<double>* history : {&residuals, &next_residuals})
    history->reserve(static_cast<std::size_t>(scene->solver.linear.cg.max_iterations) + 1);
}

/// Sets the force bounds of the grab for the part of the cloth and its springs.
void Simulation::Impl::set_grab(WorkerPool& pool, GrabSpring grab) {
  const ClothModel& model = system.model();
  grab.max_force =
      grab_strength * grab_force_bound(model, system.masses(), system.material().gravity, grab.particles[0]);
  grab.least_block = grab_least_block(model, system.material(), grab);
  move_grab(pool, grab);
}

/// Counts the energy gain of the spring as work: at most the largest force × the distance of the cursor.
void Simulation::Impl::move_grab(WorkerPool& pool, const GrabSpring& grab) {
  const double before = system.grab_energy(pool, state.x);
  system.set_grab(grab);
  account.add_work(system.grab_energy(pool, state.x) - before);
}

}  // namespace clothlab
