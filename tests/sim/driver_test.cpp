// SPDX-License-Identifier: MIT
// Groups and drivers of scenes against theory: paths, forces, ledger, switching and refusals.

#include <cmath>
#include <complex>
#include <glm/geometric.hpp>
#include <numbers>

#include "analysis/amplification.h"
#include "sim/checkpoint.h"
#include "sim/driver_set.h"
#include "sim/pin_set.h"
#include "sim/recorded_drag.h"
#include "sim/scene_json.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

Scene parsed(const std::string& members) {
  return parse_scene("{\"clothlab-scene\": 4, " + members + "}", "scene");
}

// A sheet of 4×4 whose first row is the group "pole".
Scene sheet_with(const std::string& drivers) {
  return parsed(R"("mesh": {"grid": [4, 4]}, "pin": "none", "dt": 0.01, "stretch-stiffness": 200,
                   "groups": {"pole": {"indices": [0, 1, 2, 3]}, "rest": {"box": [[-1, -1, 0.5], [2, 1, 2]]}},
                   "drivers": [)" +
                drivers + "]");
}

constexpr const char* kShake = R"({"group": "pole", "interpolation": "smooth", "loops": true, "path": [
    {"time": 0, "move": [0, 0, 0]}, {"time": 0.1, "move": [0.02, 0.01, 0]},
    {"time": 0.3, "move": [-0.02, 0, 0.01]}, {"time": 0.4, "move": [0, 0, 0]}]})";

std::unique_ptr<Simulation> started(const Scene& scene) {
  return std::make_unique<Simulation>(scene, mesh_of(scene), one_thread());
}

TEST(Driver, MovesAGroupAlongItsPathByEveryMethod) {
  for (const IntegratorInfo& info : tried_integrators()) {
    Scene scene = sheet_with(kShake);
    scene.integrator = info.id;
    scene.dt = info.stability_limit < kNoStabilityLimit ? 1e-3 : 0.01;
    scene.substeps = 2;
    auto simulation = started(scene);
    DriverSet expected(scene, simulation->mesh(), simulation->mesh().positions);
    for (int k = 0; k < 60; ++k) {
      const State before = simulation->state();
      ASSERT_EQ(simulation->step(one_thread()), StepStatus::done) << info.id;
      const State& after = simulation->state();
      const double middle = before.t + scene.h();
      const auto at = [&](double t) { return expected.targets(t)[2].target; };
      EXPECT_LT(glm::distance(after.x[2], at(after.t)), 1e-15) << info.id;
      EXPECT_LT(glm::distance(after.v[2], (after.x[2] - at(middle)) / scene.h()), 1e-11) << info.id;
    }
  }
}

TEST(Driver, AdaptiveStepsEndOnThePath) {
  Scene scene = sheet_with(R"({"group": "pole", "path": [{"time": 0}, {"time": 0.2, "move": [0, 1, 0]}]})");
  scene.adaptive = true;
  scene.max_strain = 0.02;
  scene.dt = 0.05;
  auto simulation = started(scene);
  const vec3 start = simulation->state().x[1];
  ASSERT_EQ(run(*simulation, 2), 2);
  EXPECT_LT(simulation->record().h, 0.05);
  EXPECT_LT(glm::distance(simulation->state().x[1], start + vec3(0, 0.5, 0)), 1e-12);
  EXPECT_NEAR(simulation->state().v[1].y, 5, 1e-9);
}

TEST(Driver, PathsAreInterpolated) {
  const auto x_at = [](const std::string& driver, double t) {
    const Scene scene = sheet_with(driver);
    const auto mesh = mesh_of(scene);
    return DriverSet(scene, *mesh, mesh->positions).targets(t)[0].target.x;
  };
  // The centre of the group is at x = 0.5.
  const std::string keys =
      R"("path": [{"time": 1, "to": [0.5, 0, 0]}, {"time": 2, "move": [1, 0, 0]}, {"time": 4, "to": [2.5, 0, 0]}])";
  const std::string linear = R"({"group": "pole", )" + keys + "}";
  for (const auto& [t, x] :
       {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.25, 0.25}, {3.0, 1.5}, {4.0, 2.0}, {9.0, 2.0}})
    EXPECT_DOUBLE_EQ(x_at(linear, t), x) << t;
  const std::string smooth = R"({"group": "pole", "interpolation": "smooth", )" + keys + "}";
  for (const auto& [t, x] : {std::pair{1.0, 0.0}, {2.0, 1.0}, {4.0, 2.0}, {5.0, 2.0}})
    EXPECT_DOUBLE_EQ(x_at(smooth, t), x) << t;
  const auto velocity = [&](const std::string& path, double t) {
    constexpr double kDelta = 1e-6;
    return (x_at(path, t + kDelta) - x_at(path, t - kDelta)) / (2 * kDelta);
  };
  EXPECT_NEAR(velocity(smooth, 2), 2.0 / 3, 1e-5);
  EXPECT_NEAR(velocity(smooth, 4), 0, 1e-5);
  const std::string loop =
      R"({"group": "pole", "interpolation": "smooth", "loops": true, "path": [{"time": 0}, {"time": 1, "move": [1, 0, 0]}, {"time": 2, "move": [0.5, 0, 0]}, {"time": 3}]})";
  EXPECT_DOUBLE_EQ(x_at(loop, 4), 1);
  EXPECT_NEAR(velocity(loop, 3), 0.25, 1e-5);
}

// It begins with velocity 2π f A cos φ, also about a path.
TEST(Driver, ASineIsExactAtTheEndOfEverySubstep) {
  const std::string sine = R"("sine": {"amplitude": [0.02, 0.01, 0], "frequency": 3, "phase": 0.4})";
  const std::string keys = R"("path": [{"time": 0}, {"time": 1, "move": [0, 0, 0.5]}], )";
  const vec3 amplitude(0.02, 0.01, 0);
  for (const char* integrator : {"semi-implicit-euler", "bdf2", "xpbd"})
    for (const bool moves : {false, true}) {
      Scene scene = sheet_with(R"({"group": "pole", )" + (moves ? keys : "") + sine + "}");
      scene.integrator = integrator;
      const vec3 start = started(scene)->mesh().positions[2];
      const auto exact = [&](double t) {
        return start + vec3(0, 0, moves ? 0.5 * t : 0) + amplitude * std::sin(3 * kTurn * t + 0.4);
      };
      auto simulation = started(scene);
      for (int k = 0; k < 40; ++k) {
        const double before = simulation->state().t;
        ASSERT_EQ(simulation->step(one_thread()), StepStatus::done) << integrator;
        const State& after = simulation->state();
        EXPECT_LT(glm::distance(after.x[2], exact(after.t)), 1e-15) << integrator << moves << k;
        EXPECT_LT(glm::distance(after.v[2], (exact(after.t) - exact(before)) / scene.dt), 1e-12)
            << integrator << moves << k;
      }
      DriverSet set(scene, simulation->mesh(), simulation->mesh().positions);
      EXPECT_NEAR(set.fastest(), glm::length(amplitude) * 3 * kTurn + (moves ? 0.5 : 0), 1e-12);
      EXPECT_NEAR(set.reach(), glm::length(amplitude) + (moves ? 0.5 : 0), 1e-15);

      // As a file and as a checkpoint it goes on with the same bits.
      Scene again = parse_scene(write_scene(scene), "scene");
      EXPECT_EQ(again.drivers, scene.drivers);
      Checkpoint checkpoint;
      simulation->save(one_thread(), checkpoint);
      Simulation later(checkpoint, mesh_of(scene), one_thread());
      ASSERT_EQ(run(*simulation, 5), 5);
      ASSERT_EQ(run(later, 5), 5);
      EXPECT_TRUE(same_bits(simulation->state(), later.state())) << integrator << moves;
    }
}

// The end of a spring on a pin, in steady state: x = A sin(ωt − φ), A = F/√((k − mω²)² + (βmω)²).
Scene oscillator(double frequency) {
  Scene scene = parsed(R"("mesh": {"generated": "pendulum"}, "pin": [0], "gravity": [0, 0, 0], "mass": 0.2,
      "stretch-stiffness": 50, "spring-damping": 0, "rayleigh-mass": 3, "newton-tolerance": 1e-10,
      "cg-tolerance": 1e-12, "jacobian": "exact", "groups": {"end": {"indices": [1]}})");
  const auto mesh = mesh_of(scene);
  const vec3 axis = glm::normalize(mesh->positions[1] - mesh->positions[0]);
  DriverForce force;
  force.kind = DriverForce::Kind::harmonic;
  force.force = 0.5 * axis;
  force.frequency = frequency;
  force.phase = 0.3;
  scene.drivers = {{"end", force}};
  return scene;
}

struct SteadyState {
  explicit SteadyState(double frequency) : omega(kTurn * frequency) {
    constexpr double kMass = 0.1, kStiffness = 50, kDamping = 0.3, kForce = 0.5;
    const double spring = kStiffness - kMass * omega * omega, damper = kDamping * omega;
    amplitude = kForce / std::hypot(spring, damper);
    lag = std::atan2(damper, spring) - 0.3;
  }
  double x(double t) const { return amplitude * std::sin(omega * t - lag); }
  double v(double t) const { return omega * amplitude * std::cos(omega * t - lag); }
  double omega, amplitude, lag;
};

/// The largest error over one period, relative to the amplitude.
double error_of(const std::string& integrator, double frequency, int steps) {
  Scene scene = oscillator(frequency);
  scene.integrator = integrator;
  scene.dt = 1 / frequency / steps;
  const SteadyState exact(frequency);
  const auto mesh = mesh_of(scene);
  const vec3 rest = mesh->positions[1], axis = glm::normalize(rest - mesh->positions[0]);
  InitialState start{mesh->positions, {vec3(0), exact.v(0) * axis}};
  start.positions[1] = rest + exact.x(0) * axis;
  scene.initial_state = start;
  auto simulation = started(scene);
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    if (simulation->step(one_thread()) != StepStatus::done) return kInfinity;
    const double x = glm::dot(simulation->state().x[1] - rest, axis);
    worst = std::max(worst, std::abs(x - exact.x(simulation->state().t)));
  }
  return worst / exact.amplitude;
}

TEST(Driver, OscillatorHasAmplitudeAndPhaseOfTheClosedForm) {
  for (const double frequency : {1.0, 3.0, 6.0})
    for (const char* method : {"velocity-verlet", "rk4", "implicit-midpoint"})
      EXPECT_LT(error_of(method, frequency, 10000), 1e-6) << method << " at " << frequency << " Hz";
}

// A harmonic force is constant in a step, at a time that keeps order 2.
TEST(Driver, HarmonicForcesKeepTheOrderUpToTwo) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.order == 0 || info.inextensible) continue;
    constexpr int kSteps = 400;
    const double coarse = error_of(std::string(info.id), 3, kSteps),
                 fine = error_of(std::string(info.id), 3, 2 * kSteps);
    EXPECT_GT(std::log2(coarse / fine), std::min(info.order, 2) - 0.15)
        << info.id << ", errors " << coarse << " and " << fine;
  }
}

// The steady motion of a run is the one that `analyze response` computes, by every method whose steps are
// linear.
TEST(Driver, MovesAsTheMeasuredResponseSays) {
  constexpr double kFrequency = 2.5, kDamping = 3;  // [Hz], [1/s]
  const double omega = std::sqrt(50 / 0.1), turns = kTurn * kFrequency;
  int methods = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (info.inextensible) continue;
    Scene scene = oscillator(kFrequency);
    set_integrator(scene, info);
    const IntegratorParameters values = default_parameters(info);
    const auto eigenvalues =
        measure_amplification(info, values, 0.02 * omega, ModeKind::slow, {}, 0.02 * kDamping);
    scene.dt = !eigenvalues.empty() && std::abs(eigenvalues[0]) < 0.99 ? 0.02 : 0.002;
    const auto response = measure_response(info, values, scene.dt * omega, ModeKind::slow, turns / omega, {},
                                           scene.dt * kDamping);
    if (!response) continue;
    ++methods;
    auto simulation = started(scene);
    const vec3 rest = simulation->state().x[1], axis = glm::normalize(rest - simulation->state().x[0]);
    while (simulation->state().t < 20) ASSERT_EQ(simulation->step(one_thread()), StepStatus::done) << info.id;
    const std::complex<double> phase = std::polar(1.0, turns * simulation->state().t + 0.3);
    EXPECT_NEAR(glm::dot(simulation->state().x[1] - rest, axis), 0.5 / 50 * (response->steady * phase).imag(),
                1e-8)
        << info.id;
  }
  EXPECT_GE(methods, 20);
}

// A small sheet on a Kepler ellipse of eccentricity 0.5, GM = 1, a = 1: its period is 2π.
TEST(Driver, CentralForceHasKeplersPeriod) {
  Scene scene = parsed(R"("mesh": {"grid": [2, 2], "size": [1e-4, 1e-4]}, "pin": "none", "gravity": [0, 0, 0],
      "stretch-stiffness": 100, "spring-damping": 0, "dt": 1e-3, "integrator": "velocity-verlet",
      "groups": {"all": {"indices": [0, 1, 2, 3]}},
      "drivers": [{"group": "all", "force": {"central": [0, 0, 0], "strength": 1}}])");
  const auto mesh = mesh_of(scene);
  const double speed = std::sqrt(3.0);  // at the distance 1/2
  InitialState start{mesh->positions, std::vector<vec3>(4, vec3(0, speed, 0))};
  for (vec3& x : start.positions) x += vec3(0.5 - 0.5e-4, 0, -0.5e-4);
  scene.initial_state = start;
  auto simulation = started(scene);
  const double energy = simulation->record().energy.total;
  EXPECT_NEAR(energy, -0.5 * 0.2, 1e-4);
  const int half = static_cast<int>(kTurn / 2 / scene.dt);
  ASSERT_EQ(run(*simulation, half), half);
  const vec3 far = simulation->state().x[0];
  EXPECT_NEAR(far.x, -1.5, 1e-3);
  ASSERT_EQ(run(*simulation, half), half);
  // 2π/dt is no whole number; the rest is a straight line.
  const vec3 end = simulation->state().x[0] + (kTurn - simulation->state().t) * simulation->state().v[0];
  EXPECT_LT(glm::distance(end, start.positions[0]), 1e-4);
  EXPECT_NEAR(simulation->record().energy.total, energy, 1e-5 * std::abs(energy));
}

// Free cloth of 16 particles and 0.2 kg: F = m a, and m v' = −c (v − w).
TEST(Driver, ConstantForceAcceleratesAndDragCarriesAlong) {
  const std::string group = R"({"group": "all", "force": )";
  const auto speed_after_a_second = [&](const std::string& force) {
    Scene scene = parsed(R"("mesh": {"grid": [4, 4]}, "pin": "none", "gravity": [0, 0, 0], "dt": 1e-3,
        "integrator": "implicit-midpoint", "newton-tolerance": 1e-10, "cg-tolerance": 1e-12, "groups": {"all": {"box": [[0, 0, 0], [1, 0, 1]]}}, "drivers": [)" +
                         group + force + "}]");
    auto simulation = started(scene);
    EXPECT_EQ(run(*simulation, 1000), 1000);
    return simulation->state().v[5].x;
  };
  const double mass = 0.2 / 16;
  EXPECT_NEAR(speed_after_a_second(R"({"constant": [0.05, 0, 0]})"), 0.05 / mass, 1e-6);
  EXPECT_NEAR(speed_after_a_second(R"({"drag": 0.02, "velocity": [3, 0, 0]})"),
              3 * (1 - std::exp(-0.02 / mass)), 1e-6);
}

class DriversOf : public ::testing::TestWithParam<const IntegratorInfo*> {
 protected:
  Scene scene() const {
    Scene scene = sheet_with(std::string(kShake) +
                             R"(, {"group": "rest", "force": {"constant": [0.001, 0, 0]}},
        {"group": "rest", "force": {"harmonic": [0, 0.02, 0], "frequency": 3}},
        {"group": "rest", "force": {"drag": 0.01, "velocity": [1, 0, 0]}},
        {"group": "rest", "force": {"central": [0, -1, 0], "strength": 2}},
        {"group": "rest", "force": {"spring": 0.5}})");
    scene.integrator = GetParam()->id;
    scene.dt = GetParam()->id == "explicit-euler"                ? 1e-4
               : GetParam()->stability_limit < kNoStabilityLimit ? 1e-3
                                                                 : 0.01;
    return scene;
  }
  static void act(Simulation& simulation, int k) {
    if (k == 10) simulation.apply(one_thread(), SetDriver{2, false});
    if (k == 20) simulation.apply(one_thread(), SetDriver{0, false});
    if (k == 30) simulation.apply(one_thread(), SetDriver{2, true});
    if (k == 40) simulation.apply(one_thread(), SetDriver{0, true});
  }
  static void go(Simulation& simulation, int from, int to, WorkerPool& pool = one_thread()) {
    for (int k = from; k < to; ++k) {
      act(simulation, k);
      ASSERT_EQ(simulation.step(pool), StepStatus::done) << "step " << k;
    }
  }
};

TEST_P(DriversOf, LedgerAddsUp) {
  auto simulation = started(scene());
  const double start = simulation->record().energy.total;
  double largest = 0;
  for (int k = 0; k < 60; ++k) {
    go(*simulation, k, k + 1);
    if (HasFatalFailure()) return;
    const StepRecord& record = simulation->record();
    largest = std::max({largest, record.energy.kinetic, std::abs(record.energy.drivers)});
    ASSERT_NEAR(record.ledger.sum(), record.energy.total - start, 1e-13 * largest) << "step " << k + 1;
  }
  EXPECT_GT(std::abs(simulation->record().ledger.drivers), 1e-9);
  EXPECT_GT(std::abs(simulation->record().ledger.pins), 1e-9);
}

TEST_P(DriversOf, SurviveACheckpoint) {
  auto whole = started(scene());
  Checkpoint moment;
  go(*whole, 0, 25);
  whole->save(one_thread(), moment);
  go(*whole, 25, 50);
  const Checkpoint again = through_numbers(moment);
  Simulation other(again, whole->shared_mesh(), one_thread());
  go(other, 25, 50);
  EXPECT_TRUE(same_bits(whole->state(), other.state()));
  EXPECT_EQ(whole->record().ledger.drivers, other.record().ledger.drivers);
}

INSTANTIATE_TEST_SUITE_P(All, DriversOf, ::testing::ValuesIn([] {
                           std::vector<const IntegratorInfo*> all;
                           for (const IntegratorInfo& each : integrators()) all.push_back(&each);
                           return all;
                         }()),
                         [](const auto& test) {
                           std::string name(test.param->id);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Driver, SameBitsWithAnyNumberOfThreads) {
  const Scene scene = parsed(R"("mesh": {"grid": [60, 60]}, "pin": "none", "dt": 0.01,
      "groups": {"edge": {"loop": 0}, "all": {"box": [[0, -1, 0], [1, 1, 1]]}},
      "drivers": [{"group": "edge", "path": [{"time": 0}, {"time": 1, "move": [0, 0.5, 0]}]},
                  {"group": "all", "force": {"drag": 1e-4, "velocity": [0, 1, 0]}},
                  {"group": "all", "force": {"central": [0, -1, 0], "strength": 2}}])");
  const auto mesh = mesh_of(scene);
  WorkerPool four(4);
  Simulation one(scene, mesh, one_thread()), many(scene, mesh, four);
  ASSERT_EQ(run(one, 5), 5);
  ASSERT_EQ(run(many, 5, four), 5);
  EXPECT_TRUE(same_bits(one.state(), many.state()));
  EXPECT_EQ(one.record().ledger.drivers, many.record().ledger.drivers);
}

TEST(Driver, WorkOfAHarmonicForceIsItsPower) {
  // In steady state the dampers lose what the force gives.
  Scene scene = oscillator(3);
  scene.integrator = "implicit-midpoint";
  scene.dt = 1.0 / 3 / 2000;
  const SteadyState exact(3);
  const auto mesh = mesh_of(scene);
  const vec3 axis = glm::normalize(mesh->positions[1] - mesh->positions[0]);
  InitialState start{mesh->positions, {vec3(0), exact.v(0) * axis}};
  start.positions[1] += exact.x(0) * axis;
  scene.initial_state = start;
  auto simulation = started(scene);
  ASSERT_EQ(run(*simulation, 2000), 2000);
  const double period = kTurn / exact.omega;
  const double given = 0.5 * 0.3 * std::pow(exact.omega * exact.amplitude, 2) * period;  // ½ c (ωA)² T
  EXPECT_NEAR(simulation->record().ledger.drivers, given, 1e-5 * given);
  EXPECT_NEAR(simulation->record().ledger.damping, -given, 1e-5 * given);
}

TEST(Driver, IsSwitchedByACommand) {
  auto simulation = started(sheet_with(kShake));
  WorkerPool& pool = one_thread();
  ASSERT_EQ(run(*simulation, 5), 5);
  EXPECT_TRUE(simulation->system().projection().is_fixed(0));
  simulation->apply(pool, SetDriver{0, false});
  EXPECT_FALSE(simulation->scene().drivers[0].on);
  EXPECT_FALSE(simulation->system().projection().is_fixed(0));
  ASSERT_EQ(run(*simulation, 20), 20);
  EXPECT_LT(simulation->state().x[0].y, -0.1);  // it fell
  simulation->apply(pool, SetDriver{0, true});
  const vec3 shift = simulation->state().x[0] - simulation->mesh().positions[0];
  EXPECT_LT(glm::length(shift), 0.03);
  ASSERT_EQ(run(*simulation, 5), 5);
  EXPECT_EQ(refusal([&] { simulation->apply(pool, SetDriver{1, true}); }), "There is no driver 2.");
  simulation->apply(pool, Reset{});
  EXPECT_EQ(simulation->state().x[0], simulation->mesh().positions[0]);
}

TEST(Driver, MayNotMoveAPin) {
  auto simulation = started(sheet_with(kShake));
  WorkerPool& pool = one_thread();
  EXPECT_EQ(refusal([&] { simulation->apply(pool, SetPinned{{1}}); }),
            "Group \"pole\": vertex 1 is pinned, and a path moves it. Unpin it, or switch the path off.");
  simulation->apply(pool, SetDriver{0, false});
  simulation->apply(pool, SetPinned{{1}});
  EXPECT_NE(refusal([&] {
              simulation->apply(pool, SetDriver{0, true});
            }).find("is pinned"),
            std::string::npos);
  EXPECT_FALSE(simulation->scene().drivers[0].on);
}

ParticleGroup named(const std::string& name, ParticleGroup::By by = ParticleGroup::By::indices) {
  ParticleGroup group;
  group.name = name;
  group.by = by;
  return group;
}
ParticleGroup group_of_file(const std::string& file_group) {
  ParticleGroup group = named("a", ParticleGroup::By::obj_group);
  group.obj_group = file_group;
  return group;
}
ParticleGroup group_on_loop(std::uint32_t loop) {
  ParticleGroup group = named("a", ParticleGroup::By::loop);
  group.loop = loop;
  return group;
}
ParticleGroup group_of_vertices(std::vector<std::uint32_t> vertices) {
  ParticleGroup group = named("a");
  group.vertices = std::move(vertices);
  return group;
}
ParticleGroup group_in_box(const vec3& low, const vec3& high) {
  ParticleGroup group = named("a", ParticleGroup::By::box);
  group.low = low;
  group.high = high;
  return group;
}

TEST(Driver, RecordsADragOfAPin) {
  Scene scene = sheet_with("");
  scene.pins = PinPreset::top_corners;
  const auto mesh = mesh_of(scene);
  RecordedDrag drag{3, {}};
  drag.add(0.5, vec3(1, 0, 0));
  drag.add(0.6, vec3(1, 0.1, 0));
  drag.add(0.6, vec3(1, 0.2, 0));
  drag.add(0.9, vec3(1, 0.2, 0.1));
  const Scene recorded = with_drag_as_path(scene, *mesh, drag);
  Simulation simulation(recorded, mesh, one_thread());
  EXPECT_FALSE(simulation.is_pinned(3));
  EXPECT_TRUE(simulation.is_pinned(0));
  ASSERT_EQ(run(simulation, 60), 60);
  EXPECT_LT(glm::distance(simulation.state().x[3], vec3(1, 0.2, 0)), 1e-12);
  ASSERT_EQ(run(simulation, 60), 60);
  EXPECT_LT(glm::distance(simulation.state().x[3], vec3(1, 0.2, 0.1)), 1e-12);
  EXPECT_EQ(with_drag_as_path(recorded, *mesh, RecordedDrag{0, drag.keys}).groups.size(), 4U);

  for (int k = 0; k < 2500; ++k) drag.add(1 + 0.01 * k, vec3(0));
  EXPECT_LE(drag.keys.size(), 1000U);
  EXPECT_EQ(drag.keys.back().time, 1 + 0.01 * 2499);
  drag.add(0.1, vec3(0));
  EXPECT_EQ(drag.keys.size(), 1U);
}

TEST(Driver, IsReadAsItIsWritten) {
  const Scene scene = sheet_with(std::string(kShake) + R"(,
      {"group": "rest", "force": {"harmonic": [0, 0.02, 0], "frequency": 3, "phase": 1}, "on": false},
      {"group": "rest", "path": [{"time": 0, "to": [1, 2, 3]}], "on": false},
      {"group": "rest", "force": {"constant": [1, 2, 3]}},
      {"group": "rest", "force": {"drag": 2, "velocity": [1, 0, 0]}},
      {"group": "pole", "force": {"spring": 3.5}},
      {"group": "pole", "force": {"central": [0, 1, 0], "strength": 3}})");
  Scene all = scene;
  all.groups.push_back(group_of_file("a \"b\""));
  all.groups.push_back(named("hem", ParticleGroup::By::loop));
  const Scene again = parse_scene(write_scene(all), "again");
  EXPECT_EQ(again.drivers, all.drivers);
  const auto by_name = [](std::vector<ParticleGroup> groups) {
    std::ranges::sort(groups, {}, &ParticleGroup::name);
    return groups;
  };
  EXPECT_EQ(by_name(again.groups), by_name(all.groups));
  EXPECT_EQ(write_scene(again), write_scene(parse_scene(write_scene(again), "again")));

  const Command command = SetDriver{3, false};
  EXPECT_EQ(write_command(command), R"({"do":"set-driver","driver":3,"on":false})");
}

TEST(Driver, GroupsAreChosenByBoxLoopAndFile) {
  ObjMesh obj =
      parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng left\nf 1 2 3\ng right top\nf 2 4 3\n", "two");
  const auto mesh = built(std::move(obj));
  const auto chosen = [&](const ParticleGroup& group) { return particles_of(group, *mesh); };
  using Particles = std::vector<std::uint32_t>;
  EXPECT_EQ(chosen(group_of_file("left")), (Particles{0, 1, 2}));
  EXPECT_EQ(chosen(group_of_file("top")), (Particles{1, 2, 3}));
  EXPECT_EQ(chosen(group_on_loop(0)), (Particles{0, 1, 2, 3}));
  EXPECT_EQ(chosen(group_in_box(vec3(1, 1, 0), vec3(0.5, 0, 0))), (Particles{1, 3}));
  EXPECT_EQ(chosen(group_of_vertices({3, 1, 3})), (Particles{1, 3}));
  const auto refused = [&](const ParticleGroup& group) { return refusal([&] { chosen(group); }); };
  EXPECT_EQ(refused(group_of_vertices({4})),
            "Group \"a\": there is no vertex 4; the mesh has vertices 0 to 3.");
  EXPECT_EQ(refused(named("a")), "Group \"a\": it contains no particle of the cloth.");
  EXPECT_EQ(refused(group_on_loop(1)),
            "Group \"a\": there is no loop 1; the mesh has 1 boundary loops, numbered from 0.");
  EXPECT_EQ(
      refused(group_of_file("lift")),
      "Group \"a\": the mesh file has no group \"lift\"; did you mean \"left\"? Its groups are left, right, "
      "top.");
}

// All of a sheet on equal springs moves as one oscillator.
TEST(Driver, SoftPinsAreSprings) {
  Scene scene = parsed(R"("mesh": {"grid": [4, 4]}, "pin": "none", "gravity": [0, -9.8, 0], "dt": 1e-3,
      "integrator": "implicit-midpoint", "newton-tolerance": 1e-10, "cg-tolerance": 1e-12)");
  scene.groups = {group_in_box(vec3(0), vec3(1, 0, 1))};
  constexpr double kStiffness = 0.5;
  scene = with_soft_pins(scene, "a", kStiffness);
  const double mass = 0.2 / 16, sag = mass * 9.8 / kStiffness, omega = std::sqrt(kStiffness / mass);
  auto simulation = started(scene);
  EXPECT_EQ(run(*simulation, 400), 400);
  EXPECT_NEAR(simulation->state().x[5].y, -sag * (1 - std::cos(omega * 0.4)), 1e-5 * sag);
  EXPECT_NEAR(simulation->record().energy.drivers,
              16 * kStiffness / 2 * std::pow(simulation->state().x[5].y, 2), 1e-12);

  // Pulled away while they are off, the springs give energy that no blow-up test may take for spurious.
  scene.integrator = "velocity-verlet";
  scene.material.gravity = vec3(0);
  scene.drivers[0].on = false;
  simulation = started(scene);
  simulation->apply(one_thread(), SetPinned{{0}, true});
  simulation->apply(one_thread(), MovePins{{{0, vec3(-5, 0, 0)}}, 1});
  ASSERT_EQ(run(*simulation, 2000), 2000);
  simulation->apply(one_thread(), SetPinned{{0}, false});
  simulation->apply(one_thread(), SetDriver{0, true});
  EXPECT_EQ(run(*simulation, 2000), 2000);
}

// A sheet on equal springs moves as one oscillator, which methods that evaluate them once per step bear up to
// h² k = 4 m.
TEST(Driver, SoftPinsThatAreTooStiffForAMethodAreReported) {
  constexpr double kStep = 0.01, kBearable = 4 * (0.2 / 16) / (kStep * kStep);
  for (const char* method : {"xpbd", "projective-dynamics", "vbd", "semi-implicit-euler"})
    for (const double share : {0.9, 1.2}) {
      SCOPED_TRACE(std::string(method) + ", " + std::to_string(share));
      Scene scene = parsed(R"("mesh": {"grid": [4, 4]}, "pin": "none", "gravity": [0, -9.8, 0])");
      scene.dt = kStep;
      set_integrator(scene, method);
      if (scene.integrator == "xpbd") set_parameter(scene, "xpbd-substeps", 1);
      scene.groups = {group_in_box(vec3(0), vec3(1, 0, 1))};
      scene = with_soft_pins(scene, "a", share * kBearable);
      const auto simulation = started(scene);
      const bool fails = share > 1 && scene.integrator != "semi-implicit-euler";
      EXPECT_EQ(contains(*simulation->notices().list(), NoticeCause::unstable_pins), fails);
      EXPECT_EQ(run(*simulation, 200) < 200, fails);
    }
}

TEST(Driver, SoftPinsOfAGroupOfTheFile) {
  const Scene scene = with_soft_pins(with_soft_pins(Scene(), "left", 2), "left", 3);
  ASSERT_EQ(scene.groups.size(), 1u);
  EXPECT_EQ(scene.groups[0].by, ParticleGroup::By::obj_group);
  EXPECT_EQ(scene.drivers.size(), 2u);
}

TEST(Driver, PinsAreChosenByGroup) {
  const auto mesh =
      built(parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng left\nf 1 2 3\ng right top\nf 2 4 3\n", "two"));
  Scene scene =
      parsed(R"("groups": {"left": {"indices": [3]}, "hem": {"loop": 0}}, "pin": {"groups": ["left"]})");
  EXPECT_EQ(selected_particles(*mesh, scene), (std::vector<std::uint32_t>{3}))
      << "the scene's own comes first";
  scene.pins = PinnedGroups({"left", "top"});
  EXPECT_EQ(selected_particles(*mesh, scene), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(parse_scene(write_scene(scene), "again").pins, scene.pins);
  scene.pins = PinnedGroups({"rigth"});
  EXPECT_EQ(
      refusal([&] { selected_particles(*mesh, scene); }),
      "Group \"rigth\": the mesh file has no group \"rigth\"; did you mean \"right\"? Its groups are left, "
      "right, top.");
  for (const char* bad :
       {R"({"groups": []})", "{}", R"({"groups": 3})", R"({"groups": [3]})", R"({"group": ["a"]})"})
    EXPECT_THROW(parsed(std::string("\"pin\": ") + bad), InputError) << bad;

  // A run pins them, an edit of single pins begins from them, and a path may not move them.
  scene.pins = PinnedGroups({"top"});
  Simulation simulation(scene, mesh, one_thread());
  EXPECT_TRUE(simulation.is_pinned(3) && !simulation.is_pinned(0));
  simulation.apply(one_thread(), SetPinned{{3}, false});
  EXPECT_EQ(std::get<VertexList>(simulation.scene().pins), (std::vector<std::uint32_t>{1, 2}));
  scene.drivers.push_back({"left", GroupPath{{{}}}});
  EXPECT_THROW(Simulation(scene, mesh, one_thread()), InputError);
}

TEST(Driver, SceneFilesAreRefusedWithAReason) {
  const auto refused = [](const std::string& driver) { return refusal([&] { sheet_with(driver); }); };
  const auto path = [&](const std::string& keys) {
    return refused(R"({"group": "pole", "path": [)" + keys + "]}");
  };
  const auto force = [&](const std::string& members) {
    return refused(R"({"group": "pole", "force": {)" + members + "}}");
  };
  EXPECT_EQ(refused(R"({"group": "poel", "path": [{"time": 0}]})"),
            "scene: Driver 1: there is no group \"poel\"; did you mean \"pole\"?");
  EXPECT_EQ(refused(R"({"group": "pole"})"),
            "scene: driver 1 must have exactly one of path, sine, force, constraint.");
  EXPECT_EQ(refused(R"({"group": "pole", "sine": {"frequency": 3, "amplitude": [1, 0, 0]}, "force": {}})"),
            "scene: driver 1 must have exactly one of path, sine, force, constraint.");
  EXPECT_EQ(refused(R"({"group": "pole", "sine": {"frequency": 3, "amplitude": [1, 0, 0]}, "loops": true})"),
            "scene: \"loops\" of driver 1 belongs to a path.");
  EXPECT_EQ(
      refused(R"({"group": "pole", "sine": {"frequency": -3, "amplitude": [1, 0, 0]}})"),
      "scene: The sine of driver 1 must have an amplitude up to 1000 m, a frequency from 0 to 1e+06 Hz and "
      "a phase up to 1e+06 rad.");
  EXPECT_EQ(refused(R"({"group": "pole", "paht": []})"),
            "scene: driver 1 has no \"paht\"; did you mean \"path\"? Allowed are group, path, interpolation, "
            "loops, sine, force, constraint, along, length, on.");
  EXPECT_EQ(path(R"({"time": -1})"),
            "scene: The times of the path of driver 1 must ascend, from 0 to 1e+06 s.");
  EXPECT_EQ(path(R"({"time": 1}, {"time": 1})"),
            "scene: The times of the path of driver 1 must ascend, from 0 to 1e+06 s.");
  EXPECT_EQ(path(R"({"move": [0, 0, 0]})"), "scene: a keyframe of driver 1 lacks \"time\".");
  EXPECT_EQ(path(R"({"time": 0, "move": [0, 0]})"),
            "scene: \"move\" of a keyframe of driver 1 must be a list of three numbers.");
  EXPECT_EQ(path(""), "scene: The path of driver 1 must have 1 to 1000 keyframes.");
  EXPECT_EQ(path(R"({"time": 0, "move": [1e4, 0, 0]})"),
            "scene: Each number of a keyframe of the path of driver 1 must be from -1000 to 1000 m.");
  EXPECT_EQ(
      refused(R"({"group": "pole", "loops": true, "path": [{"time": 0}, {"time": 1, "move": [1, 0, 0]}]})"),
      "scene: The path of driver 1 loops, so its last keyframe must equal its first one.");
  EXPECT_EQ(refused(R"({"group": "pole", "interpolation": "cubic", "path": [{"time": 0}]})"),
            "scene: \"interpolation\" of driver 1 must be \"linear\" or \"smooth\".");
  EXPECT_EQ(force(R"("central": [0, 0, 0], "strength": -1)"),
            "scene: The strength of the central force of driver 1 must be from 0 to 1e+09 m³/s².");
  EXPECT_EQ(force(R"("central": [0, 0, 0])"), "scene: the force of driver 1 lacks \"strength\".");
  EXPECT_EQ(force(R"("constant": [0, 0, 0], "strength": 1)"),
            "scene: \"strength\" of the force of driver 1 belongs to a \"central\" force.");
  EXPECT_EQ(force(R"("drag": -1)"), "scene: The drag coefficient of driver 1 must be from 0 to 1e+09 N·s/m.");
  EXPECT_EQ(force(R"("constant": [1e400, 0, 0])"), "scene: \"drivers\" holds a number that is too large.");
  EXPECT_EQ(refusal([] { parsed(R"("groups": {"a": {"loop": 0, "indices": [1]}})"); }),
            "scene: group \"a\" must have exactly one of indices, box, obj-group, loop.");
  EXPECT_EQ(refusal([] { parsed(R"("groups": {"a": {"loop": 0}, "a": {"loop": 1}})"); }),
            "scene: \"groups\" has \"a\" twice.");
  EXPECT_EQ(refusal([] { parsed(R"("groups": {"a": {"indices": [-1]}})"); }),
            "scene: \"indices\" of group \"a\" must be a whole number from 0 to 4294967295.");
  EXPECT_EQ(refusal([] { parsed(R"("groups": [1])"); }),
            "scene: \"groups\" must be an object with a member for each group.");

  const Scene two = sheet_with(std::string(kShake) + ", " + kShake);
  EXPECT_EQ(refusal([&] { started(two); }), "Two paths or lines move vertex 0. Switch one of them off.");
  Scene pinned = sheet_with(kShake);
  pinned.pins = PinPreset::top_corners;
  EXPECT_EQ(refusal([&] { started(pinned); }),
            "Group \"pole\": vertex 0 is pinned, and a path moves it. Unpin it, or switch the path off.");
}

}  // namespace
}  // namespace clothlab::testing
