// SPDX-License-Identifier: MIT
// Newton's method where cloth buckles: a sheet that swings down from two corners, from rest.

#include <gtest/gtest.h>

#include "contact/contact_force.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Stepper;

struct Effort {
  int newton = 0, linear = 0;  ///< iterations
};

/// Of 40 steps, all of which have to converge.
Effort swing_down(test::Rig& rig, const char* method, const SolverSettings& settings) {
  rig.pin(0);
  rig.pin(23);
  Stepper stepper(rig, *find_integrator(method), settings);
  Effort effort;
  for (int k = 0; k < 40; ++k) {
    const StepReport report = stepper.step(1.0 / 60);
    EXPECT_TRUE(report.converged) << "step " << k << ": " << report.reason;
    EXPECT_LE(report.newton_residual, settings.newton_tolerance);
    effort.newton += report.newton_iterations;
    effort.linear += report.linear_iterations;
  }
  return effort;
}

struct Swing {
  const char* method;
  double tolerance;
  LinearSolverSettings::Kind solver;
  JacobianMode jacobian;
  int newton_iterations, linear_iterations;  ///< of 40 steps, at most: one and a half times those measured
};

class Newton : public testing::TestWithParam<Swing> {};

TEST_P(Newton, ConvergesWhereClothBuckles) {
  const Swing& swing = GetParam();
  auto rig = test::make_sheet(24, 24, 1.0 / 23, Material{});
  SolverSettings settings;
  settings.newton_tolerance = swing.tolerance;
  settings.linear.kind = swing.solver;
  settings.jacobian = swing.jacobian;
  const auto [newton, linear] = swing_down(*rig, swing.method, settings);
  EXPECT_LE(newton, swing.newton_iterations);
  EXPECT_LE(linear, swing.linear_iterations);
}

constexpr auto kCg = LinearSolverSettings::Kind::cg;
constexpr auto kCholesky = LinearSolverSettings::Kind::cholesky;
constexpr auto kClamped = JacobianMode::clamped;
constexpr auto kExact = JacobianMode::exact;

INSTANTIATE_TEST_SUITE_P(All, Newton,
                         testing::Values(Swing{"backward-euler", 1e-3, kCg, kClamped, 250, 348},
                                         Swing{"backward-euler", 1e-6, kCg, kClamped, 442, 1108},
                                         Swing{"backward-euler", 1e-6, kCholesky, kClamped, 549, 0},
                                         Swing{"backward-euler", 1e-6, kCg, kExact, 379, 1063},
                                         Swing{"bdf2", 1e-6, kCg, kClamped, 445, 967},
                                         Swing{"tr-bdf2", 1e-6, kCg, kClamped, 673, 1071},
                                         Swing{"generalized-alpha", 1e-6, kCg, kClamped, 373, 735}));

// Columns in pairs, 0.3 mm apart: short springs turn by any angle in a step.
TEST(Newton, IsNotHeldUpByShortSprings) {
  const auto sheet = test::make_sheet(24, 24, 1.0 / 23, Material{});
  std::vector<vec3> rest = sheet->state.x;
  for (std::size_t i = 1; i < rest.size(); i += 2) rest[i].x = rest[i - 1].x + 3e-4;
  std::vector<ClothModel::Ends> stretch, bend;
  for (const ElasticElement e : sheet->system.elements()) (e.stretch ? stretch : bend).push_back({e.i, e.j});
  struct Limit {
    const char* method;
    int newton_iterations;  ///< as in Swing
  };
  for (const auto& [method, most] :
       {Limit{"backward-euler", 447}, Limit{"bdf2", 360}, Limit{"implicit-midpoint", 284}}) {
    test::Rig rig(std::make_shared<const ClothModel>(rest, stretch, bend), rest, Material{});
    EXPECT_LE(swing_down(rig, method, {}).newton, most) << method;
  }
}

// What touches a surface meets a stiff force that it did not feel where the step began; dampers that turn
// with their springs are stiff too.
TEST(Newton, IsNotHeldUpByContactsAndDampers) {
  Obstacle sphere;
  sphere.from = sphere.to = vec3(0.5, -0.3, 0.5);
  sphere.radius = 0.25;
  auto drape = test::make_sheet(24, 24, 1.0 / 23, Material{});
  Surfaces surfaces;
  surfaces.place({}, {{sphere}, 0}, 0, {}, drape->state.x.size(), 0, 0);
  ContactSettings settings;
  settings.law = {1000, 5e-3};
  ContactForce contact;
  contact.set(settings, surfaces);
  drape->system.set_contact(&contact);
  EXPECT_LE(swing_down(*drape, "backward-euler", {}).newton, 400);

  Material damped;
  damped.rayleigh_stiffness = 1e-3;
  auto sheet = test::make_sheet(24, 24, 1.0 / 23, damped);
  EXPECT_LE(swing_down(*sheet, "backward-euler", {}).newton, 435);
}

}  // namespace
}  // namespace clothlab
