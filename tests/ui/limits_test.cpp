// SPDX-License-Identifier: MIT
// The instrument that finds the largest stable h of every method: asks for the search, sorts, saves and adds
// lanes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interface.h"
#include "runtime/limit_search.h"
#include "runtime/moments.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using testing::Interface;
using ::testing::StartsWith;

/// A search on a sheet of 3x3, at its end.
std::unique_ptr<LimitSearch> finished_search() {
  Scene scene;
  scene.mesh = GridSource{3, 3, 1, 1};
  auto search =
      std::make_unique<LimitSearch>(testing::promised(testing::moment_of(testing::loaded(scene), 0)));
  testing::found_by(*search);
  return search;
}

TEST(Limits, AreFoundSortedSavedAndTurnedIntoLanes) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::limits;
  for (int i = 0; i < 2; ++i) face.frame();
  face.click("plot0:find");
  EXPECT_NE(face.last_request<FindLimits>(), nullptr);

  const auto search = finished_search();
  face.limits = search.get();
  for (int i = 0; i < 3; ++i) face.frame();
  face.click("plot0:csv");
  EXPECT_THAT(
      face.last_request<SaveTable>()->csv,
      StartsWith("integrator,largest_h_s,seconds_per_second,energy_made_J,rms_error_m\nexplicit-euler,"));
  // Sorted downwards, the methods without a limit come first, and none without a run.
  face.click("plot0:column:largest h");
  face.frame();
  face.click("plot0:column:largest h");
  face.frame();
  face.click("plot0:csv");
  const std::string csv = face.last_request<SaveTable>()->csv;
  EXPECT_LT(csv.find("backward-euler"), csv.find("symplectic-euler"));
  EXPECT_LT(csv.find("symplectic-euler"), csv.find("semi-implicit-bdf2-ere")) << "which has none";
  EXPECT_THAT(csv, HasSubstr("rattle"));

  // The step of the scene is divided until it is below the limit of the method.
  const double largest = std::ranges::find(search->progress()->methods, "symplectic-euler",
                                           [](const MethodLimit& m) { return m.info->id; })
                             ->run.value()
                             .h;
  face.click("plot0:column:method");
  face.frame();
  face.click("plot0:add:symplectic-euler");
  const NewLane* lane = face.last_control<NewLane>();
  ASSERT_NE(lane, nullptr);
  EXPECT_EQ(lane->integrator, "symplectic-euler");
  EXPECT_LE(face.context().scene().stepping.dt / lane->substeps.value(), largest * (1 + 1e-9));
  EXPECT_GT(face.context().scene().stepping.dt / (lane->substeps.value() - 1), largest);

  face.click("plot0:lanes");
  EXPECT_NE(face.last_command<Reset>(), nullptr) << "they begin together";
}

}  // namespace
}  // namespace clothlab
