#pragma once

#include <vector>

#include "integrate/integrator.h"

namespace clothlab {

/// x1 = x0 + h v0, v1 = v0 + h M⁻¹ f(x0, v0). Gains energy at every step size [joubert §3; ascher §3.1].
class ExplicitEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void reset() override {}  // no history

 private:
  std::vector<vec3> force_;  // f(x0, v0)
  std::vector<vec3> start_;  // x0
};

}  // namespace clothlab
