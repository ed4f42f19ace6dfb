// SPDX-License-Identifier: MIT
#include "experiments/slope_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "integrate/tableau.h"
#include "integrate/two_step.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr double kCoulomb = 0.5, kSmooth = 1e-2;  // μ, ε [m/s]

Slope slope(double steepness, ContactModel contact, double h) {
  return {std::atan(steepness * kCoulomb), kCoulomb, kSmooth, contact, h};
}

/// Of the registry and of the tableaux with names.
std::vector<const IntegratorInfo*> every_method() {
  std::vector<const IntegratorInfo*> all;
  for (const IntegratorInfo& info : integrators()) all.push_back(&info);
  for (const TableauPreset& preset : tableau_presets()) all.push_back(&tableau_method(preset.tableau).info);
  return all;
}

// Half as steep as the angle of friction it sticks or creeps; twice as steep it slides, where methods that
// take one step of Newton's method rub too much, by h/t of the logarithm that the speed grows by.
TEST(SlopeRun, EveryMethodSticksCreepsAndSlidesAsTheorySays) {
  for (const IntegratorInfo* method : every_method())
    for (const ContactModel contact : {ContactModel::filter, ContactModel::penalty}) {
      const IntegratorInfo& info = *method;
      if (!supports_contact(contact, info)) continue;
      for (const double h : {1.0 / 60, 1.0 / 600}) {
        const Slope gentle = slope(0.5, contact, h), steep = slope(2, contact, h);
        ASSERT_TRUE(gentle.sticks() && !steep.sticks());
        IntegratorParameters values = default_parameters(info);
        if (info.id == "xpbd") values = {20, 1, 0};  // the sweep that contacts and springs agree after
        const SlopeRun slid = run_down(steep, info, values);
        ASSERT_TRUE(slid.done) << label_of(info);
        const bool lagged =
            info_of(contact).by_forces && (info.family == IntegratorFamily::linearly_implicit ||
                                           info.family == IntegratorFamily::exponential);
        // A second root −1 keeps what the landing gave it.
        const bool swings = info.id == kTwoStepIntegrator && TwoStepTable(info.table).alpha(0) == -1;
        EXPECT_NEAR(slid.rate, steep.slide(), (lagged || swings ? 5 * h : 1e-6) * steep.slide())
            << label_of(info) << h;
        const bool stiff = info_of(contact).by_forces && h > 0.01;
        // Friction damps the creep at this rate [1/s]; more than a method bears makes it slide.
        const double rate = std::sqrt(2.0) * kCoulomb * 9.8 * std::cos(gentle.angle) / kSmooth;
        if (info_of(contact).by_forces && info.growth(0, h * rate, values) > 1) continue;
        const SlopeRun held = run_down(gentle, info, values);
        ASSERT_TRUE(held.done) << label_of(info);
        EXPECT_NEAR(held.speed, gentle.creep(), std::max(1e-12, (stiff ? 1e-4 : 1e-8) * gentle.creep()))
            << label_of(info) << h;
      }
    }
}

// Near the angle of friction, at a frame's length: rest, or the acceleration of Coulomb's law.
TEST(SlopeRun, EveryMethodDecidesNearTheAngleOfFriction) {
  for (const IntegratorInfo* method : every_method())
    for (const double of_slope : {0.9, 0.97, 1.03, 1.1}) {  // μ / tan θ
      const IntegratorInfo& info = *method;
      const Slope near = slope(1 / of_slope, ContactModel::filter, 1.0 / 60);
      const SlopeRun run = run_down(near, info, default_parameters(info));
      ASSERT_TRUE(run.done) << label_of(info);
      if (of_slope > 1)
        EXPECT_NEAR(run.speed, 0, 1e-12) << label_of(info) << ' ' << of_slope;
      else
        EXPECT_NEAR(run.rate, near.slide(), 0.02 * near.slide()) << label_of(info) << ' ' << of_slope;
    }
}

// h m ε / (μ λ): above, an explicit method slides where theory has it creep.
TEST(SlopeRun, FrictionIsTooStiffForExplicitMethodsWithLongSteps) {
  const IntegratorInfo& info = *find_integrator("symplectic-euler");
  const double limit = kSmooth / (kCoulomb * 9.8);
  const auto speed = [&](double h) {
    return run_down(slope(0.5, ContactModel::penalty, h), info, default_parameters(info)).speed;
  };
  const double creep = slope(0.5, ContactModel::penalty, 0).creep();
  EXPECT_NEAR(speed(0.5 * limit), creep, 1e-6 * creep);
  EXPECT_GT(speed(8 * limit), 2 * creep);
}

TEST(SlopeRun, TellsWhereItWasStopped) {
  const IntegratorInfo& info = integrators()[0];
  const SlopeRun run = run_down(slope(2, ContactModel::filter, 0.01), info, {}, [] { return true; });
  EXPECT_FALSE(run.done || run.blew_up);
}

}  // namespace
}  // namespace clothlab
