// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include "integrate/backward_euler.h"
#include "integrate/energy_target.h"
#include "integrate/growth.h"
#include "integrate/history.h"

namespace clothlab {
namespace {

/// The implicit midpoint rule, u_M, blended with a method that loses or gains energy [Dinev 2018]:
///   u1 = (1 − α) u_M + α u_E,   u_E by backward Euler if H(u_M) > H*, by explicit Euler if H(u_M) < H*.
/// α in [0, 1] is such that H(u1) = H* (EnergyTarget), or 1 if there is none; 0 if both have the same H. The
/// impulses of the ledger are blended as the states.
///
/// The implicit steps solve contact, and their impulses are blended too. Particles that may touch something
/// take no part of the explicit step.
class EnergyTracking final : public MethodWithHistory<EnergyTarget> {
  struct End {
    std::vector<vec3> x, v;
    StepLedger ledger;
    std::vector<NodalContact> contacts;
  };

  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    const bool is_new = guess_.size() != n;
    for (End* end : {&middle_, &euler_, &blend_}) {
      end->x.resize(n);
      end->v.resize(n);
      end->ledger.scratch(n);
      end->ledger.begin();
    }
    guess_.resize(n);
    if (is_new) allocate(system, state, h, context);
    target_.begin(system, context.pool, state);
    take_midpoint(system, state, h, context, report);
    const auto excess = [&](double alpha) {
      blend(context, alpha);
      return target_.excess(system, context, blend_.ledger, state, h, blend_.x, blend_.v);
    };
    double left = excess(0);
    if (!target_.is_rounding(left)) {
      take_euler(system, state, h, left > 0, context, report);
      left = approach_target(left, excess, context);
    }
    if (context.ledger != nullptr) {
      context.ledger->impulses().combine(1, 1, blend_.ledger.impulses());
      for (End* end : {&middle_, &euler_}) context.ledger->take_evaluations(end->ledger);
    }
    finish_step(system, context, h, blend_.x, blend_.v, state);
    target_.keep(std::max(left, 0.0));  // what the step could not return is given up
  }

  /// Takes a step of each of Euler's methods in vain, so that a later first one allocates nothing.
  void allocate(const DynamicSystem& system, const State& state, double h, StepContext context) {
    context.contacts = {};
    context.reached = {};
    context.ledger = nullptr;
    start_.compute(system, state, h, context, 0);
    StepReport unused;
    for (const bool implicit : {true, false}) {
      take_euler(system, state, h, implicit, context, unused);
      blend_.ledger.impulses().combine(1, 1, euler_.ledger.impulses());
      euler_.ledger.begin();
      euler_.ledger.clear_evaluations();
    }
  }
  void take_midpoint(const DynamicSystem& system, const State& state, double h, StepContext context,
                     StepReport& report) {
    context.ledger = &middle_.ledger;
    start_.compute(system, state, h, context, 0);
    const auto& [v0, a0] = start_;
    auto& [x, v, ledger, contacts] = middle_;
    for (std::size_t i = 0; i < v0.size(); ++i) guess_[i] = v0[i] + h / 2 * a0[i];
    const auto equation = StageEquation::of(h / 2, state.x, v0, h * start_.force_norm(system.masses()));
    begin_contacts(context, h, h, state.x, state.x);
    scale_impulses(context, 0.5);
    stage_.solve(system, equation, state.x, {v0, guess_}, context, x, v, report);
    stage_.report(system, context, 2, h / 2, x, v);
    for (std::size_t i = 0; i < v0.size(); ++i) {
      x[i] = state.x[i] + h * v[i];
      v[i] = 2.0 * v[i] - v0[i];
    }
    scale_impulses(context, 2);
    stop_at_contacts(system, context, h, v);
    report_contacts(context, v0.size());
    prescribe(system.projection(), state.x, h, x, v);
    contacts.assign(context.contacts.begin(), context.contacts.end());
  }
  void take_euler(const DynamicSystem& system, const State& state, double h, bool implicit,
                  StepContext context, StepReport& report) {
    auto& [x, v, ledger, contacts] = euler_;
    context.ledger = &ledger;
    if (implicit) {
      backward_.solve(system, state, h, context, x, v, report);
    } else {
      const auto& [v0, a0] = start_;
      for (std::size_t i = 0; i < v0.size(); ++i) {
        x[i] = state.x[i] + h * v0[i];
        v[i] = v0[i] + h * a0[i];
      }
      report_forces(context, system, h, state.x, v0);
      report_contacts(context, v0.size());
      for (const NodalContact& contact : context.contacts) {
        x[contact.particle] = middle_.x[contact.particle];
        v[contact.particle] = middle_.v[contact.particle];
      }
    }
    prescribe(system.projection(), state.x, h, x, v);
    contacts.assign(context.contacts.begin(), context.contacts.end());
  }
  /// Sets blend_.
  void blend(const StepContext& context, double alpha) {
    context.for_particles(blend_.x.size(), [&](std::size_t i) {
      blend_.x[i] = alpha == 0 ? middle_.x[i] : (1 - alpha) * middle_.x[i] + alpha * euler_.x[i];
      blend_.v[i] = alpha == 0 ? middle_.v[i] : (1 - alpha) * middle_.v[i] + alpha * euler_.v[i];
    });
    for (std::size_t k = 0; k < context.contacts.size(); ++k) {
      const NodalContact& first = middle_.contacts[k];
      NodalContact& contact = context.contacts[k] = first;
      if (alpha == 0) continue;
      const NodalContact& second = euler_.contacts[k];
      contact.impulse = (1 - alpha) * first.impulse + alpha * second.impulse;
      contact.state = first.state == second.state ? first.state : ContactState::slip;
    }
    blend_.ledger.begin();
    blend_.ledger.impulses().combine(1, 1 - alpha, middle_.ledger.impulses());
    if (alpha > 0) blend_.ledger.impulses().combine(1, alpha, euler_.ledger.impulses());
  }
  /// Blends so that H is at or just below H*, by the method of Illinois; returns H − H*.
  template <class Excess>
  double approach_target(double at_middle, const Excess& excess, const StepContext& context) {
    constexpr int kMost = 40;
    constexpr double kEnough = 1e-9;  // of the excess of the midpoint rule
    double above = 0, below = 1;      // shares with H above and below H*
    double of_above = at_middle, of_below = excess(1);
    if (target_.is_negligible(of_below - at_middle)) return excess(0);  // a rigid motion, for example
    if (at_middle < 0) {
      std::swap(above, below);
      std::swap(of_above, of_below);
      if (of_above <= 0) return of_above;
    } else if (of_below > 0) {
      return of_below;
    }
    double left = of_below;
    bool was_below = false;
    for (int k = 0; k < kMost && left < -kEnough * std::abs(at_middle) && !target_.is_rounding(left); ++k) {
      context.poll();
      const double share = std::isfinite(of_above) ? of_below / (of_below - of_above) : 0.5;
      const double alpha = below + share * (above - below), now = excess(alpha);
      const bool is_below = now <= 0;
      const bool stays = k > 0 && is_below == was_below;
      was_below = is_below;
      if (is_below) {
        below = alpha;
        left = of_below = now;
        if (stays) of_above /= 2;
      } else {
        above = alpha;
        of_above = now;
        if (stays) of_below /= 2;
      }
    }
    return excess(below);
  }
  EnergyTarget& target_ = history_;
  StepStart start_;
  ImplicitStage stage_;
  BackwardEulerStep backward_;
  End middle_, euler_, blend_;
  std::vector<vec3> guess_;  // v0 + h/2 a0
};

}  // namespace

extern constinit const IntegratorInfo kEnergyTracking{
    .id = "energy-tracking",
    .title = "Energy tracking",
    .letters = "ET",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .solves_pairs = false,
    .only_forward = kUsesEarlierSteps,
    .formula =
        "u_M = u0 + h F((u0 + u_M)/2), by Newton's method; u1 = (1 − α) u_M + α u_E, H(u1) = H0 + works; u_E "
        "by backward Euler if H(u_M) is above, by explicit Euler if it is below",
    .summary =
        "Implicit midpoint that keeps to the energy balance: a share of backward Euler takes away energy "
        "that the midpoint rule has gained, a share of explicit Euler returns energy that it has lost. On an "
        "oscillator it is the midpoint rule.",
    .cost =
        "A nonlinear solve, a second one where the midpoint rule has gained energy, and some evaluations of "
        "the energy.",
    .use = "Undamped motion at steps where the midpoint rule gains energy.",
    .reference =
        "Dinev, Liu, Kavan: Stabilizing integrators for real-time physics, ACM Transactions on Graphics 37, "
        "2018",
    .growth = trapezoidal_growth,
    .make = make_method<EnergyTracking>,
};

}  // namespace clothlab
