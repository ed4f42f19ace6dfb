#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/length_constraints.h"

namespace clothlab {

/// Position-based dynamics of inextensible stretch springs [Müller et al. 2007], with a second projection,
/// that of the velocities onto the constraints' tangent space [Ascher, Petzold 1998, 10.2]. f is without the
/// elastic force of stretch springs:
///   x = x0 + h (v0 + h M⁻¹ f(x0, v0)), then `iterations` Gauss–Seidel sweeps towards C(x) = l − L = 0;
///   v = (x − x0)/h;   v −= M⁻¹Jᵀ (J M⁻¹Jᵀ)⁺ J v.
/// Without the second projection it is plain PBD, whose velocities drift off the tangent space.
class PbdProj2 final : public Integrator {
 public:
  PbdProj2(int iterations, bool velocity_projection)
      : iterations_(iterations), velocity_projection_(velocity_projection) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  double enter(const DynamicSystem& system, State& state, double h, const StepContext& context,
               StepReport& report) override;

 private:
  int iterations_;
  bool velocity_projection_;
  LengthConstraints constraints_;
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
  std::vector<vec3> a_;
};

}  // namespace clothlab
