// SPDX-License-Identifier: MIT
// The instrument that finds the largest stable h of every method: asks for the search, sorts, saves and adds
// lanes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/limit_search.h"
#include "interface.h"
#include "session/moments.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using testing::Interface;
using ::testing::StartsWith;

/// A search on a sheet of 3x3 after some steps, at its end; the run had gone back so often before.
std::unique_ptr<LimitSearch> finished_search(int steps = 0, std::size_t returns = 0) {
  Scene scene;
  scene.mesh = GridSource{3, 3, 1, 1};
  KeepMoment::Kept moment = testing::moment_of(testing::loaded(scene), steps);
  moment.returns = returns;
  auto search = std::make_unique<LimitSearch>(testing::promised(moment));
  testing::found_by(*search);
  return search;
}

TEST(Limits, AreFoundSortedSavedAndTurnedIntoLanes) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::limits;
  for (int i = 0; i < 2; ++i) face.frame();
  face.click("plot0:find");
  EXPECT_NE(face.last_request<Search>(), nullptr);

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
  EXPECT_LE(face.context().scene().dt / lane->substeps.value(), largest * (1 + 1e-9));
  EXPECT_GT(face.context().scene().dt / (lane->substeps.value() - 1), largest);

  face.click("plot0:lanes");
  EXPECT_NE(face.last_command<Reset>(), nullptr) << "they begin together";
}

TEST(Limits, NameTheirStateAndAreMarkedWhereTheyAreOutdated) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::limits;
  const auto search = finished_search(5, face.snapshot.returns->size());
  face.limits = search.get();
  const auto words = [&] {
    for (int i = 0; i < 2; ++i) face.frame();
    return shown_texts().at("plot0:found");
  };
  EXPECT_THAT(words(), StartsWith("From t = 0.083"));
  face.context().send(Command(SetIntegrator{"rk4"}));
  face.context().set_parameter("dt", 0.001);
  EXPECT_THAT(words(), StartsWith("From t = ")) << "they are of every method and every h";
  face.context().set_parameter("stretch-stiffness", 123);
  EXPECT_THAT(words(), StartsWith("Outdated. From t = 0.083"));
  face.context().set_parameter("stretch-stiffness", Scene().material.stretch_stiffness);
  EXPECT_THAT(words(), StartsWith("From t = "));

  const auto went_back_to = [&](double time) {
    std::vector<double> more = *face.snapshot.returns;
    more.push_back(time);
    face.snapshot.returns = std::make_shared<const std::vector<double>>(more);
  };
  went_back_to(0.09);
  EXPECT_THAT(words(), StartsWith("From t = ")) << "the state is still one of this run";
  went_back_to(0);
  went_back_to(0.2);
  EXPECT_THAT(words(), StartsWith("Outdated. From t = "));
}

}  // namespace
}  // namespace clothlab
