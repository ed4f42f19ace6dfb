// SPDX-License-Identifier: MIT
#include "integrate/modal_split.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/solve_outcome.h"

namespace clothlab {

namespace {

constexpr double kLoosestModes = 1e-2;  // tolerance of the lowest modes
constexpr int kMostTurns = 30;          // of solves for the rest and for the velocities of the modes
constexpr double kSlowTurns = 0.9;      // ratio of ‖r‖ of two turns above which they stagnate
constexpr double kModalRounding = 1e-12;

// sin √z / √z, with sinh for z < 0. Clamped at −300², a growth of e³⁰⁰ in one step, to keep a blow-up finite.
double sinc_of_root(double z) {
  if (std::abs(z) < 1e-4) return 1 - z / 6 * (1 - z / 20 * (1 - z / 42));
  if (z > 0) return std::sin(std::sqrt(z)) / std::sqrt(z);
  const double y = std::min(std::sqrt(-z), 300.0);
  return std::sinh(y) / y;
}

}  // namespace

void ModalSplit::compute(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
                         std::span<const vec3> a, double h, const StepContext& context, StepReport& report) {
  x_ = x;
  v_ = v;
  acceleration_ = a;
  solved_ = false;
  const std::size_t n = system.size();
  b_.resize(n);
  w_.resize(n);
  context.poll();
  SpringMatrix& K = have_matrix(system, context, k_);
  system.assemble(context.pool, x, v, {0, 0, 1}, context.solver.jacobian, K);
  context.poll();

  searched_ = age_ == 0;
  if (searched_) {
    const LowestModes::Result result = modes_.compute(
        context.solving(), K, system.masses(), system.projection(),
        {wanted_, 1 / (h * h), std::min(kLoosestModes, 10 * context.solver.linear.cg.tolerance)});
    if (result.stopped) throw Cancelled();
    if (!result.converged)
      report.fail("the search for the lowest modes did not reach its tolerance; use fewer modes");
    count_ = modes_.count();
  }
  if (wanted_ > 0) report.modes = count_;
  project(system, context, searched_);
  Y_.coefficients(context.pool, count_, v, modal_v_);
  Y_.coefficients(context.pool, count_, a, modal_a_);
}

void ModalSplit::project(const DynamicSystem& system, const StepContext& context, bool fresh) {
  WorkerPool& pool = context.pool;
  const std::size_t n = system.size(), s = count_;
  for (VectorBasis* basis : {&X_, &Y_, &Z_, &C_, &U_, &scratch_}) basis->resize(n, s);
  if (fresh) kept_.resize(n, s);
  for (auto* values : {&lambda_, &modal_v_, &modal_a_, &right_, &left_over_, &coefficients_})
    values->resize(s);
  small_.resize(s * s);
  if (s == 0) return;

  // X before the rotation; Y_ is scratch until its values are computed below.
  for (std::size_t j = 0; fresh && j < s; ++j) std::ranges::copy(modes_.mode(j), Y_.column(j).begin());
  const VectorBasis& found = fresh ? Y_ : kept_;
  const VectorBasis& start = separate_translations(system, context, found) ? C_ : found;
  context.poll();
  for (std::size_t j = 0; j < s; ++j) {
    context.poll();
    const std::span<vec3> k_x = scratch_.column(j);
    k_->multiply(pool, start.column(j), k_x);
    system.projection().filter(k_x);
    start.coefficients(pool, s, k_x, std::span(small_).subspan(j * s, s));
  }
  for (std::size_t j = 0; j < s; ++j)
    for (std::size_t i = 0; i < j; ++i)
      small_[j * s + i] = small_[i * s + j] = (small_[j * s + i] + small_[i * s + j]) / 2;
  eigen_.compute(s, small_);
  std::ranges::copy(eigen_.values(), lambda_.begin());
  X_.assign_product(pool, start, s, eigen_.vectors(), s);
  context.poll();
  Z_.assign_product(pool, scratch_, s, eigen_.vectors(), s);
  context.poll();
  for (std::size_t j = 0; j < s; ++j) {
    const std::span<const vec3> x = X_.column(j);
    const std::span<vec3> y = Y_.column(j);
    for (std::size_t i = 0; i < n; ++i) y[i] = system.masses()[i] * x[i];
  }
  context.poll();
}

bool ModalSplit::separate_translations(const DynamicSystem& system, const StepContext& context,
                                       const VectorBasis& start) {
  const SpringPattern& pattern = k_->pattern();
  const std::span<const double> m = system.masses();
  const std::size_t s = count_;
  free_parts_.find(pattern, system.projection());
  free_parts_.exclude_stencils(*k_);
  if (free_parts_.empty()) return false;
  const auto compute_means = [&](std::span<const vec3> x) {
    free_parts_.compute_means([&](std::size_t row) { return m[pattern.particle[row]]; },
                              [&](std::size_t row) {
                                const std::uint32_t i = pattern.particle[row];
                                return m[i] * x[i];
                              });
  };
  // With Π the projection onto translations, XᵀMΠX has eigenvalues near 0 and 1. Eigenvectors V make the
  // columns of ΠXV orthogonal, and also the columns of XV − ΠXV.
  for (std::size_t j = 0; j < s; ++j) {
    compute_means(start.column(j));
    for (std::size_t i = 0; i < pattern.particles(); ++i) {
      const std::uint32_t row = pattern.row[i];
      scratch_.column(j)[i] = free_parts_.contains_row(row) ? m[i] * free_parts_.mean(row) : vec3(0.0);
    }
    start.coefficients(context.pool, s, scratch_.column(j), std::span(small_).subspan(j * s, s));
  }
  eigen_.compute(s, small_);
  C_.assign_product(context.pool, start, s, eigen_.vectors(), s);
  for (std::size_t j = 0; j < s; ++j) {
    compute_means(C_.column(j));
    const double share = free_parts_.weighted_square();
    const bool translates = share > 0.5;
    const double scale = 1 / std::sqrt(translates ? share : 1 - share);
    for (std::size_t i = 0; i < pattern.particles(); ++i) {
      const std::uint32_t row = pattern.row[i];
      const vec3 mean = free_parts_.contains_row(row) ? free_parts_.mean(row) : vec3(0.0);
      C_.column(j)[i] = scale * (translates ? mean : C_.column(j)[i] - mean);
    }
  }
  return true;
}

void ModalSplit::add_average(double tau, double less, double factor, std::span<const double> v,
                             std::span<const double> a, WorkerPool& pool, std::span<vec3> of_x,
                             std::span<vec3> of_v) const {
  // φ1(τ [0 1; −λ 0]) = [S C; −λC S], S = sin ωτ / ωτ, C = (1 − cos ωτ) / ω²τ = τ/2 (sin ½ωτ / ½ωτ)².
  const auto average = [&](double lambda) {
    const double z = lambda * tau * tau, half = sinc_of_root(z / 4);
    return std::pair{sinc_of_root(z) - less, tau / 2 * half * half};
  };
  for (std::size_t j = 0; j < count_; ++j) {
    const auto [S, C] = average(lambda_[j]);
    coefficients_[j] = S * v[j] + C * a[j];
  }
  X_.add(pool, count_, coefficients_, factor, of_x);
  for (std::size_t j = 0; j < count_; ++j) {
    const auto [S, C] = average(lambda_[j]);
    coefficients_[j] = S * a[j] - lambda_[j] * C * v[j];
  }
  X_.add(pool, count_, coefficients_, factor, of_v);
}

void ModalSplit::slope(double tau, WorkerPool& pool, std::span<vec3> of_x, std::span<vec3> of_v) const {
  std::ranges::copy(v_, of_x.begin());
  std::ranges::copy(acceleration_, of_v.begin());
  // H is F without its modal part, so E contributes φ1 − 1.
  add_average(tau, 1, 1, modal_v_, modal_a_, pool, of_x, of_v);
}

void ModalSplit::add_lawson(double h, std::span<const vec3> x_before, std::span<const vec3> v_before,
                            WorkerPool& pool, std::span<vec3> of_x, std::span<vec3> of_v) {
  add_average(h, 0, 1, modal_v_, modal_a_, pool, of_x, of_v);
  // G(before) = G + J_G (before − u)
  for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = x_before[i] - x_[i];
  Y_.coefficients(pool, count_, w_, left_over_);
  for (std::size_t j = 0; j < count_; ++j) left_over_[j] = modal_a_[j] - lambda_[j] * left_over_[j];
  Y_.coefficients(pool, count_, v_before, right_);
  add_average(2 * h, 0, -1, right_, left_over_, pool, of_x, of_v);
}

void ModalSplit::remove_left_over(const DynamicSystem& system, double gamma, const StepContext& context,
                                  std::span<vec3> scratch, std::span<vec3> dv, StepReport& report) {
  WorkerPool& pool = context.pool;
  const std::size_t count = count_;
  std::ranges::fill(scratch, vec3(0.0));
  Z_.add(pool, count, left_over_, gamma * gamma, scratch);
  if (!(norm(pool, scratch) > context.solver.linear.cg.tolerance * norm(pool, b_))) return;
  // U, with the guess X n, (XᵀAX) n = XᵀC e
  for (std::size_t j = 0; j < count; ++j) {
    X_.coefficients(pool, count, C_.column(j), coefficients_);
    const double whole = coefficients_[j] + gamma * gamma * lambda_[j];
    const double guess = whole > 0 ? coefficients_[j] / whole : 0;
    std::ranges::transform(X_.column(j), U_.column(j).begin(), [&](const vec3& x) { return guess * x; });
    solve_linear(solver_, {*a_, C_.column(j), system.projection(), {}, true}, context, true, U_.column(j),
                 report);
    Y_.coefficients(pool, count, U_.column(j), std::span(small_).subspan(j * count, count));
  }
  if (!solve_dense(count, small_, left_over_)) return;
  for (std::size_t j = 0; j < count; ++j) right_[j] += left_over_[j];
  U_.add(pool, count, left_over_, -1, dv);
}

void ModalSplit::assemble_modal_matrix(const DynamicSystem& system, double gamma, const StepContext& context,
                                       std::span<const vec3> x, std::span<const vec3> v) {
  SpringMatrix& A = have_matrix(system, context, a_);
  system.assemble(context.pool, x, v, {1, gamma, 0}, context.solver.jacobian, A);
  for (std::size_t j = 0; j < count_; ++j) {
    context.poll();
    A.multiply(context.pool, X_.column(j), C_.column(j));
    system.projection().filter(C_.column(j));
    X_.coefficients(context.pool, count_, C_.column(j), std::span(small_).subspan(j * count_, count_));
  }
}

void ModalSplit::solve(const DynamicSystem& system, double gamma, std::span<const vec3> r,
                       std::span<const vec3> s, const StepContext& context, std::span<vec3> dx,
                       std::span<vec3> dv, StepReport& report) {
  WorkerPool& pool = context.pool;
  const std::size_t n = system.size(), count = count_;
  const std::span<const double> m = system.masses();
  context.poll();
  SpringMatrix& A = have_matrix(system, context, a_);

  // b = M s + γ(YΛYᵀ − K_s) r
  k_->multiply(pool, r, b_);
  for (std::size_t i = 0; i < n; ++i) b_[i] = m[i] * s[i] - gamma * b_[i];
  Y_.coefficients(pool, count, r, coefficients_);
  for (std::size_t j = 0; j < count; ++j) coefficients_[j] *= lambda_[j];
  Y_.add(pool, count, coefficients_, gamma, b_);
  system.projection().filter(b_);
  context.poll();

  // C = S (M − γD) X, and a₀ from (XᵀC) a₀ = Xᵀb
  std::vector<double>& modal = right_;
  if (count > 0) {
    assemble_modal_matrix(system, gamma, context, x_, v_);
    X_.coefficients(pool, count, b_, modal);
    if (!solve_dense(count, small_, modal)) std::ranges::fill(modal, 0.0);
    C_.add(pool, count, modal, -1, b_);
  }

  // A w = b − C a₀
  context.poll();
  system.assemble(context.pool, x_, v_, {1, gamma, gamma * gamma}, context.solver.jacobian, A);
  context.poll();
  solve_linear(solver_, {A, b_, system.projection()}, context, false, w_, report);
  solved_ = true;
  Y_.coefficients(pool, count, w_, left_over_);
  std::ranges::copy(w_, dv.begin());

  remove_left_over(system, gamma, context, dx, dv, report);
  context.poll();
  X_.add(pool, count, modal, 1, dv);

  // δx = r + γ(δv − X Yᵀδv)
  for (std::size_t i = 0; i < n; ++i) dx[i] = r[i] + gamma * dv[i];
  Y_.coefficients(pool, count, dv, coefficients_);
  X_.add(pool, count, coefficients_, -gamma, dx);
}

double ModalSplit::residual_of_newton(const DynamicSystem& system, double gamma, const StepContext& context,
                                      std::span<const vec3> x1, std::span<const vec3> v1) {
  const std::span<const double> m = system.masses();
  take_forces(context, system, 0, x1, v1, w_);
  context.for_particles(w_.size(),
                        [&](std::size_t i) { w_[i] = m[i] * (v1[i] - v_hat_[i]) - gamma * w_[i]; });
  system.projection().filter(w_);
  context.poll();
  return norm(context.pool, w_);
}

void ModalSplit::begin_newton(const DynamicSystem& system, double gamma, std::span<const vec3> r,
                              std::span<const vec3> s, WorkerPool& pool) {
  const std::size_t n = system.size(), count = count_;
  for (auto* scratch : {&x_hat_, &v_hat_, &stage_v_hat_, &guess_}) scratch->resize(n);
  filter_.set(X_, Y_, count);
  for (std::size_t i = 0; i < n; ++i) {
    x_hat_[i] = x_[i] + r[i] - gamma * v_[i];
    v_hat_[i] = v_[i] + s[i] - gamma * acceleration_[i];
    guess_[i] = v_[i] + s[i];
  }
  Y_.coefficients(pool, count, r, coefficients_);
  for (std::size_t j = 0; j < count; ++j) coefficients_[j] *= lambda_[j];
  X_.add(pool, count, coefficients_, gamma, v_hat_);
  // Without damping and for linear forces, the velocities of the modes are those of the guess.
  std::ranges::copy(v_hat_, stage_v_hat_.begin());
  filter_.filter_motion(pool, stage_v_hat_);
  Y_.coefficients(pool, count, guess_, coefficients_);
  X_.add(pool, count, coefficients_, 1, stage_v_hat_);
  X_.add(pool, count, coefficients_, -gamma, x_hat_);
  X_.add(pool, count, modal_v_, gamma, x_hat_);
}

void ModalSplit::solve_by_newton(const DynamicSystem& system, double gamma, std::span<const vec3> r,
                                 std::span<const vec3> s, double scale, const StepContext& context,
                                 std::span<vec3> x1, std::span<vec3> v1, StepReport& report) {
  WorkerPool& pool = context.pool;
  begin_newton(system, gamma, r, s, pool);
  SolverSettings settings = context.solver;
  settings.stage_solve = StageSolve::newton;
  const StepContext own{settings, pool, context.stop, nullptr, context.reached, {}};
  StageEquation equation = StageEquation::of(gamma, x_hat_, stage_v_hat_, scale);
  if (count_ > 0) equation.modes = &filter_;
  const int last_iteration = report.newton_iterations + settings.newton_max_iterations;
  double last = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < kMostTurns; ++turn) {
    if (turn == 0) {
      stage_.solve(system, equation, x_, {v_, guess_}, own, x1, v1, report);
    } else {
      settings.newton_max_iterations = std::max(last_iteration - report.newton_iterations, 1);
      std::ranges::copy(v1, guess_.begin());
      stage_.solve(system, equation, x_, {guess_}, own, x1, v1, report);
    }
    double size = residual_of_newton(system, gamma, context, x1, v1);
    if (count_ == 0) return;

    X_.coefficients(pool, count_, w_, right_);
    assemble_modal_matrix(system, gamma, context, x1, v1);
    if (!solve_dense(count_, small_, right_)) std::ranges::fill(right_, 0.0);
    X_.add(pool, count_, right_, -1, v1);
    X_.add(pool, count_, right_, -1, stage_v_hat_);
    X_.add(pool, count_, right_, gamma, x_hat_);
    size = residual_of_newton(system, gamma, context, x1, v1);
    const double target = std::max(context.solver.newton_tolerance * scale, 2 * stage_.residual());
    const bool stagnates = !(size < kSlowTurns * last);
    if (size <= target || (stagnates && size <= kModalRounding * scale)) return;
    if (stagnates || report.newton_iterations >= last_iteration) break;
    last = size;
  }
  report.converged = false;
  if (report.reason.empty()) report.reason = "the velocities of the modes did not converge; use a smaller h";
}

void ModalSplit::solve_contacts(const DynamicSystem& system, const StepContext& context,
                                const ContactCorrection::Times& times, double modal, std::span<const vec3> x0,
                                std::span<const vec3> v0, std::span<vec3> x1, std::span<vec3> v1,
                                StepReport& report) {
  if (!context.has_contacts()) return;
  const SystemCoefficients c = times.coefficients();
  SpringMatrix& A = have_matrix(system, context, a_);
  if (!solved_ || c.stiffness != c.damping * c.damping || context.solver.jacobian != JacobianMode::clamped)
    system.assemble(context.pool, x_, v_, c, JacobianMode::clamped, A);
  const std::span<const vec3> change =
      contacts_.solve(system, context, times, A, solver_, {x0, v0, x1, v1}, report);
  Y_.coefficients(context.pool, count_, change, coefficients_);
  X_.add(context.pool, count_, coefficients_, modal - times.moves, x1);
  land_contacts(context, x0, x1);
}

void ModalSplit::report(const DynamicSystem& system, const StepContext& context, double weight, double gamma,
                        std::span<const vec3> r, std::span<const vec3> s, std::span<const vec3> dx,
                        std::span<const vec3> dv) {
  if (context.ledger == nullptr) return;
  WorkerPool& pool = context.pool;
  const std::size_t n = system.size(), count = count_;
  const std::span<const double> m = system.masses();
  // B δv − b = A δv − γ²Z Yᵀδv − M s + γ (K_s − YΛYᵀ) r
  const std::span<vec3> left = context.ledger->scratch(n), k_r = b_;
  a_->multiply(pool, dv, left);
  k_->multiply(pool, r, k_r);
  const auto entries = system.projection().entries();
  for (const Projection::Entry& e : entries)
    w_[e.particle] = m[e.particle] * dv[e.particle] - left[e.particle];
  for (std::size_t i = 0; i < n; ++i) left[i] += gamma * k_r[i] - m[i] * s[i];
  Y_.coefficients(pool, count, dv, coefficients_);
  Z_.add(pool, count, coefficients_, -gamma * gamma, left);
  Y_.coefficients(pool, count, r, coefficients_);
  for (std::size_t j = 0; j < count; ++j) coefficients_[j] *= lambda_[j];
  Y_.add(pool, count, coefficients_, -gamma, left);
  report_residual(context, weight, left);
  if (entries.empty()) return;
  // M δv − A δv = γ D δv − γ²K_s δv
  for (std::size_t i = 0; i < n; ++i) left[i] = gamma * dv[i] - dx[i];
  k_->multiply(pool, left, b_);
  add_to_held(context.ledger->impulses(), system,
              [&](std::uint32_t i) { return weight * (w_[i] + gamma * b_[i]); });
}

void ModalSplit::end_step(const DynamicSystem& system, State& state, const StepStart& start,
                          const StepContext& context, const ContactCorrection::Times& times, double modal,
                          std::vector<vec3>& r, std::vector<vec3>& s, std::vector<vec3>& x1,
                          std::vector<vec3>& v1, StepReport& report) {
  const double h = times.h, gamma = times.damping;
  if (last_stage_ == StageSolve::newton) {
    solve_by_newton(system, gamma, r, s, h * start.force_norm(system.masses()), context, x1, v1, report);
    report_residual(context, 1, w_);
    report_forces_on_held(context, system, gamma, x1, v1);
    r = x1;
    s = v1;
  } else {
    solve(system, gamma, r, s, context, x1, v1, report);
    report_forces_on_held(context, system, gamma, x_, v_);
    this->report(system, context, 1, gamma, r, s, x1, v1);
    std::ranges::copy(x_, r.begin());
    std::ranges::copy(v_, s.begin());
    for (std::size_t i = 0; i < x1.size(); ++i) {
      x1[i] += r[i];
      v1[i] += s[i];
    }
  }
  solve_contacts(system, context, times, modal, state.x, start.v, x1, v1, report);
  report_linear_forces(context, system, gamma, r, s, v1);  // about (r, s)
  finish_step(system, context, h, x1, v1, state);

  if (searched_) modes_.keep();
  std::swap(kept_, X_);
  age_ = (age_ + 1) % refresh_;
}

void ModalSplit::save(Memory& memory) const {
  modes_.save(memory);
  memory.put(age_);
  if (age_ == 0) return;
  memory.put(static_cast<double>(count_));
  for (std::size_t j = 0; j < count_; ++j) memory.put(kept_.column(j));
}

void ModalSplit::load(MemoryReader& memory, std::size_t n) {
  modes_.load(memory, n);
  age_ = memory.at_end() ? 0 : static_cast<int>(memory.count(static_cast<std::size_t>(refresh_) - 1));
  if (age_ == 0) return;
  count_ = memory.count(wanted_);
  kept_.resize(n, count_);
  for (std::size_t j = 0; j < count_; ++j) memory.vectors(kept_.column(j));
}

}  // namespace clothlab
