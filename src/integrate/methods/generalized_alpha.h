// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/integrator.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// The step of [Chung 1993], of Newmark's family (α_m = α_f = 0):
///   x1 = x0 + h v0 + h² ((½ − β) a0 + β a1),   v1 = v0 + h ((1 − γ) a0 + γ a1),
///   (1 − α_m) M a1 + α_m M a0 = f((1 − α_f) x1 + α_f x0, (1 − α_f) v1 + α_f v0)     (their (15)–(20)).
/// The acceleration a is the method's history; after a reset it is M⁻¹f(x0, v0).
///
/// The unknown is the velocity v_f at which f is evaluated: a1 and x_f are linear in it, which gives a
/// StageEquation.
class GeneralizedAlpha final : public Integrator {
 public:
  struct Constants {
    double alpha_m = 0;
    double alpha_f = 0;
    double gamma = 0;
    double beta = 0;
  };

  explicit GeneralizedAlpha(const Constants& constants) : constants_(constants) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override;
  void load(MemoryReader& memory, std::size_t n) override;

 private:
  Constants constants_;
  bool has_a_ = false;
  std::vector<vec3> a_;     // a0, then a1
  ImpulseMemory impulses_;  // M a by kind
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;
  std::vector<vec3> v_hat_;
  std::vector<vec3> guess_;
  std::vector<vec3> x1_;  // first x_f
  std::vector<vec3> v1_;  // first v_f
};

}  // namespace clothlab
