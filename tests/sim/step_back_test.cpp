// SPDX-License-Identifier: MIT
// Steps of h < 0 in a run, and the command that takes one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <string>

#include "sim/contact.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

using ::testing::HasSubstr;

Scene scene_of(const char* integrator, double dt) {
  Scene scene;
  scene.mesh = GridSource{5, 5, 1, 1};
  scene.integrator = integrator;
  scene.material.spring_damping = 0;
  scene.solver.newton_tolerance = 1e-12;
  scene.solver.linear.cg.tolerance = 1e-12;
  scene.dt = dt;
  return scene;
}

double largest_distance(const State& a, const State& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) most = std::max(most, glm::length(a.x[i] - b.x[i]));
  return most;
}

TEST(NegativeDt, HasARangeOfItsOwn) {
  Scene scene;
  for (const double dt : {-1.0, -0.25, -1e-6, 1e-6, 1e10}) {
    set_parameter(scene, "dt", dt);
    EXPECT_EQ(scene.dt, dt);
  }
  for (const double dt : {-1.0001, -9.9e-7, 0.0, 9.9e-7, 1.1e10})
    EXPECT_THAT(refusal([&] { set_parameter(scene, "dt", dt); }),
                HasSubstr("a number from 1e-06 to 1e+10 s, or from -1 to -1e-06"))
        << dt;
}

TEST(NegativeDt, IsRefusedWithTheReason) {
  const auto mesh = grid_mesh(5, 5);
  const auto message = [&](const Scene& scene) {
    return refusal([&] { Simulation(scene, mesh, one_thread()); });
  };
  EXPECT_THAT(
      message(scene_of("bdf2", -0.01)),
      HasSubstr("dt: -0.01 is not allowed here, because BDF2 uses earlier steps; it must be positive."));
  EXPECT_THAT(message(scene_of("xpbd", -0.01)), HasSubstr("XPBD projects positions"));
  Scene on_floor = scene_of("velocity-verlet", -0.01);
  on_floor.floor = {.on = true, .height = -1};
  EXPECT_THAT(message(on_floor), HasSubstr("contact has no step back"));
  on_floor.floor.on = false;
  Simulation run(on_floor, mesh, one_thread());
  EXPECT_THAT(refusal([&] { run.apply(one_thread(), SetIntegrator{"generalized-alpha"}); }),
              HasSubstr("Generalized-α uses earlier steps"));
  EXPECT_THAT(refusal([&] { run.apply(one_thread(), SetParameter{"floor", 1}); }), HasSubstr("contact"));
  EXPECT_EQ(run.scene().integrator, "velocity-verlet");
}

// A symmetric method retraces its path, and the ledger its works.
TEST(NegativeDt, RetracesTheWayOfASymmetricMethod) {
  for (const char* id : {"velocity-verlet", "implicit-midpoint"}) {
    Simulation run(scene_of(id, 0.002), grid_mesh(5, 5), one_thread());
    const State start = run.state();
    ASSERT_EQ(testing::run(run, 30), 30);
    EXPECT_GT(largest_distance(run.state(), start), 0.01);
    run.apply(one_thread(), SetParameter{"dt", -0.002});
    ASSERT_EQ(testing::run(run, 30), 30);
    EXPECT_LT(largest_distance(run.state(), start), 1e-10) << id;
    EXPECT_NEAR(run.state().t, 0, 1e-15);
    EXPECT_EQ(run.record().h, -0.002);
    EXPECT_EQ(run.steps(), 60);
    EXPECT_NEAR(run.record().energy.total, run.record().ledger.energy, 1e-12);
    ASSERT_EQ(testing::run(run, 5), 5) << "and goes on before the start";
    EXPECT_NEAR(run.state().t, -0.01, 1e-15);
    EXPECT_EQ(run.state().x[0], start.x[0]) << "pins stay";
    EXPECT_TRUE(run.moving_pins().empty());
  }
}

// From rest, a run back in time has the positions of a run forwards.
TEST(NegativeDt, HasAdaptiveStepsAndSubsteps) {
  const auto run_of = [](double dt) {
    Scene scene = scene_of("velocity-verlet", dt);
    scene.adaptive = true;
    scene.max_strain = 0.05;
    scene.substeps = 2;
    auto run = std::make_unique<Simulation>(scene, grid_mesh(5, 5), one_thread());
    EXPECT_EQ(testing::run(*run, 5), 5);
    return run;
  };
  const auto forward = run_of(0.02), back = run_of(-0.02);
  EXPECT_LT(largest_distance(forward->state(), back->state()), 1e-12);
  EXPECT_LT(forward->record().h, 0.01) << "the step was divided";
  EXPECT_EQ(back->record().h, -forward->record().h);
  EXPECT_NEAR(back->state().t, -0.1, 1e-15);
}

TEST(NegativeDt, ContinuesFromACheckpointWithTheSameBits) {
  Scene scene = scene_of("trapezoidal", -0.01);
  Simulation run(scene, grid_mesh(5, 5), one_thread());
  ASSERT_EQ(testing::run(run, 3), 3);
  Checkpoint moment;
  run.save(one_thread(), moment);
  Simulation next(moment, grid_mesh(5, 5), one_thread());
  ASSERT_EQ(testing::run(run, 3), 3);
  ASSERT_EQ(testing::run(next, 3), 3);
  EXPECT_TRUE(same_bits(run.state(), next.state()));
}

TEST(NegativeDt, MovesPinsInTheDirectionOfTheRun) {
  Simulation run(scene_of("backward-euler", -0.01), grid_mesh(5, 5), one_thread());
  const vec3 from = run.state().x[0], to = from + vec3(0, 0.1, 0);
  run.apply(one_thread(), MovePins{{{0, to}}, 0.04});
  ASSERT_EQ(testing::run(run, 2), 2);
  EXPECT_LT(glm::length(run.state().x[0] - (from + to) / 2.0), 1e-12);
  ASSERT_EQ(testing::run(run, 2), 2);
  EXPECT_EQ(run.state().x[0], to);
  ASSERT_EQ(testing::run(run, 2), 2);
  EXPECT_EQ(run.state().x[0], to);
}

TEST(StepBack, ReturnsBySymmetricMethodsAndByTheAdjoint) {
  Simulation run(scene_of("velocity-verlet", 0.002), grid_mesh(5, 5), one_thread());
  ASSERT_EQ(testing::run(run, 5), 5);
  const State before = run.state();
  ASSERT_EQ(run.step(one_thread()), StepStatus::done);
  const double moved = largest_distance(run.state(), before);
  run.apply(one_thread(), StepBack{});
  EXPECT_LT(largest_distance(run.state(), before), 1e-14);
  EXPECT_NEAR(run.state().t, before.t, 1e-16);
  EXPECT_EQ(run.steps(), 7) << "it is a step";
  EXPECT_EQ(run.scene().dt, 0.002);
  EXPECT_EQ(run.record().h, -0.002);

  run.apply(one_thread(), SetIntegrator{"explicit-euler"});
  ASSERT_EQ(run.step(one_thread()), StepStatus::done);
  const State after = run.state();
  run.apply(one_thread(), SetIntegrator{"backward-euler"});
  run.apply(one_thread(), StepBack{});
  EXPECT_LT(largest_distance(run.state(), before), 1e-12);
  ASSERT_EQ(run.step(one_thread()), StepStatus::done);
  EXPECT_GT(largest_distance(run.state(), after), 1e-3 * moved) << "forwards it is another method";
}

TEST(StepBack, IsRefusedWithTheReasonAndWithoutEffect) {
  Scene scene = scene_of("bdf2", 0.01);
  Simulation run(scene, grid_mesh(5, 5), one_thread());
  ASSERT_EQ(testing::run(run, 3), 3);
  EXPECT_EQ(refusal([&] { run.apply(one_thread(), StepBack{}); }),
            "No step back is possible, because BDF2 uses earlier steps.");
  run.apply(one_thread(), SetIntegrator{"velocity-verlet"});
  run.apply(one_thread(), SetParameter{"dt", 2});
  EXPECT_THAT(refusal([&] { run.apply(one_thread(), StepBack{}); }), HasSubstr("dt: -2 is not allowed"));
  // Far above the limit.
  run.apply(one_thread(), SetParameter{"dt", 1});
  Checkpoint before, now;
  run.save(one_thread(), before);
  EXPECT_EQ(refusal([&] { run.apply(one_thread(), StepBack{}); }),
            "The step back was rejected: it blows up.");
  run.save(one_thread(), now);
  EXPECT_TRUE(same_bits(before.state, now.state));
  EXPECT_FALSE(run.blow_up());
  EXPECT_EQ(run.scene().dt, 1);
  EXPECT_EQ(run.steps(), 3);
}

// As any step, by the probe, at every point where it is polled.
TEST(StepBack, CanBeCancelledWithoutEffect) {
  for (const char* id : {"velocity-verlet", "implicit-midpoint"}) {
    Scene scene = scene_of(id, 0.002);
    scene.substeps = 3;
    Simulation run(scene, grid_mesh(5, 5), one_thread()), other(scene, grid_mesh(5, 5), one_thread());
    ASSERT_EQ(testing::run(run, 3), 3);
    ASSERT_EQ(testing::run(other, 3), 3);
    int cancelled = 0;
    for (bool done = false; !done; ++cancelled) {
      int left = cancelled;
      try {
        run.apply(one_thread(), StepBack{}, [&left] { return left-- == 0; });
        done = true;
      } catch (const Cancelled&) {
        EXPECT_TRUE(same_bits(run.state(), other.state())) << id << cancelled;
        EXPECT_EQ(run.steps(), 3) << id;
        EXPECT_EQ(run.scene().dt, 0.002) << id;
        EXPECT_EQ(run.record().energy.total, other.record().energy.total) << id;
      }
    }
    EXPECT_GT(cancelled, 5) << id;
    other.apply(one_thread(), StepBack{});
    ASSERT_EQ(testing::run(run, 2), 2);
    ASSERT_EQ(testing::run(other, 2), 2);
    EXPECT_TRUE(same_bits(run.state(), other.state())) << id;
  }
}

TEST(StepBack, LeavesPinsWhereTheirMotionBegan) {
  Simulation run(scene_of("velocity-verlet", 0.002), grid_mesh(5, 5), one_thread());
  ASSERT_EQ(testing::run(run, 3), 3);
  const vec3 from = run.state().x[0];
  run.apply(one_thread(), MovePins{{{0, from + vec3(0, 0.1, 0)}}, 0.1});
  run.apply(one_thread(), StepBack{});
  EXPECT_EQ(run.state().x[0], from);
}

}  // namespace
}  // namespace clothlab::testing
