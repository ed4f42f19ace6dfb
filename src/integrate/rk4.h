#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/step_start.h"

namespace clothlab {

/// The classical Runge–Kutta method on u' = (v, M⁻¹ f(x, v)) [Kutta 1901].
class Rk4 final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  StepStart start_;
  std::vector<vec3> x_;      // of the stage at hand
  std::vector<vec3> v_;      // of the stage at hand, the x part of its slope
  std::vector<vec3> a_;      // the v part of its slope
  std::vector<vec3> v_sum_;  // k1 + 2 k2 + 2 k3 + k4, x part
  std::vector<vec3> a_sum_;  // v part
};

}  // namespace clothlab
