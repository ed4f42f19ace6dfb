// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integrate/integrator.h"
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
    SystemCoefficients coefficients() const { return {1, damping, gamma * moves}; }
  };

  /// A has these coefficients, and clamped blocks: the law needs a positive definite matrix. Returns δ;
  /// reports the impulses.
  std::span<const vec3> solve(const DynamicSystem& system, const StepContext& context, const Times& times,
                              SpringMatrix& A, LinearSolver& solver, std::span<const vec3> x0,
                              std::span<const vec3> v0, std::span<vec3> x1, std::span<vec3> v1,
                              StepReport& report);
  /// The same with a matrix of its own at (x0, v0), and puts particles on their surfaces; no effect without
  /// contacts.
  void correct(const DynamicSystem& system, const StepContext& context, const Times& times,
               std::span<const vec3> x0, std::span<const vec3> v0, std::span<vec3> x1, std::span<vec3> v1,
               StepReport& report);

 private:
  ContactSolver contact_solver_;
  LinearSolver solver_;            // of `correct`
  std::optional<SpringMatrix> A_;  // the same
  std::vector<vec3> change_, no_force_, forces_;
};

/// Puts particles that are closed or below a surface on it.
void land_contacts(const StepContext& context, std::span<const vec3> x0, std::span<vec3> x1);

}  // namespace clothlab
