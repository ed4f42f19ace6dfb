// SPDX-License-Identifier: MIT
#include "linalg/multigrid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "linalg/block_matrix.h"
#include "linalg/cholesky.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/single_spring_matrix.h"
#include "linalg/symmetric.h"
#include "nets.h"

namespace clothlab {
namespace {

/// A sheet of n x n particles, 1 m wide and 0.2 kg, in the plane z = wave(x, y), with the matrix
/// M + h² K of its springs, all of rest length 0.98 of what they are.
struct Sheet {
  static constexpr double h = 1.0 / 60;
  std::uint32_t n;
  std::vector<SpringPattern::Pair> springs;
  SpringMatrix A;
  Projection projection;

  explicit Sheet(std::uint32_t side, double stiffness = 1000)
      : n(side), springs(nets::grid(n, n)), A(SpringPattern::build(n * n, springs)), projection(n * n) {
    projection.fix(0, vec3(0.0));
    projection.fix(n - 1, vec3(0.0));
    set(stiffness, 0.1);
  }

  // A wave of this height; a slack sheet has springs with negative b.
  void set(double stiffness, double height, double ratio = 0.98) {
    const auto place = [&](std::uint32_t i) {
      const double x = (i % n) / (n - 1.0), y = static_cast<double>(i / n) / (n - 1.0);
      return vec3(x, y, height * std::sin(7 * x + 3 * y));
    };
    for (double& d : A.diagonal_by_row()) d = 0.2 / (n * n);
    for (std::size_t s = 0; s < springs.size(); ++s) {
      const vec3 d = place(springs[s][0]) - place(springs[s][1]);
      const bool bends = glm::length(vec3(d.x, d.y, 0)) > 1.5 / (n - 1.0);
      const double k = h * h * (bends ? 1.0 : stiffness);
      A.spring(s) = {std::sqrt(k * ratio) * glm::normalize(d), k * (1 - ratio)};
    }
  }

  std::size_t size() const { return std::size_t{n} * n; }
};

SolveReport solve(const SpringMatrix& A, const Projection& projection, PreconditionerKind kind,
                  std::vector<vec3>& x, double tolerance = 1e-3) {
  WorkerPool pool(2);
  ConjugateGradient cg;
  nets::Random random(3);
  const std::vector<vec3> b = random.vectors(A.size());
  x.resize(A.size());
  return cg.solve({pool}, {A, b, projection}, x,
                  {.tolerance = tolerance, .max_iterations = 3000, .preconditioner = kind});
}

double dot(const RowVector& a, const RowVector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z;
  return sum;
}

// Symmetric, and positive on what the constraints leave free, whatever A is.
void expect_positive_definite(const SpringMatrix& A, const Projection& projection) {
  WorkerPool pool(2);
  Multigrid multigrid;
  RowFilter filter;
  filter.assign(A.pattern(), projection);
  RowVector first(A.size()), second(A.size());
  ASSERT_TRUE(multigrid.prepare({pool}, A, filter, first, second));
  EXPECT_GE(multigrid.levels(), 2u);
  nets::Random random(5);
  const auto free_vector = [&] {
    std::vector<vec3> v = random.vectors(A.size());
    projection.filter(v);
    RowVector rows(A.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = padded(v[A.pattern().particle[i]]);
    return rows;
  };
  const auto apply = [&](const RowVector& r) {
    RowVector z(r.size());
    const double r_dot_z = multigrid.apply(r, std::sqrt(dot(r, r)), z);
    EXPECT_NEAR(r_dot_z, dot(r, z), 1e-6 * r_dot_z);
    return z;
  };
  for (int repeat = 0; repeat < 5; ++repeat) {
    const RowVector a = free_vector(), b = free_vector();
    const RowVector Ma = apply(a), Mb = apply(b);
    const double scale = std::sqrt(dot(Ma, Ma) * dot(b, b));
    EXPECT_NEAR(dot(Ma, b), dot(a, Mb), 1e-6 * scale);  // 10 roundings of single precision
    EXPECT_GT(dot(Ma, a), 0);
    EXPECT_GT(dot(Mb, b), 0);
    for (const Projection::Entry& entry : projection.entries()) {
      const vec3 z = unpadded(Ma[A.pattern().row[entry.particle]]);
      EXPECT_LT(glm::length(z - entry.S * z), 1e-12 * glm::length(z) + 1e-300);
    }
  }
}

TEST(Multigrid, IsSymmetricPositiveDefinite) {
  nets::Random random(1);
  const auto springs = nets::grid(30, 31);
  SpringMatrix A(SpringPattern::build(930, springs));
  nets::fill(A, random, 1.0, 50.0, 1000.0);
  A.add_stencil(nets::grab(random, A.size(), 1e4));
  expect_positive_definite(A, nets::constraints(A.size(), random));
  expect_positive_definite(A, Projection(A.size()));
}

// Contacts, which the coarse levels know as springs alone.
Projection on_a_ball(std::size_t particles, std::size_t columns) {
  Projection held(particles);
  std::vector<Projection::Entry> added;
  for (std::size_t i = 0; i < particles; ++i) {
    const vec3 n(static_cast<double>(i % columns) - 0.5 * static_cast<double>(columns), 20.0,
                 static_cast<double>(i / columns) - 0.5 * static_cast<double>(particles / columns));
    if (n.x * n.x + n.z * n.z > 60) continue;
    const mat3 S = mat3(1.0) - glm::outerProduct(n, n) / glm::dot(n, n);
    added.push_back({static_cast<std::uint32_t>(i), i % 7 == 0 ? mat3(0.0) : S, vec3(0)});
  }
  held.constrain(added);
  return held;
}

TEST(Multigrid, IsSymmetricPositiveDefiniteUnderContacts) {
  nets::Random random(2);
  SpringMatrix A(SpringPattern::build(930, nets::grid(30, 31)));
  nets::fill(A, random, 1.0, 50.0, 1000.0);
  Projection held = on_a_ball(930, 31);
  EXPECT_GT(held.entries().size(), 100U);
  expect_positive_definite(A, held);
  held.fix(5, vec3(0));
  expect_positive_definite(A, held);
}

// What is held does not slow it down much.
TEST(Multigrid, TakesFewMoreIterationsUnderContacts) {
  const Sheet sheet(64);
  std::vector<vec3> x;
  const int free = solve(sheet.A, Projection(sheet.size()), PreconditionerKind::multigrid, x).iterations;
  const SolveReport held = solve(sheet.A, on_a_ball(sheet.size(), 64), PreconditionerKind::multigrid, x);
  EXPECT_TRUE(held.converged);
  EXPECT_LE(held.iterations, 2 * free);
}

// Contacts of these particles, in a plane.
Projection on_a_plane(std::size_t particles, std::size_t begin, std::size_t end) {
  Projection held(particles);
  const mat3 S = mat3(1.0) - glm::outerProduct(vec3(0, 1, 0), vec3(0, 1, 0));
  std::vector<Projection::Entry> added;
  for (std::size_t i = begin; i < end; ++i) added.push_back({static_cast<std::uint32_t>(i), S, vec3(0)});
  held.constrain(added);
  return held;
}

/// A V-cycle for the last of these constraints, after all of them in turn on the same springs.
std::vector<vec3> cycle_after(const Sheet& sheet, std::span<const Projection> constraints) {
  WorkerPool pool(1);
  Multigrid multigrid;
  RowFilter filter;
  RowVector first(sheet.size()), second(sheet.size()), r(sheet.size()), z(sheet.size());
  for (const Projection& projection : constraints) {
    filter.assign(sheet.A.pattern(), projection);
    EXPECT_TRUE(multigrid.prepare({pool}, sheet.A, filter, first, second, &projection != &constraints[0]));
  }
  nets::Random random(6);
  std::vector<vec3> v = random.vectors(sheet.size());
  constraints.back().filter(v);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = padded(v[sheet.A.pattern().particle[i]]);
  multigrid.apply(r, std::sqrt(dot(r, r)), z);
  for (std::size_t i = 0; i < r.size(); ++i) v[i] = unpadded(z[i]);
  return v;
}

TEST(Multigrid, FollowsContactsOnTheSameSprings) {
  // Without coarse levels, which keep the contacts that they were computed for.
  const Sheet small(6);
  const std::vector<Projection> to_all{Projection(36), on_a_plane(36, 0, 36)}, all{to_all[1]};
  EXPECT_EQ(cycle_after(small, to_all), cycle_after(small, all));

  // Chunks that contacts have reached or left.
  const Sheet sheet(40);
  const std::size_t n = sheet.size();
  ASSERT_GT(sheet.A.pattern().chunks(), 3U);
  const Projection none(n), top = on_a_plane(n, 0, 100), bottom = on_a_plane(n, n - 100, n),
                            everywhere = on_a_plane(n, 0, n);
  const std::vector<Projection> straight{none, bottom}, from_top{none, top, bottom},
      by_all{none, everywhere, bottom};
  EXPECT_EQ(cycle_after(sheet, straight), cycle_after(sheet, from_top));
  EXPECT_EQ(cycle_after(sheet, straight), cycle_after(sheet, by_all));
}

// On free cloth only the masses make the matrix definite: rounding of the stiffness must not swamp them in
// the coarse matrices.
TEST(Multigrid, MovesAFreeSheetAsAWholeHoweverStiff) {
  const Sheet sheet(40, 1e9);
  const Projection free(sheet.size());
  WorkerPool pool(1);
  RowFilter filter;
  filter.assign(sheet.A.pattern(), free);
  Multigrid multigrid;
  RowVector first(sheet.size()), second(sheet.size());
  ASSERT_TRUE(multigrid.prepare({pool}, sheet.A, filter, first, second));
  const RowVector r(sheet.size(), Padded{1, 2, 3, 0});  // a force that is the same everywhere
  RowVector z(sheet.size());
  const double r_dot_z = multigrid.apply(r, std::sqrt(14.0 * static_cast<double>(sheet.size())), z);
  // r . A^-1 r, of which a cycle finds nearly all: the coarse levels hold every translation.
  const double mass = 0.2 / static_cast<double>(sheet.size());
  const double exact = 14.0 * static_cast<double>(sheet.size()) / mass;
  EXPECT_NEAR(r_dot_z, exact, 0.05 * exact);
}

TEST(Multigrid, StaysPositiveDefiniteWhereTheMatrixIsNot) {
  Sheet sheet(24);
  sheet.set(1000, 0.1, 1.5);
  expect_positive_definite(sheet.A, sheet.projection);
  WorkerPool pool(1);
  std::vector<vec3> x;
  EXPECT_TRUE(solve(sheet.A, sheet.projection, PreconditionerKind::multigrid, x).indefinite);
}

TEST(Multigrid, BoundsTheMatrixByItsBlocks) {
  nets::Random random(2);
  for (const double compression : {0.0, 0.5}) {
    const auto springs = nets::irregular(60, random);
    SpringMatrix A(SpringPattern::build(60, springs));
    nets::fill(A, random, 0.1, 50.0, 100.0);
    for (std::size_t s = 0; s < springs.size(); s += 2) A.spring(s).b = -compression * 10;
    A.add_stencil(nets::grab(random, 60, 1e3));
    RowVector diagonal(60), rest(60);
    for (std::size_t chunk = 0; chunk < A.pattern().chunks(); ++chunk) {
      A.bounding_blocks(chunk, diagonal.data(), rest.data());
    }
    Eigen::MatrixXd bound = Eigen::MatrixXd::Zero(180, 180);
    for (std::size_t i = 0; i < 60; ++i) {
      const Padded &d = diagonal[A.pattern().row[i]], &r = rest[A.pattern().row[i]];
      const auto at = static_cast<Eigen::Index>(3 * i);
      bound.block<3, 3>(at, at) = 2 * nets::dense(full({d.x, d.y, d.z, r.x, r.y, r.z}));
    }
    const Eigen::VectorXd values = nets::eigenvalues(bound - nets::dense(A, springs));
    EXPECT_GT(values[0], -1e-9 * values[179]);
    EXPECT_LT(values[0], 0.2 * values[179]);  // and is not just very large
  }
}

TEST(SingleBlockMatrix, ProductIsThatOfItsBlocks) {
  // Node i is coupled to all others but 4 - i: three couplings each, and the middle one has four.
  constexpr std::uint32_t n = 5;
  nets::Random random(6);
  BlockMatrix A;
  for (std::uint32_t i = 0; i < n; ++i) A.nodes.push_back({i, i});
  A.begin.push_back(0);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      if (j == i || i + j == 4) continue;
      A.neighbour.push_back(j);
      A.block.push_back(j < i ? A.find(j, i) : static_cast<std::uint32_t>(A.nodes.size()));
      if (j > i) A.nodes.push_back({i, j});
    }
    A.begin.push_back(static_cast<std::uint32_t>(A.neighbour.size()));
  }
  for (std::size_t k = 0; k < A.nodes.size(); ++k) {
    const vec3 a = random.vector(), b = random.vector();
    A.value.push_back({a.x, a.y, a.z, b.x, b.y, b.z});
  }
  std::vector<vec3> expected(n, vec3(0.0));
  SingleVector x(n);
  for (Quad& each : x) each = single(random.vector());
  for (std::size_t k = 0; k < A.nodes.size(); ++k) {
    const auto [i, j] = A.nodes[k];
    const mat3 B = full(A.value[k]);
    expected[i] += 2.0 * (B * vec3(x[j][0], x[j][1], x[j][2]));
    if (i != j) expected[j] += 2.0 * (B * vec3(x[i][0], x[i][1], x[i][2]));
  }
  SingleBlockMatrix matrix;
  matrix.choose(A);
  for (std::size_t i = 0; i < n; ++i) matrix.assign_row(2.0, A, i);
  matrix.multiply_rows(A, 0, n, x, [&](std::size_t i, Quad Ax) {
    EXPECT_LT(glm::length(vec3(Ax[0], Ax[1], Ax[2]) - expected[i]), 1e-5) << i;
    EXPECT_EQ(Ax[3], 0.0f) << i;
  });
}

TEST(Multigrid, TakesHardlyMoreIterationsOnFinerSheets) {
  std::vector<vec3> x;
  const Sheet coarse(16), fine(96);
  const int at_16 = solve(coarse.A, coarse.projection, PreconditionerKind::multigrid, x).iterations;
  const int at_96 = solve(fine.A, fine.projection, PreconditionerKind::multigrid, x).iterations;
  const int plain_at_16 = solve(coarse.A, coarse.projection, PreconditionerKind::block_jacobi, x).iterations;
  const int plain_at_96 = solve(fine.A, fine.projection, PreconditionerKind::block_jacobi, x).iterations;
  EXPECT_LE(at_16, 9);
  EXPECT_LE(at_96, 11);
  EXPECT_GT(plain_at_96, 3 * plain_at_16);
}

// The hub of a fan is coupled to all other nodes, so that all form one aggregate: one coarse node is left.
TEST(Multigrid, TakesFewIterationsWhereOneParticleIsCoupledToAll) {
  constexpr std::uint32_t kRim = 2000;
  constexpr double kStiffness = Sheet::h * Sheet::h * 1000, kRatio = 0.98;
  const auto on_rim = [](std::uint32_t i) { return 1 + i % kRim; };
  const auto place = [](std::uint32_t i) {
    const double angle = 2 * std::acos(-1.0) * i / kRim;
    return i == 0 ? vec3(0) : vec3(std::cos(angle), std::sin(angle), 0.1 * std::sin(5 * angle));
  };
  std::vector<SpringPattern::Pair> springs;
  for (std::uint32_t i = 0; i < kRim; ++i)
    for (const SpringPattern::Pair& pair : {SpringPattern::Pair{0, on_rim(i)}, {on_rim(i), on_rim(i + 1)}})
      springs.push_back(pair);
  SpringMatrix A(SpringPattern::build(kRim + 1, springs));
  for (double& d : A.diagonal_by_row()) d = 0.2 / kRim;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const vec3 d = glm::normalize(place(springs[s][0]) - place(springs[s][1]));
    A.spring(s) = {std::sqrt(kStiffness * kRatio) * d, kStiffness * (1 - kRatio)};
  }
  Projection projection(A.size());
  projection.fix(1, vec3(0.0));
  std::vector<vec3> x;
  const SolveReport report = solve(A, projection, PreconditionerKind::multigrid, x);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 15);
}

TEST(Multigrid, HoldsAtTheFarEnd) {
  std::vector<vec3> x;
  Sheet stiff(40, 1e5);
  EXPECT_LE(solve(stiff.A, stiff.projection, PreconditionerKind::multigrid, x).iterations, 40);
  stiff.set(4e5, 0.1);  // as with h = 1/30 s
  EXPECT_LE(solve(stiff.A, stiff.projection, PreconditionerKind::multigrid, x).iterations, 50);
  // The finest level in single precision is scaled to suit any magnitude.
  Sheet plain(40), light(40);
  const int as_it_is = solve(plain.A, plain.projection, PreconditionerKind::multigrid, x).iterations;
  for (double& d : light.A.diagonal_by_row()) d *= 1e-30;
  for (std::size_t s = 0; s < light.springs.size(); ++s) {
    auto& spring = light.A.spring(s);
    spring = {1e-15 * spring.u, 1e-30 * spring.b};
  }
  EXPECT_EQ(solve(light.A, light.projection, PreconditionerKind::multigrid, x).iterations, as_it_is);
  // Compressed springs clamped: no stiffness across them at all.
  Sheet slack(40);
  slack.set(1000, 0.2, 1.0);
  EXPECT_LE(solve(slack.A, slack.projection, PreconditionerKind::multigrid, x).iterations, 40);
}

TEST(Multigrid, AgreesWithCholesky) {
  const Sheet sheet(24);
  std::vector<vec3> x, reference(sheet.size());
  ASSERT_TRUE(solve(sheet.A, sheet.projection, PreconditionerKind::multigrid, x, 1e-10).converged);
  WorkerPool pool(1);
  nets::Random random(3);
  const std::vector<vec3> b = random.vectors(sheet.size());  // as in `solve`
  ASSERT_TRUE(CholeskySolver().solve({pool}, {sheet.A, b, sheet.projection}, reference, 1e-10).converged);
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference = std::max(difference, glm::length(x[i] - reference[i]));
    largest = std::max(largest, glm::length(reference[i]));
  }
  // |x - reference| <= 2 |A^-1| |r|, and the mass bounds A^-1.
  const double mass = 0.2 / static_cast<double>(sheet.size());
  EXPECT_LT(difference, 2e-10 * std::sqrt(static_cast<double>(3 * sheet.size())) / mass);
  EXPECT_GT(largest, 1.0);
}

TEST(Multigrid, ServesManyPartsAndLooseParticles) {
  // 60 separate pieces of 20 particles without a pin, and particles that no spring joins.
  std::vector<SpringPattern::Pair> springs;
  for (std::uint32_t part = 0; part < 60; ++part) {
    for (const auto& [i, j] : nets::grid(4, 5)) springs.push_back({20 * part + i, 20 * part + j});
  }
  nets::Random random(8);
  SpringMatrix A(SpringPattern::build(1300, springs));
  nets::fill(A, random, 1e-3, 50.0);
  std::vector<vec3> x;
  const SolveReport report = solve(A, Projection(1300), PreconditionerKind::multigrid, x, 1e-8);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 60);

  const SpringMatrix none = [] {
    SpringMatrix alone(SpringPattern::build(300, {}));
    for (double& d : alone.diagonal_by_row()) d = 2;
    return alone;
  }();
  ASSERT_TRUE(solve(none, Projection(300), PreconditionerKind::multigrid, x, 1e-12).converged);
  nets::Random same(3);
  EXPECT_LT(glm::length(x[0] - same.vectors(300)[0] / 2.0), 1e-11);
}

// The bits of a solution depend on the system alone, not on those that the solver saw before.
TEST(Multigrid, KeepsNothingOfEarlierSystems) {
  WorkerPool pool(1);
  Sheet sheet(24);
  nets::Random random(4);
  const std::vector<vec3> b = random.vectors(sheet.size());
  std::vector<vec3> x(sheet.size()), fresh(sheet.size());
  const CgOptions options{.preconditioner = PreconditionerKind::multigrid};
  ConjugateGradient cg;
  cg.solve({pool}, {sheet.A, b, sheet.projection}, x, options);  // another shape
  sheet.set(1000, 0.02);
  cg.solve({pool}, {sheet.A, b, sheet.projection}, x, options);
  ConjugateGradient().solve({pool}, {sheet.A, b, sheet.projection}, fresh, options);
  EXPECT_EQ(x, fresh);

  sheet.projection.fix(77, vec3(0.0));  // another pin
  cg.solve({pool}, {sheet.A, b, sheet.projection}, x, options);
  ConjugateGradient().solve({pool}, {sheet.A, b, sheet.projection}, fresh, options);
  EXPECT_EQ(x, fresh);
  EXPECT_EQ(x[77], vec3(0.0));

  cg.solve({pool}, {sheet.A, b, on_a_ball(sheet.size(), 24)}, x, options);  // contacts
  ConjugateGradient().solve({pool}, {sheet.A, b, on_a_ball(sheet.size(), 24)}, fresh, options);
  EXPECT_EQ(x, fresh);

  sheet.set(20, 0.02);  // other strengths
  cg.solve({pool}, {sheet.A, b, sheet.projection}, x, options);
  ConjugateGradient().solve({pool}, {sheet.A, b, sheet.projection}, fresh, options);
  EXPECT_EQ(x, fresh);
}

TEST(Multigrid, StopsWhenAskedAndStartsAgain) {
  WorkerPool pool(1);
  const Sheet sheet(24);
  nets::Random random(4);
  const std::vector<vec3> b = random.vectors(sheet.size());
  std::vector<vec3> x(sheet.size());
  const CgOptions options{.preconditioner = PreconditionerKind::multigrid};
  ConjugateGradient cg;
  const SolveReport stopped =
      cg.solve({pool, [] { return true; }}, {sheet.A, b, sheet.projection}, x, options);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_FALSE(stopped.converged);
  // At every later look, too.
  int looks = 0, until = 1;
  const StopProbe later = [&] { return ++looks >= until; };
  for (bool stop = true; stop; ++until, looks = 0) {
    stop = cg.solve({pool, later}, {sheet.A, b, sheet.projection}, x, options).stopped;
  }
  EXPECT_GT(until, 20);
  EXPECT_TRUE(cg.solve({pool}, {sheet.A, b, sheet.projection}, x, options).converged);
}

}  // namespace
}  // namespace clothlab
