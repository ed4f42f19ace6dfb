// SPDX-License-Identifier: MIT
#include "cloth/contact_force.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace clothlab {
namespace {

constexpr std::size_t kContactGrain = 1024;

mat3 square(const vec3& n) { return glm::outerProduct(n, n); }

}  // namespace

void ContactForce::set(const ContactSettings& settings) {
  settings_ = settings;
  slides_.clear();
}

void ContactForce::begin(WorkerPool& pool, std::span<const vec3> x) {
  slides_.clear();
  for (const Touch& touch : touches(pool, x))
    if (const double load = load_of(touch); load > 0) slides_.push_back({touch, load});
}

double ContactForce::load_of(const Touch& touch) const {
  return touch.friction * settings_.law.push(touch.gap);
}

std::span<const ContactForce::Touch> ContactForce::touches(WorkerPool& pool, std::span<const vec3> x) const {
  by_chunk_.resize((x.size() + kContactGrain - 1) / kContactGrain);
  pool.for_chunks(x.size(), kContactGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Touch>& found = by_chunk_[begin / kContactGrain];
    found.clear();
    for (std::size_t i = begin; i < end; ++i)
      for (const ContactSettings::Surface& surface : settings_.surfaces) {
        const SurfacePlace place = place_above(surface.body, x[i]);
        const double gap = place.height - place.level - settings_.thickness;
        if (!settings_.law.acts_at(gap)) continue;
        Touch& touch = found.emplace_back();
        touch.particle[0] = static_cast<std::uint32_t>(i);
        touch.weight[0] = 1;
        touch.count = 1;
        touch.normal = place.normal;
        touch.gap = gap;
        // Of the surface at this height, which is parallel to the body's.
        const double curvature = place.curvature / (1 + place.curvature * (place.height - place.level));
        touch.turning = curvature * (mat3(1.0) - square(place.normal) - square(place.straight));
        touch.friction = surface.friction;
      }
  });
  touches_.clear();
  for (const std::vector<Touch>& found : by_chunk_)
    touches_.insert(touches_.end(), found.begin(), found.end());
  return touches_;
}

double ContactForce::energy(WorkerPool& pool, std::span<const vec3> x) const {
  double sum = 0;
  for (const Touch& touch : touches(pool, x)) sum += settings_.law.energy(touch.gap);
  return sum;
}

void ContactForce::add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                                ForceMeasures& measures) const {
  measures.energies.contact += energy(pool, x);
}

void ContactForce::add_normal_forces(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                     std::span<vec3> f) const {
  for (const Touch& touch : touches(pool, x)) {
    const double push =
        settings_.law.push(touch.gap) - settings_.damping * glm::dot(touch.normal, touch.blend(v));
    touch.spread(push * touch.normal, f);
  }
}

vec3 ContactForce::friction(const Slide& slide, const vec3& u) const {
  const vec3 along = u - glm::dot(slide.touch.normal, u) * slide.touch.normal;
  return -slide.load * settings_.friction.secant(glm::length(along)) * along;
}

mat3 ContactForce::friction_slope(const Slide& slide, const vec3& u) const {
  const vec3& n = slide.touch.normal;
  const vec3 along = u - glm::dot(n, u) * n;
  const double speed = glm::length(along), secant = settings_.friction.secant(speed);
  const mat3 across = mat3(1.0) - square(n);
  if (!(speed > 0)) return -slide.load * secant * across;
  const mat3 direction = square(along / speed);
  return -slide.load * (secant * (across - direction) + settings_.friction.slope(speed) * direction);
}

void ContactForce::add_friction(std::span<const vec3> v, std::span<vec3> f) const {
  for (const Slide& slide : slides_) slide.touch.spread(friction(slide, slide.touch.blend(v)), f);
}

void ContactForce::add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                             std::span<vec3> f) const {
  add_normal_forces(pool, x, v, f);
  add_friction(v, f);
}

void ContactForce::add_part_at(WorkerPool& pool, double /*t*/, SpringForces /*part*/, std::span<const vec3> x,
                               std::span<const vec3> v, std::span<vec3> f) const {
  add_normal_forces(pool, x, v, f);
  for (const Touch& touch : touches_) {
    const Slide slide{touch, load_of(touch)};
    touch.spread(friction(slide, touch.blend(v)), f);
  }
}

void ContactForce::add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const {
  const std::span<vec3> impulse = to.add_to(ImpulseKind::friction, stage.x.size());
  if (settings_.damping > 0)
    for (const Touch& touch : touches(pool, stage.x)) {
      const double brake = settings_.damping * glm::dot(touch.normal, touch.blend(stage.v_end));
      touch.spread(-stage.weight * brake * touch.normal, impulse);
    }
  for (const Slide& slide : slides_) {
    const vec3 u = slide.touch.blend(stage.v), change = slide.touch.blend(stage.v_end) - u;
    slide.touch.spread(stage.weight * (friction(slide, u) + friction_slope(slide, u) * change), impulse);
  }
}

mat3 ContactForce::block(const Touch& touch, JacobianMode mode) const {
  const mat3 along = settings_.law.stiffness_at(touch.gap) * square(touch.normal);
  if (mode == JacobianMode::clamped) return along;
  return along - settings_.law.push(touch.gap) * touch.turning;
}

void ContactForce::add_blocks(std::span<const vec3> v, const SystemCoefficients& c, JacobianMode mode,
                              SpringMatrix& a) const {
  stencils_.clear();
  const auto add = [&](const Touch& touch, const mat3& C) {
    stencils_.push_back({touch.particle, touch.weight, touch.count, C});
  };
  for (const Touch& touch : touches_)
    add(touch, c.stiffness * block(touch, mode) + c.damping * settings_.damping * square(touch.normal));
  if (c.damping != 0)
    for (const Slide& slide : slides_)
      add(slide.touch, -c.damping * friction_slope(slide, slide.touch.blend(v)));
  a.add_stencils(stencils_);
}

void ContactForce::add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                 const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  touches(pool, x);
  add_blocks(v, c, mode, a);
}

void ContactForce::linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                             double factor, std::span<const vec3> u, const SystemCoefficients& c,
                             JacobianMode mode, std::span<vec3> f, SpringMatrix& a) const {
  add_force(pool, x, v, f);
  for (const Touch& touch : touches_) touch.spread(-factor * (block(touch, mode) * touch.blend(u)), f);
  add_blocks(v, c, mode, a);
}

}  // namespace clothlab
