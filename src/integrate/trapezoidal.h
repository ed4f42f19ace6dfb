#pragma once

#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/integrator.h"
#include "integrate/step_start.h"

namespace clothlab {

/// u1 = u0 + h/2 (F(u0) + F(u1)) by Newton's method [Hairer, Lubich, Wanner, II.1]. Keeps an oscillator's
/// amplitude; on cloth it is the midpoint rule in other variables.
class Trapezoidal final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;  // x0 + h/2 v0
  std::vector<vec3> v_hat_;  // v0 + h/2 a0
  std::vector<vec3> guess_;  // v0 + h a0
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

}  // namespace clothlab
