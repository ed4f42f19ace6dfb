// SPDX-License-Identifier: MIT
// The spectrum of M⁻¹K_s against a dense solver on the same matrices, written out column by column.

#include "analysis/spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/glm.hpp>
#include <numbers>

#include "analysis/stability_meter.h"
#include "cloth/sample_cloth.h"
#include "dense_algebra.h"

namespace clothlab {
namespace {

using algebra::Matrix;
using algebra::Vector;

Material sheet_material(double damping) {
  Material material;
  material.mass = 0.05;
  material.stretch_stiffness = 1000;
  material.bend_stiffness = 1;
  material.spring_damping = damping;
  material.gravity = vec3(0);
  return material;
}

/// A sheet that hangs from two corners, out of its plane and strained, one particle sliding in a plane.
std::unique_ptr<test::Rig> bent_sheet(int n, double damping) {
  auto rig = test::make_sheet(n, n, 0.1, sheet_material(damping));
  test::shake(rig->state, 0.01, 0.1);
  rig->pin(0);
  rig->pin(static_cast<std::size_t>(n - 1));
  const vec3 normal = vec3(1, 2, 2) / 3.0;
  rig->system.projection().constrain(static_cast<std::size_t>(n), mat3(1) - glm::outerProduct(normal, normal),
                                     vec3(0));
  return rig;
}

struct Matrices {
  explicit Matrices(const test::Rig& rig) : K(rig.system.pattern()), C(rig.system.pattern()) {
    rig.system.assemble(rig.pool, rig.state.x, rig.state.v, {.mass = 0, .damping = 0, .stiffness = 1},
                        JacobianMode::clamped, K);
    rig.system.assemble(rig.pool, rig.state.x, rig.state.v, {.mass = 0, .damping = 1, .stiffness = 0},
                        JacobianMode::exact, C);
  }
  SpringMatrix K, C;
};

/// S M^−½ A M^−½ S + above (I − S), all 3n directions: what is held has the eigenvalue `above`.
Matrix written_out(const test::Rig& rig, const SpringMatrix& A, double above) {
  const auto n = static_cast<Eigen::Index>(rig.system.size());
  const std::span<const double> masses = rig.system.masses();
  Matrix all(3 * n, 3 * n);
  std::vector<vec3> x(rig.system.size()), y(rig.system.size());
  for (Eigen::Index j = 0; j < 3 * n; ++j) {
    std::ranges::fill(x, vec3(0));
    const auto particle = static_cast<std::size_t>(j / 3);
    const int c = static_cast<int>(j % 3);
    x[particle][c] = 1;
    rig.system.projection().filter(x);
    const vec3 projected = x[particle];
    x[particle] /= std::sqrt(masses[particle]);
    A.multiply(rig.pool, x, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] /= std::sqrt(masses[i]);
    rig.system.projection().filter(y);
    y[particle] -= above * projected;
    y[particle][c] += above;
    for (Eigen::Index i = 0; i < 3 * n; ++i)
      all(i, j) = y[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)];
  }
  return all;
}

Spectrum spectrum_of(const test::Rig& rig, const Matrices& matrices,
                     std::size_t most_exact = kExactDirections) {
  return SpectrumMeter()
      .measure({rig.pool}, matrices.K, matrices.C, rig.system.masses(), rig.system.projection(), most_exact)
      .value();
}

/// A sheet at rest in its plane, across which it has no stiffness, pinned at two corners.
std::unique_ptr<test::Rig> flat_sheet(int n) {
  auto rig = test::make_sheet(n, n, 0.1, sheet_material(0.3));
  rig->pin(0);
  rig->pin(static_cast<std::size_t>(n - 1));
  return rig;
}

TEST(Spectrum, OfASmallSheetIsThatOfADenseSolver) {
  const auto rig = bent_sheet(7, 0.3);
  const Matrices matrices(*rig);
  const Spectrum spectrum = spectrum_of(*rig, matrices);
  ASSERT_TRUE(spectrum.is_exact);
  ASSERT_EQ(spectrum.free_directions, 3u * 49 - 7);
  ASSERT_EQ(spectrum.groups.size(), spectrum.free_directions);
  const double above = 10 * spectrum.highest;
  const algebra::Modes modes =
      algebra::vibrations(written_out(*rig, matrices.K, above), Vector::Ones(3 * 49));
  const Matrix C = written_out(*rig, matrices.C, 0);
  for (std::size_t k = 0; k < spectrum.groups.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const ModeGroup& group = spectrum.groups[k];
    EXPECT_NEAR(group.eigenvalue, modes.values[row], 1e-8 * spectrum.highest) << k;
    EXPECT_EQ(group.modes, 1);
    const double d = modes.X.col(row).dot(algebra::times(C, modes.X.col(row)));
    EXPECT_GT(group.damping, 0);
    EXPECT_NEAR(group.damping, d, 1e-6 * spectrum.groups.back().damping) << k;
  }
  EXPECT_EQ(modes_below(spectrum, spectrum.groups[5].eigenvalue), 5);
  EXPECT_EQ(modes_below(spectrum, 2 * spectrum.highest), 3. * 49 - 7);
}

/// A chain of n equal springs between pins: ω_j = 2 √(k/m) sin(j π / (2 n)) along it.
TEST(Spectrum, OfAChainIsKnownInClosedForm) {
  constexpr int kSprings = 30;
  Material material = sheet_material(0);
  material.mass = 0.01 * (kSprings + 1);
  auto rig = test::make_chain(kSprings + 1, 0.1, material);
  rig->pin(kSprings);
  const Matrices matrices(*rig);
  const Spectrum spectrum = spectrum_of(*rig, matrices);
  ASSERT_EQ(spectrum.free_directions, 3u * (kSprings - 1));
  EXPECT_FALSE(spectrum.is_damped);
  // Two thirds of the modes lie across the chain, which at rest has no stiffness there.
  const double mass = rig->system.masses()[1], k = rig->system.elements()[0].stiffness;
  for (int j = 1; j < kSprings; ++j) {
    const double omega = 2 * std::sqrt(k / mass) * std::sin(j * std::numbers::pi / (2 * kSprings));
    const auto at = static_cast<std::size_t>(2 * (kSprings - 1) + j - 1);
    EXPECT_NEAR(spectrum.groups[at].eigenvalue, omega * omega, 1e-8 * spectrum.highest);
    EXPECT_EQ(spectrum.groups[at].damping, 0);
  }
}

// One step from rest: in every mode, the change of velocity by semi-implicit Euler is that by explicit Euler
// over 1 + h²ω² [Joubert 2009, §4.2.2].
TEST(Spectrum, SemiImplicitEulerFiltersEveryModeOfExplicitEuler) {
  constexpr double kStep = 0.02;
  const auto rig = bent_sheet(6, 0);
  std::ranges::fill(rig->state.v, vec3(0));
  Projection& held = rig->system.projection();
  held.constrain(6, held.find(6)->S, rig->state.x[6]);  // does not move across its plane
  const Matrices matrices(*rig);
  const algebra::Modes modes = algebra::vibrations(written_out(*rig, matrices.K, 1e9), Vector::Ones(3 * 36));
  const auto change = [&](const char* id) {
    SolverSettings settings;
    settings.linear.cg.tolerance = 1e-14;
    State state = rig->state;
    const auto integrator = find_integrator(id)->make({});
    integrator->advance(rig->system, state, kStep, {settings, rig->pool, {}});
    Vector weighted(3 * 36);
    for (std::size_t i = 0; i < state.v.size(); ++i)
      for (int c = 0; c < 3; ++c)
        weighted[static_cast<Eigen::Index>(3 * i) + c] = std::sqrt(rig->system.masses()[i]) * state.v[i][c];
    return weighted;
  };
  const Vector by_explicit = change("explicit-euler"), by_implicit = change("semi-implicit-euler");
  const double size = by_explicit.norm();
  for (Eigen::Index k = 0; k < 3 * 36 - 7; ++k) {
    const double filter = 1 / (1 + kStep * kStep * modes.values[k]);
    EXPECT_NEAR(modes.X.col(k).dot(by_implicit), filter * modes.X.col(k).dot(by_explicit), 1e-9 * size) << k;
  }
  EXPECT_GT(kStep * kStep * modes.values[3 * 36 - 8], 100) << "the fastest are filtered most";
}

TEST(Spectrum, OfALargerSheetHasTheSameCountsAndEnds) {
  const auto rig = bent_sheet(15, 0.3);
  const Matrices matrices(*rig);
  const Spectrum spectrum = spectrum_of(*rig, matrices);
  ASSERT_FALSE(spectrum.is_exact);
  const double n = 3 * 225 - 7, above = 1.5 * spectrum.highest;
  double sum = 0;
  for (const ModeGroup& group : spectrum.groups) sum += group.modes;
  EXPECT_NEAR(sum, n, 1e-9 * n);
  const Vector dense = algebra::symmetric_eigenvalues(written_out(*rig, matrices.K, above));
  const auto last = static_cast<Eigen::Index>(n) - 1;
  // Of ω: half of that.
  EXPECT_NEAR(spectrum.highest, dense[last], 0.01 * dense[last]);
  EXPECT_NEAR(spectrum.groups.front().eigenvalue, dense[0], 0.01 * dense[0]);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(spectrum.groups[k].modes, 1);
    EXPECT_NEAR(spectrum.groups[k].eigenvalue, dense[static_cast<Eigen::Index>(k)], 0.02 * dense[3]);
  }
  // All modes, where that many are wanted.
  const Spectrum exact = spectrum_of(*rig, matrices, 700);
  ASSERT_TRUE(exact.is_exact);
  ASSERT_EQ(exact.groups.size(), static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < exact.groups.size(); ++k)
    EXPECT_NEAR(exact.groups[k].eigenvalue, dense[static_cast<Eigen::Index>(k)], 1e-8 * exact.highest) << k;
  // Four standard deviations of the probes, and the groups' own width.
  double widest = 0;
  for (const ModeGroup& group : spectrum.groups) widest = std::max(widest, group.modes);
  const double tolerance = 4 * 0.013 * n + widest;
  EXPECT_LT(tolerance, 0.1 * n);
  for (Eigen::Index k = 0; k <= last; ++k)
    EXPECT_NEAR(modes_below(spectrum, dense[k]), static_cast<double>(k), tolerance) << k;
}

// Each of the 30 or more probes ends there: with a larger space rounding would add false modes.
TEST(Spectrum, CountedModesAreThoseOfTheCompleteKrylovSpace) {
  for (const int n : {4, 5, 6, 7}) {
    const auto rig = flat_sheet(n);
    const Matrices matrices(*rig);
    const Spectrum exact = spectrum_of(*rig, matrices), counted = spectrum_of(*rig, matrices, 1);
    ASSERT_TRUE(exact.is_exact);
    ASSERT_FALSE(counted.is_exact);
    EXPECT_NEAR(counted.highest, exact.highest, 1e-9 * exact.highest) << n;
    EXPECT_NEAR(counted.groups.front().eigenvalue, 0, 1e-9 * exact.highest) << n;
  }
}

/// |ω²| < 10⁻¹⁰ ω_max²
double without_stiffness(const Spectrum& spectrum) {
  const double zero = 1e-10 * spectrum.highest;
  return modes_below(spectrum, zero) - modes_below(spectrum, -zero);
}

// A probe's slowest Ritz value is that of a mixture of all slow modes, at some 10⁻⁷ ω_max².
TEST(Spectrum, CountedModesWithoutStiffnessAreOneGroup) {
  const auto rig = flat_sheet(15);
  const Matrices matrices(*rig);
  const Spectrum exact = spectrum_of(*rig, matrices, 700), counted = spectrum_of(*rig, matrices);
  ASSERT_TRUE(exact.is_exact);
  ASSERT_FALSE(counted.is_exact);
  const auto all = static_cast<double>(counted.free_directions);
  EXPECT_EQ(without_stiffness(exact), 223);
  EXPECT_NEAR(without_stiffness(counted), 223, 4 * 0.013 * all);
  EXPECT_EQ(counted.groups[0].eigenvalue, 0);
  EXPECT_NEAR(counted.groups[0].modes, without_stiffness(counted), 1e-9 * all);
  EXPECT_GT(counted.groups[1].eigenvalue, 0.99 * exact.groups[223].eigenvalue);
  double sum = 0;
  for (const ModeGroup& group : counted.groups) sum += group.modes;
  EXPECT_NEAR(sum, all, 1e-9 * all);
}

// Where the sheet is strained it has little stiffness across its plane, and elsewhere none.
TEST(Spectrum, CountedModesWithoutStiffnessExcludeSlowModes) {
  for (const double strain : {1e-8, 1e-6, 1e-4}) {
    const auto rig = flat_sheet(15);
    for (vec3& x : rig->state.x) x.z += strain * std::min(x.z, 0.7);
    const Matrices matrices(*rig);
    const Spectrum exact = spectrum_of(*rig, matrices, 700), counted = spectrum_of(*rig, matrices);
    const double expected = without_stiffness(exact);
    EXPECT_TRUE(50 < expected && expected < 150) << expected;
    EXPECT_NEAR(without_stiffness(counted), expected, 4 * 0.013 * static_cast<double>(exact.free_directions))
        << strain;
  }
}

/// The trace of C is the sum of all modal dampings, and of all decay rates of J.
TEST(Spectrum, EigenvaluesOfJDecayAsTheModesDoTogether) {
  const auto rig = bent_sheet(6, 0.3);
  StabilityMeter meter;
  const StabilityMeter::Subject subject{rig->system, rig->state, rig->system.projection(),
                                        *find_integrator("bdf2")};
  EXPECT_FALSE(meter.spectrum(subject, true, rig->pool).has_value()) << "not measured yet";
  ASSERT_TRUE(meter.estimate(subject, rig->pool).has_value());
  const Spectrum spectrum = meter.spectrum(subject, true, rig->pool).value();
  double modes = 0, eigenvalues = 0;
  for (const ModeGroup& group : spectrum.groups) modes += group.damping;
  for (const DampedOscillation& o : spectrum.eigenvalues.value()) eigenvalues += o.damping;
  EXPECT_GT(modes, 0);
  EXPECT_NEAR(eigenvalues, modes, 1e-6 * modes);
}

TEST(Spectrum, StopsWhenAsked) {
  const auto rig = bent_sheet(15, 0);
  const Matrices matrices(*rig);
  int looks = 0;
  const StopProbe stop = [&] { return ++looks > 20; };
  EXPECT_THROW(SpectrumMeter().measure({rig->pool, stop}, matrices.K, matrices.C, rig->system.masses(),
                                       rig->system.projection()),
               Cancelled);
}

TEST(Spectrum, OfNothingFreeIsEmpty) {
  const auto rig = test::make_sheet(2, 2, 0.1, sheet_material(0));
  for (std::size_t i = 0; i < 4; ++i) rig->pin(i);
  const Spectrum spectrum = spectrum_of(*rig, Matrices(*rig));
  EXPECT_TRUE(spectrum.groups.empty());
  EXPECT_EQ(modes_below(spectrum, 1), 0);
}

}  // namespace
}  // namespace clothlab
