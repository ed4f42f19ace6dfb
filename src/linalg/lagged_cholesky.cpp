#include "linalg/lagged_cholesky.h"

namespace clothlab {

LaggedCholesky::Outcome LaggedCholesky::prepare(WorkerPool& pool, const SpringMatrix& A,
                                                const Projection& projection, const RowFilter& filter,
                                                const StopProbe& stop) {
  pool_ = &pool;
  A_ = &A;
  projection_ = &projection;
  filter_ = &filter;
  stop_ = &stop;
  r_.resize(A.size());
  y_.resize(A.size());
  spent_ += iterations_;
  solves_ += 1;
  iterations_ = 0;
  return factor_.holds(A) ? Outcome::ready : renew();
}

LaggedCholesky::Outcome LaggedCholesky::renew() {
  if (!factor_.analyse(*A_, *stop_)) return Outcome::stopped;
  const CholeskyFactor::Outcome outcome = factor_.compute(*pool_, *A_, *projection_, *stop_);
  if (outcome == CholeskyFactor::Outcome::stopped) return Outcome::stopped;
  spent_ = factor_.relative_cost();
  solves_ = 0;
  iterations_ = 0;
  return outcome == CholeskyFactor::Outcome::done ? Outcome::ready : Outcome::indefinite;
}

double LaggedCholesky::apply(const RowVector& r, RowVector& z) {
  const SpringPattern& rows = A_->pattern();
  for_rows(*pool_, rows, [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      r_[rows.particle[i]] = unpadded(r[i]);
      y_[rows.particle[i]] = vec3(0.0);
    }
  });
  if (!factor_.add_solution(r_, y_, *stop_)) return 0;
  iterations_ += 1;
  return sum_rows(*pool_, rows, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) z[i] = padded(y_[rows.particle[i]]);
    filter_->filter(chunk, z.data());  // the constraints may be others than those the factor was made with
    double r_dot_z = 0;
    for (std::uint32_t i = begin; i < end; ++i)
      r_dot_z += r[i].x * z[i].x + r[i].y * z[i].y + r[i].z * z[i].z;
    return r_dot_z;
  });
}

}  // namespace clothlab
