#pragma once

#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator.h"
#include "integrate/step_start.h"

namespace clothlab {

/// u1 = u0 + ⅓ (u0 − u₋₁ + 2h F(u1)) by Newton's method, u₋₁ the state one step earlier; the first step after
/// a reset is backward Euler [Hairer, Wanner II, V.1].
class Bdf2 final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override { history_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { history_.load(memory, n); }

 private:
  Bdf2History history_;
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;
  std::vector<vec3> v_hat_;
  std::vector<vec3> guess_;  // v0 + h a0
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

}  // namespace clothlab
