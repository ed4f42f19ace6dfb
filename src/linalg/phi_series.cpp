// SPDX-License-Identifier: MIT
#include "linalg/phi_series.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "core/cancel_point.h"
#include "linalg/row_space.h"

namespace clothlab {
namespace {

// Of an enclosure over 0, with damping: e^z, and roundings, grow by e³ at most.
constexpr double kOverhang = 3;

// At least the largest eigenvalue of a symmetric block, and close to it. From a bound by the mean and the
// spread of the eigenvalues, Newton's method for the characteristic polynomial descends to the largest one.
double largest_eigenvalue(const Padded& diagonal, const Padded& rest) {
  const double mean = (diagonal.x + diagonal.y + diagonal.z) / 3;
  const double x = diagonal.x - mean, y = diagonal.y - mean, z = diagonal.z - mean;
  const double xy = rest.x, xz = rest.y, yz = rest.z;
  const double half = (x * x + y * y + z * z) / 2 + xy * xy + xz * xz + yz * yz;
  const double determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
  double t = std::sqrt(half * 4 / 3);
  for (int step = 0; step < 3; ++step) {
    const double slope = 3 * t * t - half;
    if (slope > 0) t -= (t * (t * t - half) - determinant) / slope;
  }
  return mean + t;
}

// No eigenvalue of M⁻¹A is larger.
double block_bound(WorkerPool& pool, const SpringMatrix& A, std::span<const double> masses,
                   RowVector& diagonal, RowVector& rest) {
  const SpringPattern& p = A.pattern();
  return pool.max(p.chunks(), 1, [&](std::size_t chunk, std::size_t) {
    A.bounding_blocks(chunk, diagonal.data(), rest.data());
    double bound = 0;
    for (std::uint32_t i = p.chunk_begin[chunk]; i < p.chunk_begin[chunk + 1]; ++i) {
      const double of_row = 2 * largest_eigenvalue(diagonal[i], rest[i]) / masses[p.particle[i]];
      if (!(of_row <= bound)) bound = of_row;
    }
    return bound;
  });
}

constexpr double kLogRounding = -46;  // of 1e-20

// Above ln |e_n| for n >= b, e^z = Σ e_n F_n(z), and e^z = 1 at most on the ellipse: by Cauchy's integral
// over an ellipse r times as large, |e_n| <= e^(ρ r + κ/r − a)/rⁿ, here with the best r >= 1, ρ r − κ/r = n.
double log_bound(double n, double a, double b) {
  const double root = std::sqrt(n * n + a * a - b * b);
  return root - a - n * std::log((n + root) / (a + b));
}

}  // namespace

Ellipse FieldOfValues::enclosure(double h) const {
  const double omega = h * frequency;
  if (damping == 0) return {0, 0, omega};
  const double right = kOverhang, left = h * damping + kOverhang, real = (left + right) / 2;
  // The extreme points are those with κ and d in a corner of what they may be. For κ = ω² s, d = g s they are
  // −h g s ± 2 i h ω √(s (1 − s)), furthest out at s = 1/(1 + μ); the same for κ = τ² s, d = 0.
  const auto square = [&](double g) {
    const double mu = std::sqrt((left - g) * (right + g) / (left * right));
    return 4 * real * real * mu / ((right * (1 + mu) + g) * (left * (1 + mu) - g));
  };
  const double squared = frequency * frequency, undamped = std::min(across, squared);
  const double of_omega = std::max(square(h * share * (squared - undamped)), square(h * damping));
  return {(right - left) / 2, real, h * std::sqrt(std::max(squared * of_omega, undamped * square(0)))};
}

FieldOfValues field_of_values(const ComputeContext& context, const SpringMatrix& K, const SpringMatrix& D,
                              std::span<const double> masses, RowVector& scratch, RowVector& more_scratch) {
  CancelPoint cancel(context.stop);
  const SpringPattern& p = K.pattern();
  for (RowVector* of : {&scratch, &more_scratch}) of->resize(K.size());
  FieldOfValues field{};
  field.frequency = std::sqrt(block_bound(context.pool, K, masses, scratch, more_scratch));
  cancel.poll();
  field.damping = block_bound(context.pool, D, masses, scratch, more_scratch);
  cancel.poll();
  // Along a spring D has at least the share β of K. Across it, and in stencils, it may have less.
  double share = std::numeric_limits<double>::infinity(), lowest = 0;
  for (std::size_t k = 0; k < p.springs(); ++k) {
    cancel.pass();
    const SpringMatrix::Spring& of_K = K.spring_in(k);
    if (const double along = of_K.stiffness(); along > 0)
      share = std::min(share, D.spring_in(k).stiffness() / along);
    lowest = std::min(lowest, of_K.b);
  }
  field.semidefinite = lowest >= 0;
  if (!std::isfinite(share)) share = 0;
  field.share = share;
  if (share == 0) return field;
  for (Padded& of : scratch) of = {};
  const auto add = [&](std::size_t row, double size) { scratch[row].x += size; };
  for (std::size_t k = 0; k < p.springs(); ++k) {
    cancel.pass();
    const double missing = 2 * std::max(0.0, K.spring_in(k).b - D.spring_in(k).b / share);
    add(p.lower[k], missing);
    add(p.upper[k], missing);
  }
  for (const SpringMatrix::Stencil& stencil : K.stencils()) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(stencil.count); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(stencil.count); ++j)
        add(p.row[stencil.particle[i]], std::abs(stencil.weight[i] * stencil.weight[j]) * stencil.size());
  }
  for (std::size_t i = 0; i < K.size(); ++i)
    field.across = std::max(field.across, (scratch[i].x + K.diagonal_by_row()[i]) / masses[p.particle[i]]);
  return field;
}

void PhiSeries::reserve(std::size_t most) {
  most_ = most;
  for (std::vector<double>* of : {&c_, &e_}) of->reserve(most + 3);
}

bool PhiSeries::expand(const Ellipse& ellipse) {
  const auto& [centre, a, b] = ellipse;
  double below = b, last = static_cast<double>(most_);
  if (!(a >= 0 && b >= 0 && a + b > 0 && below < last && log_bound(last, a, b) < kLogRounding)) return false;
  while (last - below > 1) {
    const double middle = (below + last) / 2;
    (log_bound(middle, a, b) < kLogRounding ? last : below) = middle;
  }
  const auto N = static_cast<std::size_t>(last) + 1;
  const double rho = (a + b) / 2, kappa = (a - b) / 2;
  scale_ = 1 / rho;
  shift_ = -centre / rho;
  q_ = kappa / rho;

  // n e_n = ρ e_n−1 − κ e_n+1, downwards, because the wanted solution grows in that direction. Its scale
  // comes from the ellipse's right end, where F_n = 1 + qⁿ.
  for (std::vector<double>* of : {&c_, &e_}) of->assign(N + 2, 0.0);
  e_[N] = 1;
  for (std::size_t n = N; n > 0; --n) e_[n - 1] = (static_cast<double>(n) * e_[n] + kappa * e_[n + 1]) / rho;
  double sum = e_[0], power = 1;
  for (std::size_t n = 1; n <= N; ++n) {
    power *= q_;
    sum += e_[n] * (1 + power);
  }
  const double scale = std::exp(centre + a) / sum;
  // z φ1(z) = e^z − 1: ρ c_n−1 + centre c_n + κ c_n+1 = e_n, whose other solutions do not grow downwards
  // if 0 is in the ellipse.
  for (std::size_t n = N; n > 0; --n) c_[n - 1] = (scale * e_[n] - centre * c_[n] - kappa * c_[n + 1]) / rho;
  return true;
}

std::size_t PhiSeries::terms(double x, double v, double error) const {
  std::size_t n = c_.size() - 1;
  for (double rest = 0; n > 0; --n) {
    rest += 2 * std::abs(c_[n]) * (x + static_cast<double>(n) * v);
    if (!(rest <= error)) break;
  }
  return n;
}

}  // namespace clothlab
