// SPDX-License-Identifier: MIT
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/rattle.h"

namespace clothlab {
namespace {

/// Step and project with Newton's method [Goldenthal 2007], and a second projection of the velocities as in
/// pbd-proj2. f is without the elastic force of stretch springs:
///   x = x0 + h (v0 + h M⁻¹ f(x0, v0)),   x −= M⁻¹Jᵀ (J M⁻¹Jᵀ)⁺ C with all at x, until C(x) = l − L = 0;
///   v = (x − x0)/h;   v −= M⁻¹Jᵀ (J M⁻¹Jᵀ)⁺ J v.
/// If C(x0) is not 0, the target of x1 comes from LengthConstraints::approach. Steps that may touch a surface
/// are those of RATTLE.
class FastProjection final : public RodMethod {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    if (!context.contacts.empty()) return take_contact_step(system, state, h, context, report);
    predict(system, state, h, h, context);
    prescribe(system.projection(), state.x, h, x1_, v1_);
    constraints_.approach(state.x, h);
    constraints_.project_positions(context, LengthConstraints::Linearisation::at_iterates, x1_, push_,
                                   report);
    report.rod_forces = constraints_.forces(1 / (h * h));
    for (std::size_t i = 0; i < x1_.size(); ++i) v1_[i] = (x1_[i] - state.x[i]) / h;
    prescribe(system.projection(), state.x, h, x1_, v1_);
    constraints_.linearise(context, x1_);
    constraints_.project_velocities(context, v1_, kRattleSoftness, report);
    end_step(system, state, h, context, report);
  }
};

}  // namespace

extern constinit const IntegratorInfo kFastProjection{
    .id = "fast-projection",
    .title = "Fast projection",
    .letters = "FP",
    .family = IntegratorFamily::position_based,
    .uses_newton = true,
    .inextensible = true,
    .formula =
        "x1 = x0 + h (v0 + h M⁻¹ f0), then x1 −= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺ C(x1) until C = l − L = 0; "
        "v1 = (x1 − x0)/h; v1 −= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺ J v1",
    .summary =
        "Step and project: an explicit step, then Newton's method moves the particles to the lengths of all "
        "rods by the shortest displacement. It solves in a few iterations what the sweeps of PBD approach, "
        "and has a solution in long steps, where RATTLE has none. Energy is lost. Bending springs and the "
        "grab are explicit and limit h. On large triangle meshes and in steps that may touch a surface, rods "
        "are compliant as in RATTLE.",
    .cost =
        "Newton's method on the lengths: a linear system with an unknown per stretch spring in each "
        "iteration, and one more for the velocities. With compliant rods, two solves with multigrid.",
    .use = "Chains and nets that must not stretch, in steps that are too long for RATTLE.",
    .reference =
        "Goldenthal, Harmon, Fattal, Bercovier, Grinspun: Efficient simulation of inextensible cloth, ACM "
        "Transactions on Graphics 26(3), 2007",
    .stability_limit = 2,
    .coupling = StepCoupling::symplectic_euler,
    .growth = symplectic_euler_growth,
    .make = make_method<FastProjection>,
};

}  // namespace clothlab
