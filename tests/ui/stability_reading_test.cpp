#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ui/stability.h"
#include "ui/step_figure.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;

TEST(StabilityReading, CallsNothingStableThatIsNotConverged) {
  const IntegratorInfo& info = *find_integrator("xpbd");
  const StabilityReading reading = read_stability(info, default_parameters(info), 0.01, 100);
  ASSERT_EQ(reading.level, StabilityLevel::safe);
  const StabilityReading unsolved = not_converged(reading, "too few sweeps");
  EXPECT_EQ(unsolved.level, StabilityLevel::near_limit);
  EXPECT_EQ(unsolved.verdict, "not converged");
  EXPECT_THAT(unsolved.help, HasSubstr("too few sweeps."));
  // Worse news is kept.
  const IntegratorInfo& explicit_euler = *find_integrator("explicit-euler");
  const StabilityReading grows = read_stability(explicit_euler, {}, 0.01, 100);
  EXPECT_EQ(not_converged(grows, "why").verdict, grows.verdict);
}

TEST(StepFigure, IsThatOfTheKindOfMethod) {
  StepRecord record;
  const auto text = [&](const char* id) {
    const IntegratorInfo& info = *find_integrator(id);
    const auto figure = step_figure(info, default_parameters(info), record);
    return figure ? figure->text : std::string();
  };
  record.distance = 0.0162;
  EXPECT_EQ(text("xpbd"), "");  // before the first step there is none
  record.step = 1;
  EXPECT_EQ(text("xpbd"), "0.0162 from backward Euler");
  record.distance.reset();
  record.modes = 0;
  EXPECT_EQ(text("siere"), "0 of 5 modes");
  record.modes.reset();
  record.length_violation = 0.00125;
  EXPECT_EQ(text("rattle"), "rods off by 1.25 mm");
  EXPECT_EQ(text("semi-implicit-euler"), "");
}

// By the rows' own claims, so that a new integrator is covered by its registry row.
TEST(StabilityReading, AgreesWithEveryRowOfTheRegistry) {
  constexpr double kOmega = 100;
  for (const IntegratorInfo& info : integrators()) {
    SCOPED_TRACE(info.id);
    const double limit = info.stability_limit;
    const IntegratorParameters values = default_parameters(info);
    if (limit == 0) {
      const StabilityReading reading = read_stability(info, values, 0.01, kOmega);
      EXPECT_EQ(reading.level, StabilityLevel::unstable);
      EXPECT_THAT(reading.verdict, HasSubstr("grows"));
      EXPECT_FALSE(reading.largest_step.has_value());
    } else if (std::isinf(limit)) {
      EXPECT_EQ(read_stability(info, values, 1, kOmega).level, StabilityLevel::safe);
    } else {
      EXPECT_EQ(read_stability(info, values, 0.5 * limit / kOmega, kOmega).level, StabilityLevel::safe);
      EXPECT_EQ(read_stability(info, values, 0.95 * limit / kOmega, kOmega).level,
                StabilityLevel::near_limit);
      const StabilityReading above = read_stability(info, values, 1.5 * limit / kOmega, kOmega);
      EXPECT_EQ(above.level, StabilityLevel::unstable);
      EXPECT_THAT(above.verdict, HasSubstr("1.50×"));
      ASSERT_TRUE(above.largest_step.has_value());
      EXPECT_DOUBLE_EQ(*above.largest_step, limit / kOmega);
    }
    EXPECT_EQ(read_stability(info, values, 0.01, std::nullopt).level, StabilityLevel::unknown);
    EXPECT_EQ(read_stability(info, values, 0.01, 0).level, StabilityLevel::safe);
  }
}

TEST(StabilityReading, ShowsTheGrowthOfExplicitEuler) {
  const IntegratorInfo& euler = *find_integrator("explicit-euler");
  // √(1 + 1²) = 1.414..., √(1 + 0.01²) − 1 = 5.0e-5.
  EXPECT_EQ(read_stability(euler, {}, 0.01, 100).verdict, "grows 1.41× per step");
  EXPECT_EQ(read_stability(euler, {}, 0.0001, 100).verdict, "grows by 0.005 % per step");
}

}  // namespace
}  // namespace clothlab
