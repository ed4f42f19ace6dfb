// SPDX-License-Identifier: MIT
#include "integrate/modal_split.h"

#include <algorithm>
#include <cmath>

#include "integrate/solve_outcome.h"

namespace clothlab {

namespace {

constexpr double kLoosestModes = 1e-2;  // tolerance of the lowest modes

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
    if (!result.converged) {
      report.converged = false;
      report.reason = "the search for the lowest modes did not reach its tolerance";
    }
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
  const auto resize = [&](VectorBasis& basis) { basis.resize(n, s); };
  for (VectorBasis* basis : {&X_, &Y_, &Z_, &C_, &U_, &scratch_}) resize(*basis);
  if (fresh) resize(kept_);
  for (auto* values : {&lambda_, &modal_v_, &modal_a_, &right_, &left_over_, &coefficients_}) {
    values->resize(s);
  }
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
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      small_[j * s + i] = small_[i * s + j] = (small_[j * s + i] + small_[i * s + j]) / 2;
    }
  }
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

void ModalSplit::slope(double tau, WorkerPool& pool, std::span<vec3> of_x, std::span<vec3> of_v) const {
  // φ1(τ [0 1; −λ 0]) = [S C; −λC S], S = sin ωτ / ωτ, C = (1 − cos ωτ) / ω²τ = τ/2 (sin ½ωτ / ½ωτ)².
  // H is F without its modal part, so E contributes φ1 − 1.
  const auto average = [&](double lambda) {
    const double z = lambda * tau * tau, half = sinc_of_root(z / 4);
    return std::pair{sinc_of_root(z) - 1, tau / 2 * half * half};
  };
  std::ranges::copy(v_, of_x.begin());
  std::ranges::copy(acceleration_, of_v.begin());
  for (std::size_t j = 0; j < count_; ++j) {
    const auto [S_less_1, C] = average(lambda_[j]);
    coefficients_[j] = S_less_1 * modal_v_[j] + C * modal_a_[j];
  }
  X_.add(pool, count_, coefficients_, 1, of_x);
  for (std::size_t j = 0; j < count_; ++j) {
    const auto [S_less_1, C] = average(lambda_[j]);
    coefficients_[j] = S_less_1 * modal_a_[j] - lambda_[j] * C * modal_v_[j];
  }
  X_.add(pool, count_, coefficients_, 1, of_v);
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
  if (!solve_dense(count, small_, 1, left_over_)) return;
  for (std::size_t j = 0; j < count; ++j) right_[j] += left_over_[j];
  U_.add(pool, count, left_over_, -1, dv);
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
    system.assemble(context.pool, x_, v_, {1, gamma, 0}, context.solver.jacobian, A);
    for (std::size_t j = 0; j < count; ++j) {
      context.poll();
      A.multiply(pool, X_.column(j), C_.column(j));
      system.projection().filter(C_.column(j));
      X_.coefficients(pool, count, C_.column(j), std::span(small_).subspan(j * count, count));
    }
    X_.coefficients(pool, count, b_, modal);
    if (!solve_dense(count, small_, 1, modal)) std::ranges::fill(modal, 0.0);
    C_.add(pool, count, modal, -1, b_);
  }

  // A w = b − C a₀
  context.poll();
  system.assemble(context.pool, x_, v_, {1, gamma, gamma * gamma}, context.solver.jacobian, A);
  context.poll();
  solve_linear(solver_, {A, b_, system.projection()}, context, false, w_, report);
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

void ModalSplit::solve_contacts(const DynamicSystem& system, const StepContext& context,
                                const ContactCorrection::Times& times, double modal, std::span<const vec3> x0,
                                std::span<const vec3> v0, std::span<vec3> x1, std::span<vec3> v1,
                                StepReport& report) {
  if (context.contacts.empty()) return;
  const SystemCoefficients c = times.coefficients();
  if (c.stiffness != c.damping * c.damping || context.solver.jacobian != JacobianMode::clamped)
    system.assemble(context.pool, x_, v_, c, JacobianMode::clamped, *a_);
  const std::span<const vec3> change =
      contacts_.solve(system, context, times, *a_, solver_, x0, v0, x1, v1, report);
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
  const std::span<vec3> of_held = context.ledger->impulses().add_to(ImpulseKind::held, entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::uint32_t i = entries[k].particle;
    of_held[k] += weight * (w_[i] + gamma * b_[i]);
  }
}

void ModalSplit::keep() {
  if (searched_) modes_.keep();
  kept_.swap(X_);
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
