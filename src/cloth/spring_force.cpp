#include "cloth/spring_force.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"

namespace clothlab {

namespace {

constexpr std::size_t kSpringGrain = 2048;
constexpr std::size_t kParticleGrain = 1024;

// Where a spring stands: everything that its force and its blocks depend on.
struct Pose {
  vec3 n;             // unit vector from j to i; 0 for a spring of no length
  double length;      // l [m]
  double ratio;       // L/l = 1 − c; 0 for a spring of no length, so that its block is k I
  double kept_ratio;  // min(1, L/l), the same with c clamped at 0
};

Pose pose_of(const ElasticElement& e, std::span<const vec3> x) {
  const vec3 x_ij = x[e.i] - x[e.j];
  const double length = glm::length(x_ij);
  if (length == 0) return {vec3(0.0), 0, 0, 0};
  const double ratio = e.rest_length / length;
  return {x_ij / length, length, ratio, std::min(1.0, ratio)};
}

}  // namespace

SpringForce::SpringForce(const ClothModel& model, const Material& material, WorkerPool& pool,
                         const StopProbe& stop)
    : model_(model), pool_(pool), spring_forces_(model.springs().size()) {
  CancelPoint cancel(stop);
  elements_.reserve(model.springs().size());
  for (const ClothModel::Spring& s : model.springs()) {
    cancel.pass();
    elements_.push_back({s.i, s.j, s.rest_length, 0, 0, elements_.size() < model.stretch_springs()});
  }
  cancel.look();
  set_material(material);
}

void SpringForce::set_material(const Material& material) {
  damping_model_ = material.damping_model;
  spring_damping_ = material.spring_damping;
  rayleigh_stiffness_ = material.rayleigh_stiffness;
  pool_.for_chunks(elements_.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    for (ElasticElement& e : std::span(elements_).subspan(begin, end - begin)) {
      e.stiffness = e.stretch ? material.stretch_stiffness : material.bend_stiffness;
      e.damping = material.spring_damping;
    }
  });
}

double SpringForce::energy_of(std::size_t first, std::size_t last, std::span<const vec3> x) const {
  const std::span<const ElasticElement> range(elements_.data() + first, last - first);
  return pool_.sum(range.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (const ElasticElement& e : range.subspan(begin, end - begin)) {
      const double elongation = glm::length(x[e.i] - x[e.j]) - e.rest_length;
      sum += e.stiffness / 2 * elongation * elongation;
    }
    return sum;
  });
}

double SpringForce::stretch_energy(std::span<const vec3> x) const {
  return energy_of(0, model_.stretch_springs(), x);
}

double SpringForce::bend_energy(std::span<const vec3> x) const {
  return energy_of(model_.stretch_springs(), elements_.size(), x);
}

double SpringForce::energy(std::span<const vec3> x) const { return stretch_energy(x) + bend_energy(x); }

void SpringForce::add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                            SpringForces springs) const {
  if (springs == SpringForces::none) return;
  const double k_d = spring_damping_;
  const double alpha = rayleigh_stiffness_;
  const bool projected = damping_model_ == DampingModel::projected;

  // The force of every spring once, then every particle gathers its springs in their fixed order: no
  // two threads write to one place, and no sum depends on their number.
  pool_.for_chunks(elements_.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const ElasticElement& e = elements_[s];
      const Pose p = pose_of(e, x);
      const bool elastic = springs == SpringForces::all || !e.stretch;
      vec3 force = elastic ? -e.stiffness * (p.length - e.rest_length) * p.n : vec3(0.0);
      if (damped()) {
        const vec3 v_ij = v[e.i] - v[e.j];
        const double along = (projected ? k_d : 0.0) + alpha * e.stiffness * p.kept_ratio;
        const double all = (projected ? 0.0 : k_d) + alpha * e.stiffness * (1 - p.kept_ratio);
        force -= along * glm::dot(v_ij, p.n) * p.n + all * v_ij;
      }
      spring_forces_[s] = force;
    }
  });
  pool_.for_chunks(f.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      vec3 sum = f[i];
      for (const ClothModel::Incidence incidence : model_.incident(i)) {
        const vec3& force = spring_forces_[incidence.spring()];
        sum = incidence.at_i() ? sum + force : sum - force;
      }
      f[i] = sum;
    }
  });
}

void SpringForce::add_jacobians(std::span<const vec3> x, std::span<const vec3> /*v*/,
                                const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  const double d_projected = damping_model_ == DampingModel::projected ? c.damping * spring_damping_ : 0.0;
  const double d_isotropic = damping_model_ == DampingModel::isotropic ? c.damping * spring_damping_ : 0.0;
  const double d_rayleigh = c.damping * rayleigh_stiffness_;
  const double compression = mode == JacobianMode::exact ? c.compression : 0.0;
  pool_.for_chunks(elements_.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const ElasticElement& e = elements_[s];
      const Pose p = pose_of(e, x);
      // B = k [(1 − c) n nᵀ + c I], and the matrix keeps the root of the first factor.
      const double ratio = compression == 1 ? p.ratio : p.kept_ratio + compression * (p.ratio - p.kept_ratio);
      const double kept = d_rayleigh * e.stiffness * p.kept_ratio;
      const double k = c.stiffness * e.stiffness;
      SpringMatrix::Spring& spring = a.spring(s);
      spring.u = std::sqrt(k * ratio + d_projected + kept) * p.n;
      spring.b = k * (1 - ratio) + d_isotropic + d_rayleigh * e.stiffness * (1 - p.kept_ratio);
    }
  });
}

bool SpringForce::has_dissipation_potential() const {
  return rayleigh_stiffness_ == 0 && (spring_damping_ == 0 || damping_model_ == DampingModel::isotropic);
}

double SpringForce::dissipation_potential(std::span<const vec3> v) const {
  if (spring_damping_ == 0) return 0;
  return pool_.sum(elements_.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t s = begin; s < end; ++s) {
      const vec3 v_ij = v[elements_[s].i] - v[elements_[s].j];
      sum += spring_damping_ / 2 * glm::dot(v_ij, v_ij);
    }
    return sum;
  });
}

}  // namespace clothlab
