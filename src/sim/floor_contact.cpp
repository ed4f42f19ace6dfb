// SPDX-License-Identifier: MIT
#include "sim/floor_contact.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"

namespace clothlab {

namespace {

constexpr double kLiftSpeed = 1;         // [m/s]
constexpr double kWithoutGravity = 9.8;  // [m/s²], where there is none

vec3 level(const vec3& a) { return {a.x, 0, a.z}; }

}  // namespace

bool FloorContact::hold(const Floor& floor, double h, const State& state, ClothSystem& system,
                        const ComputeContext& context) {
  lifts_ = false;
  contacts_.swap(before_);
  contacts_.clear();
  added_.clear();
  friction_.clear();
  force_.clear();
  system.set_pushes({});
  const auto is_near = [&](const vec3& x) { return x.y <= floor.height; };
  if (!floor.on || std::ranges::none_of(state.x, is_near)) return !before_.empty();

  CancelPoint cancel(context.stop);
  force_.resize(system.size());
  cancel.look();
  system.force(context.pool, state.x, state.v, force_);
  const std::span<const double> m = system.masses();
  const double g = glm::length(system.material().gravity);
  const double fastest = g > 0 ? g : kWithoutGravity;
  for (std::uint32_t i = 0; i < force_.size(); ++i) {
    cancel.pass();
    if (!is_near(state.x[i])) continue;
    const double fall = std::clamp(force_[i].y / m[i], -fastest, 0.0);
    const bool presses = state.x[i].y + h * state.v[i].y + h * h * fall < floor.height;
    if (presses && system.projection().find(i) == nullptr) add(i, 0, floor, h, state, system);
  }
  cancel.look();
  system.projection().constrain(added_);
  system.set_pushes(friction_);
  return contacts_ != before_;
}

bool FloorContact::land(const Floor& floor, double h, const State& before, const State& after,
                        ClothSystem& system, const ComputeContext& context) {
  if (!floor.on) return false;
  CancelPoint cancel(context.stop);
  cancel.look();
  const bool turned = stop_what_turns_back(after, system.projection());
  added_.clear();
  for (std::uint32_t i = 0; i < after.x.size(); ++i) {
    cancel.pass();
    if (!(after.x[i].y < floor.height) || system.projection().find(i) != nullptr) continue;
    if (force_.empty()) {
      force_.resize(system.size());
      cancel.look();
      system.force(context.pool, before.x, before.v, force_);
      cancel.look();
    }
    const double pressed = system.masses()[i] * (floor.height - after.x[i].y) / h;
    add(i, pressed, floor, h, before, system);
  }
  cancel.look();
  system.projection().constrain(added_);
  system.set_pushes(friction_);
  cancel.look();
  std::ranges::sort(contacts_, {}, &Contact::particle);  // as `hold` lists them
  return turned || !added_.empty();
}

bool FloorContact::stop_what_turns_back(const State& after, Projection& projection) {
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

Projection::Entry FloorContact::entry(const Contact& contact, const vec3& target) {
  return {contact.particle, contact.sticks ? mat3(0.0) : mat3(1, 0, 0, 0, 0, 0, 0, 0, 1), target};
}

void FloorContact::add_to(Projection& projection, const Floor& floor, std::span<const vec3> x) const {
  if (!floor.on) return;
  std::vector<Projection::Entry> held;
  for (const Contact& contact : contacts_) {
    const vec3& at = x[contact.particle];
    if (at.y <= floor.height && projection.find(contact.particle) == nullptr)
      held.push_back(entry(contact, at));
  }
  projection.constrain(held);
}

void FloorContact::add(std::uint32_t particle, double pressed, const Floor& floor, double h,
                       const State& state, const ClothSystem& system) {
  const vec3 &x = state.x[particle], &v = state.v[particle], &f = force_[particle];
  const double m = system.masses()[particle];
  lifts_ = lifts_ || x.y < floor.height;
  const vec3 target(x.x, std::min(floor.height, x.y + h * kLiftSpeed), x.z);
  const double impulse = std::max(-m * v.y - h * f.y, pressed);
  const vec3 momentum = m * level(v) + h * level(f);  // that friction would leave alone
  const double size = glm::length(momentum);
  const bool sticks = floor.friction > 0 && size <= floor.friction * impulse;
  contacts_.push_back({particle, sticks});
  added_.push_back(entry(contacts_.back(), target));
  if (!sticks && size > 0) friction_.push_back({particle, -floor.friction * impulse / h / size * momentum});
}

bool FloorContact::settle(const Floor& floor, State& state, const ClothSystem& system,
                          const StopProbe& stop) {
  if (!floor.on) return false;
  CancelPoint cancel(stop);
  for (const Contact& contact : contacts_) state.v[contact.particle].y = 0;
  bool caught = false;
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    cancel.pass();
    vec3 &x = state.x[i], &v = state.v[i];
    // Held particles, by the floor or by a pin, are in place.
    if (!(x.y < floor.height) || system.projection().find(i) != nullptr) continue;
    caught = true;
    x.y = floor.height;
    const double stopped = std::max(-v.y, 0.0), speed = glm::length(level(v));
    const double kept = speed > 0 ? std::max(1 - floor.friction * stopped / speed, 0.0) : 0.0;
    v = vec3(kept * v.x, std::max(v.y, 0.0), kept * v.z);
  }
  lifts_ = lifts_ || caught;
  return caught;
}

}  // namespace clothlab
