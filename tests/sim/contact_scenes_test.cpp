// SPDX-License-Identifier: MIT
// Scenes with mesh obstacles and with folds, by impulses and by a barrier: no step leaves an intersection, by
// exact arithmetic.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>

#include "collide/exact.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"
#include "sim/dressing.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

// A strip that is wound up three times about its length and let go above the floor.
Simulation wound_strip(WorkerPool& pool) {
  Scene scene = loose_scene("");
  ObjMesh obj = make_grid_obj(41, 7, 0.12, 0.8);
  for (vec3& x : obj.vertices) {
    const double turn = 6 * 3.14159265 * x.z / 0.8, across = x.x - 0.06;
    x = vec3(across * std::cos(turn), 0.25 + across * std::sin(turn), x.z);
  }
  scene.floor = {.on = true, .height = 0, .friction = 0.3};
  scene.dt = 1.0 / 60;
  scene.integrator = "semi-implicit-euler";
  const std::shared_ptr<const ClothMesh> mesh = built(std::move(obj));
  return {scene, mesh, pool};
}

// A sheet in three layers, as a letter in an envelope, let go above the floor.
Simulation folded_cloth(WorkerPool& pool) {
  constexpr double kLayer = 0.2;  // [m]
  Scene scene;
  scene.pins = PinPreset::none;
  ObjMesh obj = make_grid_obj(31, 21, 0.4, 3 * kLayer);
  for (vec3& x : obj.vertices) {
    const double layers = x.z / kLayer, into = std::abs(layers - 2 * std::round(layers / 2));
    x = vec3(x.x, 0.1 + 0.02 * layers, kLayer * into);
  }
  scene.floor = {.on = true, .height = 0, .friction = 0.3};
  scene.dt = 1.0 / 60;
  return {scene, built(std::move(obj)), pool};
}

// A garment on a body that it contains after a while. `dress` moves the body.
Simulation garment(const std::filesystem::path& cloth, const std::string& body, bool dress,
                   WorkerPool& pool) {
  Scene scene;
  scene.pins = PinPreset::none;
  scene.scale = 0.1;
  scene.dt = 1.0 / 60;
  scene.obstacles.bodies = {parse_obstacle(body)};
  read_obstacle_meshes(scene.obstacles.bodies);
  scene.obstacles.grow = dress ? kDressingGrowth : 0.3;
  const auto mesh = built(read_obj_file(cloth), scene);
  if (dress) scene.obstacles.bodies = dress_bodies(pool, scene, *mesh).bodies;
  return {scene, mesh, pool};
}

Simulation started(const std::string& name, WorkerPool& pool) {
  if (name == "wound strip") return wound_strip(pool);
  if (name == "folded cloth") return folded_cloth(pool);
  const bool is_tip = name == "rising tip";
  Scene scene =
      is_tip ? rising_tip(0.3) : read_scene_file(source_dir() / "assets" / "scenes" / (name + ".json"));
  if (!is_tip) read_obstacle_meshes(scene.obstacles.bodies);
  const std::shared_ptr<const ClothMesh> mesh = mesh_of(scene);
  return {scene, mesh, pool};
}

// XPBD leaves cloth inside the table; to lift it out again is no work of the table, but the method's gain.
TEST(Ledger, TakesNoEnergyFromABodyThatTheMethodLetIn) {
  WorkerPool pool(1);
  Scene scene = read_scene_file(source_dir() / "assets" / "scenes" / "24-table-cloth.json");
  read_obstacle_meshes(scene.obstacles.bodies);
  scene.integrator = "xpbd";
  Simulation simulation(scene, mesh_of(scene), pool);
  for (int k = 0; k < 30; ++k) {
    ASSERT_EQ(simulation.step(pool), StepStatus::done);
    ASSERT_LE(simulation.record().ledger_of_step.contact, 0) << "step " << k;
  }
  EXPECT_TRUE(simulation.notices().has(NoticeCause::spurious_energy));
}

class ContactScene : public ::testing::TestWithParam<std::tuple<const char*, const char*, ContactModel>> {};

TEST_P(ContactScene, IsFreeOfIntersections) {
  const bool is_long = tests_are_long();
  const auto [name, method, model] = GetParam();
  WorkerPool pool(2);
  Simulation simulation = started(name, pool);
  simulation.apply(pool, SetIntegrator{method});
  simulation.apply(pool, SetParameter{"contact", static_cast<double>(model)});
  const bool is_explicit = simulation.integrator().family == IntegratorFamily::explicit_method;
  if (is_explicit) simulation.apply(pool, SetParameter{"dt", 0.5 / omega_max(simulation, pool)});
  const auto intersections = [&] {
    return test::exact_intersections(simulation.mesh().triangles, simulation.state().x,
                                     simulation.obstacles());
  };
  ASSERT_EQ(intersections(), 0U);
  const double duration = is_long ? 5.0 : is_explicit ? 0.05 : 0.2;  // [s]
  for (int k = 1; simulation.state().t < duration; ++k) {
    ASSERT_EQ(simulation.step(pool), StepStatus::done) << simulation.state().t;
    if (k % 10 == 0) {
      ASSERT_EQ(intersections(), 0U) << simulation.state().t;
    }
  }
  EXPECT_EQ(intersections(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All, ContactScene,
    ::testing::Combine(::testing::Values("24-table-cloth", "25-funnel", "26-needles", "28-pulled-away",
                                         "29-handkerchiefs", "30-twisted-strip", "31-dummy", "wound strip",
                                         "rising tip"),
                       ::testing::Values("semi-implicit-euler", "backward-euler", "symplectic-euler"),
                       ::testing::Values(ContactModel::impulse, ContactModel::barrier)));

INSTANTIATE_TEST_SUITE_P(Folds, ContactScene,
                         ::testing::Combine(::testing::Values("folded cloth"),
                                            ::testing::Values("semi-implicit-euler"),
                                            ::testing::Values(ContactModel::impulse, ContactModel::barrier)));

class GarmentOnBody : public ::testing::TestWithParam<std::tuple<const char*, const char*, ContactModel>> {};

TEST_P(GarmentOnBody, StaysOnWithoutIntersections) {
  const auto [name, method, model] = GetParam();
  const bool is_dress = name == std::string("dress");
  const std::filesystem::path cloth =
                                  shared_meshes() / (is_dress ? "dress_quads_2205.obj" : "tshirt_1426.obj"),
                              human = shared_meshes() / "human_base_quads_19158.obj";
  if (!std::filesystem::exists(cloth) || !std::filesystem::exists(human)) {
    std::cerr << "WITHOUT " << cloth << "; set CLOTHLAB_SHARED_MESHES to the folder of samples\n";
    GTEST_SKIP() << "no sample meshes";
  }
  WorkerPool pool(2);
  const std::string dummy = (source_dir() / "assets/dummy.obj").string();
  Simulation simulation = is_dress ? garment(cloth, "mesh:0,0,0,0.1," + human.string() + "#body", true, pool)
                                   : garment(cloth, "mesh:0,-0.15,0,1," + dummy, false, pool);
  simulation.apply(pool, SetIntegrator{method});
  simulation.apply(pool, SetParameter{"contact", static_cast<double>(model)});
  const auto intersections = [&] {
    return test::exact_intersections(simulation.mesh().triangles, simulation.state().x,
                                     simulation.obstacles());
  };
  // Contact by the model begins when the body has grown and nothing intersects any more, at most five steps
  // later.
  double grown = 1;
  while (simulation.obstacles()[0].inset != 0 || intersections() != 0) {
    ASSERT_EQ(simulation.step(pool), StepStatus::done);
    if (simulation.obstacles()[0].inset == 0) grown = std::min(grown, simulation.state().t);
    ASSERT_LE(simulation.state().t, grown + 5 / 60.0);
  }
  const auto mean_height = [&] {
    double sum = 0;
    for (const vec3& x : simulation.state().x) sum += x.y;
    return sum / static_cast<double>(simulation.state().x.size());
  };
  const double height = mean_height(), until = tests_are_long() ? 5 : simulation.state().t + 0.1;
  for (int k = 0; simulation.state().t < until; ++k) {
    if (k % 10 == 0) {
      ASSERT_EQ(intersections(), 0U) << simulation.state().t;
    }
    ASSERT_EQ(simulation.step(pool), StepStatus::done) << simulation.state().t;
  }
  EXPECT_EQ(
      test::exact_intersections(simulation.mesh().triangles, simulation.state().x, simulation.obstacles()),
      0U);
  EXPECT_GT(mean_height(), height - 0.1) << "it has fallen off";
  EXPECT_LT(simulation.record().max_strain, is_dress ? 0.3 : 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, GarmentOnBody,
                         ::testing::Combine(::testing::Values("T-shirt", "dress"),
                                            ::testing::Values("semi-implicit-euler"),
                                            ::testing::Values(ContactModel::impulse, ContactModel::barrier)));

}  // namespace
}  // namespace clothlab::testing
