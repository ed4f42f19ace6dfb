// SPDX-License-Identifier: MIT
// The instrument that finds the largest stable h of every method: asks for the search, sorts, saves and adds
// lanes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "interface.h"
#include "runtime/limit_search.h"
#include "runtime/scene_loader.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using testing::Interface;
using ::testing::StartsWith;

/// A search on a sheet of 3x3, at its end.
std::unique_ptr<LimitSearch> finished_search() {
  Scene scene;
  scene.mesh = GridSource{3, 3, 1, 1};
  const auto loaded = std::make_shared<const LoadedScene>(load_scene(scene));
  WorkerPool pool(1);
  const Simulation simulation(loaded->scene, loaded->mesh, pool);
  const auto checkpoint = std::make_shared<Checkpoint>();
  simulation.save(pool, *checkpoint);
  std::promise<KeepMoment::Moment> promise;
  promise.set_value({checkpoint, loaded});
  auto search = std::make_unique<LimitSearch>(promise.get_future().share());
  while (!search->done()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return search;
}

template <class Request>
const Request* last_asked(const Interface& face) {
  for (auto it = face.requests.rbegin(); it != face.requests.rend(); ++it)
    if (const auto* found = std::get_if<Request>(&*it)) return found;
  return nullptr;
}

TEST(Limits, AreFoundSortedSavedAndTurnedIntoLanes) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::limits;
  for (int i = 0; i < 2; ++i) face.frame();
  face.click("plot0:find");
  EXPECT_NE(last_asked<FindLimits>(face), nullptr);

  const auto search = finished_search();
  face.limits = search.get();
  for (int i = 0; i < 3; ++i) face.frame();
  face.click("plot0:csv");
  EXPECT_THAT(
      last_asked<SaveTable>(face)->csv,
      StartsWith("integrator,largest_h_s,seconds_per_second,energy_made_J,rms_error_m\nexplicit-euler,"));
  // Sorted downwards, the methods without a limit come first, and none without a run.
  face.click("plot0:column:largest h");
  face.frame();
  face.click("plot0:column:largest h");
  face.frame();
  face.click("plot0:csv");
  const std::string csv = last_asked<SaveTable>(face)->csv;
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
