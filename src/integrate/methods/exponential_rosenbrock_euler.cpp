// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <optional>
#include <vector>

#include "core/cancel_point.h"
#include "integrate/contact_correction.h"
#include "integrate/growth.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"
#include "linalg/free_parts.h"
#include "linalg/krylov_phi.h"
#include "linalg/phase_matrix.h"
#include "linalg/phi_series.h"
#include "linalg/row_space.h"

namespace clothlab {
namespace {

constexpr double kLoosestTolerance = 1e-4;
constexpr double kSingleRounding = 1.0 / (1 << 24);
// A term costs less than half of a product in a Krylov subspace, and hω of these are needed.
constexpr double kMostTerms = 3, kAlways = 64;
constexpr auto kLargestSeries = static_cast<std::size_t>(kLoosestTolerance / kSingleRounding);

/// u1 = u0 + h φ1(hJ0) F(u0) [Ascher 2022, §3.5.1; Chen 2018]: the exact solution of the equation linearised
/// at u0. Prescribed particles move at constant velocity within the step, as part of that equation.
///
/// φ1 comes from a series over an ellipse that contains the field of values of hJ, in single precision, to
/// the linear solver's tolerance or 10⁻⁴, whichever is smaller. It comes from Krylov subspaces if that is
/// below the rounding of so many terms, if an exact Jacobian is indefinite, if damping makes the ellipse too
/// large, and in free fall. Their variables are (ω √M x, √M v), by row, ω² near the largest eigenvalue of
/// M⁻¹K_s: hJ is then nearly skew-symmetric for the fastest modes, and its field of values is little larger
/// than its spectrum.
class ExponentialRosenbrockEuler final : public Integrator {
  // Members with a context or a probe throw Cancelled.
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const double tolerance = std::min(kLoosestTolerance, context.solver.linear.cg.tolerance);
    const bool series = tolerance >= kAlways * kSingleRounding;
    prepare(system, context.stop, series);
    start_.compute(system, state, h, context, 0);
    linearise(system, state.x, start_.v, h, context);
    filter_.assign(k_->pattern(), system.projection());
    if (!series || !use_series(system, state, h, context, tolerance, report))
      use_krylov(system, state, h, context, tolerance, report);
    context.poll();
    balance_momentum(system, state.x, h);
    report_impulses(system, context, state.x, h);
    contacts_.correct(system, context, {.h = h, .gamma = h, .moves = h / 2, .damping = 0},
                      {state.x, start_.v, x_, v_}, report);
    finish_step(system, context, h, x_, v_, state);
  }
  void prepare(const DynamicSystem& system, const StopProbe& stop, bool series) {
    const CancelPoint cancel(stop);
    const std::size_t n = system.size();
    const auto resize = [&](auto& scratch, std::size_t size) {
      cancel.poll();
      scratch.resize(size);
    };
    for (auto* scratch : {&x_, &v_}) resize(*scratch, n);
    for (auto* scratch : {&in_x_, &in_v_, &force_}) resize(*scratch, n);
    for (auto* scratch : {&slope_, &change_}) resize(*scratch, 2 * n);
    resize(per_root_mass_, n);
    phi_.reserve(2 * n);
    if (!series) return;
    for (auto* scratch : {&now_, &before_, &sum_, &forces_}) resize(*scratch, n);
    resize(per_mass_, n);
    matrix_.resize(system.pattern(), stop);
    series_.reserve(kLargestSeries);
  }
  /// K, D and their bounds at (x, v).
  void linearise(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v, double h,
                 const StepContext& context) {
    system.assemble(context.pool, x, v, {0, 0, 1}, context.solver.jacobian, have_matrix(system, context, k_));
    context.poll();
    system.assemble(context.pool, x, v, {0, 1, 0}, context.solver.jacobian, have_matrix(system, context, d_));
    context.poll();
    field_ = field_of_values(context.solving(), *k_, *d_, system.masses(), in_x_, in_v_);
    omega_ = field_.frequency > 0 ? field_.frequency : 1 / std::abs(h);
    context.poll();
  }
  /// u1 by the series; false if Krylov subspaces are needed.
  bool use_series(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                  double tolerance, StepReport& report) {
    const SpringPattern& p = k_->pattern();
    const std::size_t n = system.size();
    const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
    const auto size_of = [&](std::span<const vec3> of) {
      constexpr std::size_t kGrain = 1024;
      return std::abs(h) * std::sqrt(sum_over(context.pool, n, kGrain, [&](std::size_t i) {
               return system.masses()[i] * glm::dot(of[i], of[i]);
             }));
    };
    const double size_x = omega_ * size_of(v0), size_v = size_of(a0), size = root_of_squares(size_x, size_v);
    const double most = std::min(kAlways + kMostTerms * h * omega_, tolerance / kSingleRounding);
    // The enclosure of the spectrum is one for h > 0.
    if (h < 0 || !field_.semidefinite || !(size > 0) || !std::isfinite(size)) return false;
    if (!series_.expand(field_.enclosure(h))) return false;
    const std::size_t terms = series_.terms(size_x, size_v, tolerance * size) | 1;  // two at a time
    if (!(static_cast<double>(terms) <= most)) return false;

    context.poll();
    matrix_.assign(context.pool, *k_, *d_);
    for_each_row(context.pool, p, [&](std::size_t i) {
      now_[i] = Phase(h / size * v0[p.particle[i]], h / size * a0[p.particle[i]]);
      before_[i] = sum_[i] = {};
      per_mass_[i] = static_cast<float>(1 / system.masses()[p.particle[i]]);
    });
    for (std::size_t k = 0; k < terms; ++k) {
      context.poll();
      add_term(h, context, k);
      ++report.products;
      // In free fall hJ changes no velocity, and two products are a whole Krylov subspace.
      if (k == 0 && change_of_velocity(system, context) <= tolerance) return false;
      now_.swap(before_);
    }
    context.poll();
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = state.x[i] + size * sum_[p.row[i]].x();
      v_[i] = size * sum_[p.row[i]].v();
    }
    system.projection().filter(v_);
    for (std::size_t i = 0; i < n; ++i) v_[i] += v0[i];
    return true;
  }
  /// before_ := F_n+1 b, of now_ = F_n b and F_n−1 b; every other time adds both new ones to the sum.
  void add_term(double h, const StepContext& context, std::size_t n) {
    const auto share = static_cast<float>(h * series_.scale()), shift = static_cast<float>(series_.shift()),
               again = static_cast<float>(n == 1 ? 2 * series_.q() : series_.q()),
               of_now = static_cast<float>(series_.coefficient(n)),
               of_next = static_cast<float>(series_.coefficient(n + 1));
    const Octet of_x{share, share, share, 0, 0, 0, 0, 0}, of_v{0, 0, 0, 0, -share, -share, -share, 0};
    for_rows(context.pool, k_->pattern(), [&](std::size_t chunk, std::size_t, std::size_t) {
      matrix_.multiply_chunk(chunk, now_, forces_, [&](std::size_t i, const Octet& force) {
        const Octet now = now_[i].values;
        const Octet rate{now[4], now[5], now[6], 0, force[4], force[5], force[6], 0};
        const Octet next = (of_x + per_mass_[i] * of_v) * rate + shift * now - again * before_[i].values;
        before_[i].values = next;
        if (n % 2 == 0) sum_[i].values = sum_[i].values + (of_now * now + of_next * next);
      });
      for (const RowFilter::Entry& entry : filter_.entries(chunk)) {
        Phase& next = before_[entry.row];
        next = Phase(next.x(), entry.S * next.v());
      }
    });
  }
  /// ‖√M v‖ of hJ b, after the first term.
  double change_of_velocity(const DynamicSystem& system, const StepContext& context) const {
    const SpringPattern& p = k_->pattern();
    return std::sqrt(sum_over_rows(context.pool, p,
                                   [&](std::size_t i) {
                                     const vec3 change = before_[i].v() - series_.shift() * now_[i].v();
                                     return system.masses()[p.particle[i]] * glm::dot(change, change);
                                   })) /
           series_.scale();
  }
  /// u1 by Krylov subspaces.
  void use_krylov(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                  double tolerance, StepReport& report) {
    const std::size_t n = system.size();
    const auto& [v0, a0] = start_;
    const std::vector<std::uint32_t>& particle = k_->pattern().particle;
    for (std::size_t i = 0; i < n; ++i) {
      const double root_mass = std::sqrt(system.masses()[particle[i]]);
      per_root_mass_[i] = 1 / root_mass;
      slope_[i] = h * omega_ * root_mass * v0[particle[i]];
      slope_[n + i] = h * root_mass * a0[particle[i]];
    }
    const auto product = [&](std::span<const vec3> in, std::span<vec3> out) {
      apply(system, h, context, in, out);
    };
    // Captures one pointer only; a larger capture would be allocated.
    const KrylovPhi::Operator hJ = [&product](std::span<const vec3> in, std::span<vec3> out) {
      product(in, out);
    };
    const KrylovPhi::Result result = phi_.compute(context.solving(), hJ, slope_, tolerance, change_);
    if (result.stopped) throw Cancelled();
    report.products += result.products;
    report.converged = result.converged;
    if (!result.converged)
      report.reason = "the Krylov subspaces did not reach the end of the step; use a smaller h";
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t p = particle[i];
      x_[p] = state.x[p] + per_root_mass_[i] / omega_ * change_[i];
      v_[p] = v0[p] + per_root_mass_[i] * change_[n + i];
    }
  }
  /// hJ: x' = h v, v' = h S M⁻¹ (K x + D v).
  void apply(const DynamicSystem& system, double h, const StepContext& context, std::span<const vec3> in,
             std::span<vec3> out) {
    const std::size_t n = system.size();
    const double per_omega = 1 / omega_;
    for_each_row(context.pool, k_->pattern(), [&](std::size_t i) {
      in_x_[i] = padded(per_root_mass_[i] * per_omega * in[i]);
      in_v_[i] = padded(per_root_mass_[i] * in[n + i]);
    });
    context.poll();
    for_rows(context.pool, k_->pattern(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      if (field_.damping > 0)
        k_->multiply_chunk(chunk, in_x_.data(), *d_, in_v_.data(), force_.data());
      else
        k_->multiply_chunk(chunk, in_x_.data(), force_.data());
      filter_.filter(chunk, force_.data());
      for (std::size_t i = begin; i < end; ++i) {
        out[i] = h * omega_ * in[n + i];
        out[n + i] = -h * per_root_mass_[i] * unpadded(force_[i]);
      }
    });
    context.poll();
  }

  /// Translates free parts to the centres of mass of the linearised equation, which are known in closed form.
  void balance_momentum(const DynamicSystem& system, std::span<const vec3> x0, double h) {
    const SpringPattern& pattern = k_->pattern();
    free_parts_.find(pattern, system.projection());
    free_parts_.exclude_stencils(*k_);
    free_parts_.exclude_stencils(*d_);
    if (free_parts_.empty()) return;
    // x' = v, v' = a0 − β (v − v0)
    const double z = -h * system.mass_damping();
    const double phi1 = z < 0 ? std::expm1(z) / z : 1, phi2 = z < 0 ? (phi1 - 1) / z : 0.5;
    const auto translate = [&](std::vector<vec3>& values, const auto& expected) {
      const std::span<const double> m = system.masses();
      free_parts_.compute_means([&](std::size_t row) { return m[pattern.particle[row]]; },
                                [&](std::size_t row) {
                                  const std::uint32_t i = pattern.particle[row];
                                  return m[i] * (expected(i) - values[i]);
                                });
      for (std::size_t row = 0; row < pattern.particles(); ++row)
        if (free_parts_.contains_row(row)) values[pattern.particle[row]] += free_parts_.mean(row);
    };
    const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
    translate(v_, [&](std::uint32_t i) { return v0[i] + h * phi1 * a0[i]; });
    translate(x_, [&](std::uint32_t i) { return x0[i] + h * v0[i] + h * h * phi2 * a0[i]; });
  }
  /// The step from x0 to (x_, v_). On constrained particles K acts on ∫(x − x0) of the cubic through both
  /// ends.
  void report_impulses(const DynamicSystem& system, const StepContext& context, std::span<const vec3> x0,
                       double h) {
    if (context.ledger == nullptr) return;
    const std::vector<vec3>& v0 = start_.v;
    const std::size_t n = x0.size();
    const std::span<vec3> change = context.ledger->scratch(n, 0), product = context.ledger->scratch(n, 1);
    if (!system.projection().entries().empty()) {
      report_forces_on_held(context, system, h, x0, v0);
      const auto add = [&](const SpringMatrix& matrix) {
        matrix.multiply(context.pool, change, product);
        add_to_held(context.ledger->impulses(), system, [&](std::uint32_t i) { return -product[i]; });
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

  StepStart start_;
  std::optional<SpringMatrix> k_;  // K_s
  std::optional<SpringMatrix> d_;  // −D
  FieldOfValues field_{};
  double omega_ = 0;  // of field_, or 1/h without stiffness
  RowFilter filter_;
  FreeParts free_parts_;
  std::vector<vec3> x_, v_;        // u1
  RowVector in_x_, in_v_, force_;  // scratch
  // The series, by row.
  PhiSeries series_;
  PhaseMatrix matrix_;  // of K_s and −D
  std::vector<float> per_mass_;
  PhaseVector now_, before_, sum_, forces_;
  // Krylov subspaces, by row.
  KrylovPhi phi_;
  std::vector<double> per_root_mass_;
  std::vector<vec3> slope_;     // h F(u0), positions then velocities, in the variables above
  std::vector<vec3> change_;    // u1 − u0, in the same variables
  ContactCorrection contacts_;  // implicit in the springs
};

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
    .formula = "u1 = u0 + h φ1(hJ0) F(u0), φ1(Z) = Z⁻¹(e^Z − I), by polynomials in hJ0",
    .summary =
        "Solves the equation linearised at the start of the step exactly: no numerical damping in any "
        "mode, at any step size. It needs several products with J per oscillation of the fastest mode, so "
        "stiff cloth is expensive.",
    .cost = "Several products with J per oscillation of the fastest mode within h; no linear solve.",
    .use = "Undamped cloth of moderate stiffness.",
    .reference =
        "Chen, Ascher, Pai: Exponential Rosenbrock-Euler Integrators for Elastodynamic "
        "Simulation, IEEE TVCG 24(10), 2018; Beckermann, Reichel: Error Estimates and Evaluation of Matrix "
        "Functions via the Faber Transform, SIAM J. Numer. Anal. 47(5), 2009; Niesen, Wright: Algorithm 919, "
        "ACM TOMS 38(3), 2012",
    .stability_limit = kNoStabilityLimit,
    .growth = exponential_growth,
    .make = make_method<ExponentialRosenbrockEuler>,
};

}  // namespace clothlab
