// SPDX-License-Identifier: MIT
#include "linalg/contact_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "nets.h"

namespace clothlab {
namespace {

/// Coulomb's law to `rounding` of `size`, for one contact with the impulse ρ at v.
void expect_law(const NodalContact& contact, const vec3& v, const vec3& rho, double size,
                double rounding = 1e-9) {
  const double p = glm::dot(contact.normal, rho), above = glm::dot(contact.normal, v) - contact.least;
  const vec3 friction = contact.across(rho), w = contact.slip(v);
  EXPECT_GE(above, -rounding * (1 + glm::length(v)));
  EXPECT_GE(p, -rounding * size);
  EXPECT_LE(glm::length(friction), contact.friction * p + rounding * size);
  EXPECT_LE(glm::dot(friction, w), rounding * size);
  if (contact.state == ContactState::open) {
    EXPECT_LE(glm::length(rho), rounding * size);
    return;
  }
  EXPECT_NEAR(above, 0, rounding * (1 + glm::length(v)));
  if (contact.state == ContactState::stick)
    EXPECT_LE(glm::length(w), rounding);
  else
    EXPECT_NEAR(glm::dot(friction, w), -contact.friction * p * glm::length(w), rounding * size);
}

mat3 random_block(nets::Random& random) {
  mat3 D(random.in(0.1, 1));
  for (int k = 0; k < 3; ++k) {
    const vec3 u = random.vector();
    D += random.in(0, 5) * glm::outerProduct(u, u);
  }
  return D;
}

TEST(Coulomb, IsSolvedExactlyForOneContact) {
  nets::Random random(1);
  std::array<int, 3> found{};
  for (int k = 0; k < 5000; ++k) {
    const mat3 D = random_block(random);
    const vec3 q = random.vector();
    NodalContact contact;
    contact.normal = random.direction();
    contact.friction = k % 5 == 0 ? 0 : random.in(0, 1.5);
    contact.velocity = 0.3 * random.vector();
    contact.least = random.in(-0.3, 0.3);
    vec3 v(0);
    solve_coulomb(D, glm::inverse(D), q, {&contact, 1}, v);
    ++found.at(static_cast<std::size_t>(contact.state));
    const vec3 rho = D * v - q;
    EXPECT_LE(glm::length(rho - contact.impulse), 1e-12 * (1 + glm::length(rho)));
    expect_law(contact, v, rho, 1 + glm::length(q) + glm::length(rho));
    if (HasFailure()) FAIL() << "case " << k;
  }
  for (const int each : found) EXPECT_GT(each, 200);
}

/// A particle of 1 kg in a groove of 90° along z, pushed into it and along it.
struct InGroove {
  explicit InGroove(double along) {
    for (const double side : {-1.0, 1.0}) {
      NodalContact& contact = contacts.at(side < 0 ? 0 : 1);
      contact.normal = glm::normalize(vec3(side, 1, 0));
      contact.friction = kFriction;
    }
    solve_coulomb(mat3(1.0), mat3(1.0), vec3(0, -1, along), contacts, v);
  }
  static constexpr double kFriction = 0.4;
  std::array<NodalContact, 2> contacts{};
  vec3 v{0};
};

// Each side presses with 1/√2 of the weight, so friction resists √2 μ. Up to √2 μ/√(1 − μ²) a particle that
// is wedged may also stick.
TEST(Coulomb, SlidesInAGrooveBeyondRootTwoTimesFriction) {
  const double limit = std::sqrt(2.0) * InGroove::kFriction;
  const InGroove stuck(0.9 * limit), sliding(1.2 * limit);
  EXPECT_LE(glm::length(stuck.v), 1e-12);
  EXPECT_NEAR(sliding.v.z, 0.2 * limit, 1e-8);
  EXPECT_NEAR(std::hypot(sliding.v.x, sliding.v.y), 0, 1e-12);
  for (const NodalContact& contact : sliding.contacts) EXPECT_NEAR(contact.push(), std::sqrt(0.5), 1e-8);
}

// In the corner of three planes, under any load and motion of the planes: all of them are kept.
// Positions are rounded: a particle at rest in a groove may be 1e-17 m above one of the two planes.
TEST(Coulomb, SticksToBothPlanesWhenAGapIsRounding) {
  std::array<NodalContact, 2> contacts{};
  for (const double side : {-1.0, 1.0}) {
    NodalContact& contact = contacts.at(side < 0 ? 0 : 1);
    contact.normal = glm::normalize(vec3(side, 1, 0));
    contact.friction = 0.3;
    contact.gap = side < 0 ? 0 : 1e-17;
    contact.refer_to(vec3(0), 1.0 / 60);
  }
  vec3 v(0);
  const vec3 q(0, -1, 0.3);
  solve_coulomb(mat3(1.0), mat3(1.0), q, contacts, v);
  EXPECT_LE(glm::length(v), 1e-14);
  for (const NodalContact& contact : contacts) EXPECT_EQ(contact.state, ContactState::stick);
  EXPECT_LE(allow(v, v - q, contacts), 1e-9);
}

TEST(Coulomb, KeepsThreePlanes) {
  nets::Random random(2);
  for (int k = 0; k < 500; ++k) {
    std::array<NodalContact, 3> contacts{};
    const vec3 moves = 0.1 * random.vector();
    for (std::size_t j = 0; j < 3; ++j) {
      vec3 n(0.1, 0.1, 0.1);
      n[static_cast<int>(j)] = 1;
      contacts[j].normal = glm::normalize(n);
      contacts[j].friction = random.in(0, 0.8);
      contacts[j].velocity = moves;
      contacts[j].least = glm::dot(contacts[j].normal, moves);
    }
    const mat3 D = random_block(random);
    vec3 v(0);
    solve_coulomb(D, glm::inverse(D), 3.0 * random.vector(), contacts, v);
    for (const NodalContact& contact : contacts)
      EXPECT_GE(glm::dot(contact.normal, v), contact.least - 1e-10) << k;
  }
}

/// A sheet of random springs with two pins, half of its particles above surfaces.
struct Sheet {
  std::vector<SpringPattern::Pair> springs = nets::grid(17, 19);
  SpringMatrix A{SpringPattern::build(kParticles, springs)};
  Projection pins{kParticles};
  std::vector<vec3> b, v0, x = std::vector<vec3>(kParticles);
  std::vector<NodalContact> contacts;
  LinearSolver solver;
  ContactSolver contact_solver;

  static constexpr std::size_t kParticles = 17 * 19;

  explicit Sheet(unsigned seed, double friction) {
    nets::Random random(seed);
    nets::fill(A, random, 20, 5, 10);
    A.add_stencil(nets::grab(random, kParticles, 50));
    pins.fix(3, vec3(0));
    pins.fix(100, vec3(0));
    b = random.vectors(kParticles);
    v0 = random.vectors(kParticles);
    for (vec3& impulse : b) impulse.y -= 2;
    for (vec3& v : v0) v *= 0.1;
    x[3] = random.vector();
    x[100] = random.vector();
    for (std::uint32_t i = 0; i < kParticles; ++i) {
      if (i % 2 == 0 || pins.find(i) != nullptr) continue;
      for (std::uint32_t surface = 0; surface <= (i % 7 == 0 ? 1U : 0U); ++surface) {
        NodalContact& contact = contacts.emplace_back();
        contact.particle = i;
        contact.surface = surface;
        contact.normal = surface == 0 ? vec3(0, 1, 0) : glm::normalize(vec3(1, 0.5, 0));
        contact.friction = friction;
        contact.velocity = vec3(0.1, 0, 0);
        contact.least = random.in(-0.5, 0.1);
      }
    }
  }

  ContactSolveReport solve(WorkerPool& pool, double tolerance) {
    LinearSolverSettings settings;
    settings.cg.tolerance = tolerance;
    return contact_solver.solve({pool}, solver, {A, b, pins, v0, contacts}, x, settings);
  }
};

TEST(ContactSolver, SatisfiesCoulombsLawAtEveryContact) {
  WorkerPool pool(1);
  for (const double friction : {0.0, 0.3, 0.8}) {
    Sheet sheet(3, friction);
    const std::size_t stencils = sheet.A.stencils().size();
    const vec3 pinned = sheet.x[3];
    const ContactSolveReport report = sheet.solve(pool, 1e-9);
    EXPECT_TRUE(report.solve.converged) << friction;
    EXPECT_EQ(sheet.A.stencils().size(), stencils);
    EXPECT_EQ(sheet.x[3], pinned);
    std::vector<vec3> product(Sheet::kParticles);
    sheet.A.multiply(pool, sheet.x, product);
    double sum = 0;
    std::array<int, 3> found{};
    for (std::span<NodalContact> rest = sheet.contacts; !rest.empty();) {
      const std::span<NodalContact> contacts = contacts_of_first(rest);
      rest = rest.subspan(contacts.size());
      const std::uint32_t i = contacts.front().particle;
      const vec3 v = sheet.v0[i] + sheet.x[i], rho = product[i] - sheet.b[i];
      vec3 total(0);
      for (const NodalContact& contact : contacts) {
        ++found.at(static_cast<std::size_t>(contact.state));
        total += contact.impulse;
        expect_law(contact, v, contact.impulse, 10, 1e-7);
      }
      EXPECT_LE(glm::length(total - rho), 1e-7) << i;
      product[i] = sheet.b[i];
    }
    for (std::size_t i = 0; i < Sheet::kParticles; ++i)
      if (sheet.pins.find(i) == nullptr) sum += glm::length(product[i] - sheet.b[i]);
    EXPECT_LE(sum, 1e-6 * Sheet::kParticles);
    EXPECT_GT(found[0], 10);
    EXPECT_GT(found[1], 10);
    if (friction > 0) {
      EXPECT_GT(found[2], 0);
    }
  }
}

/// The same sheet, with vertices that press on triangles elsewhere.
struct Folded : Sheet {
  explicit Folded(unsigned seed, double friction) : Sheet(seed, friction) {
    nets::Random random(seed + 100);
    for (std::uint32_t k = 0; k < 60; ++k) {
      const std::uint32_t corner = 190 + 2 * k;
      PairContact& pair = pairs.emplace_back();
      pair.particle = {5 + 2 * k, corner, corner + 1, corner + 19};
      pair.weight = {1, -random.in(0.1, 0.4), -random.in(0.1, 0.4), 0};
      pair.weight[3] = -1 - pair.weight[1] - pair.weight[2];
      pair.count = 4;
      pair.normal = glm::normalize(vec3(0, 1, 0) + 0.3 * random.vector());
      pair.friction = friction;
      pair.velocity = 0.02 * random.vector();
      pair.least = random.in(-0.3, 0.1);
    }
    pairs.resize(static_cast<std::size_t>(
        std::ranges::find_if(pairs, [](const PairContact& pair) { return pair.particle[3] >= kParticles; }) -
        pairs.begin()));
  }
  std::vector<PairContact> pairs;

  ContactSolveReport solve(WorkerPool& pool, double tolerance) {
    LinearSolverSettings settings;
    settings.cg.tolerance = tolerance;
    return contact_solver.solve(
        {pool}, solver, {.A = A, .b = b, .pins = pins, .v0 = v0, .contacts = contacts, .pairs = pairs}, x,
        settings);
  }
};

TEST(ContactSolver, SatisfiesCoulombsLawAtEveryPair) {
  WorkerPool pool(1);
  for (const double friction : {0.0, 0.3, 0.9}) {
    Folded sheet(3, friction);
    ASSERT_GT(sheet.pairs.size(), 40U);
    const ContactSolveReport report = sheet.solve(pool, 1e-9);
    EXPECT_TRUE(report.solve.converged) << friction;
    std::vector<vec3> rest(Sheet::kParticles);
    sheet.A.multiply(pool, sheet.x, rest);
    for (std::size_t i = 0; i < Sheet::kParticles; ++i) rest[i] -= sheet.b[i];
    for (const NodalContact& contact : sheet.contacts) rest[contact.particle] -= contact.impulse;
    std::array<int, 3> found{};
    for (const PairContact& pair : sheet.pairs) {
      ++found.at(static_cast<std::size_t>(pair.state));
      NodalContact same;
      same.normal = pair.normal;
      same.friction = pair.friction;
      same.velocity = pair.velocity;
      same.least = pair.least;
      same.state = pair.state;
      expect_law(same, pair.blend([&](std::uint32_t i) { return sheet.v0[i] + sheet.x[i]; }), pair.impulse,
                 10, 1e-6);
      for (std::uint32_t k = 0; k < pair.count; ++k) rest[pair.particle[k]] -= pair.weight[k] * pair.impulse;
    }
    for (const Projection::Entry& pin : sheet.pins.entries()) rest[pin.particle] = vec3(0);
    for (std::size_t i = 0; i < Sheet::kParticles; ++i) EXPECT_LE(glm::length(rest[i]), 1e-6) << i;
    EXPECT_GT(found[0], 5);
    EXPECT_GT(found[1], 5);
    if (friction > 0.5) {
      EXPECT_GT(found[2], 2);
    }
  }
}

TEST(ContactSolver, ForgetsThePairsOfTheSolveBefore) {
  WorkerPool pool(1);
  Folded used(3, 0.4);
  Sheet fresh(3, 0.4);
  used.solve(pool, 1e-4);
  used.pairs.clear();
  used.x = fresh.x;
  used.contacts = fresh.contacts;
  used.solve(pool, 1e-4);
  fresh.solve(pool, 1e-4);
  EXPECT_EQ(used.x, fresh.x);
}

TEST(ContactSolver, HasTheSameBitsWithPairsForAnyNumberOfThreads) {
  WorkerPool one(1), three(3);
  Folded first(4, 0.4), second(4, 0.4);
  first.solve(one, 1e-4);
  second.solve(three, 1e-4);
  EXPECT_EQ(first.x, second.x);
}

// Sweeps change velocities of contacts only; the residual follows in all chunks that these reach.
TEST(ContactSolver, HasTheResidualOfItsSolutionAfterASweep) {
  constexpr std::uint32_t kSide = 30;
  constexpr std::size_t kAll = kSide * kSide;
  WorkerPool pool(1);
  nets::Random random(8);
  SpringMatrix A(SpringPattern::build(kAll, nets::grid(kSide, kSide)));
  nets::fill(A, random, 1, 100);
  ASSERT_GT(A.pattern().chunks(), 2U);
  const std::vector<vec3> b = random.vectors(kAll), v0(kAll, vec3(0));
  std::vector<vec3> x(kAll), product(kAll);
  LinearSolver linear;
  ContactSolver solver;
  LinearSolverSettings settings;
  settings.cg.tolerance = 100;  // met by any x
  for (std::uint32_t i = 0; i < kAll; ++i) {
    NodalContact contact;
    contact.particle = i;
    contact.normal = vec3(0, 1, 0);
    contact.least = 0.5;
    const ContactSolveReport report =
        solver.solve({pool}, linear, {A, b, Projection(kAll), v0, {&contact, 1}}, x, settings);
    ASSERT_EQ(report.solve.iterations, 0);
    A.multiply(pool, x, product);
    double error = 0;
    for (std::size_t j = 0; j < kAll; ++j)
      error = std::max(error, glm::length(b[j] - product[j] - solver.residual()[j]));
    EXPECT_LE(error, 1e-11) << i;
  }
}

TEST(ContactSolver, HasTheSameBitsForAnyNumberOfThreads) {
  WorkerPool one(1), three(3);
  Sheet first(4, 0.4), second(4, 0.4);
  first.solve(one, 1e-4);
  second.solve(three, 1e-4);
  EXPECT_EQ(first.x, second.x);
}

TEST(ContactSolver, StartsFromTheStatesOfTheLastSolution) {
  WorkerPool pool(1);
  Sheet sheet(5, 0.4);
  const int first = sheet.solve(pool, 1e-6).solve.iterations;
  // The same again, from where it ended.
  for (std::size_t i = 0; i < Sheet::kParticles; ++i)
    if (sheet.pins.find(i) == nullptr) sheet.v0[i] += sheet.x[i];
  std::vector<vec3> product(Sheet::kParticles), moved = sheet.x;
  for (const Projection::Entry& pin : sheet.pins.entries()) moved[pin.particle] = vec3(0);
  sheet.A.multiply(pool, moved, product);
  for (std::size_t i = 0; i < Sheet::kParticles; ++i) sheet.b[i] -= product[i];
  const ContactSolveReport again = sheet.solve(pool, 1e-6);
  EXPECT_TRUE(again.solve.converged);
  EXPECT_LT(again.solve.iterations, first / 4);
  EXPECT_EQ(again.changes, 0);
}

TEST(ContactSolver, ReportsWhatDoesNotConverge) {
  WorkerPool pool(1);
  Sheet sheet(6, 0.4);
  EXPECT_FALSE(sheet.solve(pool, 1e-300).solve.converged);
  for (const NodalContact& contact : sheet.contacts) {
    const vec3 v = sheet.v0[contact.particle] + sheet.x[contact.particle];
    EXPECT_GE(glm::dot(contact.normal, v), contact.least - 1e-12);
  }
}

}  // namespace
}  // namespace clothlab
