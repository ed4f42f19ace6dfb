// SPDX-License-Identifier: MIT
#include "integrate/contact_correction.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>

#include "integrate/solve_outcome.h"

namespace clothlab {

std::span<const vec3> ContactCorrection::solve(const DynamicSystem& system, const StepContext& context,
                                               const Times& times, SpringMatrix& A, LinearSolver& solver,
                                               const Ends& ends, StepReport& report) {
  refer(context, times, ends);
  find_change(system, context, A, solver, ends.v0, ends.v1, report);
  change(system, context, times, ends);
  return change_;
}

void ContactCorrection::refer(const StepContext& context, const Times& times, const Ends& ends) {
  const std::span<const vec3> x0 = ends.x0, x1 = ends.x1, v1 = ends.v1;
  context.for_contacts([&](auto& contact, const auto& blend) {
    const vec3 moved = blend([&](std::uint32_t i) { return x1[i] - x0[i]; });
    const vec3 v = blend([&](std::uint32_t i) { return v1[i]; });
    contact.impulse *= times.gamma / times.h;
    if (times.timing == ContactTiming::before_positions)
      return contact.refer_to(moved - times.h * v, times.h);
    contact.refer_to(vec3(0), times.h);
    const double gap = contact.gap_at(moved);
    // A particle that would pass the surface gets its velocity; the others may come as near as it is.
    if (times.timing == ContactTiming::after_positions)
      contact.least += (contact.gap - std::max(gap, 0.0)) / times.h;
    else if (gap >= 0)
      contact.least = glm::dot(contact.normal, v) - gap / times.moves;
  });
}

void ContactCorrection::change(const DynamicSystem& system, const StepContext& context, const Times& times,
                               const Ends& ends) {
  report_solution(context, system, 1, residual_, change_);
  report_contacts(context, change_.size());
  scale_impulses(context, times.h / times.gamma);
  context.for_particles(change_.size(), [&](std::size_t i) {
    ends.v1[i] += change_[i];
    ends.x1[i] += times.moves * change_[i];
  });
}

// Solves A δ = ρ, with the residual A δ − ρ. The tolerance is relative to A (v1 − v0).
void ContactCorrection::find_change(const DynamicSystem& system, const StepContext& context, SpringMatrix& A,
                                    LinearSolver& solver, std::span<const vec3> v0, std::span<const vec3> v1,
                                    StepReport& report) {
  const std::size_t n = system.size();
  for (auto* scratch : {&change_, &no_force_, &forces_}) scratch->resize(n);
  context.for_particles(n, [&](std::size_t i) { change_[i] = v1[i] - v0[i]; });
  A.multiply(context.pool, change_, forces_);
  context.poll();
  std::ranges::fill(change_, vec3(0));
  const std::span<const double> history = report.residual_history;
  solve_with_contacts(contact_solver_, solver,
                      {.A = A,
                       .b = no_force_,
                       .pins = system.projection(),
                       .v0 = v1,
                       .contacts = context.contacts,
                       .forces = forces_,
                       .pairs = context.pairs},
                      context, change_, report);
  // Without an iteration the last solve is that of the step without contact.
  if (report.residual_history.empty()) report.residual_history = history;
  residual_.resize(n);
  context.for_particles(n, [&](std::size_t i) { residual_[i] = -contact_solver_.residual()[i]; });
  context.for_impulses_on_particles([&](std::uint32_t i, const vec3& impulse) { residual_[i] -= impulse; });
}

// The same where A is M. Momentum changes by the impulses alone, to rounding, also where the solve has ended
// before; but contacts with surfaces stay where it has put them.
void ContactCorrection::find_change_by_masses(const DynamicSystem& system, const StepContext& context,
                                              std::span<const vec3> v0, std::span<const vec3> v1,
                                              StepReport& report) {
  SpringMatrix& A = have_matrix(system, context, A_);
  system.assemble_others(context.pool, v0, v0, {1, 0, 0}, JacobianMode::clamped, A);
  find_change(system, context, A, solver_, v0, v1, report);
  forces_ = residual_;
  system.projection().filter(forces_);
  for (const NodalContact& contact : context.contacts) forces_[contact.particle] = vec3(0);
  context.for_particles(forces_.size(), [&](std::size_t i) {
    change_[i] -= forces_[i] / system.masses()[i];
    residual_[i] -= forces_[i];
  });
}

void ContactCorrection::correct(const DynamicSystem& system, const StepContext& context, const Times& times,
                                const Ends& ends, StepReport& report) {
  if (!context.has_contacts()) return;
  SpringMatrix& A = have_matrix(system, context, A_);
  system.assemble(context.pool, ends.x0, ends.v0, times.coefficients(), JacobianMode::clamped, A);
  solve(system, context, times, A, solver_, ends, report);
  land_contacts(context, ends.x0, ends.x1);
}

void ContactCorrection::act(const DynamicSystem& system, const StepContext& context, double h,
                            ContactTiming timing, const Ends& ends, StepReport& report) {
  if (context.pairs.empty())
    return solve_contacts_locally(system, context, h, timing, ends.x0, ends.x1, ends.v1);
  const double moves = timing == ContactTiming::before_positions ? h
                       : timing == ContactTiming::throughout     ? h / 2
                                                                 : 0.0;
  const Times times{.h = h, .gamma = h, .moves = moves, .timing = timing};
  refer(context, times, ends);
  find_change_by_masses(system, context, ends.v0, ends.v1, report);
  change(system, context, times, ends);
  land_contacts(context, ends.x0, ends.x1, timing);
}

void ContactCorrection::stop(const DynamicSystem& system, const StepContext& context, double h,
                             std::span<const vec3> v0, std::span<vec3> v1, StepReport& report, double part) {
  if (context.pairs.empty()) return stop_at_contacts(system, context, h, v1, part);
  constexpr double kFree = 1e6;  // [m/s]
  forces_.assign(v1.size(), vec3(0));
  context.for_impulses_on_particles([&](std::uint32_t i, const vec3& impulse) { forces_[i] -= impulse; });
  for (std::size_t i = 0; i < v1.size(); ++i) forces_[i] /= system.masses()[i];
  system.projection().filter_motion(forces_);
  for (std::size_t i = 0; i < v1.size(); ++i) v1[i] += forces_[i];
  states_.clear();
  context.for_contacts([&](auto& contact, const auto& /*blend*/) {
    states_.push_back(contact.state);
    contact.velocity = contact.velocity_at(part, h);
    contact.least = contact.state == ContactState::open ? -kFree : glm::dot(contact.normal, contact.velocity);
  });
  find_change_by_masses(system, context, v0, v1, report);
  report_residual(context, 1, residual_);
  std::size_t k = 0;
  context.for_contacts([&](auto& contact, const auto& /*blend*/) { contact.state = states_[k++]; });
  for (std::size_t i = 0; i < v1.size(); ++i) v1[i] += change_[i];
}

void land_contacts(const StepContext& context, std::span<const vec3> x0, std::span<vec3> x1,
                   ContactTiming timing) {
  if (timing == ContactTiming::before_positions) return;
  for (const NodalContact& contact : context.contacts) {
    vec3& x = x1[contact.particle];
    const double gap = contact.gap_at(x - x0[contact.particle]);
    const bool is_closed = timing == ContactTiming::throughout && contact.state != ContactState::open;
    if (gap < 0 || is_closed) x -= gap * contact.normal;
  }
}

}  // namespace clothlab
