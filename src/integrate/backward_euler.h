#pragma once

#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/integrator.h"

namespace clothlab {

/// u1 = u0 + h F(u1) by Newton's method, from the symplectic Euler guess or from v0 [backward-euler article].
class BackwardEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  ImplicitStage stage_;
  std::vector<vec3> force_;       // f(x0, v0)
  std::vector<vec3> symplectic_;  // guess v0 + h M⁻¹ f0
  std::vector<vec3> start_;       // guess v0
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

}  // namespace clothlab
