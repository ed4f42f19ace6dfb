// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// u1 = u0 + h F(u1) by Newton's method, from the symplectic Euler guess or from v0: a step of backward Euler
/// without its end, alone or as part of another method.
class BackwardEulerStep {
 public:
  /// Sets x1 and v1, and reports forces and contacts to the ledger of the context.
  void solve(const DynamicSystem& system, const State& state, double h, const StepContext& context,
             std::vector<vec3>& x1, std::vector<vec3>& v1, StepReport& report);

 private:
  ImplicitStage stage_;
  std::vector<vec3> force_;       // f(x0, v0)
  std::vector<vec3> symplectic_;  // guess v0 + h M⁻¹ f0
  std::vector<vec3> start_;       // guess v0
};

}  // namespace clothlab
