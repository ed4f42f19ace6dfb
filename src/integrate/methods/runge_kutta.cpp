// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/implicit_stage.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"
#include "integrate/tableau.h"

namespace clothlab {
namespace {

constexpr int kMostSweeps = 25;
constexpr double kSlowSweeps = 0.7;  // ratio of changes of two sweeps above which they may cycle
constexpr double kLeastShare = 1.0 / 16;
constexpr double kTighter = 0.1;  // tolerance of each stage where stages depend on each other

/// A Runge–Kutta method from a Butcher tableau.
///
/// Explicit stages evaluate forces; diagonal ones solve the equation of an implicit stage. Where stages
/// depend on later ones, sweeps with a triangular factor L of A = L U solve them one after the other,
///   U_i = u0 + h Σ_j (a_ij − l_ij) F_j + h Σ_{j<i} l_ij F_j' + h l_ii F(U_i),
/// with F_j from the last sweep and F_j' from this one, until they agree [Hoffmann 1997]. A whole Newton
/// iteration would need matrices that couple the stages; these sweeps solve symmetric ones.
class RungeKutta final : public Integrator {
 public:
  explicit RungeKutta(const IntegratorParameters& values) : table_(values), stages_(table_.stages()) {
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (is_implicit(i)) stages_[i].solver.emplace();
  }

 private:
  /// F as the velocity and the acceleration.
  struct Slope {
    std::vector<vec3> v, a;
  };
  struct Stage {
    std::vector<vec3> x, v;  // U_i
    Slope now, before;       // F_i without the forces of contacts, and that of the last sweep
    std::vector<vec3> x_hat, v_hat;
    std::optional<ImplicitStage> solver;

    /// Moves F_i of the last sweep by that share towards the one of this sweep.
    void keep_slope(double share) {
      if (share == 1) {
        before = now;
        return;
      }
      for (std::size_t k = 0; k < x.size(); ++k) {
        before.v[k] += share * (now.v[k] - before.v[k]);
        before.a[k] += share * (now.a[k] - before.a[k]);
      }
    }
  };

  bool is_implicit(std::size_t i) const { return !table_.is_zero_row(i) && table_.lower(i, i) > 0; }
  bool is_coupled() const { return table_.kind() == StageKind::full; }
  /// True if the last stage is the end of the step, where Coulomb's law then holds.
  bool solves_contacts() const { return table_.ends_at_last_stage() && is_implicit(stages_.size() - 1); }

  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (Stage& stage : stages_)
      for (auto* scratch : {&stage.x, &stage.v, &stage.now.v, &stage.now.a}) scratch->resize(n);
    for (auto* scratch : {&x1_, &v1_, &guess_}) scratch->resize(n);

    double at_start = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (table_.is_zero_row(i)) at_start += table_.b(i);
    start_.compute(system, state, h, context, at_start * h);
    const double scale = std::abs(h) * start_.force_norm(system.masses());
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      // Stages that are the start, and those that begin from it.
      if (!table_.is_zero_row(i) && i > 0 && !is_coupled()) continue;
      Stage& stage = stages_[i];
      stage.x = state.x;
      stage.v = stage.now.v = start_.v;
      stage.now.a = start_.a;
    }

    SolverSettings solver = context.solver;
    if (is_coupled()) {
      solver.stage_solve = StageSolve::newton;
      solver.newton_tolerance = std::max(kTighter * solver.newton_tolerance, 1e-14);
    }
    StepContext of_stages{solver, context.pool, context.stop, context.ledger, context.reached, {}};
    if (solves_contacts()) {
      of_stages.contacts = context.contacts;
      of_stages.pairs = context.pairs;
    }
    const double tolerance =
        std::max(context.solver.newton_tolerance * scale, rounding_of_slopes(system, scale));
    take_stages(system, state, h, of_stages, scale, tolerance, report);
    of_stages.pairs = {};  // their impulses on pins are not those of one stage
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (is_implicit(i)) {
        const double gamma = h * table_.lower(i, i);
        stages_[i].solver->report(system, of_stages, table_.b(i) * h / gamma, gamma, stages_[i].x,
                                  stages_[i].v);
      }

    if (solves_contacts()) {
      x1_.swap(stages_.back().x);
      v1_.swap(stages_.back().v);
      scale_impulses(context, table_.lower(stages_.size() - 1, stages_.size() - 1));
      contacts_.stop(system, context, h, start_.v, v1_, report);
      report_contacts(context, n);
    } else {
      context.for_particles(n, [&](std::size_t k) {
        vec3 v(0), a(0);
        for (std::size_t j = 0; j < stages_.size(); ++j) {
          v += table_.b(j) * stages_[j].now.v[k];
          a += table_.b(j) * stages_[j].now.a[k];
        }
        x1_[k] = state.x[k] + h * v;
        v1_[k] = start_.v[k] + h * a;
      });
      if (table_.kind() == StageKind::explicit_stages)
        contacts_.act(system, context, h, ContactTiming::throughout, {state.x, start_.v, x1_, v1_}, report);
      else
        contacts_.correct(system, context, {.h = h, .gamma = h, .moves = h / 2, .damping = h},
                          {state.x, start_.v, x1_, v1_}, report);
    }
    finish_step(system, context, h, x1_, v1_, state);
  }

  void take_stages(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                   double scale, double tolerance, StepReport& report) {
    double last = std::numeric_limits<double>::infinity();  // change
    double share = 1;
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double change = 0;
      if (is_coupled())
        for (Stage& stage : stages_) stage.keep_slope(share);
      for (std::size_t i = 0; i < stages_.size(); ++i) {
        if (table_.is_zero_row(i)) continue;
        context.poll();
        if (is_implicit(i))
          solve_stage(system, state, h, context, i, sweep, scale, report);
        else
          evaluate_stage(system, state, h, context, i);
        if (!is_coupled()) continue;
        const double of_stage = norm_of_change(system, h, context, stages_[i]);
        if (!(of_stage <= change)) change = of_stage;  // also if it is not a number
      }
      // Where the sweeps cycle, as in impacts, shorter steps along them converge.
      share = change > kSlowSweeps * last ? std::max(share / 2, kLeastShare) : std::min(1.5 * share, 1.0);
      last = change;
      if (!is_coupled() || !report.converged || change <= tolerance || !std::isfinite(change)) return;
    }
    report.fail(
        "the stages of the tableau depend on each other, and still changed in the last sweep; use "
        "a smaller h");
  }

  struct Rates {
    vec3 v, a;
  };
  /// What the other stages give U_i for this particle, per h.
  Rates of_others(std::size_t i, std::size_t k) const {
    Rates sum{vec3(0), vec3(0)};
    for (std::size_t j = 0; j < stages_.size(); ++j) {
      const double early = j < i ? table_.lower(i, j) : 0, late = table_.a(i, j) - table_.lower(i, j);
      if (early != 0) {
        sum.v += early * stages_[j].now.v[k];
        sum.a += early * stages_[j].now.a[k];
      }
      if (late != 0) {
        sum.v += late * stages_[j].before.v[k];
        sum.a += late * stages_[j].before.a[k];
      }
    }
    return sum;
  }

  void evaluate_stage(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                      std::size_t i) {
    Stage& stage = stages_[i];
    context.for_particles(system.size(), [&](std::size_t k) {
      const Rates others = of_others(i, k);
      stage.x[k] = state.x[k] + h * others.v;
      stage.v[k] = stage.now.v[k] = start_.v[k] + h * others.a;
    });
    free_acceleration(system, stage.x, stage.v, context, table_.b(i) * h, stage.now.a);
  }

  void solve_stage(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                   std::size_t i, int sweep, double scale, StepReport& report) {
    Stage& stage = stages_[i];
    const double gamma = h * table_.lower(i, i);
    for (auto* scratch : {&stage.x_hat, &stage.v_hat}) scratch->resize(system.size());
    // From the stage before it, which for the first one is the start; in later sweeps from itself.
    const Stage& last = stages_[sweep > 0 || i == 0 ? i : i - 1];
    if (&last == &stage) {
      from_x_ = stage.x;
      from_v_ = stage.v;
    }
    const std::vector<vec3>&x = &last == &stage ? from_x_ : last.x, &v = &last == &stage ? from_v_ : last.v;
    const double ahead = sweep > 0 ? 0 : h * (table_.c(i) - (i == 0 ? 0 : table_.c(i - 1)));
    context.for_particles(system.size(), [&](std::size_t k) {
      const Rates others = of_others(i, k);
      stage.x_hat[k] = state.x[k] + h * others.v;
      stage.v_hat[k] = start_.v[k] + h * others.a;
      guess_[k] = v[k] + ahead * last.now.a[k];
    });
    const auto equation = StageEquation::of(gamma, stage.x_hat, stage.v_hat, scale);
    const double part = std::clamp(table_.c(i), 0.0, 1.0);
    begin_contacts(context, h, gamma, state.x, stage.x_hat, part);
    stage.solver->solve(system, equation, x, {v, guess_}, context, stage.x, stage.v, report);
    // Stiff forces from the equation, not from another evaluation.
    context.for_particles(system.size(), [&](std::size_t k) {
      stage.now.v[k] = stage.v[k];
      stage.now.a[k] = (stage.v[k] - stage.v_hat[k]) / gamma;
    });
    // The last stage has the whole impulse of the contacts.
    context.for_impulses_on_particles([&](std::uint32_t k, const vec3& impulse) {
      stage.now.a[k] -= impulse / (system.masses()[k] * gamma);
    });
    if (i + 1 < stages_.size()) contacts_.stop(system, context, h, start_.v, stage.now.v, report, part);
    scale_impulses(context, h / gamma);
    system.projection().filter_motion(stage.now.a);
  }

  /// ‖M (F_i' − F_i)‖ of the velocities and, times h, of the accelerations [N·s].
  static double norm_of_change(const DynamicSystem& system, double h, const StepContext& context,
                               const Stage& stage) {
    constexpr std::size_t kGrain = 4096;
    const std::span<const double> m = system.masses();
    return std::sqrt(sum_over(context.pool, system.size(), kGrain, [&](std::size_t k) {
      const vec3 v = m[k] * (stage.now.v[k] - stage.before.v[k]);
      const vec3 a = m[k] * h * (stage.now.a[k] - stage.before.a[k]);
      return glm::dot(v, v) + glm::dot(a, a);
    }));
  }

  /// Of norm_of_change: accelerations are differences of velocities over γ.
  double rounding_of_slopes(const DynamicSystem& system, double scale) const {
    if (!is_coupled()) return 0;
    double momentum = 0, least = 1;
    const std::span<const double> m = system.masses();
    for (std::size_t k = 0; k < m.size(); ++k) momentum += m[k] * m[k] * glm::dot(start_.v[k], start_.v[k]);
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (is_implicit(i)) least = std::min(least, table_.lower(i, i));
    constexpr double kRoundings = 16;
    return kRoundings * std::numeric_limits<double>::epsilon() * (std::sqrt(momentum) + scale) / least;
  }

  RungeKuttaTable table_;
  std::vector<Stage> stages_;
  StepStart start_;
  std::vector<vec3> x1_, v1_;
  std::vector<vec3> guess_, from_x_, from_v_;  // scratch of solve_stage
  ContactCorrection contacts_;
};

/// Kutta's method of order 3, the tableau where none is given: RungeKuttaTable::values.
constexpr std::array kKutta3{3.0,                                                           // stages
                             0.0,     0.0,     0.0,     0.5,     0.0, 0.0, -1.0, 2.0, 0.0,  // A
                             1.0 / 6, 2.0 / 3, 1.0 / 6,                                     // b
                             1.0,     1.0,     0.5,     1.0 / 6,                            // R
                             1.0,     0.0,     0.0,     0.0};

}  // namespace

extern constinit const IntegratorInfo kRungeKutta{
    .id = kRungeKuttaIntegrator,
    .title = "Runge–Kutta tableau",
    .letters = "TA",
    .family = IntegratorFamily::explicit_method,
    .order = 3,
    .formula =
        "F1 = F(u0); F2 = F(u0 + h (1/2 F1)); F3 = F(u0 + h (-1 F1 + 2 F2)); "
        "u1 = u0 + h (1/6 F1 + 2/3 F2 + 1/6 F3)",
    .summary =
        "Any Runge–Kutta method, from the Butcher tableau that you give: explicit, diagonally implicit or "
        "fully implicit, of up to 8 stages. Without one it is Kutta's method of order three.",
    .cost = "Three evaluations of the forces per step without a tableau.",
    .use = "A method that is not in this list, next to those that are.",
    .reference = "Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, section II.1",
    .stability_limit = std::numbers::sqrt3,
    .growth = tableau_growth,
    .make = make_method<RungeKutta>,
    .table = kKutta3,
};

}  // namespace clothlab
