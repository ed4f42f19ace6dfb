// SPDX-License-Identifier: MIT
#include "experiments/step_trial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/stability_text.h"
#include "cloth/sample_cloth.h"
#include "core/error.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

/// The largest stable h·ω of one oscillator, judged by its energy over 400 steps.
double largest_stable_h_omega(const IntegratorInfo& info) {
  const test::OscillatorValues values{.mass = 0.1, .stiffness = 40};  // ω = 20
  const auto trial = [&](double h) {
    const auto rig = test::make_oscillator(values);
    rig->state.x[1].x += 1e-3;
    const auto integrator = info.make(default_parameters(info));
    const SolverSettings settings;
    const StopProbe stop;
    GrowthWatch watch;
    for (int step = 0; step < 400; ++step) {
      integrator->advance(rig->system, rig->state, h, {settings, rig->pool, stop});
      const double v = rig->state.v[1].x, kinetic = values.mass * v * v / 2;
      const double elastic = rig->system.potential_energy(rig->pool, rig->state.x);
      if (!(kinetic + elastic < 1)) return false;
      watch.add(kinetic + elastic, kinetic + elastic);
    }
    return !watch.grows();
  };
  const auto range = find_stable_range(1e-4, 1, 0.002, trial);
  return 20 * range.stable;
}

TEST(StableStep, OfSymplecticEulerIsTwoOverOmega) {
  EXPECT_NEAR(largest_stable_h_omega(*find_integrator("symplectic-euler")), 2, 0.02);
  EXPECT_NEAR(largest_stable_h_omega(*find_integrator("velocity-verlet")), 2, 0.02);
}

TEST(StableStep, OfAnImplicitMethodIsWhateverWasTried) {
  EXPECT_EQ(largest_stable_h_omega(*find_integrator("backward-euler")), 20);
}

TEST(StableStep, BisectionClosesInFromAbove) {
  int trials = 0;
  const auto range = find_stable_range(1e-6, 1, 0.01, [&](double h) {
    ++trials;
    return h < 0.0123;
  });
  ASSERT_TRUE(range.unstable);
  EXPECT_LT(range.stable, 0.0123);
  EXPECT_GE(*range.unstable, 0.0123);
  EXPECT_LE(*range.unstable / range.stable, 1.01);
  EXPECT_LE(trials, 8 + 7);  // seven halvings, then the logarithm of 2 down to that of 1.01
}

TEST(StableStep, NoneNeverAndGivenUp) {
  const auto none = find_stable_range(0.1, 1, 0.01, [](double) { return false; });
  EXPECT_EQ(none.stable, 0);
  const auto all = find_stable_range(0.1, 1, 0.01, [](double) { return true; });
  EXPECT_EQ(all.stable, 1);
  EXPECT_FALSE(all.unstable);
  EXPECT_THROW(find_stable_range(0.1, 1, 0.01, [](double) -> bool { throw Cancelled(); }), Cancelled);
}

TEST(GrowthWatch, TellsGrowthFromSwinging) {
  GrowthWatch swings, grows, fades, empty;
  for (int k = 0; k < 400; ++k) {
    swings.add(1 + 0.9 * std::sin(0.3 * k), 1);
    grows.add(std::exp(0.002 * k), 1);  // more than doubled at the end
    fades.add(std::exp(-0.002 * k), 1);
  }
  // Explicit Euler gains m(hg)²/2 in every step of a fall from rest. That is no instability, and after the
  // first few steps it is negligible beside the kinetic energy.
  GrowthWatch falls;
  for (int k = 1; k <= 40; ++k) falls.add(0.5 * k, 0.5 * k * k);
  EXPECT_FALSE(falls.grows());
  EXPECT_FALSE(swings.grows());
  EXPECT_TRUE(grows.grows());
  EXPECT_FALSE(fades.grows());
  EXPECT_FALSE(empty.grows());
}

TEST(StabilityEstimate, SaysThatDistancesAreLeftOut) {
  for (const bool on : {false, true}) {
    Scene scene;
    scene.mesh = GridSource{3, 3, 1, 1};
    scene.groups = {{.name = "bar", .vertices = {4, 8}, .obj_group = {}}};
    scene.drivers = {{"bar", GroupDistance{}, on}};
    WorkerPool pool(1);
    const LoadedScene loaded = load_scene(scene);
    const Simulation start(loaded.scene, loaded.mesh, pool);
    for (const char* id : {"rk4", "backward-euler", "xpbd"}) {
      const IntegratorInfo& info = *find_integrator(id);
      const auto estimate = measure_stability(start, start.state(), info, pool, {});
      const std::string text = describe_stability(info, default_parameters(info), 1e-3, estimate.value());
      EXPECT_EQ(text.ends_with(kWithoutDistances), on) << text;
    }
  }
}

}  // namespace
}  // namespace clothlab
