// SPDX-License-Identifier: MIT
#include "linalg/small_dense.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "nets.h"

namespace clothlab {
namespace {

using Complex = std::complex<double>;

/// Q diag(rotations and numbers) Qᵀ with a random reflection Q, so that its eigenvalues are known.
struct Known {
  std::size_t n;
  std::vector<double> a;
  std::vector<Complex> values;

  Known(std::size_t pairs, std::size_t singles) : n(2 * pairs + singles), a(n * n, 0.0) {
    nets::Random random(3);
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return a[j * n + i]; };
    for (std::size_t k = 0; k < pairs; ++k) {
      const double real = random.in(-1, 1), imaginary = random.in(0.1, 2);
      at(2 * k, 2 * k) = at(2 * k + 1, 2 * k + 1) = real;
      at(2 * k, 2 * k + 1) = imaginary;
      at(2 * k + 1, 2 * k) = -imaginary;
      values.insert(values.end(), {{real, imaginary}, {real, -imaginary}});
    }
    for (std::size_t i = 2 * pairs; i < n; ++i) values.emplace_back(at(i, i) = random.in(-3, 0));
    std::vector<double> q(n);
    double length = 0;
    for (double& x : q) {
      x = random.in(-1, 1);
      length += x * x;
    }
    for (const bool rows : {true, false})
      for (std::size_t k = 0; k < n; ++k) {
        const auto entry = [&](std::size_t i) -> double& { return rows ? at(i, k) : at(k, i); };
        double share = 0;
        for (std::size_t i = 0; i < n; ++i) share += q[i] * entry(i);
        for (std::size_t i = 0; i < n; ++i) entry(i) -= 2 * share / length * q[i];
      }
  }
};

TEST(Eigenvalues, AreAllFound) {
  for (const auto& [pairs, singles] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 0}, {1, 2}, {20, 11}}) {
    const Known known(pairs, singles);
    const std::vector<Complex> found = eigenvalues(known.n, known.a);
    ASSERT_EQ(found.size(), known.n);
    for (const Complex value : known.values) {
      double nearest = INFINITY;
      for (const Complex other : found) nearest = std::min(nearest, std::abs(other - value));
      EXPECT_LT(nearest, 1e-12) << value;
    }
  }
  EXPECT_TRUE(eigenvalues(1, {NAN}).empty());
}

/// A net of damped masses: its frequencies lie so close together that the iteration needs exceptional shifts.
/// The sum of all eigenvalues is the trace.
TEST(Eigenvalues, AddUpToTheTrace) {
  constexpr std::size_t kSide = 12, n = kSide * kSide;
  std::vector<double> J(4 * n * n, 0.0);
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return J[j * 2 * n + i]; };
  nets::Random random(5);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) {
    at(i, n + i) = 100;
    at(n + i, i) = -4;
    at(n + i, n + i) = -random.in(0, 2);
    trace += at(n + i, n + i);
    if ((i + 1) % kSide != 0) at(n + i, i + 1) = at(n + i + 1, i) = 1;
    if (i + kSide < n) at(n + i, i + kSide) = at(n + i + kSide, i) = 1;
  }
  Complex sum = 0;
  double most = -INFINITY;
  for (const Complex value : eigenvalues(2 * n, J)) {
    sum += value;
    most = std::max(most, value.real());
  }
  EXPECT_NEAR(std::abs(sum - trace), 0, 1e-8 * n);
  EXPECT_LT(most, 0) << "everything is damped";
}

TEST(Eigenvalues, GiveUpWhenAsked) {
  const Known known(60, 0);
  int polls = 0;
  EXPECT_THROW(eigenvalues(known.n, known.a, [&] { return ++polls == 3; }), Cancelled);  // reducing
  EXPECT_EQ(polls, 3);
  polls = 0;
  EXPECT_THROW(eigenvalues(known.n, known.a, [&] { return ++polls == 119; }), Cancelled);  // iterating
}

}  // namespace
}  // namespace clothlab
