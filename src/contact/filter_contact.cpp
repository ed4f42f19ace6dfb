// SPDX-License-Identifier: MIT
#include "contact/filter_contact.h"

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <tuple>

#include "core/cancel_point.h"
#include "core/collect.h"

namespace clothlab {

namespace {

constexpr double kLiftSpeed = 1;         // [m/s]
constexpr double kWithoutGravity = 9.8;  // [m/s²], in scenes without gravity
constexpr double kOneDirection = 1e-6;   // |S n|: below, n is constrained already
constexpr double kInPlace = 1e-9;        // [m]: deeper particles are being lifted
constexpr int kMostNormals = 3;          // that constrain one particle
constexpr int kMostCorrections = 50;     // of one particle at the end of a step
constexpr std::size_t kLandGrain = 1024;

// True if a particle may be in contact: a particle constrained along the normal departs from a curved surface
// by less than this bound in a step. v is relative to the surface.
bool is_near(const SurfacePoint& point, double h, const vec3& v) {
  if (point.height <= point.level + point.slack) return true;
  if (!(point.curvature > 0)) return false;
  const double displacement = h * glm::length(v);
  return point.height <= point.level + std::min(displacement * displacement * point.curvature, displacement);
}

vec3 across(const vec3& a, const vec3& n) { return a - glm::dot(n, a) * n; }
vec3 at_height(const vec3& x, const SurfacePoint& point, double height) {
  return x - point.height * point.normal + height * point.normal;
}

mat3 without(const mat3& S, const vec3& n) { return S - glm::outerProduct(n, n); }

// The acceleration that keeps a particle of velocity v on the surface [m/s²]. Uses the larger of two
// curvatures, so that too few particles rather than too many are constrained.
double turning(const SurfacePoint& point, const vec3& v) {
  const double away = glm::dot(point.normal, v);
  const double straight = point.least_curvature > 0 ? 0.0 : glm::dot(point.least, v);
  return point.curvature * (glm::dot(v, v) - away * away - straight * straight);
}

// The part of a normal in the free directions of S, of length 1; 0 if the normal is constrained already.
vec3 free_part(const mat3& S, const vec3& normal) {
  const vec3 free = S * normal;
  const double size = glm::length(free);
  return size < kOneDirection ? vec3(0) : free / size;
}

// Constrains along another normal as well, with the target that its entry has there.
void constrain_along(Projection::Entry& held, const Projection::Entry& other, const vec3& normal) {
  if (held.S == mat3(1.0)) {
    held = other;
    return;
  }
  const vec3 direction = free_part(held.S, normal);
  if (direction == vec3(0)) return;
  held.target += glm::dot(normal, other.target - held.target) / glm::dot(normal, direction) * direction;
  held.S = without(held.S, direction);
}

}  // namespace

std::unique_ptr<ContactResponse> make_filter_contact() { return std::make_unique<FilterContact>(); }

bool FilterContact::has_contact(std::uint32_t particle, std::uint32_t surface) const {
  const auto key = [](const ActiveContact& contact) { return std::tuple(contact.particle, contact.surface); };
  const std::span<const ActiveContact> known(contacts_.data(), sorted_);
  return std::ranges::binary_search(known, std::tuple(particle, surface), {}, key);
}

std::span<const ActiveContact> FilterContact::contacts_of(std::uint32_t particle) const {
  const std::span<const ActiveContact> known(contacts_.data(), sorted_);
  const auto first = std::ranges::lower_bound(known, particle, {}, &ActiveContact::particle);
  return {first, std::ranges::upper_bound(first, known.end(), particle, {}, &ActiveContact::particle)};
}

bool FilterContact::begin_step(const ContactStep& step) {
  const Surfaces& surfaces = step.surfaces;
  const double h = step.h;
  const State& state = step.start;
  ClothSystem& system = step.system;
  const ComputeContext& context = step.context;
  lifts_ = false;
  contacts_.swap(before_);
  contacts_.clear();
  sorted_ = 0;
  added_.clear();
  friction_.clear();
  friction_surfaces_.clear();
  force_.clear();
  pairs_.clear();
  system.set_pushes({});
  if (surfaces.empty()) return !before_.empty();

  CancelPoint cancel(context.stop);
  const std::uint32_t first = surfaces.first(), end = surfaces.size();
  const std::span<const double> m = system.masses();
  const double g = glm::length(system.material().gravity);
  const double fastest = g > 0 ? g : kWithoutGravity;
  const auto compute_force = [&] {
    if (!force_.empty()) return;
    force_.resize(system.size());
    cancel.poll();
    system.force(context.pool, state.x, state.v, force_);
  };
  std::size_t from = 0;
  for (std::uint32_t i = 0; i < state.x.size(); ++i) {
    cancel.pass();
    const vec3 &x = state.x[i], &v = state.v[i];
    const double reach = end > 1 ? h * glm::length(v) : 0;
    const std::size_t others = contacts_.size();
    Projection::Entry entry{i, mat3(1.0), x};
    const ActiveContact* last = uses_reactions() ? last_contact_of(i, from) : nullptr;
    // First the surface that it presses on most, then those that it passes although constrained by the first.
    for (int normals = 0; normals < kMostNormals; ++normals) {
      double deepest = 0;
      std::uint32_t pressed = end;
      SurfacePoint pressed_at;
      bool stuck = false;
      if (last != nullptr && last->surface >= first && last->surface < end) {
        // A contact that pressed stays active.
        const SurfacePoint point = surfaces.at_begin(last->surface, i, x);
        const vec3 slip = v - surfaces.velocity(last->surface, x);
        if ((is_near(point, h, slip) || is_still_on(point) || point.height <= point.level + kInPlace) &&
            h * glm::dot(point.normal, slip) <= kInPlace) {
          compute_force();
          pressed = last->surface;
          pressed_at = point;
          stuck = last->sticks && h * glm::length(slip) <= kInPlace;
        }
        last = nullptr;
      }
      const bool stays = pressed < end;
      for (std::uint32_t surface = first; !stays && surface < end; ++surface) {
        if (surfaces.is_far(surface, i, x, reach)) continue;
        const SurfacePoint point = surfaces.at_begin(surface, i, x);
        const vec3 surface_v = surfaces.velocity(surface, x);
        if (!is_near(point, h, v - surface_v)) continue;
        compute_force();
        const vec3 free_f = entry.S * force_[i];
        vec3 free_v = entry.S * v;
        double height = normals == 0 ? std::min(point.height, point.level)
                                     : point.height + glm::dot(point.normal, entry.target - x);
        if (surfaces.move()) {
          // Relative to this surface, and with the surfaces that constrain it.
          const vec3 prescribed = entry.target - x;
          free_v += (prescribed - entry.S * prescribed) / h - surface_v;
          if (normals > 0) height = point.height;
        }
        const double fall = std::clamp(glm::dot(point.normal, free_f) / m[i], -fastest, 0.0);
        // A particle that slides along a curved surface leaves it unless it is pulled around, and so does a
        // particle on a turning surface.
        const double frame_acceleration = glm::dot(point.normal, surfaces.acceleration(surface, x, free_v));
        const double away = glm::dot(point.normal, free_v);
        const double depth =
            point.level - (height + h * away + h * h * (fall + turning(point, free_v) - frame_acceleration));
        const auto is_known = [&](const ActiveContact& contact) { return contact.surface == surface; };
        if (!(depth > deepest) ||
            std::any_of(contacts_.begin() + static_cast<std::ptrdiff_t>(others), contacts_.end(), is_known))
          continue;
        deepest = depth;
        pressed = surface;
        pressed_at = point;
      }
      if (pressed == end || system.projection().find(i) != nullptr) break;
      constrain_along(entry, add({i, pressed, stuck}, pressed_at, 0, surfaces, h, state, system),
                      surfaces.normal_at_end(pressed, pressed_at.normal));
    }
    const std::span<ActiveContact> own(contacts_.begin() + static_cast<std::ptrdiff_t>(others),
                                       contacts_.end());
    if (own.empty()) continue;
    if (std::ranges::any_of(own, &ActiveContact::sticks)) entry.S = mat3(0.0);
    std::ranges::sort(own, {}, &ActiveContact::surface);
    added_.push_back(entry);
  }
  cancel.poll();
  system.projection().constrain(added_);
  system.set_pushes(friction_);
  sorted_ = contacts_.size();
  return contacts_ != before_;
}

bool FilterContact::needs_repeat(const ContactStep& step, const State& after) {
  const Surfaces& surfaces = step.surfaces;
  const double h = step.h;
  const State& before = step.start;
  ClothSystem& system = step.system;
  const ComputeContext& context = step.context;
  if (surfaces.empty()) return false;
  CancelPoint cancel(context.stop);
  cancel.poll();
  Projection& projection = system.projection();
  find_landed(surfaces, after, projection, context.pool);
  cancel.poll();
  double farthest = reversed_displacement(surfaces, h, before, after);
  for (const Landed& landed : landed_) farthest = std::max(farthest, landed.depth);
  if (!(farthest > surfaces.tolerance())) return false;

  stick_reversed(surfaces, h, before, after, projection);
  added_.clear();
  for (const auto& [i, surface, depth] : landed_) {
    cancel.pass();
    const Projection::Entry* held = projection.find(i);
    const std::span<const ActiveContact> known = contacts_of(i);
    if (force_.empty()) {
      force_.resize(system.size());
      cancel.poll();
      system.force(context.pool, before.x, before.v, force_);
      cancel.poll();
    }
    Projection::Entry entry{i, mat3(1.0), held != nullptr ? held->target : before.x[i]};
    bool sticks = false;
    for (const ActiveContact& contact : known) {
      const vec3 normal =
          surfaces.normal_at_end(contact.surface, surfaces.at_begin(contact.surface, i, before.x[i]).normal);
      entry.S = without(entry.S, free_part(entry.S, normal));
      sticks = sticks || contact.sticks;
    }
    const double pressed = system.masses()[i] * depth / h;
    const SurfacePoint point = surfaces.at_begin(surface, i, before.x[i]);
    constrain_along(entry, add({i, surface}, point, pressed, surfaces, h, before, system),
                    surfaces.normal_at_end(surface, point.normal));
    if (sticks || contacts_.back().sticks) entry.S = mat3(0.0);
    if (held == nullptr)
      added_.push_back(entry);
    else
      projection.constrain(i, entry.S, entry.target);
  }
  cancel.poll();
  projection.constrain(added_);
  system.set_pushes(friction_);
  cancel.poll();
  std::ranges::sort(contacts_, {}, [](const ActiveContact& contact) {
    return std::tuple(contact.particle, contact.surface);  // as `constrain` lists them
  });
  sorted_ = contacts_.size();
  return true;
}

void FilterContact::find_landed(const Surfaces& surfaces, const State& after, const Projection& projection,
                                WorkerPool& pool) {
  const std::uint32_t first = surfaces.first(), end = surfaces.size();
  const auto find = [&](std::size_t k, std::vector<Landed>& landed) {
    const auto i = static_cast<std::uint32_t>(k);
    // The deepest: constrained by that one, it may not pass the others.
    double deepest = 0;
    std::uint32_t surface = end;
    for (std::uint32_t each = first; each < end; ++each) {
      if (surfaces.is_far(each, i, after.x[i], 0)) continue;
      const SurfacePoint point = surfaces.at_end(each, i, after.x[i]);
      if (!is_below(point) || !(point.level - point.height > deepest) || has_contact(i, each)) continue;
      // Particles that move away already are put on the surface at the end.
      if (point.curvature > 0 &&
          glm::dot(point.normal, after.v[i] - surfaces.velocity_at_end(each, after.x[i])) > 0)
        continue;
      deepest = point.level - point.height;
      surface = each;
    }
    if (surface == end || (projection.find(i) != nullptr && contacts_of(i).empty())) return;  // a pin
    landed.push_back({i, surface, deepest});
  };
  collect(pool, after.x.size(), kLandGrain, landed_by_chunk_, landed_, find);
}

const ActiveContact* FilterContact::last_contact_of(std::uint32_t particle, std::size_t& from) const {
  while (from < before_.size() && before_[from].particle < particle) ++from;
  if (from == before_.size() || before_[from].particle != particle) return nullptr;
  return from + 1 < before_.size() && before_[from + 1].particle == particle ? nullptr : &before_[from];
}

double FilterContact::reversed_displacement(const Surfaces& surfaces, double h, const State& before,
                                            const State& after) const {
  double farthest = 0;
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const auto& [particle, force] = friction_[k];
    const vec3 slip =
        after.v[particle] - surfaces.displacement(friction_surfaces_[k], before.x[particle]) / h;
    if (glm::dot(force, slip) > 0) farthest = std::max(farthest, h * glm::length(slip));
  }
  return farthest;
}

void FilterContact::stick_reversed(const Surfaces& surfaces, double h, const State& before,
                                   const State& after, Projection& projection) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const auto& [particle, force] = friction_[k];
    const vec3 with_surface = surfaces.displacement(friction_surfaces_[k], before.x[particle]) / h;
    if (glm::dot(force, after.v[particle] - with_surface) > 0) {
      projection.fix(particle, projection.find(particle)->target);
      std::ranges::lower_bound(contacts_, particle, {}, &ActiveContact::particle)->sticks = true;
      continue;
    }
    friction_[kept] = friction_[k];
    friction_surfaces_[kept++] = friction_surfaces_[k];
  }
  friction_.resize(kept);
  friction_surfaces_.resize(kept);
}

Projection::Entry FilterContact::add(ActiveContact contact, const SurfacePoint& point, double pressed,
                                     const Surfaces& surfaces, double h, const State& state,
                                     const ClothSystem& system) {
  const std::uint32_t i = contact.particle;
  const vec3 &x = state.x[i], &f = force_[i];
  const vec3 v = state.v[i] - surfaces.velocity(contact.surface, x);
  const vec3 displacement = surfaces.displacement(contact.surface, x);
  const vec3 n = surfaces.normal_at_end(contact.surface, point.normal);
  const double m = system.masses()[i], friction = surfaces.friction(contact.surface);
  lifts_ = lifts_ || point.level - point.height > surfaces.thickness() + kSurfaceRounding;
  double support = -m * glm::dot(point.normal, v) - h * glm::dot(point.normal, f);
  if (surfaces.turns(contact.surface))  // less the force of the turning motion
    support +=
        h * m * (glm::dot(point.normal, surfaces.acceleration(contact.surface, x, v)) - turning(point, v));
  const double impulse = std::max(support, pressed);
  // Friction acts on the momentum relative to the displacement of the surface.
  const vec3 momentum = m * across(state.v[i] - displacement / h, n) + h * across(f, n);
  const double size = glm::length(momentum);
  contact.sticks = friction > 0 && (contact.sticks || size <= friction * impulse);
  contacts_.push_back(contact);
  ContactPair& pair = pairs_.emplace_back();
  pair.particle = i;
  pair.surface = contact.surface;
  pair.push = impulse / h * point.normal;
  if (contact.sticks) {
    pair.friction = -momentum / h;
  } else if (size > 0) {
    pair.friction = -friction * impulse / h / size * momentum;
    friction_.push_back({i, pair.friction});
    friction_surfaces_.push_back(contact.surface);
  }
  const double height = std::min(point.level, point.height + h * kLiftSpeed);
  vec3 target = x - point.height * n + height * n;
  if (surfaces.moves(contact.surface)) target += displacement;
  return {i, without(mat3(1.0), n), target};
}

void FilterContact::add_constraints(Projection& projection, const Surfaces& surfaces,
                                    std::span<const vec3> x) const {
  std::vector<Projection::Entry> held;
  for (const ActiveContact& contact : contacts_) {
    const bool exists = contact.surface >= surfaces.first() && contact.surface < surfaces.size();
    if (!exists || projection.find(contact.particle) != nullptr) continue;
    const vec3& at = x[contact.particle];
    const SurfacePoint point = surfaces.at_begin(contact.surface, contact.particle, at);
    if (!is_still_on(point)) continue;
    if (held.empty() || held.back().particle != contact.particle)
      held.push_back({contact.particle, mat3(1.0), at});
    held.back().S = without(held.back().S, free_part(held.back().S, point.normal));
    if (contact.sticks) held.back().S = mat3(0.0);
  }
  projection.constrain(held);
}

void FilterContact::apply_reactions(const Surfaces& surfaces, double h, std::span<const vec3> reactions,
                                    const State& state, const ClothSystem& system) {
  std::ranges::sort(pairs_, {},
                    [](const ContactPair& pair) { return std::tuple(pair.particle, pair.surface); });
  const std::span<const Projection::Entry> entries = system.projection().entries();
  const auto is_of = [&](std::size_t k, std::uint32_t particle) {
    return k < contacts_.size() && contacts_[k].particle == particle;
  };
  std::size_t at = 0, kept = 0;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    ActiveContact contact = contacts_[k];
    ContactPair pair = pairs_[k];
    const std::uint32_t i = contact.particle;
    while (at < entries.size() && entries[at].particle < i) ++at;
    const bool is_alone = !(k > 0 && is_of(k - 1, i)) && !is_of(k + 1, i);
    if (is_alone && at < entries.size() && entries[at].particle == i) {
      const vec3 &x = state.x[i], &reaction = reactions[at];
      const vec3 n = surfaces.at_end(contact.surface, i, x).normal;
      // Less the impulse that stops it relative to the surface at the end.
      const double away = glm::dot(n, state.v[i] - surfaces.velocity_at_end(contact.surface, x));
      const double push = glm::dot(n, reaction) - system.masses()[i] * away;
      if (!(push > 0)) continue;
      pair.push = push / h * n;
      if (contact.sticks) {
        const vec3 held = across(reaction, n);
        pair.friction = held / h;
        contact.sticks = glm::length(held) <= surfaces.friction(contact.surface) * push;
      }
    }
    contacts_[kept] = contact;
    pairs_[kept++] = pair;
  }
  contacts_.resize(kept);
  pairs_.resize(kept);
  sorted_ = kept;
}

ContactResponse::End FilterContact::end_step(const ContactStep& step, std::span<const vec3> reactions,
                                             State& state) {
  const Surfaces& surfaces = step.surfaces;
  const double h = step.h;
  const ClothSystem& system = step.system;
  if (surfaces.empty()) return {};
  CancelPoint cancel(step.context.stop);
  for (ContactPair& pair : pairs_) {
    const vec3& x = state.x[pair.particle];
    const SurfacePoint point = surfaces.at_end(pair.surface, pair.particle, x);
    const vec3 v = state.v[pair.particle] - surfaces.velocity_at_end(pair.surface, x);
    pair.sticks = std::ranges::any_of(contacts_of(pair.particle), &ActiveContact::sticks);
    pair.gap = point.height - point.level;
    pair.slip = pair.sticks ? 0.0 : glm::length(across(v, point.normal));
  }
  if (uses_reactions() && !reactions.empty()) apply_reactions(surfaces, h, reactions, state, system);
  mat3 S(1.0);  // of the particle
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const auto& [particle, surface, sticks, impulse] = contacts_[k];
    if (k > 0 && contacts_[k - 1].particle != particle) S = mat3(1.0);
    const vec3& x = state.x[particle];
    vec3& v = state.v[particle];
    const vec3 normal = surfaces.at_end(surface, particle, x).normal, direction = free_part(S, normal);
    if (!surfaces.move())
      v = across(v, direction);
    else if (direction != vec3(0))
      v -= glm::dot(normal, v - surfaces.velocity_at_end(surface, x)) / glm::dot(normal, direction) *
           direction;
    S = without(S, direction);
  }
  for (std::size_t k = 0; k < friction_.size() && surfaces.tolerance() > 0;
       ++k) {  // reversed within the tolerance
    const auto& [particle, force] = friction_[k];
    const vec3 with_surface = surfaces.velocity_at_end(friction_surfaces_[k], state.x[particle]);
    if (!has_contact(particle, friction_surfaces_[k]) ||
        !(glm::dot(force, state.v[particle] - with_surface) > 0))
      continue;
    state.v[particle] = with_surface;
    std::ranges::lower_bound(contacts_, particle, {}, &ActiveContact::particle)->sticks = true;
  }
  bool caught = false;
  const std::uint32_t first = surfaces.first(), end = surfaces.size();
  for (std::uint32_t i = 0; i < state.x.size(); ++i) {
    cancel.pass();
    const auto has_sunk = [&](std::uint32_t surface) {
      return !surfaces.is_far(surface, i, state.x[i], 0) &&
             is_below(surfaces.at_end(surface, i, state.x[i])) && !has_contact(i, surface);
    };
    std::uint32_t surface = first;
    while (surface < end && !has_sunk(surface)) ++surface;
    // Pins stay at their targets.
    if (surface == end || (contacts_of(i).empty() && system.projection().find(i) != nullptr)) continue;
    put_on_surfaces(surfaces, i, state.x[i], state.v[i]);
    caught = true;
  }
  return {caught};
}

void FilterContact::put_on_surfaces(const Surfaces& surfaces, std::uint32_t particle, vec3& x,
                                    vec3& v) const {
  const std::uint32_t first = surfaces.first(), end = surfaces.size();
  std::array<bool, kMostObstacles + 1> lifted{};
  for (std::uint32_t surface = first; surface < end; ++surface) {
    const SurfacePoint point = surfaces.at_end(surface, particle, x);
    lifted.at(surface) = point.level - point.height > kInPlace && has_contact(particle, surface);
  }
  // A particle that is put on one surface may get below another.
  bool moved = true;
  for (int pass = 0; moved && pass < kMostCorrections; ++pass) {
    moved = false;
    for (std::uint32_t surface = first; surface < end; ++surface) {
      const SurfacePoint point = surfaces.at_end(surface, particle, x);
      if (!is_below(point) || lifted.at(surface)) continue;
      moved = true;
      x = at_height(x, point, point.level);
      const vec3 surface_v = surfaces.velocity_at_end(surface, x);
      v -= surface_v;
      const double away = glm::dot(point.normal, v), stopped = std::max(-away, 0.0);
      const vec3 along = across(v, point.normal);
      const double speed = glm::length(along);
      const double kept = speed > 0 ? std::max(1 - surfaces.friction(surface) * stopped / speed, 0.0) : 0.0;
      v = kept * along + std::max(away, 0.0) * point.normal;
      if (surfaces.moves(surface)) v += surface_v;
    }
  }
}

}  // namespace clothlab
