// SPDX-License-Identifier: MIT
// Every force term against finite differences: force = −∂E/∂x, K = ∂f/∂x, D = ∂f/∂v.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <random>

#include "cloth/force_terms.h"
#include "cloth/sample_cloth.h"
#include "dense_algebra.h"

namespace clothlab::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector flat(std::span<const vec3> a) {
  return Eigen::Map<const Vector>(&a.data()->x, static_cast<Eigen::Index>(3 * a.size()));
}

std::vector<vec3> shifted(std::span<const vec3> a, Eigen::Index dof, double by) {
  std::vector<vec3> b(a.begin(), a.end());
  b[static_cast<std::size_t>(dof / 3)][static_cast<int>(dof % 3)] += by;
  return b;
}

Vector force_of(const ForceTerm& term, std::span<const vec3> x, std::span<const vec3> v) {
  std::vector<vec3> f(x.size(), vec3(0.0));
  term.add_force(one_thread(), x, v, f);
  return flat(f);
}

// Column by column.
Matrix dense(Rig& rig, const SpringMatrix& a) {
  const auto n = static_cast<Eigen::Index>(3 * a.size());
  Matrix result(n, n);
  const std::vector<vec3> zero(a.size(), vec3(0.0));
  std::vector<vec3> y(a.size());
  for (Eigen::Index dof = 0; dof < n; ++dof) {
    a.multiply(rig.pool, shifted(zero, dof, 1), y);
    result.col(dof) = flat(y);
  }
  return result;
}

// The matrix that a term adds.
Matrix dense(Rig& rig, const ForceTerm& term, const SystemCoefficients& c, JacobianMode mode,
             const State& s) {
  SpringMatrix a(rig.system.pattern());
  term.add_jacobians(one_thread(), {s.x, s.v, c, mode}, a);
  return dense(rig, a);
}

// A sheet, or a ball, with stretched and compressed springs, in motion.
std::unique_ptr<Rig> sample(bool closed = false) {
  auto rig = closed ? make_ball(vec3(0.5, 0, 0.5), 0.4, sample_material())
                    : make_sheet(3, 3, 0.25, sample_material());
  shake(rig->state, 0.08, 1.5);
  return rig;
}

class EveryForce : public testing::TestWithParam<ForceRow> {};

// Central differences err by δ²/6 times the third derivative; those of springs are k/l², k/l³ with l > 0.1 m
// here, so that 1e-5 m gives 1e-8 of the scale at most, and rounding (1e-16 E/δ) less than that.
constexpr double kDelta = 1e-5;
constexpr double kTolerance = 1e-6;

TEST_P(EveryForce, IsMinusTheGradientOfItsEnergy) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  const State& s = rig->state;
  const std::vector<vec3> rest(s.x.size(), vec3(0.0));
  const Vector f = force_of(*term, s.x, rest);
  const double scale = std::max(f.cwiseAbs().maxCoeff(), 1e-3);
  for (Eigen::Index dof = 0; dof < f.size(); ++dof) {
    const double slope = (term->energy(one_thread(), shifted(s.x, dof, kDelta)) -
                          term->energy(one_thread(), shifted(s.x, dof, -kDelta))) /
                         (2 * kDelta);
    EXPECT_NEAR(f[dof], -slope, kTolerance * scale) << "dof " << dof;
  }
}

TEST_P(EveryForce, HasTheJacobianKOfItsPotentialPart) {
  if (!GetParam().has_K) return;  // pressure_test.cpp
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  State s = rig->state;
  std::ranges::fill(s.v, vec3(0.0));  // K leaves out how damping depends on x
  const Matrix K = -dense(*rig, *term, {0, 0, 1}, JacobianMode::exact, s);
  const double scale = std::max(K.cwiseAbs().maxCoeff(), 1e-3);
  for (Eigen::Index dof = 0; dof < K.cols(); ++dof) {
    const Vector column =
        (force_of(*term, shifted(s.x, dof, kDelta), s.v) - force_of(*term, shifted(s.x, dof, -kDelta), s.v)) /
        (2 * kDelta);
    EXPECT_LT(algebra::largest_difference(K.col(dof), column), kTolerance * scale) << "dof " << dof;
  }
}

TEST_P(EveryForce, HasTheJacobianD) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  const State& s = rig->state;
  for (const JacobianMode mode : {JacobianMode::exact, JacobianMode::clamped}) {
    // The grab and friction have another there: a secant.
    if (mode == JacobianMode::clamped && GetParam().clamps_damping) continue;
    const Matrix D = -dense(*rig, *term, {0, 1, 0}, mode, s);
    const double scale = std::max(D.cwiseAbs().maxCoeff(), 1e-3);
    for (Eigen::Index dof = 0; dof < D.cols(); ++dof) {
      const Vector column = (force_of(*term, s.x, shifted(s.v, dof, kDelta)) -
                             force_of(*term, s.x, shifted(s.v, dof, -kDelta))) /
                            (2 * kDelta);
      EXPECT_LT(algebra::largest_difference(D.col(dof), column), kTolerance * scale) << "dof " << dof;
    }
  }
}

TEST_P(EveryForce, ClampedBlocksArePositiveSemidefinite) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  for (const SystemCoefficients& c : {SystemCoefficients{0, 0, 1}, SystemCoefficients{0, 1, 0}}) {
    const Matrix A = dense(*rig, *term, c, JacobianMode::clamped, rig->state);
    EXPECT_LE(algebra::largest_difference(A, A.transpose()), 1e-14 * A.cwiseAbs().maxCoeff());
    EXPECT_GE(algebra::symmetric_eigenvalues(A)[0], -1e-13 * A.cwiseAbs().maxCoeff());
  }
}

TEST_P(EveryForce, DampingTakesPower) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  const State& s = rig->state;
  const std::vector<vec3> rest(s.x.size(), vec3(0.0));
  const Vector damping = force_of(*term, s.x, s.v) - force_of(*term, s.x, rest);
  EXPECT_LE(damping.dot(flat(s.v)), 0);
}

TEST_P(EveryForce, AddsToWhatIsThere) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  const State& s = rig->state;
  std::vector<vec3> f(s.x.size(), vec3(1e3, -2e3, 3e3));
  const Vector before = flat(f);
  term->add_force(one_thread(), s.x, s.v, f);
  const Vector alone = force_of(*term, s.x, s.v);
  EXPECT_LE(algebra::largest_difference(flat(f) - before, alone), 1e-11);  // ulps of 3e3
}

TEST_P(EveryForce, IsLinearizedAsItsPartsSay) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  const State& s = rig->state;
  State other = s;
  shake(other, 0, 2, 7);
  const SystemCoefficients c{1, 0.3, 0.7};
  for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
    const Matrix minus_K = dense(*rig, *term, {0, 0, 1}, mode, s);
    for (std::vector<vec3> u : {s.v, other.v}) {
      // So that no pair comes into contact or leaves it on the way.
      const double small = GetParam().smooth ? 1 : 1e-6;
      for (vec3& way : u) way *= small;
      std::vector<vec3> f(s.x.size(), small * vec3(1, 2, 3));
      const Vector expected = flat(f) + force_of(*term, s.x, s.v) - 0.02 * algebra::times(minus_K, flat(u));
      SpringMatrix a(rig->system.pattern());
      term->linearize(one_thread(), {s.x, s.v, c, mode, 0.02, u}, f, a);
      EXPECT_LT(algebra::largest_difference(flat(f), expected), 1e-13 * (1 + expected.cwiseAbs().maxCoeff()));
      EXPECT_EQ(algebra::largest_difference(dense(*rig, a), dense(*rig, *term, c, mode, s)), 0);
    }
  }
}

TEST_P(EveryForce, SurvivesAnyState) {
  auto rig = sample(GetParam().closed);
  const auto term = GetParam().make(*rig);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double value : {1e154, 1e200, 1e308, inf, std::nan(""), 1e-200, 0.0}) {
    State s = rig->state;
    for (std::size_t i = 0; i < s.x.size(); i += 2) s.x[i] = s.v[i] = vec3(value, -value, value);
    std::vector<vec3> f(s.x.size(), vec3(0.0));
    SpringMatrix a(rig->system.pattern());
    term->add_force(one_thread(), s.x, s.v, f);
    term->add_jacobians(one_thread(), {s.x, s.v, {1, 1, 1}, JacobianMode::exact}, a);
    term->linearize(one_thread(), {s.x, s.v, {1, 1, 1}, JacobianMode::exact, 1, s.v}, f, a);
    term->energy(one_thread(), s.x);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryForce, testing::ValuesIn(force_rows()), [](const auto& row) {
  std::string name = row.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

mat3 diagonal_block(WorkerPool& pool, const SpringMatrix& a, std::size_t i) {
  std::vector<Symmetric> blocks(a.size());
  a.diagonal_blocks(pool, blocks);
  return full(blocks[a.pattern().row[i]]);
}

TEST(SpringForce, MatchesTheFormulasOfTheModel) {
  // One spring, stretched from 1 m to 1.5 m along z and turning.
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(0, 0, 1)};
  const std::vector<ClothModel::Ends> ends{{0, 1}};
  const auto model = std::make_shared<const ClothModel>(rest, ends);
  Material material;
  material.stretch_stiffness = 40;
  material.spring_damping = 3;
  material.gravity = vec3(0.0);
  WorkerPool pool;
  const std::vector<vec3> x{vec3(0, 0, 0), vec3(0, 0, 1.5)};
  const std::vector<vec3> v{vec3(0, 0, 0), vec3(2, 0, 1)};
  std::vector<vec3> f(2);

  const ClothSystem projected(model, material);
  projected.force(one_thread(), x, v, f);
  EXPECT_EQ(f[0], vec3(0, 0, 40 * 0.5 + 3 * 1));
  EXPECT_EQ(f[1], -f[0]);

  material.damping_model = DampingModel::isotropic;
  const ClothSystem isotropic(model, material);
  isotropic.force(one_thread(), x, v, f);
  EXPECT_EQ(f[0], vec3(3 * 2, 0, 40 * 0.5 + 3 * 1));

  // B = k [n nᵀ + (1 − L/l)(I − n nᵀ)] in K_s.
  SpringMatrix a(projected.pattern());
  projected.assemble(one_thread(), x, v, {0, 0, 1}, JacobianMode::clamped, a);
  const mat3 B = diagonal_block(pool, a, 0);
  EXPECT_NEAR(B[2][2], 40, 1e-13);
  EXPECT_NEAR(B[0][0], 40 * (1 - 1 / 1.5), 1e-13);
  EXPECT_EQ(projected.energies(one_thread(), x).stretch, 40 * 0.5 * 0.5 / 2);
}

TEST(SpringForce, OfNoLengthPullsNowhereAndHasTheBlockKI) {
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(0, 0, 1)};
  const std::vector<ClothModel::Ends> ends{{0, 1}};
  const auto model = std::make_shared<const ClothModel>(rest, ends);
  Material material;
  material.stretch_stiffness = 40;
  material.spring_damping = 3;
  material.gravity = vec3(0.0);
  WorkerPool pool;
  const ClothSystem system(model, material);
  const std::vector<vec3> x(2, vec3(1, 2, 3));
  const std::vector<vec3> v{vec3(0, 0, 0), vec3(2, 0, 1)};
  std::vector<vec3> f(2);
  system.force(pool, x, v, f);
  EXPECT_EQ(f[0], vec3(0.0));
  EXPECT_EQ(f[1], vec3(0.0));
  for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
    SpringMatrix a(system.pattern());
    system.assemble(pool, x, v, {0, 0, 1}, mode, a);
    EXPECT_EQ(diagonal_block(pool, a, 1), mat3(40.0));
    system.assemble(pool, x, v, {0, 1, 0}, mode, a);
    EXPECT_EQ(diagonal_block(pool, a, 1), mat3(0.0));  // projected damping is zero at l = 0
  }
}

TEST(SpringForce, ClampedBlockOfACompressedSpringIsItsAxisAlone) {
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(0, 0, 1)};
  const std::vector<ClothModel::Ends> ends{{0, 1}};
  Material material;
  material.stretch_stiffness = 40;
  material.spring_damping = 0;
  WorkerPool pool;
  const ClothSystem system(std::make_shared<const ClothModel>(rest, ends), material);
  const std::vector<vec3> x{vec3(0, 0, 0), vec3(0, 0, 0.5)}, v(2, vec3(0.0));
  SpringMatrix a(system.pattern());
  system.assemble(pool, x, v, {0, 0, 1}, JacobianMode::clamped, a);
  mat3 B = diagonal_block(pool, a, 0);
  EXPECT_EQ(B[0][0], 0);
  EXPECT_NEAR(B[2][2], 40, 1e-13);
  system.assemble(pool, x, v, {0, 0, 1}, JacobianMode::exact, a);
  B = diagonal_block(pool, a, 0);
  EXPECT_NEAR(B[0][0], -40, 1e-13);  // c = 1 − 1/0.5
  EXPECT_NEAR(B[2][2], 40, 1e-13);
}

TEST(SpringForce, MeasuresTheLargestStrainOfStretchSpringsAlone) {
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(1, 0, 0), vec3(3, 0, 0), vec3(3, 0, 0)};
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {1, 2}, {2, 3}}, bend{{0, 2}};
  const ClothModel model(rest, stretch, bend);
  WorkerPool pool(1);
  const SpringForce springs(model, {});
  EXPECT_EQ(springs.measure(one_thread(), rest).max_strain,
            0);  // the spring of no rest length does not count
  std::vector<vec3> x = rest;
  x[0].x = 0.5;
  EXPECT_EQ(springs.measure(one_thread(), x).max_strain, 0.5);  // compression counts as much as tension
  x[2].x = std::nan("");
  EXPECT_TRUE(std::isnan(springs.measure(one_thread(), x).max_strain));
}

// Springs between random particles: compressed, stretched, of no length, of no rest length, bending; as many
// as it takes to leave 0 to 3 of the last four over, and two of the sums' blocks; in one chunk and in
// several.
struct Tangle {
  std::vector<vec3> rest, x, v;
  std::unique_ptr<ClothModel> model;

  Tangle(std::size_t particles, std::size_t springs) {
    std::mt19937 random(static_cast<unsigned>(springs));
    const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
    const auto place = [&] { return vec3(below(1000), below(1000), below(1000)) / 500.0; };
    std::vector<ClothModel::Ends> stretch, bend;
    for (std::size_t i = 0; i < particles; ++i) {
      rest.push_back(i % 5 == 4 ? rest.back() : place());
      x.push_back(i % 7 == 6 ? x.back() : place());
      v.push_back(place());
    }
    for (std::size_t k = 0; k < springs; ++k) {
      const std::uint32_t i = below(particles - 1);
      (below(3) == 0 ? bend : stretch)
          .push_back({i, i + 1 + below(std::min<std::size_t>(30, particles - 1 - i))});
    }
    model = std::make_unique<ClothModel>(rest, stretch, bend);
  }
};

void expect_equal_springs(const SpringMatrix& a, const SpringMatrix& b) {
  const std::size_t springs = a.pattern().springs();
  for (std::size_t slot = 0; slot < springs; ++slot) {
    const SpringMatrix::Spring &of_a = a.spring_in(slot), &of_b = b.spring_in(slot);
    ASSERT_EQ(of_a.u, of_b.u) << slot << " of " << springs << " springs";
    ASSERT_EQ(of_a.b, of_b.b) << slot << " of " << springs << " springs";
  }
}

TEST(SpringForce, HasTheSameBitsWithAndWithoutAvx2) {
  Material none, projected, isotropic, rayleigh;
  none.spring_damping = 0;
  projected.spring_damping = 0.3;
  isotropic.spring_damping = 0.3;
  isotropic.damping_model = DampingModel::isotropic;
  rayleigh.rayleigh_stiffness = 0.01;
  Material limited = rayleigh;
  limited.strain_limit = 0.2;
  for (const auto& [particles, springs] :
       {std::array{2, 1}, {5, 2}, {5, 3}, {9, 4}, {20, 65}, {40, 130}, {1100, 6003}, {1100, 6004}}) {
    const Tangle tangle(static_cast<std::size_t>(particles), static_cast<std::size_t>(springs));
    for (const Material& material : {none, projected, isotropic, rayleigh, limited}) {
      const SpringForce fast(*tangle.model, material);
      const SpringForce portable(*tangle.model, material, SpringPass::Kernel::portable);
      for (const SpringForces part : {SpringForces::all, SpringForces::inextensible}) {
        std::vector<vec3> f(tangle.x.size(), vec3(0.0)), g = f;
        fast.add_part(one_thread(), part, tangle.x, tangle.v, f);
        portable.add_part(one_thread(), part, tangle.x, tangle.v, g);
        EXPECT_EQ(f, g) << springs << " springs";
        // With the part of damping apart, and the same as without it.
        ImpulseStage stage{.weight = 0.5, .x = tangle.x, .v = tangle.v, .v_end = tangle.v, .springs = part};
        std::vector<vec3> f_again(tangle.x.size(), vec3(0.0)), g_again = f_again;
        Impulses of_fast, of_portable, alone;
        fast.add_part_and_impulse(one_thread(), stage, f_again, of_fast);
        portable.add_part_and_impulse(one_thread(), stage, g_again, of_portable);
        fast.add_impulse(one_thread(), stage, alone);
        EXPECT_EQ(f, f_again) << springs << " springs";
        EXPECT_EQ(g, g_again) << springs << " springs";
        const auto damping = [](const Impulses& impulses) {
          const auto J = impulses.of(ImpulseKind::damping);
          return std::vector<vec3>(J.begin(), J.end());
        };
        EXPECT_EQ(damping(of_fast), damping(of_portable)) << springs << " springs";
        EXPECT_EQ(damping(of_fast), damping(alone)) << springs << " springs";
        EXPECT_EQ(damping(of_fast).empty(), material.spring_damping == 0);
        // It is what v changes.
        std::vector<vec3> rest(tangle.x.size(), vec3(0.0));
        fast.add_part(one_thread(), part, tangle.x, std::vector<vec3>(rest.size(), vec3(0.0)), rest);
        for (std::size_t i = 0; i < damping(of_fast).size(); ++i)
          EXPECT_LT(glm::length(2.0 * damping(of_fast)[i] - (f[i] - rest[i])), 1e-9);
      }
      for (const bool with_forces : {false, true}) {
        // At other places: a kept figure would be one of the pass before.
        std::vector<vec3> x = tangle.x;
        x[0].x += with_forces;
        const std::span<const vec3> v = with_forces ? std::span(tangle.v) : std::span<const vec3>();
        const SpringMeasures a = fast.measure(one_thread(), x, v), b = portable.measure(one_thread(), x, v);
        EXPECT_EQ(a.stretch, b.stretch) << springs << " springs";
        EXPECT_EQ(a.bend, b.bend) << springs << " springs";
        EXPECT_EQ(a.max_strain, b.max_strain) << springs << " springs";
        EXPECT_GT(a.stretch + a.bend, 0);
      }
      for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
        for (const std::vector<vec3>& u : {std::cref(tangle.v), std::cref(tangle.rest)}) {
          std::vector<vec3> f(tangle.x.size(), vec3(0.0)), g = f;
          SpringMatrix a(tangle.model->pattern()), b(tangle.model->pattern());
          const SystemCoefficients c{1, 0.3, 0.7};
          fast.linearize(one_thread(), {tangle.x, tangle.v, c, mode, 0.02, u}, f, a);
          portable.linearize(one_thread(), {tangle.x, tangle.v, c, mode, 0.02, u}, g, b);
          EXPECT_EQ(f, g) << springs << " springs";
          expect_equal_springs(a, b);
        }
      }
      for (const auto& [mode, tension] : {std::pair{JacobianMode::clamped, false},
                                          {JacobianMode::exact, false},
                                          {JacobianMode::exact, true}}) {
        SystemCoefficients c{1, 0.3, 0.7};
        c.damper_tension = tension;
        SpringMatrix a(tangle.model->pattern()), b(tangle.model->pattern());
        fast.add_jacobians(one_thread(), {tangle.x, tangle.v, c, mode}, a);
        portable.add_jacobians(one_thread(), {tangle.x, tangle.v, c, mode}, b);
        expect_equal_springs(a, b);
      }
    }
  }
}

TEST(SpringForce, KeepsNothingOfAnotherStateOrMaterial) {
  Material material, other;
  material.spring_damping = 0.3;
  other.stretch_stiffness = 7;
  const Tangle tangle(40, 130);
  SpringForce springs(*tangle.model, material);
  std::vector<vec3> x = tangle.x, v = tangle.v;
  const auto expect_those_of_a_new_one = [&](const char* after, SpringForces part = SpringForces::all) {
    const SpringForce fresh(*tangle.model, material);
    std::vector<vec3> f(x.size(), vec3(0.0)), g = f;
    springs.add_part(one_thread(), part, x, v, f);
    fresh.add_part(one_thread(), part, x, v, g);
    EXPECT_EQ(f, g) << after;
    EXPECT_EQ(springs.energy(one_thread(), x), fresh.energy(one_thread(), x)) << after;
  };
  expect_those_of_a_new_one("nothing");
  springs.measure(one_thread(), x, v);
  expect_those_of_a_new_one("a measurement with forces");
  v[3].y = std::nextafter(v[3].y, 9);
  expect_those_of_a_new_one("another velocity");
  x[3].y = std::nextafter(x[3].y, 9);
  springs.measure(one_thread(), x);
  expect_those_of_a_new_one("a measurement elsewhere");
  expect_those_of_a_new_one("all forces", SpringForces::inextensible);
  expect_those_of_a_new_one("a part of them");
  SpringMatrix a(tangle.model->pattern());
  std::vector<vec3> f(x.size());
  springs.linearize(one_thread(), {x, v, {1, 1, 1}, JacobianMode::exact, 1, v}, f, a);
  expect_those_of_a_new_one("a linearisation");
  springs.set_material(material = other);
  expect_those_of_a_new_one("another material");
}

TEST(ClothSystem, CombinesItsTermsAndTheMass) {
  auto rig = sample();
  Material material = sample_material();
  material.spring_damping = 0.3;
  material.rayleigh_mass = 0.7;
  rig->system.set_material(material);
  rig->system.set_grab(GrabSpring{{0, 1, 3}, vec3(0.2, 0.3, 0.5), vec3(0, 1, 0), 11, 0.4, 3});
  const State& s = rig->state;
  const std::size_t n = s.x.size();

  // A p = M p − h D p − h² K p, with D p and K p from the force, for two directions.
  const double h = 0.01;
  SpringMatrix a(rig->system.pattern());
  rig->system.assemble(rig->pool, s.x, s.v, {1, h, h * h}, JacobianMode::exact, a);
  State p = s;
  shake(p, 1, 0, 99);
  std::vector<vec3> direction(n), product(n), plus(n), minus(n);
  for (std::size_t i = 0; i < n; ++i) direction[i] = p.x[i] - s.x[i];
  a.multiply(rig->pool, direction, product);
  SpringMatrix k(rig->system.pattern()), d(rig->system.pattern());
  std::vector<vec3> k_p(n), d_p(n);
  rig->system.assemble(rig->pool, s.x, s.v, {0, 0, 1}, JacobianMode::exact, k);
  rig->system.assemble(rig->pool, s.x, s.v, {0, 1, 0}, JacobianMode::exact, d);
  k.multiply(rig->pool, direction, k_p);
  d.multiply(rig->pool, direction, d_p);
  const std::span<const double> m = rig->system.masses();
  for (std::size_t i = 0; i < n; ++i) {
    const vec3 expected = m[i] * direction[i] + h * d_p[i] + h * h * k_p[i];
    EXPECT_LT(glm::length(product[i] - expected), 1e-13);
  }

  const ClothSystem::Energies e = rig->system.energies(rig->pool, s.x);
  EXPECT_NEAR(rig->system.potential_energy(rig->pool, s.x), e.stretch + e.bend + e.gravity + e.grab, 1e-13);
  EXPECT_GT(e.stretch, 0);
  EXPECT_GT(e.bend, 0);
  EXPECT_GT(e.grab, 0);
}

TEST(ClothSystem, LeavesOutTheForcesOfSprings) {
  Material material = sample_material();
  material.spring_damping = 0.8;
  material.rayleigh_stiffness = 0.01;
  material.rayleigh_mass = 2;
  auto rig = make_sheet(4, 4, 0.3, material);
  shake(rig->state, 0.05, 1);
  rig->system.set_grab(GrabSpring{{5, 6, 9}, vec3(0.2, 0.3, 0.5), vec3(1, 2, 3), 5, 0.3, 2});
  const std::vector<vec3>&x = rig->state.x, &v = rig->state.v;
  const auto force = [&](SpringForces springs) {
    std::vector<vec3> f(x.size());
    rig->system.force(rig->pool, x, v, f, springs);
    return f;
  };
  const std::vector<vec3> all = force(SpringForces::all), inextensible = force(SpringForces::inextensible),
                          rest = force(SpringForces::rest);

  std::vector<vec3> without = all;  // less the elastic force of stretch springs
  for (const ElasticElement e : rig->system.elements()) {
    if (!e.stretch) continue;
    const vec3 x_ij = x[e.i] - x[e.j];
    const vec3 pull = -e.stiffness * (1 - e.rest_length / glm::length(x_ij)) * x_ij;
    without[e.i] -= pull;
    without[e.j] += pull;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT(glm::length(inextensible[i] - without[i]), 1e-13);
    const double m = rig->system.masses()[i];
    EXPECT_EQ(rest[i], m * material.gravity);
  }
  EXPECT_EQ(rig->system.mass_damping(), 2);
}

// Friction is that of a potential in v, which Newton's method compares, and its clamped D is a secant.
TEST(ContactForce, HasThePotentialAndTheSecantOfItsFriction) {
  auto rig = sample();
  const std::unique_ptr<ContactForce> contact = some_contact(*rig, 0.4, 0.7);
  const State& s = rig->state;
  State other = s;
  shake(other, 0, 2, 7);
  const std::vector<vec3> rest(s.x.size(), vec3(0.0));
  const Vector still = force_of(*contact, s.x, rest);
  const auto drag = [&](std::span<const vec3> v) { return Vector(force_of(*contact, s.x, v) - still); };
  for (const std::vector<vec3>& from : {rest, s.v}) {
    const Vector way = flat(other.v) - flat(from);
    // The midpoint rule on a path that bends where a speed passes ε errs by some 1/n².
    constexpr int kParts = 20'000;
    double work = 0;
    std::vector<vec3> v(from);
    for (int k = 0; k < kParts; ++k) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = from[i] + (k + 0.5) / kParts * (other.v[i] - from[i]);
      work -= drag(v).dot(way) / kParts;
    }
    const double trapezoid = -(drag(from) + drag(other.v)).dot(way) / 2;
    const double beyond = contact->beyond_trapezoid(from, other.v);
    EXPECT_GT(std::abs(beyond), 1e-3 * std::abs(work));
    EXPECT_NEAR(trapezoid + beyond, work, 1e-6 * std::abs(work));
  }
  const Matrix D = -dense(*rig, *contact, {0, 1, 0}, JacobianMode::clamped, s);
  EXPECT_LT(algebra::largest_difference(algebra::times(D, flat(s.v)), drag(s.v)),
            1e-13 * drag(s.v).cwiseAbs().maxCoeff());
}

TEST(ForceTerms, AreWholeOrNothingInEveryPart) {
  for (const ForceRow& row : force_rows()) {
    SCOPED_TRACE(row.name);
    auto rig = sample(row.closed);
    const auto term = row.make(*rig);
    const State& s = rig->state;
    const auto sum = [&](const auto& add) {
      std::vector<vec3> f(s.x.size(), vec3(0.0));
      add(f);
      return f;
    };
    const std::vector<vec3> none(s.x.size(), vec3(0.0));
    const std::vector<vec3> whole = sum([&](auto& f) { term->add_force(one_thread(), s.x, s.v, f); });
    const auto part = [&](SpringForces which) {
      return sum([&](auto& f) { term->add_part(one_thread(), which, s.x, s.v, f); });
    };
    const auto at = [&](double t) {
      return sum([&](auto& f) { term->add_part_at(one_thread(), t, SpringForces::all, s.x, s.v, f); });
    };
    EXPECT_EQ(part(SpringForces::all), whole);
    EXPECT_EQ(part(SpringForces::rest), row.in_rest ? whole : none);
    EXPECT_EQ(at(1.5), row.at_any_time ? whole : none);
  }
}

TEST(ClothSystem, SumsEveryTermInEverySum) {
  Material material = sample_material();
  material.spring_damping = 0.8;
  material.rayleigh_stiffness = 0.01;
  material.rayleigh_mass = 2;
  material.inflate = 60;
  auto rig = make_ball(vec3(0.5, 0, 0.5), 0.5, material);
  ClothSystem& system = rig->system;
  WorkerPool& pool = rig->pool;
  const State& s = rig->state;
  shake(rig->state, 0.05, 1);
  Wind wind;
  wind.on = true;
  wind.gusts = 50;
  const GrabSpring grab{{5, 6, 9}, vec3(0.2, 0.3, 0.5), vec3(1, 2, 3), 5, 0.3, 2};
  constexpr double kNow = 0.3, kLater = 0.7;
  system.set_wind(wind);
  system.update_wind(rig->pool, s.x, kNow);
  system.set_grab(grab);
  DriverForce push, drag;
  push.kind = DriverForce::Kind::harmonic;
  push.force = vec3(1, 2, 3);
  drag.kind = DriverForce::Kind::drag;
  drag.drag = 0.3;
  const std::vector<DrivenGroup> driven{{{0, 2, 3}, push}, {{2, 4}, drag}};
  system.set_drivers(driven);
  system.set_driver_time(kNow);
  const std::vector<SewnPair> sewn{{0, 5, 0.7}, {3, 9, 0.4}};
  system.set_seams(sewn);
  system.set_seam_time(kNow);

  // One of each kind, in the order of the system. Another kind of force is another line here.
  SpringForce springs(system.model(), material);
  GravityForce gravity(system.masses(), material.gravity);
  RayleighMassForce mass_damping(system.masses(), material.rayleigh_mass);
  PressureForce pressure(system.model(), material.inflate);
  WindForce air(system.model(), wind);
  air.update_wind(one_thread(), s.x, kNow);
  GrabForce pull(grab);
  DriverForces drivers(system.masses(), driven);
  drivers.set_time(kNow);
  SeamForce seams(sewn, material);
  seams.set_time(kNow);
  const std::unique_ptr<ContactForce> contact = some_contact(*rig, 0.4, 0.7);
  system.set_contact(&*contact);
  const std::vector<const ForceTerm*> terms{&springs, &gravity, &mass_damping, &pressure, &air,
                                            &drivers, &seams,   &*contact,     &pull};

  const std::size_t n = s.x.size();
  std::vector<vec3> f(n);
  const auto sum = [&](const auto& add) {
    std::vector<vec3> all(n, vec3(0.0));
    for (const ForceTerm* term : terms) add(*term, all);
    return all;
  };
  for (const SpringForces part : {SpringForces::all, SpringForces::inextensible, SpringForces::rest}) {
    system.force(pool, s.x, s.v, f, part);
    EXPECT_EQ(
        f, sum([&](const ForceTerm& term, auto& all) { term.add_part(one_thread(), part, s.x, s.v, all); }));
    system.force_at(pool, kLater, s.x, s.v, f, part);
    EXPECT_EQ(f, sum([&](const ForceTerm& term, auto& all) {
                term.add_part_at(one_thread(), kLater, part, s.x, s.v, all);
              }));
  }
  double energy = 0, load = 0;
  ForceMeasures shown;
  for (const ForceTerm* term : terms) {
    energy += term->energy(one_thread(), s.x);
    term->add_measures(one_thread(), s.x, {}, shown);
    load += term->outer_load(3).force;
  }
  EXPECT_EQ(system.potential_energy(pool, s.x), energy);
  const PotentialEnergies e = system.energies(pool, s.x);
  EXPECT_EQ(e.grab, pull.energy(one_thread(), s.x));
  EXPECT_EQ(e.contact, contact->energy(one_thread(), s.x));
  EXPECT_GT(e.contact, 0);
  EXPECT_EQ(e.gravity, gravity.energy(one_thread(), s.x));
  EXPECT_EQ(e.pressure, pressure.energy(one_thread(), s.x));
  EXPECT_LT(e.pressure, 0);
  EXPECT_EQ(system.measure(pool, s.x).volume, pressure.volume(one_thread(), s.x));
  EXPECT_EQ(e.stretch + e.bend, springs.energy(one_thread(), s.x));
  EXPECT_EQ(system.measure(pool, s.x).max_strain, shown.max_strain);
  EXPECT_EQ(system.outer_load(3).force, load);
  EXPECT_GT(load, 3 * 9.8);

  const SystemCoefficients c{0, 0.1, 0.01};
  SpringMatrix of_system(system.pattern()), of_terms(system.pattern());
  system.assemble(pool, s.x, s.v, c, JacobianMode::exact, of_system);
  for (std::size_t i = 0; i < n; ++i) of_terms.diagonal(i) = 0;
  of_terms.clear_stencils();
  for (const ForceTerm* term : terms)
    term->add_jacobians(one_thread(), {s.x, s.v, c, JacobianMode::exact}, of_terms);
  std::vector<vec3> first(n), second(n);
  of_system.multiply(rig->pool, s.v, first);
  of_terms.multiply(rig->pool, s.v, second);
  EXPECT_EQ(first, second);
}

TEST(SpringForce, AddsTheTensionOfDampersToExactBlocks) {
  Material material = sample_material();
  material.spring_damping = 0.5;
  material.damping_model = DampingModel::projected;
  material.rayleigh_stiffness = 0;
  auto rig = make_sheet(2, 2, 0.4, material);
  std::vector<vec3> x = rig->state.x, v(x.size(), vec3(0));
  const auto [i, j] = rig->system.pattern()->ends(0);
  x[i] = x[j] + vec3(0.3, 0.4, 0);  // 0.5 long
  const double k = material.stretch_stiffness;
  for (const auto& [speed, alpha] :
       {std::pair{0.25, 0.0}, {-0.25, 0.0}, {4 * k, 0.0}, {0.25, 0.02}, {-0.25, 0.02}}) {
    material.rayleigh_stiffness = alpha;
    rig->system.set_material(material);
    v[i] = v[j] + speed * vec3(0.6, 0.8, 0);
    SystemCoefficients c{0, 0, 1};
    SpringMatrix without(rig->system.pattern()), with(rig->system.pattern());
    rig->system.assemble(rig->pool, x, v, c, JacobianMode::exact, without);
    c.damper_tension = true;
    rig->system.assemble(rig->pool, x, v, c, JacobianMode::exact, with);
    const double along = glm::dot(without.spring(0).u, without.spring(0).u);
    const double drag = 0.5 + alpha * k * 0.4 / 0.5;
    EXPECT_NEAR(with.spring(0).b - without.spring(0).b, std::min(drag * speed / 0.5, along / 2), 1e-12 * k);
    const auto b_n = [](const SpringMatrix::Spring& spring) {
      return glm::dot(spring.u, spring.u) + spring.b;
    };
    EXPECT_NEAR(b_n(with.spring(0)), b_n(without.spring(0)), 1e-12 * k);
  }
}

TEST(ClothSystem, EvaluationHasNoSideEffects) {
  auto rig = sample();
  const State before = rig->state;
  const std::size_t n = before.x.size();
  std::vector<vec3> first(n), second(n);
  rig->system.force(rig->pool, before.x, before.v, first);
  SpringMatrix a(rig->system.pattern());
  State other = before;
  shake(other, 0.3, 4, 3);
  std::vector<vec3> unused(n);
  rig->system.force(rig->pool, other.x, other.v, unused);
  rig->system.assemble(rig->pool, other.x, other.v, {1, 1, 1}, JacobianMode::exact, a);
  rig->system.potential_energy(rig->pool, other.x);
  rig->system.force(rig->pool, before.x, before.v, second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(rig->state.x, before.x);
  EXPECT_EQ(rig->state.v, before.v);
}

}  // namespace
}  // namespace clothlab::test
