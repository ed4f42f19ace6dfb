// SPDX-License-Identifier: MIT
#include "sim/parameter_effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "integrate/registry.h"
#include "sim/contact.h"
#include "support.h"

namespace clothlab {
namespace {

// A sheet that swings, and lands on what there is.
Scene sheet(std::string_view method) {
  Scene scene;
  scene.mesh = GridSource{5, 5, 1, 1};
  scene.integrator = method;
  scene.stepping.dt = 1e-3;
  return scene;
}

State after_some_steps(const Scene& scene) {
  WorkerPool pool(1);
  Simulation simulation(scene, testing::mesh_of(scene), pool);
  for (int i = 0; i < 6; ++i) simulation.step(pool);
  return simulation.state();
}

std::vector<Scene> scenes(std::string_view method) {
  std::vector<Scene> all{sheet(method)};
  Scene& windless = all.emplace_back(sheet(method));
  windless.wind.on = true;
  windless.wind.speed = 0;
  Scene& vacuum = all.emplace_back(sheet(method));
  vacuum.wind.on = true;
  vacuum.wind.density = 0;
  Scene& direct = all.emplace_back(sheet(method));
  direct.stepping.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  direct.material.spring_damping = 0;
  Scene& touching = all.emplace_back(sheet(method));
  touching.contact.model = ContactModel::impulse;
  touching.floor.on = true;
  touching.floor.height = -1e-4;
  return all;
}

// Where the reason says that a value does not matter, its whole range gives the same bits.
TEST(ParameterEffect, AValueWithoutEffectChangesNoBit) {
  std::size_t seen = 0;
  for (const IntegratorInfo& info : integrators()) {
    for (const Scene& scene : scenes(info.id)) {
      const State before = after_some_steps(scene);
      for (const SceneParameter& row : scene_parameters()) {
        const std::string why = why_without_effect(scene, row.spec.id, false);
        if (why.empty() || row.spec.id == "inflate") continue;  // an overpressure would be refused
        EXPECT_TRUE(why.ends_with('.')) << why;
        for (const double value : {row.spec.min, row.spec.max}) {
          Scene changed = scene;
          row.set(changed, value);
          ++seen;
          EXPECT_TRUE(testing::same_bits(before, after_some_steps(changed)))
              << info.id << ", " << row.spec.id << " " << value << ": " << why;
        }
      }
    }
  }
  EXPECT_GT(seen, 1000U);
}

TEST(ParameterEffect, IsThatOfTheMethodAndTheScene) {
  const auto without = [](const Scene& scene) {
    std::set<std::string_view> ids;
    for (const SceneParameter& row : scene_parameters())
      if (row.section == "Solver" && !why_without_effect(scene, row.spec.id, false).empty())
        ids.insert(row.spec.id);
    return ids;
  };
  using Ids = std::set<std::string_view>;
  const Ids newton{"newton-tolerance", "newton-max-iterations"};
  Ids all{"linear-solver", "preconditioner", "cg-tolerance", "cg-max-iterations"};
  EXPECT_EQ(without(sheet("backward-euler")), Ids());
  EXPECT_EQ(without(sheet("semi-implicit-euler")), newton);
  all.insert(newton.begin(), newton.end());
  EXPECT_EQ(without(sheet("rk4")), all);
  Scene direct = sheet("backward-euler");
  direct.stepping.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  EXPECT_EQ(without(direct), (Ids{"preconditioner", "cg-max-iterations"}));
  Scene scene = sheet("rk4");
  EXPECT_EQ(why_without_effect(scene, "wind-speed", false), "The wind is off.");
  EXPECT_EQ(why_without_effect(scene, "wind", false), "");
  scene.wind.on = true;
  EXPECT_EQ(why_without_effect(scene, "wind-speed", false), "");
  EXPECT_EQ(why_without_effect(scene, "wind-seed", false), "There are no gusts.");
  EXPECT_EQ(why_without_effect(scene, "floor-height", false), "The floor is off.");
  EXPECT_EQ(why_without_effect(scene, "inflate", false), "No part of the cloth is closed.");
  EXPECT_EQ(why_without_effect(scene, "inflate", true), "");
  scene = sheet("siere");
  EXPECT_EQ(why_without_effect(scene, "mode-refresh", false), "");
  set_parameter(scene, "modes", 0);
  EXPECT_EQ(why_without_effect(scene, "mode-refresh", false), "There are no modes.");
}

}  // namespace
}  // namespace clothlab
