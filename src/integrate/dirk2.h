// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// A trapezoidal stage over a part of the step, then a stage to its end:
///   uc = u0 + node h/2 (F(u0) + F(uc));   u1 = u0 + weight (uc − u0) + end h F(u1),
/// both by Newton's method. TR-BDF2 and SDIRK2 are such methods with different constants.
class Dirk2 final : public Integrator {
 public:
  struct Constants {
    double node = 0;
    double weight = 0;
    double end = 0;
  };

  explicit Dirk2(const Constants& constants) : constants_(constants) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  Constants constants_;
  // One per stage, since a preconditioner depends on γ.
  ImplicitStage first_stage_;
  ImplicitStage second_stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;
  std::vector<vec3> v_hat_;
  std::vector<vec3> guess_;
  std::vector<vec3> xc_;
  std::vector<vec3> vc_;
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

/// Amplitude factor; R = (1 + weight (Rc − 1)) / (1 − end z), Rc = (1 + node z/2) / (1 − node z/2).
double dirk2_growth(const Dirk2::Constants& constants, double y, double s);

/// u½ = u0 + h/4 (F(u½) + F(u0)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1) [Bank 1985; Ascher 2022, §3.1].
double tr_bdf2_growth(double y, double s, const IntegratorParameters& values);

}  // namespace clothlab
