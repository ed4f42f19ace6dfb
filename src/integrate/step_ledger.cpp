// SPDX-License-Identifier: MIT
#include "integrate/step_ledger.h"

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>
#include <utility>

#include "integrate/integrator.h"

namespace clothlab {

namespace {

constexpr std::size_t kLedgerGrain = 1024;

struct WorkOf {
  ImpulseKind kind;
  double StepWork::*work;
};
constexpr std::array kWorks{
    WorkOf{ImpulseKind::damping, &StepWork::damping}, WorkOf{ImpulseKind::wind, &StepWork::wind},
    WorkOf{ImpulseKind::hand, &StepWork::hand},       WorkOf{ImpulseKind::friction, &StepWork::friction},
    WorkOf{ImpulseKind::residual, &StepWork::solver},
};

void add_to_held(Impulses& impulses, const DynamicSystem& system, double weight, std::span<const vec3> f) {
  const std::span<const Projection::Entry> entries = system.projection().entries();
  if (entries.empty()) return;
  const std::span<vec3> of_held = impulses.add_to(ImpulseKind::held, entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) of_held[k] += weight * f[entries[k].particle];
}

}  // namespace

void StepLedger::begin() {
  impulses_.clear();
  work_ = {};
  held_work_.clear();
}

std::span<vec3> StepLedger::scratch(std::size_t n, std::size_t which) {
  scratch_[which].resize(n);
  return scratch_[which];
}

void StepLedger::end_substep(const DynamicSystem& system, WorkerPool& pool, std::span<const vec3> v0,
                             std::span<const vec3> v1) {
  const std::span<const Projection::Entry> entries = system.projection().entries();
  const std::span<const double> m = system.masses();
  const auto mean = [&](std::size_t i) { return 0.5 * (v0[i] + v1[i]); };
  const auto work = [&](const auto& impulse) {
    return pool.sum(v1.size(), kLedgerGrain, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += glm::dot(mean(i), impulse(i));
      return sum;
    });
  };
  // Impulses of these kinds act on free directions alone.
  for (const ImpulseKind kind : {ImpulseKind::residual, ImpulseKind::all})
    if (!impulses_.of(kind).empty()) system.projection().filter(impulses_.add_to(kind, v1.size()));

  for (const auto& [kind, field] : kWorks) {
    const std::span<const vec3> J = impulses_.of(kind);
    if (J.empty()) continue;
    double sum = work([&](std::size_t i) { return J[i]; });
    for (const Projection::Entry& e : entries) {
      const vec3 difference = v1[e.particle] - mean(e.particle);
      sum += glm::dot(difference - e.S * difference, J[e.particle]);
    }
    work_.*field += sum;
  }
  if (const std::span<const vec3> J = impulses_.of(ImpulseKind::all); !J.empty()) {
    double sum = work([&](std::size_t i) { return m[i] * (v1[i] - v0[i]) - J[i]; });
    for (const Projection::Entry& e : entries) {
      const vec3 gain = m[e.particle] * (v1[e.particle] - v0[e.particle]);
      sum -= glm::dot(mean(e.particle), gain - e.S * gain);
    }
    work_.rods += sum;
  }
  const std::span<const vec3> J = impulses_.of(ImpulseKind::held);
  held_work_.resize(entries.size(), 0.0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [i, S, target] = entries[k];
    const vec3 gain = m[i] * (v1[i] - v0[i]), force = J.empty() ? vec3(0.0) : J[k];
    held_work_[k] += glm::dot(mean(i), gain - S * gain) - glm::dot(v1[i], force - S * force);
  }
}

void take_forces(const StepContext& context, const DynamicSystem& system, double weight,
                 std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f, SpringForces springs) {
  if (context.ledger == nullptr || weight == 0) return system.force(context.pool, x, v, f, springs);
  Impulses& impulses = context.ledger->impulses();
  system.force_and_impulses(context.pool, {.weight = weight, .x = x, .v = v, .v_end = v, .springs = springs},
                            f, impulses);
  add_to_held(impulses, system, weight, f);
  if (springs != SpringForces::inextensible) return;
  const std::span<vec3> all = impulses.add_to(ImpulseKind::all, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) all[i] += weight * f[i];
}

void report_forces(const StepContext& context, const DynamicSystem& system, double weight,
                   std::span<const vec3> x, std::span<const vec3> v) {
  if (context.ledger != nullptr)
    take_forces(context, system, weight, x, v, context.ledger->scratch(x.size()));
}

void report_forces_on_held(const StepContext& context, const DynamicSystem& system, double weight,
                           std::span<const vec3> x, std::span<const vec3> v) {
  if (context.ledger == nullptr || system.projection().entries().empty()) return;
  const std::span<vec3> f = context.ledger->scratch(x.size());
  system.force(context.pool, x, v, f);
  add_to_held(context.ledger->impulses(), system, weight, f);
}

void report_linear_forces(const StepContext& context, const DynamicSystem& system, double weight,
                          std::span<const vec3> x, std::span<const vec3> v, std::span<const vec3> v_end) {
  if (context.ledger == nullptr) return;
  system.add_impulses(context.pool,
                      {.weight = weight, .x = x, .v = v, .v_end = v_end, .mode = context.solver.jacobian},
                      context.ledger->impulses());
}

void report_residual(const StepContext& context, double weight, std::span<const vec3> r) {
  if (context.ledger == nullptr) return;
  const std::span<vec3> sum = context.ledger->impulses().add_to(ImpulseKind::residual, r.size());
  context.for_particles(r.size(), [&](std::size_t i) { sum[i] += weight * r[i]; });
}

void report_solution(const StepContext& context, const DynamicSystem& system, double weight,
                     std::span<const vec3> r, std::span<const vec3> dv) {
  if (context.ledger == nullptr) return;
  report_residual(context, weight, r);
  const std::span<const Projection::Entry> entries = system.projection().entries();
  if (entries.empty()) return;
  const std::span<vec3> of_held = context.ledger->impulses().add_to(ImpulseKind::held, entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::uint32_t i = entries[k].particle;
    of_held[k] += weight * (system.masses()[i] * dv[i] - r[i]);
  }
}

void report_linear_solution(const StepContext& context, const DynamicSystem& system, const SpringMatrix& a,
                            std::span<const vec3> dv, std::span<const vec3> b, std::span<const vec3> v,
                            std::span<const vec3> v_hat) {
  if (context.ledger == nullptr) return;
  const std::span<vec3> r = context.ledger->scratch(dv.size());
  a.multiply(context.pool, dv, r);
  context.for_particles(r.size(), [&](std::size_t i) { r[i] -= b[i]; });
  if (!v_hat.empty())
    for (const Projection::Entry& e : system.projection().entries())
      r[e.particle] += system.masses()[e.particle] * (v_hat[e.particle] - v[e.particle]);
  report_solution(context, system, 1, r, dv);
}

void ImpulseMemory::recall(const StepContext& context, double weight) const {
  if (context.ledger != nullptr) context.ledger->impulses().combine(1, weight, kept_);
}

void ImpulseMemory::keep(const StepContext& context, double a, double b) {
  if (context.ledger != nullptr) kept_.combine(b, a, context.ledger->impulses());
}

void ImpulseMemory::start(const StepContext& context, const DynamicSystem& system, std::span<const vec3> x,
                          std::span<const vec3> v) {
  if (context.ledger == nullptr) return;
  kept_.clear();
  report_forces(context, system, 1, x, v);
  keep(context, 1, 0);
  context.ledger->impulses().clear();
}

}  // namespace clothlab
