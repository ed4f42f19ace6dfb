// SPDX-License-Identifier: MIT
// The effect of commands on a run. Their effect on its scene, and refusals: sim/command_rules.h.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contact/surfaces.h"
#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text.h"
#include "core/vec.h"
#include "sim/command_rules.h"
#include "sim/contact.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {

namespace {

State initial_state(const Scene& scene, const ClothMesh& mesh) {
  if (!scene.initial_state) return {mesh.positions, std::vector<vec3>(mesh.positions.size(), vec3(0))};
  const auto& [positions, velocities] = *scene.initial_state;
  for (const std::vector<vec3>* rows : {&positions, &velocities})
    for (std::size_t v = 0; v < rows->size(); ++v)
      if (!is_finite((*rows)[v]))
        throw InputError("The initial state of vertex " + std::to_string(v) + " is not finite.");
  return {particle_values(mesh, positions), particle_values(mesh, velocities)};
}

}  // namespace

template <class OfTheSceneAlone>
void Simulation::carry_out(const ComputeContext& /*context*/, const OfTheSceneAlone& /*command*/) {}

template <>
void Simulation::carry_out(const ComputeContext& /*context*/, const SetPinPreset&) {
  pins_.fix_at(state_.x);
  constrain_pins(state_.t);
}

template <>
void Simulation::carry_out(const ComputeContext& context, const MovePins& command) {
  if (command.duration == 0) return put_pins(context.pool, command.pins);
  // A pin move takes at least one step. It starts at the position of the pin, so that the integrator keeps
  // its history while a pin is dragged, with a command per step.
  for (const PinTarget& pin : command.pins)
    pins_.move(pin.particle, state_.x[pin.particle], pin.position, state_.t,
               std::copysign(std::max(command.duration, std::abs(scene_->dt)), scene_->dt));
  blow_up_.reset();
}

template <>
void Simulation::carry_out(const ComputeContext& context, const Grab& command) {
  release_grab();
  grab_strength_ = command.strength;
  set_grab(context.pool,
           {command.particles, command.weights, command.cursor, command.stiffness, command.damping});
  // The grab may stop a cloth that moves as a whole: common motion becomes internal energy.
  account_.add_work(internal_now(context.pool).drift);
  break_continuity();
}

/// The obstacle starts at its current position, so that the integrator keeps its history during a drag with a
/// command per step.
void Simulation::begin_obstacle_move(WorkerPool& pool, const MoveObstacle& command,
                                     std::shared_ptr<const Scene> after) {
  constexpr double kFastest = 2;  // diagonals of the cloth per second
  constexpr double kShare = 0.5;  // of its depth in a substep: overtaken cloth comes out on the near side
  const Obstacle& before = scene_->obstacles.bodies[command.obstacle];
  const vec3 left = moves_.shift(command.obstacle, state_.t) - (command.to - centre_of(before));
  const double fastest = std::min(kFastest * mesh_->diagonal, kShare * depth_of(before) / scene_->h());
  // It may stop a cloth that moves as a whole.
  const bool begins = moves_.shift(command.obstacle, state_.t) == vec3(0);
  const double drift = begins ? internal_now(pool).drift : 0;
  moves_.move(command.obstacle, left, state_.t,
              std::max({command.duration, scene_->dt, glm::length(left) / fastest}));
  account_.add_work(drift);
  set_account_scale(*after, fastest);
  scene_ = std::move(after);
  blow_up_.reset();
}

/// No effect if the grab has ended meanwhile.
template <>
void Simulation::carry_out(const ComputeContext& context, const MoveCursor& command) {
  if (!system_.grab()) return;
  GrabSpring grab = *system_.grab();
  grab.cursor = command.cursor;
  move_grab(context.pool, grab);
}

template <>
void Simulation::carry_out(const ComputeContext& /*context*/, const Release&) {
  if (!system_.grab()) return;
  release_grab();
  break_continuity();
}

template <>
void Simulation::carry_out(const ComputeContext& context, const Reset&) {
  start({context.pool});
}

/// Values, integrator and pins do not change; pins stay at their positions in that state.
template <>
void Simulation::carry_out(const ComputeContext& context, const GoBack& command) {
  const std::shared_ptr<const Scene> now = scene_;
  load(context.pool, *command.moment);
  pins_.fix_at(state_.x);
  constrain_pins(state_.t);
  carry_out(context, Release{});
  if (now != scene_) adopt(context.pool, now);
}

template <>
void Simulation::carry_out(const ComputeContext& context, const RestoreGoodState&) {
  const auto [good, step] = last_good_state();
  const State copy = good;
  restore(context.pool, copy, step);
  // Obstacles have moved since.
  if (uses_impulses(*scene_)) notice_intersections(find_intersections(context.pool), "now");
  notice_world(find_overlap(context.pool, normal_depth()));
}

template <>
void Simulation::carry_out(const ComputeContext& /*context*/, const ReverseVelocities&) {
  for (vec3& v : state_.v) v = -v;
  break_continuity();
}

/// A step whose dt has the other sign. If it fails, nothing has changed.
template <>
void Simulation::carry_out(const ComputeContext& context, const StepBack&) {
  Checkpoint before;
  save(context.pool, before);
  const std::shared_ptr<const Scene> forward = scene_;
  const auto back = std::make_shared<Scene>(*scene_);
  back->dt = -back->dt;
  scene_ = back;
  try {
    const StepStatus status = step(context.pool, context.stop);
    if (status == StepStatus::stopped) throw Cancelled();
    if (status != StepStatus::done) throw InputError("The step back was rejected: it blows up.");
  } catch (...) {
    scene_ = forward;
    load(context.pool, before);
    throw;
  }
  scene_ = forward;
}

// Comes last of the commands: it uses carry_out, which must be specialised before.
void Simulation::apply(WorkerPool& pool, const Command& command, const StopProbe& stop) {
  std::shared_ptr<const Scene> after = changed_scene(scene_, command, *mesh_);
  const CommandRule& rule = rule_of(command);
  if (rule.changes_scene && after == scene_) return;
  ++changes_;
  const auto* move = std::get_if<MoveObstacle>(&command);
  const bool breaks = rule.breaks_continuity || (move != nullptr && move->duration == 0);
  // Small changes need no memory.
  if (breaks) save(pool, at_step_);
  try {
    if (move != nullptr && !breaks)
      begin_obstacle_move(pool, *move, std::move(after));
    else if (rule.changes_scene)
      adopt(pool, std::move(after));
    std::visit([&](const auto& each) { carry_out({pool, stop}, each); }, command);
  } catch (...) {
    if (breaks) load(pool, at_step_);
    throw;
  }
  at_step_.last_good.reset();  // a step may overwrite it
}

void Simulation::restore(WorkerPool& pool, const State& from, std::uint64_t step) {
  const std::size_t n = state_.x.size();
  if (from.x.size() != n || from.v.size() != n)
    throw InputError("The state to continue from does not belong to this mesh.");
  if (!std::ranges::all_of(from.x, is_finite) || !std::ranges::all_of(from.v, is_finite) ||
      !std::isfinite(from.t))
    throw InputError("The state to continue from is not finite.");
  ++changes_;
  const bool grows = moves_.grows();  // by the time, also by an earlier one
  release_grab();
  moves_.end_moves();
  contact_watch_.restart();
  entering_ = true;
  const double before = internal_now(pool).shaking();
  if (step < last_good_step_) set_last_good(initial_state(*scene_, *mesh_), 0);  // of the abandoned future
  foresight_.reset();
  state_ = from;
  move_driven();
  contact_->forget();  // contacts of another state
  lifting_ = true;
  pins_.fix_at(state_.x);
  if (!grows) begin_growth(pool, *scene_);
  if (moves_.grows()) configure_contact();
  measure({pool});
  account_.add_work(measured_.internal.shaking() - before);
  record_state(step);
  break_continuity();
}

/// Sets the initial state and the pins, without the room for a barrier.
void Simulation::set_start() {
  state_ = initial_state(*scene_, *mesh_);
  pins_.pin_only(selected_particles(*mesh_, *scene_), state_.x);
}

/// Sets the initial state; parameters, integrator and the set of pins do not change.
void Simulation::start(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  release_grab();
  moves_.rest();
  contact_watch_.restart();
  entering_ = true;
  notices_ = {};
  warnings_ = {};
  foresight_.reset();
  set_start();
  set_drivers(drivers_of(*scene_));
  set_seams(*scene_);
  move_driven();
  begin_growth(context.pool, *scene_);
  lifting_ = true;
  contact_->forget();
  contact_->stiffen(1);
  configure_contact();
  make_room(context.pool, "at the start");
  contact_->detect(context.pool, state_.x);  // so that the meter has their friction and damping
  set_last_good(state_, 0);
  pins_.pin_only(selected_particles(*mesh_, *scene_), state_.x);
  const AtStart::Cause cause{scene_->world(), contact_->force().settings(), is_free(), has_rods()};
  if (!at_start_ || !(at_start_->cause == cause)) {
    measure(context);
    begin_account(measured_.internal, measured_.potential.contact);
    set_account_scale(*scene_);
    at_start_ = {cause, measured_, account_};
  }
  measured_ = at_start_->measured;
  account_ = at_start_->account;
  record_state(0);
  record_.ledger = {};
  record_.ledger.energy = record_.energy.total;
  break_continuity();
  notice_world(find_overlap(context.pool, 0));
  if (!searched_at_start_ || searched_at_start_->initial_state != scene_->initial_state ||
      searched_at_start_->obstacles.bodies != scene_->obstacles.bodies)
    crossed_at_start_ = find_intersections(context.pool);
  searched_at_start_ = scene_;
  notice_intersections(crossed_at_start_, "at the start");
  notice_strain();
  notice_energy();  // the current energy becomes the reference
  notice_material();
  notice_mesh();
}

/// Adopts the values, the integrator and the pins of a scene. The energy that they add to the current state
/// is work from outside.
void Simulation::adopt(WorkerPool& pool, std::shared_ptr<const Scene> after) {
  if (&method_info(*after) != info_ || integrator_parameters(*after) != integrator_parameters(*scene_))
    adopt_integrator(pool, *after);
  const double of_seams = seam_energy(pool, state_.t);
  bool other_pins = false;
  if (after->pins != scene_->pins || after->groups != scene_->groups) {
    const std::vector<std::uint32_t> pinned = selected_particles(*mesh_, *after);
    other_pins = pinned != pins_.particles();
    pins_.keep_or_pin(pinned, state_.x);
  }
  if (!(after->material == system_.material())) {
    const double before = internal_now(pool).shaking();
    system_.set_material(after->material);
    set_account_scale(*after);
    account_.add_work(internal_now(pool).shaking() - before);
    if (system_.grab()) set_grab(pool, *system_.grab());
  }
  if (!(after->wind == scene_->wind)) {
    system_.set_wind(after->wind);
    set_account_scale(*after);
  }
  const bool other_drivers = after->groups != scene_->groups || after->drivers != scene_->drivers;
  if (other_drivers) adopt_drivers(pool, *after);
  if (after->seams != scene_->seams || after->seam_seconds != scene_->seam_seconds) set_seams(*after);
  account_.add_work(seam_energy(pool, state_.t) - of_seams);
  bool may_stop = other_pins || other_drivers;
  if (!(after->floor == scene_->floor)) {
    set_account_scale(*after);
    may_stop =
        may_stop || (after->floor.on && (!scene_->floor.on || after->floor.height != scene_->floor.height));
  }
  if (!(after->obstacles == scene_->obstacles)) {
    if (after->obstacles.bodies != scene_->obstacles.bodies ||
        after->obstacles.grow != scene_->obstacles.grow) {
      moves_.rest();
      begin_growth(pool, *after);
    }
    contact_watch_.restart();
    set_account_scale(*after);
    may_stop = true;
  }
  const bool other_surfaces = after->floor.on != scene_->floor.on ||
                              after->floor.height != scene_->floor.height ||
                              after->obstacles.bodies != scene_->obstacles.bodies;
  if (other_surfaces || other_pins || other_drivers || after->contact.model != scene_->contact.model)
    lifting_ = true;
  const bool begins_impulses = uses_impulses(*after) && !uses_impulses(*scene_);
  const bool adds_body = after->obstacles.bodies.size() > scene_->obstacles.bodies.size();
  may_stop = may_stop || begins_impulses;
  // New pins or a new surface may turn common motion into internal energy; a surface also lifts cloth from
  // below.
  if (may_stop) account_.add_work(internal_now(pool).drift);
  World with_this_step = scene_->world();
  with_this_step.dt = after->dt;
  const bool other_energy = !(with_this_step == after->world()) || !(scene_->contact == after->contact) ||
                            scene_->integrator != after->integrator;
  const bool other_contact = after->contact.model != scene_->contact.model;
  const ContactSettings force_before = contact_->force().settings();
  const double contact_before = system_.contact_energy(pool, state_.x);
  scene_ = std::move(after);
  configure_contact();
  if (other_surfaces || other_contact || !(contact_->force().settings() == force_before))
    make_room(pool, "now");
  contact_->detect(pool, state_.x);
  account_.add_work(system_.contact_energy(pool, state_.x) - contact_before);
  // As after a reset: no work has been done yet.
  if (other_energy && record_.step == 0 && !system_.grab() && moves_.empty()) {
    begin_account(internal_now(pool), system_.contact_energy(pool, state_.x));
    set_account_scale(*scene_);
  }
  break_continuity();
  if (begins_impulses || adds_body) notice_intersections(find_intersections(pool), "now");
  notice_world(other_surfaces ? find_overlap(pool, normal_depth()) : Overlap{});
  notice_material();
}

/// Switches to the integrator of `named`, with its parameters. Springs that were rods get elastic energy.
void Simulation::adopt_integrator(WorkerPool& pool, const Scene& named) {
  entering_ = entering_ || &method_info(named) != info_;
  const double before = internal_now(pool).shaking();
  set_integrator(named, make_integrator(named));
  account_.add_work(internal_now(pool).shaking() - before);
}

/// Largest distance over which forces act on the cloth [m]: the mesh's diagonal and the distance to the
/// farthest surface.
double Simulation::reach(const Scene& world) const {
  double distance = 0;
  for (const vec3& x : state_.x) {
    if (world.floor.on) distance = std::max(distance, std::abs(x.y - world.floor.height));
    for (const Obstacle& body : world.obstacles.bodies)
      distance = std::max(distance, std::abs(closest_point(body, x).gap()));
  }
  double on_paths = 0;
  for (const Obstacle& body : world.obstacles.bodies)
    for (const Keyframe& key : body.path.keys)
      on_paths = std::max(on_paths, glm::length(key.move) +
                                        (key.turn != vec3(0) ? 2 * std::min(bound_of(body), distance) : 0.0));
  double deformed = 0;
  for (const Obstacle& body : world.obstacles.bodies)
    if (body.mesh.frames) deformed = std::max(deformed, 2 * bound_of(body));
  return mesh_->diagonal + distance + on_paths + deformed;
}

/// The largest speed of obstacles on paths and of the corners of meshes that deform [m/s].
double Simulation::surface_speed(const Scene& world) const {
  double fastest = 0;
  for (const Obstacle& body : world.obstacles.bodies) {
    const double on_path = fastest_on(body.path, std::min(bound_of(body), reach(world)));
    fastest = std::max(fastest, on_path + body.scale * deformation_speed(body.mesh));
  }
  return fastest;
}

/// Pins, paths, surfaces and other parts may turn common initial motion into internal energy.
bool Simulation::is_free() const { return pins_.empty() && !drivers_.has_paths() && !may_touch(*scene_); }

void Simulation::set_account_scale(const Scene& world, double speed) {
  account_.set_scale(system_, reach(world) + drivers_.reach(),
                     std::max({speed, surface_speed(world), moves_.fastest_growth(), drivers_.fastest(),
                               drivers_.escape_speed(state_.x)}));
}

/// Moves pins and their particles between two steps. The springs' gain is work from outside.
void Simulation::put_pins(WorkerPool& pool, const std::vector<PinTarget>& targets) {
  const double before = internal_now(pool).shaking();
  for (const auto& [particle, target] : targets) {
    pins_.move(particle, target, target, state_.t, 0);
    state_.x[particle] = target;
    state_.v[particle] = vec3(0);
  }
  measure({pool});
  account_.add_work(measured_.internal.shaking() - before);
  add_measurement(record_);
  entering_ = true;
  break_continuity();
}

DriverSet Simulation::drivers_of(const Scene& scene) const {
  if (scene.groups.empty()) return {};
  return {scene, *mesh_, initial_state(scene, *mesh_).x};
}

void Simulation::set_seams(const Scene& scene) {
  std::vector<SewnPair> pairs;
  if (has_seams(scene)) pairs = sewn_pairs(scene, *mesh_, initial_state(scene, *mesh_).x);
  joined_ = joined_particles(pairs, mesh_->positions.size());
  system_.set_seams(std::move(pairs));
  system_.set_seam_time(state_.t);
}

/// Moves particles to their paths, where they are at rest, to their lines and distances; true if any was
/// elsewhere.
bool Simulation::move_driven() {
  constexpr double kOnPath = 1e-9;  // of the diagonal; less is rounding
  bool moved = false;
  for (const Projection::Entry& entry : drivers_.targets(state_.t)) {
    vec3& x = state_.x[entry.particle];
    const vec3 away = x - entry.target, off = away - entry.S * away;
    if (glm::length(off) <= kOnPath * mesh_->diagonal) continue;
    x -= off;
    state_.v[entry.particle] = entry.S * state_.v[entry.particle];
    moved = true;
  }
  const Couplings& couplings = system_.projection().couplings();
  if (couplings.violation(state_.x) <= kOnPath * mesh_->diagonal) return moved;
  constrain_pins(state_.t);
  system_.projection().linearise(system_.masses(), state_.x, state_.v, scene_->h(), info_->coupling_time);
  std::vector<vec3> unused = state_.v;  // a jump of positions gives no velocity
  couplings.finish(state_.x, unused);
  return true;
}

/// The springs' gain from particles that jump to their paths is work from outside.
void Simulation::adopt_drivers(WorkerPool& pool, const Scene& after) {
  const double before = internal_now(pool).shaking();
  const double of_springs = drivers_.spring_energy(state_.x);
  set_drivers(drivers_of(after));
  account_.add_work(drivers_.spring_energy(state_.x) - of_springs);
  if (move_driven()) {
    measure({pool});
    account_.add_work(measured_.internal.shaking() - before);
    add_measurement(record_);
    entering_ = true;
  }
  set_account_scale(after);
}

/// Resets the history of the integrator and of the adaptive steps, and updates the shown pins.
void Simulation::break_continuity() {
  integrator_->reset();
  control_.reset();
  watch_.restart();
  restart_foresight();
  jumped_ = true;
  constrain_pins(state_.t);
  blow_up_.reset();
  reserve_residuals();
}

/// A barrier needs cloth that intersects nothing and is above all surfaces. Cloth that lies on them, or a
/// little below, is put above them. Throws InputError for other cloth; `when` is part of the message.
void Simulation::make_room(WorkerPool& pool, std::string_view when) {
  const ContactForce& force = contact_->force();
  if (!force.limits_displacements()) return;
  constexpr double kLeast = 0.02, kRoom = 0.05;  // of the contact distance
  constexpr const char* kWhy =
      "; contact by barrier needs cloth that intersects nothing and is above all surfaces. Separate them, "
      "or use contact by filter or penalty.";
  const double distance = force.settings().law.distance;
  probe_.x.assign(state_.x.size(), vec3(0));  // the displacements there
  bool lifted = false;
  for (std::uint32_t i = 0; i < state_.x.size(); ++i)
    for (std::uint32_t surface = surfaces_.first(); surface < surfaces_.size(); ++surface) {
      if (surfaces_.is_mesh(surface)) continue;
      const SurfacePoint point = surfaces_.at_end(surface, i, state_.x[i] + probe_.x[i]);
      const double gap = point.gap();
      if (gap >= kLeast * distance) continue;
      if (gap < -distance || pins_.contains(i))
        throw InputError("Vertex " + std::to_string(mesh_->vertex_of_particle[i]) + " is " +
                         (gap < 0 ? format_quantity(-gap, "m") + " below " : std::string("on ")) +
                         surface_text(surface, scene_->obstacles.bodies) + " " + std::string(when) + kWhy);
      probe_.x[i] += (kRoom * distance - gap) * point.normal;
      lifted = true;
    }
  for (std::size_t i = 0; i < state_.x.size(); ++i) probe_.x[i] += state_.x[i];
  const ClothIntersections found =
      clothlab::find_intersections(pool, *mesh_, probe_.x, obstacles(), joined());
  if ((force.settings().with_itself ? found.pairs : found.with_obstacles) > 0)
    throw InputError(text_of(found, when) + " (" + names_of_first(found) + ")" + kWhy);
  if (!lifted) return;
  const double before = internal_now(pool).shaking();
  state_.x = probe_.x;
  account_.add_work(std::max(internal_now(pool).shaking() - before, 0.0));
}

/// Sets the force bounds of the grab for the part of the cloth and its springs.
void Simulation::set_grab(WorkerPool& pool, GrabSpring grab) {
  const ClothModel& model = system_.model();
  grab.max_force = grab_strength_ *
                   grab_force_bound(model, system_.masses(), system_.material().gravity, grab.particles[0]);
  grab.least_block = grab_least_block(model, system_.material(), grab);
  move_grab(pool, grab);
}

}  // namespace clothlab
