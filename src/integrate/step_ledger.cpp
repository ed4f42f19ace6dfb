// SPDX-License-Identifier: MIT
#include "integrate/step_ledger.h"

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>
#include <tuple>

#include "integrate/integrator.h"

namespace clothlab {

namespace {

// Small, so that the data of a chunk stay in the first-level cache for all kinds.
constexpr std::size_t kLedgerGrain = 512;

struct WorkOf {
  ImpulseKind kind;
  double StepWork::*work;
};
constexpr std::array kWorks{
    WorkOf{ImpulseKind::damping, &StepWork::damping}, WorkOf{ImpulseKind::wind, &StepWork::wind},
    WorkOf{ImpulseKind::hand, &StepWork::hand},       WorkOf{ImpulseKind::friction, &StepWork::friction},
    WorkOf{ImpulseKind::drivers, &StepWork::drivers}, WorkOf{ImpulseKind::residual, &StepWork::solver},
    WorkOf{ImpulseKind::all, &StepWork::rods},
};

/// Sum of ½ v(i)·J(i) over [begin, end), by component and in two independent parts, to avoid the latency of
/// one sum.
template <class Velocity, class Impulse>
double work_of(std::size_t begin, std::size_t end, const Velocity& v, const Impulse& J) {
  vec3 even(0.0), odd(0.0);
  for (std::size_t i = begin; i + 1 < end; i += 2) {
    even += v(i) * J(i);
    odd += v(i + 1) * J(i + 1);
  }
  if ((end - begin) % 2 != 0) even += v(end - 1) * J(end - 1);
  const vec3 sum = even + odd;
  return 0.5 * (sum.x + sum.y + sum.z);
}

/// f := f(x, v), with the impulses of these forces.
void report_taken(const StepContext& context, const DynamicSystem& system, double weight,
                  std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f, SpringForces springs) {
  Impulses& impulses = context.ledger->impulses();
  system.force_and_impulses(context.pool, {.weight = weight, .x = x, .v = v, .v_end = v, .springs = springs},
                            f, impulses);
  add_to_held(impulses, system, [&](std::uint32_t i) { return weight * f[i]; });
  const std::span<vec3> kept = context.ledger->keep(weight, f.size());
  std::copy_n(f.begin(), kept.size(), kept.begin());
  if (springs != SpringForces::inextensible) return;
  const std::span<vec3> all = impulses.add_to(ImpulseKind::all, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) all[i] += weight * f[i];
}

}  // namespace

void StepLedger::begin() {
  impulses_.clear();
  weights_.clear();
  used_.clear();
  contacts_.clear();
  work_ = {};
  held_work_.clear();
}

std::vector<UsedForce> StepLedger::used(std::uint32_t particle) const {
  std::vector<UsedForce> forces;
  const std::size_t n = weights_.empty() ? 0 : used_.size() / weights_.size();
  for (std::size_t k = 0; k < weights_.size(); ++k) forces.push_back({weights_[k], used_[k * n + particle]});
  return forces;
}

std::span<vec3> StepLedger::keep(double weight, std::size_t n) {
  if (!watches_ || used_.size() + n > kMostKept) return {};
  weights_.push_back(weight);
  used_.resize(used_.size() + n);
  return std::span(used_).last(n);
}

void StepLedger::keep_contact(std::uint32_t particle, const vec3& impulse, std::size_t n) {
  if (!watches_) return;
  contacts_.resize(n);
  contacts_[particle] += impulse;
}

std::span<vec3> StepLedger::scratch(std::size_t n, std::size_t which) {
  scratch_[which].resize(n);
  return scratch_[which];
}

void StepLedger::end_substep(const DynamicSystem& system, WorkerPool& pool, std::span<const vec3> v0,
                             std::span<const vec3> v1, const ContactsOfSubstep& contacts) {
  static_assert(kWorks.size() == std::tuple_size_v<Works>);
  const std::span<const Projection::Entry> entries = system.projection().entries();
  const std::span<const double> m = system.masses();
  const std::size_t n = v1.size();
  // Impulses of these kinds act on free directions only.
  for (const ImpulseKind kind : {ImpulseKind::residual, ImpulseKind::all})
    if (!impulses_.of(kind).empty()) system.projection().filter(impulses_.add_to(kind, n));

  closed_.clear();
  for (std::span<const NodalContact> rest = contacts.all; !rest.empty();) {
    const std::span<const NodalContact> own = contacts_of_first(rest);
    rest = rest.subspan(own.size());
    const FreeDirections free = free_directions(own);
    const std::uint32_t i = own.front().particle;
    const vec3 moved = (contacts.x1[i] - contacts.x0[i]) / contacts.h;
    if (free.count < 3) closed_.push_back({i, free.S, moved - 0.5 * (v0[i] + v1[i])});
  }
  const auto twice_mean = [&](std::size_t i) { return v0[i] + v1[i]; };
  const auto momentum = [&](std::size_t i) { return m[i] * (v1[i] - v0[i]); };
  chunk_works_.resize(n / kLedgerGrain + 1);
  pool.for_chunks(n, kLedgerGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < kWorks.size(); ++k) {
      const std::span<const vec3> J = impulses_.of(kWorks[k].kind);
      if (J.empty()) continue;
      chunk_works_[begin / kLedgerGrain][k] =
          kWorks[k].kind == ImpulseKind::all
              ? work_of(begin, end, twice_mean, [&](std::size_t i) { return momentum(i) - J[i]; })
              : work_of(begin, end, twice_mean, [&](std::size_t i) { return J[i]; });
    }
  });
  for (std::size_t k = 0; k < kWorks.size(); ++k) {
    const auto [kind, field] = kWorks[k];
    const std::span<const vec3> J = impulses_.of(kind);
    if (J.empty()) continue;
    double work = 0;
    for (std::size_t begin = 0; begin < n; begin += kLedgerGrain)
      work += chunk_works_[begin / kLedgerGrain][k];
    for (const auto& [i, S, target, passing, coupled] : entries) {
      const vec3 half = kind == ImpulseKind::all ? -0.5 * twice_mean(i) : 0.5 * (v1[i] - v0[i]);
      const vec3 of_held = kind == ImpulseKind::all ? momentum(i) : J[i];
      work += glm::dot(half - S * half, of_held);
    }
    if (kind != ImpulseKind::all)
      for (const auto& [i, S, beyond] : closed_) work += glm::dot(beyond - S * beyond, J[i]);
    work_.*field += kind == ImpulseKind::damping ? std::min(work, 0.0) : work;
  }
  // The part of a contact's impulse that changes the velocity has the mean velocity.
  for (const auto& [i, S, beyond] : closed_) work_.friction -= glm::dot(beyond - S * beyond, momentum(i));
  work_.given_by_wind += impulses_.given_by_wind();
  const std::span<const vec3> J = impulses_.of(ImpulseKind::held), r = impulses_.of(ImpulseKind::residual);
  held_work_.resize(entries.size(), 0.0);
  const Couplings& couplings = system.projection().couplings();
  coupling_forces_.resize(couplings.constraints().size());
  if (!couplings.empty()) coupling_impulses_.assign(n, vec3(0));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [i, S, target, passing, coupled] = entries[k];
    const vec3 gain = momentum(i), force = J.empty() ? vec3(0.0) : J[k];
    held_work_[k] += 0.5 * glm::dot(twice_mean(i), gain - S * gain) - glm::dot(v1[i], force - S * force);
    if (!coupled) continue;
    const vec3 impulse = S * (gain - force - (r.empty() ? vec3(0.0) : r[i]));
    held_work_[k] += 0.5 * glm::dot(twice_mean(i), impulse);
    coupling_impulses_[i] = impulse;
  }
  couplings.forces(coupling_impulses_, coupling_forces_);
}

void take_forces(const StepContext& context, const DynamicSystem& system, double weight,
                 std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f, SpringForces springs) {
  if (context.ledger != nullptr) context.ledger->count_evaluation();
  if (context.ledger == nullptr || weight == 0) return system.force(context.pool, x, v, f, springs);
  report_taken(context, system, weight, x, v, f, springs);
}

void report_forces(const StepContext& context, const DynamicSystem& system, double weight,
                   std::span<const vec3> x, std::span<const vec3> v) {
  if (context.ledger != nullptr && weight != 0)
    report_taken(context, system, weight, x, v, context.ledger->scratch(x.size()), SpringForces::all);
}

void report_forces_on_held(const StepContext& context, const DynamicSystem& system, double weight,
                           std::span<const vec3> x, std::span<const vec3> v) {
  if (context.ledger == nullptr || system.projection().entries().empty()) return;
  const std::span<vec3> f = context.ledger->scratch(x.size());
  system.force(context.pool, x, v, f);
  add_to_held(context.ledger->impulses(), system, [&](std::uint32_t i) { return weight * f[i]; });
}

void report_linear_forces(const StepContext& context, const DynamicSystem& system, double weight,
                          std::span<const vec3> x, std::span<const vec3> v, std::span<const vec3> v_end,
                          const ContactSet* contacts) {
  if (context.ledger == nullptr) return;
  system.add_impulses(context.pool,
                      {.weight = weight,
                       .x = x,
                       .v = v,
                       .v_end = v_end,
                       .mode = context.solver.jacobian,
                       .contacts = contacts},
                      context.ledger->impulses());
}

void report_residual(const StepContext& context, double weight, std::span<const vec3> r) {
  if (context.ledger == nullptr) return;
  const ImpulseSum sum = context.ledger->impulses().add_to_all(ImpulseKind::residual, r.size());
  context.for_particles(r.size(), [&](std::size_t i) { sum.add(i, weight * r[i]); });
}

void report_solution(const StepContext& context, const DynamicSystem& system, double weight,
                     std::span<const vec3> r, std::span<const vec3> dv, std::span<const vec3> v,
                     std::span<const vec3> v_hat) {
  if (context.ledger == nullptr) return;
  report_residual(context, weight, r);
  add_to_held(context.ledger->impulses(), system, [&](std::uint32_t i) {
    const double m = system.masses()[i];
    const vec3 remembered = v_hat.empty() ? vec3(0) : m * (v_hat[i] - v[i]);
    return weight * (m * dv[i] - (r[i] + remembered));
  });
}

void report_contacts(const StepContext& context, std::size_t n) {
  if (context.ledger == nullptr || !context.has_contacts()) return;
  context.for_impulses_on_particles(
      [&](std::uint32_t i, const vec3& impulse) { context.ledger->keep_contact(i, impulse, n); });
  Impulses& impulses = context.ledger->impulses();
  const bool has_rods = !impulses.of(ImpulseKind::all).empty();
  for (const ImpulseKind kind : {ImpulseKind::friction, ImpulseKind::all}) {
    if (kind == ImpulseKind::all && !has_rods) continue;
    const std::span<vec3> to = impulses.add_to(kind, n);
    context.for_impulses_on_particles([&](std::uint32_t i, const vec3& impulse) { to[i] += impulse; });
  }
}

void report_contact_solution(const StepContext& context, const DynamicSystem& system,
                             std::span<const vec3> residual, std::span<const vec3> dv,
                             std::span<const vec3> v, std::span<const vec3> v_hat, double weight) {
  if (context.ledger == nullptr) return;
  const std::span<vec3> r = context.ledger->scratch(dv.size());
  context.for_particles(r.size(), [&](std::size_t i) { r[i] = -residual[i]; });
  context.for_impulses_on_particles([&](std::uint32_t i, const vec3& impulse) { r[i] -= impulse; });
  report_solution(context, system, weight, r, dv, v, v_hat);
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
