#pragma once

#include <optional>
#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/integrator.h"

namespace clothlab {

/// u1 = u0 + ⅓ (I − ⅔ h J0)⁻¹ (u0 − u₋₁ + 2h F(u0)), BDF2 with a single Newton iteration from u0; the first
/// step after a reset is semi-implicit Euler (model.md) [ascher §3.3]. As a system of size 3n, with c = ⅔h:
///   (M − cD − c²K) Δv = M (v̂ − v0) + c f0 + cK Δx̂,   Δx̂ = x̂ − x0 + c v0,   x1 = x̂ + c v1,
/// where x̂ = x0 + ⅓ (x0 − x₋₁) and v̂ likewise; in the first step c = h, x̂ = x0, v̂ = v0.
class SemiImplicitBdf2 final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override { history_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { history_.load(memory, n); }

 private:
  Bdf2History history_;
  LinearSolver solver_;
  std::optional<SpringMatrix> a_;
  std::vector<vec3> x_hat_;  // x̂, then x1
  std::vector<vec3> v_hat_;
  std::vector<vec3> dx_hat_;
  std::vector<vec3> b_;
  std::vector<vec3> dv_;  // prescribed Δv, then Δv, then v1
};

}  // namespace clothlab
