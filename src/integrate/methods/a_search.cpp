// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <span>
#include <vector>

#include "dynamics/impulses.h"
#include "integrate/backward_euler.h"
#include "integrate/energy_target.h"
#include "integrate/growth.h"
#include "integrate/history.h"

namespace clothlab {
namespace {

/// The smallest α in [0, 1] with c + bα + aα² = 0; without one, the α that comes nearest.
double share_of_change(double a, double b, double c) {
  const double discriminant = b * b - 4 * a * c;
  const double q = -(b + std::copysign(std::sqrt(std::max(discriminant, 0.0)), b)) / 2;
  std::array<double, 2> roots{c / q, q / a};
  if (roots[1] < roots[0]) std::swap(roots[0], roots[1]);
  for (const double root : roots)
    if (discriminant >= 0 && root >= 0 && root <= 1) return root;
  double best = 0;
  const auto size = [&](double alpha) { return std::abs(c + alpha * (b + alpha * a)); };
  for (const double alpha : {1.0, -b / (2 * a)})
    if (alpha > 0 && alpha <= 1 && size(alpha) < size(best)) best = alpha;
  return best;
}

/// Backward Euler, to (x1, v), with another velocity at the end [You 2026]:
///   v1 = v + α d,   d = h M⁻¹ (g(x0) − g(x1)),   g the conservative forces.
/// α in [0, 1] is the smallest one that gives the total energy of EnergyTarget, or the one that comes
/// nearest. The energy is quadratic in α, with the works of the ledger. On a linear force the method with
/// α = 1 is symplectic.
///
/// Contacts that are closed keep the velocities of backward Euler: there g is balanced by impulses. So does
/// all cloth in a step with closed pairs of features, because d would open them or change the momentum.
class ASearch final : public MethodWithHistory<EnergyTarget> {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    ledger_.begin();
    StepContext own = context;
    own.ledger = &ledger_;
    step_.solve(system, state, h, own, x1_, v1_, report);
    prescribe(system.projection(), state.x, h, x1_, v1_);
    compute_change(system, state.x, h, context);

    // c + bα + aα² = H − H*
    target_.begin(system, context.pool, state);
    const double c = target_.excess(system, context, ledger_, state, h, x1_, v1_);
    double left = c;
    const std::size_t n = v1_.size();
    const std::span<const double> m = system.masses();
    const double a =
        sum_over(context.pool, n, 4096, [&](std::size_t i) { return m[i] / 2 * glm::dot(d_[i], d_[i]); });
    if (a > 0 && std::isfinite(a)) {  // a barrier that moves is infinite at x0
      context.for_particles(n, [&](std::size_t i) { v_[i] = v1_[i] + d_[i]; });
      add_reactions(1);
      const double b = target_.excess(system, context, ledger_, state, h, x1_, v_) - a - c;
      const double alpha = share_of_change(a, b, c);
      add_reactions(alpha - 1);
      context.for_particles(n, [&](std::size_t i) { v1_[i] += alpha * d_[i]; });
      left = c + alpha * (b + alpha * a);
    }
    context.poll();
    if (context.ledger != nullptr) {
      context.ledger->impulses().combine(1, 1, ledger_.impulses());
      context.ledger->take_evaluations(ledger_);
    }
    finish_step(system, context, h, x1_, v1_, state);
    target_.keep(left);
  }

  /// Adds a share of the change of momentum that prescribed particles do not follow.
  void add_reactions(double share) {
    const std::span<vec3> of_held = ledger_.impulses().add_to(ImpulseKind::held, reactions_.size());
    for (std::size_t k = 0; k < reactions_.size(); ++k) of_held[k] += share * reactions_[k];
  }
  /// Sets d and the reactions.
  void compute_change(const DynamicSystem& system, std::span<const vec3> x0, double h,
                      const StepContext& context) {
    const std::size_t n = system.size();
    v_.resize(n);
    d_.assign(n, vec3(0));
    add_conservative_forces(system, context, x0, h);
    add_conservative_forces(system, context, x1_, -h);
    const std::span<const double> m = system.masses();
    reactions_.clear();
    for (const Projection::Entry& e : system.projection().entries()) reactions_.push_back(d_[e.particle]);
    context.for_particles(n, [&](std::size_t i) { d_[i] /= m[i]; });
    system.projection().filter_motion(d_);
    for (const NodalContact& contact : context.contacts)
      if (contact.state != ContactState::open) d_[contact.particle] = vec3(0);
    const auto is_closed = [](const PairContact& pair) { return pair.state != ContactState::open; };
    if (std::ranges::any_of(context.pairs, is_closed)) std::ranges::fill(d_, vec3(0));
  }
  /// d_ += weight g(x): the forces at rest, without those of the air and of friction.
  void add_conservative_forces(const DynamicSystem& system, const StepContext& context,
                               std::span<const vec3> x, double weight) {
    at_rest_.assign(x.size(), vec3(0));
    others_.clear();
    if (context.ledger != nullptr) context.ledger->count_evaluation();
    system.force_and_impulses(context.pool, {.weight = 1, .x = x, .v = at_rest_, .v_end = at_rest_}, v_,
                              others_);
    context.poll();
    for (const ImpulseKind kind : {ImpulseKind::damping, ImpulseKind::wind, ImpulseKind::hand,
                                   ImpulseKind::friction, ImpulseKind::drivers}) {
      const std::span<const vec3> other = others_.of(kind);
      for (std::size_t i = 0; i < other.size(); ++i) v_[i] -= other[i];
    }
    context.for_particles(x.size(), [&](std::size_t i) { d_[i] += weight * v_[i]; });
  }

  BackwardEulerStep step_;
  EnergyTarget& target_ = history_;
  StepLedger ledger_;
  Impulses others_;
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
  std::vector<vec3> d_;          // first M d
  std::vector<vec3> reactions_;  // M d of prescribed particles
  std::vector<vec3> v_;          // forces, then v1 at α = 1
  std::vector<vec3> at_rest_;
};

/// That of α = 1: on an undamped oscillator 1, which is also the mean with the α of the energy.
double a_search_growth(double y, double s, const IntegratorParameters& /*values*/) {
  const double beta = 1 / (1 + s + y * y);
  return quadratic_radius((1 - beta) / 2, y * y * beta, (1 + y * y) * beta);
}

}  // namespace

extern constinit const IntegratorInfo kASearch{
    .id = "a-search",
    .title = "A-search",
    .letters = "AS",
    .family = IntegratorFamily::implicit,
    .only_forward = kUsesEarlierSteps,
    .formula =
        "(x1, v) = u0 + h F(x1, v), by Newton's method; v1 = v + α h M⁻¹ (g(x0) − g(x1)), α in [0, 1] such "
        "that H(x1, v1) = H0 + works; g: conservative forces",
    .summary =
        "Backward Euler whose velocities get back energy that the method took, as far as the energy balance "
        "allows: undamped cloth keeps its energy at large steps, in slow motion rather than in fast "
        "oscillations. Its error is of first order in the mean. A step that crushes springs may gain energy; "
        "the next steps take it back. Closed contacts keep the velocities of backward Euler.",
    .cost = "As backward Euler, two more evaluations of the forces and three of the energy.",
    .use = "Stable steps at any stiffness, with motion that does not die out.",
    .reference =
        "You, Zheng, Li: Energy-Controllable Time Integration for Elastodynamic Contact, arXiv:2602.08094, "
        "2026",
    .growth = a_search_growth,
    .make = make_method<ASearch>,
};

}  // namespace clothlab
