// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/integrator_info.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// u1 = u0 + (I − hJ_H)⁻¹ (h H(u0) + h E(u0, h)) [Ascher 2022, §3.5.2, (21); Chen 2020]: the lowest modes by
/// exponential Rosenbrock–Euler, the rest by semi-implicit Euler. Or the rest by BDF2,
/// u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h H(u0) + 2h E(u0, h)), first step as above [Ascher 2022, §3.5.2,
/// (23)].
class Siere final : public Integrator {
 public:
  Siere(const IntegratorParameters& values, bool is_bdf2) : split_(values), is_bdf2_(is_bdf2) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override;
  void load(MemoryReader& memory, std::size_t n) override;

 private:
  ModalSplit split_;
  bool is_bdf2_;
  Bdf2History history_;  // of BDF2; else it stays empty
  StepStart start_;
  std::vector<vec3> r_, s_;    // right-hand side
  std::vector<vec3> dx_, dv_;  // u1 − u0, then u1
};

}  // namespace clothlab
