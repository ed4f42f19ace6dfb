// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <glm/geometric.hpp>
#include <span>

#include "integrate/growth.h"
#include "integrate/rod_method.h"

namespace clothlab {
namespace {

// ε of the velocities of compliant rods. They carry the load, because sweeps do not propagate it from the
// pins through a large sheet. With 0.01 a sheet of 64×64 strains twice as much.
constexpr double kPbdSoftness = 1e-4;

/// Position-based dynamics of inextensible stretch springs [Müller 2007], with a second projection of the
/// velocities onto the constraints' tangent space [Ascher 1998, §10.2]. f is without the elastic force of
/// stretch springs:
///   x = x0 + h (v0 + h M⁻¹ f(x0, v0)), then `iterations` Gauss–Seidel sweeps towards C(x) = l − L = 0, each
///   with Coulomb's law at every contact;
///   v = (x − x0)/h;   v −= M⁻¹Jᵀ (J M⁻¹Jᵀ)⁺ J v.
/// Without the second projection it is plain PBD, whose velocities drift off the tangent space.
class PbdProj2 final : public RodMethod {
 public:
  /// `values` are those of kPbdParameters.
  explicit PbdProj2(const IntegratorParameters& values)
      : iterations_(static_cast<int>(values.at(0))), velocity_projection_(values.at(1) != 0) {}

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    predict(system, state, h, h, context);
    prescribe(system.projection(), state.x, h, x1_, v1_);
    for (NodalContact& contact : context.contacts) contact.impulse = vec3(0);
    for (int k = 0; k < iterations_; ++k) {
      context.poll();
      constraints_.sweep(x1_);
      obey_contacts(system, context, h, state.x);
    }
    for (std::size_t i = 0; i < x1_.size(); ++i) v1_[i] = (x1_[i] - state.x[i]) / h;
    report.rod_forces = constraints_.forces(1 / (h * h));
    report_contacts(context, x1_.size());
    if (velocity_projection_) {
      prescribe(system.projection(), state.x, h, x1_, v1_);
      constraints_.linearise(context, x1_);
      constraints_.project_velocities(context, v1_, kPbdSoftness, report);
      keep_out(context, h, state.x);
    }
    end_step(system, state, h, context, report);
  }
  /// Replaces the impulses of contacts, at each particle alone: Coulomb's law for the rods' last sweep.
  void obey_contacts(const DynamicSystem& system, const StepContext& context, double h,
                     std::span<const vec3> x0) {
    const std::span<const double> m = system.masses();
    for (NodalContact& contact : context.contacts) {
      const std::uint32_t i = contact.particle;
      x1_[i] -= h / m[i] * contact.impulse;
      v1_[i] = (x1_[i] - x0[i]) / h;
    }
    StepContext of_sweep = context;
    of_sweep.ledger = nullptr;
    solve_contacts_locally(system, of_sweep, h, ContactTiming::before_positions, x0, x1_, v1_);
  }
  /// No velocity goes into a surface faster than the positions did: that would be an impact, with friction.
  void keep_out(const StepContext& context, double h, std::span<const vec3> x0) {
    for (const NodalContact& contact : context.contacts) {
      if (contact.state == ContactState::open) continue;
      const std::uint32_t i = contact.particle;
      const vec3 moved = (x1_[i] - x0[i]) / h;
      const double least = std::min(glm::dot(contact.normal, moved - contact.end_velocity), 0.0);
      const double away = glm::dot(contact.normal, v1_[i] - contact.end_velocity);
      if (away < least) v1_[i] += (least - away) * contact.normal;
    }
  }

  int iterations_;
  bool velocity_projection_;
};

constexpr std::array kPbdParameters{
    ParameterSpec{
        .id = "pbd-iterations",
        .title = "PBD iterations",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 10000,
        .fallback = 20,
        .logarithmic = true,
        .help = "Sweeps over all stretch springs per step. More sweeps reduce the length error.",
    },
    ParameterSpec{
        .id = "velocity-projection",
        .title = "Velocity projection",
        .kind = ParameterSpec::Kind::boolean,
        .fallback = 1,
        .help = "Removes velocities that would change the lengths. Off: plain PBD, which drifts.",
    },
};

}  // namespace

extern constinit const IntegratorInfo kPbdProj2{
    .id = "pbd-proj2",
    .title = "PBD + velocity projection",
    .letters = "PB",
    .family = IntegratorFamily::position_based,
    .inextensible = true,
    .only_forward = kProjectsPositions,
    .formula =
        "x1 = x0 + h (v0 + h M⁻¹ f0), moved to C = l − L = 0 by Gauss–Seidel sweeps; "
        "v1 = (x1 − x0)/h; v1 −= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺ J v1",
    .summary =
        "Position-based dynamics with stretch springs as rods of fixed length, at any stiffness. Sweeps "
        "are cheap and never fail; more sweeps reduce the length error. The velocity projection removes "
        "velocities that would stretch the cloth again, most of them on large triangle meshes. Plain PBD "
        "keeps them. Bending springs and the grab are explicit and limit h.",
    .cost = "Sweeps over the stretch springs, and one linear solve for the velocities.",
    .use = "Cloth that hardly stretches, where exact motion does not count.",
    .reference =
        "Müller, Heidelberger, Hennix, Ratcliff: Position based dynamics, Journal of Visual "
        "Communication and Image Representation 18, 2007; Ascher, Petzold: Computer Methods "
        "for Ordinary Differential Equations and Differential-Algebraic Equations, "
        "section 10.2",
    .parameters = kPbdParameters,
    .stability_limit = 2,
    .coupling = StepCoupling::symplectic_euler,
    .growth = symplectic_euler_growth,
    .make = make_method<PbdProj2>,
};

}  // namespace clothlab
