// SPDX-License-Identifier: MIT
// Closed cloth under a constant overpressure: equilibrium with the tension of its springs, energy, and what a
// run shows of it.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <string>

#include "cloth/sample_cloth.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kPressure = 200;  // [Pa]

Scene inflated_scene(std::string_view integrator) {
  Scene scene = loose_scene(integrator);
  scene.material.gravity = vec3(0.0);
  scene.material.stretch_stiffness = 1000;
  scene.material.bend_stiffness = 0;
  scene.material.spring_damping = 0;
  scene.material.inflate = kPressure;
  return scene;
}

// Σ k (l − L) l over all springs, which at rest is 3 p V: there Σ x·f = 0, of springs − Σ k (l − L) l and, V
// being of degree 3, of the pressure 3 p V.
double virial_of_springs(const Simulation& simulation) {
  double sum = 0;
  const std::vector<vec3>& x = simulation.state().x;
  for (const ElasticElement e : simulation.system().elements()) {
    const double l = glm::distance(x[e.i], x[e.j]);
    sum += e.stiffness * (l - e.rest_length) * l;
  }
  return sum;
}

TEST(Inflate, RestsWhereTheTensionOfItsSpringsHoldsThePressure) {
  Scene scene = inflated_scene("backward-euler");
  scene.material.rayleigh_mass = 20;
  scene.dt = 1.0 / 60;
  scene.solver.newton_tolerance = 1e-8;
  const Simulation ball_at_rest(scene, built(find_generated_mesh("ball").make()), one_thread());
  Simulation simulation(scene, ball_at_rest.shared_mesh(), one_thread());
  ASSERT_EQ(run(simulation, 100), 100);
  const StepRecord& record = simulation.record();
  EXPECT_LT(record.energy.kinetic, 1e-15);
  EXPECT_NEAR(virial_of_springs(simulation), 3 * kPressure * record.volume, 1e-6 * record.volume);

  // Laplace's law, p = 2 T/R. A lattice of triangles of springs k has the tension T = √3 k ε/(1 + ε) at the
  // strain ε in all directions. The ball's triangles are equilateral to some 10 %, and its volume is 2 %
  // below that of its sphere.
  const double k = scene.material.stretch_stiffness, rest = 0.25;
  double mean = 0;
  for (const vec3& x : simulation.state().x) mean += glm::length(x);
  const double radius = mean / static_cast<double>(simulation.state().x.size()), strain = radius / rest - 1;
  const double tension = std::sqrt(3.0) * k * strain / (1 + strain);
  EXPECT_GT(strain, 0.01);
  EXPECT_NEAR(2 * tension / radius, kPressure, 0.03 * kPressure);
  EXPECT_NEAR(record.volume, 4.0 / 3 * std::numbers::pi * std::pow(radius, 3), 0.03 * record.volume);
  EXPECT_DOUBLE_EQ(record.energy.pressure, -kPressure * record.volume);
}

Simulation small_ball(const Scene& scene, int cuts = 2) {
  return {scene, built(test::ball_obj(vec3(0.0), 0.25, cuts)), one_thread()};
}

// It breathes: T + V with V = −p V + springs' energy returns, for Verlet with an error of h².
TEST(Inflate, KeepsTheEnergy) {
  double error[2] = {};
  for (const int half : {0, 1}) {
    Scene scene = inflated_scene("velocity-verlet");
    scene.dt = half == 1 ? 2e-4 : 4e-4;
    Simulation simulation = small_ball(scene);
    const double start = simulation.record().energy.total;
    EXPECT_EQ(start, simulation.record().energy.pressure);
    double kinetic = 0;
    for (int k = 0; k < (half == 1 ? 400 : 200); ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
      const StepRecord& record = simulation.record();
      error[half] = std::max(error[half], std::abs(record.energy.total - start));
      kinetic = std::max(kinetic, record.energy.kinetic);
      ASSERT_NEAR(record.ledger.sum(), record.energy.total - start, 1e-12);
    }
    EXPECT_GT(kinetic, 0.05);
    EXPECT_LT(error[half], half == 1 ? 0.01 * kinetic : 0.04 * kinetic);
    vec3 momentum(0.0);
    for (const vec3& v : simulation.state().v) momentum += v;
    EXPECT_LT(glm::length(momentum), 1e-11);
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.2);
}

// Whether a method treats the pressure in its solve, by iteration or explicitly: at rest its force is there.
TEST(Inflate, HasTheSameRestByAllMethods) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.inextensible || info.id == "explicit-euler") continue;
    SCOPED_TRACE(info.id);
    Scene scene = inflated_scene(info.id);
    scene.material.stretch_stiffness = 200;
    scene.material.inflate = 50;
    scene.material.rayleigh_mass = 60;
    scene.material.spring_damping = 0.05;
    scene.dt = 1e-3;
    scene.integrator_parameters["xpbd-iterations"] = 4;  // one sweep leaves 0.15 %
    Simulation simulation = small_ball(scene);
    ASSERT_EQ(run(simulation, 400), 400);
    const double right = 3 * 50 * simulation.record().volume;
    EXPECT_NEAR(virial_of_springs(simulation), right, 1e-3 * right);
    EXPECT_GT(simulation.record().volume, 1.02 * small_ball(scene).record().volume);
  }
}

// Of the positions after 20 ms, from 20 ms/n and half of it.
double order_of(std::string_view integrator, std::span<const vec3> exact, int n) {
  double error[2] = {};
  for (const int half : {0, 1}) {
    Scene scene = inflated_scene(integrator);
    const int steps = half == 1 ? 2 * n : n;
    scene.dt = 0.02 / steps;
    scene.solver.jacobian = JacobianMode::exact;
    scene.solver.newton_tolerance = scene.solver.linear.cg.tolerance = 1e-10;
    Simulation simulation = small_ball(scene);
    EXPECT_EQ(run(simulation, steps), steps);
    for (std::size_t i = 0; i < exact.size(); ++i)
      error[half] = std::max(error[half], glm::distance(simulation.state().x[i], exact[i]));
  }
  return std::log2(error[0] / error[1]);
}

// Newton's method finds the solution without the pressure's K; methods that take one step of it, or
// exponentials of the Jacobian, miss a term of h².
TEST(Inflate, KeepsTheOrderOfMethodsThatNeedNoJacobian) {
  Scene scene = inflated_scene("rk4");
  scene.dt = 5e-5;
  Simulation reference = small_ball(scene);
  ASSERT_EQ(run(reference, 400), 400);
  const std::vector<vec3>& exact = reference.state().x;
  for (const char* id : {"velocity-verlet", "implicit-midpoint", "bdf2", "sdirk2", "generalized-alpha"})
    EXPECT_NEAR(order_of(id, exact, 100), 2, 0.1) << id;
  for (const char* id : {"exponential-rosenbrock-euler", "str-sbdf2-ere"})
    EXPECT_NEAR(order_of(id, exact, 100), 1, 0.1) << id;
  // The error of h² is the larger one here at first: 1.45 at n = 100.
  EXPECT_NEAR(order_of("semi-implicit-bdf2", exact, 800), 1, 0.15);
}

TEST(Inflate, ChangesTheEnergyByAJumpAndIsRefusedForOpenCloth) {
  Scene scene = inflated_scene("semi-implicit-euler");
  scene.material.inflate = 0;
  Simulation simulation = small_ball(scene);
  ASSERT_EQ(run(simulation, 2), 2);
  EXPECT_EQ(simulation.record().volume, 0);
  simulation.apply(one_thread(), SetParameter{"inflate", kPressure});
  const double volume = small_ball(simulation.scene()).record().volume;
  ASSERT_EQ(run(simulation, 1), 1);
  EXPECT_NEAR(simulation.record().ledger.jump, -kPressure * volume, 1e-12);
  EXPECT_GT(simulation.record().volume, volume);

  Simulation sheet(loose_scene("semi-implicit-euler"), grid_mesh(5, 5), one_thread());
  const std::string text = refusal([&] { sheet.apply(one_thread(), SetParameter{"inflate", 1}); });
  EXPECT_NE(text.find("no closed part"), std::string::npos) << text;
  EXPECT_EQ(sheet.scene().material.inflate, 0);
  EXPECT_EQ(refusal([&] { Simulation(inflated_scene("xpbd"), grid_mesh(5, 5), one_thread()); }), text);
}

TEST(Inflate, HasTheSameBitsForAnyNumberOfThreads) {
  Scene scene = inflated_scene("semi-implicit-euler");
  scene.dt = 1.0 / 60;
  const auto mesh = built(test::ball_obj(vec3(0.0), 0.25, 4));  // 1,026 particles, two chunks of triangles
  WorkerPool pool(3);
  Simulation one(scene, mesh, one_thread()), three(scene, mesh, pool);
  ASSERT_EQ(run(one, 5), 5);
  ASSERT_EQ(run(three, 5, pool), 5);
  EXPECT_TRUE(same_bits(one.state(), three.state()));
  EXPECT_EQ(one.record().volume, three.record().volume);
}

}  // namespace
}  // namespace clothlab::testing
