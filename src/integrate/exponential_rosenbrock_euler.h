#pragma once

#include <optional>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/step_start.h"
#include "linalg/krylov_phi.h"

namespace clothlab {

/// u1 = u0 + h φ1(hJ0) F(u0) [ascher §3.5.1; Chen, Ascher, Pai 2018]: the exact solution of the equation
/// linearised at u0. What is prescribed moves at its constant velocity within the step, as part of that
/// equation.
///
/// φ1 comes from Krylov subspaces, to the linear solver's tolerance or 10⁻⁶, whichever is smaller. They work
/// in the variables (ω √M x, √M v), ω² near the largest eigenvalue of M⁻¹K_s: there hJ is close to
/// skew-symmetric for the fastest modes, and its field of values is not much larger than its spectrum.
class ExponentialRosenbrockEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  StepStart start_;
  std::optional<SpringMatrix> k_;  // K_s
  std::optional<SpringMatrix> d_;  // −D
  KrylovPhi phi_;
  std::vector<double> root_mass_;
  std::vector<double> scratch_;
  std::vector<vec3> slope_;             // h F(u0), positions then velocities, in the variables above
  std::vector<vec3> change_;            // u1 − u0, likewise
  std::vector<vec3> x_, force_, more_;  // of a product; then the first two are u1
};

}  // namespace clothlab
