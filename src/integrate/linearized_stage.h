// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"
#include "linalg/contact_solver.h"
#include "linalg/vector_basis.h"

namespace clothlab {

/// One Newton iteration from u0, a linear system of size 3n:
///   (M − cD − c²K) Δv = b(f0 + factor K u)
class LinearizedStage {
 public:
  /// Leaves Δv, prescribed on pins, in `dv`, and the right-hand side in `b`. rhs(i, f) is that of particle i
  /// with f. The system is solved again, up to kMostContactSolves times, while the step to x0 + factor u + c
  /// Δv has other contacts, or a friction that differs by more than the tolerance of the solve.
  template <class RightHandSide>
  void solve(const DynamicSystem& system, const State& state, double h, double c, double factor,
             std::span<const vec3> u, const RightHandSide& rhs, const StepContext& context,
             StepReport& report) {
    const std::size_t n = system.size();
    for (auto* scratch : {&b, &dv}) scratch->resize(n);
    SpringMatrix& A = have_matrix(system, context, a_);
    prescribe_change(system.projection(), state.x, h, state.v, dv);
    const StepContact* contact = system.contact();
    contacts_.clear();
    for (int solves = 1;; ++solves) {
      // K is the K of A, clamped or not.
      system.linearize(context.pool, state.x, state.v, factor, u, {1, c, c * c}, context.solver.jacobian,
                       contacts_, b, A);
      context.poll();
      context.for_particles(n, [&](std::size_t i) { b[i] = rhs(i, b[i]); });
      context.poll();
      if (!context.contacts.empty()) {
        solve_with_contacts(contact_solver_, solver_, {A, b, system.projection(), state.v, context.contacts},
                            context, dv, report);
        break;
      }
      solve_linear(solver_,
                   {.A = A, .b = b, .projection = system.projection(), .z = dv, .same_springs = solves > 1},
                   context, solves > 1, dv, report);
      if (contact == nullptr) break;
      const bool last = solves == kMostContactSolves;
      if (last) next_contacts_ = contacts_;  // the step keeps those that it was solved with
      const double enough = context.solver.linear.cg.tolerance * norm(context.pool, b) / c;
      if (!contact->correct(context.pool, state.x, state.v, factor, u, c, dv, enough,
                            last ? next_contacts_ : contacts_))
        break;
      if (last) {
        report.converged = false;
        report.reason = kContactsChange;
        break;
      }
    }
  }
  /// As report_linear_solution. After it the method may use `b` and `dv` as scratch memory.
  void report(const StepContext& context, const DynamicSystem& system, std::span<const vec3> v = {},
              std::span<const vec3> v_hat = {}) const {
    if (context.contacts.empty())
      return report_linear_solution(context, system, *a_, solver_, dv, b, v, v_hat);
    report_contact_solution(context, system, contact_solver_.residual(), dv, v, v_hat);
  }

  /// Of the last solve.
  const ContactSet& contacts() const { return contacts_; }

  std::vector<vec3> b, dv;

 private:
  LinearSolver solver_;
  ContactSolver contact_solver_;
  std::optional<SpringMatrix> a_;
  ContactSet contacts_, next_contacts_;
};

}  // namespace clothlab
