// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/integrator.h"
#include "integrate/length_constraints.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// Base of methods that treat stretch springs as rods.
class RodMethod : public Integrator {
 protected:
  /// v1_ := v0 + weight M⁻¹ f(x0, v0), x1_ := x0 + h v1_, with f without the elastic force of stretch
  /// springs; v0_ := v0. Reports the forces, and updates the constraints.
  void predict(const DynamicSystem& system, const State& state, double h, double weight,
               const StepContext& context) {
    for (auto* scratch : {&x1_, &v0_, &v1_, &a_, &push_}) scratch->resize(system.size());
    v0_ = state.v;
    prescribe_velocity(system.projection(), state.x, h, v0_);
    free_acceleration(system, state.x, v0_, context, weight, a_, SpringForces::inextensible);
    for (std::size_t i = 0; i < x1_.size(); ++i) {
      v1_[i] = v0_[i] + weight * a_[i];
      x1_[i] = state.x[i] + h * v1_[i];
    }
    context.poll();
    constraints_.update(system, context);
  }

  /// Exact lengths and surfaces contradict each other. A step that may touch a surface is therefore one of
  /// first order, with compliant rods and contacts in one linear solve:
  ///   x1 = x0 + h (v0 + h M⁻¹ (f(x0, v0) + forces of rods and contacts)),   v1 = (x1 − x0)/h.
  void take_contact_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                         StepReport& report) {
    predict(system, state, h, h, context);
    prescribe(system.projection(), state.x, h, x1_, v1_);
    constraints_.project_onto_contacts(context, h, state.x, x1_, report);
    report.rod_forces = constraints_.forces(1 / (h * h));
    for (std::size_t i = 0; i < x1_.size(); ++i) v1_[i] = (x1_[i] - state.x[i]) / h;
    report_contacts(context, x1_.size());
    end_step(system, state, h, context, report);
  }

  /// Ends a step at (x1_, v1_).
  void end_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                StepReport& report) {
    finish_step(system, context, h, x1_, v1_, state);
    report.length_violation = constraints_.violation(context.pool, state.x);
  }

  LengthConstraints constraints_;
  std::vector<vec3> x1_, v0_;
  std::vector<vec3> v1_;    // of Rattle: first v½
  std::vector<vec3> a_;     // of f
  std::vector<vec3> push_;  // displacement by rods; of Rattle −h²/2 M⁻¹ J0ᵀλ

 private:
  double project(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) final {
    return constraints_.enter(system, state, h, context, report);
  }
};

}  // namespace clothlab
