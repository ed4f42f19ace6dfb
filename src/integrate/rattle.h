#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/length_constraints.h"

namespace clothlab {

/// RATTLE [Andersen 1983; Hairer, Lubich, Wanner, VII.1.4, (1.26)]: Verlet's method on the manifold where
/// every stretch spring has its rest length, C(x) = l − L = 0, J = ∂C/∂x. f is without the elastic force of
/// stretch springs:
///   v½ = v0 + h/2 M⁻¹ (f(x0, v0) − J0ᵀλ),   x1 = x0 + h v½,   C(x1) = 0,
///   v1 = v½ + h/2 M⁻¹ (f(x1, 2v½ − v0) − J1ᵀμ),   J1 v1 = 0.
/// 2v½ − v0 is v0 + h a0 of velocity Verlet, with the constraints' acceleration in it. Where C(x0) is not 0,
/// x1 is where LengthConstraints::approach aims.
class Rattle final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  double enter(const DynamicSystem& system, State& state, double h, const StepContext& context,
               StepReport& report) override;

 private:
  LengthConstraints constraints_;
  std::vector<vec3> x1_;
  std::vector<vec3> v0_;
  std::vector<vec3> v1_;    // first v½
  std::vector<vec3> a_;     // of f alone
  std::vector<vec3> push_;  // −h²/2 M⁻¹ J0ᵀλ
};

}  // namespace clothlab
