// SPDX-License-Identifier: MIT
// The meter's limits against those of step matrices, whose columns are the integrator's own steps from unit
// states. These share none of the meter's theory.

#include "analysis/stability_meter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cloth/sample_cloth.h"
#include "dense_algebra.h"
#include "integrate/stepping.h"
#include "integrate/tableau.h"

namespace clothlab {
namespace {

using algebra::Matrix;

/// Free directions of a particle: all axes but those that its entry of the projection holds.
std::vector<std::pair<std::size_t, int>> free_axes(const test::Rig& rig) {
  std::vector<std::pair<std::size_t, int>> axes;
  for (std::size_t i = 0; i < rig.system.size(); ++i) {
    const Projection::Entry* entry = rig.system.projection().find(i);
    for (int c = 0; c < 3; ++c)
      if (entry == nullptr || entry->S[c][c] > 0.5) axes.emplace_back(i, c);
  }
  return axes;
}

/// One step of h as a linear map on (x, h v), by central differences about the state of the rig.
Matrix step_matrix(test::Rig& rig, const IntegratorInfo& info, const IntegratorParameters& values, double h) {
  constexpr double kDifference = 1e-6;  // [m]: small beside the springs' length of 0.25 m
  const auto axes = free_axes(rig);
  const auto n = static_cast<Eigen::Index>(axes.size());
  Matrix map(2 * n, 2 * n);
  SolverSettings settings;
  settings.jacobian = JacobianMode::exact;
  for (Eigen::Index column = 0; column < 2 * n; ++column) {
    for (const double side : {1.0, -1.0}) {
      State state = rig.state;
      const auto [i, c] = axes[static_cast<std::size_t>(column % n)];
      if (column < n)
        state.x[i][c] += side * kDifference;
      else
        state.v[i][c] += side * kDifference / h;
      info.make(values)->advance(rig.system, state, h, {settings, rig.pool, {}});
      for (Eigen::Index row = 0; row < n; ++row) {
        const auto [j, d] = axes[static_cast<std::size_t>(row)];
        const double scale = side / (2 * kDifference);
        if (side > 0) map(row, column) = map(n + row, column) = 0;
        map(row, column) += scale * state.x[j][d];
        map(n + row, column) += scale * h * state.v[j][d];
      }
    }
  }
  return map;
}

/// Motions without force have a double eigenvalue 1, which rounding enlarges a little.
constexpr double kRounding = 1e-4;

bool grows(test::Rig& rig, const IntegratorInfo& info, const IntegratorParameters& values, double h) {
  return algebra::spectral_radius(step_matrix(rig, info, values, h)) > 1 + kRounding;
}

/// `limit` is within 1 % of the largest h at which the step does not grow.
void expect_limit(test::Rig& rig, const IntegratorInfo& info, double limit) {
  const IntegratorParameters values = test::whole_step_parameters(info);
  EXPECT_FALSE(grows(rig, info, values, 0.99 * limit)) << info.id << " at 0.99 of " << limit;
  EXPECT_TRUE(grows(rig, info, values, 1.01 * limit)) << info.id << " at 1.01 of " << limit;
}

Material material_of(double damping, DampingModel model) {
  Material material;
  material.mass = 0.05;
  material.stretch_stiffness = 1000;
  material.bend_stiffness = 1;
  material.spring_damping = damping;
  material.damping_model = model;
  material.gravity = vec3(0);
  return material;
}

std::unique_ptr<test::Rig> hung_sheet(double damping, DampingModel model) {
  auto rig = test::make_sheet(5, 5, 0.25, material_of(damping, model));
  rig->pin(0);
  rig->pin(4);
  return rig;
}

const IntegratorInfo& row(std::string_view id) { return *find_integrator(id); }

StabilityEstimate estimate_of(const test::Rig& rig, const IntegratorInfo& info, bool exact = true) {
  WorkerPool pool(1);
  StabilityMeter meter;
  const StabilityMeter::Subject subject{rig.system, rig.state, rig.system.projection(), info};
  StabilityEstimate e = meter.estimate(subject, pool).value();
  if (exact && needs_eigenvalues(info, e)) {
    EXPECT_TRUE(meter.add_eigenvalues(e, subject, pool));
  }
  return e;
}

double limit_of(const test::Rig& rig, const IntegratorInfo& info, bool exact = true) {
  return largest_stable_step(info, test::whole_step_parameters(info), estimate_of(rig, info, exact)).value();
}

struct Limits {
  double damping;
  DampingModel model;
  double symplectic, verlet, rk4, explicit_euler;  // [ms]; of explicit Euler 0: not in the table
};

TEST(StabilityMeter, KnowsDamping) {
  constexpr DampingModel kProjected = DampingModel::projected, kIsotropic = DampingModel::isotropic;
  for (const Limits& expected :
       {Limits{0.1, kProjected, 1.021, 1.048, 1.702, 0}, Limits{0.5, kProjected, 0.638, 0.881, 1.551, 0.542},
        Limits{5, kProjected, 0.0877, 0.0881, 0.1233, 0}, Limits{0.5, kIsotropic, 0.490, 0.587, 0.817, 0}}) {
    SCOPED_TRACE(expected.damping);
    const auto rig = hung_sheet(expected.damping, expected.model);
    const auto check = [&](std::string_view id, double milliseconds) {
      const double limit = limit_of(*rig, row(id));
      if (milliseconds > 0) {
        EXPECT_NEAR(limit, milliseconds * 1e-3, 0.01e-3 * milliseconds) << id;
      }
      expect_limit(*rig, row(id), limit);
    };
    check("symplectic-euler", expected.symplectic);
    check("velocity-verlet", expected.verlet);
    check("rk4", expected.rk4);
    check("explicit-euler", expected.explicit_euler);
    for (const char* name : {"heun", "kutta3", "cash-karp5"}) {
      const IntegratorInfo& info = tableau_method(tableau_preset(name)).info;
      expect_limit(*rig, info, limit_of(*rig, info));
    }
  }
}

TEST(StabilityMeter, DampingNeverLowersNewmarksLimit) {
  const IntegratorInfo& info = row("newmark");
  for (const auto& [beta, gamma] : {std::pair{0.0, 0.5}, {1.0 / 6, 0.5}, {0.0, 0.7}}) {
    for (const DampingModel model : {DampingModel::projected, DampingModel::isotropic}) {
      const auto rig = hung_sheet(0.5, model);
      const IntegratorParameters values{beta, gamma};
      const double limit = largest_stable_step(info, values, estimate_of(*rig, info)).value();
      EXPECT_FALSE(grows(*rig, info, values, 0.99 * limit)) << beta << ' ' << gamma;
      if (gamma == 0.5) {
        EXPECT_TRUE(grows(*rig, info, values, 1.01 * limit)) << beta;
      }
    }
  }
}

/// Slow, so that its force hardly moves the cloth, and dense, so that its damping counts.
Wind thick_air(double density) {
  Wind wind;
  wind.on = true;
  wind.elevation = 90;
  wind.speed = 0.5;
  wind.density = density;
  return wind;
}

/// A wind from below, and the weight that balances its force, which would change the flow within the step.
void balance_in_wind(test::Rig& rig, double density) {
  rig.system.set_wind(thick_air(density));
  Material heavy = rig.system.material();
  heavy.gravity = vec3(0, -density * 1.2 / 2 * 0.0625 * 0.25 / 0.002, 0);
  rig.system.set_material(heavy);
}

/// Every spring at rest and few of them parallel, so that K and D share no mode.
std::unique_ptr<test::Rig> crumpled_sheet(double damping, DampingModel model) {
  const auto flat = hung_sheet(damping, model);
  std::vector<vec3> rest = flat->state.x;
  std::mt19937 random(7);
  const auto shift = [&] { return 0.2 * (static_cast<double>(random()) / 4294967296.0 - 0.5); };
  for (vec3& x : rest) x += vec3(shift(), shift(), shift());
  const ClothModel& of = flat->system.model();
  std::vector<ClothModel::Ends> stretch, bend;
  for (std::size_t s = 0; s < of.springs(); ++s)
    (s < of.stretch_springs() ? stretch : bend).push_back(of.pattern()->ends(s));
  auto crumpled = std::make_shared<const ClothModel>(rest, stretch, bend, of.triangles());
  auto rig = std::make_unique<test::Rig>(std::move(crumpled), rest, material_of(damping, model));
  rig->pin(0);
  rig->pin(4);
  return rig;
}

TEST(StabilityMeter, HoldsForCrumpledClothOnTheFloorInAGrab) {
  for (const double damping : {0.05, 0.3, 1.0}) {
    SCOPED_TRACE(damping);
    const auto rig =
        crumpled_sheet(damping, damping < 0.5 ? DampingModel::projected : DampingModel::isotropic);
    for (const std::size_t i : {20u, 21u, 22u})  // on a floor
      rig->system.projection().constrain(i, mat3(1, 0, 0, 0, 0, 0, 0, 0, 1), rig->state.x[i]);
    const auto& x = rig->state.x;
    const vec3 held = 0.2 * x[7] + 0.3 * x[8] + 0.5 * x[12];
    rig->system.set_grab(GrabSpring{{7, 8, 12}, vec3(0.2, 0.3, 0.5), held, 300, 0.5, 1e6});
    for (const char* id : {"symplectic-euler", "velocity-verlet", "rk4"}) {
      const double limit = limit_of(*rig, row(id));
      expect_limit(*rig, row(id), limit);
      // As with more than 600 free directions.
      const double estimate = limit_of(*rig, row(id), false);
      EXPECT_LT(estimate, 1.01 * limit) << id;
      EXPECT_GT(estimate, 0.85 * limit) << id;
    }
  }
}

/// Largest relative error of a limit of the meter: half of the tolerance 0.005 of its eigenvalues, plus the
/// gain 0.001 below which it stops to refine a critical vector.
constexpr double kMeterError = 0.0035;

class LimitOfEveryIntegrator : public test::EveryIntegrator {};

// K and D have no common eigenvectors, so another `coupling` gives another limit.
TEST_P(LimitOfEveryIntegrator, IsThatOfItsStepMatrix) {
  // Without damping no h is stable for explicit Euler, and with it growth near the limit is too slow.
  if (info().stability_limit == 0 || info().stability_limit == kNoStabilityLimit) return;
  if (info().id == "two-step") return;  // its first step is of another method
  const IntegratorParameters values = test::whole_step_parameters(info());
  for (const DampingModel model : {DampingModel::projected, DampingModel::isotropic}) {
    for (const double damping : {0.02, 0.05, 0.2, 0.3, 0.5, 3.0}) {
      const auto rig = crumpled_sheet(damping, model);
      const StabilityEstimate e = estimate_of(*rig, info());
      const std::optional<double> limit = largest_stable_step(info(), values, e);
      ASSERT_TRUE(limit);
      const auto message = [&](const char* error) {
        return "The theory of " + std::string(info().id) + " gives the limit " +
               std::to_string(1e3 * *limit) + " ms, " + error + " its step matrix, at spring damping " +
               std::to_string(damping) +
               ". Check `coupling` and `growth` in its row in src/integrate/methods/.";
      };
      EXPECT_FALSE(grows(*rig, info(), values, (1 - kMeterError) * *limit)) << message("above that of");
      const bool is_bound = is_approximate(info(), values, e) || info().inextensible ||
                            info().coupling == StepCoupling::undamped;
      if (is_bound) continue;
      EXPECT_TRUE(grows(*rig, info(), values, 1.01 * *limit)) << message("more than 1 % below that of");
    }
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(LimitOfEveryIntegrator);

TEST(StabilityMeter, KnowsTheWindOfThoseThatTakeItExplicitly) {
  const auto rig = hung_sheet(0, DampingModel::projected);
  EXPECT_EQ(estimate_of(*rig, row("xpbd")).wind_rate, 0);
  balance_in_wind(*rig, 30);
  const StabilityEstimate e = estimate_of(*rig, row("xpbd"));
  EXPECT_NEAR(e.wind_rate, 30 * 1.2 * 0.5 * 0.0625 / 0.002, 1e-9);  // ρ c A u / m of an inner particle
  EXPECT_NEAR(e.damping_max, e.wind_rate, 0.005 * e.wind_rate);
  for (const IntegratorParameters& values :
       {IntegratorParameters{20, 1, 0}, default_parameters(row("xpbd"))}) {
    const double limit = largest_stable_step(row("xpbd"), values, e).value();
    // As the sheet sets off, its slow motions grow by a quarter of a per cent in ten substeps.
    EXPECT_LT(algebra::spectral_radius(step_matrix(*rig, row("xpbd"), values, 0.99 * limit)), 1.005);
    EXPECT_GT(algebra::spectral_radius(step_matrix(*rig, row("xpbd"), values, 1.01 * limit)), 1.01);
  }
  // Springs count only where they hold a particle against the wind, as here.
  const IntegratorInfo& projective = row("projective-dynamics");
  EXPECT_FALSE(grows(*rig, projective, default_parameters(projective), 0.99 * limit_of(*rig, projective)));
}

TEST(StabilityMeter, CountsTheWind) {
  const auto rig = hung_sheet(0.05, DampingModel::projected);
  balance_in_wind(*rig, 300);
  for (const char* id : {"symplectic-euler", "velocity-verlet", "rk4"}) {
    const double limit = limit_of(*rig, row(id));
    EXPECT_LT(limit, 0.6e-3);
    expect_limit(*rig, row(id), limit);
  }
}

TEST(StabilityMeter, LeavesOutWhatRodsHold) {
  const auto rig = hung_sheet(0.5, DampingModel::projected);
  const StabilityEstimate rods = estimate_of(*rig, row("rattle"));
  EXPECT_LT(rods.omega_max(), 0.1 * estimate_of(*rig, row("velocity-verlet")).omega_max());
  EXPECT_LT(rods.damping_max, 0.9 * estimate_of(*rig, row("velocity-verlet")).damping_max);
}

TEST(StabilityMeter, TakesExactBlocksWhereTheJacobianIsIgnored) {
  const auto rig = hung_sheet(0, DampingModel::projected);
  for (vec3& x : rig->state.x) x *= 0.8;
  EXPECT_LT(estimate_of(*rig, row("velocity-verlet")).omega_max(),
            estimate_of(*rig, row("backward-euler")).omega_max());
}

TEST(StabilityMeter, FollowsClothThatMoves) {
  for (const char* id : {"symplectic-euler", "velocity-verlet", "rk4", "backward-euler"}) {
    const auto rig = crumpled_sheet(0.3, DampingModel::projected);
    WorkerPool pool(1);
    StabilityMeter meter;
    const StabilityMeter::Subject subject{rig->system, rig->state, rig->system.projection(), row(id)};
    StabilityEstimate e = meter.estimate(subject, pool).value();
    const double before = largest_stable_step(row(id), {}, e).value(), omega = e.omega_max();
    for (vec3& x : rig->state.x) x.y = 0;
    ASSERT_TRUE(meter.follow(e, subject, pool));
    const StabilityEstimate fresh = estimate_of(*rig, row(id), false);
    const double expected = largest_stable_step(row(id), {}, fresh).value();
    EXPECT_GT(std::abs(fresh.omega_max() / omega - 1), 0.02) << "or nothing is followed";
    EXPECT_NEAR(e.omega_max(), fresh.omega_max(), 0.005 * omega) << id;
    if (!std::isinf(expected)) {
      EXPECT_GT(std::abs(expected / before - 1), 0.02) << id;
      EXPECT_NEAR(largest_stable_step(row(id), {}, e).value(), expected, 0.005 * expected) << id;
    }
  }
}

TEST(StabilityMeter, StopsWhenAsked) {
  const auto rig = hung_sheet(0.5, DampingModel::projected);
  WorkerPool pool(1);
  StabilityMeter meter;
  const StabilityMeter::Subject subject{rig->system, rig->state, rig->system.projection(), row("rk4")};
  int polls = 0, allowed = 0;
  const StopProbe stop = [&] { return polls++ >= allowed; };
  std::optional<StabilityEstimate> e;
  for (; !e; ++allowed) {
    ASSERT_LT(allowed, 10000);
    polls = 0;
    e = meter.estimate(subject, pool, stop);
    if (!e) {
      EXPECT_LE(polls, allowed + 2);
    }
    allowed = std::max(allowed, 2 * allowed - 1);
  }
  allowed = polls = 0;
  EXPECT_FALSE(meter.add_eigenvalues(*e, subject, pool, stop));
  EXPECT_FALSE(e->others_are_exact);
}

}  // namespace
}  // namespace clothlab
