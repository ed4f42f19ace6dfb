#include "analysis/stability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cloth/cloth_system.h"

namespace clothlab {
namespace {

/// Two particles of 0.1 kg and one spring of 1 m and 100 N/m between them.
class PendulumTest : public ::testing::Test {
 protected:
  PendulumTest() {
    Material material;
    material.mass = 0.2;
    material.stretch_stiffness = 100;
    system.emplace(model, material, pool);
  }
  std::optional<double> omega() { return meter.omega_max(*system, x, JacobianMode::clamped, pool); }

  WorkerPool pool{1};
  std::vector<vec3> x{vec3(0), vec3(0.6, -0.8, 0)};
  std::shared_ptr<const ClothModel> model =
      std::make_shared<const ClothModel>(x, std::vector<ClothModel::Ends>{{0, 1}});
  std::optional<ClothSystem> system;
  StabilityMeter meter;
};

TEST_F(PendulumTest, OmegaIsThatOfTheOscillator) {
  EXPECT_NEAR(omega().value(), std::sqrt(100 * 2 / 0.1), 1e-9);  // reduced mass m/2
  system->projection().fix(0, x[0]);
  EXPECT_NEAR(omega().value(), std::sqrt(100 / 0.1), 1e-9);
  system->projection().fix(1, x[1]);
  EXPECT_EQ(omega().value(), 0);
}

TEST_F(PendulumTest, RodsDoNotVibrate) {
  const auto of_rods = [&] { return meter.omega_max(*system, x, JacobianMode::clamped, pool, {}, true); };
  EXPECT_EQ(of_rods().value(), 0);
  system->projection().fix(0, x[0]);
  system->set_drag(Drag{{0, 1, 1}, vec3(0, 0.5, 0.5), x[1], 44, 0, 1e3});
  EXPECT_NEAR(of_rods().value(), std::sqrt(44 / 0.1), 1e-9);
}

TEST_F(PendulumTest, TheDragCounts) {
  system->projection().fix(0, x[0]);
  Drag drag{{0, 1, 1}, vec3(0, 0.5, 0.5), x[1], 44, 0, 1e3};
  system->set_drag(drag);
  EXPECT_NEAR(omega().value(), std::sqrt(144 / 0.1), 1e-9);
}

TEST_F(PendulumTest, GivesUpWhenToldToAndOnWhatIsNotFinite) {
  EXPECT_FALSE(meter.omega_max(*system, x, JacobianMode::clamped, pool, [] { return true; }));
  x[1].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(omega());
}

TEST(Stability, LargestStableStep) {
  EXPECT_DOUBLE_EQ(largest_stable_step(*find_integrator("symplectic-euler"), 1000), 0.002);
  EXPECT_EQ(largest_stable_step(*find_integrator("explicit-euler"), 1000), 0);
  EXPECT_TRUE(std::isinf(largest_stable_step(*find_integrator("backward-euler"), 1000)));
}

TEST(Stability, SentencesCarryTheNumbers) {
  const IntegratorInfo &explicit_euler = *find_integrator("explicit-euler"),
                       &symplectic = *find_integrator("symplectic-euler"),
                       &implicit = *find_integrator("semi-implicit-euler");
  EXPECT_EQ(
      describe_stability(explicit_euler, {}, 1e-3, 1400),
      "Explicit Euler multiplies the stiffest oscillation by 1.72 in every step at h = 1 ms and ω_max = "
      "1400 rad/s: no step size is stable.");
  EXPECT_EQ(
      describe_stability(explicit_euler, {}, 1.0 / 240, std::sqrt(1000.0)),
      "Explicit Euler enlarges the stiffest oscillation by 0.86 % in every step at h = 4.17 ms and ω_max = "
      "31.6 rad/s: no step size is stable.");
  EXPECT_EQ(
      describe_stability(symplectic, {}, 1e-3, 1000),
      "Symplectic Euler is stable below h·ω_max = 2, and here h·ω_max = 1 (at h = 1 ms and ω_max = 1000 "
      "rad/s); the largest stable step is h = 2 ms.");
  // h ω = 4: the eigenvalues' sum is 2 − 16 = −14 and their product 1, so the larger is 7 + √48.
  EXPECT_EQ(
      describe_stability(symplectic, {}, 4e-3, 1000),
      "Symplectic Euler is stable below h·ω_max = 2 only, but h·ω_max = 4 (at h = 4 ms and ω_max = 1000 "
      "rad/s): it multiplies the stiffest oscillation by 13.9 in every step; the largest stable step is h = "
      "2 ms.");
  EXPECT_EQ(
      describe_stability(implicit, {}, 1, 1),
      "Semi-implicit Euler is stable at every step size; at h = 1 s and ω_max = 1 rad/s (h·ω_max = 1) it "
      "multiplies the stiffest oscillation by 0.707 in every step.");
  EXPECT_EQ(
      describe_stability(*find_integrator("rattle"), {}, 1e-3, 1000),
      "RATTLE is stable below h·ω_max = 2, and here h·ω_max = 1 (at h = 1 ms and ω_max = 1000 rad/s, that of "
      "bending springs and the hand); the largest stable step is h = 2 ms.");
  EXPECT_EQ(describe_stability(symplectic, {}, 1, 0),
            "Nothing in this scene can oscillate, so no step size is too large.");
  EXPECT_EQ(
      describe_stability(*find_integrator("rattle"), {}, 1, 0),
      "Nothing in this scene can oscillate where stretch springs are rods, so no step size is too large.");
}

TEST(Stability, ABlowUpIsExplained) {
  BlowUpFacts facts;
  facts.step = 47;
  facts.time = 0.047;
  facts.h = 1e-3;
  facts.energy = 499;
  facts.allowed = 277;
  facts.factor = 100;
  for (const IntegratorInfo& info : integrators()) {
    const std::string text = explain_blow_up(facts, info, default_parameters(info), 1400.0);
    EXPECT_NE(text.find("step 47"), std::string::npos) << text;
    EXPECT_NE(text.find("499 J"), std::string::npos) << text;
    EXPECT_NE(text.find("more than 100 × the 2.77 J"), std::string::npos) << text;
    EXPECT_NE(text.find(describe_stability(info, default_parameters(info), 1e-3, 1400)), std::string::npos)
        << text;
  }
  EXPECT_NE(explain_blow_up(facts, *find_integrator("explicit-euler"), {}, 1000.0).find("2 ms"),
            std::string::npos);
  // Whoever uses an implicit method already needs no advice to do so.
  for (const IntegratorInfo& info : integrators()) {
    if (!std::isinf(info.stability_limit)) continue;
    for (const std::optional<double> omega_max : {std::optional(1400.0), std::optional<double>()})
      EXPECT_EQ(explain_blow_up(facts, info, default_parameters(info), omega_max).find("implicit method"),
                std::string::npos);
  }
  facts.energy = std::numeric_limits<double>::infinity();
  EXPECT_NE(explain_blow_up(facts, integrators()[0], {}, 1400.0).find("energy is no longer a finite number"),
            std::string::npos);
  facts.finite = false;
  const std::string text = explain_blow_up(facts, *find_integrator("symplectic-euler"), {}, std::nullopt);
  EXPECT_NE(text.find("finite"), std::string::npos) << text;
  EXPECT_EQ(text.find("499"), std::string::npos) << text;
}

}  // namespace
}  // namespace clothlab
