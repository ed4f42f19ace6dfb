// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/vec.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/state.h"
#include "integrate/integrator.h"
#include "linalg/projection.h"

namespace clothlab {

// Shared by methods at the start and the end of a step, mainly for prescribed particles.

/// Sets the prescribed velocities (p1 − p0)/h [m/s]; free directions of v stay.
/// `x0` are the positions at the start of the step of length h [s], p1 the projection's targets.
void prescribe_velocity(const Projection& projection, std::span<const vec3> x0, double h, std::span<vec3> v);

/// v with prescribe_velocity applied: v itself if that changes nothing, else a copy in `copy`.
std::span<const vec3> prescribed_velocity(const Projection& projection, std::span<const vec3> x0, double h,
                                          std::span<const vec3> v, std::vector<vec3>& copy);

/// z := the change of v by prescribe_velocity [m/s]; unchanged for free particles.
void prescribe_change(const Projection& projection, std::span<const vec3> x0, double h,
                      std::span<const vec3> v, std::span<vec3> z);

/// Sets x̂ such that x̂ + γ v, with the velocities of prescribe_velocity, is the prescribed position at the end
/// of the step.
void prescribe_offset(const Projection& projection, std::span<const vec3> x0, double h, double gamma,
                      std::span<vec3> x_hat);

/// Puts prescribed particles exactly on their targets, with velocity (p1 − p0)/h, and ends the step of
/// couplings.
void prescribe(const Projection& projection, std::span<const vec3> x0, double h, std::span<vec3> x,
               std::span<vec3> v);

/// a := S M⁻¹ f(x, v) [m/s²], the acceleration of the free directions, with the forces of couplings; forces
/// do not move the prescribed ones. Reports the forces with that weight [s] in the step, if it is not 0.
void free_acceleration(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
                       const StepContext& context, double weight, std::span<vec3> a,
                       SpringForces springs = SpringForces::all);

/// The start of a step for its stages. Prescribed particles move at the constant velocity (p1 − p0)/h, so a
/// Runge–Kutta formula moves them correctly in all stages, up to rounding.
struct StepStart {
  std::vector<vec3> v;  ///< v0 [m/s], (p1 − p0)/h along constrained directions
  std::vector<vec3> a;  ///< free_acceleration(x0, v) [m/s²]

  /// No allocation for the same sizes. Reports the forces with that weight [s], if it is not 0. Throws
  /// Cancelled.
  void compute(const DynamicSystem& system, const State& state, double h, const StepContext& context,
               double weight);

  /// ‖f(x0, v)‖ [N] on the free directions.
  double force_norm(std::span<const double> masses) const;
};

/// Prepares the contacts of a step for an equation with x1 = x̂ + γ v1 and the force of contacts in γ f; their
/// impulses are then in units of γ f. For a stage, x1 and v1 are those at the end of this part of
/// the step.
void begin_contacts(const StepContext& context, double h, double gamma, std::span<const vec3> x0,
                    std::span<const vec3> x_hat, double part = 1);
/// Prepares them without a change of their impulses.
void refer_contacts(const StepContext& context, double h, double gamma, std::span<const vec3> x0,
                    std::span<const vec3> x_hat, double part = 1);
/// Multiplies the impulses of the contacts.
void scale_impulses(const StepContext& context, double factor);

/// Sets the velocities of closed contacts to those of their surfaces at this part of the step, along the
/// directions that they constrain, for methods whose v1 is not the velocity of a displacement. Where a
/// contact slips, friction changes with the push. Adds the change to the impulses of contacts. It has no
/// effect on pairs, which ContactCorrection::stop solves too.
void stop_at_contacts(const DynamicSystem& system, const StepContext& context, double h, std::span<vec3> v1,
                      double part = 1);

/// When the force of a contact acts in an explicit method, which decides how far it moves x1.
enum class ContactTiming {
  before_positions,  ///< x1 moves with v1: symplectic Euler
  after_positions,   ///< x1 is known before: explicit Euler, where v1 is that of the next displacement
  throughout         ///< a constant force: methods of higher order
};

/// Satisfies Coulomb's law at the contacts of an explicit step, at each particle alone, and reports their
/// impulses. x1 and v1 are those without contact. It has no effect on pairs: ContactCorrection::act solves
/// them.
void solve_contacts_locally(const DynamicSystem& system, const StepContext& context, double h,
                            ContactTiming timing, std::span<const vec3> x0, std::span<vec3> x1,
                            std::span<vec3> v1);

/// The end of a step: `prescribe` for u1 = (x1, v1), then swaps u1 into the state; x1 and v1 receive u0. The
/// ledger of the step gets the velocities.
void finish_step(const DynamicSystem& system, const StepContext& context, double h, std::vector<vec3>& x1,
                 std::vector<vec3>& v1, State& state);

}  // namespace clothlab
