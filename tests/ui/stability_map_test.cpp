// SPDX-License-Identifier: MIT
// The instrument that maps which h and k_s a method holds: asks for the map, saves it, and goes where it is
// clicked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "experiments/stability_map.h"
#include "interface.h"
#include "session/moments.h"
#include "ui/widgets/widgets.h"
#include "uniform_estimate.h"

namespace clothlab {
namespace {

using testing::Interface;
using ::testing::StartsWith;

/// A map on a sheet of 3x3, at its end.
std::unique_ptr<StabilityMap> finished_map(std::string_view method) {
  Scene scene;
  scene.mesh = GridSource{3, 3, 1, 1};
  auto map = std::make_unique<StabilityMap>(testing::promised(testing::moment_of(testing::loaded(scene), 0)),
                                            *find_integrator(method));
  testing::found_by(*map);
  return map;
}

TEST(StabilityMapInstrument, IsAskedForSavedAndGoesWhereItIsClicked) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::map;
  for (int i = 0; i < 2; ++i) face.frame();
  face.click("plot0:find");
  EXPECT_NE(face.last_request<Search>(), nullptr);

  const auto map = finished_map("symplectic-euler");
  face.map = map.get();
  for (int i = 0; i < 3; ++i) face.frame();
  face.click("plot0:csv");
  const std::string csv = face.last_request<SaveTable>()->csv;
  EXPECT_THAT(csv, StartsWith("stretch_stiffness_N_per_m,h_s,verdict,good_steps,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<std::ptrdiff_t>(map->progress()->tried) + 1);

  const ImVec4 frame = face.rect("plot0:map");
  const auto found = map->progress();
  const double dt = face.context().scene().dt;
  // Every eighth node of both axes.
  for (std::size_t c = 0; c < MapProgress::kSide; c += 8)
    for (std::size_t k = 0; k < MapProgress::kSide; k += 8) {
      const double h = found->h[k];
      face.sent.clear();
      const auto share = [](std::size_t node) {
        return 0.001F + 0.998F * static_cast<float>(node) / (MapProgress::kSide - 1);
      };
      face.move(frame.x + share(c) * (frame.z - frame.x), frame.w - share(k) * (frame.w - frame.y));
      face.button(true);
      face.button(false);
      const SetScene* set = face.last_command<SetScene>();
      ASSERT_NE(set, nullptr);
      const Scene& scene = *set->scene;
      EXPECT_EQ(set->scene->material.stretch_stiffness, found->columns[c].stiffness);
      EXPECT_NEAR(scene.h(), h, 1e-12 * h);
    }
  // However large the last one was, the tick comes back near to that of the scene.
  face.move(frame.x + 1, frame.w - 1);
  face.button(true);
  face.button(false);
  const Scene& scene = *face.last_command<SetScene>()->scene;
  EXPECT_NEAR(scene.dt, dt, 0.01 * dt);
  EXPECT_GT(scene.substeps, 100);
}

TEST(StabilityMapInstrument, KeepsTheOtherLanesBelowTheirLimits) {
  Interface face;
  face.view.plots_layout.choose(0, PlotKind::map);
  const auto map = finished_map("symplectic-euler");
  face.map = map.get();
  LaneSnapshot& other = face.snapshot.others.emplace_back();
  other.lane = 1;
  other.frame = face.snapshot.frame;
  other.integrator = static_cast<std::uint16_t>(method_row("symplectic-euler"));
  other.plot = face.snapshot.plot;
  other.stability = testing::uniform_estimate(1000);  // bears 2 ms
  for (int i = 0; i < 3; ++i) face.frame();
  const ImVec4 frame = face.rect("plot0:map");
  const auto found = map->progress();
  const double own = face.snapshot.frame.scene->material.stretch_stiffness;
  std::size_t forbidden = 0, allowed = 0;
  for (std::size_t c = 0; c < MapProgress::kSide; c += 8)
    for (std::size_t k = 0; k < MapProgress::kSide; k += 8) {
      face.sent.clear();
      const auto share = [](std::size_t node) {
        return 0.001F + 0.998F * static_cast<float>(node) / (MapProgress::kSide - 1);
      };
      face.move(frame.x + share(c) * (frame.z - frame.x), frame.w - share(k) * (frame.w - frame.y));
      face.button(true);
      face.button(false);
      const double limit = 2e-3 * std::sqrt(std::min(1.0, own / found->columns[c].stiffness));
      const SetScene* set = face.last_command<SetScene>();
      if (found->h[k] > 0.9 * limit) {
        EXPECT_EQ(set, nullptr) << found->h[k] << " s is more than lane B bears";
        ++forbidden;
        continue;
      }
      ASSERT_NE(set, nullptr);
      EXPECT_LT(set->scene->dt, limit);
      EXPECT_NEAR(set->scene->h(), found->h[k], 1e-12 * found->h[k]);
      ++allowed;
    }
  EXPECT_GT(forbidden, 0u);
  EXPECT_GT(allowed, 0u);
}

}  // namespace
}  // namespace clothlab
