// SPDX-License-Identifier: MIT
// The bits of short runs with one driver of each kind, fixed.

#include <gtest/gtest.h>

#include <cstdio>

#include "core/hash.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "one_thread.h"
#include "sim/scene_json.h"
#include "sim/simulation.h"

namespace clothlab::testing {
namespace {

constexpr const char* kDriven = R"({"clothlab-scene": 4, "pin": "none", "dt": 0.002, "stretch-stiffness": 200,
  "groups": {"pole": {"indices": [0, 1, 2]}, "rest": {"box": [[-1, -1, 0.3], [2, 1, 2]]}, "hem": {"loop": 0}},
  "drivers": [
    {"group": "pole", "interpolation": "smooth", "loops": true,
     "path": [{"time": 0}, {"time": 0.02, "move": [0, 0.01, 0.005]}, {"time": 0.05}]},
    {"group": "rest", "force": {"constant": [0.002, 0, 0]}},
    {"group": "hem", "force": {"harmonic": [0, 0.01, 0], "frequency": 5, "phase": 0.5}},
    {"group": "rest", "force": {"drag": 0.01, "velocity": [0.3, 0, 1]}},
    {"group": "rest", "force": {"central": [0.5, -1, 0.5], "strength": 3}}]})";

class GoldenDrivers : public ::testing::TestWithParam<std::pair<const char*, std::uint64_t>> {};

TEST_P(GoldenDrivers, BitsAreThoseOfTheRecord) {
  Scene scene = parse_scene(kDriven, "driven");
  scene.integrator = GetParam().first;
  const auto mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(make_grid_obj(7, 6)));
  Simulation simulation(scene, mesh, one_thread());
  for (int k = 0; k < 30; ++k) {
    if (k == 20) simulation.apply(one_thread(), SetDriver{2, false});
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
  }
  Hash hash;
  hash.add(simulation.state().x).add(simulation.state().v);
  for (const EnergyEntry& entry : kEnergyEntries) hash.add(simulation.record().ledger.*entry.joule);
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llxULL", static_cast<unsigned long long>(hash.value()));
  EXPECT_EQ(hash.value(), GetParam().second) << GetParam().first << ": now " << text;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenDrivers,
                         ::testing::Values(std::pair{"velocity-verlet", 0x1f2517ca59044750ULL},
                                           std::pair{"semi-implicit-euler", 0x89155b732e335933ULL},
                                           std::pair{"bdf2", 0x80d7b0df6b5ed9b3ULL},
                                           std::pair{"xpbd", 0x0001424e8cc9b869ULL}));

}  // namespace
}  // namespace clothlab::testing
