// SPDX-License-Identifier: MIT
// What the forces' threads share out; also run under ThreadSanitizer.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cloth/force_terms.h"
#include "cloth/sample_cloth.h"

namespace clothlab::test {
namespace {

TEST(SpringForce, FindsTheLargestStrainWhereverItIs) {
  const std::uint32_t n = 10'000;
  std::vector<vec3> rest;
  std::vector<ClothModel::Ends> chain;
  for (std::uint32_t i = 0; i < n; ++i) {
    rest.emplace_back(i, 0, 0);
    if (i > 0) chain.push_back({i - 1, i});
  }
  const ClothModel model(rest, chain);
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    const SpringForce springs(model, {});
    for (const std::uint32_t at : {0u, 2047u, 5000u, n - 1}) {
      std::vector<vec3> x = rest;
      x[at].y = 0.75;
      EXPECT_EQ(springs.measure(pool, x).max_strain, 0.25) << at;  // 3-4-5
      x[n - 1 - at].z = std::nan("");
      EXPECT_TRUE(std::isnan(springs.measure(pool, x).max_strain)) << at;
    }
  }
}

TEST(ClothSystem, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<vec3> expected;
  double expected_energy = 0;
  for (const int threads : {1, 2, 3, 4}) {
    auto rig = make_sheet(60, 70, 0.02, sample_material(), threads);
    shake(rig->state, 0.005, 1);
    std::vector<vec3> f(rig->state.x.size());
    rig->system.force(rig->pool, rig->state.x, rig->state.v, f);
    const double energy = rig->system.potential_energy(rig->pool, rig->state.x);
    if (threads == 1) expected = f, expected_energy = energy;
    EXPECT_EQ(f, expected) << threads;
    EXPECT_EQ(energy, expected_energy) << threads;
  }
}

}  // namespace
}  // namespace clothlab::test
