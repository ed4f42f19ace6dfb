// SPDX-License-Identifier: MIT
#include "sim/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
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
  scene.dt = 1e-3;
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
  direct.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  direct.material.spring_damping = 0;
  Scene& touching = all.emplace_back(sheet(method));
  touching.contact.model = ContactModel::impulse;
  touching.floor.on = true;
  touching.floor.height = -1e-4;
  all.emplace_back(sheet(method)).material.kind = MaterialKind::fabric;
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

/// Scenes of a method in which, taken together, every value that it uses shows within a few steps.
std::vector<Scene> lively_scenes(std::string_view method) {
  std::vector<Scene> all;
  for (const ContactModel model :
       {ContactModel::filter, ContactModel::penalty, ContactModel::impulse, ContactModel::barrier}) {
    if (!supports_contact(model, integrator_info(method))) continue;
    Scene& touching = all.emplace_back(sheet(method));
    touching.contact.model = model;
    touching.floor = {true, -1e-4, 0.3};
    touching.wind.on = true;
    touching.wind.gusts = 0.5;
    touching.adaptive = model == ContactModel::penalty;
    const vec3 centre(0.5, -0.2001, 0.5);
    touching.obstacles.bodies = {
        {.shape = Obstacle::Shape::sphere, .from = centre, .to = centre, .radius = 0.2}};
    const auto mesh = testing::mesh_of(touching);
    std::vector<vec3> x, v;
    for (const vec3& at : mesh->positions) {
      const bool folds = model == ContactModel::impulse && at.x > 0.5;  // onto itself
      x.push_back(folds ? vec3(1 - at.x, 0.02, at.z)
                        : at + vec3(0, model == ContactModel::barrier ? 0.001 * at.x : 0, 0));
      v.emplace_back(std::sin(9 * at.x), std::cos(7 * at.z), std::sin(5 * at.x + at.z));
    }
    touching.initial_state = InitialState{x, v};
  }
  return all;
}

/// Without contact and wind.
Scene swinging(std::string_view method) {
  Scene scene = lively_scenes(method).front();
  scene.floor.on = scene.wind.on = false;
  scene.obstacles.bodies.clear();
  for (vec3& v : scene.initial_state->velocities) v *= 0.1;
  return scene;
}

bool changes_a_run(const Scene& scene, const State& before, const SceneParameter& row) {
  constexpr double kLittle = 0.002;
  const double range = row.spec.max - row.spec.min;
  for (const double value : {row.spec.min, row.spec.min + kLittle * range, row.spec.max}) {
    Scene changed = scene;
    row.set(changed, value);
    try {
      if (!testing::same_bits(before, after_some_steps(changed))) return true;
    } catch (const InputError&) {
      continue;  // it is refused
    }
  }
  return false;
}

// Where there is no reason, some value changes a run, of those without contact and wind and of the others.
TEST(ParameterEffect, AValueWithoutAReasonMatters) {
  // They matter to larger cloth, larger energies and strains, to cloth that starts inside a body, to meshes
  // with line elements, or to figures that are shown of the run.
  const std::set<std::string_view> others{
      "contact",      "self-contact",  "adaptive-dt",     "energy-limit",      "jacobian",
      "cg-tolerance", "linear-solver", "preconditioner",  "cg-max-iterations", "newton-tolerance",
      "grow-bodies",  "strain-limit",  "limit-stiffness", "seam-seconds"};
  const auto check = [&](std::string_view method, const std::vector<Scene>& all) {
    std::vector<State> before;
    for (const Scene& scene : all) before.push_back(after_some_steps(scene));
    for (const SceneParameter& row : scene_parameters()) {
      if (others.contains(row.spec.id)) continue;
      // Steps with contacts solve their rods once.
      if (method == "rattle" && all.size() > 1 && row.spec.id == "newton-max-iterations") continue;
      bool has_reason = true, matters = false;
      for (std::size_t k = 0; k < all.size() && !matters; ++k) {
        if (!why_without_effect(all[k], row.spec.id, false).empty()) continue;
        has_reason = false;
        matters = changes_a_run(all[k], before[k], row);
      }
      EXPECT_TRUE(has_reason || matters) << method << ", " << row.spec.id;
    }
  };
  for (const IntegratorInfo& info : integrators()) {
    Scene fabric = swinging(info.id);
    fabric.material.kind = MaterialKind::fabric;
    check(info.id, {swinging(info.id), fabric});
  }
  for (const char* id : {"rk4", "semi-implicit-euler", "bdf2", "siere", "xpbd", "rattle"})
    check(id, lively_scenes(id));
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
  const Ids iterations{"newton-tolerance", "newton-max-iterations"};
  Ids newton = iterations;
  newton.insert("stage-solve");
  Ids all{"linear-solver", "preconditioner", "cg-tolerance", "cg-max-iterations"};
  EXPECT_EQ(without(sheet("backward-euler")), Ids());
  EXPECT_EQ(without(sheet("semi-implicit-euler")), newton);
  Scene once = sheet("backward-euler");
  once.solver.stage_solve = StageSolve::linear;
  EXPECT_EQ(without(once), iterations);
  all.insert(newton.begin(), newton.end());
  EXPECT_EQ(without(sheet("rk4")), all);
  Scene direct = sheet("backward-euler");
  direct.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
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
  EXPECT_EQ(why_without_effect(scene, "limit-stiffness", false), "There is no strain limit.");
  scene.material.strain_limit = 0.1;
  EXPECT_EQ(why_without_effect(scene, "limit-stiffness", false), "");
  scene = sheet("rattle");
  scene.material.strain_limit = 0.1;
  for (const char* id : {"strain-limit", "limit-stiffness"})
    EXPECT_NE(why_without_effect(scene, id, false).find("as rods"), std::string::npos);
  for (const char* id : {"damping-model", "rayleigh-stiffness"}) {
    EXPECT_EQ(why_without_effect(sheet("xpbd"), id, false), "XPBD does not use it without contact.");
    EXPECT_EQ(why_without_effect(sheet("backward-euler"), id, false), "");
  }
  scene = sheet("xpbd");
  EXPECT_EQ(why_without_effect(scene, "xpbd-contact", false), "There is no floor and no obstacle.");
  scene.floor.on = true;
  EXPECT_EQ(why_without_effect(scene, "xpbd-contact", false), "");
  EXPECT_EQ(why_without_effect(scene, "grow-bodies", false), "There are no obstacles.");
  for (const ContactModel model : {ContactModel::impulse, ContactModel::barrier}) {
    Scene crossed = sheet("semi-implicit-euler");
    crossed.contact.model = model;
    EXPECT_EQ(why_without_effect(crossed, "grow-bodies", false), "") << "the cloth moves apart";
    crossed.self_contact = false;
    EXPECT_EQ(why_without_effect(crossed, "grow-bodies", false), "There are no obstacles.");
  }
  EXPECT_EQ(why_without_effect(scene, "restitution", false), "");
  set_parameter(scene, "xpbd-contact", 2);
  EXPECT_EQ(why_without_effect(scene, "restitution", false), "XPBD contact in positions does not use it.");
  scene.contact.model = ContactModel::penalty;
  EXPECT_EQ(why_without_effect(scene, "xpbd-contact", false), "Contact is by forces.");
  EXPECT_EQ(why_without_effect(sheet("rattle"), "stretch-stiffness", false),
            "RATTLE takes stretch springs as rods.");
  scene = sheet("sdirk2");
  EXPECT_EQ(why_without_effect(scene, "shared-matrix", false),
            "Newton's method has a matrix of its own in every iteration.");
  scene.solver.stage_solve = StageSolve::linear;
  EXPECT_EQ(why_without_effect(scene, "shared-matrix", false), "");
  scene.contact.model = ContactModel::penalty;
  EXPECT_EQ(why_without_effect(scene, "shared-matrix", false),
            "Contact by forces needs the matrix of each stage.");
  scene = sheet("siere");
  EXPECT_EQ(why_without_effect(scene, "mode-refresh", false), "");
  set_parameter(scene, "modes", 0);
  EXPECT_EQ(why_without_effect(scene, "mode-refresh", false), "There are no modes.");
}

}  // namespace
}  // namespace clothlab
