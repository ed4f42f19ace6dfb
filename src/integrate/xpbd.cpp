#include "integrate/xpbd.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "integrate/prescribe.h"

namespace clothlab {

StepReport Xpbd::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&before_, &force_}) scratch->resize(n);
  if (!colouring_.take(system, context.stop) || !take_constraints(system, h / substeps_, context)) {
    report.stopped = true;
    return report;
  }

  x_ = state.x;
  v_ = state.v;
  for (int k = 0; k < substeps_; ++k) {
    if (!substep(system, state.x, h, context)) {
      report.stopped = true;
      return report;
    }
  }
  finish_step(system.projection(), h, x_, v_, state);
  return report;
}

bool Xpbd::take_constraints(const DynamicSystem& system, double h_s, const StepContext& context) {
  if (stop_requested(context.stop)) return false;
  const ElasticElements springs = system.elements();
  const std::span<const std::uint32_t> order = colouring_.order();
  constraints_.resize(springs.size());
  lambda_.resize(springs.size());
  if (stop_requested(context.stop)) return false;
  context.pool.for_chunks(order.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const ElasticElement e = springs[order[c]];
      constraints_[c] = {e.i, e.j, e.rest_length, h_s * h_s * e.stiffness, h_s * e.damping};
    }
  });

  const double inertia = 1 + h_s * system.mass_damping();
  inverse_mass_.resize(system.size());
  std::ranges::transform(system.masses(), inverse_mass_.begin(), [=](double m) { return 1 / (inertia * m); });
  sliding_ = false;
  for (const Projection::Entry& e : system.projection().entries()) {
    if (e.S == mat3(0.0)) {
      inverse_mass_[e.particle] = 0;
    } else {
      sliding_ = true;
    }
  }
  return !stop_requested(context.stop);
}

bool Xpbd::substep(const DynamicSystem& system, std::span<const vec3> x0, double h,
                   const StepContext& context) {
  const Projection& projection = system.projection();
  const std::span<const double> m = system.masses();
  const double h_s = h / substeps_;

  system.force(x_, v_, force_, SpringForces::rest);
  const double inertia = 1 + h_s * system.mass_damping();
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (v_[i] + h_s / m[i] * force_[i]) / inertia;
  prescribe_velocity(projection, x0, h, v_);
  before_.swap(x_);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = before_[i] + h_s * v_[i];

  std::ranges::fill(lambda_, 0.0);
  lambda_of_drag_ = vec3(0.0);
  for (int k = 0; k < iterations_; ++k) {
    if (!sweep_springs(projection, context)) return false;
    if (system.drag()) pull(*system.drag(), projection, h_s);
  }
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (x_[i] - before_[i]) / h_s;
  return true;
}

bool Xpbd::sweep_springs(const Projection& projection, const StepContext& context) {
  return colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
      const auto& [i, j, rest_length, stiffness, damping] = constraints_[c];
      if (stiffness == 0) continue;
      const vec3 x_ij = x_[i] - x_[j];
      const double length = glm::length(x_ij);
      if (length == 0) continue;
      const vec3 n = x_ij / length;
      const vec3 w_i = response(projection, i, n), w_j = response(projection, j, n);
      const double w = glm::dot(w_i, n) + glm::dot(w_j, n);
      const double way = glm::dot(n, x_ij - (before_[i] - before_[j]));  // ∇C·(x − x_n)
      // Numerator and denominator times k h_s², so that a tiny k is no division by it.
      const double change = (-stiffness * (length - rest_length) - lambda_[c] - damping * way) /
                            ((stiffness + damping) * w + 1);
      lambda_[c] += change;
      x_[i] += change * w_i;
      x_[j] -= change * w_j;
    }
  });
}

// The hand's force is −(k_s(d) d + c_s(ḋ) ḋ) with secants k_s and c_s that fall as d and ḋ grow. Solving for
// it with the secants of the sweep before minimises a quadratic above its potential: it descends, and never
// overshoots as the tangents would, which vanish where the force saturates.
void Xpbd::pull(const Drag& drag, const Projection& projection, double h_s) {
  const vec3 d = drag.blend(x_) - drag.cursor;
  const vec3 way = drag.blend(x_) - drag.blend(before_);
  const double stiffness = h_s * h_s * drag.secant_stiffness(d);
  const double damping = h_s * drag.secant_damping(way / h_s);
  double w = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double weight = drag.weights[static_cast<int>(c)];
    w += weight * weight * inverse_mass_[drag.particles[c]];
  }
  const vec3 change = (-stiffness * d - damping * way - lambda_of_drag_) / ((stiffness + damping) * w + 1);
  lambda_of_drag_ += change;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint32_t i = drag.particles[c];
    x_[i] += response(projection, i, drag.weights[static_cast<int>(c)] * change);
  }
}

vec3 Xpbd::response(const Projection& projection, std::uint32_t particle, const vec3& g) const {
  const double w = inverse_mass_[particle];
  const Projection::Entry* held = sliding_ ? projection.find(particle) : nullptr;
  return w * (held != nullptr ? held->S * g : g);
}

}  // namespace clothlab
