// SPDX-License-Identifier: MIT
#include "linalg/phi_series.h"

#include <cmath>

namespace clothlab {

namespace {

constexpr double kLogRounding = -46;  // of 1e-20

// Above ln |e_n| for n >= b, e^z = Σ e_n F_n(z), and e^z = 1 at most on the ellipse: by Cauchy's integral
// over an ellipse r times as large, |e_n| <= e^(ρ r + κ/r − a)/rⁿ, here with the best r >= 1, ρ r − κ/r = n.
double log_bound(double n, double a, double b) {
  const double root = std::sqrt(n * n + a * a - b * b);
  return root - a - n * std::log((n + root) / (a + b));
}

}  // namespace

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
