// SPDX-License-Identifier: MIT
#include "integrate/two_step.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/text.h"
#include "integrate/growth.h"

namespace clothlab {
namespace {

constexpr double kForEver = std::numeric_limits<double>::infinity();
constexpr double kLeast = 1e-6;  // of coefficients that a step divides by

std::array<double, 3> read(const std::vector<std::string>& cells, const std::string& name) {
  constexpr std::array kTimes{"u₋₁", "u0", "u1"};
  if (cells.size() != kTimes.size())
    throw InputError("The two-step method has " + std::to_string(cells.size()) + " cells in " + name +
                     "; it must have 3, for u₋₁, u0 and u1.");
  std::array<double, 3> values{};
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = read_cell(cells[k], name + std::string(" of ") + kTimes[k]);
  return values;
}

double larger_root(std::complex<double> a, std::complex<double> b, std::complex<double> c) {
  const std::complex<double> root = std::sqrt(b * b - 4.0 * a * c);
  return std::max(std::abs(b + root), std::abs(b - root)) / (2 * std::abs(a));
}

/// `value`, or 0 if that is the rounding of a sum of terms up to `size`.
double rounded(double value, double size) {
  constexpr double kRounding = 1e-13;
  return std::abs(value) <= kRounding * size ? 0 : value;
}

}  // namespace

TwoStepTable::TwoStepTable(const Tableau& tableau) {
  if (!tableau.a.empty() || !tableau.b.empty())
    throw InputError(
        "The tableau has a and b of a Runge–Kutta method, and alpha and beta of a two-step method; one of "
        "the two is allowed.");
  alpha_ = read(tableau.alpha, "alpha");
  beta_ = read(tableau.beta, "beta");
  const double last = alpha_[2];
  if (std::abs(last) < kLeast)
    throw InputError("The two-step method has " + format_number(last) +
                     " in alpha of u1; it must be at least 1e-6 in size, so that u1 can be computed.");
  for (auto* list : {&alpha_, &beta_})
    for (double& value : *list) value /= last;
  const auto& [a0, a1, a2] = alpha_;
  const double sum = a0 + a1 + a2, weights = beta_[0] + beta_[1] + beta_[2];
  if (std::abs(sum) > kConditionTolerance)
    throw InputError("The cells of alpha add up to " + format_number(last * sum) +
                     "; they must add up to 0, or the method does not converge.");
  alpha_[1] = -a0 - a2;
  if (std::abs(weights - (a2 - a0)) > kConditionTolerance)
    throw InputError("The cells of beta add up to " + format_number(last * weights) +
                     "; they must add up to the last cell of alpha less the first one, " +
                     format_number(last * (a2 - a0)) + ", or the method does not converge.");
  if (!(a0 >= -1) || !(a0 <= 1 - kLeast))
    throw InputError("The first cell of alpha is " + format_number(a0) +
                     " times the last one; it must be from -1 to 0.999999 times as large, or "
                     "errors grow in every step.");
  if (beta_[2] < 0 || (beta_[2] > 0 && beta_[2] < kLeast))
    throw InputError("The two-step method has " + format_number(last * beta_[2]) +
                     " in beta of u1; over alpha of u1 it must be 0, or at least 1e-6, so that the step can "
                     "be solved.");
}

TwoStepTable::TwoStepTable(std::span<const double> values)
    : alpha_{values[0], values[1], 1}, beta_{values[2], values[3], values[4]} {}

std::vector<double> TwoStepTable::values() const {
  return {alpha_[0], alpha_[1], beta_[0], beta_[1], beta_[2]};
}

int TwoStepTable::order() const {
  // Σ α_k (k−1)^q = q Σ β_k (k−1)^(q−1) [Hairer 1993, III.2]; stable methods have at most order 4.
  constexpr int kHighest = 4;
  for (int q = 1; q <= kHighest; ++q) {
    const double sign = q % 2 == 0 ? 1 : -1;  // of (−1)^q
    const double states = alpha_[2] + sign * alpha_[0];
    const double forces = q * (beta_[2] - sign * beta_[0] + (q == 1 ? beta_[1] : 0));
    if (std::abs(states - forces) > kConditionTolerance) return q - 1;
  }
  return kHighest;
}

double TwoStepTable::limit_on_axis() const {
  const auto& [a0, a1, a2] = alpha_;
  const auto& [b0, b1, b2] = beta_;
  // Both roots of a ζ² + b ζ + c are in the unit circle iff |c| ≤ |a| and |āb − b̄c| ≤ |a|² − |c|², by Schur.
  // At z = iy, with w = y²: |a|² − |c|² = of_1 + of_w w, and the difference of the squares is w (m1 + m2 w).
  const double of_1 = rounded(a2 * a2 - a0 * a0, 1), of_w = rounded(b2 * b2 - b0 * b0, b2 * b2 + b0 * b0);
  const double odd = a1 * (b2 + b0) - b1 * (a2 + a0);
  const double m1_parts[]{2 * of_1 * of_w, -2 * a1 * (a2 - a0) * b1 * (b2 - b0), -odd * odd};
  const double m2_parts[]{of_w * of_w, -b1 * b1 * (b2 - b0) * (b2 - b0)};
  const auto sum = [](std::span<const double> parts) {
    double value = 0, size = 0;
    for (const double part : parts) value += part, size += std::abs(part);
    return rounded(value, size);
  };
  const double m1 = sum(m1_parts), m2 = sum(m2_parts);
  if (m1 < 0 || (m1 == 0 && m2 < 0)) return 0;
  if (of_1 == 0 && of_w == 0 && m1 == 0 && m2 == 0) {
    // The roots are each other's inverse: on the circle while |b| ≤ 2 |a|.
    const double at_0 = 4 * a2 * a2 - a1 * a1, slope = b1 * b1 - 4 * b2 * b2;
    return slope > 0 ? std::sqrt(at_0 / slope) : kForEver;
  }
  const double by_size = of_w < 0 ? of_1 / -of_w : kForEver, by_margin = m2 < 0 ? m1 / -m2 : kForEver;
  return std::sqrt(std::min(by_size, by_margin));
}

TableauFacts TwoStepTable::facts() const {
  TableauFacts facts;
  facts.kind = is_implicit() ? StageKind::diagonal : StageKind::explicit_stages;
  facts.order = order();
  facts.limit = limit_on_axis();
  facts.at_infinity = is_implicit() ? larger_root(beta_[2], beta_[1], beta_[0]) : kForEver;
  // The larger root has its maximum over the left half-plane on the axis.
  facts.a_stable = is_implicit() && std::isinf(facts.limit);
  facts.l_stable = facts.a_stable && facts.at_infinity < kConditionTolerance;
  return facts;
}

double two_step_growth(double h_omega, double h_damping, const IntegratorParameters& values) {
  const TwoStepTable table{std::span<const double>(values)};
  return largest_at_eigenvalues(h_omega, h_damping, [&](const std::complex<double>& z) {
    const auto at = [&](std::size_t k) { return table.alpha(k) - z * table.beta(k); };
    return 1 + rounded(larger_root(at(2), at(1), at(0)) - 1, 1);  // 1 of a symmetric method
  });
}

double two_step_force_time(const IntegratorParameters& values) {
  const TwoStepTable table{std::span<const double>(values)};
  return ((1 + table.alpha(0)) / 2 + table.beta(0)) / (1 - table.alpha(0));
}

}  // namespace clothlab
