// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"
#include "integrate/step_ledger.h"
#include "linalg/contact_solver.h"
#include "linalg/vector_basis.h"

namespace clothlab {

/// One Newton iteration from u0, a linear system of size 3n:
///   (M − c_f D − c_f c_v K) Δv = b(f0 + factor K u)
class LinearizedStage {
 public:
  /// The factors c_f of forces and c_v of velocities [s], mostly equal.
  struct Factors {
    double force, velocity;
  };
  /// `prepare`, then `solve` with one factor c, for a step of h from `state`.
  template <class RightHandSide>
  void solve_step(const DynamicSystem& system, const State& state, double h, double c, double factor,
                  std::span<const vec3> u, const RightHandSide& rhs, const StepContext& context,
                  StepReport& report) {
    prepare(system.size());
    prescribe_change(system.projection(), state.x, h, state.v, dv);
    solve(system, state.x, state.v, {c, c}, factor, u, rhs, context, report);
  }

  void prepare(std::size_t n) {
    for (auto* scratch : {&b, &dv}) scratch->resize(n);
  }
  /// On entry `dv` has the prescribed change on pins. Leaves Δv in it, and the right-hand side in `b`. rhs(i,
  /// f) is that of particle i with f. The system is solved again while the step to x + factor u + c_v Δv has
  /// other contacts by forces, or a friction that differs by more than the tolerance of the solve: up to
  /// kMostContactSolves times, or kMostWithSolvedContacts if each also solves contacts.
  ///
  /// With `factorised` the matrix is the one that it has solved in this step, and the right-hand side is
  /// still the one about (x, v): a direct solver keeps its factor. Contact by forces needs its own matrix.
  template <class RightHandSide>
  void solve(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v, Factors c,
             double factor, std::span<const vec3> u, const RightHandSide& rhs, const StepContext& context,
             StepReport& report, LinearizedStage* factorised = nullptr) {
    const std::size_t n = system.size();
    SpringMatrix& own = have_matrix(system, context, a_);
    const StepContact* contact = system.contact();
    const bool is_shared = factorised != nullptr && contact == nullptr;
    solver_of_ = is_shared ? factorised : this;
    SpringMatrix& A = *solver_of_->a_;
    contacts_.clear();
    for (int solves = 1;; ++solves) {
      if (context.ledger != nullptr) context.ledger->count_evaluation();
      // K is the K of A, clamped or not.
      system.linearize(context.pool, x, v, factor, u, {1, c.force, c.force * c.velocity},
                       context.solver.jacobian, contacts_, b, own);
      context.poll();
      context.for_particles(n, [&](std::size_t i) { b[i] = rhs(i, b[i]); });
      context.poll();
      if (context.has_contacts())
        solve_with_contacts(contact_solver_, solver_of_->solver_,
                            {.A = A,
                             .b = b,
                             .pins = system.projection(),
                             .v0 = v,
                             .contacts = context.contacts,
                             .pairs = context.pairs},
                            context, dv, report);
      else
        solve_linear(solver_of_->solver_,
                     {.A = A,
                      .b = b,
                      .projection = system.projection(),
                      .z = dv,
                      .same_matrix = is_shared,
                      .same_springs = solves > 1},
                     context, solves > 1, dv, report);
      if (contact == nullptr) break;
      const bool last = solves == (context.has_contacts() ? kMostWithSolvedContacts : kMostContactSolves);
      if (last) next_contacts_ = contacts_;  // the step keeps those that it was solved with
      const double enough = context.solver.linear.cg.tolerance * norm(context.pool, b) / c.force;
      if (!contact->correct(context.pool, x, v, factor, u, c.velocity, dv, enough,
                            last ? next_contacts_ : contacts_))
        break;
      if (last) {
        report.fail(kContactsChange);
        break;
      }
    }
  }
  /// As report_solution, of the last solve. After it the method may use `b` and `dv` as scratch memory.
  void report(const StepContext& context, const DynamicSystem& system, std::span<const vec3> v = {},
              std::span<const vec3> v_hat = {}, double weight = 1) const {
    if (context.ledger == nullptr) return;
    if (context.has_contacts())
      return report_contact_solution(context, system, contact_solver_.residual(), dv, v, v_hat, weight);
    // A dv − b
    const std::span<vec3> r = context.ledger->scratch(dv.size());
    const std::span<const Padded> product = solver_of_->solver_.product();
    const std::span<const std::uint32_t> row = solver_of_->a_->pattern().row;
    if (product.empty()) solver_of_->a_->multiply(context.pool, dv, r);
    context.for_particles(
        r.size(), [&](std::size_t i) { r[i] = (product.empty() ? r[i] : unpadded(product[row[i]])) - b[i]; });
    report_solution(context, system, weight, r, dv, v, v_hat);
  }

  /// Of the last solve.
  const ContactSet& contacts() const { return contacts_; }

  std::vector<vec3> b, dv;

 private:
  LinearSolver solver_;
  ContactSolver contact_solver_;
  std::optional<SpringMatrix> a_;
  LinearizedStage* solver_of_ = nullptr;  // the stage with the matrix and the solver of the last solve
  ContactSet contacts_, next_contacts_;
};

}  // namespace clothlab
