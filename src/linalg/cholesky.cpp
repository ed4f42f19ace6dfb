// SPDX-License-Identifier: MIT
#include "linalg/cholesky.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/glm.hpp>

namespace clothlab {

namespace {

// What a backward stable direct solve reaches on any matrix that it is meant for.
constexpr double kDirectTolerance = 1e-9;
constexpr int kMaxRefinements = 4;

double norm(std::span<const vec3> a) {
  double sum = 0;
  for (const vec3& v : a) sum += glm::dot(v, v);
  return std::sqrt(sum);
}

// z where something is constrained and 0 elsewhere; `to` may be z.
void spread(const Projection& projection, std::span<const vec3> z, std::span<vec3> to) {
  auto free = to.begin();
  for (const Projection::Entry& entry : projection.entries()) {
    const auto at = to.begin() + entry.particle;
    std::fill(free, at, vec3(0.0));
    *at = z.empty() ? vec3(0.0) : z[entry.particle];
    free = at + 1;
  }
  std::fill(free, to.end(), vec3(0.0));
}

}  // namespace

SolveReport CholeskySolver::solve(WorkerPool& pool, const SpringMatrix& A, std::span<const vec3> b,
                                  std::span<const vec3> z, const Projection& projection, std::span<vec3> x,
                                  double tolerance, const StopProbe& stop, bool same_matrix) {
  assert(b.size() == A.size() && x.size() == A.size() && (z.empty() || z.size() == A.size()));
  const std::size_t n = A.size();
  SolveReport report;
  report.stopped = !factor_.analyse(A, stop);
  for (std::vector<vec3>* v : {&rhs_, &residual_, &y_, &product_}) {
    report.stopped = report.stopped || stop_requested(stop);
    if (!report.stopped) v->resize(n);
  }
  if (report.stopped) {
    spread(projection, z, x);
    history_.assign(1, 1.0);
    report.residual = 1;
    report.history = history_;
    return report;
  }

  // rhs := S (b - A z)
  std::copy(b.begin(), b.end(), rhs_.begin());
  if (!z.empty()) {
    spread(projection, z, y_);
    A.multiply(pool, y_, product_);
    for (std::size_t i = 0; i < n; ++i) rhs_[i] -= product_[i];
  }
  projection.filter(rhs_);

  std::fill(y_.begin(), y_.end(), vec3(0.0));
  std::copy(rhs_.begin(), rhs_.end(), residual_.begin());
  const double scale = norm(rhs_);
  report.residual = scale == 0 ? 0.0 : scale / scale;
  history_.assign(1, report.residual);

  if (!same_matrix) factor_.forget();
  if (scale > 0 && std::isfinite(scale)) {
    CholeskyFactor::Outcome outcome = CholeskyFactor::Outcome::done;
    if (!factor_.holds(A)) outcome = factor_.compute(pool, A, projection, stop);
    report.indefinite = outcome == CholeskyFactor::Outcome::indefinite;
    report.stopped = outcome == CholeskyFactor::Outcome::stopped;
    // The first pass is the solve itself; each one after it refines while that still helps.
    while (outcome == CholeskyFactor::Outcome::done && report.iterations <= kMaxRefinements) {
      report.stopped = stop_requested(stop) || !factor_.add_solution(residual_, y_, stop);
      if (report.stopped) break;
      projection.filter(y_);
      ++report.iterations;
      A.multiply(pool, y_, product_);
      for (std::size_t i = 0; i < n; ++i) residual_[i] = rhs_[i] - product_[i];
      projection.filter(residual_);
      const double before = report.residual;
      report.residual = norm(residual_) / scale;
      history_.push_back(report.residual);
      if (report.residual <= tolerance || !(report.residual < 0.5 * before)) break;
    }
  }
  if (!z.empty()) {
    for (const Projection::Entry& entry : projection.entries()) y_[entry.particle] += z[entry.particle];
  }
  std::copy(y_.begin(), y_.end(), x.begin());
  report.converged =
      report.residual <= std::max(tolerance, kDirectTolerance) && !report.indefinite && !report.stopped;
  report.history = history_;
  return report;
}

}  // namespace clothlab
