// SPDX-License-Identifier: MIT
#include "sim/step_picture.h"

#include <cmath>

#include "sim/simulation.h"

namespace clothlab {
namespace {

constexpr int kIntervals = 16;

/// Hermite's cubic curve from a, with slope da over the whole interval, to b.
struct Curve {
  double of_a, of_b, of_da, of_db;

  static Curve at(double s) {
    const double r = 1 - s;
    return {r * r * (1 + 2 * s), s * s * (3 - 2 * s), s * r * r, -s * s * r};
  }
  static Curve slope_at(double s) {
    return {-6 * s * (1 - s), 6 * s * (1 - s), (1 - s) * (1 - 3 * s), s * (3 * s - 2)};
  }
  vec3 of(const vec3& a, const vec3& b, const vec3& da, const vec3& db) const {
    return of_a * a + of_b * b + of_da * da + of_db * db;
  }
};

/// Adds what the method used, and what that does not explain.
void add_impulses(const Simulation& simulation, const Simulation::LastSubstep& last, StepPicture& picture) {
  const std::uint32_t i = picture.particle;
  picture.used = last.ledger.used(i);
  picture.constraints = last.ledger.contact_on(i) + last.ledger.coupling_on(i);
  vec3 impulse =
      simulation.system().masses()[i] * (simulation.state().v[i] - last.start.v[i]) - picture.constraints;
  double weight = last.h;
  for (const UsedForce& use : picture.used) {
    impulse -= use.weight * use.force;
    weight -= use.weight;
  }
  constexpr double kRounding = 1e-9;
  if (std::abs(weight) > kRounding * std::abs(last.h))
    picture.rest = {weight, impulse / weight};
  else
    picture.constraints += impulse;
}

}  // namespace

std::vector<StepPicture> pictures_of_step(WorkerPool& pool, const Simulation& simulation,
                                          std::span<const std::uint32_t> particles) {
  const auto last = simulation.last_substep();
  const State& to = simulation.state();
  const std::size_t n = to.x.size();
  std::vector<StepPicture> pictures;
  for (const std::uint32_t particle : particles)
    if (last && particle < n) pictures.push_back({particle, last->h, {}, {}, {}});
  if (pictures.empty()) return pictures;

  const State& from = last->start;
  State at;
  std::vector<vec3> f(n);
  at.x.resize(n);
  at.v.resize(n);
  for (int k = 0; k <= kIntervals; ++k) {
    const double s = static_cast<double>(k) / kIntervals;
    const Curve curve = Curve::at(s), slope = Curve::slope_at(s);
    for (std::size_t j = 0; j < n; ++j) {
      const vec3 da = last->h * from.v[j], db = last->h * to.v[j];
      at.x[j] = curve.of(from.x[j], to.x[j], da, db);
      at.v[j] = slope.of(from.x[j], to.x[j], da, db) / last->h;
    }
    simulation.system().force_at(
        pool, from.t + s * last->h, at.x, at.v, f,
        simulation.integrator().inextensible ? SpringForces::inextensible : SpringForces::all);
    for (StepPicture& picture : pictures) picture.along.push_back(f[picture.particle]);
  }
  for (StepPicture& picture : pictures) add_impulses(simulation, *last, picture);
  return pictures;
}

}  // namespace clothlab
