// SPDX-License-Identifier: MIT
#include "linalg/cholesky.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/glm.hpp>

#include "core/cancel_point.h"
#include "linalg/small_dense.h"

namespace clothlab {

namespace {

// Residual of a backward stable direct solve.
constexpr double kDirectTolerance = 1e-9;
constexpr int kMaxRefinements = 4;

double norm(std::span<const vec3> a) {
  double sum = 0;
  for (const vec3& v : a) sum += glm::dot(v, v);
  return std::sqrt(sum);
}

}  // namespace

void CholeskySolver::prepare(const ComputeContext& context, const LinearSystem& system) {
  factor_.analyse(system.A, context.stop);
  for (std::vector<vec3>* v : {&rhs_, &residual_, &product_}) {
    CancelPoint(context.stop).poll();
    v->resize(system.A.size());
  }
  std::copy(system.b.begin(), system.b.end(), rhs_.begin());
  if (!system.z.empty()) {  // residual_ is scratch memory for z
    std::ranges::fill(residual_, vec3(0.0));
    for (const Projection::Entry& entry : system.projection.entries())
      residual_[entry.particle] = system.z[entry.particle];
    system.A.multiply(context.pool, residual_, product_);
    for (std::size_t i = 0; i < rhs_.size(); ++i) rhs_[i] -= product_[i];
  }
  system.projection.filter_particles(rhs_);
  std::ranges::copy(rhs_, residual_.begin());
}

void CholeskySolver::refine(const ComputeContext& context, const LinearSystem& system, double scale,
                            double tolerance, SolveReport& report) {
  report.indefinite = !factor_.holds(system.A) && !factor_.compute(context, system);
  // The first pass is the solve itself; each later one refines while the residual decreases.
  while (!report.indefinite && report.iterations <= kMaxRefinements) {
    CancelPoint(context.stop).poll();
    factor_.add_solution(residual_, y_, context.stop);
    system.projection.filter_particles(y_);
    ++report.iterations;
    system.A.multiply(context.pool, y_, product_);
    for (std::size_t i = 0; i < rhs_.size(); ++i) residual_[i] = rhs_[i] - product_[i];
    system.projection.filter_particles(residual_);
    const double before = report.residual;
    report.residual = norm(residual_) / scale;
    history_.push_back(report.residual);
    if (report.residual <= tolerance || !(report.residual < 0.5 * before)) return;
  }
}

// x = z + A⁻¹ (b − Az − Y μ) with Yᵀ(x − z) = 0
SolveReport CholeskySolver::solve(const ComputeContext& context, const LinearSystem& system,
                                  std::span<vec3> x, double tolerance) {
  const Couplings& couplings = system.projection.couplings();
  const bool is_coupled = !couplings.empty();
  assert(!is_coupled || system.modes == nullptr);
  const std::span<const Projection::Entry> entries = system.projection.entries();
  change_.assign(is_coupled && !system.z.empty() ? entries.size() : 0, vec3(0.0));
  for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = system.z[entries[k].particle];
  SolveReport report = solve_freely(context, system, x, tolerance);
  const std::size_t count = is_coupled                ? couplings.rank()
                            : system.modes != nullptr ? system.modes->count()
                                                      : 0;
  if (count == 0 || !report.converged) return report;
  if (is_coupled) couplings.basis(x.size(), normals_);
  const VectorBasis& Y = is_coupled ? normals_ : system.modes->Y();
  for (std::size_t k = 0; k < change_.size(); ++k) x[entries[k].particle] -= change_[k];
  of_modes_.resize(x.size(), count);
  small_.resize(count * count);
  multipliers_.resize(count);
  const double residual = report.residual;
  for (std::size_t j = 0; j < count; ++j) {
    const SolveReport each = solve_freely(context, {system.A, Y.column(j), system.projection, {}, true},
                                          of_modes_.column(j), tolerance);
    report.iterations += each.iterations;
    report.stopped = each.stopped;
    if (each.stopped) return report;
    Y.coefficients(context.pool, count, of_modes_.column(j), std::span(small_).subspan(j * count, count));
  }
  Y.coefficients(context.pool, count, x, multipliers_);
  if (solve_dense(count, small_, multipliers_)) of_modes_.add(context.pool, count, multipliers_, -1, x);
  if (is_coupled)
    couplings.filter(x);
  else
    system.modes->filter_motion(context.pool, x);
  for (std::size_t k = 0; k < change_.size(); ++k) x[entries[k].particle] += change_[k];
  history_.assign({1, residual});
  report.history = history_;
  return report;
}

SolveReport CholeskySolver::solve_freely(const ComputeContext& context, const LinearSystem& system,
                                         std::span<vec3> x, double tolerance) {
  assert(system.fits(x));
  SolveReport report;
  report.residual = 1;
  y_.assign(x.size(), vec3(0.0));
  history_.assign(1, 1.0);
  if (!system.same_matrix) factor_.forget();
  report.stopped = !run_unless_cancelled([&] {
    prepare(context, system);
    const double scale = norm(rhs_);
    history_[0] = scale == 0 ? 0.0 : scale / scale;
    report.residual = history_[0];
    if (scale > 0 && std::isfinite(scale)) refine(context, system, scale, tolerance, report);
  });

  if (!system.z.empty()) {
    for (const Projection::Entry& entry : system.projection.entries())
      y_[entry.particle] += system.z[entry.particle];
  }
  std::copy(y_.begin(), y_.end(), x.begin());
  report.converged =
      report.residual <= std::max(tolerance, kDirectTolerance) && !report.indefinite && !report.stopped;
  report.history = history_;
  return report;
}

}  // namespace clothlab
