#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/step_start.h"

namespace clothlab {

/// x1 = x0 + h v0 + h²/2 a0, v1 = v0 + h/2 (a0 + a(x1, v0 + h a0)) (model.md). Without damping the symmetric
/// and symplectic method of Störmer and Verlet [Hairer, Lubich, Wanner, I.1.4].
class VelocityVerlet final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  StepStart start_;
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first v0 + h a0
  std::vector<vec3> a1_;
};

}  // namespace clothlab
