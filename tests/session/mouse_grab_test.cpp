// SPDX-License-Identifier: MIT
// The grab as the window sends it: how closely the cloth follows, and that no pull makes it blow up.

#include "session/mouse_grab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <glm/geometric.hpp>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/grab_limits.h"
#include "analysis/stability_meter.h"
#include "documents/scene_loader.h"
#include "one_thread.h"
#include "sim/support.h"
#include "uniform_estimate.h"

namespace clothlab::testing {
namespace {

StabilityEstimate estimate_of(const Simulation& simulation, WorkerPool& pool) {
  const Projection held = simulation.constraints(simulation.state().x);
  const StabilityMeter::Subject subject{simulation.system(), simulation.state(), held,
                                        simulation.integrator(), simulation.scene().solver.jacobian};
  return StabilityMeter().estimate(subject, pool).value();
}

StepStatus step(MouseGrab& grab, Simulation& simulation) {
  simulation.apply(one_thread(), grab.pull(simulation));
  return simulation.step(one_thread());
}

MouseGrab start_grab(const Grab& hold, Simulation& simulation, const StabilityEstimate& without_grab) {
  MouseGrab grab(one_thread(), hold, simulation, without_grab);
  simulation.apply(one_thread(), grab.grab());
  return grab;
}

vec3 held_point(const Simulation& simulation) { return simulation.grab()->blend(simulation.state().x); }

bool has_limit(const IntegratorInfo& info) {
  return info.stability_limit > 0 && std::isfinite(info.stability_limit);
}

bool is_long() { return std::getenv("CLOTHLAB_LONG_TESTS") != nullptr; }

double limit_of(const IntegratorInfo& info, const StabilityEstimate& estimate) {
  return largest_stable_step(info, default_parameters(info), estimate).value_or(0);
}

// Called after every step of a run.
using Watch = std::function<void()>;

// Random grabs of random length, at a particle or inside a triangle. The cursor jumps about by half the cloth
// 60 times a second, and rests now and then.
StepStatus pull_at_random(Simulation& simulation, unsigned seed, double seconds,
                          const StabilityEstimate& estimate, const Watch& watch = {}) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto& triangles = simulation.mesh().triangles;
  const double reach = simulation.mesh().diagonal / 3;
  std::optional<MouseGrab> grab;
  vec3 start(0);
  double next = 0, let_go = 0;
  for (double t = 0; t < seconds; t += simulation.scene().dt) {
    if (t >= let_go) {
      vec3 weights(std::abs(unit(random)), std::abs(unit(random)), std::abs(unit(random)));
      weights = random() % 2 == 0 ? vec3(1, 0, 0) : weights / (weights.x + weights.y + weights.z);
      simulation.apply(one_thread(), Release{});
      grab = start_grab(Grab{triangles[random() % triangles.size()], weights, vec3(0)}, simulation, estimate);
      start = held_point(simulation);
      let_go = t + 0.2 + 1.5 * std::abs(unit(random));
    }
    if (t >= next) {
      grab->move_to(start + reach * vec3(unit(random), unit(random), unit(random)));
      next += random() % 8 == 0 ? 0.3 : 1.0 / 60;
    }
    if (const StepStatus status = step(*grab, simulation); status != StepStatus::done) return status;
    if (watch) watch();
  }
  simulation.apply(one_thread(), Release{});
  return StepStatus::done;
}

StepStatus leave_alone(Simulation& simulation, double seconds) {
  for (double t = 0; t < seconds; t += simulation.scene().dt)
    if (const StepStatus status = simulation.step(one_thread()); status != StepStatus::done) return status;
  return StepStatus::done;
}

// Whether the method's limit fell below h in that run while the cloth had at most twice its kinetic energy of
// before. No grab can prevent that: folds cost a pull next to nothing, but bring springs and dampers side by
// side (docs/limits.md). A method that blows up multiplies the energy in a step.
bool folds_break_the_limit(Simulation& simulation, const IntegratorInfo& info, unsigned seed, double seconds,
                           const StabilityEstimate& estimate) {
  double kinetic = 0, kinetic_there = 0;
  bool is_broken = false;
  pull_at_random(simulation, seed, seconds, estimate, [&] {
    double now = 0;
    for (const vec3& v : simulation.state().v) now += dot(v, v);
    if (!is_broken && limit_of(info, estimate_of(simulation, one_thread())) < simulation.scene().dt) {
      is_broken = true;
      kinetic_there = now;
    }
    if (!is_broken) kinetic = std::max(kinetic, now);
  });
  return is_broken && kinetic_there <= 2 * kinetic;
}

struct Pulls {
  double seconds = 1;
  unsigned seeds = 1;
  std::vector<double> shares;  // of the limit
  std::vector<std::pair<const char*, double>> damping;
  double most_steps = 1e4;        // that a run may take
  std::optional<bool> rods = {};  // only methods that take, or do not take, stretch springs for rods
};

// A cloth that hangs at rest, pulled at random by all methods at h below their limit, is not blown up where
// it does not without a grab.
void expect_no_pull_blows_up(Scene scene, const std::shared_ptr<const ClothMesh>& mesh, const Pulls& pulls) {
  WorkerPool pool(1);
  scene.material.rayleigh_mass = 5;
  Simulation simulation(scene, mesh, pool);
  leave_alone(simulation, 2);
  simulation.apply(pool, SetParameter{"rayleigh-mass", 0});
  const double taut = omega_max(simulation, pool);  // with the compressed springs taut
  const auto rest = std::make_shared<const State>(simulation.state());
  int runs = 0;
  for (const auto& [damping, value] : pulls.damping) {
    for (const char* other : {"spring-damping", "rayleigh-mass"})
      simulation.apply(pool, SetParameter{other, 0});
    simulation.apply(pool, SetParameter{damping, value});
    for (const IntegratorInfo& info : integrators()) {
      if (std::isinf(info.stability_limit) || info.growth_of_slow_modes) continue;
      if (info.inextensible != pulls.rods.value_or(info.inextensible)) continue;
      simulation.apply(pool, SetIntegrator{std::string(info.id)});
      simulation.restore(pool, *rest, 0);
      StabilityEstimate estimate = estimate_of(simulation, pool);
      if (!info.inextensible) estimate = at_least(estimate, taut);
      const double limit = limit_of(info, estimate);
      if (pulls.seconds > pulls.most_steps * limit) continue;
      for (const double share : pulls.shares) {
        SCOPED_TRACE(::testing::Message() << info.id << ", " << damping << " " << value << ", " << share
                                          << " of " << limit << " s");
        simulation.apply(pool, SetParameter{"dt", std::min(share * limit, 1.0 / 60)});
        simulation.restore(pool, *rest, 0);
        if (leave_alone(simulation, pulls.seconds) != StepStatus::done) continue;
        for (unsigned seed = 0; seed < pulls.seeds; ++seed) {
          simulation.restore(pool, *rest, 0);
          const StepStatus end = pull_at_random(simulation, seed, pulls.seconds, estimate);
          ++runs;
          if (end == StepStatus::done) continue;
          const std::string at =
              "seed " + std::to_string(seed) + ", at " + std::to_string(simulation.state().t) + " s";
          simulation.restore(pool, *rest, 0);
          if (folds_break_the_limit(simulation, info, seed, pulls.seconds, estimate))
            std::cout << "blown up by its folds: " << info.id << ", " << share << " of its limit, " << at
                      << "\n";
          else
            ADD_FAILURE() << at;
        }
      }
    }
  }
  EXPECT_GT(runs, 0);
}

// Soft cloth: a pull strains it, and that alone lifts its ω_max above the limit. Methods with rods have
// bending springs alone to vibrate.
TEST(MouseGrab, BlowsUpNoMethodThatIsStableWithoutIt) {
  Scene scene;
  scene.material.stretch_stiffness = 40;
  for (const bool rods : {false, true}) {
    const int n = rods ? 4 : 8;
    scene.mesh = GridSource{n, n, 1, 1};
    expect_no_pull_blows_up(scene, mesh_of(scene),
                            {.seconds = rods ? 0.5 : 2,
                             .seeds = 2,
                             .shares = {0.95},
                             .damping = {{"spring-damping", 0.0005}},
                             .most_steps = 2e3,
                             .rods = rods});
  }
}

class LongGrab : public ::testing::TestWithParam<std::string> {};

TEST_P(LongGrab, BlowsUpNoMethodThatIsStableWithoutIt) {
  if (!is_long()) GTEST_SKIP() << "NOT tested for its length; set CLOTHLAB_LONG_TESTS=1 to do so.";
  const std::string name = GetParam();
  for (const double stiffness : {40.0, 1000.0}) {
    SCOPED_TRACE(::testing::Message() << "k_s = " << stiffness);
    Scene scene;
    std::shared_ptr<const ClothMesh> mesh;
    if (name == "grid") {
      scene.mesh = GridSource{12, 12, 1, 1};
      mesh = mesh_of(scene);
    } else {
      const bool is_own = std::filesystem::exists(source_dir() / "assets" / (name + ".obj"));
      const std::filesystem::path path =
          (is_own ? source_dir() / "assets" : shared_meshes()) / (name + ".obj");
      if (!std::filesystem::exists(path)) GTEST_SKIP() << "There is no " << path;
      scene.mesh = FileSource{path.string()};
      SceneLoadOptions options;
      options.units = UnitChoice::fit;
      LoadedScene loaded = load_scene(scene, options);
      scene = loaded.scene;
      mesh = loaded.mesh;
    }
    scene.material.stretch_stiffness = stiffness;
    expect_no_pull_blows_up(scene, mesh,
                            {.seconds = 2,
                             .seeds = 1,
                             .shares = {0.7, 0.9, 0.95, 0.98},
                             .damping = {{"spring-damping", 0.0005},
                                         {"spring-damping", 0.01},
                                         {"spring-damping", 0.5},
                                         {"rayleigh-mass", 2.0}},
                             .most_steps = 5e3,
                             .rods = false});
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, LongGrab,
                         ::testing::Values("grid", "moebius", "nonmanifold", "tube", "flag", "flag_540",
                                           "tshirt_1426"),
                         [](const auto& mesh) { return mesh.param; });

TEST(MouseGrab, IsAsStiffAsTheMethodBears) {
  const double h = 0.002, inverse_mass = 700, wanted = 2000;
  for (const IntegratorInfo& info : integrators()) {
    SCOPED_TRACE(info.id);
    const IntegratorParameters values = default_parameters(info);
    const double limit = info.stability_limit;
    const auto at = [&](double share, double most) {
      const double omega = share * (has_limit(info) ? limit : 2) / h;
      return grab_limits(info, values, h, uniform_estimate(omega), inverse_mass, most);
    };
    EXPECT_EQ(grab_limits(info, values, h, uniform_estimate(100), 0, wanted).stiffness, 0);  // a pin is held
    if (std::isinf(limit) || info.growth_of_slow_modes) {
      EXPECT_EQ(at(50, wanted).stiffness, wanted);
      continue;
    }
    if (limit == 0) continue;
    EXPECT_EQ(at(0.5, 1e-3).stiffness, 1e-3);
    double before = wanted;
    for (const double share : {0.1, 0.5, 0.9, 0.97, 0.99, 0.999}) {
      const GrabLimits grab = at(share, wanted);
      const double omega = share * limit / h;
      EXPECT_GT(grab.stiffness, 0);
      EXPECT_LE(grab.stiffness, before);
      EXPECT_LE(h * h * (omega * omega + grab.stiffness * inverse_mass),
                std::pow(limit * std::max(0.98, (share + 1) / 2), 2) * (1 + 1e-9));
      // Strained everywhere by twice that, the cloth is as near to the limit as with the grab.
      if (grab.strain < 1) {
        EXPECT_NEAR(h * omega * std::sqrt(1 + 2 * grab.strain), limit * std::max(0.98, (share + 1) / 2),
                    1e-6);
      }
      EXPECT_EQ(grab.strain<1, share> 0.6 && !info.inextensible);
      before = grab.stiffness;
    }
    // Beyond the limit nothing is lost by a grab that can be felt.
    const double beyond = info.inextensible ? 1 : 1.01 * limit;
    EXPECT_NEAR(at(1.01, 1e9).stiffness, 0.21 * std::pow(beyond / h, 2) / inverse_mass, 1e-3);
  }
}

// The cursor goes round in a circle of 200 px radius once per second, 60 moves per second; 1 m of scene 01 is
// 263 px in a window of 1280×720. What is seen at the latest, just before the next move, is no more than 20
// px behind. The cloth is stretched by half for it.
TEST(MouseGrab, LagsByLessThanTwentyPixelsWhereTheMethodHasNoLimit) {
  constexpr double kPixelsPerMetre = 263, kRadius = 200 / kPixelsPerMetre;
  WorkerPool pool(1);
  const Scene scene = scene_asset("01-sheet");
  const auto mesh = mesh_of(scene);
  std::uint32_t lowest = 0;  // of the hanging sheet: amid the row that no pin holds
  for (std::uint32_t i = 0; i < mesh->positions.size(); ++i) {
    const auto away = [&](std::uint32_t k) {
      return mesh->positions[k].z - std::abs(mesh->positions[k].x - 0.5);
    };
    if (away(i) > away(lowest)) lowest = i;
  }
  Simulation simulation(scene, mesh, pool);
  simulation.apply(pool, SetParameter{"dt", 1.0 / 60});
  simulation.apply(pool, SetParameter{"rayleigh-mass", 5});
  for (int k = 0; k < 60; ++k) simulation.step(pool);
  simulation.apply(pool, SetParameter{"rayleigh-mass", 0});
  const StabilityEstimate estimate = estimate_of(simulation, pool);
  const auto rest = std::make_shared<const State>(simulation.state());
  for (const char* id : {"semi-implicit-euler", "semi-implicit-bdf2", "xpbd", "projective-dynamics"}) {
    SCOPED_TRACE(id);
    simulation.apply(pool, SetIntegrator{id});
    simulation.restore(pool, *rest, 0);
    const vec3 start = simulation.state().x[lowest];
    MouseGrab grab = start_grab({{lowest, lowest, lowest}, vec3(1, 0, 0), start}, simulation, estimate);
    vec3 cursor = start;
    double most = 0, fastest = 0;
    for (int k = 1; k <= 80; ++k) {
      const double angle = 2 * M_PI * k / 60;
      const vec3 next = start + kRadius * vec3(std::sin(angle), 1 - std::cos(angle), 0);
      fastest = std::max(fastest, glm::length(next - cursor));
      cursor = next;
      grab.move_to(cursor);
      ASSERT_EQ(step(grab, simulation), StepStatus::done);
      if (k > 20) most = std::max(most, glm::length(held_point(simulation) - cursor));
    }
    EXPECT_GT(fastest * kPixelsPerMetre, 20);  // per picture
    EXPECT_LT(most * kPixelsPerMetre, 20);
  }
}

// Recorded input: the cursor jumps by up to half a metre, to and fro, and the held point is not a particle,
// so that the grab turns the triangle as well. A method that solves once per step takes the cloth for linear
// in it, and a force that is there at once, taken for constant, throws the triangle far out of its plane.
//
// In a step in which the point moves by Δp, a grab that never pulls with more than F does no more work than
// F |Δp|. What the linear step does not see is that springs bent sideways get longer: where it ends, at
// δ = F/block, they hold F δ (grab_least_block), and δ⁴ times that farther out, 16-fold where a step without
// numerical damping swings to 2δ.
void expect_little_energy_of_a_pull(Scene scene, const std::shared_ptr<const ClothMesh>& mesh,
                                    const IntegratorInfo& info) {
  SCOPED_TRACE(info.id);
  scene.pins = PinPreset::none;
  scene.integrator = info.id;
  WorkerPool pool(1);
  Simulation simulation(scene, mesh, pool);
  const StabilityEstimate estimate = estimate_of(simulation, pool);
  const double swing = info.growth(1e3, 0, default_parameters(info)) > 0.99 ? 16 : 1;
  std::mt19937 random(7);
  const auto unit = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
  for (int pull = 0; pull < 3; ++pull) {
    simulation.apply(pool, Reset{});
    simulation.step(pool);
    Grab command{mesh->triangles[random() % mesh->triangles.size()], vec3(0.1, 0.2, 0.7), vec3(0)};
    for (int k = 0; k < 3; ++k)
      command.cursor +=
          command.weights[k] * simulation.state().x[command.particles[static_cast<std::size_t>(k)]];
    MouseGrab grab = start_grab(command, simulation, estimate);
    const GrabSpring spring = simulation.grab().value();
    const double unseen = swing * spring.max_force * spring.max_force / spring.least_block;
    for (int k = 0; k < 12; ++k) {
      if (k % 6 == 0) {
        const double x = unit(), y = unit(), z = unit();
        grab.move_to(command.cursor + 0.3 * vec3(x, y, z));
      }
      const double before = simulation.record().energy.total;
      const vec3 from = held_point(simulation);
      ASSERT_EQ(step(grab, simulation), StepStatus::done);
      EXPECT_LT(simulation.record().energy.total - before,
                spring.max_force * glm::length(held_point(simulation) - from) + unseen)
          << "pull " << pull << ", step " << k;
    }
  }
}

TEST(MouseGrab, MakesLittleEnergyOnASheet) {
  Scene scene;
  scene.mesh = GridSource{8, 8, 1, 1};
  const auto mesh = mesh_of(scene);
  for (const IntegratorInfo& info : integrators()) {
    const bool solves_once = !info.uses_newton && !info.inextensible;
    if (solves_once && info.family != IntegratorFamily::explicit_method)
      expect_little_energy_of_a_pull(scene, mesh, info);
  }
}

// Without secant blocks and a pull that grows gradually a step made 535 J here.
TEST(MouseGrab, MakesLittleEnergyOnATShirt) {
  const std::filesystem::path path = shared_meshes() / "tshirt_1426.obj";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "There is no " << path;
  Scene scene;
  scene.mesh = FileSource{path.string()};
  SceneLoadOptions options;
  options.units = UnitChoice::fit;
  const LoadedScene loaded = load_scene(scene, options);
  expect_little_energy_of_a_pull(loaded.scene, loaded.mesh, *find_integrator("semi-implicit-euler"));
}

}  // namespace
}  // namespace clothlab::testing
