// SPDX-License-Identifier: MIT
#include "sim/filter_contact.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <tuple>

#include "core/cancel_point.h"

namespace clothlab {

namespace {

constexpr double kLiftSpeed = 1;         // [m/s]
constexpr double kWithoutGravity = 9.8;  // [m/s²], where there is none
constexpr double kOneDirection = 1e-6;   // |S n|: below, n is held already
constexpr double kStillOnIt = 1e-3;      // of the radius

std::uint32_t first_surface(const Scene& scene) { return scene.floor.on ? 0 : 1; }
std::uint32_t end_of_surfaces(const Scene& scene) {
  return 1 + static_cast<std::uint32_t>(scene.obstacles.bodies.size());
}

SurfacePlace place_above(const Scene& scene, std::uint32_t surface, const vec3& x) {
  return surface == 0 ? place_above_plane(scene.floor.height, x)
                      : place_above(scene.obstacles.bodies[surface - 1], x);
}

double friction_of(const Scene& scene, std::uint32_t surface) {
  return surface == 0 ? scene.floor.friction : scene.obstacles.friction;
}

// What a particle held along the normal goes away from a curved surface in a step is less than this.
bool is_near(const SurfacePlace& place, double h, const vec3& v) {
  return place.height <= place.level ||
         (place.curvature > 0 && place.height <= place.level + h * h * glm::dot(v, v) * place.curvature);
}

vec3 across(const vec3& a, const vec3& n) { return a - glm::dot(n, a) * n; }
vec3 at_height(const vec3& x, const SurfacePlace& place, double height) {
  return x - place.height * place.normal + height * place.normal;
}

mat3 without(const mat3& S, const vec3& n) { return S - glm::outerProduct(n, n); }

// Holds what is held already along another normal as well, at the place that its entry has there.
void hold_along_both(Projection::Entry& held, const Projection::Entry& other, const vec3& normal) {
  const vec3 free = held.S * normal;
  const double size = glm::length(free);
  if (size >= kOneDirection) {
    const vec3 direction = free / size;
    held.target += glm::dot(normal, other.target - held.target) / size * direction;
    held.S = without(held.S, direction);
  }
  if (other.S == mat3(0.0)) held.S = mat3(0.0);
}

// To entries that ascend.
void add_entry(std::vector<Projection::Entry>& entries, const Projection::Entry& entry, const vec3& normal) {
  if (entries.empty() || entries.back().particle != entry.particle)
    entries.push_back(entry);
  else
    hold_along_both(entries.back(), entry, normal);
}

}  // namespace

bool FilterContact::holds(std::uint32_t particle, std::uint32_t surface) const {
  const auto key = [](const Contact& contact) { return std::tuple(contact.particle, contact.surface); };
  const std::span<const Contact> known(contacts_.data(), sorted_);
  return std::ranges::binary_search(known, std::tuple(particle, surface), {}, key);
}

bool FilterContact::hold(const Scene& scene, double h, const State& state, ClothSystem& system,
                         const ComputeContext& context) {
  lifts_ = false;
  contacts_.swap(before_);
  contacts_.clear();
  sorted_ = 0;
  added_.clear();
  friction_.clear();
  force_.clear();
  system.set_pushes({});
  if (!has_surfaces(scene)) return !before_.empty();

  CancelPoint cancel(context.stop);
  const std::uint32_t first = first_surface(scene), end = end_of_surfaces(scene);
  const std::span<const double> m = system.masses();
  const double g = glm::length(system.material().gravity);
  const double fastest = g > 0 ? g : kWithoutGravity;
  for (std::uint32_t i = 0; i < state.x.size(); ++i) {
    cancel.pass();
    const vec3 &x = state.x[i], &v = state.v[i];
    for (std::uint32_t surface = first; surface < end; ++surface) {
      const SurfacePlace place = place_above(scene, surface, x);
      if (!is_near(place, h, v)) continue;
      if (force_.empty()) {
        force_.resize(system.size());
        cancel.look();
        system.force(context.pool, state.x, state.v, force_);
      }
      const double fall = std::clamp(glm::dot(place.normal, force_[i]) / m[i], -fastest, 0.0);
      // On a curved surface what moves along it leaves it unless it is pulled round.
      const double away = glm::dot(place.normal, v), along = glm::dot(v, v) - away * away;
      const bool presses =
          std::min(place.height, place.level) + h * away + h * h * (fall + place.curvature * along) <
          place.level;
      if (!presses || system.projection().find(i) != nullptr) continue;
      const Projection::Entry entry = add({i, surface}, 0, scene, h, state, system);
      add_entry(added_, entry, place.normal);
    }
  }
  cancel.look();
  system.projection().constrain(added_);
  system.set_pushes(friction_);
  sorted_ = contacts_.size();
  return contacts_ != before_;
}

bool FilterContact::land(const Scene& scene, double h, const State& before, const State& after,
                         ClothSystem& system, const ComputeContext& context) {
  if (!has_surfaces(scene)) return false;
  CancelPoint cancel(context.stop);
  cancel.look();
  Projection& projection = system.projection();
  bool again = stop_what_turns_back(after, projection);
  added_.clear();
  const std::uint32_t first = first_surface(scene), end = end_of_surfaces(scene);
  for (std::uint32_t i = 0; i < after.x.size(); ++i) {
    cancel.pass();
    for (std::uint32_t surface = first; surface < end; ++surface) {
      const SurfacePlace place = place_above(scene, surface, after.x[i]);
      if (!(place.height < place.level) || holds(i, surface)) continue;
      // What moves away already is put on the surface at the end.
      if (place.curvature > 0 && glm::dot(place.normal, after.v[i]) > 0) continue;
      const Projection::Entry* held = projection.find(i);
      const auto is_of_particle = [i](const Contact& contact) { return contact.particle == i; };
      if (held != nullptr && std::ranges::none_of(contacts_, is_of_particle)) continue;  // a pin
      if (force_.empty()) {
        force_.resize(system.size());
        cancel.look();
        system.force(context.pool, before.x, before.v, force_);
        cancel.look();
      }
      const double pressed = system.masses()[i] * (place.level - place.height) / h;
      const Projection::Entry entry = add({i, surface}, pressed, scene, h, before, system);
      const vec3 normal = place_above(scene, surface, before.x[i]).normal;
      again = true;
      if (held == nullptr) {
        add_entry(added_, entry, normal);
        continue;
      }
      Projection::Entry both = *held;
      hold_along_both(both, entry, normal);
      projection.constrain(i, both.S, both.target);
    }
  }
  cancel.look();
  projection.constrain(added_);
  system.set_pushes(friction_);
  cancel.look();
  std::ranges::sort(contacts_, {}, [](const Contact& contact) {
    return std::tuple(contact.particle, contact.surface);  // as `hold` lists them
  });
  sorted_ = contacts_.size();
  return again;
}

bool FilterContact::stop_what_turns_back(const State& after, Projection& projection) {
  const auto turns = [&](const SteadyForce::Push& push) {
    return glm::dot(push.force, after.v[push.particle]) > 0;
  };
  for (const SteadyForce::Push& push : friction_) {
    if (!turns(push)) continue;
    projection.fix(push.particle, projection.find(push.particle)->target);
    std::ranges::lower_bound(contacts_, push.particle, {}, &Contact::particle)->sticks = true;
  }
  return std::erase_if(friction_, turns) > 0;
}

Projection::Entry FilterContact::add(Contact contact, double pressed, const Scene& scene, double h,
                                     const State& state, const ClothSystem& system) {
  const std::uint32_t i = contact.particle;
  const vec3 &x = state.x[i], &v = state.v[i], &f = force_[i];
  const SurfacePlace place = place_above(scene, contact.surface, x);
  const vec3& n = place.normal;
  const double m = system.masses()[i], friction = friction_of(scene, contact.surface);
  lifts_ = lifts_ || place.height < place.level;
  const double impulse = std::max(-m * glm::dot(n, v) - h * glm::dot(n, f), pressed);
  const vec3 momentum = m * across(v, n) + h * across(f, n);  // that friction would leave alone
  const double size = glm::length(momentum);
  contact.sticks = friction > 0 && size <= friction * impulse;
  contacts_.push_back(contact);
  if (!contact.sticks && size > 0) friction_.push_back({i, -friction * impulse / h / size * momentum});
  return {i, contact.sticks ? mat3(0.0) : without(mat3(1.0), n),
          at_height(x, place, std::min(place.level, place.height + h * kLiftSpeed))};
}

void FilterContact::add_to(Projection& projection, const Scene& scene, std::span<const vec3> x) const {
  std::vector<Projection::Entry> held;
  for (const Contact& contact : contacts_) {
    const bool exists = contact.surface >= first_surface(scene) && contact.surface < end_of_surfaces(scene);
    if (!exists || projection.find(contact.particle) != nullptr) continue;
    const vec3& at = x[contact.particle];
    const SurfacePlace place = place_above(scene, contact.surface, at);
    if (!(place.height <= place.level * (place.curvature > 0 ? 1 + kStillOnIt : 1))) continue;
    const mat3 S = contact.sticks ? mat3(0.0) : without(mat3(1.0), place.normal);
    add_entry(held, {contact.particle, S, at}, place.normal);
  }
  projection.constrain(held);
}

bool FilterContact::settle(const Scene& scene, State& state, const ClothSystem& system,
                           const StopProbe& stop) {
  if (!has_surfaces(scene)) return false;
  CancelPoint cancel(stop);
  for (const Contact& contact : contacts_) {
    vec3& v = state.v[contact.particle];
    v = across(v, place_above(scene, contact.surface, state.x[contact.particle]).normal);
  }
  bool caught = false;
  const std::uint32_t first = first_surface(scene), end = end_of_surfaces(scene);
  for (std::uint32_t i = 0; i < state.x.size(); ++i) {
    cancel.pass();
    for (std::uint32_t surface = first; surface < end; ++surface) {
      vec3 &x = state.x[i], &v = state.v[i];
      const SurfacePlace place = place_above(scene, surface, x);
      // Held particles, by a surface or by a pin, are in place.
      if (!(place.height < place.level) || system.projection().find(i) != nullptr) continue;
      caught = true;
      x = at_height(x, place, place.level);
      const double away = glm::dot(place.normal, v), stopped = std::max(-away, 0.0);
      const vec3 along = across(v, place.normal);
      const double speed = glm::length(along);
      const double kept = speed > 0 ? std::max(1 - friction_of(scene, surface) * stopped / speed, 0.0) : 0.0;
      v = kept * along + std::max(away, 0.0) * place.normal;
    }
  }
  lifts_ = lifts_ || caught;
  return caught;
}

}  // namespace clothlab
