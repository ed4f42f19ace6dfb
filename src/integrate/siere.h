#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/modal_split.h"
#include "integrate/step_start.h"

namespace clothlab {

/// u1 = u0 + (I − hJ_H)⁻¹ (h H(u0) + h E(u0, h)) [ascher §3.5.2, (21); Chen et al. 2020]: the lowest modes by
/// exponential Rosenbrock–Euler, the rest by semi-implicit Euler.
class Siere final : public Integrator {
 public:
  Siere(std::size_t modes, int refresh) : split_(modes, refresh) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override { split_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { split_.load(memory, n); }

 private:
  ModalSplit split_;
  StepStart start_;
  std::vector<vec3> r_, s_;    // h (H + E)
  std::vector<vec3> dx_, dv_;  // u1 − u0, then u1
};

}  // namespace clothlab
