// SPDX-License-Identifier: MIT
// The force on a particle during a step, as it was and as the method used it.

#include "sim/step_picture.h"

#include <glm/geometric.hpp>
#include <map>
#include <vector>

#include "integrate/tableau.h"
#include "sim/loose_cloth.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

constexpr double kStep = 2e-4;
constexpr std::uint32_t kParticle = 12;  // in the middle

Scene swinging_sheet(std::string_view method) {
  Scene scene;
  scene.integrator = method;
  scene.dt = kStep;
  scene.solver.newton_tolerance = 1e-12;
  scene.solver.linear.cg.tolerance = 1e-12;
  return scene;
}

StepPicture picture_after(Simulation& simulation, int steps) {
  simulation.watch(kParticle);
  EXPECT_EQ(run(simulation, steps), steps);
  const auto picture = picture_of_step(one_thread(), simulation);
  EXPECT_TRUE(picture);
  return picture.value_or(StepPicture());
}

vec3 force_now(const Simulation& simulation) {
  const State& state = simulation.state();
  std::vector<vec3> f(state.x.size());
  simulation.system().force_at(one_thread(), state.t, state.x, state.v, f, SpringForces::all);
  return f[kParticle];
}

// The parts of h of the forces that a method evaluates, and where: at the start, at the end, or between.
struct Expected {
  std::vector<double> shares;
  bool first_at_start, last_at_end;
  double rest;  // share
};

TEST(StepPicture, HasTheForcesOfTheMethod) {
  const std::map<std::string_view, Expected> expected{
      {"explicit-euler", {{1}, true, false, 0}},
      {"symplectic-euler", {{1}, true, false, 0}},
      {"rk4", {{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, true, false, 0}},
      {"backward-euler", {{1}, false, true, 0}},
      {"trapezoidal", {{0.5, 0.5}, true, true, 0}},
      {"tr-bdf2", {{1.0 / 3, 1.0 / 3, 1.0 / 3}, true, true, 0}},
      {"bdf2", {{2.0 / 3}, false, true, 1.0 / 3}},
      {"semi-implicit-euler", {{}, false, false, 1}},
      {"two-step", {{1.5, -0.5}, true, false, 0}},
  };
  for (const auto& [method, e] : expected) {
    Simulation simulation(swinging_sheet(method), grid_mesh(5, 5), one_thread());
    (void)run(simulation, 30);
    const vec3 at_start = force_now(simulation);
    const vec3 v0 = simulation.state().v[kParticle];
    const StepPicture picture = picture_after(simulation, 1);
    const double h = kStep, scale = glm::length(at_start) + 1e-3;
    EXPECT_EQ(picture.h, h) << method;
    ASSERT_EQ(picture.used.size(), e.shares.size()) << method;
    for (std::size_t k = 0; k < e.shares.size(); ++k)
      EXPECT_NEAR(picture.used[k].weight, e.shares[k] * h, 1e-12 * h) << method;
    EXPECT_NEAR(picture.rest.weight, e.rest * h, 1e-12 * h) << method;
    if (e.first_at_start) {
      EXPECT_NEAR(glm::length(picture.used.front().force - at_start), 0, 1e-9 * scale) << method;
    }
    if (e.last_at_end) {
      EXPECT_NEAR(glm::length(picture.used.back().force - force_now(simulation)), 0, 1e-9 * scale) << method;
    }
    EXPECT_NEAR(glm::length(picture.along.front() - at_start), 0, 1e-9 * scale) << method;
    EXPECT_NEAR(glm::length(picture.along.back() - force_now(simulation)), 0, 1e-9 * scale) << method;
    // All of it is the change of momentum.
    vec3 impulse = picture.constraints + picture.rest.weight * picture.rest.force;
    for (const UsedForce& use : picture.used) impulse += use.weight * use.force;
    const vec3 change = simulation.system().masses()[kParticle] * (simulation.state().v[kParticle] - v0);
    EXPECT_NEAR(glm::length(impulse - change), 0, 1e-12 * h * scale) << method;
    EXPECT_LT(glm::length(picture.constraints), 1e-6 * h * scale) << method;  // what the solver left
  }
}

// The weight and what the floor gives cancel. Two-step methods repeat no step there as a first one, which
// would be one of rk4 with four forces.
TEST(StepPicture, TellsContactsFromForces) {
  const std::map<std::string_view, std::size_t> forces{
      {"semi-implicit-euler", 0}, {"backward-euler", 1}, {"two-step", 2}};
  for (const auto& [method, count] : forces) {
    Scene scene = loose_scene(std::string(method));
    scene.floor.on = true;
    scene.floor.height = 0;
    Simulation simulation(scene, grid_mesh(5, 5), one_thread());
    (void)picture_after(simulation, 20);
    for (int step = 0; step < 10; ++step) {
      const StepPicture picture = picture_after(simulation, 1);
      EXPECT_EQ(picture.used.size(), count) << method << step;
      const double weight = simulation.system().masses()[kParticle] * 9.8;
      vec3 impulse = picture.rest.weight * picture.rest.force;
      for (const UsedForce& use : picture.used) impulse += use.weight * use.force;
      EXPECT_NEAR(impulse.y / picture.h, -weight, 1e-3 * weight) << method << step;
      EXPECT_NEAR(picture.constraints.y / picture.h, weight, 1e-3 * weight) << method << step;
    }
  }
}

TEST(StepPicture, ChangesNoBitAndNeedsAStep) {
  for (const char* method : {"backward-euler", "rk4", "xpbd"}) {
    Simulation watched(swinging_sheet(method), grid_mesh(5, 5), one_thread());
    Simulation other(swinging_sheet(method), grid_mesh(5, 5), one_thread());
    watched.watch(kParticle);
    EXPECT_FALSE(picture_of_step(one_thread(), watched)) << method;
    EXPECT_EQ(run(watched, 10), run(other, 10));
    EXPECT_TRUE(picture_of_step(one_thread(), watched)) << method;
    EXPECT_TRUE(same_bits(watched.state(), other.state())) << method;
    EXPECT_FALSE(picture_of_step(one_thread(), other)) << method;  // watches nothing
    watched.apply(one_thread(), ReverseVelocities());
    EXPECT_FALSE(picture_of_step(one_thread(), watched)) << method;
  }
}

}  // namespace
}  // namespace clothlab::testing
