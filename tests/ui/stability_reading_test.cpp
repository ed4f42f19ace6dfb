// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ui/readings.h"
#include "uniform_estimate.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using testing::uniform_estimate;

TEST(StabilityReading, CallsNothingStableThatIsNotConverged) {
  const IntegratorInfo& info = *find_integrator("xpbd");
  const StabilityReading reading =
      read_stability(info, default_parameters(info), 0.01, uniform_estimate(100));
  ASSERT_EQ(reading.level, StabilityLevel::safe);
  const StabilityReading unsolved = not_converged(reading, "too few sweeps");
  EXPECT_EQ(unsolved.level, StabilityLevel::near_limit);
  EXPECT_EQ(unsolved.verdict, "not converged");
  EXPECT_THAT(unsolved.help, HasSubstr("too few sweeps."));
  // The worse verdict is kept.
  const IntegratorInfo& explicit_euler = *find_integrator("explicit-euler");
  const StabilityReading grows = read_stability(explicit_euler, {}, 0.01, uniform_estimate(100));
  EXPECT_EQ(not_converged(grows, "why").verdict, grows.verdict);
}

TEST(StepFigure, IsThatOfTheKindOfMethod) {
  StepRecord record;
  const auto text = [&](const char* id) {
    const IntegratorInfo& info = *find_integrator(id);
    record.integrator = info.id;
    const auto figure = step_figure(info, default_parameters(info), record);
    return figure ? figure->text : std::string();
  };
  record.distance = 0.0162;
  EXPECT_EQ(text("xpbd"), "0.0162 from backward Euler");
  record.distance.reset();
  record.modes = 0;
  EXPECT_EQ(text("siere"), "0 of 5 modes");
  record.modes.reset();
  record.length_violation = 0.00125;
  EXPECT_EQ(text("rattle"), "rods off by 1.25 mm");
  EXPECT_EQ(text("semi-implicit-euler"), "");
  // Nothing of another method's step, nor before the first: the one chosen may have fewer parameters.
  record.modes = 5;
  for (const char* of : {"siere", ""}) {
    record.integrator = of;
    for (const IntegratorInfo& info : integrators()) {
      if (info.id == record.integrator) continue;
      EXPECT_FALSE(step_figure(info, default_parameters(info), record)) << info.id;
    }
  }
}

// By the rows' own claims, so that a new integrator is covered by its registry row.
TEST(StabilityReading, AgreesWithEveryRowOfTheRegistry) {
  constexpr double kOmega = 100;
  for (const IntegratorInfo& info : integrators()) {
    SCOPED_TRACE(info.id);
    const double limit = info.stability_limit;
    const IntegratorParameters values = default_parameters(info);
    const auto read = [&](double h) { return read_stability(info, values, h, uniform_estimate(kOmega)); };
    if (limit == 0) {
      const StabilityReading reading = read(0.01);
      EXPECT_EQ(reading.level, StabilityLevel::unstable);
      EXPECT_THAT(reading.verdict, HasSubstr("grows"));
      EXPECT_FALSE(reading.largest_step.has_value());
    } else if (std::isinf(limit)) {
      EXPECT_EQ(read(1).level, StabilityLevel::safe);
      EXPECT_THAT(read(1).verdict, HasSubstr(std::string(info.stability_condition)));
    } else {
      EXPECT_EQ(read(0.5 * limit / kOmega).level, StabilityLevel::safe);
      EXPECT_EQ(read(0.95 * limit / kOmega).level, StabilityLevel::near_limit);
      const StabilityReading above = read(1.5 * limit / kOmega);
      EXPECT_EQ(above.level, StabilityLevel::unstable);
      EXPECT_THAT(above.verdict, HasSubstr("1.50×"));
      EXPECT_THAT(read(1.001 * limit / kOmega).verdict, HasSubstr("unstable, just above the limit"));
      ASSERT_TRUE(above.largest_step.has_value());
      EXPECT_NEAR(*above.largest_step, limit / kOmega, 1e-9);
    }
    EXPECT_EQ(read_stability(info, values, 0.01, std::nullopt).level, StabilityLevel::unknown);
    EXPECT_EQ(read_stability(info, values, 0.01, uniform_estimate(0)).level, StabilityLevel::safe);
  }
}

TEST(StabilityReading, ShowsTheGrowthOfExplicitEuler) {
  const IntegratorInfo& euler = *find_integrator("explicit-euler");
  // √(1 + 1²) = 1.414..., √(1 + 0.01²) − 1 = 5.0e-5.
  EXPECT_EQ(read_stability(euler, {}, 0.01, uniform_estimate(100)).verdict, "grows 1.41× per step");
  EXPECT_EQ(read_stability(euler, {}, 0.0001, uniform_estimate(100)).verdict, "grows by 0.005 % per step");
  EXPECT_EQ(read_stability(euler, {}, 0.0001, uniform_estimate(100, 5)).verdict, "stable below 500 µs");
  StabilityEstimate large = uniform_estimate(100, 50);
  large.others_are_exact = false;
  EXPECT_EQ(read_stability(euler, {}, 0.001, large).verdict, "limit unknown");
  EXPECT_EQ(read_stability(euler, {}, 0.001, large).level, StabilityLevel::unknown);
}

TEST(StabilityReading, DoesNotCallStableWhatIsSoOnPaperOnly) {
  const auto verdict = [](std::string_view id, const StabilityEstimate& e) {
    const IntegratorInfo& info = *find_integrator(id);
    IntegratorParameters values = default_parameters(info);
    if (info.id == "xpbd") values = {20, 1, 0};
    return read_stability(info, values, 0.001, e).verdict;
  };
  EXPECT_EQ(verdict("implicit-midpoint", uniform_estimate(100)), "stable on an oscillator");
  EXPECT_EQ(verdict("exponential-rosenbrock-euler", uniform_estimate(100, 5)), "stable on an oscillator");
  EXPECT_EQ(verdict("xpbd", uniform_estimate(100)), "stable when swept to convergence");
  StabilityEstimate windy = uniform_estimate(100);
  windy.wind_rate = 100;
  EXPECT_EQ(verdict("xpbd", windy), "stable below 20 ms in this wind");
  EXPECT_EQ(verdict("backward-euler", windy), "stable at any h");
  EXPECT_EQ(verdict("rattle", uniform_estimate(100)), "bending stable below 20 ms");
  StabilityEstimate large = uniform_estimate(100);
  large.free_directions = kExactDirections + 1;
  EXPECT_EQ(verdict("velocity-verlet", large), "stable below ≈ 20 ms");
}

// In Lawson's form the modes of BDF2 + ERE gain nothing.
TEST(StabilityReading, FollowsTheParametersOfMethodsWithSlowModes) {
  const IntegratorInfo& info = *find_integrator("bdf2-ere");
  const StabilityEstimate e = uniform_estimate(100);
  EXPECT_EQ(read_stability(info, {5, 1, 0}, 0.001, e).verdict, "slow motion grows");
  EXPECT_EQ(read_stability(info, {5, 1, 1}, 0.001, e).verdict,
            read_stability(*find_integrator("siere"), {5, 1}, 0.001, e).verdict);
}

TEST(StabilityReading, SaysThatContactSetsTheLimit) {
  const IntegratorInfo& info = *find_integrator("symplectic-euler");
  StabilityEstimate e = uniform_estimate(1000);
  EXPECT_EQ(read_stability(info, {}, 1e-3, e).verdict, "stable below 2 ms");
  e.contact_in_stiffness = 0.9;
  EXPECT_EQ(read_stability(info, {}, 1e-3, e).verdict, "stable below 2 ms, by contact");
  EXPECT_EQ(read_stability(info, {}, 4e-3, e).verdict, "unstable, 2.00× the limit, by contact");
}

}  // namespace
}  // namespace clothlab
