// SPDX-License-Identifier: MIT
#include "linalg/field_of_values.h"

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

}  // namespace clothlab
