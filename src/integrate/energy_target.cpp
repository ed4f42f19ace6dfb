// SPDX-License-Identifier: MIT
#include "integrate/energy_target.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

namespace clothlab {

namespace {

constexpr std::size_t kEnergyGrain = 4096;

double kinetic_energy(const DynamicSystem& system, WorkerPool& pool, std::span<const vec3> v) {
  const std::span<const double> m = system.masses();
  return sum_over(pool, v.size(), kEnergyGrain,
                  [&](std::size_t i) { return m[i] / 2 * glm::dot(v[i], v[i]); });
}

double sum_of(std::span<const double> works) { return std::accumulate(works.begin(), works.end(), 0.0); }

}  // namespace

void EnergyTarget::begin(const DynamicSystem& system, WorkerPool& pool, const State& state) {
  kinetic_ = kinetic_energy(system, pool, state.v);
  most_kinetic_ = kinetic_;
  energy_ = kinetic_ + system.potential_energy(pool, state.x);
}

bool EnergyTarget::is_rounding(double excess) const {
  constexpr double kRounding = 1e-12;
  return std::abs(excess) <= kRounding * (kinetic_ + std::abs(energy_ - kinetic_));
}

bool EnergyTarget::is_negligible(double change) const {
  constexpr double kNegligible = 1e-8;
  return std::abs(change) <= kNegligible * most_kinetic_;
}

double EnergyTarget::excess(const DynamicSystem& system, const StepContext& context, StepLedger& ledger,
                            const State& state, double h, std::span<const vec3> x1,
                            std::span<const vec3> v1) {
  const StepWork before = ledger.work();
  const double held_before = sum_of(ledger.held_work());
  ledger.end_substep(system, context.pool, state.v, v1, {context.contacts, state.x, x1, h});
  const StepWork& after = ledger.work();
  // Bodies at rest do no positive work: a gain counts as energy of the method, as in the run's ledger.
  double by_contact = after.friction - before.friction;
  if (std::ranges::none_of(context.contacts, [](const auto& c) { return c.displacement != vec3(0); }))
    by_contact = std::min(by_contact, 0.0);
  const double work = after.damping - before.damping + after.wind - before.wind + after.hand - before.hand +
                      after.drivers - before.drivers + by_contact + sum_of(ledger.held_work()) - held_before;
  const double kinetic = kinetic_energy(system, context.pool, v1);
  most_kinetic_ = std::max(most_kinetic_, kinetic);
  const double energy = kinetic + system.potential_energy(context.pool, x1);
  return excess_ + (energy - energy_ - work);
}

}  // namespace clothlab
