// SPDX-License-Identifier: MIT
#include "contact/nodal_contact.h"

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>
#include <tuple>

#include "contact/contact_model.h"
#include "core/cancel_point.h"
#include "core/collect.h"
#include "integrate/integrator_info.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {

namespace {

constexpr double kLiftingSpeed = 1;        // [m/s]
constexpr double kNoGravity = 9.8;         // [m/s²], in scenes without gravity
constexpr double kSpeedRoom = 1.5;         // of the displacement at the first velocity
constexpr double kFallRoom = 2;            // h² g
constexpr double kJump = 4;                // h g
constexpr double kLeastImpact = 2;         // h g
constexpr double kOnSurface = 1e-9;        // [m]: deeper particles are being lifted
constexpr double kParallel = 0.995;        // cosine of the normals of two surfaces that act as one
constexpr int kMostPassesOfParticle = 50;  // over the surfaces, at the end of a step
constexpr std::size_t kParticlesOfTask = 1024;
// Of the force that pushes triangles out of bodies:
constexpr double kDeepest = 5e-4;        // [m]: deeper triangles are pushed by more than kCarried
constexpr double kDeepestOfEdge = 0.05;  // the same, of the mean edge, if that is less
constexpr double kPushBegins = 0.2;      // of that depth
constexpr double kOfStretch = 2;         // least stiffness, of that of stretch springs
constexpr double kCarried = 0.25;        // least push at that depth, of the weight of the cloth

constexpr auto key_of = [](const auto& contact) { return std::tuple(contact.particle, contact.surface); };

// True if one contact stands for both: their impulses could not be told apart.
bool act_as_one(const NodalContact& a, const NodalContact& b) {
  return glm::dot(a.normal, b.normal) > kParallel;
}

double gravity_of(const ContactStep& step) {
  const double g = glm::length(step.system.material().gravity);
  return g > 0 ? g : kNoGravity;
}

// Adds a contact to those of its particle, which begin there in the list. Of two that act as one, the one
// that is nearer at the end of the step stays.
void add(const NodalContact& contact, std::vector<NodalContact>& found, std::size_t begin) {
  for (std::size_t k = begin; k < found.size(); ++k) {
    if (!act_as_one(found[k], contact)) continue;
    if (contact.gap_at(vec3(0)) < found[k].gap_at(vec3(0))) found[k] = contact;
    return;
  }
  found.push_back(contact);
}

// To a surface at the beginning of the step [m]. One that appears or rises lifts particles slowly.
double gap_to(const ContactStep& step, const SurfacePoint& point) {
  const double gap = point.gap();
  return step.positional ? gap : std::max(gap, -step.h * kLiftingSpeed);
}

// A contact of a particle that is on a surface of this velocity.
NodalContact on_surface(const vec3& normal, const vec3& velocity, double friction) {
  NodalContact contact;
  contact.normal = normal;
  contact.friction = friction;
  contact.velocity = velocity;
  contact.least = glm::dot(normal, velocity);
  return contact;
}

}  // namespace

double NodalContactResponse::least_impact(const ContactStep& step) {
  return kLeastImpact * step.h * gravity_of(step);
}

void NodalContactResponse::configure(const ContactInput& input, const Surfaces& surfaces) {
  has_surfaces_ = input.has_surfaces();
  restitution_ = input.contact.restitution;
  force_ = {};
  if (input.contact.points == ContactPoints::particles || input.method.stiff_forces == StiffForces::none ||
      std::ranges::none_of(input.obstacles.bodies, has_convex_gap))
    return;
  const double depth = std::min(kDeepest, kDeepestOfEdge * mean_edge(input.cloth));
  ContactSettings settings;
  settings.cloth = &input.mesh;
  settings.particles = false;
  settings.thickness = -depth;
  settings.law.distance = settings.triangle_distance = (1 - kPushBegins) * depth;
  const double weight = kNoGravity * input.material.mass_of(input.mesh.area);
  settings.law.stiffness =
      std::max(kOfStretch * input.material.stretch_scale(), kCarried * weight / settings.law.distance);
  settings.damping =
      input.material.spring_damping + input.material.rayleigh_stiffness * settings.law.stiffness;
  settings.friction.speed = automatic_friction_speed(input.mesh);
  force_.set(settings, surfaces);
}

NodalContact NodalContactResponse::contact_at(const ContactStep& step, std::uint32_t surface,
                                              std::uint32_t particle, const SurfacePoint& point) const {
  const Surfaces& surfaces = step.surfaces;
  NodalContact contact;
  contact.particle = particle;
  contact.surface = surface;
  contact.normal = surfaces.normal_at_end(surface, point);
  contact.friction = surfaces.friction(surface);
  contact.gap = gap_to(step, point);
  const vec3& x = step.start.x[particle];
  contact.displacement = surfaces.displacement(surface, particle, x, point.normal);
  contact.end_velocity =
      surfaces.velocity_at_end(surface, particle, x + contact.displacement, contact.normal);
  return contact;
}

bool NodalContactResponse::begin_step(const ContactStep& step) {
  lifts_ = jumped_ = false;
  solved_.clear();
  pairs_.clear();
  before_ = contacts_;
  const Surfaces& surfaces = step.surfaces;
  if (surfaces.empty()) return false;
  const CancelPoint cancel(step.context.stop);
  cancel.poll();
  const std::uint32_t first = surfaces.first(), end = surfaces.size();
  const double fall = kFallRoom * step.h * step.h * gravity_of(step);
  const State& start = step.start;
  const Projection& pins = step.system.projection();
  const auto find = [&](std::size_t k, std::vector<NodalContact>& found) {
    const auto i = static_cast<std::uint32_t>(k);
    const std::size_t others = found.size();
    const vec3 &x = start.x[i], &v = start.v[i];
    for (std::uint32_t surface = first; surface < end; ++surface) {
      const double reach = kSpeedRoom * step.h * glm::length(v - surfaces.velocity(surface, i, x)) + fall +
                           surfaces.growth(surface);
      if (surfaces.is_far(surface, i, x, reach)) continue;
      const SurfacePoint point = surfaces.at_begin(surface, i, x);
      if (!(point.gap() <= reach)) continue;
      if (found.size() == others && pins.find(i) != nullptr) break;
      add(contact_at(step, surface, i, point), found, others);
    }
    if (found.size() - others <= kMostContactsOfParticle) return;
    const auto own = found.begin() + static_cast<std::ptrdiff_t>(others);
    std::ranges::stable_sort(own, found.end(), {}, &NodalContact::gap);
    found.resize(others + kMostContactsOfParticle);
    std::ranges::sort(own, found.end(), {}, &NodalContact::surface);
  };
  collect(step.context.pool, start.x.size(), kParticlesOfTask, found_by_task_, solved_, find);
  cancel.poll();
  if (!force_.empty()) force_.begin(step.context.pool, start.x, 0, step.h);
  remember(step);
  return jumped_;
}

// A particle that slips stays where it is while the body turns: its contact is with the point of the body at
// the end of the step that is closest to it, without the body's turn. With the normal of the point that it
// touched at the beginning, a ball that turns would drag it along without friction.
void NodalContactResponse::do_not_follow_turn(const ContactStep& step, NodalContact& contact) const {
  const Surfaces& surfaces = step.surfaces;
  if (!surfaces.turns(contact.surface)) return;
  const vec3& x = step.start.x[contact.particle];
  const vec3 normal = surfaces.normal_at_begin(contact.surface, contact.particle, x, contact.normal);
  const vec3 shift = surfaces.common_displacement(contact.surface);
  const vec3 turning = step.h * surfaces.velocity(contact.surface, contact.particle, x) - shift;
  const vec3 at = shift + glm::dot(normal, turning) * normal;
  const SurfacePoint point = surfaces.at_end(contact.surface, contact.particle, x + at);
  const vec3 n = point.normal;
  contact.normal = n;
  const double gap = gap_to(step, point);
  contact.displacement += (glm::dot(n, at - contact.displacement) + contact.gap - gap) * n;
  const vec3 velocity = surfaces.velocity_at_end(contact.surface, contact.particle, x + at, n);
  contact.end_velocity += glm::dot(n, velocity - contact.end_velocity) * n;
}

// The states and impulses of the last step are the first guess of this one. Where the surface of a contact
// has jumped to another velocity, methods with a history cannot go on.
void NodalContactResponse::remember(const ContactStep& step) {
  const double jump = kJump * step.h * gravity_of(step);
  auto last = contacts_.begin();
  for (NodalContact& contact : solved_) {
    lifts_ = lifts_ || (contact.gap < -kOnSurface && !step.positional);
    while (last != contacts_.end() && key_of(*last) < key_of(contact)) ++last;
    const bool is_old = last != contacts_.end() && key_of(*last) == key_of(contact);
    if (!(is_old && last->sticks)) do_not_follow_turn(step, contact);
    if (!is_old) continue;
    contact.state = last->sticks ? ContactState::stick : ContactState::slip;
    contact.impulse = last->impulse;
    const vec3 relative = step.start.v[contact.particle] - contact.displacement / step.h;
    jumped_ = jumped_ || std::abs(glm::dot(contact.normal, relative)) > jump;
  }
}

// Particles below a surface at the end of the step.
void NodalContactResponse::find_sunk(const ContactStep& step, const State& after) {
  const Surfaces& surfaces = step.surfaces;
  const Projection& pins = step.system.projection();
  const auto find = [&](std::size_t k, std::vector<Sunk>& sunk) {
    const auto i = static_cast<std::uint32_t>(k);
    for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
      if (surfaces.is_far(surface, i, after.x[i], 0)) continue;
      if (!is_below(surfaces.at_end(surface, i, after.x[i])) || pins.find(i) != nullptr) continue;
      sunk.push_back({i, surface});
    }
  };
  collect(step.context.pool, after.x.size(), kParticlesOfTask, sunk_by_task_, sunk_, find);
}

bool NodalContactResponse::needs_repeat(const ContactStep& step, const State& after) {
  if (step.surfaces.empty()) return false;
  CancelPoint(step.context.stop).poll();
  find_sunk(step, after);
  added_.clear();
  for (const auto& [particle, surface] : sunk_) {
    const std::span<const NodalContact> known = contacts_of(particle);
    if (known.size() >= kMostContactsOfParticle ||
        std::ranges::find(known, surface, &NodalContact::surface) != known.end())
      continue;
    const SurfacePoint point = step.surfaces.at_begin(surface, particle, step.start.x[particle]);
    NodalContact contact = contact_at(step, surface, particle, point);
    do_not_follow_turn(step, contact);
    if (std::ranges::none_of(known, [&](const NodalContact& other) { return act_as_one(other, contact); }))
      added_.push_back(contact);
  }
  // A method with a history would take the velocities before an impact into the one after it.
  if (added_.empty()) return step.continues && have_changed();
  solved_.insert(solved_.end(), added_.begin(), added_.end());
  std::ranges::sort(solved_, {}, key_of);
  return true;
}

ContactResponse::End NodalContactResponse::end_step(const ContactStep& step, State& after) {
  contacts_.clear();
  if (step.surfaces.empty()) return {.changed = !before_.empty()};
  const CancelPoint cancel(step.context.stop);
  cancel.poll();
  const Surfaces& surfaces = step.surfaces;
  End result;
  for (std::span<NodalContact> rest = solved_; !rest.empty();) {
    const std::span<NodalContact> own = contacts_of_first(rest);
    rest = rest.subspan(own.size());
    const std::uint32_t i = own.front().particle;
    result.changed = stop_on_surfaces(step, own, after.x[i], after.v[i]) || result.changed;
  }
  sunk_.clear();
  if (!step.positional) find_sunk(step, after);
  for (const auto& [particle, surface] : sunk_) {
    const vec3 before = after.x[particle];
    put_on_surfaces(step, particle, after.x[particle], after.v[particle]);
    result.moved = result.moved || glm::length(after.x[particle] - before) > kOnSurface;
  }
  for (const NodalContact& contact : solved_) {
    if (contact.state == ContactState::open) continue;
    const vec3& x = after.x[contact.particle];
    const SurfacePoint point = surfaces.at_end(contact.surface, contact.particle, x);
    ContactPair& pair = pairs_.emplace_back();
    pair.particle = contact.particle;
    pair.surface = contact.surface;
    pair.sticks = contact.state == ContactState::stick;
    pair.gap = point.gap();
    pair.push = contact.push() / step.h * contact.normal;
    pair.friction = contact.across(contact.impulse) / step.h;
    const vec3 slip =
        after.v[contact.particle] - surfaces.velocity_at_end(contact.surface, contact.particle, x);
    pair.slip = pair.sticks ? 0.0 : glm::length(slip - glm::dot(point.normal, slip) * point.normal);
  }
  result.changed = result.changed || jumped_ || have_changed();
  return result;
}

// Ends the step of a particle with its contacts; true if a surface lifts it.
//
// A contact closes in the step in which its particle reaches the surface, where the particle still has a part
// of its velocity. Coulomb's law holds for the impulses that take it, too. They are those of the particle
// alone: an impact is too short for the springs.
bool NodalContactResponse::stop_on_surfaces(const ContactStep& step, std::span<NodalContact> contacts,
                                            vec3& x, vec3& v) {
  const Surfaces& surfaces = step.surfaces;
  const std::uint32_t i = contacts.front().particle;
  std::array<NodalContact, kMostContactsOfParticle> stopped{};
  std::array<NodalContact*, kMostContactsOfParticle> solved{};
  std::size_t count = 0;
  bool hits = false, lifts = false;
  for (NodalContact& contact : contacts) {
    const double speed = rebound(step, contact);
    // A method that divides the step may have opened the contact again.
    if (contact.state == ContactState::open && contact.push() > 0 && speed > 0)
      contact.state = ContactState::slip;
    if (contact.state == ContactState::open) continue;
    contacts_.push_back({i, contact.surface, contact.state == ContactState::stick, contact.impulse});
    if (step.positional) continue;
    if (contact.state == ContactState::stick && std::abs(contact.gap) <= kOnSurface) {
      x = step.start.x[i] + contact.displacement;
      const vec3 with_surface = contact.displacement / step.h;
      if (glm::length(v - with_surface) <= kOnSurface / step.h) v = with_surface;
    }
    const SurfacePoint point = surfaces.at_end(contact.surface, i, x);
    const bool was_lifted = contact.gap < -kOnSurface;
    lifts = lifts || was_lifted;
    if (!(point.gap() <= kOnSurface) && !was_lifted && speed == 0) continue;
    if (std::abs(point.gap()) <= kSurfaceRounding)
      x = x - point.height * point.normal + point.level * point.normal;
    const vec3 velocity = surfaces.velocity_at_end(contact.surface, i, x, point.normal);
    const double outwards = glm::dot(point.normal, v - velocity);
    if (was_lifted) {  // its speed throws nothing up
      v -= outwards * point.normal;
      continue;
    }
    hits = hits || outwards < speed;
    solved.at(count) = &contact;
    stopped.at(count) = on_surface(point.normal, velocity, contact.friction);
    stopped.at(count++).least += speed;
  }
  if (!hits) return lifts;
  const double m = step.system.masses()[i];
  solve_coulomb(mat3(m), mat3(1 / m), m * v, std::span(stopped).first(count), v);
  for (std::size_t k = 0; k < count; ++k) solved.at(k)->impulse += stopped.at(k).impulse;
  return lifts;
}

// The normal velocity relative to the surface after an impact [m/s]; 0 without one. An impact closes a
// contact that was open before, faster than gravity does within two steps: slower ones end a bounce.
double NodalContactResponse::rebound(const ContactStep& step, const NodalContact& contact) const {
  const bool lifts = contact.gap < -kOnSurface;
  if (restitution_ == 0 || step.positional || lifts ||
      std::ranges::binary_search(before_, key_of(contact), {}, key_of))
    return 0;
  const vec3 relative = step.start.v[contact.particle] - contact.displacement / step.h;
  const double approach = -glm::dot(contact.normal, relative);
  return approach > least_impact(step) ? restitution_ * approach : 0.0;
}

// True if other contacts are closed, or stick, than at the beginning of the step.
bool NodalContactResponse::have_changed() const {
  auto last = before_.begin();
  for (const NodalContact& contact : solved_) {
    if (contact.state == ContactState::open) continue;
    if (last == before_.end() || last->particle != contact.particle || last->surface != contact.surface ||
        last->sticks != (contact.state == ContactState::stick))
      return true;
    ++last;
  }
  return last != before_.end();
}

// Puts a particle on all surfaces that it is below, except those that lift it.
void NodalContactResponse::put_on_surfaces(const ContactStep& step, std::uint32_t particle, vec3& x,
                                           vec3& v) const {
  const Surfaces& surfaces = step.surfaces;
  std::array<bool, kMostObstacles + 1> lifted{};
  for (const NodalContact& contact : contacts_of(particle))
    lifted.at(contact.surface) = contact.gap < -kOnSurface;
  // A particle that is put on one surface may get below another.
  bool moved = true;
  for (int pass = 0; moved && pass < kMostPassesOfParticle; ++pass) {
    moved = false;
    for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
      const SurfacePoint point = surfaces.at_end(surface, particle, x);
      if (!is_below(point) || lifted.at(surface)) continue;
      moved = true;
      x += (point.level - point.height) * point.normal;
      NodalContact stopped =
          on_surface(point.normal, surfaces.velocity_at_end(surface, particle, x, point.normal),
                     surfaces.friction(surface));
      solve_coulomb(mat3(1), mat3(1), v, {&stopped, 1}, v);
    }
  }
}

void NodalContactResponse::add_closed(Projection& projection) {
  closed_.clear();
  for (std::span<const NodalContact> rest = solved_; !rest.empty();) {
    const std::span<const NodalContact> own = contacts_of_first(rest);
    rest = rest.subspan(own.size());
    if (const FreeDirections free = free_directions(own); free.count < 3)
      closed_.push_back({own.front().particle, free.S, vec3(0), true});
  }
  projection.constrain(closed_);
}

void NodalContactResponse::add_constraints(Projection& projection, const Surfaces& surfaces,
                                           std::span<const vec3> x) const {
  std::vector<Projection::Entry> held;
  std::vector<NodalContact> own;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const ActiveContact& contact = contacts_[k];
    const bool is_last = k + 1 == contacts_.size() || contacts_[k + 1].particle != contact.particle;
    const bool exists = contact.surface >= surfaces.first() && contact.surface < surfaces.size();
    const SurfacePoint point =
        exists ? surfaces.at_begin(contact.surface, contact.particle, x[contact.particle]) : SurfacePoint{};
    if (exists && is_still_on(point) && projection.find(contact.particle) == nullptr) {
      NodalContact& closed = own.emplace_back();
      closed.normal = point.normal;
      closed.state = contact.sticks ? ContactState::stick : ContactState::slip;
    }
    if (!is_last) continue;
    if (!own.empty()) held.push_back({contact.particle, free_directions(own).S, x[contact.particle]});
    own.clear();
  }
  projection.constrain(held);
}

std::span<const ContactPair> NodalContactResponse::pairs(std::span<const vec3> v) {
  if (force_.empty()) return pairs_;
  all_pairs_ = pairs_;
  for (const ContactElement& contact : force_.found()) all_pairs_.push_back(force_.pair(contact, v));
  return all_pairs_;
}

std::vector<ContactPair> NodalContactResponse::pairs_at(WorkerPool& pool, const Surfaces& surfaces,
                                                        const State& state) {
  std::vector<ContactPair> pairs;
  for (const ActiveContact& active : contacts_)
    if (active.surface >= surfaces.first() && active.surface < surfaces.size())
      pairs.push_back(
          {.particle = active.particle,
           .surface = active.surface,
           .sticks = active.sticks,
           .gap = surfaces.at_end(active.surface, active.particle, state.x[active.particle]).gap()});
  if (force_.empty()) return pairs;
  for (const ContactElement& contact : force_.contacts_at(pool, state.x))
    pairs.push_back(force_.pair(contact, state.v));
  return pairs;
}

std::unique_ptr<ContactResponse> make_nodal_contact() { return std::make_unique<NodalContactResponse>(); }

}  // namespace clothlab
