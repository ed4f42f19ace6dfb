// SPDX-License-Identifier: MIT
#include "contact/contact_force.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <tuple>
#include <utility>

#include "core/collect.h"
#include "core/worker_pool.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr std::size_t kContactGrain = 1024;
constexpr double kUnforeseen = 0.1;      // of d̂
constexpr double kFrictionError = 1e-3;  // of the largest friction
constexpr double kSameSide = 0.5;        // cosine between two normals
constexpr double kTouching = 0.01;       // of d̂
constexpr double kBulge = 0.1;           // of d̂ of triangles
constexpr double kLiftSpeed = 1;         // [m/s]

mat3 square(const vec3& n) { return glm::outerProduct(n, n); }

}  // namespace

void ContactForce::set(const ContactSettings& settings, const Surfaces& surfaces) {
  settings_ = settings;
  surfaces_ = &surfaces;
  slides_.clear();
  start_.clear();
  sunk_.clear();
  found_.clear();
  if (settings.cloth != nullptr)
    candidates_.set_cloth(settings.cloth->triangles, settings.cloth->positions, settings.with_itself,
                          settings.joined);
  else
    candidates_.set_cloth({}, {}, false);
  place_meshes();
}

bool ContactForce::may_begin(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> prescribed) {
  displacement_.resize(x.size());
  bool rests = !surfaces_->move();
  for (std::size_t i = 0; i < x.size(); ++i) {
    displacement_[i] = prescribed[i] - x[i];
    rests = rests && displacement_[i] == vec3(0);
  }
  return rests || bound_.fraction(pool, obstruction(true), x, displacement_) == 1;
}

double ContactForce::free_fraction(WorkerPool& pool, std::span<const vec3> x,
                                   std::span<const vec3> displacement) const {
  return limits_displacements() ? bound_.fraction(pool, obstruction(false), x, displacement) : 1;
}

void ContactForce::begin(WorkerPool& pool, std::span<const vec3> x, double ahead, double h) {
  ahead_ = ahead;
  place_meshes();
  start_.clear();
  if (!empty()) start_.assign(x.begin(), x.end());
  sunk_.assign(settings_.triangle_distance > 0 ? settings_.cloth->triangles.size() : 0, 0);
  begin_slides(pool, x);
  bool lifts = false;
  for (const Slide& slide : slides_) {
    if (slide.contact.triangle == 0) continue;
    const double sunk = -slide.contact.gap - std::max(kLiftSpeed * std::abs(h), slide.contact.reach);
    double& known = sunk_[slide.contact.triangle - 1];
    known = std::max(known, sunk);
    lifts = lifts || sunk > 0;
  }
  if (lifts) begin_slides(pool, x);
}

void ContactForce::begin_slides(WorkerPool& pool, std::span<const vec3> x) {
  slides_.clear();
  for (const ContactElement& contact : contacts_at(pool, x)) slides_.push_back({contact, load_of(contact)});
}

std::span<const ContactElement> ContactForce::find(WorkerPool& pool, std::span<const vec3> x,
                                                   const Prediction& prediction) const {
  begin_search(x);
  find_on_surfaces(pool, x, prediction);
  find_features(pool, x);
  return found_;
}

std::optional<SurfacePoint> ContactForce::seen_by(std::uint32_t particle, std::uint32_t surface,
                                                  const vec3& x, double reach) const {
  const std::optional<SurfacePoint> closest = surfaces_->within(surface, particle, x, reach, at_begin_);
  if (settings_.law.barrier || start_.empty()) return closest;
  const vec3& start = start_[particle];
  const double path = glm::distance(surfaces_->carried_back(surface, particle, x), start);
  if (path < 0.5 * surfaces_->least_passage(surface)) return closest;
  const double touching = settings_.thickness + kTouching * settings_.law.distance;
  if (!surfaces_->within(surface, particle, start, surfaces_->thickness() + touching + path, true))
    return closest;
  const auto faces_start = [&](const SurfacePoint& from) {
    return closest && glm::dot(closest->normal, surfaces_->normal_at_end(surface, from)) > kSameSide;
  };
  if (faces_start(surfaces_->at_begin(surface, particle, start))) return closest;
  const std::optional<vec3> touched = surfaces_->first_touch(surface, particle, start, x, touching);
  if (!touched) return closest;
  SurfacePoint met = surfaces_->at_begin(surface, particle, *touched);
  if (faces_start(met)) return closest;
  met.normal = surfaces_->normal_at_end(surface, met);
  met.height += glm::dot(met.normal, x - *touched - surfaces_->displacement(surface, particle, *touched));
  met.curvature = met.least_curvature = 0;
  return met;
}

void ContactForce::find_on_surfaces(WorkerPool& pool, std::span<const vec3> x,
                                    const Prediction& prediction) const {
  const std::uint32_t first = surfaces_->first(), end_surface = surfaces_->size();
  if (first == end_surface) return;
  const auto find = [&](std::size_t i, std::vector<ContactElement>& found) {
    const auto particle = static_cast<std::uint32_t>(i);
    const double reach =
        settings_.law.distance + settings_.thickness +
        (prediction.u.empty() ? 0 : std::abs(prediction.factor) * glm::length(prediction.u[i]));
    for (std::uint32_t surface = first; surface < end_surface; ++surface) {
      if (!collides_with_particles(surface)) continue;
      const vec3 velocity = surfaces_->velocity_at_end(surface, particle, x[i]);
      const auto seen = seen_by(particle, surface, x[i], reach + prediction.left * glm::length(velocity));
      if (!seen) continue;
      const SurfacePoint& point = *seen;
      const double gap =
          point.gap() - settings_.thickness + prediction.left * glm::dot(point.normal, velocity);
      double ahead = gap;
      if (prediction.near) {
        ahead -= std::abs(prediction.factor) * glm::length(prediction.u[i]);
      } else if (!prediction.u.empty()) {
        ahead += prediction.factor * glm::dot(point.normal, prediction.u[i]);
        if (!prediction.masses.empty() && settings_.law.acts_at(gap))
          ahead += prediction.square * std::min(glm::dot(point.normal, prediction.f[i]), 0.0) /
                   prediction.masses[i];
      }
      if (!settings_.law.acts_at(ahead)) continue;
      ContactElement& contact = found.emplace_back();
      contact.particle[0] = particle;
      contact.weight[0] = 1;
      contact.count = 1;
      contact.normal = point.normal;
      contact.gap = gap;
      contact.reach = settings_.law.distance;
      contact.push = settings_.law.line(gap);
      // Of the surface at this height, which is parallel to the body's.
      const auto here = [&](double curvature) { return curvature / (1 + curvature * point.gap()); };
      const mat3 least = square(point.least);
      contact.turning = here(point.curvature) * (mat3(1.0) - square(point.normal) - least) +
                        here(point.least_curvature) * least;
      contact.friction = surfaces_->friction(surface);
      contact.velocity = velocity;
      contact.surface = surface;
    }
  };
  collect(pool, x.size(), kContactGrain, by_chunk_, found_, find);
  find_triangles(pool, x, prediction);
}

// A convex gap is above its tangent planes at the corners of a triangle, so most triangles need no search.
void ContactForce::find_triangles(WorkerPool& pool, std::span<const vec3> x,
                                  const Prediction& prediction) const {
  const double distance = settings_.triangle_distance;
  if (!(distance > 0) || surfaces_->size() == 1) return;
  const auto& triangles = settings_.cloth->triangles;
  const ContactLaw law{settings_.law.stiffness, distance, settings_.law.barrier};
  const auto displacement = [&](std::uint32_t i) {
    return prediction.u.empty() || prediction.near ? vec3(0) : prediction.factor * prediction.u[i];
  };
  const auto travel = [&](std::uint32_t i) {
    return prediction.near ? std::abs(prediction.factor) * glm::length(prediction.u[i]) : 0.0;
  };
  corners_.resize(x.size());
  heights_.resize(x.size());
  for_each(pool, x.size(), kContactGrain,
           [&](std::size_t i) { corners_[i] = x[i] + displacement(static_cast<std::uint32_t>(i)); });
  for (std::uint32_t surface = 1; surface < surfaces_->size(); ++surface) {
    const Obstacle& body = at_begin_ ? surfaces_->body_at_begin(surface) : surfaces_->body_at_end(surface);
    if (!has_convex_gap(body)) continue;
    for_each(pool, x.size(), kContactGrain, [&](std::size_t i) {
      const SurfacePoint point = closest_point(body, corners_[i]);
      heights_[i] = {point.normal, point.gap()};
    });
    const auto find = [&](std::size_t number, std::vector<ContactElement>& found) {
      const auto& corners = triangles[number];
      std::array<vec3, 3> now, ahead;
      double moves = 0, least = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < 3; ++k) {
        now[k] = x[corners[k]];
        ahead[k] = corners_[corners[k]];
        moves = std::max(moves, travel(corners[k]));
      }
      for (const std::uint32_t i : corners) {
        const auto& [normal, gap] = heights_[i];
        double lowest = 0;
        for (const vec3& other : ahead) lowest = std::min(lowest, glm::dot(normal, other - corners_[i]));
        least = std::max(least, gap + lowest);
      }
      const double reach = distance + settings_.thickness + moves;
      // A surface that is not yet at its place may be nearer.
      const double early = prediction.left > 0 ? surfaces_->largest_displacement(surface) : 0;
      if (!(least < reach + early)) return;
      const DeepestPoint deepest = deepest_point(body, ahead, kBulge * distance);
      if (!(deepest.gap() < reach + early)) return;
      ContactElement contact;
      contact.count = 3;
      for (std::size_t k = 0; k < 3; ++k) {
        contact.particle[k] = corners[k];
        contact.weight[k] = deepest.weights[static_cast<int>(k)];
      }
      const vec3 at = contact.blend(x);
      const SurfacePoint point = closest_point(body, at);
      contact.normal = point.normal;
      contact.velocity = surfaces_->velocity_at_end(surface, Surfaces::kNoParticle, at);
      contact.gap = point.gap() + deepest.rise - settings_.thickness + (sunk_.empty() ? 0 : sunk_[number]) +
                    prediction.left * glm::dot(point.normal, contact.velocity);
      const vec3 moved = deepest.weights.x * (ahead[0] - now[0]) + deepest.weights.y * (ahead[1] - now[1]) +
                         deepest.weights.z * (ahead[2] - now[2]);
      if (!law.acts_at(contact.gap + glm::dot(point.normal, moved) - moves)) return;
      contact.reach = distance;
      contact.push = law.line(contact.gap);
      contact.friction = surfaces_->friction(surface);
      contact.surface = surface;
      contact.triangle = static_cast<std::uint32_t>(number) + 1;
      found.push_back(contact);
    };
    collect(pool, triangles.size(), kContactGrain, by_chunk_, of_triangles_, find);
    found_.insert(found_.end(), of_triangles_.begin(), of_triangles_.end());
  }
}

void ContactForce::find_features(WorkerPool& pool, std::span<const vec3> x) const {
  if (candidates_.empty()) return;
  for (const auto& [pair, apart, reach] : candidates_.near(pool, x, settings_.law.distance, at_begin_)) {
    if (!(apart.distance > 0)) continue;  // crossed, without a direction
    const bool passed = !settings_.law.barrier && start_.size() == x.size() && apart.is_within(pair.kind) &&
                        side(pair.kind, pair.of(x)) * side(pair.kind, pair.of(start_)) < 0;
    const double sign = passed ? -1 : 1;
    ContactElement& contact = found_.emplace_back();
    contact.normal = sign / apart.distance * apart.apart;
    contact.gap = sign * apart.distance;
    contact.reach = reach;
    contact.friction = settings_.friction_with_itself;
    contact.surface = kClothItself;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t particle = pair.particle[k];
      if (candidates_.is_cloth(particle)) {
        const auto at = static_cast<std::size_t>(contact.count++);
        contact.particle[at] = particle;
        contact.weight[at] = apart.weight[k];
        continue;
      }
      contact.surface = candidates_.surface_of(particle);
      contact.velocity -=
          apart.weight[k] * surfaces_->velocity_of_corner(contact.surface, candidates_.corner_of(particle),
                                                          candidates_.position_of(particle));
      contact.friction = surfaces_->friction(contact.surface);
    }
    contact.push = law_of(contact).push(contact.gap);
  }
}

ContactElements ContactForce::elements(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                       double h, double left) const {
  find(pool, x, {.factor = h, .u = v, .near = true, .left = left});
  elements_.swap(found_);
  return {elements_, settings_.law.stiffness, settings_.damping, settings_.friction.speed};
}

bool ContactForce::is_pressed_shut() const {
  if (!limits_displacements() || (at_begin_ && surfaces_->move())) return false;
  return std::ranges::any_of(found_, [](const ContactElement& contact) {
    return contact.triangle == 0 && contact.gap < DisplacementBound::kLeast * contact.reach;
  });
}

ContactPair ContactForce::pair(const ContactElement& contact, std::span<const vec3> v) const {
  const vec3 u = contact.speed(v), along = u - glm::dot(contact.normal, u) * contact.normal;
  const double slip = glm::length(along);
  return {.particle = contact.foremost(),
          .surface = contact.surface,
          .sticks = contact.friction > 0 && slip < settings_.friction.speed,
          .gap = contact.gap,
          .slip = slip,
          .push = contact.push * contact.normal,
          .friction = -load_of(contact) * settings_.friction.secant(slip) * along};
}

double ContactForce::energy(WorkerPool& pool, std::span<const vec3> x) const {
  double sum = 0;
  for (const ContactElement& contact : contacts_at(pool, x)) sum += law_of(contact).energy(contact.gap);
  return sum;
}

vec3 ContactForce::drag(const Slide& slide, const vec3& u) const {
  const vec3& n = slide.contact.normal;
  const double away = glm::dot(n, u);
  const vec3 along = u - away * n;
  return -settings_.damping * away * n - slide.load * settings_.friction.secant(glm::length(along)) * along;
}

mat3 ContactForce::drag_slope(const Slide& slide, const vec3& u, JacobianMode mode) const {
  const mat3 normal = square(slide.contact.normal), across = mat3(1.0) - normal;
  const vec3 along = across * u;
  const double speed = glm::length(along), secant = settings_.friction.secant(speed);
  const mat3 lagged = -settings_.damping * normal - slide.load * secant * across;
  if (mode == JacobianMode::clamped || !(speed > 0)) return lagged;
  return lagged + slide.load * (secant - settings_.friction.slope(speed)) * square(along / speed);
}

ContactForce::LinearDrag ContactForce::linear_drag(std::size_t k, std::span<const vec3> v, JacobianMode mode,
                                                   const ContactSet* set) const {
  const Slide& slide = slides_[k];
  if (set == nullptr || set->friction.empty()) {
    const vec3 u = slide.contact.speed(v);
    return {u, drag(slide, u), drag_slope(slide, u, mode)};
  }
  const ContactSet::Friction& at = set->friction[k];
  const Slide loaded{slide.contact, at.load};
  return {at.speed, drag(loaded, at.speed),
          drag_slope(loaded, at.speed, at.reversals > 1 ? JacobianMode::clamped : JacobianMode::exact)};
}

double ContactForce::beyond_trapezoid(std::span<const vec3> v0, std::span<const vec3> v1) const {
  double sum = 0;
  for (const Slide& slide : slides_) {
    const auto across = [&](std::span<const vec3> v) {
      const vec3 u = slide.contact.speed(v);
      return u - glm::dot(slide.contact.normal, u) * slide.contact.normal;
    };
    const vec3 u0 = across(v0), u1 = across(v1);
    const double y0 = glm::length(u0), y1 = glm::length(u1);
    const SmoothFriction& law = settings_.friction;
    const double trapezoid = glm::dot(law.secant(y0) * u0 + law.secant(y1) * u1, u1 - u0) / 2;
    sum += slide.load * (law.potential(y1) - law.potential(y0) - trapezoid);
  }
  return sum;
}

void ContactForce::add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                             std::span<vec3> f) const {
  add_pushes(pool, x, f);
  for (const Slide& slide : slides_) slide.contact.spread(drag(slide, slide.contact.speed(v)), f);
}

void ContactForce::add_part_at(WorkerPool& pool, double /*t*/, SpringForces /*part*/, std::span<const vec3> x,
                               std::span<const vec3> v, std::span<vec3> f) const {
  add_pushes(pool, x, f);
  for (const ContactElement& contact : found_)
    contact.spread(drag({contact, load_of(contact)}, contact.speed(v)), f);
}

void ContactForce::add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const {
  if (stage.springs == SpringForces::rest) return;
  const std::span<vec3> impulse = to.add_to(ImpulseKind::friction, stage.x.size());
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    const ContactElement& contact = slides_[k].contact;
    contact.spread(
        stage.weight * linear_drag(k, stage.v, stage.mode, stage.contacts).at(contact.speed(stage.v_end)),
        impulse);
  }
}

mat3 ContactForce::block(const ContactElement& contact, JacobianMode mode) const {
  const mat3 along = law_of(contact).slope(contact.gap) * square(contact.normal);
  return mode == JacobianMode::clamped ? along : along - std::max(contact.push, 0.0) * contact.turning;
}

void ContactForce::add_blocks(const Linearization& at, const ContactSet* set, SpringMatrix& a) const {
  stencils_.clear();
  const auto add = [&](const ContactElement& contact, const mat3& C) {
    stencils_.push_back({contact.particle, contact.weight, contact.count, C});
  };
  for (const ContactElement& contact : found_) add(contact, at.c.stiffness * block(contact, at.mode));
  if (at.c.damping != 0)
    for (std::size_t k = 0; k < slides_.size(); ++k)
      add(slides_[k].contact, -at.c.damping * linear_drag(k, at.v, at.mode, set).slope);
  a.add_stencils(stencils_);
}

void ContactForce::add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const {
  contacts_at(pool, at.x);
  add_blocks(at, nullptr, a);
}

StepContact::Quotients ContactForce::quotients(JacobianMode mode, std::span<const vec3> v,
                                               std::span<const vec3> u) const {
  Quotients sum;
  for (const ContactElement& contact : found_) {
    const vec3 along = contact.blend(u);
    sum.stiffness += glm::dot(along, block(contact, mode) * along);
  }
  for (const Slide& slide : slides_) {
    const vec3 along = slide.contact.blend(u);
    sum.damping -= glm::dot(along, drag_slope(slide, slide.contact.speed(v), JacobianMode::exact) * along);
  }
  return sum;
}

void ContactForce::linearize_set(WorkerPool& pool, std::span<const double> masses, const Linearization& at,
                                 ContactSet& contacts, std::span<vec3> f, SpringMatrix& a) const {
  begin_search(at.x);
  if (!contacts.is_known) {
    find_on_surfaces(
        pool, at.x,
        settings_.law.barrier ? Prediction{} : Prediction{at.factor, at.u, f, masses, at.c.stiffness});
    contacts.active = found_;
  } else {
    found_ = contacts.active;
  }
  find_features(pool, at.x);
  for (const ContactElement& contact : found_) {
    const mat3 stiffness = block(contact, at.mode);
    vec3 force = contact.push * contact.normal - at.factor * (stiffness * contact.blend(at.u));
    if (at_begin_) force += ahead_ * (stiffness * contact.velocity);  // surfaces move on as well
    contact.spread(force, f);
  }
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    const ContactElement& contact = slides_[k].contact;
    contact.spread(linear_drag(k, at.v, at.mode, &contacts).at(contact.speed(at.v)), f);
  }
  add_blocks(at, &contacts, a);
}

bool ContactForce::correct_friction(std::span<const vec3> v, std::span<const vec3> w, double enough,
                                    ContactSet& set) const {
  double error = 0, largest = 0, square = 0;
  const bool first = set.friction.empty();
  points_.resize(slides_.size());
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    const ContactElement& contact = slides_[k].contact;
    const vec3& n = contact.normal;
    const double pressed =
        contact.push - law_of(contact).slope(contact.gap) * glm::dot(n, contact.blend(solved_));
    const double load = contact.friction * std::max(pressed, 0.0);
    const vec3 u = contact.speed(v) + contact.blend(w);
    const vec3 force = drag({contact, load}, u);
    const double wrong = glm::length(force - linear_drag(k, v, JacobianMode::clamped, &set).at(u));
    error += wrong;
    for (std::size_t j = 0; j < static_cast<std::size_t>(contact.count); ++j)
      square += contact.weight[j] * contact.weight[j] * wrong * wrong;
    largest += load;
    const vec3 along = u - glm::dot(n, u) * n;
    // From rest Newton's iteration meets no reversal; neighbours may cause a second one.
    ContactSet::Friction last{contact.speed(v), 0};
    if (!first) last = set.friction[k];
    const bool reverses = last.reversals < 2 && !last.at_rest && glm::dot(along, last.speed) < 0;
    points_[k] = {reverses ? u - along : u, load, last.reversals + (reverses ? 1 : 0), reverses};
  }
  if (!(error > kFrictionError * largest) || !(std::sqrt(square) > enough)) return false;
  std::swap(set.friction, points_);
  return true;
}

bool ContactForce::correct(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double a,
                           std::span<const vec3> u, double b, std::span<const vec3> w, double enough,
                           ContactSet& set) const {
  solved_.resize(x.size());
  for_each(pool, x.size(), kContactGrain, [&](std::size_t i) { solved_[i] = a * u[i] + b * w[i]; });
  const bool rubs = correct_friction(v, w, enough, set);
  if (!rubs && set.is_corrected && !set.has_changed) return false;  // the last search changed nothing
  set.has_changed = correct_active(pool, x, set);
  if (rubs) set.is_known = !settings_.law.barrier && !surfaces_->empty();
  return rubs || set.has_changed;
}

bool ContactForce::correct_active(WorkerPool& pool, std::span<const vec3> x, ContactSet& set) const {
  if (settings_.law.barrier || surfaces_->empty()) return false;
  std::swap(set.active, foreseen_);
  begin_search(x);
  find_on_surfaces(pool, x, {1, solved_});
  const double far = kUnforeseen * settings_.law.distance;
  const auto depth = [&](const ContactElement& contact) {
    return contact.reach - contact.gap - glm::dot(contact.normal, contact.blend(solved_));
  };
  const auto key = [](const ContactElement& contact) {
    const bool is_particle = contact.triangle == 0;
    return std::tuple(is_particle ? 0 : contact.surface, contact.triangle,
                      is_particle ? contact.particle[0] : 0, contact.surface);
  };
  bool differs = false;
  set.active.clear();
  auto old = foreseen_.begin();
  const auto pass = [&] {  // only in the set of the solve
    if (!set.is_corrected)
      set.active.push_back(*old);
    else if (-depth(*old) > far)
      differs = true;
    ++old;
  };
  for (const ContactElement& contact : found_) {
    while (old != foreseen_.end() && key(*old) < key(contact)) pass();
    if (old != foreseen_.end() && key(*old) == key(contact))
      ++old;
    else if (depth(contact) > far)
      differs = true;
    set.active.push_back(contact);
  }
  while (old != foreseen_.end()) pass();
  set.is_corrected = true;
  set.is_known = differs;
  return differs;
}

std::optional<FailedContact> failed_contact(const ContactForce& contact, const DynamicSystem& system,
                                            WorkerPool& pool, std::span<const vec3> x0,
                                            std::span<const vec3> x1) {
  std::optional<FailedContact> found;
  double most = 0;
  for (const ContactElement& element : contact.contacts_at(pool, x0)) {
    const std::uint32_t particle = element.foremost();
    if (system.projection().is_fixed(particle)) continue;
    const ContactLaw law = contact.law_of(element);
    const double approach = glm::dot(element.normal, element.blend(x1) - element.blend(x0));
    const double excess =
        law.energy(element.gap + approach) - law.energy(element.gap) + element.push * approach;
    if (!(excess > most)) continue;
    most = excess;
    const double mass = system.masses()[particle];
    const double stiffness = law.slope(element.gap);
    found = {.particle = particle,
             .surface = element.surface,
             .omega = std::sqrt(stiffness / mass),
             .friction_rate = element.friction * element.push * contact.settings().friction.slope(0) / mass};
  }
  if (found && found->surface > 0 && found->surface != kClothItself)
    found->shape = contact.surfaces().body_at_end(found->surface).shape;
  return found;
}

}  // namespace clothlab
