// SPDX-License-Identifier: MIT
#include "integrate/fitted_step.h"

#include "dense_algebra.h"

namespace clothlab::test {

FittedStep fitted_step(std::span<const FourStates, 2> runs, double threshold) {
  algebra::Matrix w(4, 4), next(4, 4);
  Eigen::Index column = 0;
  for (const FourStates& u : runs) {
    for (std::size_t k = 1; k < 3; ++k, ++column) {
      for (int c = 0; c < 2; ++c) {
        w(c, column) = u[k][c];
        w(2 + c, column) = u[k - 1][c];
        next(c, column) = u[k + 1][c];
        next(2 + c, column) = u[k][c];
      }
      const double size = w.col(column).norm();
      w.col(column) /= size;
      next.col(column) /= size;
    }
  }
  const algebra::FittedMap map = algebra::fitted_map(w, next, threshold);
  return {algebra::spectral_radius(map.A), static_cast<int>(map.rank)};
}

}  // namespace clothlab::test
