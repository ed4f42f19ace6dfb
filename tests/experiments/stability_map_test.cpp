// SPDX-License-Identifier: MIT
// The map of h and k_s: its border against linear theory, and its economy against trying every node.

#include <gtest/gtest.h>

#include <functional>

#include <algorithm>

#include "experiments/stability_map.h"
#include "experiments/step_trial.h"
#include "session/moments.h"

namespace clothlab {
namespace {

using testing::found_by;
using testing::moment_of;
using testing::promised;
using Verdict = MapNode::Verdict;

constexpr std::size_t kSide = MapProgress::kSide;

const IntegratorInfo& row_of(std::string_view id) { return *find_integrator(id); }

/// A sheet without damping, whose bending is soft beside every k_s of the map.
Scene undamped_sheet(int n) {
  Scene scene = testing::sheet_scene(n);
  scene.material.spring_damping = 0;
  scene.material.bend_stiffness = 0.1;
  scene.dt = 1e-3;
  return scene;
}

TEST(StabilityMap, FindsTheLimitOfSymplecticEulerInEveryColumn) {
  const auto loaded = testing::loaded(undamped_sheet(4));
  const StabilityMap map(promised(moment_of(loaded, 0)), row_of("symplectic-euler"));
  const auto found = found_by(map);
  EXPECT_EQ(found->error, "");
  EXPECT_EQ(found->fraction, 1);
  for (std::size_t c = 0; c < kSide; ++c) {
    const MapColumn& column = found->columns[c];
    SCOPED_TRACE(column.stiffness);
    ASSERT_GT(column.omega_max, 0);
    EXPECT_NEAR(column.limit.value(), 2 / column.omega_max, 1e-6 / column.omega_max);
    std::size_t stable = 0;
    while (stable < kSide && found->at(c, stable).verdict == Verdict::bounded) ++stable;
    ASSERT_GT(stable, 1U);
    ASSERT_LT(stable, kSide - 1);
    for (std::size_t k = stable; k < kSide; ++k) EXPECT_EQ(found->at(c, k).verdict, Verdict::unstable);
    EXPECT_TRUE(found->at(c, stable - 1).tried);
    EXPECT_TRUE(found->at(c, stable).tried);
    EXPECT_LT(found->h[stable - 2], *column.limit);
    EXPECT_GT(found->h[stable + 1], *column.limit);
  }
  EXPECT_LT(found->tried, kSide * kSide / 3) << "of the nodes between equal neighbours none is tried";
}

TEST(StabilityMap, FindsWhatTryingEveryNodeFinds) {
  const auto loaded = testing::loaded(undamped_sheet(3));
  for (const char* method : {"symplectic-euler", "rk4", "explicit-euler"}) {
    SCOPED_TRACE(method);
    const StabilityMap map(promised(moment_of(loaded, 0)), row_of(method));
    const auto found = found_by(map);
    WorkerPool pool(1);
    LoadedScene same = *loaded;
    for (std::size_t c = 0; c < kSide; ++c)
      for (std::size_t k = 0; k < kSide; ++k) {
        same.scene.material.stretch_stiffness = found->columns[c].stiffness;
        const auto trial =
            try_step_size(same, *find_integrator(method), found->h[k], StabilityMap::kSteps, pool, {});
        const MapNode& node = found->at(c, k);
        EXPECT_EQ(node.verdict == Verdict::bounded, trial.stable)
            << "k_s = " << found->columns[c].stiffness << ", h = " << found->h[k];
        if (node.tried) {
          EXPECT_EQ(node.steps, trial.good_steps());
        }
      }
  }
}

TEST(StabilityMap, OfBackwardEulerHasNoBorder) {
  Scene scene = undamped_sheet(4);
  const auto loaded = testing::loaded(scene);
  const StabilityMap map(promised(moment_of(loaded, 0)), row_of("backward-euler"));
  const auto found = found_by(map);
  for (const MapNode& node : found->nodes) EXPECT_EQ(node.verdict, Verdict::bounded);
  for (const MapColumn& column : found->columns) EXPECT_FALSE(column.limit);
  EXPECT_EQ(found->tried, 81U) << "nodes 4 apart";
}

TEST(StabilityMap, HoldsTheScenesOwnValues) {
  for (const double dt : {1e-6, 1e-3, 0.5}) {
    SCOPED_TRACE(dt);
    Scene scene = undamped_sheet(3);
    scene.dt = dt;
    scene.material.stretch_stiffness = 40;
    const auto loaded = testing::loaded(scene);
    const StabilityMap map(promised(moment_of(loaded, 0)), row_of("velocity-verlet"));
    const auto found = found_by(map);
    EXPECT_LE(found->h.front(), dt);
    EXPECT_GE(found->h.back(), dt);
    EXPECT_NEAR(found->columns[kSide / 2].stiffness, 40, 1e-9);
    EXPECT_TRUE(std::ranges::is_sorted(found->h));
  }
}

TEST(StabilityMap, IsTheSameForTheSameMoment) {
  Scene scene = testing::sheet_scene(5);
  scene.dt = 1.0 / 200;
  const auto loaded = testing::loaded(scene);
  const KeepMoment::Kept moment = moment_of(loaded, 30);
  const IntegratorInfo& row = row_of("semi-implicit-euler");
  const StabilityMap one(promised(moment), row), other(promised(moment), row);
  const auto a = found_by(one), b = found_by(other);
  EXPECT_EQ(a->time, moment.checkpoint().state.t);
  EXPECT_EQ(a->h, b->h);
  EXPECT_EQ(a->tried, b->tried);
  for (std::size_t n = 0; n < a->nodes.size(); ++n) {
    EXPECT_EQ(a->nodes[n].verdict, b->nodes[n].verdict);
    EXPECT_EQ(a->nodes[n].steps, b->nodes[n].steps);
    EXPECT_EQ(a->nodes[n].linear_iterations, b->nodes[n].linear_iterations);
  }
}

TEST(StabilityMap, EndsWhenAsked) {
  testing::expect_to_end_when_asked<StabilityMap>(testing::loaded(testing::sheet_scene(60)),
                                                  std::cref(row_of("backward-euler")));
}

}  // namespace
}  // namespace clothlab
