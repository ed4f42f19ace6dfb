// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/step_ends.h"
#include "linalg/contact_solver.h"

namespace clothlab {

/// Coulomb's law for a method that takes its step without contact first, to (x1, v1). The impulses ρ of the
/// contacts then change this end:
///   (M − cD − γτK) δ = ρ,   v1 += δ,   x1 += τ δ.
/// γ is that of begin_contacts: ρ = γ f for a force f during the step, so a stiff spring gets the
/// displacement f/k.
class ContactCorrection {
 public:
  struct Times {
    double h = 0, gamma = 0;
    double moves = 0;    ///< τ
    double damping = 0;  ///< c
    ContactTiming timing = ContactTiming::throughout;
    SystemCoefficients coefficients() const { return {1, damping, gamma * moves}; }
  };
  /// The start of a step and its end without contact, which is changed [m], [m/s].
  struct Ends {
    std::span<const vec3> x0, v0;
    std::span<vec3> x1, v1;
  };

  /// A has these coefficients, and clamped blocks: the law needs a positive definite matrix. Returns δ;
  /// reports the impulses.
  std::span<const vec3> solve(const DynamicSystem& system, const StepContext& context, const Times& times,
                              SpringMatrix& A, LinearSolver& solver, const Ends& ends, StepReport& report);
  /// Assembles the matrix at (x0, v0), solves, and puts particles on their surfaces. No effect without
  /// contacts.
  void correct(const DynamicSystem& system, const StepContext& context, const Times& times, const Ends& ends,
               StepReport& report);
  /// For an explicit step: the matrix is M. Without pairs each particle is solved alone.
  void act(const DynamicSystem& system, const StepContext& context, double h, ContactTiming timing,
           const Ends& ends, StepReport& report);
  /// stop_at_contacts() for steps that may have pairs. With pairs, the velocities v1 without the impulses of
  /// the contacts are made to obey the law with M; closed contacts stay closed.
  void stop(const DynamicSystem& system, const StepContext& context, double h, std::span<const vec3> v0,
            std::span<vec3> v1, StepReport& report, double part = 1);

 private:
  void refer(const StepContext& context, const Times& times, const Ends& ends);
  void find_change(const DynamicSystem& system, const StepContext& context, SpringMatrix& A,
                   LinearSolver& solver, std::span<const vec3> v0, std::span<const vec3> v1,
                   StepReport& report);
  void find_change_by_masses(const DynamicSystem& system, const StepContext& context,
                             std::span<const vec3> v0, std::span<const vec3> v1, StepReport& report);
  void change(const DynamicSystem& system, const StepContext& context, const Times& times, const Ends& ends);

  ContactSolver contact_solver_;
  LinearSolver solver_;            // of `correct`
  std::optional<SpringMatrix> A_;  // the same
  std::vector<vec3> change_, residual_, no_force_, forces_;
  std::vector<ContactState> states_;
};

/// Puts particles that are below a surface on it, and those that are closed, if all contacts act throughout
/// the step.
void land_contacts(const StepContext& context, std::span<const vec3> x0, std::span<vec3> x1,
                   ContactTiming timing = ContactTiming::throughout);

}  // namespace clothlab
