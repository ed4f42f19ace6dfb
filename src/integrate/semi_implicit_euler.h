#pragma once

#include <optional>
#include <vector>

#include "integrate/integrator.h"

namespace clothlab {

/// Backward Euler linearised at u0, one Newton iteration [Baraff & Witkin 1998; kauppila §2.1]:
/// (M − hD − h²K) Δv = h (f0 + hK v0), x1 = x0 + h (v0 + Δv), with Δv prescribed on pins.
class SemiImplicitEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  LinearSolver solver_;
  std::optional<SpringMatrix> a_;
  std::vector<vec3> b_;   // then x1
  std::vector<vec3> dv_;  // prescribed Δv, then Δv, then v1
};

}  // namespace clothlab
