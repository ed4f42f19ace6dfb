// SPDX-License-Identifier: MIT
#include "linalg/nested_dissection.h"

#include <gtest/gtest.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <ctime>
#include <numeric>

#include "core/error.h"
#include "nets.h"
#include "slowdown.h"

namespace clothlab {
namespace {

using Pairs = std::vector<SpringPattern::Pair>;
using Order = std::vector<std::uint32_t>;

/// Blocks of L below its diagonal, by the theorem of Rose, Tarjan and Lueker on the elimination tree.
std::size_t fill(const Graph& graph, const Order& order) {
  const auto n = static_cast<std::uint32_t>(graph.size());
  Order place(n), parent(n, n), mark(n, n);
  for (std::uint32_t k = 0; k < n; ++k) place[order[k]] = k;
  std::size_t blocks = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    mark[k] = k;
    for (std::uint32_t u : graph[order[k]]) {
      for (std::uint32_t i = place[u]; i < k && mark[i] != k; i = parent[i]) {
        if (parent[i] == n) parent[i] = k;
        mark[i] = k;
        ++blocks;
      }
    }
  }
  return blocks;
}

Order minimum_degree(const Graph& graph) {
  const auto n = static_cast<int>(graph.size());
  std::vector<Eigen::Triplet<double>> ones;
  for (int v = 0; v < n; ++v) {
    ones.emplace_back(v, v, 1.0);
    for (std::uint32_t u : graph[static_cast<std::size_t>(v)]) {
      ones.emplace_back(v, static_cast<int>(u), 1.0);
    }
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(ones.begin(), ones.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  Order order;
  for (int k = 0; k < n; ++k) order.push_back(static_cast<std::uint32_t>(permutation.indices()[k]));
  return order;
}

bool is_permutation(Order order, std::size_t n) {
  std::sort(order.begin(), order.end());
  Order all(n);
  std::iota(all.begin(), all.end(), 0u);
  return order == all;
}

Pairs path(std::uint32_t n) {
  Pairs pairs;
  for (std::uint32_t i = 0; i + 1 < n; ++i) pairs.push_back({i, i + 1});
  return pairs;
}

TEST(Graph, KeepsEveryPairOnce) {
  const Pairs pairs{{3, 1}, {1, 2}, {2, 1}, {1, 3}, {0, 3}};
  const Graph graph = simple_graph(5, pairs);
  EXPECT_EQ(graph.begin, (Order{0, 1, 3, 4, 6, 6}));
  EXPECT_EQ(graph.items, (Order{3, 2, 3, 1, 0, 1}));
}

TEST(NestedDissection, OrdersEveryVertexOnce) {
  nets::Random random(1);
  Pairs complete, star, parts = nets::grid(40, 40);
  for (std::uint32_t i = 0; i < 300; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) complete.push_back({i, j});
  }
  for (std::uint32_t i = 1; i < 5000; ++i) star.push_back({0, i});
  for (const auto& [i, j] : nets::grid(20, 30)) parts.push_back({3000 + i, 3000 + j});  // and many alone
  const std::pair<std::size_t, Pairs> cases[] = {{0, {}},
                                                 {1, {}},
                                                 {1000, {}},
                                                 {2, {{0, 1}}},
                                                 {1000, path(1000)},
                                                 {300, complete},
                                                 {5000, star},
                                                 {50 * 70, nets::grid(50, 70)},
                                                 {4000, parts},
                                                 {2000, nets::irregular(2000, random)}};
  for (const auto& [n, pairs] : cases) {
    EXPECT_TRUE(is_permutation(nested_dissection(simple_graph(n, pairs)), n)) << n << " " << pairs.size();
  }
}

TEST(NestedDissection, DependsOnTheGraphAlone) {
  Pairs pairs = nets::grid(40, 30);
  const Order order = nested_dissection(simple_graph(40 * 30, pairs));
  std::reverse(pairs.begin(), pairs.end());
  for (auto& [i, j] : pairs) std::swap(i, j);
  EXPECT_EQ(nested_dissection(simple_graph(40 * 30, pairs)), order);
}

// What is known exactly: small parts are ordered by minimum degree, which leaves trees without fill and puts
// one chord after the other into a ring; and the hub of a star comes after its spokes.
TEST(NestedDissection, HasTheLeastFillWhereThatIsKnown) {
  nets::Random random(2);
  Pairs tree;
  for (std::uint32_t i = 1; i < 60; ++i) tree.push_back({random.below(i), i});
  Pairs ring = path(60);
  ring.push_back({0, 59});
  Pairs star;
  for (std::uint32_t i = 1; i < 5000; ++i) star.push_back({0, i});
  for (const auto& [n, pairs, least] :
       {std::tuple(60u, tree, 59u), std::tuple(60u, ring, 117u), std::tuple(5000u, star, 4999u)}) {
    const Graph graph = simple_graph(n, pairs);
    EXPECT_EQ(fill(graph, nested_dissection(graph)), least);
  }
}

// On sheets it is to be better than approximate minimum degree, the more the larger they are: the
// factor of a plane mesh grows like n log n with the one, faster with the other.
TEST(NestedDissection, HasLessFillThanMinimumDegreeOnSheets) {
  double before = 1;
  for (const int side : {32, 64, 128}) {
    const Graph graph = simple_graph(static_cast<std::size_t>(side * side), nets::grid(side, side));
    const double ratio = static_cast<double>(fill(graph, nested_dissection(graph))) /
                         static_cast<double>(fill(graph, minimum_degree(graph)));
    EXPECT_LT(ratio, before) << side;
    before = ratio;
  }
  EXPECT_LT(before, 0.85);
}

TEST(NestedDissection, IsGivenUpWhenAsked) {
  const Pairs pairs = nets::grid(100, 100);
  const Graph graph = simple_graph(100 * 100, pairs);
  std::clock_t last = std::clock(), longest = 0;
  int all = 0;
  const auto look = [&] {
    longest = std::max(longest, std::clock() - last);  // of this process: others may keep the machine busy
    last = std::clock();
    return ++all, false;
  };
  nested_dissection(graph, look);
  look();
  EXPECT_LT(static_cast<double>(longest) / CLOCKS_PER_SEC, 0.05 * testing::kSlowdown);
  ASSERT_GT(all, 100);
  for (const int stop_at : {1, 10, all / 2, all - 10}) {
    int polls = 0;
    EXPECT_THROW(nested_dissection(graph, [&] { return ++polls == stop_at; }), Cancelled);
    EXPECT_EQ(polls, stop_at);
  }
  EXPECT_THROW(simple_graph(100 * 100, pairs, [] { return true; }), Cancelled);
}

}  // namespace
}  // namespace clothlab
