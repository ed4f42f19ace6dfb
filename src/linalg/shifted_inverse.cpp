// SPDX-License-Identifier: MIT
#include "linalg/shifted_inverse.h"

#include <algorithm>
#include <cmath>

#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/vector_basis.h"

namespace clothlab {

bool ShiftedInverse::prepare(const ComputeContext& context, const SpringMatrix& K,
                             std::span<const double> masses, const Projection& projection, double sigma) {
  const CancelPoint cancel(context.stop);
  const std::size_t n = K.size();
  sigma_ = sigma;
  exact_ = n < kMultigridParticles;
  if (!shifted_ || shifted_->shared_pattern() != K.shared_pattern()) {
    shifted_.emplace(K.shared_pattern(), context.stop);
  }
  *shifted_ = K;
  cancel.poll();
  for (std::size_t i = 0; i < n; ++i) shifted_->diagonal(i) += sigma * masses[i];
  if (exact_) {
    right_.resize(n);
    factor_.analyse(*shifted_, context.stop);
    return factor_.compute(context, {*shifted_, right_, projection});
  }
  r_.resize(n);
  z_.resize(n);
  filter_.assign(K.pattern(), projection);
  if (!multigrid_.prepare(context, *shifted_, filter_, r_, z_)) throw Cancelled();
  return true;
}

double ShiftedInverse::apply(const ComputeContext& context, const Projection& projection, std::span<vec3> w) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  if (exact_) {
    std::copy(w.begin(), w.end(), right_.begin());
    std::fill(w.begin(), w.end(), vec3(0.0));
    factor_.add_solution(right_, w, context.stop);
    projection.filter(w);
    return inner_product(context.pool, right_, w);
  }
  const SpringPattern& pattern = shifted_->pattern();
  const double squared = sum_over_rows(context.pool, pattern, [&](std::size_t i) {
    r_[i] = padded(w[pattern.particle[i]]);
    return dot(r_[i], r_[i]);
  });
  const double energy = multigrid_.apply(r_, std::sqrt(squared), z_);
  cancel.poll();
  for_each_row(context.pool, pattern, [&](std::size_t i) { w[pattern.particle[i]] = unpadded(z_[i]); });
  return energy;
}

}  // namespace clothlab
