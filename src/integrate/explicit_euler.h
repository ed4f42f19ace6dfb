#pragma once

#include <vector>

#include "integrate/integrator.h"

namespace clothlab {

/// x1 = x0 + h v0, v1 = v0 + h M⁻¹ f(x0, v0). Gains energy at every step size [joubert §3; ascher §3.1].
class ExplicitEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  std::vector<vec3> v0_;  // where what is prescribed has another velocity than the state
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first f(x0, v0)
};

}  // namespace clothlab
