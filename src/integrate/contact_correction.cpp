// SPDX-License-Identifier: MIT
#include "integrate/contact_correction.h"

#include <algorithm>
#include <cstdint>
#include <glm/geometric.hpp>

#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"

namespace clothlab {

std::span<const vec3> ContactCorrection::solve(const DynamicSystem& system, const StepContext& context,
                                               const Times& times, SpringMatrix& A, LinearSolver& solver,
                                               std::span<const vec3> x0, std::span<const vec3> v0,
                                               std::span<vec3> x1, std::span<vec3> v1, StepReport& report) {
  const std::size_t n = system.size();
  for (auto* scratch : {&change_, &no_force_, &forces_}) scratch->resize(n);
  context.for_particles(n, [&](std::size_t i) { change_[i] = v1[i] - v0[i]; });
  A.multiply(context.pool, change_, forces_);
  context.poll();
  for (NodalContact& contact : context.contacts) {
    const std::uint32_t i = contact.particle;
    // A particle that would pass the surface gets its velocity; the others may come as near as it is.
    contact.refer_to(vec3(0), times.h);
    const double gap = contact.gap_at(x1[i] - x0[i]);
    if (gap >= 0) contact.least = glm::dot(contact.normal, v1[i]) - gap / times.moves;
    contact.impulse *= times.gamma / times.h;
  }
  std::ranges::fill(change_, vec3(0));
  const std::span<const double> history = report.residual_history;
  solve_with_contacts(contact_solver_, solver,
                      {A, no_force_, system.projection(), v1, context.contacts, 0, forces_}, context, change_,
                      report);
  // Without an iteration the last solve is that of the step without contact.
  if (report.residual_history.empty()) report.residual_history = history;
  report_contact_solution(context, system, contact_solver_.residual(), change_);
  report_contacts(context, n);
  scale_impulses(context, times.h / times.gamma);
  context.for_particles(n, [&](std::size_t i) {
    v1[i] += change_[i];
    x1[i] += times.moves * change_[i];
  });
  return change_;
}

void ContactCorrection::correct(const DynamicSystem& system, const StepContext& context, const Times& times,
                                std::span<const vec3> x0, std::span<const vec3> v0, std::span<vec3> x1,
                                std::span<vec3> v1, StepReport& report) {
  if (context.contacts.empty()) return;
  SpringMatrix& A = have_matrix(system, context, A_);
  system.assemble(context.pool, x0, v0, times.coefficients(), JacobianMode::clamped, A);
  solve(system, context, times, A, solver_, x0, v0, x1, v1, report);
  land_contacts(context, x0, x1);
}

void land_contacts(const StepContext& context, std::span<const vec3> x0, std::span<vec3> x1) {
  for (const NodalContact& contact : context.contacts) {
    vec3& x = x1[contact.particle];
    const double gap = contact.gap_at(x - x0[contact.particle]);
    if (gap < 0 || contact.state != ContactState::open) x -= gap * contact.normal;
  }
}

}  // namespace clothlab
