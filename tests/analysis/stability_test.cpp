// SPDX-License-Identifier: MIT
#include "analysis/stability.h"

#include "integrate/tableau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/stability_meter.h"
#include "analysis/stability_text.h"
#include "cloth/cloth_system.h"
#include "uniform_estimate.h"

namespace clothlab {
namespace {

using testing::uniform_estimate;

/// Two particles of 0.1 kg and one spring of 1 m and 100 N/m between them.
class PendulumTest : public ::testing::Test {
 protected:
  PendulumTest() {
    Material material;
    material.mass = 0.2;
    material.stretch_stiffness = 100;
    system.emplace(model, material);
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
  system->set_grab(GrabSpring{{0, 1, 1}, vec3(0, 0.5, 0.5), x[1], 44, 0, 1e3});
  EXPECT_NEAR(of_rods().value(), std::sqrt(44 / 0.1), 1e-9);
}

TEST_F(PendulumTest, TheGrabCounts) {
  system->projection().fix(0, x[0]);
  GrabSpring grab{{0, 1, 1}, vec3(0, 0.5, 0.5), x[1], 44, 0, 1e3};
  system->set_grab(grab);
  EXPECT_NEAR(omega().value(), std::sqrt(144 / 0.1), 1e-9);
}

TEST_F(PendulumTest, GivesUpWhenToldToAndOnWhatIsNotFinite) {
  EXPECT_FALSE(meter.omega_max(*system, x, JacobianMode::clamped, pool, [] { return true; }));
  x[1].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(omega());
}

const IntegratorInfo& info_of(std::string_view id) { return *find_integrator(id); }

double limit(std::string_view id, const StabilityEstimate& e) {
  return largest_stable_step(info_of(id), default_parameters(info_of(id)), e).value();
}

bool approximate(std::string_view id, const StabilityEstimate& e) {
  return is_approximate(info_of(id), default_parameters(info_of(id)), e);
}

TEST(Stability, LimitsOnOneOscillatorAreTheKnownOnes) {
  constexpr double kOmega = 1000;
  for (const IntegratorInfo& info : integrators()) {
    if (info.growth_of_slow_modes) continue;
    const double expected = info.stability_limit / kOmega;
    const double measured = limit(info.id, uniform_estimate(kOmega));
    EXPECT_TRUE(measured == expected || std::abs(measured - expected) < 1e-6 * expected)
        << info.id << ": " << measured;
  }
  for (const TableauPreset& preset : tableau_presets()) {
    const IntegratorInfo& info = tableau_method(preset.tableau).info;
    const double measured =
        largest_stable_step(info, default_parameters(info), uniform_estimate(kOmega)).value();
    const double expected = info.stability_limit / kOmega;
    EXPECT_TRUE(measured == expected || std::abs(measured - expected) < 1e-6 * expected)
        << preset.id << ": " << measured;
  }
  // Half the critical damping, d = ω: y² + 2s = 4, h d = 2 or y² + 2s − s² = 4, and h = d/ω².
  const StabilityEstimate damped = uniform_estimate(kOmega, kOmega);
  EXPECT_NEAR(limit("symplectic-euler", damped), (std::sqrt(5.0) - 1) / kOmega, 1e-9);
  EXPECT_NEAR(limit("velocity-verlet", damped), 2 / kOmega, 1e-9);
  EXPECT_NEAR(limit("explicit-euler", damped), 1 / kOmega, 1e-9);
  // Overdamped, with real eigenvalues −1 and −100: 1 − h |λ| = −1.
  const double slow = 1, fast = 100;
  EXPECT_NEAR(limit("explicit-euler", uniform_estimate(std::sqrt(slow * fast), slow + fast)), 2 / fast, 1e-9);
  EXPECT_NEAR(limit("rk4", uniform_estimate(std::sqrt(slow * fast), slow + fast)), 2.785293563 / fast, 1e-8);
  EXPECT_TRUE(std::isinf(limit("symplectic-euler", uniform_estimate(0))));
}

// d = 0.05 ω raises the limit of one oscillator to 2.47; d = 0.42 ω has the smallest one, 1.2589.
TEST(Stability, LimitOfACompositionDoesNotRiseWithDamping) {
  constexpr double kOmega = 1000;
  const double undamped = limit("yoshida4", uniform_estimate(kOmega));
  EXPECT_NEAR(limit("yoshida4", uniform_estimate(kOmega, 0.05 * kOmega)), undamped, 1e-9 * undamped);
  double before = undamped;
  for (const double damping : {0.1, 0.2, 0.3, 0.42, 0.5, 0.7, 1.0, 2.0, 10.0}) {
    const StabilityEstimate e = uniform_estimate(kOmega, damping * kOmega);
    const double now = limit("yoshida4", e);
    EXPECT_LT(now, 1.005 * before) << damping;
    EXPECT_LE(deciding_growth(info_of("yoshida4"), {}, 0.999 * now, e), 1 + 1e-9) << damping;
    EXPECT_GT(deciding_growth(info_of("yoshida4"), {}, 1.001 * now, e), 1) << damping;
    before = now;
  }
  EXPECT_FALSE(approximate("yoshida4", uniform_estimate(kOmega)));
  EXPECT_TRUE(approximate("yoshida4", uniform_estimate(kOmega, 1)));
}

TEST(Stability, WhatIsNotKnownIsNotSaid) {
  StabilityEstimate e = uniform_estimate(1000, 500);
  e.others_are_exact = false;
  EXPECT_FALSE(largest_stable_step(info_of("explicit-euler"), {}, e));
  EXPECT_TRUE(approximate("rk4", e));
  EXPECT_FALSE(approximate("velocity-verlet", e));
  e.free_directions = kExactDirections + 1;
  EXPECT_TRUE(approximate("velocity-verlet", e));
  EXPECT_FALSE(approximate("backward-euler", e));
}

TEST(Stability, TheHandCounts) {
  StabilityEstimate e = uniform_estimate(1000);
  EXPECT_NEAR(limit("velocity-verlet", with_grab(e, 0.21e6, 0)), 2 / 1100.0, 1e-9);
  EXPECT_LT(limit("velocity-verlet", with_grab(e, 0.21e6, 500)), 2 / 1100.0);
}

TEST(Stability, WindLimitsThoseThatTakeItExplicitly) {
  StabilityEstimate e = uniform_estimate(1000);
  e.wind_rate = 100;
  EXPECT_DOUBLE_EQ(limit("projective-dynamics", e), 0.02);
  EXPECT_DOUBLE_EQ(largest_stable_step(info_of("xpbd"), {20, 4}, e).value(), 0.08);  // of its substeps
  EXPECT_TRUE(std::isinf(limit("backward-euler", e)));
  EXPECT_EQ(describe_stability(info_of("projective-dynamics"), {10, 0}, 1e-3, e),
            "Projective dynamics is stable at every step size when iterated to convergence; at h = 1 ms "
            "(h·ω_max = 1) it multiplies the stiffest oscillation by 0.707 in every step. The wind is "
            "explicit, though: in this wind it is stable below h = 20 ms.");
  EXPECT_NE(describe_stability(info_of("xpbd"), {20, 1}, 0.03, e).find("below h = 20 ms only."),
            std::string::npos);
}

TEST(Stability, SentencesCarryTheNumbers) {
  const StabilityEstimate e = uniform_estimate(1000);
  EXPECT_EQ(describe_stability(info_of("explicit-euler"), {}, 1e-3, uniform_estimate(1400)),
            "Explicit Euler multiplies the stiffest oscillation by 1.72 in every step at h = 1 ms (h·ω_max = "
            "1.4): no step size is stable.");
  EXPECT_EQ(
      describe_stability(info_of("explicit-euler"), {}, 1.0 / 240, uniform_estimate(std::sqrt(1000.0))),
      "Explicit Euler enlarges the stiffest oscillation by 0.86 % in every step at h = 4.17 ms (h·ω_max = "
      "0.132): no step size is stable.");
  EXPECT_EQ(
      describe_stability(info_of("explicit-euler"), {}, 1e-4, uniform_estimate(1000, 542)),
      "Explicit Euler is stable below h = 542 µs, its linear limit at this shape; without damping no step "
      "size would be. Here h = 100 µs (h·ω_max = 0.1).");
  StabilityEstimate large = uniform_estimate(1000, 542);
  large.others_are_exact = false;
  large.free_directions = 1194;
  EXPECT_EQ(
      describe_stability(info_of("explicit-euler"), {}, 1e-3, large),
      "Explicit Euler multiplies the stiffest oscillation by 1.21 in every step at h = 1 ms (h·ω_max = 1). "
      "Its linear limit depends on all oscillations and is found for cloth of up to 200 free particles.");
  EXPECT_EQ(describe_stability(info_of("symplectic-euler"), {}, 1e-3, e),
            "Symplectic Euler is stable below h = 2 ms, its linear limit at this shape; without damping it "
            "would be "
            "2/ω_max = 2 ms. Here h = 1 ms (h·ω_max = 1).");
  EXPECT_EQ(
      describe_stability(info_of("symplectic-euler"), {}, 1e-3, large),
      "Symplectic Euler is stable below h ≈ 1.53 ms, its linear limit at this shape; without damping it "
      "would be 2/ω_max = 2 ms. Here h = 1 ms (h·ω_max = 1).");
  // h ω = 4: the eigenvalues' sum is 2 − 16 = −14 and their product 1, so the larger is 7 + √48.
  EXPECT_EQ(
      describe_stability(info_of("symplectic-euler"), {}, 4e-3, e),
      "Symplectic Euler is stable below h = 2 ms, its linear limit at this shape; without damping it would "
      "be "
      "2/ω_max = 2 ms. Here h = 4 ms (h·ω_max = 4), which multiplies an oscillation by 13.9 in every step.");
  EXPECT_EQ(describe_stability(info_of("semi-implicit-euler"), {}, 1, uniform_estimate(1)),
            "Semi-implicit Euler is stable at every step size; at h = 1 s (h·ω_max = 1) it multiplies the "
            "stiffest oscillation by 0.707 in every step.");
  EXPECT_EQ(
      describe_stability(info_of("trapezoidal"), {}, 1, uniform_estimate(1)),
      "Trapezoidal rule is stable at every step size on an oscillator, here at h = 1 s (h·ω_max = 1), but "
      "damps nothing: on cloth that bends and turns, energy may grow at large steps. Watch its plot.");
  EXPECT_NE(
      describe_stability(info_of("xpbd"), {20, 1}, 1, e).find("stable at every step size when swept to conv"),
      std::string::npos);
  EXPECT_EQ(
      describe_stability(info_of("rattle"), {}, 1e-3, e),
      "RATTLE is stable below h = 2 ms, its linear limit at this shape as far as bending springs, dampers "
      "and "
      "the grab go; rods under tension, or more of them than the cloth has freedom, may have a lower one. "
      "Here h = 1 ms (h·ω_max = 1).");
  EXPECT_EQ(describe_stability(info_of("symplectic-euler"), {}, 1, uniform_estimate(0)),
            "Nothing in this scene can oscillate, so no step size is too large.");
  EXPECT_EQ(
      describe_stability(info_of("rattle"), {}, 1, uniform_estimate(0)),
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
  const auto explain = [&](const IntegratorInfo& info, const std::optional<StabilityEstimate>& e) {
    facts.integrator = &info;
    facts.parameters = default_parameters(info);
    return explain_blow_up(facts, e);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in: " << text;
  };
  for (const IntegratorInfo& info : integrators()) {
    const std::string text = explain(info, uniform_estimate(1400));
    for (const char* part : {"step 47", "499 J", "more than 100 × the 2.77 J", "At the start: "})
      has(text, part);
    has(text, describe_stability(info, default_parameters(info), 1e-3, uniform_estimate(1400)));
  }
  has(explain(info_of("explicit-euler"), uniform_estimate(1000)), "2 ms");
  facts.good_time = 0.031;
  has(explain(info_of("explicit-euler"), uniform_estimate(1000)),
      "In the last good state (no spring strained by 10 %), at 0.031 s: ");
  // With an implicit method there is no advice to choose one.
  for (const IntegratorInfo& info : integrators()) {
    if (!std::isinf(info.stability_limit)) continue;
    for (const auto& e : {std::optional(uniform_estimate(1400)), std::optional<StabilityEstimate>()})
      EXPECT_EQ(explain(info, e).find("implicit method"), std::string::npos);
  }
  // The spring that failed, with its own frequency where the method has elastic forces.
  EXPECT_EQ(explain(info_of("rk4"), uniform_estimate(1)).find("spring between"), std::string::npos);
  facts.spring = FailedSpring{
      .i = 1, .j = 2, .stretch = true, .rest_length = 0.1, .before = 0.15, .after = 1.2, .omega = 2500};
  facts.vertices = {7, 19};
  has(explain(info_of("symplectic-euler"), uniform_estimate(1000)),
      "No spring gained more energy than the stretch spring between vertices 7 and 19: from 1.5 to 12 times "
      "its length "
      "at "
      "rest; alone between its particles it has h·ω = 2.5, of 2.");
  has(explain(info_of("backward-euler"), uniform_estimate(1000)), "it has h·ω = 2.5. ");
  has(explain(info_of("rattle"), uniform_estimate(1000)), "times its length at rest. ");
  // The contact that did, where it is the stiffer one.
  facts.contact = FailedContact{.particle = 4, .surface = 0, .omega = 3000, .friction_rate = 0};
  facts.contact_vertex = 5;
  facts.contact_with = "the floor";
  has(explain(info_of("symplectic-euler"), std::nullopt),
      "The contact of vertex 5 with the floor is stiffer: h·ω = 3, of 2.");
  facts.contact->friction_rate = 4000;
  has(explain(info_of("symplectic-euler"), std::nullopt),
      "h·ω = 3, of 2; its friction brakes at h·d = 4, of 2.");
  has(explain(info_of("siere"), std::nullopt), "is stiffer: h·ω = 3; its friction brakes at h·d = 4.");
  const auto failure = [&](const char* method) {
    facts.integrator = &info_of(method);
    facts.parameters = default_parameters(info_of(method));
    return name_of_failure(facts);
  };
  EXPECT_EQ(failure("symplectic-euler"), "the contact of vertex 5 with the floor");
  EXPECT_EQ(failure("siere"), "the stretch spring between vertices 7 and 19") << "which has no limit";
  facts.contact->omega = 2400;
  facts.contact->friction_rate = 0;
  EXPECT_EQ(explain(info_of("symplectic-euler"), std::nullopt).find("contact"), std::string::npos);
  EXPECT_EQ(failure("symplectic-euler"), "the stretch spring between vertices 7 and 19");
  // Other contact models, where it touches something by impulses or finds no free displacement.
  EXPECT_EQ(explain(info_of("bdf2"), std::nullopt).find("by filter"), std::string::npos);
  facts.contact_model = ContactModel::impulse;
  facts.other_contact = "contact by filter, penalty or barrier";
  has(explain(info_of("bdf2"), std::nullopt),
      "more substeps, or contact by filter, penalty or barrier, may help");
  facts.squeezed = true;
  facts.other_contact = "contact by filter or penalty";
  has(explain(info_of("bdf2"), std::nullopt),
      "a smaller h or more substeps, or contact by filter or penalty.");
  facts.contact_model = ContactModel::barrier;
  has(explain(info_of("bdf2"), std::nullopt), "a stiffer barrier, or contact by filter or penalty.");
  facts.squeezed = false;
  facts.contact_model.reset();
  facts.energy = std::numeric_limits<double>::infinity();
  has(explain(integrators()[0], uniform_estimate(1400)), "energy is no longer a finite number");
  facts.finite = false;
  const std::string text = explain(info_of("symplectic-euler"), std::nullopt);
  has(text, "finite");
  EXPECT_EQ(text.find("499"), std::string::npos) << text;
}

}  // namespace
}  // namespace clothlab
