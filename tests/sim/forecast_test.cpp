// SPDX-License-Identifier: MIT
// What warnings are based on: lines through recent figures, the stiffest mode, cloth moved on without
// contact; and the notices that come of them.

#include "sim/forecast.h"

#include <gmock/gmock.h>

#include <cmath>

#include "sim/checkpoint.h"
#include "sim/passage_forecast.h"
#include "sim/stiffest_mode.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

TEST(Trend, IsTheLineThroughTheLargestValuesOfItsSpan) {
  Trend trend(0.4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_FALSE(trend.line()) << k;
    trend.add(0.02 * k, 0);  // older than the span in the end
  }
  for (int k = 100; k < 200; ++k) trend.add(0.01 * k, k % 2 == 0 ? 3 + 0.02 * k : -5);
  const auto line = trend.line();
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope, 2, 1e-9);
  EXPECT_NEAR(line->value, 3 + 0.02 * 198, 1e-9);
  EXPECT_NEAR(line->scatter, 0, 1e-9);
  EXPECT_NEAR(line->length, 0.4, 0.021);
}

TEST(Trend, KeepsTheNewestOfManySamples) {
  Trend trend(100);
  for (int k = 0; k < 100; ++k) trend.add(k, k < 60 ? 0 : k);
  const auto line = trend.line();
  EXPECT_NEAR(line->slope, 1, 1e-9);
  EXPECT_NEAR(line->length, 31, 1e-9);
}

Forecast::Figures energy_at(double time, double rate) {
  return {.time = time, .gained = 0.1 * std::exp(rate * time), .given = 1, .allowed = 100};
}

TEST(Forecast, ExtrapolatesSpuriousEnergy) {
  Forecast forecast;
  double warned = 0, in = 0;
  for (int k = 0; warned == 0 && k < 1000; ++k)
    if (const auto warning = forecast.add(energy_at(0.01 * k, 5))[0]) {
      EXPECT_EQ(warning->sign, Forecast::Sign::energy);
      warned = 0.01 * k;
      in = warning->in;
    }
  EXPECT_NEAR(warned + in, std::log(1000) / 5, 1e-6);
  EXPECT_NEAR(in, 0.5, 0.03);
}

TEST(Forecast, DoesNotWarnOfEnergyThatStaysOrIsNotCounted) {
  Forecast still, off;
  for (int k = 0; k < 500; ++k) {
    EXPECT_FALSE(still.add(energy_at(0.01 * k, 0.1))[0]) << k;
    Forecast::Figures unlimited = energy_at(0.01 * k, 5);
    unlimited.allowed = kInfinity;
    EXPECT_FALSE(off.add(unlimited)[0]) << k;
  }
}

TEST(Forecast, CountsTheTimeOfGrowthInLinearTheory) {
  Forecast::Figures figures{.given = 1, .allowed = 100, .growth = 10, .mode = 1e-6};
  EXPECT_FALSE(Forecast().add(figures)[0]) << "1.8 s";
  figures.growth = 100;
  const auto warning = Forecast().add(figures)[0];
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->sign, Forecast::Sign::growth);
  EXPECT_NEAR(warning->in, std::log(1e8) / 100, 1e-12);
}

TEST(Forecast, SeesWhereTheLimitAndTheIterationsWillBeReached) {
  Forecast forecast;
  for (int k = 0; k < 100; ++k) {
    const double time = 0.01 * k;
    const auto warnings = forecast.add(
        {.time = time, .allowed = 100, .of_limit = 0.8 + 0.2 * time, .linear = 0.5 + 0.4 * time});
    EXPECT_EQ(warnings[0].has_value(), time >= 0.5) << time;
    if (std::abs(time - 0.875) > 0.02) {
      EXPECT_EQ(warnings[1].has_value(), time >= 0.875) << time;
    }
    EXPECT_FALSE(warnings[2]);
    EXPECT_NEAR(warnings[0] ? time + warnings[0]->in : 1, 1, 0.02);
    EXPECT_NEAR(warnings[1] ? time + warnings[1]->in : 1.25, 1.25, 0.03);
  }
}

StiffestMode::Figures mode_of(const Simulation& simulation, WorkerPool& pool, int iterations) {
  const State& state = simulation.state();
  StiffestMode mode;
  StiffestMode::Figures found;
  for (int k = 0; k < iterations; ++k)
    found = mode.follow(pool, simulation.system(), state.x, state.v, simulation.scene().h(),
                        simulation.integrator().inextensible);
  return found;
}

TEST(StiffestMode, IsAsStiffAsLanczosFinds) {
  Scene springs;
  springs.mesh = GridSource{9, 7, 1, 1};
  springs.material.spring_damping = 0;
  springs.material.rayleigh_stiffness = 1e-4;
  springs.material.rayleigh_mass = 0.5;
  springs.dt = 1e-3;
  Scene bending = springs;  // hinges decide
  bending.material.kind = MaterialKind::fabric;
  bending.material.fabric.bending = 1;
  Scene chunks = springs;
  chunks.mesh = GridSource{60, 50, 1, 1};
  WorkerPool three(3);
  for (const Scene& scene : {springs, bending, chunks}) {
    const Simulation simulation(scene, mesh_of(scene), one_thread());
    const StiffestMode::Figures found = mode_of(simulation, one_thread(), 100);
    const double omega = omega_max(simulation, one_thread());
    EXPECT_LE(found.omega, omega * (1 + 1e-3));
    EXPECT_GE(found.omega, omega * 0.97);
    EXPECT_NEAR(found.damping, 1e-4 * found.omega * found.omega + 0.5, 1e-9 * found.damping);
    EXPECT_EQ(found.energy, 0);
    EXPECT_EQ(mode_of(simulation, three, 100).omega, found.omega);
  }
}

/// Dampers along rods are left out, as StabilityMeter does.
TEST(StiffestMode, HasOnlyBendingSpringsWithRods) {
  Scene scene;
  scene.mesh = GridSource{9, 7, 1, 1};
  scene.integrator = "rattle";
  scene.material.spring_damping = 1;
  scene.dt = 1e-3;
  const Simulation simulation(scene, mesh_of(scene), one_thread());
  StabilityMeter meter;
  const auto estimate = meter.estimate(
      {simulation.system(), simulation.state(), simulation.system().projection(), simulation.integrator()},
      one_thread(), {});
  ASSERT_TRUE(estimate);
  const StiffestMode::Figures found = mode_of(simulation, one_thread(), 200);
  EXPECT_LE(found.damping, estimate->damping_max * (1 + 1e-3));
  EXPECT_GE(found.damping, estimate->damping_max * 0.9);
}

Scene falling_on(double thickness) {
  Scene scene;
  scene.mesh = GridSource{8, 8, 1, 1};
  scene.pins = PinPreset::none;
  Obstacle ball;
  ball.radius = thickness / 2;
  ball.from = ball.to = vec3(0.52, -2, 0.46);
  scene.obstacles.bodies = {ball};
  return scene;
}

TEST(PassageForecast, FindsWhenFallingClothReachesABody) {
  const Scene scene = falling_on(0.02);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  PassageForecast forecast(simulation.system());
  const double arrival = std::sqrt(2 * 2 / 9.8);
  std::optional<double> first;
  while (!first) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    const double t = simulation.state().t;
    ASSERT_LT(t, arrival);
    if (simulation.steps() % 6 != 1) continue;
    const StepRecord& record = simulation.record();
    const auto found = forecast.look_ahead(one_thread(), {simulation.mesh(),
                                                          simulation.system(),
                                                          simulation.state(),
                                                          simulation.scene(),
                                                          {},
                                                          0,
                                                          record.energy.kinetic,
                                                          record.max_strain});
    if (!found) continue;
    first = t;
    EXPECT_TRUE(found->between);
    EXPECT_EQ(found->surface, 1U);
    EXPECT_LE(t + found->in, arrival);
    EXPECT_GE(t + found->in, arrival - 0.1);
  }
  EXPECT_GE(arrival - *first, 0.2);
}

std::vector<Notice> warnings_of(const Simulation& simulation) {
  std::vector<Notice> found;
  for (const Notice& notice : *simulation.notices().list())
    if (notice.cause == NoticeCause::warning_withdrawn ||
        std::ranges::find(kWarnings, notice.cause) != kWarnings.end())
      found.push_back(notice);
  return found;
}

TEST(Warnings, ComeBeforeTheFailure) {
  for (const double thickness : {0.02, 0.6}) {
    const Scene scene = falling_on(thickness);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    for (int k = 0; k < 60; ++k) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    const bool passes = thickness < 0.1;
    EXPECT_EQ(simulation.notices().has(NoticeCause::behind_obstacle), passes);
    const std::vector<Notice> warnings = warnings_of(simulation);
    ASSERT_EQ(warnings.size(), passes ? 1U : 0U) << thickness;
    if (!passes) continue;
    EXPECT_EQ(warnings[0].cause, NoticeCause::tunnelling_soon);
    EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("obstacle 1 (sphere)"));
    EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("--contact-points triangles"));
    EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("Tunnelling is expected at about t = 0."));
  }
}

/// The first body is hit first, but cannot pass.
TEST(Warnings, AreOfTheBodyThatContactDoesNotStop) {
  Scene scene = falling_on(0.02);
  Obstacle thick = scene.obstacles.bodies[0];
  thick.radius = 0.125;
  thick.from = thick.to = vec3(0.2, -2, 0.23);
  scene.obstacles.bodies.insert(scene.obstacles.bodies.begin(), thick);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  for (int k = 0; k < 38; ++k) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
  const std::vector<Notice> warnings = warnings_of(simulation);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("obstacle 2 (sphere)"));
}

/// A penalty stops this cloth, by the mass of its area. Material::mass is that of springs.
TEST(Warnings, KnowTheMassOfAFabric) {
  for (const MaterialKind kind : {MaterialKind::springs, MaterialKind::fabric}) {
    Scene scene = falling_on(0.25);
    scene.material.kind = kind;
    scene.material.mass = 1e4;
    scene.contact.model = ContactModel::penalty;
    scene.contact.stiffness = 1000;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    for (int k = 0; k < 37; ++k) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    EXPECT_EQ(warnings_of(simulation).size(), kind == MaterialKind::springs ? 1U : 0U);
  }
}

/// Their solves have another limit, and count all rounds.
TEST(Warnings, IgnoreLinearSolvesWithContacts) {
  Scene scene = falling_on(1);
  scene.mesh = GridSource{12, 12, 1, 1};
  scene.obstacles.bodies[0].from = scene.obstacles.bodies[0].to = vec3(0.5, -0.6, 0.5);
  scene.solver.linear.cg.max_iterations = 40;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  int most = 0;
  for (int k = 0; k < 120; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    ASSERT_TRUE(simulation.record().converged) << k;
    if (simulation.record().contact_solves) most = std::max(most, simulation.record().cg_iterations);
  }
  EXPECT_GT(most, 40);
  EXPECT_TRUE(warnings_of(simulation).empty());
}

/// A floor, which the forecast leaves out, stops the cloth above the body.
TEST(Warnings, AreWithdrawnIfNothingHappens) {
  Scene scene = falling_on(0.02);
  scene.floor.on = true;
  scene.floor.height = -1.95;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  Checkpoint warned;
  while (warnings_of(simulation).empty()) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    ASSERT_LT(simulation.state().t, 0.6);
  }
  simulation.save(one_thread(), warned);
  for (int again = 0; again < 2; ++again) {
    const double begin = simulation.state().t;
    while (simulation.state().t < begin + 1.9) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    EXPECT_EQ(warnings_of(simulation).size(), 1U) << "2 s after the last sign";
    while (simulation.state().t < begin + 2.6) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    const std::vector<Notice> warnings = warnings_of(simulation);
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[0].cause, NoticeCause::tunnelling_soon);
    EXPECT_EQ(warnings[1].cause, NoticeCause::warning_withdrawn);
    EXPECT_EQ(warnings[1].text, "The expected tunnelling did not occur.");
    simulation.load(one_thread(), warned);  // the warning stands again
    ASSERT_EQ(warnings_of(simulation).size(), 1U);
  }
}

/// The body is removed before the cloth arrives, or the run continues from another state.
TEST(Warnings, AreWithdrawnOrReplacedAfterAChange) {
  for (const bool removes : {true, false}) {
    const Scene scene = falling_on(0.02);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    const State start = simulation.state();
    while (warnings_of(simulation).empty()) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
      ASSERT_LT(simulation.state().t, 0.6);
    }
    if (removes)
      simulation.apply(one_thread(), SetObstacles{});
    else
      simulation.restore(one_thread(), start, 0);
    const double end = removes ? 3 : 0.5;
    while (simulation.state().t < end) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    ASSERT_EQ(warnings_of(simulation).size(), removes ? 2U : 1U);
    EXPECT_EQ(warnings_of(simulation).back().cause,
              removes ? NoticeCause::warning_withdrawn : NoticeCause::tunnelling_soon);
  }
}

/// A sheet with h at `share` of its limit.
Scene near_its_limit(const char* method, double share) {
  Scene scene;
  scene.mesh = GridSource{8, 8, 1, 1};
  scene.integrator = method;
  scene.material.spring_damping = 0;
  scene.material.stretch_stiffness = 100;
  const Simulation simulation(scene, mesh_of(scene), one_thread());
  scene.dt = share * method_info(scene).stability_limit / omega_max(simulation, one_thread());
  return scene;
}

TEST(Warnings, AreForgottenAfterABlowUp) {
  const Scene scene = near_its_limit("symplectic-euler", 1.02);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  Checkpoint warned, after;
  while (simulation.step(one_thread()) == StepStatus::done) {
    ASSERT_LT(simulation.state().t, 5);
    if (warned.warnings[0]) continue;
    simulation.save(one_thread(), warned);
  }
  ASSERT_TRUE(warned.warnings[0]);
  const std::vector<Notice> warnings = warnings_of(simulation);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].text, ::testing::StartsWith("A blow-up is expected at about t = "));
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("--substeps 2), or an implicit method"));
  simulation.save(one_thread(), after);
  EXPECT_EQ(after.warnings, WarningTimes{});
}

/// Runs until there is another warning, not a withdrawal; returns the time that this took [s].
double time_to_warning(Simulation& simulation) {
  const auto newest = [&] {
    const std::vector<Notice> all = warnings_of(simulation);
    return all.empty() || all.back().cause == NoticeCause::warning_withdrawn ? 0 : all.back().step;
  };
  const std::uint64_t before = newest();
  const double begin = simulation.state().t;
  while ((newest() == 0 || newest() == before) && simulation.state().t < begin + 5 &&
         simulation.step(one_thread()) == StepStatus::done) {
  }
  EXPECT_NE(newest(), 0U);
  EXPECT_NE(newest(), before);
  EXPECT_FALSE(simulation.blow_up());
  return simulation.state().t - begin;
}

/// The mode needs many steps, also while a slider moves.
TEST(Warnings, KeepTheStiffestModeAfterAChange) {
  Scene scene = near_its_limit("symplectic-euler", 1.008);
  scene.energy_limit = 1e60;  // a late blow-up
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const double first = time_to_warning(simulation);
  simulation.apply(one_thread(), ReverseVelocities{});
  simulation.apply(one_thread(), SetParameter{"mass", 0.999 * scene.material.mass});
  const double second = time_to_warning(simulation);
  EXPECT_GT(first, 0.5);
  EXPECT_GE(second, 0.1) << "quiet after a change";
  EXPECT_LT(second, 0.2);
}

/// Each change has a warning of its own, which replaces the one before it.
TEST(Warnings, AreNotUsedUpByChanges) {
  Scene scene = near_its_limit("symplectic-euler", 1.001);
  scene.energy_limit = 1e60;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  for (int k = 0; k < 5; ++k) {
    if (k > 0) simulation.apply(one_thread(), SetParameter{"mass", (1 - 1e-4 * k) * scene.material.mass});
    time_to_warning(simulation);
    ASSERT_EQ(warnings_of(simulation).size(), 1U) << k;
    EXPECT_EQ(warnings_of(simulation)[0].cause, NoticeCause::blow_up_soon);
  }
}

TEST(Warnings, DoNotDependOnTheNumberOfThreads) {
  Scene scene = falling_on(0.02);
  scene.integrator = "symplectic-euler";
  scene.dt = 1e-3;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  WorkerPool three(3);
  Simulation other(scene, mesh_of(scene), three);
  for (int k = 0; k < 800; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    ASSERT_EQ(other.step(three), StepStatus::done);
  }
  EXPECT_EQ(*simulation.notices().list(), *other.notices().list());
  EXPECT_FALSE(warnings_of(simulation).empty());
}

}  // namespace
}  // namespace clothlab::testing
