// SPDX-License-Identifier: MIT
// Wind on a running simulation: the terminal speed of falling cloth, and the bits of gusts.

#include <cmath>
#include <glm/geometric.hpp>
#include <memory>
#include <vector>

#include "cloth/cloth_system.h"
#include "sim/frame.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

// A sheet of 1 m² whose mass is where its area is, so that air leaves it flat.
Scene falling_sheet() {
  Scene scene;
  scene.pins = PinPreset::none;
  scene.material.mass_model = MassModel::area;
  scene.material.stretch_stiffness = 5;  // h ω = 0.1 at most: every method is stable
  scene.dt = 1e-3;
  scene.solver.newton_tolerance = 1e-10;
  scene.solver.linear.cg.tolerance = 1e-10;
  scene.wind.on = true;
  scene.wind.speed = 0;
  return scene;
}

// m g = ρ/2 c A v²
TEST(WindOnCloth, LetsASheetFallAtItsTerminalVelocity) {
  const auto mesh = grid_mesh(3, 3);
  WorkerPool pool(1);
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = falling_sheet();
    scene.integrator = info.id;
    Simulation simulation(scene, mesh, pool);
    ASSERT_EQ(run(simulation, 1500), 1500) << info.id;
    const double terminal = std::sqrt(2 * 0.2 * 9.8 / (1.2 * 1.2 * 1));
    for (const vec3& v : simulation.state().v) {  // it is v tanh(gt/v): 1 − 4e-8 of it by then
      EXPECT_NEAR(v.y, -terminal * std::tanh(9.8 * 1.5 / terminal), 1e-6) << info.id;
      EXPECT_NEAR(std::hypot(v.x, v.z), 0, 1e-4) << info.id;
    }
  }
}

Scene gusty_flag() {
  Scene scene;
  scene.wind.on = true;
  scene.wind.speed = 8;
  scene.wind.azimuth = 70;
  scene.wind.gusts = 50;
  return scene;
}

std::vector<vec3> forces(const Simulation& simulation, const State& state) {
  Frame frame;
  capture_motion(one_thread(), simulation, state, {.velocities = false, .forces = true}, frame);
  return frame.forces;
}

// Not of the time at which the last step began, and not of now where a state of the past is looked at.
TEST(WindOnCloth, ForcesAreShownInTheAirOfTheirTime) {
  WorkerPool pool(1);
  Simulation simulation(gusty_flag(), grid_mesh(5, 5), pool);
  ASSERT_EQ(run(simulation, 6), 6);
  const auto then = std::make_shared<const State>(simulation.state());
  const std::vector<vec3> seen = forces(simulation, *then);
  ASSERT_EQ(run(simulation, 6), 6);
  EXPECT_NE(forces(simulation, simulation.state()), seen);
  EXPECT_EQ(forces(simulation, *then), seen);
  // A step from there would begin with them.
  std::vector<vec3> f(then->x.size());
  ClothSystem system(simulation.system().shared_model(), Material{});
  system.set_wind(simulation.scene().wind);
  system.update_wind(pool, then->x, then->t);
  system.force(pool, then->x, then->v, f, SpringForces::all);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_LT(glm::length(f[i] - seen[i]), 1e-13) << i;
}

TEST(WindOnCloth, GustsAreTheSameBitsForAnyNumberOfThreads) {
  const auto mesh = grid_mesh(40, 41);  // several chunks
  State expected;
  for (const int threads : {1, 2, 3, 4}) {
    WorkerPool pool(threads);
    Simulation simulation(gusty_flag(), mesh, pool);
    ASSERT_EQ(run(simulation, 6, pool), 6);
    if (threads == 1) expected = simulation.state();
    EXPECT_TRUE(same_bits(simulation.state(), expected)) << threads;
  }
}

TEST(WindOnCloth, GustsAreTheSameBitsAfterARewind) {
  const auto mesh = grid_mesh(8, 8);
  WorkerPool pool(1);
  for (const char* integrator : kRewound) {
    Scene scene = gusty_flag();
    scene.integrator = integrator;
    Simulation simulation(scene, mesh, pool);
    ASSERT_EQ(run(simulation, 10), 10);
    const auto then = std::make_shared<const State>(simulation.state());
    const auto again = [&](std::uint64_t seed) {
      simulation.restore(pool, *then, 10);
      simulation.apply(pool, SetParameter{"wind-seed", static_cast<double>(seed)});
      EXPECT_EQ(run(simulation, 15), 15) << integrator;
      return simulation.state();
    };
    const State first = again(1);
    EXPECT_TRUE(same_bits(again(1), first)) << integrator;
    EXPECT_FALSE(same_bits(again(2), first)) << integrator;
    EXPECT_TRUE(same_bits(again(1), first)) << integrator;
  }
}

// v1 = v0 + h M⁻¹ f(x0, v0), with the f of the wind that blows now.
TEST(WindOnCloth, IsSwitchedBetweenStepsWithoutAJump) {
  Scene scene = gusty_flag();
  scene.integrator = "symplectic-euler";
  scene.dt = 1e-3;
  WorkerPool pool(1);
  Simulation simulation(scene, grid_mesh(6, 6), pool);
  ASSERT_EQ(run(simulation, 10), 10);
  for (const auto& [id, value] : {std::pair{"wind", 0.0}, std::pair{"wind", 1.0},
                                  std::pair{"wind-speed", 20.0}, std::pair{"wind-gusts", 0.0}}) {
    const State before = simulation.state();
    const std::vector<vec3> f_before = forces(simulation, before);
    simulation.apply(pool, SetParameter{id, value});
    const std::vector<vec3> f = forces(simulation, before);
    EXPECT_NE(f, f_before) << id;
    ASSERT_EQ(simulation.step(pool), StepStatus::done);
    for (std::uint32_t i = 0; i < f.size(); ++i) {
      if (simulation.is_pinned(i)) continue;
      const vec3 expected = before.v[i] + 1e-3 / simulation.system().masses()[i] * f[i];
      EXPECT_LT(glm::length(simulation.state().v[i] - expected), 1e-13) << id << value << ' ' << i;
    }
  }
}

// What the wind does to cloth is no blow-up, however light the cloth and strong the wind.
TEST(WindOnCloth, IsNoBlowUp) {
  const auto mesh = grid_mesh(8, 8);
  WorkerPool pool(1);
  for (const double mass : {0.02, 0.2}) {
    Scene scene = gusty_flag();
    scene.material.mass = mass;
    scene.material.gravity = vec3(0);
    scene.wind.speed = 50;
    scene.wind.gusts = 100;
    Simulation simulation(scene, mesh, pool);
    EXPECT_EQ(run(simulation, 120), 120) << mass;
  }
}

}  // namespace
}  // namespace clothlab::testing
