// SPDX-License-Identifier: MIT
#include "cloth/wind_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "linalg/small_dense.h"

namespace clothlab {

namespace {

constexpr std::size_t kWindGrain = 1024;

}  // namespace

WindForce::WindForce(const ClothModel& model, const Wind& wind)
    : model_(model),
      air_(model.particles()),
      triangles_(model.by_particle(model.triangles())),
      facets_(model.triangles().size()),
      blocks_(model.particles()) {
  set_wind(wind);
}

void WindForce::set_wind(const Wind& wind) {
  wind_ = wind;
  Wind mean = wind;
  mean.gusts = 0;
  air_.assign(air_.size(), air_velocity(mean, vec3(0.0), 0));
}

void WindForce::update_wind(WorkerPool& pool, std::span<const vec3> x, double t) {
  if (wind_.gusts == 0) return;
  for_each(pool, air_.size(), kWindGrain, [&](std::size_t i) { air_[i] = air_velocity(wind_, x[i], t); });
}

void WindForce::compute_facets(WorkerPool& pool, std::span<const vec3> x) const {
  const auto triangles = model_.triangles();
  for_each(pool, facets_.size(), kWindGrain, [&](std::size_t k) {
    const auto& [a, b, c] = triangles[k];
    const vec3 twice = glm::cross(x[b] - x[a], x[c] - x[a]);
    const double length = glm::length(twice);
    facets_[k] = length > 0 ? Facet{twice / length, length / 2} : Facet{};
  });
}

void WindForce::add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                          std::span<vec3> f) const {
  add_drag(pool, x, v, f, [this](std::size_t i) { return air_[i]; });
}

void WindForce::add_part_at(WorkerPool& pool, double t, SpringForces /*part*/, std::span<const vec3> x,
                            std::span<const vec3> v, std::span<vec3> f) const {
  add_drag(pool, x, v, f, [&](std::size_t i) { return air_velocity(wind_, x[i], t); });
}

void WindForce::add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const {
  const double w = stage.weight;
  const bool linear = stage.v_end.data() != stage.v.data();
  drag_.assign(stage.x.size(), vec3(0.0));
  add_force(pool, stage.x, stage.v, drag_);
  if (linear) compute_blocks(pool, stage.x, stage.v, 1);
  const ImpulseSum impulse = to.add_to_all(ImpulseKind::wind, stage.x.size());
  to.add_given_by_wind(sum_over(pool, stage.x.size(), kWindGrain, [&](std::size_t i) {
    vec3 J = w * drag_[i];
    if (linear) J -= w * (blocks_[i] * (stage.v_end[i] - stage.v[i]));
    impulse.add(i, J);
    return glm::dot(air_[i], J);
  }));
}

void WindForce::add_part_and_impulse(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                                     Impulses& to) const {
  add_impulse(pool, stage, to);  // leaves the force in drag_
  for_each(pool, f.size(), kWindGrain, [&](std::size_t i) { f[i] += drag_[i]; });
}

template <class Air>
void WindForce::add_drag(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                         std::span<vec3> f, const Air& air) const {
  compute_facets(pool, x);
  const double factor = wind_.density / 2 * wind_.drag_coefficient / 3;
  for_each(pool, f.size(), kWindGrain, [&](std::size_t i) {
    const vec3 u = air(i) - v[i];
    vec3 sum(0.0);
    for (const std::uint32_t t : triangles_[i]) {
      const auto& [n, area] = facets_[t];
      const double u_n = glm::dot(u, n);
      sum += area * std::abs(u_n) * u_n * n;
    }
    f[i] += factor * sum;
  });
}

void WindForce::compute_blocks(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                               double damping) const {
  const double factor = damping * wind_.density * wind_.drag_coefficient / 3;
  compute_facets(pool, x);
  for_each(pool, blocks_.size(), kWindGrain, [&](std::size_t i) {
    const vec3 u = air_[i] - v[i];
    mat3 sum(0.0);
    for (const std::uint32_t t : triangles_[i]) {
      const auto& [n, area] = facets_[t];
      sum += glm::outerProduct(area * std::abs(glm::dot(u, n)) * n, n);
    }
    blocks_[i] = factor * sum;
  });
}

double WindForce::largest_rate(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                               std::span<const double> masses, const Projection& fixed) const {
  compute_blocks(pool, x, v, 1);
  SymmetricEigen eigen;
  eigen.reserve(3);
  double largest = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (fixed.is_fixed(i)) continue;
    const mat3& block = blocks_[i];
    eigen.compute(3, std::array{block[0][0], block[0][1], block[0][2], block[1][0], block[1][1], block[1][2],
                                block[2][0], block[2][1], block[2][2]});
    largest = std::max(largest, eigen.values()[2] / masses[i]);
  }
  return largest;
}

void WindForce::add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const {
  if (at.c.damping * wind_.density * wind_.drag_coefficient == 0) return;
  compute_blocks(pool, at.x, at.v, at.c.damping);
  stencils_.clear();
  for (std::uint32_t i = 0; i < blocks_.size(); ++i)
    stencils_.push_back(SpringMatrix::Stencil{{i}, {1}, 1, blocks_[i]});
  a.add_stencils(stencils_);
}

}  // namespace clothlab
