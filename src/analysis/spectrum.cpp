// SPDX-License-Identifier: MIT
#include "analysis/spectrum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>

#include "analysis/free_directions.h"
#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/linear_solver.h"
#include "linalg/pseudo_random.h"
#include "linalg/small_dense.h"
#include "linalg/vector_basis.h"

namespace clothlab {
namespace {

constexpr std::size_t kLanczosSteps = 100;
constexpr std::size_t kLowestModes = 8;  // which so few steps do not resolve
// Of all probes: the count of modes below an eigenvalue deviates by at most √(½ / this) of all.
constexpr std::size_t kProbedDirections = 3000;
constexpr double kInvariant = 1e-10;       // of the largest coefficient: the Krylov space is complete
constexpr double kLowestTolerance = 0.05;  // its square is the relative error of the eigenvalue
constexpr double kSlow = 1e-8;             // of the largest eigenvalue: below, that error is absolute
constexpr double kNoStiffness = 1e-10;     // of the largest eigenvalue: more than that error

/// Much more accurate than the counts.
const LinearSolverSettings kFilterSolver{.kind = LinearSolverSettings::Kind::cholesky,
                                         .cg = {.tolerance = 1e-3}};

/// The symmetric matrix M^−½ A M^−½ on the free directions.
struct Problem {
  const ComputeContext& context;
  const SpringMatrix& K;
  const SpringMatrix& C;
  std::span<const double> masses;
  const Projection& held;
  CancelPoint cancel{context.stop};
  std::vector<vec3> weighted = std::vector<vec3>(masses.size());

  void multiply(const SpringMatrix& A, std::span<const vec3> v, std::span<vec3> w) {
    cancel.poll();
    for (std::size_t i = 0; i < v.size(); ++i) weighted[i] = v[i] / std::sqrt(masses[i]);
    A.multiply(context.pool, weighted, w);
    for (std::size_t i = 0; i < v.size(); ++i) w[i] /= std::sqrt(masses[i]);
    held.filter(w);
  }
};

bool is_zero(const SpringMatrix& A) {
  const auto none = [](const SpringMatrix::Spring& s) { return s.u == vec3(0) && s.b == 0; };
  bool zero =
      A.stencils().empty() && std::ranges::all_of(A.diagonal_by_row(), [](double d) { return d == 0; });
  for (std::size_t s = 0; zero && s < A.pattern().springs(); ++s) zero = none(A.spring_in(s));
  return zero;
}

/// x·Hx of a matrix by columns.
double quotient(std::span<const double> H, std::span<const double> x) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    double product = 0;
    for (std::size_t i = 0; i < x.size(); ++i) product += x[i] * H[j * x.size() + i];
    sum += x[j] * product;
  }
  return sum;
}

void add_all_modes(Problem& p, Spectrum& result) {
  const std::vector<FreeDirection> directions = free_directions(p.held);
  const std::size_t n = directions.size();
  const auto dense = [&](const SpringMatrix& A) {
    return dense_on(directions, A, p.masses, p.context.pool, p.context.stop);
  };
  SymmetricEigen eigen;
  eigen.compute(n, dense(p.K), p.context.stop);
  const std::vector<double> C = result.is_damped ? dense(p.C) : std::vector<double>();
  for (std::size_t k = 0; k < n; ++k) {
    p.cancel.poll();
    const double damping = result.is_damped ? quotient(C, eigen.vectors().subspan(k * n, n)) : 0;
    result.groups.push_back({eigen.values()[k], std::max(damping, 0.0), 1});
  }
}

/// w −= V Vᵀw; `coefficients` := those of V. Twice: once multiplies the errors of V by 3 or so in every step.
double orthogonalise(Problem& p, const VectorBasis& V, std::size_t size, std::span<vec3> w,
                     std::span<double> coefficients) {
  const auto& [pool, stop] = p.context;
  V.coefficients(pool, size, w, coefficients, stop);
  V.add(pool, size, coefficients, -1, w, stop);
  std::vector<double> again(size);
  V.coefficients(pool, size, w, again, stop);
  V.add(pool, size, again, -1, w, stop);
  return norm(pool, w);
}

/// w := a pseudo-random vector of the free directions, of unit length.
void make_probe(Problem& p, std::uint64_t probe, std::span<vec3> w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint64_t k = 3 * (probe * w.size() + i);
    w[i] = {pseudo_random(k), pseudo_random(k + 1), pseudo_random(k + 2)};
  }
  p.held.filter(w);
  const double length = norm(p.context.pool, w);
  for (vec3& x : w) x /= length;
}

/// About the number of modes with |ω²| << σ, of which each probe v finds |σ (K + σ)⁻¹ v|² of all: its Krylov
/// space does not separate them from other slow modes. 0 if K + σ is not positive definite.
double count_without_stiffness(Problem& p, std::size_t probes, double sigma) {
  SpringMatrix shifted = p.K;
  for (std::size_t i = 0; i < p.masses.size(); ++i) shifted.diagonal(i) += sigma * p.masses[i];
  LinearSolver solver;
  std::vector<vec3> w(p.masses.size()), x(w.size());
  double share = 0;
  for (std::size_t probe = 0; probe < probes; ++probe) {
    make_probe(p, probe, w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= sigma * std::sqrt(p.masses[i]);
    const SolveReport report = solver.solve(
        p.context, {.A = shifted, .b = w, .projection = p.held, .same_matrix = probe > 0}, x, kFilterSolver);
    if (report.stopped) throw Cancelled();
    if (!report.converged) return 0;
    for (std::size_t i = 0; i < w.size(); ++i) share += p.masses[i] * glm::dot(x[i], x[i]);
  }
  return share * static_cast<double>(count_free_directions(p.held)) / static_cast<double>(probes);
}

/// The groups of one random vector: the Ritz values of its Krylov space, weighted by the squares of the first
/// components of their vectors. Full orthogonalisation: the Ritz vectors give the damping.
void add_groups(Problem& p, std::uint64_t probe, double modes, VectorBasis& V, Spectrum& result) {
  const auto& [pool, stop] = p.context;
  std::vector<vec3> w(p.masses.size());
  make_probe(p, probe, w);
  std::vector<double> alpha, beta, c(kLanczosSteps);
  double length = 1, scale = 0;
  while (length > kInvariant * scale) {
    const std::span<vec3> v = V.column(alpha.size());
    std::ranges::transform(w, v.begin(), [&](const vec3& x) { return x / length; });
    p.multiply(p.K, v, w);
    const std::size_t size = alpha.size() + 1;
    length = orthogonalise(p, V, size, w, c);
    alpha.push_back(c[size - 1]);
    scale = std::max({scale, std::abs(alpha.back()), length});
    if (size == kLanczosSteps) break;
    beta.push_back(length);
  }
  const std::size_t m = alpha.size();
  std::vector<double> T(m * m, 0.0), H;
  for (std::size_t k = 0; k < m; ++k) {
    T[k * m + k] = alpha[k];
    if (k + 1 < m) T[k * m + k + 1] = T[(k + 1) * m + k] = beta[k];
  }
  SymmetricEigen eigen;
  eigen.compute(m, T, stop);
  for (std::size_t j = 0; result.is_damped && j < m; ++j) {
    p.multiply(p.C, V.column(j), w);
    V.coefficients(pool, m, w, c, stop);
    H.insert(H.end(), c.begin(), c.begin() + static_cast<std::ptrdiff_t>(m));
  }
  for (std::size_t k = 0; k < m; ++k) {
    const std::span<const double> ritz = eigen.vectors().subspan(k * m, m);
    const double damping = result.is_damped ? quotient(H, ritz) : 0;
    result.groups.push_back({eigen.values()[k], std::max(damping, 0.0), modes * ritz[0] * ritz[0]});
  }
}

/// The first groups, of about `without_stiffness` modes, become one at 0. The k-th of the other groups of all
/// probes are about the same: each becomes one. `groups` ascend.
void join_probes(std::size_t probes, double without_stiffness, std::vector<ModeGroup>& groups) {
  std::vector<ModeGroup> joined;
  const auto join = [&](std::size_t first, std::size_t last) {
    ModeGroup sum;
    for (std::size_t k = first; k < std::min(last, groups.size()); ++k) {
      sum.modes += groups[k].modes;
      sum.eigenvalue += groups[k].modes * groups[k].eigenvalue;
      sum.damping += groups[k].modes * groups[k].damping;
    }
    if (sum.modes > 0) joined.push_back({sum.eigenvalue / sum.modes, sum.damping / sum.modes, sum.modes});
  };
  std::size_t first = 0;
  for (double below = 0; first < groups.size() && below + groups[first].modes / 2 < without_stiffness;
       ++first)
    below += groups[first].modes;
  join(0, first);
  for (ModeGroup& group : joined) group.eigenvalue = 0;
  for (; first < groups.size(); first += probes) join(first, first + probes);
  groups = std::move(joined);
}

/// The lowest modes, parts of the first groups so far, become groups of their own.
void split_lowest(Problem& p, const LowestModes& lowest, std::vector<ModeGroup>& groups) {
  std::vector<ModeGroup> own;
  std::vector<vec3> w(p.masses.size());
  for (std::size_t k = 0; k < lowest.count(); ++k) {
    p.cancel.poll();
    p.C.multiply(p.context.pool, lowest.mode(k), w);
    own.push_back({lowest.eigenvalue(k), std::max(inner_product(lowest.mode(k), w), 0.0), 1});
  }
  auto left = static_cast<double>(own.size());
  std::erase_if(groups, [&](ModeGroup& group) {
    const double taken = std::min(left, group.modes);
    left -= taken;
    group.modes -= taken;
    return group.modes == 0;
  });
  groups.insert(groups.end(), own.begin(), own.end());
  std::ranges::sort(groups, {}, &ModeGroup::eigenvalue);
}

}  // namespace

double modes_below(const Spectrum& spectrum, double eigenvalue) {
  const std::vector<ModeGroup>& groups = spectrum.groups;
  const auto next = std::ranges::lower_bound(groups, eigenvalue, {}, &ModeGroup::eigenvalue);
  double below = 0;
  for (auto group = groups.begin(); group != next; ++group) below += group->modes;
  if (spectrum.is_exact || next == groups.begin() || next == groups.end()) return below;
  // Half of each group lies on either side of its eigenvalue, except of modes without stiffness.
  const auto half = [](const ModeGroup& group) { return group.eigenvalue == 0 ? 0 : group.modes / 2; };
  const ModeGroup& last = *std::prev(next);
  const double share = (eigenvalue - last.eigenvalue) / (next->eigenvalue - last.eigenvalue);
  return below - half(last) + share * (half(last) + half(*next));
}

std::optional<Spectrum> SpectrumMeter::measure(const ComputeContext& context, const SpringMatrix& K,
                                               const SpringMatrix& C, std::span<const double> masses,
                                               const Projection& held, std::size_t most_exact) {
  Spectrum result;
  result.free_directions = count_free_directions(held);
  result.is_exact = result.free_directions <= most_exact;
  result.is_damped = !is_zero(C);
  if (result.free_directions == 0) return result;
  Problem p{context, K, C, masses, held};
  const std::size_t probes = result.is_exact ? 1 : (kProbedDirections - 1) / result.free_directions + 1;
  if (result.is_exact) {
    add_all_modes(p, result);
  } else {
    const double modes = static_cast<double>(result.free_directions) / static_cast<double>(probes);
    VectorBasis V;
    V.resize(masses.size(), kLanczosSteps);
    for (std::size_t probe = 0; probe < probes; ++probe) add_groups(p, probe, modes, V, result);
  }
  const auto is_finite = [](const ModeGroup& g) {
    return std::isfinite(g.eigenvalue) && std::isfinite(g.damping) && std::isfinite(g.modes);
  };
  if (!std::ranges::all_of(result.groups, is_finite)) return std::nullopt;
  std::ranges::sort(result.groups, {}, &ModeGroup::eigenvalue);
  result.highest = result.groups.back().eigenvalue;
  if (result.is_exact || !(result.highest > 0)) return result;
  const LowestModes::Result low = lowest_->compute(
      context, K, masses, held,
      {.count = kLowestModes, .scale = kSlow * result.highest, .tolerance = kLowestTolerance});
  if (low.stopped) throw Cancelled();
  if (!low.finite) return std::nullopt;
  lowest_->keep();
  // Modes without a gap between them are not found one by one.
  const double zero = kNoStiffness * result.highest;
  const bool has_zeros = lowest_->count() == 0 && std::abs(low.lowest) <= zero;
  join_probes(probes, has_zeros ? count_without_stiffness(p, probes, zero) : 0, result.groups);
  split_lowest(p, *lowest_, result.groups);
  return result;
}

}  // namespace clothlab
