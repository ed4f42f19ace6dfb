#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/modal_split.h"
#include "integrate/step_start.h"

namespace clothlab {

/// Semi-implicit TR-BDF2 with the lowest modes by exponentials [ascher §4, (27)]: half a step of the
/// linearised trapezoidal rule, u½ = u0 + ½ (I − h/4 J(u0))⁻¹ h F(u0), then, with everything taken at u½,
/// u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H(u½) + E(u½, h/2))).
/// Its exponential modes gain energy: |R| ≈ 1 + (hω)²/12.
class StrSbdf2Ere final : public Integrator {
 public:
  StrSbdf2Ere(std::size_t modes, int refresh) : split_(modes, refresh) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override { split_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { split_.load(memory, n); }

 private:
  ModalSplit first_{0, 1};  // of the trapezoidal half, with no modes: J_H is J
  ModalSplit split_;
  StepStart start_;
  std::vector<vec3> r_, s_;    // right-hand side
  std::vector<vec3> dx_, dv_;  // change in one half, then u1
  std::vector<vec3> x_half_, v_half_, a_half_;
};

}  // namespace clothlab
