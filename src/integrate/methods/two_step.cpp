// SPDX-License-Identifier: MIT
#include "integrate/two_step.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// A two-step method from its coefficients. With α2 = 1 it is
///   u1 = u0 + α0 (u0 − u₋₁) + h (β1 F(u0) + β0 F(u₋₁)) + h β2 F(u1).
/// The first step after a reset is one of a Runge–Kutta method of enough order.
class TwoStep final : public Integrator {
 public:
  explicit TwoStep(const IntegratorParameters& values) : table_(std::span<const double>(values)) {
    const IntegratorInfo& first =
        tableau_method(tableau_preset(table_.is_implicit() ? "sdirk3" : "rk4")).info;
    first_step_ = first.make({first.table.begin(), first.table.end()});
  }

  bool has_history() const override { return full_; }
  void save(Memory& memory) const override {
    memory.put(full_ ? 1 : 0);
    if (!full_) return;
    for (const auto* vectors : {&before_.x, &before_.v, &before_.a}) memory.put(*vectors);
    of_last_step_.save(memory);
    of_old_forces_.save(memory);
  }
  void load(MemoryReader& memory, std::size_t n) override {
    full_ = !memory.at_end() && memory.count(1) == 1;
    of_last_step_.clear();
    of_old_forces_.clear();
    if (!full_) return;
    for (auto* vectors : {&before_.x, &before_.v, &before_.a}) {
      vectors->resize(n);
      memory.vectors(*vectors);
    }
    of_last_step_.load(memory, n);
    of_old_forces_.load(memory, n);
  }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    now_.x = state.x;
    if (table_.uses_old_forces()) {  // these impulses are for a second
      start_.compute(system, state, h, context, 1);
      of_forces_.keep(context, 1, 0);
      if (context.ledger != nullptr) context.ledger->begin();
    } else {
      start_.compute(system, state, h, context, 0);
    }
    if (full_) {
      step(system, state, h, context, report);
    } else {
      report = first_step_->advance(system, state, h, context);
      if (report.stopped) return;
    }
    of_last_step_.keep(context, 1, 0);
    std::swap(of_old_forces_, of_forces_);
    now_.v = start_.v;
    now_.a = start_.a;
    std::swap(before_, now_);
    full_ = true;
  }

  void step(const DynamicSystem& system, State& state, double h, const StepContext& context,
            StepReport& report) {
    const std::size_t n = system.size();
    for (auto* scratch : {&x1_, &v1_, &x_hat_, &v_hat_, &guess_}) scratch->resize(n);
    const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
    const double share = table_.alpha(0), now = h * table_.beta(1), old = h * table_.beta(0);
    context.for_particles(n, [&](std::size_t i) {
      x_hat_[i] = now_.x[i] + share * (now_.x[i] - before_.x[i]) + now * v0[i] + old * before_.v[i];
      v_hat_[i] = v0[i] + share * (v0[i] - before_.v[i]) + now * a0[i] + old * before_.a[i];
      guess_[i] = v0[i] + h * a0[i];
    });
    of_last_step_.recall(context, share);
    if (now != 0) recall(system, context, of_forces_, now, a0);
    if (old != 0) recall(system, context, of_old_forces_, old, before_.a);
    if (table_.is_implicit()) {
      solve(system, state, h, context, report);
    } else {
      x1_ = x_hat_;
      v1_ = v_hat_;
      solve_contacts_locally(system, context, h, ContactTiming::after_positions, state.x, x1_, v1_);
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
    if (table_.uses_old_forces()) stop_at_contacts(system, context, h, v1_);
    report_contacts(context, system.size());
    scale_impulses(context, 1 / part_of_contacts());
  }

  struct Past {
    std::vector<vec3> x, v, a;  // u and F(u)
  };

  TwoStepTable table_;
  std::unique_ptr<Integrator> first_step_;
  bool full_ = false;
  Past before_, now_;
  ImpulseMemory of_last_step_, of_old_forces_, of_forces_;
  ImplicitStage stage_;
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
