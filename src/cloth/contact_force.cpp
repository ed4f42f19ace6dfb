// SPDX-License-Identifier: MIT
#include "cloth/contact_force.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr std::size_t kContactGrain = 1024;
constexpr double kUnforeseen = 0.1;  // of d̂

mat3 square(const vec3& n) { return glm::outerProduct(n, n); }

}  // namespace

void ContactForce::set(const ContactSettings& settings) {
  settings_ = settings;
  slides_.clear();
  start_.clear();
  found_.clear();
  touches_.clear();
  if (settings.cloth != nullptr)
    near_.set_cloth(settings.cloth->triangles, settings.cloth->positions, settings.with_itself);
  else
    near_.set_cloth({}, {}, false);
  bodies_.clear();
  for (const ContactSettings::Surface& surface : settings.surfaces) bodies_.push_back(surface.body);
  before_ = bodies_;
  place_bodies();
}

/// Features meet meshes behind a barrier alone.
void ContactForce::place_bodies() {
  if (!bars_ways()) return near_.place_meshes({}, {});
  near_.place_meshes(bodies_, before_);
  solid_.clear();
  solid_before_.clear();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (!meets_particles(bodies_[k])) continue;
    solid_.push_back(bodies_[k]);
    solid_before_.push_back(before_[k]);
  }
}

bool ContactForce::may_begin(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> led) {
  way_.resize(x.size());
  bool rests = before_ == bodies_;
  for (std::size_t i = 0; i < x.size(); ++i) {
    way_[i] = led[i] - x[i];
    rests = rests && way_[i] == vec3(0);
  }
  if (rests) return true;
  FreeWay::Fence moving = fence();
  moving.moves = true;
  moving.before = solid_before_;
  return free_way_.share(pool, moving, x, way_) == 1;
}

std::pair<std::uint32_t, std::uint32_t> ContactForce::squeezed() const {
  const FreeWay::End& end = free_way_.end();
  if (!end.on) return {end.particle, kClothItself};
  if (end.by_feature) return {end.particle, settings_.surfaces[*end.on].number};
  std::uint32_t solid = 0;
  for (const ContactSettings::Surface& surface : settings_.surfaces)
    if (meets_particles(surface.body) && solid++ == *end.on) return {end.particle, surface.number};
  return {end.particle, kClothItself};
}

double ContactForce::free_share(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> way) const {
  return bars_ways() ? free_way_.share(pool, fence(), x, way) : 1;
}

double ContactForce::shorten(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> way) {
  return free_way_.shorten(pool, fence(), x, way);
}

void ContactForce::place(std::size_t surface, const Obstacle& before, const Obstacle& body,
                         const SurfaceMotion& motion, double ahead) {
  ContactSettings::Surface& placed = settings_.surfaces[surface];
  const bool moved = !(bodies_[surface] == body && before_[surface] == before);
  placed.body = bodies_[surface] = body;
  ahead_ = ahead;
  placed.motion = motion;
  before_[surface] = before;
  if (moved) place_bodies();
}

void ContactForce::begin(WorkerPool& pool, std::span<const vec3> x) {
  slides_.clear();
  start_.clear();
  looks_again_ = has_met_ = false;
  if (!near_.empty() || settings_.law.barrier) start_.assign(x.begin(), x.end());
  for (const Touch& touch : touches(pool, x)) slides_.push_back({touch, load_of(touch)});
}

double ContactForce::load_of(const Touch& touch) const { return touch.friction * touch.push; }

std::span<const ContactForce::Touch> ContactForce::touches(WorkerPool& pool, std::span<const vec3> x) const {
  find(pool, x, {});
  return touches_;
}

void ContactForce::find(WorkerPool& pool, std::span<const vec3> x, const Lead& lead) const {
  touches_.clear();
  found_at_begin_ = settings_.law.barrier && (ahead_ > 0 || std::ranges::equal(x, start_));
  if (!settings_.surfaces.empty()) find_on_surfaces(pool, x, lead);
  if (!near_.empty()) find_features(pool, x);
}

void ContactForce::find_on_surfaces(WorkerPool& pool, std::span<const vec3> x, const Lead& lead) const {
  by_chunk_.resize((x.size() + kContactGrain - 1) / kContactGrain);
  const std::size_t surfaces = settings_.surfaces.size();
  found_.resize(surfaces);
  for (std::size_t k = 0; k < surfaces; ++k)
    found_[k].resize(settings_.surfaces[k].body.shape == Obstacle::Shape::mesh ? x.size() : 0);
  pool.for_chunks(x.size(), kContactGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Touch>& found = by_chunk_[begin / kContactGrain];
    found.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const double reach = settings_.law.distance + settings_.thickness +
                           (lead.u.empty() ? 0 : std::abs(lead.factor) * glm::length(lead.u[i]));
      for (std::size_t k = 0; k < surfaces; ++k) {
        const ContactSettings::Surface& surface = settings_.surfaces[k];
        const Obstacle& body = found_at_begin_ ? before_[k] : bodies_[k];
        if (!meets_particles(body)) continue;
        const vec3 velocity = surface.motion.at(x[i]);
        const auto within = place_within(body, x[i], reach + lead.left * glm::length(velocity),
                                         found_[k].empty() ? nullptr : &found_[k][i]);
        if (!within) continue;
        const SurfacePlace& place = *within;
        const double gap =
            place.height - place.level - settings_.thickness + lead.left * glm::dot(place.normal, velocity);
        double ahead = gap;
        if (lead.near) {
          ahead -= std::abs(lead.factor) * glm::length(lead.u[i]);
        } else if (!lead.u.empty()) {
          ahead += lead.factor * glm::dot(place.normal, lead.u[i]);
          if (!lead.f.empty() && settings_.law.acts_at(gap))
            ahead += lead.square * std::min(glm::dot(place.normal, lead.f[i]), 0.0) / masses_[i];
        }
        if (!settings_.law.acts_at(ahead)) continue;
        Touch& touch = found.emplace_back();
        touch.particle[0] = static_cast<std::uint32_t>(i);
        touch.weight[0] = 1;
        touch.count = 1;
        touch.normal = place.normal;
        touch.gap = gap;
        touch.reach = settings_.law.distance;
        touch.push = settings_.law.line(gap);
        // Of the surface at this height, which is parallel to the body's.
        const auto here = [&](double curvature) {
          return curvature / (1 + curvature * (place.height - place.level));
        };
        const mat3 least = square(place.least);
        touch.turning = here(place.curvature) * (mat3(1.0) - square(place.normal) - least) +
                        here(place.least_curvature) * least;
        touch.friction = surface.friction;
        touch.velocity = velocity;
        touch.surface = surface.number;
      }
    }
  });
  for (const std::vector<Touch>& found : by_chunk_)
    touches_.insert(touches_.end(), found.begin(), found.end());
}

void ContactForce::find_features(WorkerPool& pool, std::span<const vec3> x) const {
  for (const auto& [pair, apart, reach] : near_.find(pool, x, settings_.law.distance, found_at_begin_)) {
    if (!(apart.distance > 0)) continue;  // crossed, without a direction
    const bool passed = !settings_.law.barrier && start_.size() == x.size() && apart.is_within(pair.kind) &&
                        side(pair.kind, pair.of(x)) * side(pair.kind, pair.of(start_)) < 0;
    const double sign = passed ? -1 : 1;
    Touch& touch = touches_.emplace_back();
    touch.normal = sign / apart.distance * apart.apart;
    touch.gap = sign * apart.distance;
    touch.reach = reach;
    touch.friction = settings_.friction_with_itself;
    touch.surface = kClothItself;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t particle = pair.particle[k];
      if (near_.is_cloth(particle)) {
        const auto at = static_cast<std::size_t>(touch.count++);
        touch.particle[at] = particle;
        touch.weight[at] = apart.weight[k];
        continue;
      }
      const ContactSettings::Surface& surface = settings_.surfaces[near_.body_of(particle)];
      touch.velocity -= apart.weight[k] * surface.motion.at(near_.position_of(particle));
      touch.friction = surface.friction;
      touch.surface = surface.number;
    }
    touch.push = law_of(touch).push(touch.gap);
  }
}

ContactElements ContactForce::elements(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                       double h, double left) const {
  find(pool, x, {.factor = h, .u = v, .near = true, .left = left});
  elements_.clear();
  for (const Touch& touch : touches_)
    elements_.push_back({touch.particle, touch.weight, touch.count, touch.normal, touch.push, touch.friction,
                         touch.velocity});
  return {elements_, settings_.law.stiffness, settings_.damping, settings_.friction.speed};
}

bool ContactForce::is_pressed_shut() const {
  if (!bars_ways() || (found_at_begin_ && before_ != bodies_)) return false;
  return std::ranges::any_of(touches_,
                             [](const Touch& touch) { return touch.gap < FreeWay::kLeast * touch.reach; });
}

ContactPair ContactForce::pair(const Touch& touch, std::span<const vec3> v) const {
  const vec3 u = touch.speed(v), along = u - glm::dot(touch.normal, u) * touch.normal;
  const double slip = glm::length(along);
  return {.particle = touch.foremost(),
          .surface = touch.surface,
          .sticks = touch.friction > 0 && slip < settings_.friction.speed,
          .gap = touch.gap,
          .slip = slip,
          .push = touch.push * touch.normal,
          .friction = -load_of(touch) * settings_.friction.secant(slip) * along};
}

double ContactForce::energy(WorkerPool& pool, std::span<const vec3> x) const {
  double sum = 0;
  for (const Touch& touch : touches(pool, x)) sum += law_of(touch).energy(touch.gap);
  return sum;
}

void ContactForce::add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                                ForceMeasures& measures) const {
  measures.energies.contact += energy(pool, x);
}

void ContactForce::add_pushes(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> f) const {
  for (const Touch& touch : touches(pool, x)) touch.spread(touch.push * touch.normal, f);
}

vec3 ContactForce::drag(const Slide& slide, const vec3& u) const {
  const vec3& n = slide.touch.normal;
  const double away = glm::dot(n, u);
  const vec3 along = u - away * n;
  return -settings_.damping * away * n - slide.load * settings_.friction.secant(glm::length(along)) * along;
}

mat3 ContactForce::drag_slope(const Slide& slide, const vec3& u, JacobianMode mode) const {
  const mat3 normal = square(slide.touch.normal), across = mat3(1.0) - normal;
  const vec3 along = across * u;
  const double speed = glm::length(along), secant = settings_.friction.secant(speed);
  const mat3 lagged = -settings_.damping * normal - slide.load * secant * across;
  if (mode == JacobianMode::clamped || !(speed > 0)) return lagged;
  return lagged + slide.load * (secant - settings_.friction.slope(speed)) * square(along / speed);
}

double ContactForce::beyond_trapezoid(std::span<const vec3> v0, std::span<const vec3> v1) const {
  double sum = 0;
  for (const Slide& slide : slides_) {
    const auto across = [&](std::span<const vec3> v) {
      const vec3 u = slide.touch.speed(v);
      return u - glm::dot(slide.touch.normal, u) * slide.touch.normal;
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
  for (const Slide& slide : slides_) slide.touch.spread(drag(slide, slide.touch.speed(v)), f);
}

void ContactForce::add_part_at(WorkerPool& pool, double /*t*/, SpringForces /*part*/, std::span<const vec3> x,
                               std::span<const vec3> v, std::span<vec3> f) const {
  add_pushes(pool, x, f);
  for (const Touch& touch : touches_) touch.spread(drag({touch, load_of(touch)}, touch.speed(v)), f);
}

void ContactForce::add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const {
  if (stage.springs == SpringForces::rest) return;
  const std::span<vec3> impulse = to.add_to(ImpulseKind::friction, stage.x.size());
  for (const Slide& slide : slides_) {
    const vec3 u = slide.touch.speed(stage.v), change = slide.touch.speed(stage.v_end) - u;
    slide.touch.spread(stage.weight * (drag(slide, u) + drag_slope(slide, u, stage.mode) * change), impulse);
  }
}

mat3 ContactForce::block(const Touch& touch, JacobianMode mode) const {
  const mat3 along = law_of(touch).slope(touch.gap) * square(touch.normal);
  return mode == JacobianMode::clamped ? along : along - std::max(touch.push, 0.0) * touch.turning;
}

void ContactForce::add_blocks(std::span<const vec3> v, const SystemCoefficients& c, JacobianMode mode,
                              SpringMatrix& a) const {
  stencils_.clear();
  const auto add = [&](const Touch& touch, const mat3& C) {
    stencils_.push_back({touch.particle, touch.weight, touch.count, C});
  };
  for (const Touch& touch : touches_) add(touch, c.stiffness * block(touch, mode));
  if (c.damping != 0)
    for (const Slide& slide : slides_)
      add(slide.touch, -c.damping * drag_slope(slide, slide.touch.speed(v), mode));
  a.add_stencils(stencils_);
}

void ContactForce::add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                 const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  touches(pool, x);
  add_blocks(v, c, mode, a);
}

ContactForce::Quotients ContactForce::quotients(JacobianMode mode, std::span<const vec3> v,
                                                std::span<const vec3> u) const {
  Quotients sum;
  for (const Touch& touch : touches_) {
    const vec3 way = touch.blend(u);
    sum.stiffness += glm::dot(way, block(touch, mode) * way);
  }
  for (const Slide& slide : slides_) {
    const vec3 way = slide.touch.blend(u);
    sum.damping -= glm::dot(way, drag_slope(slide, slide.touch.speed(v), JacobianMode::exact) * way);
  }
  return sum;
}

void ContactForce::linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                             double factor, std::span<const vec3> u, const SystemCoefficients& c,
                             JacobianMode mode, std::span<vec3> f, SpringMatrix& a) const {
  if (!has_met_) {
    find(pool, x, settings_.law.barrier ? Lead{} : Lead{factor, u, f, c.stiffness});
  } else {
    std::swap(touches_, met_);
    has_met_ = false;
    if (!near_.empty()) find_features(pool, x);
  }
  for (const Touch& touch : touches_) {
    const mat3 stiffness = block(touch, mode);
    vec3 force = touch.push * touch.normal - factor * (stiffness * touch.blend(u));
    if (found_at_begin_) force += ahead_ * (stiffness * touch.velocity);  // surfaces go on as well
    touch.spread(force, f);
  }
  for (const Slide& slide : slides_) slide.touch.spread(drag(slide, slide.touch.speed(v)), f);
  add_blocks(v, c, mode, a);
}

bool ContactForce::met_otherwise(WorkerPool& pool, std::span<const vec3> x, double a, std::span<const vec3> u,
                                 double b, std::span<const vec3> w) const {
  if (settings_.law.barrier || settings_.surfaces.empty()) return false;
  led_.resize(x.size());
  pool.for_chunks(x.size(), kContactGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) led_[i] = a * u[i] + b * w[i];
  });
  const auto is_feature = [](const Touch& touch) { return touch.surface == kClothItself; };
  touches_.erase(std::ranges::find_if(touches_, is_feature), touches_.end());
  std::swap(touches_, foreseen_);
  touches_.clear();
  find_on_surfaces(pool, x, {1, led_});
  const double far = kUnforeseen * settings_.law.distance;
  const auto depth = [&](const Touch& touch) {
    return settings_.law.distance - touch.gap - glm::dot(touch.normal, touch.blend(led_));
  };
  const auto key = [](const Touch& touch) { return std::pair(touch.particle[0], touch.surface); };
  bool otherwise = false;
  met_.clear();
  auto old = foreseen_.begin();
  const auto pass = [&] {  // what only the last `linearize` had
    if (!looks_again_)
      met_.push_back(*old);
    else if (-depth(*old) > far)
      otherwise = true;
    ++old;
  };
  for (const Touch& touch : touches_) {
    while (old != foreseen_.end() && key(*old) < key(touch)) pass();
    if (old != foreseen_.end() && key(*old) == key(touch))
      ++old;
    else if (depth(touch) > far)
      otherwise = true;
    met_.push_back(touch);
  }
  while (old != foreseen_.end()) pass();
  looks_again_ = true;
  has_met_ = otherwise;
  return otherwise;
}

}  // namespace clothlab
