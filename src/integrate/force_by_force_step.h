// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "integrate/colouring.h"
#include "integrate/integrator.h"
#include "integrate/stage_contacts.h"

namespace clothlab {

/// Assigns; returns true if the value changed.
template <class Value>
bool replace(Value& old, const Value& value) {
  if (old == value) return false;
  old = value;
  return true;
}

/// The step of backward Euler as a minimisation over x, for methods that process its forces one by one:
///
///   ½ ‖x − y‖²_M/h² + Σ E(x) + dissipation,   y = x0 + h v0 + h² M⁻¹ f_ext,   v1 = (x1 − x0)/h,
///
/// with its residual, its scale and its impulses. Damping of a spring by k_d is isotropic, or along the
/// spring, for every damping model; damping by mass β adds β/(2h) ‖x − x0‖²_M; the stiffness part of
/// Rayleigh's damping is omitted. Wind is explicit, in f_ext. The grab is implicit.
///
/// A contact by penalty adds ½ k max(0, d̂ − g)², and if it was active at the start also damping along n and
/// friction with the load at the start. All are implicit, with n and the surface of the start.
class ForceByForceStep : public Integrator {
 protected:
  explicit ForceByForceStep(bool damps_along_springs) : damps_along_springs_(damps_along_springs) {}

  // Members with a context throw Cancelled.
  /// Prepares scratch memory, the colouring, inertia and springs; true if the last two have changed since the
  /// last step.
  bool update(const DynamicSystem& system, double h, const StepContext& context);
  /// Begins a step, after `update`, at dx = h v0. Returns h² ‖f0‖, the scale of the residual [kg·m].
  double begin(const DynamicSystem& system, const State& state, double h, const StepContext& context);
  /// x_ := x0 + dx_, residual_ := −S r h² [kg·m]
  void evaluate(const DynamicSystem& system, std::span<const vec3> x0, double h, const StepContext& context);
  /// The force of a contact after the change dx_, times h² [kg·m]: the part with a potential, the remainder,
  /// and the negative derivative of the remainder [kg].
  struct Pressed {
    vec3 push, lost;
    mat3 drag;
  };
  Pressed press(const ContactElement& contact, double h) const;
  /// ‖residual_‖ [kg·m]; with contacts of particles the part that no impulse of theirs balances.
  double size_of_residual(double h, const StepContext& context);
  /// True if the norm is within the target or the rounding.
  bool is_small(double residual, double target, double h) const;
  /// Ends a step at dx_, after `evaluate`. Reports ‖r‖ relative to `scale`, and with it whether the step has
  /// converged or `not_converged`, unless there is a reason already.
  void end(const DynamicSystem& system, State& state, double h, double residual, double scale,
           std::string_view not_converged, const StepContext& context, StepReport& report);

  /// The strain limit of the k-th of locals_.
  StrainLimit limit(std::size_t k) const {
    return colouring_.order()[k] < stretch_count_ ? limit_ : StrainLimit();
  }
  /// The largest stiffness of the k-th of locals_: beyond its limit, if it has one [kg].
  double largest_stiffness(std::size_t k) const {
    const StrainLimit of_spring = limit(k);
    return of_spring.strain > 0 && locals_[k].rest_length > 0 ? of_spring.factor * locals_[k].stiffness
                                                              : locals_[k].stiffness;
  }

  bool damps_along_springs_;
  SpringColouring colouring_;
  std::vector<SpringInStep> locals_;  // in the order of the colouring
  std::vector<double> inertia_;       // m (1 + hβ) [kg]
  ContactElements contacts_;
  StageContacts touching_;
  std::vector<vec3> push_;  // M h v0 + h² f_ext
  std::vector<vec3> dx_;    // x − x0
  std::vector<vec3> x_;
  std::vector<vec3> v_;
  std::vector<vec3> impulse_;
  std::vector<vec3> residual_;

 private:
  /// Uses the unfiltered residual, which `evaluate` left in the ledger's scratch memory.
  void report_impulses(const DynamicSystem& system, const State& state, double h, const StepContext& context);
  /// Bound of the residual's norm from the rounding of x_.
  double rounding_noise(double h) const;

  StrainLimit limit_;  // of the first stretch_count_ springs
  std::size_t stretch_count_ = 0;
  std::vector<double> row_sum_;  // of the absolute values in a row of the matrix of inertia and springs
};

}  // namespace clothlab
