// SPDX-License-Identifier: MIT
#include "integrate/force_by_force_step.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <optional>

#include "dynamics/smooth_friction.h"
#include "integrate/step_ends.h"
#include "linalg/vector_basis.h"

namespace clothlab {

namespace {

// The part of a along d; 0 without a direction.
vec3 along_spring(const vec3& a, const vec3& d) {
  const double square = glm::dot(d, d);
  return square > 0 ? glm::dot(a, d) / square * d : vec3(0);
}

}  // namespace

bool ForceByForceStep::update(const DynamicSystem& system, double h, const StepContext& context) {
  const std::size_t n = system.size();
  for (auto* scratch : {&push_, &dx_, &x_, &residual_}) scratch->resize(n);
  colouring_.update(system, context.stop);
  context.poll();
  const ElasticElements springs = system.elements();
  const double factor = 1 + h * system.mass_damping();
  bool changed = replace(limit_, springs.coefficients.limit);
  changed |= inertia_.size() != n || locals_.size() != springs.size();
  stretch_count_ = springs.stretch_count;
  inertia_.resize(n);
  for (std::size_t i = 0; i < n; ++i) changed |= replace(inertia_[i], factor * system.masses()[i]);
  locals_.resize(springs.size());
  changed |= sum_over(context.pool, springs.size(), 2048, [&](std::size_t k) {
               return replace(locals_[k], SpringInStep(springs[colouring_.order()[k]], h)) ? 1 : 0;
             }) > 0;
  context.poll();
  if (!changed) return false;
  row_sum_ = inertia_;
  for (std::size_t k = 0; k < locals_.size(); ++k) {
    const SpringInStep& e = locals_[k];
    const double sum = largest_stiffness(k) + e.damping + std::abs(e.bending);
    row_sum_[e.i] += sum;
    row_sum_[e.j] += sum;
  }
  context.poll();
  return true;
}

double ForceByForceStep::begin(const DynamicSystem& system, const State& state, double h,
                               const StepContext& context) {
  const std::size_t n = system.size();
  // The scale of the residual, then h (M v0 + h f) with the forces other than springs.
  const std::span<const double> m = system.masses();
  take_forces(context, system, 0, state.x, prescribed_velocity(system.projection(), state.x, h, state.v, v_),
              push_);
  context.poll();
  system.projection().filter(push_);
  const double scale = h * h * norm(context.pool, push_);  // of the residual
  system.force(context.pool, state.x, state.v, push_, SpringForces::rest);
  v_.resize(n);
  for (std::size_t i = 0; i < n; ++i) v_[i] = state.v[i] + h / m[i] * push_[i];
  const StepContact* contact = system.contact();
  contacts_ = contact != nullptr ? contact->elements(context.pool, state.x, v_, h, 0) : ContactElements{};
  // On constrained particles, report_impulses includes these.
  if (context.ledger != nullptr)
    system.add_impulses(
        context.pool,
        {.weight = h, .x = state.x, .v = state.v, .v_end = state.v, .springs = SpringForces::rest},
        context.ledger->impulses());
  for (std::size_t i = 0; i < n; ++i) push_[i] = h * (m[i] * state.v[i] + h * push_[i]);

  // The guess x0 + h v0 is the solution of a cloth at rest or in free flight.
  v_ = state.v;
  prescribe_velocity(system.projection(), state.x, h, v_);
  for (std::size_t i = 0; i < n; ++i) dx_[i] = h * v_[i];

  touching_.begin(context.contacts);
  begin_contacts(context, h, h, state.x, state.x);
  return scale;
}

void ForceByForceStep::evaluate(const DynamicSystem& system, std::span<const vec3> x0, double h,
                                const StepContext& context) {
  for (std::size_t i = 0; i < dx_.size(); ++i) {
    x_[i] = x0[i] + dx_[i];
    residual_[i] = push_[i] - inertia_[i] * dx_[i];
  }
  const auto damped = [&](const vec3& moved, const vec3& d) {
    return damps_along_springs_ ? along_spring(moved, d) : moved;
  };
  colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const SpringInStep& e = locals_[k];
      const vec3 d = x_[e.i] - x_[e.j];
      const double length = glm::length(d);
      const auto [factor, L] = limit(k).at(e.rest_length, length);
      const double ratio = length > 0 ? L / length : 0.0;  // p = ratio · d, 0 without a direction
      const vec3 pull =
          (factor * e.stiffness * (1 - ratio) + e.bending) * d + e.damping * damped(dx_[e.i] - dx_[e.j], d);
      residual_[e.i] -= pull;
      residual_[e.j] += pull;
    }
  });
  if (const auto& grab = system.grab()) {
    const vec3 d = grab->blend(x_) - grab->cursor, moved = grab->blend(dx_);
    const vec3 pull = h * (h * grab->secant_stiffness(d) * d + grab->secant_damping(moved / h) * moved);
    for (std::size_t c = 0; c < 3; ++c)
      residual_[grab->particles[c]] -= grab->weights[static_cast<int>(c)] * pull;
  }
  for (const ContactElement& contact : contacts_.all) {
    const Pressed pressed = press(contact, h);
    contact.spread(pressed.push + pressed.lost, residual_);
  }
  if (context.ledger != nullptr) std::ranges::copy(residual_, context.ledger->scratch(x_.size()).begin());
  system.projection().filter(residual_);
}

ForceByForceStep::Pressed ForceByForceStep::press(const ContactElement& contact, double h) const {
  const vec3& n = contact.normal;
  const vec3 moved = contact.blend(dx_), past = moved - h * contact.velocity;
  const double along = glm::dot(n, moved), away = glm::dot(n, past);
  const vec3 slip = past - away * n;
  const double load = std::max(contact.push, 0.0), damping = load > 0 ? h * contacts_.damping : 0;
  const double grip =
      h * contact.friction * load * SmoothFriction{contacts_.friction_speed}.secant(glm::length(slip) / h);
  const mat3 normal = glm::outerProduct(n, n);
  return {std::max(h * h * (contact.push - contacts_.stiffness * along), 0.0) * n,
          -damping * away * n - grip * slip, damping * normal + grip * (mat3(1.0) - normal)};
}

double ForceByForceStep::size_of_residual(double h, const StepContext& context) {
  if (touching_.empty()) return norm(context.pool, residual_);
  impulse_.resize(residual_.size());
  context.for_particles(residual_.size(), [&](std::size_t i) {
    v_[i] = dx_[i] / h;
    impulse_[i] = -residual_[i] / h;
  });
  return h * touching_.nodal_residual(v_, impulse_);
}

void ForceByForceStep::end(const DynamicSystem& system, State& state, double h, double residual, double scale,
                           std::string_view not_converged, const StepContext& context, StepReport& report) {
  report.newton_residual = scale > 0 ? residual / scale : 0;
  if (report.reason.empty() && !is_small(residual, context.solver.newton_tolerance * scale, h))
    report.reason = not_converged;
  report.converged = report.reason.empty();
  report_impulses(system, state, h, context);

  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] = state.x[i] + dx_[i];
    v_[i] = dx_[i] / h;
  }
  finish_step(system, context, h, x_, v_, state);
}

void ForceByForceStep::report_impulses(const DynamicSystem& system, const State& state, double h,
                                       const StepContext& context) {
  if (context.ledger == nullptr) return;
  const std::size_t n = x_.size();
  const std::span<vec3> r = context.ledger->scratch(n, 0), dv = context.ledger->scratch(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    r[i] = -r[i] / h;
    dv[i] = dx_[i] / h - state.v[i];
  }
  context.for_impulses_on_particles([&](std::uint32_t i, const vec3& impulse) { r[i] -= impulse; });
  report_solution(context, system, 1, r, dv);
  report_contacts(context, n);
  Impulses& impulses = context.ledger->impulses();
  const std::span<vec3> damping = impulses.add_to(ImpulseKind::damping, n);
  for (std::size_t i = 0; i < n; ++i) damping[i] -= system.mass_damping() * system.masses()[i] * dx_[i];
  for (const SpringInStep& e : locals_) {
    const vec3 moved = dx_[e.i] - dx_[e.j];
    const vec3 impulse =
        -e.damping / h * (damps_along_springs_ ? along_spring(moved, x_[e.i] - x_[e.j]) : moved);
    damping[e.i] += impulse;
    damping[e.j] -= impulse;
  }
  if (!contacts_.all.empty()) {
    const std::span<vec3> lost = impulses.add_to(ImpulseKind::friction, n);
    for (const ContactElement& contact : contacts_.all) contact.spread(press(contact, h).lost / h, lost);
  }
  if (const auto& grab = system.grab()) {
    const vec3 moved = grab->blend(dx_);
    const std::span<vec3> hand = impulses.add_to(ImpulseKind::hand, n);
    for (std::size_t c = 0; c < 3; ++c)
      hand[grab->particles[c]] -=
          grab->weights[static_cast<int>(c)] * grab->secant_damping(moved / h) * moved;
  }
}

bool ForceByForceStep::is_small(double residual, double target, double h) const {
  return residual <= target || residual <= rounding_noise(h);
}

double ForceByForceStep::rounding_noise(double h) const {
  double squared = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) squared += row_sum_[i] * row_sum_[i] * glm::dot(x_[i], x_[i]);
  for (const ContactElement& contact : contacts_.all) {
    const double pull = h * h * contacts_.stiffness * glm::dot(contact.normal, contact.blend(x_));
    squared += pull * pull;
  }
  return std::numeric_limits<double>::epsilon() * std::sqrt(squared);
}

}  // namespace clothlab
