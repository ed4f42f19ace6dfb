#pragma once

#include <vector>

#include "integrate/integrator.h"

namespace clothlab {

/// v1 = v0 + h M⁻¹ f(x0, v0), x1 = x0 + h v1 (model.md). Keeps v² + ω²x² − hω²xv of an oscillator exactly,
/// for hω < 2.
class SymplecticEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  std::vector<vec3> v0_;  // where what is prescribed has another velocity than the state
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first f(x0, v0)
};

}  // namespace clothlab
