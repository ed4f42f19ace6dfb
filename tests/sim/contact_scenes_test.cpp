// SPDX-License-Identifier: MIT
// Scenes with mesh obstacles and with folds, by impulses and by a barrier: no step leaves an intersection, by
// exact arithmetic.

#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "collide/exact.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "mesh/generators.h"
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

Simulation started(const std::string& name, WorkerPool& pool) {
  if (name == "wound strip") return wound_strip(pool);
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

}  // namespace
}  // namespace clothlab::testing
