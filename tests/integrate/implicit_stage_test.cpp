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

// A step is a minimum of ½‖v1 − v̂‖²_M + W(x̂ + γ v1) [Ascher 2022, (14), (15)]. By backward Euler γ = h,
// x̂ = x0, v̂ = v0; by BDF2 γ = ⅔h, and x̂, v̂ are the values at the start plus a third of their last change; by
// the trapezoidal rule γ = h/2, and x̂, v̂ are half a step of explicit Euler.
TEST(IncrementalPotential, IsLeastAtTheEndOfAStep) {
  for (const std::string_view id : {"backward-euler", "bdf2", "trapezoidal"}) {
    const bool two_steps = id == "bdf2", half = id == "trapezoidal";
    Material material;
    material.stretch_stiffness = 200;
    material.spring_damping = 0;
    auto rig = test::make_sheet(5, 5, 0.2, material);
    for (vec3& x : rig->state.x) x *= 1.05;  // in tension, so that the minimum is the only one
    test::shake(rig->state, 0.005, 0.3);
    rig->pin(0);
    rig->pin(4);
    rig->state.v[0] = rig->state.v[4] = vec3(0);
    const double h = 0.02, gamma = two_steps ? 2 * h / 3 : half ? h / 2 : h;
    Stepper stepper(*rig, *find_integrator(id), test::tight_settings());
    const State before = rig->state;
    if (two_steps) stepper.step(h);
    const State start = rig->state;
    stepper.step(h);
    const std::size_t n = start.x.size();
    std::vector<vec3> x_hat = start.x, v_hat = start.v;
    if (half) {
      std::vector<vec3> f(n);
      rig->system.force(rig->pool, start.x, start.v, f);
      for (std::size_t i = 0; i < n; ++i) {
        x_hat[i] += h / 2 * start.v[i];
        v_hat[i] += h / 2 / rig->system.masses()[i] * f[i];
      }
    }
    if (two_steps)
      for (std::size_t i = 0; i < n; ++i) {
        x_hat[i] += (start.x[i] - before.x[i]) / 3.0;
        v_hat[i] += (start.v[i] - before.v[i]) / 3.0;
      }
    const auto potential = [&](const std::vector<vec3>& v) {
      std::vector<vec3> x(n);
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = x_hat[i] + gamma * v[i];
        sum += rig->system.masses()[i] / 2 * glm::dot(v[i] - v_hat[i], v[i] - v_hat[i]);
      }
      return sum + rig->system.potential_energy(rig->pool, x);
    };
    const double least = potential(rig->state.v);
    for (int trial = 1; trial <= 20; ++trial) {
      State other = rig->state;
      test::shake(other, 0, 1, static_cast<unsigned>(trial));
      double curvature = 0;
      for (const double size : {-1e-3, 1e-3, -0.1, 0.1}) {
        std::vector<vec3> v = rig->state.v;
        for (std::size_t i = 0; i < n; ++i)
          if (!rig->system.projection().is_fixed(i)) v[i] += size * (other.v[i] - rig->state.v[i]);
        EXPECT_GT(potential(v), least) << id << ' ' << trial << ' ' << size;
        // The slope vanishes: what is left is the square of the change, equal to both sides.
        const double of_square = (potential(v) - least) / (size * size);
        if (size == -1e-3) curvature = of_square;
        if (size == 1e-3) {
          EXPECT_NEAR(of_square, curvature, 1e-3 * curvature) << id << ' ' << trial;
        }
      }
    }
  }
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
