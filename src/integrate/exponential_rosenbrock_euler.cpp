// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/cancel_point.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/prescribe.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_start.h"
#include "linalg/krylov_phi.h"
#include "linalg/norm_bound.h"
#include "linalg/row_space.h"

namespace clothlab {
namespace {

constexpr double kLoosestTolerance = 1e-4;

/// u1 = u0 + h φ1(hJ0) F(u0) [Ascher 2022, §3.5.1; Chen 2018]: the exact solution of the equation linearised
/// at u0. Prescribed particles move at constant velocity within the step, as part of that equation.
///
/// φ1 comes from Krylov subspaces, to the linear solver's tolerance or 10⁻⁴, whichever is smaller. The
/// variables are (ω √M x, √M v), by row, ω² near the largest eigenvalue of M⁻¹K_s: hJ is then nearly
/// skew-symmetric for the fastest modes, and its field of values is little larger than its spectrum.
class ExponentialRosenbrockEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  /// K, D and ω at (x, v); false when stopped.
  bool linearise(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v, double h,
                 const StepContext& context, StepReport& report);
  /// hJ: x' = h v, v' = h S M⁻¹ (K x + D v). Throws Cancelled.
  void apply(const DynamicSystem& system, double h, const StepContext& context, std::span<const vec3> in,
             std::span<vec3> out);

  /// The step from x0 to (x_, v_). On held particles K acts on ∫(x − x0) of the cubic through both ends.
  void report_impulses(const DynamicSystem& system, const StepContext& context, std::span<const vec3> x0,
                       double h);

  StepStart start_;
  std::optional<SpringMatrix> k_;  // K_s
  std::optional<SpringMatrix> d_;  // −D
  KrylovPhi phi_;
  bool damped_ = false;
  double omega_ = 0;
  std::vector<double> per_root_mass_;  // by row
  std::vector<double> scratch_;
  RowFilter filter_;
  std::vector<vec3> slope_;        // h F(u0), positions then velocities, in the variables above
  std::vector<vec3> change_;       // u1 − u0, likewise
  RowVector in_x_, in_v_, force_;  // of a product
  std::vector<vec3> x_, v_;        // u1
};

bool ExponentialRosenbrockEuler::linearise(const DynamicSystem& system, std::span<const vec3> x,
                                           std::span<const vec3> v, double h, const StepContext& context,
                                           StepReport& report) {
  if (!have_matrix(system, context, k_, report) || !have_matrix(system, context, d_, report)) return false;
  system.assemble(context.pool, x, v, {0, 0, 1}, context.solver.jacobian, *k_);
  if (gives_up(context, report)) return false;
  system.assemble(context.pool, x, v, {0, 1, 0}, context.solver.jacobian, *d_);
  if (gives_up(context, report)) return false;
  damped_ = !is_zero(*d_);
  if (gives_up(context, report)) return false;
  const double bound = norm_bound(*k_, system.masses(), scratch_);
  omega_ = bound > 0 ? std::sqrt(bound / 2) : 1 / h;
  return !gives_up(context, report);
}

void ExponentialRosenbrockEuler::apply(const DynamicSystem& system, double h, const StepContext& context,
                                       std::span<const vec3> in, std::span<vec3> out) {
  const CancelPoint cancel(context.stop);
  const std::size_t n = system.size();
  const double per_omega = 1 / omega_;
  for_rows(context.pool, k_->pattern(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      in_x_[i] = padded(per_root_mass_[i] * per_omega * in[i]);
      in_v_[i] = padded(per_root_mass_[i] * in[n + i]);
    }
  });
  cancel.look();
  for_rows(context.pool, k_->pattern(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    if (damped_) {
      k_->multiply_chunk(chunk, in_x_.data(), *d_, in_v_.data(), force_.data());
    } else {
      k_->multiply_chunk(chunk, in_x_.data(), force_.data());
    }
    filter_.filter(chunk, force_.data());
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = h * omega_ * in[n + i];
      out[n + i] = -h * per_root_mass_[i] * unpadded(force_[i]);
    }
  });
  cancel.look();
}

StepReport ExponentialRosenbrockEuler::advance(const DynamicSystem& system, State& state, double h,
                                               const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_, &v_}) scratch->resize(n);
  for (auto* scratch : {&in_x_, &in_v_, &force_}) scratch->resize(n);
  if (gives_up(context, report)) return report;
  for (auto* scratch : {&slope_, &change_}) scratch->resize(2 * n);
  if (gives_up(context, report)) return report;
  per_root_mass_.resize(n);

  if (!start_.compute(system, state, h, context, 0, report)) return report;
  const auto& [v0, a0] = start_;
  if (!linearise(system, state.x, v0, h, context, report)) return report;
  const std::vector<std::uint32_t>& particle = k_->pattern().particle;
  filter_.assign(k_->pattern(), system.projection());
  for (std::size_t i = 0; i < n; ++i) {
    const double root_mass = std::sqrt(system.masses()[particle[i]]);
    per_root_mass_[i] = 1 / root_mass;
    slope_[i] = h * omega_ * root_mass * v0[particle[i]];
    slope_[n + i] = h * root_mass * a0[particle[i]];
  }
  const auto product = [&](std::span<const vec3> in, std::span<vec3> out) {
    apply(system, h, context, in, out);
  };
  // Of one pointer: a function of more would be allocated.
  const KrylovPhi::Operator hJ = [&product](std::span<const vec3> in, std::span<vec3> out) {
    product(in, out);
  };
  const double tolerance = std::min(kLoosestTolerance, context.solver.linear.cg.tolerance);
  const KrylovPhi::Result result = phi_.compute(context.solving(), hJ, slope_, tolerance, change_);
  report.stopped = result.stopped;
  if (gives_up(context, report)) return report;
  report.converged = result.converged;
  if (!result.converged) report.reason = "the Krylov subspaces did not reach the end of the step";

  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t p = particle[i];
    x_[p] = state.x[p] + per_root_mass_[i] / omega_ * change_[i];
    v_[p] = v0[p] + per_root_mass_[i] * change_[n + i];
  }
  report_impulses(system, context, state.x, h);
  finish_step(system, context, h, x_, v_, state);
  return report;
}

void ExponentialRosenbrockEuler::report_impulses(const DynamicSystem& system, const StepContext& context,
                                                 std::span<const vec3> x0, double h) {
  if (context.ledger == nullptr) return;
  const std::vector<vec3>& v0 = start_.v;
  const std::size_t n = x0.size();
  const std::span<vec3> change = context.ledger->scratch(n, 0), product = context.ledger->scratch(n, 1);
  if (const auto entries = system.projection().entries(); !entries.empty()) {
    report_forces_on_held(context, system, h, x0, v0);
    const auto add = [&](const SpringMatrix& matrix) {
      matrix.multiply(context.pool, change, product);
      const std::span<vec3> of_held = context.ledger->impulses().add_to(ImpulseKind::held, entries.size());
      for (std::size_t k = 0; k < entries.size(); ++k) of_held[k] -= product[entries[k].particle];
    };
    for (std::size_t i = 0; i < n; ++i) change[i] = h * ((x_[i] - x0[i]) / 2.0 + h / 12 * (v0[i] - v_[i]));
    add(*k_);
    for (std::size_t i = 0; i < n; ++i) change[i] = x_[i] - x0[i] - h * v0[i];
    add(*d_);
  }
  // ∫ D (v − v0) = D (x1 − x0 − h v0)
  for (std::size_t i = 0; i < n; ++i) change[i] = (x_[i] - x0[i]) / h;
  report_linear_forces(context, system, h, x0, v0, change);
}

double exponential_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) { return std::exp(z.real()); });
}

}  // namespace

extern constinit const IntegratorInfo kExponentialRosenbrockEuler{
    .id = "exponential-rosenbrock-euler",
    .title = "Exponential Rosenbrock–Euler",
    .letters = "EX",
    .family = IntegratorFamily::exponential,
    .order = 2,
    .order_needs_exact_jacobian = true,
    .formula = "u1 = u0 + h φ1(hJ0) F(u0), φ1(Z) = Z⁻¹(e^Z − I), in Krylov subspaces",
    .summary =
        "Solves the equation linearised at the start of the step exactly: no numerical damping in "
        "any mode, at any step size. Needs several products with J per oscillation of the fastest "
        "mode, so stiff cloth is expensive.",
    .cost = "Products with J alone, several per oscillation of the fastest mode within h; no linear solve.",
    .use = "Undamped cloth of moderate stiffness.",
    .reference =
        "Chen, Ascher, Pai: Exponential Rosenbrock-Euler Integrators for Elastodynamic "
        "Simulation, IEEE TVCG 24(10), 2018; Niesen, Wright: Algorithm 919, ACM TOMS 38(3), 2012",
    .stability_limit = kNoStabilityLimit,
    .growth = exponential_growth,
    .make = make_method<ExponentialRosenbrockEuler>,
};

}  // namespace clothlab
