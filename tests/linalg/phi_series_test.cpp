// SPDX-License-Identifier: MIT
#include "linalg/phi_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <glm/geometric.hpp>
#include <limits>
#include <numbers>

#include "dense_algebra.h"
#include "linalg/phase_matrix.h"
#include "nets.h"

namespace clothlab {
namespace {

using algebra::Matrix;
using algebra::Vector;
using std::numbers::pi;

constexpr std::size_t kMany = 30'000;

const std::vector<Ellipse>& ellipses() {
  static const std::vector<Ellipse> all{{0, 0, 1e-9},    {0, 0, 3},          {0, 0, 213},    {-26, 28, 250},
                                        {-33, 33, 588},  {-3, 3, 0},         {-500, 502, 1}, {-20, 22, 22},
                                        {-1e5, 1e5, 10}, {-2000, 2002, 6000}};
  return all;
}

std::complex<double> phi1(std::complex<double> z) {
  return std::abs(z) < 1e-3 ? 1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)) : (std::exp(z) - 1.0) / z;
}

TEST(PhiSeries, IsPhiOnTheEllipse) {
  for (const Ellipse& ellipse : ellipses()) {
    PhiSeries series;
    series.reserve(kMany);
    ASSERT_TRUE(series.expand(ellipse));
    for (const double error : {1e-4, 1e-12}) {
      const std::size_t terms = series.terms(1, 0, error);
      EXPECT_LT(static_cast<double>(terms), 1.3 * ellipse.imaginary + 12 * std::sqrt(ellipse.real) + 30);
      for (int k = 0; k < 48; ++k) {
        const double angle = 2 * pi * k / 48;
        const std::complex<double> z(ellipse.centre + ellipse.real * std::cos(angle),
                                     ellipse.imaginary * std::sin(angle));
        std::complex<double> before = 0, now = 1, sum = 0;
        for (std::size_t n = 0;; ++n) {
          EXPECT_LT(std::abs(now), 2.001);
          sum += series.coefficient(n) * now;
          if (n == terms) break;
          const auto next =
              (series.shift() + series.scale() * z) * now - (n == 1 ? 2 : 1) * series.q() * before;
          before = now;
          now = next;
        }
        EXPECT_LT(std::abs(sum - phi1(z)), error * (1 + 1e-3)) << ellipse.centre << ' ' << z;
      }
    }
  }
}

TEST(PhiSeries, RefusesWhatIsNoEllipseOrTooLarge) {
  PhiSeries series;
  series.reserve(1000);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const Ellipse& ellipse :
       {Ellipse{0, 0, 0}, {0, 0, nan}, {-1, nan, 1}, {0, 0, infinity}, {-infinity, infinity, 1}, {0, 0, 995}})
    EXPECT_FALSE(series.expand(ellipse));
  EXPECT_TRUE(series.expand({0, 0, 500}));
}

struct Net {
  const char* name;
  double share, across;  // of D in K along springs, at least; of K across them
  double of_all, local;  // dampers of every direction, and of one particle alone
};

const std::vector<Net>& damped_nets() {
  static const std::vector<Net> all{
      {"undamped", 0, 0.2, 0, 0},     {"as stiffness", 1e-3, 0, 0, 0},
      {"taut", 1e-3, 0.6, 0, 0},      {"all directions", 1e-3, 0.3, 0.02, 0},
      {"overdamped", 0.3, 0.3, 0, 0}, {"held back by a hand", 1e-3, 0.1, 0, 40}};
  return all;
}

struct Pencil {
  SpringMatrix K, D;
  std::vector<double> masses;
};

Pencil pencil(const Net& net, std::size_t particles, std::span<const SpringPattern::Pair> springs,
              nets::Random& random) {
  const auto pattern = SpringPattern::build(particles, springs);
  Pencil made{SpringMatrix(pattern), SpringMatrix(pattern), {}};
  for (std::size_t i = 0; i < particles; ++i) made.masses.push_back(random.in(0.5, 2));
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const double k = s % 3 == 0 ? 1 : 100, across = net.across * random.in(0, 1);
    const vec3 n = random.direction();
    made.K.spring(s) = {std::sqrt(k * (1 - across)) * n, k * across};
    made.D.spring(s) = {std::sqrt(100 * net.share) * n, net.of_all};
  }
  made.K.add_stencil(nets::grab(random, particles, 20));
  if (net.local > 0) made.D.add_stencil(nets::grab(random, particles, net.local));
  return made;
}

// The largest real part of e^−iθ z over the field of values, of hJ in the modes of K, is the largest
// eigenvalue of a symmetric matrix.
TEST(FieldOfValues, LiesInItsEllipse) {
  nets::Random random(6);
  WorkerPool pool(2);
  const auto springs = nets::grid(5, 5);
  const Eigen::Index n = 75;
  RowVector scratch, more;
  for (const Net& net : damped_nets()) {
    const Pencil p = pencil(net, 25, springs, random);
    const FieldOfValues field = field_of_values({pool}, p.K, p.D, p.masses, scratch, more);
    EXPECT_TRUE(field.semidefinite);
    Vector masses(n);
    for (Eigen::Index i = 0; i < n; ++i) masses[i] = p.masses[static_cast<std::size_t>(i / 3)];
    const auto [X, values] = algebra::vibrations(nets::dense(p.K, springs), masses);
    const Vector frequencies = values.cwiseMax(0).cwiseSqrt();
    const Matrix D = algebra::product(X.transpose(), algebra::product(nets::dense(p.D, springs), X));
    EXPECT_LE(frequencies[n - 1], field.frequency * (1 + 1e-12));
    EXPECT_GE(frequencies[n - 1], field.frequency * 0.6) << net.name;
    for (const double h : {0.01, 0.1, 1.0}) {
      const Ellipse ellipse = field.enclosure(h);
      EXPECT_LE(ellipse.centre + ellipse.real, 3 + 1e-9);
      for (int k = 0; k <= 24; ++k) {
        const double cosine = std::cos(pi * k / 24), sine = std::sin(pi * k / 24);
        Matrix H = Matrix::Zero(2 * n, 2 * n);
        H.topRightCorner(n, n).diagonal() = h * sine * frequencies;
        H.bottomLeftCorner(n, n).diagonal() = h * sine * frequencies;
        H.bottomRightCorner(n, n) = -h * cosine * D;
        const double reach = algebra::symmetric_eigenvalues(H)[2 * n - 1];
        EXPECT_LE(reach, ellipse.centre * cosine +
                             std::hypot(ellipse.real * cosine, ellipse.imaginary * sine) * (1 + 1e-9) + 1e-9)
            << net.name << ' ' << h << ' ' << k;
      }
    }
  }
}

TEST(FieldOfValues, KnowsWhatPushesAndWhatDoesNotDamp) {
  nets::Random random(7);
  WorkerPool pool(1);
  const auto springs = nets::grid(5, 5);
  RowVector scratch, more;
  Pencil p = pencil(damped_nets()[0], 25, springs, random);
  const FieldOfValues field = field_of_values({pool}, p.K, p.D, p.masses, scratch, more);
  const Ellipse segment = field.enclosure(0.5);
  EXPECT_EQ(segment.centre, 0);
  EXPECT_EQ(segment.real, 0);
  EXPECT_EQ(segment.imaginary, 0.5 * field.frequency);
  p.K.spring(3).b = -1e-9;
  EXPECT_FALSE(field_of_values({pool}, p.K, p.D, p.masses, scratch, more).semidefinite);
}

TEST(PhaseMatrix, IsTheSumOfBothProducts) {
  nets::Random random(8);
  for (const int threads : {1, 2}) {
    WorkerPool pool(threads);
    for (const auto& [particles, springs] : {std::pair<std::size_t, std::vector<SpringPattern::Pair>>{1, {}},
                                             {35, nets::grid(7, 5)},
                                             {650, nets::grid(26, 25)},
                                             {700, nets::irregular(700, random)}}) {
      Pencil p = pencil(damped_nets()[3], std::max<std::size_t>(particles, 1), springs, random);
      for (double& d : p.D.diagonal_by_row()) d = random.in(0, 1);
      PhaseMatrix both;
      both.resize(p.K.shared_pattern(), {});
      both.assign(pool, p.K, p.D);
      RowVector x(particles), v(particles), of_x(particles), of_v(particles);
      PhaseVector in(particles), sums(particles), out(particles);
      for (std::size_t i = 0; i < particles; ++i) {
        in[i] = Phase(random.vector(), random.vector());
        x[i] = padded(in[i].x());
        v[i] = padded(in[i].v());
      }
      for_rows(pool, p.K.pattern(), [&](std::size_t chunk, std::size_t, std::size_t) {
        p.K.multiply_chunk(chunk, x.data(), of_x.data());
        p.D.multiply_chunk(chunk, v.data(), of_v.data());
        both.multiply_chunk(chunk, in, sums, [&](std::size_t i, const Octet& y) { out[i] = Phase(y); });
      });
      for (std::size_t i = 0; i < particles; ++i) {
        const vec3 expected = unpadded(of_x[i]) + unpadded(of_v[i]);
        EXPECT_LT(glm::length(out[i].x() - expected), 1e-6 * 2500);
        EXPECT_EQ(out[i].x(), out[i].v());
      }
    }
  }
}

}  // namespace
}  // namespace clothlab
