// SPDX-License-Identifier: MIT
#include "linalg/spring_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "linalg/projection.h"
#include "linalg/single_spring_matrix.h"
#include "nets.h"

namespace clothlab {
namespace {

struct Case {
  std::size_t particles;
  std::vector<SpringPattern::Pair> springs;
};

std::vector<Case> cases() {
  nets::Random random(1);
  std::vector<Case> all;
  all.push_back({1, {}});
  all.push_back({2, {{1, 0}}});
  all.push_back({5, {{0, 1}, {3, 4}}});  // two pieces and a particle alone
  all.push_back({7 * 5, nets::grid(7, 5)});
  all.push_back({60, nets::irregular(60, random)});
  all.push_back({26 * 25, nets::grid(26, 25)});  // more than one chunk
  all.push_back({700, nets::irregular(700, random)});
  return all;
}

SpringMatrix random_matrix(const Case& net, nets::Random& random) {
  SpringMatrix A(SpringPattern::build(net.particles, net.springs));
  nets::fill(A, random, 1.0, 10.0, 100.0);
  for (std::size_t s = 0; s < net.springs.size(); s += 3)
    A.spring(s).b = -A.spring(s).b;  // exact mode has such
  if (net.particles > 3) {
    A.add_stencil(nets::grab(random, net.particles, 50.0));
    SpringMatrix::Stencil block;
    block.count = 1;
    block.particle[0] = random.below(net.particles);
    block.weight[0] = 1;
    block.C = mat3(2, 1, 0, 1, 3, -1, 0, -1, 4);
    A.add_stencil(block);
    A.add_stencil(block);
    // Two pairs of contact, one of which has a particle twice.
    SpringMatrix::Stencil pair{{0, 1, 2, 3}, {-1, 0.2, 0.3, 0.5}, 4, 7.0 * block.C};
    const SpringMatrix::Stencil before = pair;
    pair.particle[3] = 1;
    A.add_stencils(std::array{before, pair});
  }
  return A;
}

TEST(SpringPattern, NumbersEveryParticleAndSpringOnce) {
  for (const Case& net : cases()) {
    const auto pattern = SpringPattern::build(net.particles, net.springs);
    ASSERT_EQ(pattern->particles(), net.particles);
    ASSERT_EQ(pattern->springs(), net.springs.size());
    std::vector<std::uint32_t> seen(pattern->particle);
    std::sort(seen.begin(), seen.end());
    for (std::uint32_t i = 0; i < net.particles; ++i) {
      EXPECT_EQ(seen[i], i);
      EXPECT_EQ(pattern->particle[pattern->row[i]], i);
    }
    EXPECT_EQ(pattern->chunk_begin.front(), 0u);
    EXPECT_EQ(pattern->chunk_begin.back(), net.particles);
    for (std::size_t s = 0; s < net.springs.size(); ++s) {
      auto [i, j] = net.springs[s];
      auto [k, l] = pattern->ends(s);
      EXPECT_EQ(std::minmax(i, j), std::minmax(k, l)) << "spring " << s;
    }
  }
}

TEST(SpringPattern, KeepsJoinedParticlesTogetherWhateverTheirOrder) {
  // A 64 x 64 sheet with its particles shuffled. Compact chunks have short borders: 16 chunks of 16 x 16
  // particles have 16 particles on an inner side and 6 springs crossing per particle, 24 inner sides in all.
  constexpr std::uint32_t kSide = 64;
  std::vector<std::uint32_t> shuffled(kSide * kSide);
  for (std::uint32_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  auto springs = nets::grid(kSide, kSide);
  for (auto& [i, j] : springs) {
    i = shuffled[i];
    j = shuffled[j];
  }
  const auto pattern = SpringPattern::build(shuffled.size(), springs);
  ASSERT_EQ(pattern->chunks(), 16u);
  EXPECT_LT(pattern->incoming.items.size(), 2u * 24 * 16 * 6);
  EXPECT_GT(pattern->incoming.items.size(), 24u * 16);
}

TEST(SpringMatrix, ProductEqualsTheDefinition) {
  nets::Random random(2);
  for (const Case& net : cases()) {
    const SpringMatrix A = random_matrix(net, random);
    const Eigen::MatrixXd D = nets::dense(A, net.springs);
    const std::vector<vec3> x = random.vectors(net.particles);
    std::vector<vec3> y(net.particles, vec3(7.0));  // multiply overwrites
    WorkerPool pool(2);
    A.multiply(pool, x, y);
    const Eigen::VectorXd expected = nets::times(D, nets::dense(x));
    // A row adds fewer than 100 terms of at most |A| |x|.
    EXPECT_LT((nets::dense(y) - expected).norm(), 1e-14 * D.norm() * nets::dense(x).norm()) << net.particles;
    EXPECT_GT(expected.norm(), 0.01);
  }
}

TEST(SpringMatrix, ChunksOfRowsGiveTheSameProduct) {
  nets::Random random(3);
  const Case net = cases()[5];
  const SpringMatrix A = random_matrix(net, random);
  const SpringPattern& p = A.pattern();
  ASSERT_GT(p.chunks(), 1u);
  const std::vector<vec3> x = random.vectors(net.particles);
  std::vector<vec3> y(net.particles);
  WorkerPool pool(1);
  A.multiply(pool, x, y);
  std::vector<Padded> x_rows(net.particles), y_rows(net.particles);
  for (std::size_t r = 0; r < net.particles; ++r) {
    const vec3& v = x[p.particle[r]];
    x_rows[r] = {v.x, v.y, v.z, 0.0};
  }
  double x_dot_y = 0;
  for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk) {
    x_dot_y += A.multiply_chunk(chunk, x_rows.data(), y_rows.data());
  }
  for (std::size_t r = 0; r < net.particles; ++r) {
    EXPECT_EQ(vec3(y_rows[r].x, y_rows[r].y, y_rows[r].z), y[p.particle[r]]) << "row " << r;
    EXPECT_EQ(y_rows[r].zero, 0.0);
  }
  const double expected = nets::dense(x).dot(nets::dense(y));
  EXPECT_NEAR(x_dot_y, expected, 1e-13 * nets::dense(x).norm() * nets::dense(y).norm());
}

TEST(SpringMatrix, TwoProductsInOnePassAreTheirSum) {
  nets::Random random(11);
  for (const Case& net : cases()) {
    const SpringMatrix A = random_matrix(net, random);
    SpringMatrix B(A.shared_pattern());
    nets::fill(B, random, 0.7, 30.0);
    const SpringPattern& p = A.pattern();
    std::vector<Padded> x(net.particles), v(net.particles), of_A(net.particles), of_B(net.particles);
    std::vector<Padded> sum(net.particles, {7, 7, 7, 7});  // is overwritten
    for (std::vector<Padded>* each : {&x, &v})
      for (Padded& value : *each) value = padded(random.vector());
    for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk) {
      A.multiply_chunk(chunk, x.data(), of_A.data());
      B.multiply_chunk(chunk, v.data(), of_B.data());
      A.multiply_chunk(chunk, x.data(), B, v.data(), sum.data());
    }
    double size = 0;
    for (const Padded& y : of_A) size = std::max(size, std::sqrt(dot(y, y)));
    for (std::size_t r = 0; r < net.particles; ++r) {
      EXPECT_LT(glm::length(unpadded(sum[r]) - unpadded(of_A[r]) - unpadded(of_B[r])), 1e-12 * size);
      EXPECT_EQ(sum[r].zero, 0.0);
    }
  }
}

TEST(SingleSpringMatrix, ProductIsThatOfTheKeptSprings) {
  nets::Random random(4);
  const StopProbe never;
  CancelPoint cancel(never);
  for (const Case& net : cases()) {
    SpringMatrix A = random_matrix(net, random);
    const SpringPattern& p = A.pattern();
    std::vector<char> kept(p.springs());
    for (char& k : kept) k = random.below(4) > 0 ? 1 : 0;
    SingleSpringMatrix single;
    single.choose(p, kept, cancel);
    single.start(A);
    for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk) single.assign(chunk);

    std::vector<double> size(net.particles,
                             100.0);  // sums of magnitudes: the stencils, the diagonal, the springs
    for (std::size_t slot = 0; slot < p.springs(); ++slot) {
      if (!kept[slot]) A.spring_in(slot) = {};
      size[p.lower[slot]] += 2 * A.spring_in(slot).stiffness();
      size[p.upper[slot]] += 2 * A.spring_in(slot).stiffness();
    }
    std::vector<Padded> x(net.particles), y(net.particles);
    SingleVector x_single(net.particles), y_single(net.particles);
    for (std::size_t r = 0; r < net.particles; ++r) {
      x_single[r] = clothlab::single(random.vector());
      x[r] = {x_single[r][0], x_single[r][1], x_single[r][2], 0.0};
    }
    for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk) {
      A.multiply_chunk(chunk, x.data(), y.data());
      single.multiply_chunk(chunk, x_single, y_single, [&](std::uint32_t i, Quad q) { y_single[i] = q; });
    }
    for (std::size_t r = 0; r < net.particles; ++r) {
      const vec3 result(y_single[r][0], y_single[r][1], y_single[r][2]);
      const vec3 expected(y[r].x, y[r].y, y[r].z);
      EXPECT_LT(glm::length(result / single.scale() - expected), 20 * 6e-8 * size[r]) << "row " << r;
      EXPECT_EQ(y_single[r][3], 0.0f);
    }
  }
}

TEST(SpringMatrix, DiagonalBlocksEqualTheDefinition) {
  nets::Random random(5);
  for (const Case& net : cases()) {
    const SpringMatrix A = random_matrix(net, random);
    const Eigen::MatrixXd D = nets::dense(A, net.springs);
    std::vector<Symmetric> blocks(net.particles, Symmetric{7, 7, 7, 0, 0, 0});
    WorkerPool pool(2);
    A.diagonal_blocks(pool, blocks);
    const double scale = D.norm();
    for (std::size_t i = 0; i < net.particles; ++i) {
      const auto at = static_cast<Eigen::Index>(3 * i);
      const Eigen::Matrix3d expected = D.block<3, 3>(at, at);
      EXPECT_LT((nets::dense(full(blocks[A.pattern().row[i]])) - expected).norm(), 1e-14 * scale)
          << "particle " << i;
    }
  }
}

TEST(Projection, KeepsItsEntriesInOrderAndReplaces) {
  Projection projection(10);
  projection.fix(7, vec3(1, 2, 3));
  projection.fix(2, vec3(4, 5, 6));
  projection.constrain(7, mat3(1.0), vec3(0.0));
  ASSERT_EQ(projection.entries().size(), 2u);
  EXPECT_EQ(projection.entries()[0].particle, 2u);
  EXPECT_EQ(projection.entries()[0].target, vec3(4, 5, 6));
  EXPECT_EQ(projection.entries()[1].particle, 7u);
  EXPECT_TRUE(projection.is_fixed(2));
  EXPECT_FALSE(projection.is_fixed(7));
  EXPECT_FALSE(projection.is_fixed(3));
  EXPECT_EQ(projection.find(3), nullptr);
  projection.clear(4);
  EXPECT_EQ(projection.size(), 4u);
  EXPECT_TRUE(projection.entries().empty());
}

TEST(Projection, FiltersOutWhatIsHeld) {
  nets::Random random(7);
  const Projection projection = nets::constraints(20, random);
  const std::vector<vec3> a = random.vectors(20);
  std::vector<vec3> free(a);
  projection.filter(free);
  const Eigen::VectorXd expected = nets::times(nets::dense(projection), nets::dense(a));
  EXPECT_LT((nets::dense(free) - expected).norm(), 1e-14);
  EXPECT_EQ(free[0], vec3(0.0));
  EXPECT_EQ(free[1], a[1]);
}

}  // namespace
}  // namespace clothlab
