#pragma once

#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/integrator.h"
#include "integrate/modal_split.h"
#include "integrate/step_start.h"

namespace clothlab {

/// u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h H(u0) + 2h E(u0, h)), first step SIERE [ascher §3.5.2, (23)].
/// Its exponential modes gain energy: ζ² − ⅔(1 + e^z)ζ + ⅓ = 0 at z = ihω, so |ζ| ≈ 1 + (hω)²/2.
class SemiImplicitBdf2Ere final : public Integrator {
 public:
  SemiImplicitBdf2Ere(std::size_t modes, int refresh) : split_(modes, refresh) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override;
  void load(MemoryReader& memory, std::size_t n) override;

 private:
  ModalSplit split_;
  StepStart start_;
  Bdf2History history_;
  std::vector<vec3> r_, s_;    // right-hand side
  std::vector<vec3> dx_, dv_;  // u1 − u0, then u1
};

}  // namespace clothlab
