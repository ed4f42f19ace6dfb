#pragma once

#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/integrator.h"
#include "integrate/step_start.h"

namespace clothlab {

/// u1 = u0 + h F((u0 + u1)/2) by Newton's method: half a step of backward Euler to the middle m, then
/// u1 = 2m − u0 [Hairer, Lubich, Wanner, II.1 and VI.4]. Symplectic; keeps an oscillator's amplitude.
class ImplicitMidpoint final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> guess_;  // v0 + h/2 a0
  std::vector<vec3> x1_;     // first the middle
  std::vector<vec3> v1_;
};

}  // namespace clothlab
