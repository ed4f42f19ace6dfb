// SPDX-License-Identifier: MIT
// XPBD against its formula, evaluated apart spring by spring; its drape against static equilibrium; and the
// colours that its springs are swept in.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <set>

#include "integrate/colouring.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Rig;
using test::Stepper;

const IntegratorInfo& xpbd() { return *find_integrator("xpbd"); }

// The row of model.md's table, written again, with damping by mass taken implicitly. `order` are the springs
// in the order of a sweep, `velocity` what pinned particles have.
struct Solution {
  double unsolved = 0;  // largest error after the sweeps over that met in the first, of the worst substep
  double distance = 0;  // ‖M (v1 − v0) − h f(x1, v1)‖ / ‖h f(x0, v0)‖ of the last substep
};

Solution formula_step(const Rig& rig, State& u, double h, int iterations, int substeps,
                      std::span<const std::size_t> order, std::span<const vec3> velocity) {
  const auto springs = rig.system.elements();
  const Material& material = rig.system.material();
  const double h_s = h / substeps, inertia = 1 + h_s * material.rayleigh_mass;
  std::vector<double> w(u.x.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = rig.system.projection().is_fixed(i) ? 0 : 1 / (rig.system.masses()[i] * inertia);
  }
  const auto free_norm = [&](std::vector<vec3> a) {
    rig.system.projection().filter(a);
    double squared = 0;
    for (const vec3& v : a) squared += glm::dot(v, v);
    return std::sqrt(squared);
  };
  Solution solution;
  State u0;
  for (int s = 0; s < substeps; ++s) {
    u0 = u;
    double first = 0, left = 0;  // largest errors: met in the first sweep, after the last
    const std::vector<vec3> x_n = u.x;
    for (std::size_t i = 0; i < w.size(); ++i) {
      u.v[i] = w[i] > 0 ? (u.v[i] + h_s * material.gravity) / inertia : velocity[i];
      u.x[i] += h_s * u.v[i];
    }
    std::vector<double> lambda(springs.size());
    for (int k = 0; k <= iterations; ++k) {
      for (const std::size_t index : order) {
        const ElasticElement e = springs[index];
        if (e.stiffness == 0) continue;
        const vec3 d = u.x[e.i] - u.x[e.j];
        const double l = glm::length(d);
        const vec3 gradient = d / l;  // of C at i, minus that at j
        const double C = l - e.rest_length, alpha = 1 / (e.stiffness * h_s * h_s),
                     gamma = e.damping / (e.stiffness * h_s);
        const double way = glm::dot(gradient, u.x[e.i] - x_n[e.i]) - glm::dot(gradient, u.x[e.j] - x_n[e.j]);
        const double error = std::abs(C + alpha * lambda[index] + gamma * way);
        if (k == 0) first = std::max(first, error);
        if (k == iterations) {
          left = std::max(left, error);
          continue;
        }
        const double change =
            (-C - alpha * lambda[index] - gamma * way) / ((1 + gamma) * (w[e.i] + w[e.j]) + alpha);
        lambda[index] += change;
        u.x[e.i] += w[e.i] * change * gradient;
        u.x[e.j] -= w[e.j] * change * gradient;
      }
    }
    for (std::size_t i = 0; i < w.size(); ++i) u.v[i] = (u.x[i] - x_n[i]) / h_s;
    solution.unsolved = std::max(solution.unsolved, left / first);
  }
  std::vector<vec3> r(w.size()), f0(w.size());
  rig.system.force(rig.pool, u.x, u.v, r);
  rig.system.force(rig.pool, u0.x, u0.v, f0);
  for (std::size_t i = 0; i < w.size(); ++i) {
    r[i] = rig.system.masses()[i] * (u.v[i] - u0.v[i]) - h_s * r[i];
  }
  solution.distance = free_norm(r) / (h_s * free_norm(f0));
  return solution;
}

// First-fit colouring, the slow way; the springs of all colours, one colour after the other.
std::vector<std::size_t> sweep_order(const ElasticElements& springs) {
  std::vector<std::size_t> colour(springs.size()), order(springs.size());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    std::set<std::size_t> taken;
    for (std::size_t r = 0; r < s; ++r) {
      const std::set<std::uint32_t> ends{springs[r].i, springs[r].j};
      if (ends.contains(springs[s].i) || ends.contains(springs[s].j)) taken.insert(colour[r]);
    }
    while (taken.contains(colour[s])) ++colour[s];
    order[s] = s;
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t s) { return colour[s]; });
  return order;
}

double largest_difference(const State& a, const State& b, double h) {
  double largest = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    largest = std::max({largest, glm::length(a.x[i] - b.x[i]), h * glm::length(a.v[i] - b.v[i])});
  }
  return largest;
}

TEST(Xpbd, TakesTheStepOfTheFormulaOnOneSpring) {
  for (const double damping : {0.0, 0.4}) {
    for (const bool pinned : {true, false}) {
      for (const int substeps : {1, 3}) {
        Material material;
        material.mass = 0.5;
        material.stretch_stiffness = 30;
        material.spring_damping = damping;
        auto rig = test::make_chain(2, 0.4, material);
        if (!pinned) rig->system.projection().clear(2);
        rig->state.x[1] = vec3(0.3, -0.4, 0.1);
        rig->state.v[1] = vec3(0.5, 0.2, -1);
        State expected = rig->state;
        const double h = 0.05;
        const std::vector<vec3> led(2, vec3(0.2, -0.6, 0.4));
        const std::vector<std::size_t> order{0};
        Stepper stepper(*rig, xpbd(), {}, {2, static_cast<double>(substeps), 0});
        for (int k = 0; k < 5; ++k) {
          if (pinned) rig->system.projection().fix(0, rig->state.x[0] + h * led[0]);
          formula_step(*rig, expected, h, 2, substeps, order, led);
          stepper.step(h);
          EXPECT_LT(largest_difference(rig->state, expected, h), 1e-12);
        }
      }
    }
  }
}

TEST(Xpbd, TakesTheStepOfTheFormulaOnABumpySheet) {
  for (const auto& [damping, by_mass] : {std::pair{0.0, 0.0}, {0.05, 0.0}, {0.05, 3.0}}) {
    Material material;
    material.mass_model = MassModel::area;
    material.stretch_stiffness = 50;
    material.bend_stiffness = 4;
    material.spring_damping = damping;
    material.rayleigh_mass = by_mass;
    auto rig = test::make_sheet(4, 5, 0.2, material);
    test::shake(rig->state, 0.03, 0.4);
    for (const std::size_t i : {0u, 4u}) {
      rig->pin(i);
      rig->state.v[i] = vec3(0.0);
    }
    const std::vector<std::size_t> order = sweep_order(rig->system.elements());
    const std::vector<vec3> still(rig->state.x.size(), vec3(0.0));
    State expected = rig->state;
    SolverSettings settings;
    settings.newton_tolerance = 1e-6;
    Stepper stepper(*rig, xpbd(), settings, {7, 2, 0});
    for (int k = 0; k < 10; ++k) {
      const Solution solution = formula_step(*rig, expected, 0.02, 7, 2, order, still);
      const StepReport report = stepper.step(0.02);
      EXPECT_NEAR(report.newton_residual, solution.unsolved, 1e-9);
      EXPECT_NEAR(report.distance.value(), solution.distance, 1e-9 * solution.distance);
      EXPECT_FALSE(report.converged);
      EXPECT_GT(solution.unsolved, 2e-5);  // else the comparison shows little
    }
    EXPECT_LT(largest_difference(rig->state, expected, 0.02), 1e-12);
  }
}

TEST(Xpbd, SkipsSpringsWithoutStiffnessOrLength) {
  Material material;
  material.stretch_stiffness = 0;
  material.spring_damping = 3;
  auto rig = test::make_sheet(3, 3, 0.2, material);
  for (vec3& x : rig->state.x) x = vec3(0.1);  // the bending springs have no length
  Stepper(*rig, xpbd()).step(0.1);
  for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
    EXPECT_LT(glm::length(rig->state.x[i] - vec3(0.1, 0.1 - 0.098, 0.1)), 1e-16);
    EXPECT_LT(glm::length(rig->state.v[i] - vec3(0, -0.98, 0)), 1e-15);
  }
}

TEST(Xpbd, SweptToTheEndIsBackwardEulerOnALine) {
  // On a line no spring turns, so that all impulses have the directions of the end.
  Material material;
  material.stretch_stiffness = 40;
  material.spring_damping = 0.2;
  material.rayleigh_mass = 30;
  const auto make = [&] {
    auto rig = test::make_chain(6, 0.2, material);
    for (vec3& v : rig->state.v) v = vec3(0, v.x + 0.3, 0);
    // Far from the cursor, so that the grab's force saturates.
    rig->system.set_grab(GrabSpring{{3, 4, 5}, vec3(0.2, 0.3, 0.5), vec3(0, -1.3, 0), 40, 0.5, 3});
    return rig;
  };
  auto rig = make(), expected = make();
  const double h = 0.01;
  Stepper backward_euler(*expected, *find_integrator("backward-euler"), test::tight_settings());
  Stepper stepper(*rig, xpbd(), {}, {1000, 1, 0});
  for (int k = 0; k < 5; ++k) {
    backward_euler.step(h);
    const StepReport report = stepper.step(h);
    EXPECT_LT(largest_difference(rig->state, expected->state, h), 1e-12);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LT(report.distance.value(), 1e-10);
  }
}

// Of a sheet that bends, the sweeps solve XPBD's equations, which are not those of backward Euler.
TEST(Xpbd, SaysThatItIsSolvedAndHowFarItIsFromBackwardEuler) {
  const auto step = [](int iterations) {
    auto rig = test::make_sheet(8, 8, 1.0 / 7, Material{});
    rig->pin(0);
    rig->pin(7);
    // Some steps solved to the end, then one with these iterations.
    const double h = 1.0 / 120;
    Stepper(*rig, xpbd(), {}, {800, 1, 0}).steps(6, h);
    return Stepper(*rig, xpbd(), {}, {static_cast<double>(iterations), 1, 0}).step(h);
  };
  const StepReport few = step(20), many = step(400), more = step(800);
  EXPECT_FALSE(few.converged);
  EXPECT_FALSE(few.reason.empty());
  EXPECT_TRUE(many.converged && more.converged);
  EXPECT_LE(many.newton_residual, 1e-6);
  EXPECT_NEAR(*many.distance, *more.distance, 0.01 * *more.distance);
  EXPECT_GT(*more.distance, 1e-3);
  EXPECT_LT(*more.distance, 0.1);
  EXPECT_GT(*few.distance, 2 * *more.distance);
}

TEST(Xpbd, HasNothingToSolveAtRest) {
  Material material;
  material.gravity = vec3(0.0);
  auto rig = test::make_sheet(5, 5, 0.1, material);
  for (vec3& x : rig->state.x) x += vec3(1e3, -2e3, 3e3);  // where rounding is coarse
  const StepReport report = Stepper(*rig, xpbd()).steps(3, 1.0 / 60);
  EXPECT_TRUE(report.converged);
}

// Hung in a frame, and stretched by it: in tension everywhere, so that there is one equilibrium.
std::unique_ptr<Rig> framed_sheet() {
  Material material;
  material.mass = 0.3;
  material.stretch_stiffness = 30;
  material.bend_stiffness = 3;
  material.damping_model = DampingModel::isotropic;
  material.spring_damping = 0.1;
  material.rayleigh_mass = 6;
  auto rig = test::make_sheet(5, 5, 0.2, material);
  for (vec3& x : rig->state.x) x *= 1.05;
  for (std::size_t i = 0; i < 25; ++i) {
    if (i % 5 == 0 || i % 5 == 4 || i / 5 == 0 || i / 5 == 4) rig->pin(i);
  }
  return rig;
}

// The largest distance from equilibrium of the sheet at rest.
double drape_error(double h, int substeps, const std::vector<vec3>& equilibrium) {
  auto rig = framed_sheet();
  // By mass damping alone every mode decays at least as exp(−3 t), by eight orders in 6 s.
  Stepper(*rig, xpbd(), {}, {5, static_cast<double>(substeps), 0}).steps(static_cast<int>(6 / h), h);
  double largest = 0;
  for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
    largest = std::max(largest, glm::length(rig->state.x[i] - equilibrium[i]));
  }
  return largest;
}

TEST(Xpbd, DrapesTowardsEquilibriumAsTheSubstepIsHalved) {
  auto rest = framed_sheet();
  SolverSettings settings = test::tight_settings();
  Stepper(*rest, *find_integrator("backward-euler"), settings).steps(200, 0.1);
  double before = drape_error(0.004, 1, rest->state.x);
  EXPECT_GT(before, 5e-5);
  for (const int substeps : {2, 4, 8}) {
    const double error = drape_error(0.004, substeps, rest->state.x);
    EXPECT_NEAR(before / error, 4, 0.2) << substeps;
    before = error;
  }
}

TEST(SpringColouring, GivesNoTwoSpringsOfAParticleOneColour) {
  // A sheet, and a star whose middle has more springs than fit into a word of 64 colours.
  std::vector<vec3> star(201);
  std::vector<ClothModel::Ends> rays;
  for (std::uint32_t i = 1; i < star.size(); ++i) {
    star[i] = vec3(i, 1, 0);
    rays.push_back({i % 2 ? 0 : i, i % 2 ? i : 0});
  }
  auto model = std::make_shared<const ClothModel>(star, rays);
  Rig star_rig(std::move(model), star, Material{});
  const auto sheet = test::make_sheet(9, 11, 0.1, Material{});
  for (const Rig* rig : {&*sheet, &star_rig}) {
    SpringColouring colouring;
    colouring.update(rig->system, {});
    const auto springs = rig->system.elements();
    const std::vector<std::size_t> expected = sweep_order(springs);
    EXPECT_TRUE(std::ranges::equal(colouring.order(), expected));

    std::set<std::uint32_t> seen;
    std::vector<std::size_t> degrees(rig->system.size());
    for (const ElasticElement e : springs) {
      ++degrees[e.i];
      ++degrees[e.j];
    }
    const std::size_t degree = std::ranges::max(degrees);
    EXPECT_GE(colouring.colours(), degree);
    EXPECT_LE(colouring.colours(), 2 * degree - 1);
    WorkerPool pool;
    std::set<std::uint32_t> touched;
    std::size_t end = 0, starts = 0;
    colouring.sweep(pool, {}, [&](std::size_t first, std::size_t last) {
      EXPECT_EQ(first, end);
      end = last;
      touched.clear();
      ++starts;
      for (std::size_t place = first; place < last; ++place) {
        const std::uint32_t s = colouring.order()[place];
        EXPECT_TRUE(seen.insert(s).second);
        EXPECT_TRUE(touched.insert(springs[s].i).second);
        EXPECT_TRUE(touched.insert(springs[s].j).second);
      }
    });
    EXPECT_EQ(seen.size(), springs.size());
    EXPECT_EQ(starts, colouring.colours());  // they are too small to be cut into chunks
  }
}

TEST(SpringColouring, IsMadeAnewForAnotherCloth) {
  SpringColouring colouring;
  const auto small = test::make_sheet(2, 2, 0.1, Material{}), large = test::make_sheet(5, 5, 0.1, Material{});
  colouring.update(small->system, {});
  EXPECT_EQ(colouring.order().size(), small->system.elements().size());
  colouring.update(large->system, {});
  EXPECT_EQ(colouring.order().size(), large->system.elements().size());
}

}  // namespace
}  // namespace clothlab
