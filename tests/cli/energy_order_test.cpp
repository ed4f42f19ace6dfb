// SPDX-License-Identifier: MIT
// The energy of an undamped strip with each method, in the order that theory gives (the chart of `analyze
// energy`).

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/analyses/method_analysis.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

constexpr int kSteps = 200;  // a second: the strip falls, is caught and rises again

/// Gain of energy over the run [J], by a least-squares line, in which oscillations cancel.
double trend(const std::vector<double>& energy) {
  const double middle = static_cast<double>(energy.size() - 1) / 2;
  double sum = 0, weight = 0;
  for (std::size_t k = 0; k < energy.size(); ++k) {
    const double t = static_cast<double>(k) - middle;
    sum += t * energy[k];
    weight += t * t;
  }
  return sum / weight * 2 * middle;
}

TEST(EnergyOfTheStrip, IsLostAndGainedInTheOrderOfTheMethods) {
  const LoadedScene loaded = load_scene(energy_strip());
  WorkerPool pool(1);
  std::map<std::string, double> gain;
  for (const char* id : {"backward-euler", "siere", "sdirk2", "tr-bdf2", "implicit-midpoint",
                         "semi-implicit-bdf2-ere", "str-sbdf2-ere"}) {
    Scene scene = loaded.scene;
    scene.integrator = id;
    Simulation simulation(scene, loaded.mesh, pool);
    std::vector<double> energy{simulation.record().energy.total};
    for (int k = 0; k < kSteps; ++k) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done) << id << k;
      energy.push_back(simulation.record().energy.total);
    }
    gain[id] = trend(energy);
    RecordProperty(id, std::to_string(gain[id]));
  }
  // Each at least twice the next.
  const double lost = -gain["backward-euler"];
  EXPECT_GT(lost, 2 * -gain["siere"]);
  for (const char* id : {"sdirk2", "tr-bdf2"}) {
    EXPECT_GT(-gain["siere"], 2 * -gain[id]) << id;
    EXPECT_LT(gain[id], 0) << id;
    EXPECT_LT(std::abs(gain["implicit-midpoint"]), -gain[id] / 3) << id;  // no trend
  }
  EXPECT_LT(std::abs(gain["implicit-midpoint"]), 0.01 * lost);
  for (const char* id : {"str-sbdf2-ere", "semi-implicit-bdf2-ere"}) EXPECT_GT(gain[id], 0.1 * lost) << id;
}

}  // namespace
}  // namespace clothlab
