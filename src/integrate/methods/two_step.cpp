// SPDX-License-Identifier: MIT
#include "integrate/two_step.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/history.h"
#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// A two-step method from its coefficients. With α2 = 1 it is
///   u1 = u0 + α0 (u0 − u₋₁) + h (β1 F(u0) + β0 F(u₋₁)) + h β2 F(u1).
/// The first step after a reset is one of a Runge–Kutta method of enough order.
class TwoStep final : public MethodWithHistory<History<3, 2>> {
 public:
  explicit TwoStep(const IntegratorParameters& values) : table_(std::span<const double>(values)) {
    const IntegratorInfo& first =
        tableau_method(tableau_preset(table_.is_implicit() ? "sdirk3" : "rk4")).info;
    first_step_ = first.make({first.table.begin(), first.table.end()});
  }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    now_[0] = state.x;
    if (table_.uses_old_forces()) {  // these impulses are for a second
      start_.compute(system, state, h, context, 1);
      of_forces_.keep(context, 1, 0);
      if (context.ledger != nullptr) context.ledger->begin();
    } else {
      start_.compute(system, state, h, context, 0);
    }
    if (history_.full) {
      step(system, state, h, context, report);
    } else {
      report = first_step_->advance(system, state, h, context);
      if (report.stopped) return;
    }
    of_step_.keep(context, 1, 0);
    std::swap(of_old_forces_, of_forces_);
    now_[1] = start_.v;
    now_[2] = start_.a;
    std::swap(history_.vectors, now_);
    history_.full = true;
  }

  void step(const DynamicSystem& system, State& state, double h, const StepContext& context,
            StepReport& report) {
    const std::size_t n = system.size();
    for (auto* scratch : {&x1_, &v1_, &x_hat_, &v_hat_, &guess_}) scratch->resize(n);
    const std::vector<vec3>&x0 = state.x, &v0 = start_.v, &a0 = start_.a;
    const double share = table_.alpha(0), now = h * table_.beta(1), old = h * table_.beta(0);
    context.for_particles(n, [&](std::size_t i) {
      x_hat_[i] = x0[i] + share * (x0[i] - x_before_[i]) + now * v0[i] + old * v_before_[i];
      v_hat_[i] = v0[i] + share * (v0[i] - v_before_[i]) + now * a0[i] + old * a_before_[i];
      guess_[i] = v0[i] + h * a0[i];
    });
    of_step_.recall(context, share);
    if (now != 0) recall(system, context, of_forces_, now, a0);
    if (old != 0) recall(system, context, of_old_forces_, old, a_before_);
    if (table_.is_implicit()) {
      solve(system, state, h, context, report);
    } else {
      x1_ = x_hat_;
      v1_ = v_hat_;
      contacts_.act(system, context, h, ContactTiming::after_positions, {state.x, v0, x1_, v1_}, report);
      scale_impulses(context, 1 / part_of_contacts());
    }
    finish_step(system, context, h, x1_, v1_, state);
  }

  static void recall(const DynamicSystem& system, const StepContext& context, const ImpulseMemory& impulses,
                     double weight, std::span<const vec3> a) {
    impulses.recall(context, weight);
    if (context.ledger == nullptr) return;
    const std::span<vec3> kept = context.ledger->keep(weight, a.size());
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = system.masses()[i] * a[i];
  }

  /// The rest of the impulse at a contact is that of the last step.
  double part_of_contacts() const { return 1 - table_.alpha(0); }

  void solve(const DynamicSystem& system, const State& state, double h, const StepContext& context,
             StepReport& report) {
    const double gamma = h * table_.beta(2);
    prescribe_offset(system.projection(), state.x, h, gamma, x_hat_);
    const auto equation = StageEquation::of(gamma, x_hat_, v_hat_, h * start_.force_norm(system.masses()));
    begin_contacts(context, h, gamma, state.x, x_hat_);
    scale_impulses(context, part_of_contacts() * h / gamma);
    stage_.solve(system, equation, state.x, {start_.v, guess_}, context, x1_, v1_, report);
    stage_.report(system, context, 1, gamma, x1_, v1_);
    if (table_.uses_old_forces()) contacts_.stop(system, context, h, start_.v, v1_, report);
    report_contacts(context, system.size());
    scale_impulses(context, 1 / part_of_contacts());
  }

  TwoStepTable table_;
  std::unique_ptr<Integrator> first_step_;
  // u₋₁, with F(u₋₁) = (v, a).
  std::vector<vec3>& x_before_ = history_.vectors[0];
  std::vector<vec3>& v_before_ = history_.vectors[1];
  std::vector<vec3>& a_before_ = history_.vectors[2];
  ImpulseMemory& of_step_ = history_.impulses[0];        // of the last step
  ImpulseMemory& of_old_forces_ = history_.impulses[1];  // those at u₋₁, for a second
  std::array<std::vector<vec3>, 3> now_;                 // x0, v0 and a0, the next history
  ImpulseMemory of_forces_;                              // those at u0, for a second
  ImplicitStage stage_;
  ContactCorrection contacts_;
  StepStart start_;
  std::vector<vec3> x_hat_, v_hat_, guess_, x1_, v1_;
};

/// The method of Adams and Bashforth, where no coefficients are given: TwoStepTable::values.
constexpr std::array kAdamsBashforth2{0.0, -1.0, -0.5, 1.5, 0.0};

}  // namespace

extern constinit const IntegratorInfo kTwoStep{
    .id = kTwoStepIntegrator,
    .title = "Two-step tableau",
    .letters = "T2",
    .family = IntegratorFamily::explicit_method,
    .order = 2,
    .only_forward = kUsesEarlierSteps,
    .formula = "u1 - u0 = h (3/2 F(u0) - 1/2 F(u₋₁))",
    .summary =
        "Any two-step method, from the coefficients α and β that you give: the Adams methods, leapfrog, "
        "Milne's method, BDF2. Without them it is the method of Adams and Bashforth, which needs one "
        "evaluation of the forces per step for order two.",
    .cost = "One evaluation of the forces per step without coefficients.",
    .use = "A method that is not in this list, next to those that are.",
    .reference = "Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, chapter III",
    .stability_limit = 0,
    .growth = two_step_growth,
    .force_time = two_step_force_time,
    .make = make_method<TwoStep>,
    .table = kAdamsBashforth2,
};

}  // namespace clothlab
