// SPDX-License-Identifier: MIT
// The force on a particle during a step, as it was and as the method used it.

#include "sim/step_picture.h"

#include <glm/geometric.hpp>
#include <map>
#include <optional>
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

std::optional<StepPicture> picture_now(const Simulation& simulation) {
  const std::vector<StepPicture> pictures =
      pictures_of_step(one_thread(), simulation, std::vector{kParticle});
  return pictures.empty() ? std::nullopt : std::optional(pictures.front());
}

StepPicture picture_after(Simulation& simulation, int steps) {
  simulation.watch(true);
  EXPECT_EQ(run(simulation, steps), steps);
  return picture_now(simulation).value_or(StepPicture());
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
    watched.watch(true);
    EXPECT_FALSE(picture_now(watched)) << method;
    EXPECT_EQ(run(watched, 10), run(other, 10));
    EXPECT_TRUE(picture_now(watched)) << method;
    EXPECT_TRUE(same_bits(watched.state(), other.state())) << method;
    EXPECT_FALSE(picture_now(other)) << method;  // watches nothing
    watched.apply(one_thread(), ReverseVelocities());
    EXPECT_FALSE(picture_now(watched)) << method;
  }
}

// A picture of any particle needs no step of its own: the mouse moves over a paused cloth.
TEST(StepPicture, IsOfEveryParticleOfOneStep) {
  for (const char* method : {"rk4", "bdf2", "two-step"}) {
    Simulation simulation(swinging_sheet(method), grid_mesh(5, 5), one_thread());
    simulation.watch(true);
    (void)run(simulation, 9);
    const std::vector<vec3> v0 = simulation.state().v;
    (void)run(simulation, 1);
    const std::vector<std::uint32_t> particles{7, 13, 24, 25};
    const std::vector<StepPicture> pictures = pictures_of_step(one_thread(), simulation, particles);
    ASSERT_EQ(pictures.size(), 3u) << method;  // the cloth has no particle 25
    for (const StepPicture& picture : pictures) {
      const std::uint32_t i = picture.particle;
      vec3 impulse = picture.constraints + picture.rest.weight * picture.rest.force;
      for (const UsedForce& use : picture.used) impulse += use.weight * use.force;
      const vec3 change = simulation.system().masses()[i] * (simulation.state().v[i] - v0[i]);
      EXPECT_NEAR(glm::length(impulse - change), 0, 1e-12 * kStep) << method << i;
      EXPECT_LT(glm::length(picture.constraints), 1e-9 * kStep) << method << i;
      EXPECT_GT(glm::length(change), 1e-3 * kStep) << method << i;
    }
  }
}

// Where the forces of a step need too much memory, the rest of the step has their mean.
TEST(StepPicture, BoundsItsMemory) {
  StepLedger ledger;
  ledger.watch(true);
  const std::size_t n = StepLedger::kMostKept / 2;
  EXPECT_EQ(ledger.keep(1, n).size(), n);
  EXPECT_EQ(ledger.keep(1, n).size(), n);
  EXPECT_TRUE(ledger.keep(1, n).empty());
  EXPECT_EQ(ledger.used(3).size(), 2u);
}

}  // namespace
}  // namespace clothlab::testing
