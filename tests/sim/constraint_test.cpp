// SPDX-License-Identifier: MIT
// Constraints of scenes, a distance and a line, by every method: against theory, and what a run must keep.

#include <cmath>
#include <glm/geometric.hpp>

#include "contact/contact_force.h"
#include "contact/contact_response.h"
#include "dynamics/failed_spring.h"
#include "integrate/tableau.h"
#include "sim/checkpoint.h"
#include "sim/driver_set.h"
#include "sim/frame.h"
#include "sim/step_picture.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

Scene parsed(const std::string& members) {
  return parse_scene("{\"clothlab-scene\": 4, " + members + "}", "scene");
}

std::vector<IntegratorInfo> constrained_integrators() {
  std::vector<IntegratorInfo> all = tried_integrators();
  std::erase_if(all, [](const IntegratorInfo& info) { return !takes_couplings(info); });
  return all;
}

const auto kOf = [](const ::testing::TestParamInfo<IntegratorInfo>& of) {
  std::string name(of.param.id);
  std::ranges::replace(name, '-', '_');
  return name;
};

/// A 7×7 sheet that is shaken: a pin, a corner on a path, a corner on a rail; bars from the pin inwards, from
/// there to a corner, and across, in part twice. The mass is at the vertices' areas, so it is unequal.
Scene shaken(const IntegratorInfo& info) {
  Scene scene = parsed(
      R"("mesh": {"grid": [7, 7]}, "pin": [0], "dt": 0.01, "mass-model": "area", "stretch-stiffness": 200,
      "groups": {"rail": {"indices": [6]}, "moved": {"indices": [42]}, "bar": {"indices": [0, 16]},
                 "next": {"indices": [16, 48]}, "across": {"indices": [20, 34]}, "third": {"indices": [20, 26]},
                 "fourth": {"indices": [26, 34]}, "wave": {"box": [[0.4, -1, 0.4], [1, 1, 1]]}},
      "drivers": [
        {"group": "rail", "constraint": "line", "along": [2, 0, 1]},
        {"group": "moved", "path": [{"time": 0}, {"time": 0.2, "move": [0.1, 0.05, 0]},
          {"time": 0.5, "move": [0, -0.1, -0.1]}, {"time": 0.8, "move": [0, 0, 0]}],
          "interpolation": "smooth", "loops": true},
        {"group": "bar", "constraint": "distance"}, {"group": "next", "constraint": "distance"},
        {"group": "across", "constraint": "distance", "length": 0.36},
        {"group": "across", "constraint": "distance", "length": 0.36},
        {"group": "third", "constraint": "distance"}, {"group": "fourth", "constraint": "distance"},
        {"group": "wave", "force": {"harmonic": [0, 0.002, 0.001], "frequency": 3}}])");
  scene.integrator = info.id;
  if (info.stability_limit < kNoStabilityLimit) {
    scene.dt = 5e-4;
    scene.material.stretch_stiffness = 20;
  }
  return scene;
}

class ConstraintsOf : public ::testing::TestWithParam<IntegratorInfo> {
 protected:
  static constexpr double kSeconds = 1.5;
};

TEST_P(ConstraintsOf, AreKeptOnAShakenSheet) {
  const Scene scene = shaken(GetParam());
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const std::vector<vec3> start = simulation.state().x;
  const vec3 along = glm::normalize(vec3(2, 0, 1));
  const DriverSet drivers(scene, simulation.mesh(), simulation.mesh().positions);
  ASSERT_EQ(drivers.distances().size(), 6U);
  const double energy = simulation.record().energy.total;
  double travel = 0, turned = 1, largest = 0;
  for (int k = 0; k * scene.dt < kSeconds; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done)
        << k << ' ' << (simulation.blow_up() ? static_cast<int>(simulation.blow_up()->cause) : -1);
    const State& now = simulation.state();
    const StepRecord& record = simulation.record();
    for (const auto& [i, j, length] : drivers.distances()) {
      const vec3 d = now.x[j] - now.x[i];
      ASSERT_NEAR(glm::length(d), length, 1e-14) << k;
      ASSERT_NEAR(glm::dot(d, now.v[j] - now.v[i]), 0, 1e-12) << k;  // at an end that is free
    }
    const vec3 moved = now.x[6] - start[6];
    ASSERT_LT(glm::length(moved - glm::dot(along, moved) * along), 1e-14) << k;
    ASSERT_LT(glm::length(now.v[6] - glm::dot(along, now.v[6]) * along), 1e-12) << k;
    travel = std::max(travel, std::abs(glm::dot(along, moved)));
    turned = std::min(turned,
                      glm::dot(glm::normalize(now.x[16] - now.x[0]), glm::normalize(start[16] - start[0])));
    largest = std::max({largest, record.energy.kinetic, std::abs(record.energy.total)});
    ASSERT_NEAR(record.ledger.sum(), record.energy.total - energy, 1e-12 * largest) << k;
    ASSERT_LT(record.length_violation, 1e-14);
  }
  EXPECT_GT(travel, 0.05);
  EXPECT_LT(turned, 0.7);
  EXPECT_GT(simulation.record().rod_force, 1e-4);
}

TEST_P(ConstraintsOf, LeaveTheMomentumOfFreeCloth) {
  Scene scene = parsed(
      R"("mesh": {"grid": [6, 6]}, "pin": "none", "gravity": [0, 0, 0], "dt": 0.01, "mass-model": "area",
      "groups": {"a": {"indices": [0, 21]}, "b": {"indices": [21, 35]}},
      "drivers": [{"group": "a", "constraint": "distance", "length": 0.5},
                  {"group": "b", "constraint": "distance", "length": 0.5}])");
  scene.integrator = GetParam().id;
  scene.material.stretch_stiffness = 20;
  if (GetParam().stability_limit < kNoStabilityLimit) scene.dt = 1e-3;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  for (int k = 0; k < 50; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << k;
    vec3 sum(0);
    double size = 0;
    const std::span<const double> m = simulation.system().masses();
    for (std::size_t i = 0; i < m.size(); ++i) {
      sum += m[i] * simulation.state().v[i];
      size += m[i] * glm::length(simulation.state().v[i]);
    }
    ASSERT_GT(size, 1e-6);
    ASSERT_LT(glm::length(sum), 1e-12 * size) << k;
  }
}

TEST_P(ConstraintsOf, SurviveACheckpoint) {
  const Scene scene = shaken(GetParam());
  Simulation whole(scene, mesh_of(scene), one_thread());
  Checkpoint moment;
  ASSERT_EQ(run(whole, 12), 12);
  whole.save(one_thread(), moment);
  ASSERT_EQ(run(whole, 12), 12);
  const Checkpoint again = through_numbers(moment);
  Simulation other(again, whole.shared_mesh(), one_thread());
  ASSERT_EQ(run(other, 12), 12);
  EXPECT_TRUE(same_bits(whole.state(), other.state()));
}

/// A mass on a massless rod from a pin, released where the rod is horizontal; all else is pinned.
Scene pendulum(const IntegratorInfo& info, double h) {
  Scene scene = parsed(R"("mesh": {"grid": [2, 2]}, "pin": [0, 2, 3], "stretch-stiffness": 1e-6,
      "bend-stiffness": 0, "spring-damping": 0, "newton-tolerance": 1e-10, "cg-tolerance": 1e-12,
      "groups": {"rod": {"indices": [0, 1]}}, "drivers": [{"group": "rod", "constraint": "distance"}])");
  scene.integrator = info.id;
  scene.dt = h;
  return scene;
}

TEST_P(ConstraintsOf, SwingAPendulumWithItsExactPeriod) {
  constexpr double kQuarterPeriod = 1.8540746773013719;  // K(sin 45°)
  const auto error = [&](int steps) {
    const double g = 9.8, time = 4 * kQuarterPeriod / std::sqrt(g);
    const Scene scene = pendulum(GetParam(), time / steps);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    EXPECT_NEAR(glm::distance(simulation.mesh().positions[0], simulation.mesh().positions[1]), 1, 1e-15);
    EXPECT_NEAR(scene.material.gravity.y, -g, 1e-12);
    for (int k = 1; k <= steps; ++k) {
      EXPECT_EQ(simulation.step(one_thread()), StepStatus::done);
      if (4 * k != steps) continue;
      // At the bottom the rod pulls with 3 m g.
      EXPECT_NEAR(simulation.distance_forces()[0] / (3 * simulation.system().masses()[1] * g), 1,
                  40.0 / steps);
    }
    const EnergyLedger& ledger = simulation.record().ledger;
    const double mgl = simulation.system().masses()[1] * g;
    // The rod does no work: the energy that is lost or gained is that of the method.
    if (GetParam().id != "two-step") {
      EXPECT_LT(std::abs(ledger.pins), 1e-3 * mgl);
      EXPECT_LT(std::abs(ledger.solver), 1e-9 * mgl);
    }
    const vec3 v = simulation.state().v[1];
    return glm::distance(simulation.state().x[1], simulation.mesh().positions[1]) +
           glm::length(v) / std::sqrt(g);
  };
  const double coarse = error(200), fine = error(400), order = std::log2(coarse / fine);
  RecordProperty("errors", std::to_string(coarse) + ", " + std::to_string(fine));
  // The history of a two-step method lacks the forces of constraints.
  const int expected = GetParam().id == "two-step" ? 1 : std::clamp(GetParam().order, 1, 2);
  EXPECT_GT(order, expected - 0.05) << coarse << ' ' << fine;
  EXPECT_LT(fine, expected == 1 ? 0.1 : 2.5e-3);
}

// The rod's pull is no force that the method linearised or remembered: those are the weight alone.
TEST_P(ConstraintsOf, AreApartFromTheForcesInThePictureOfAStep) {
  const Scene scene = pendulum(GetParam(), 0.01);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  simulation.watch(true);
  ASSERT_EQ(run(simulation, 20), 20);
  const vec3 v0 = simulation.state().v[1];
  ASSERT_EQ(run(simulation, 1), 1);
  const std::vector<StepPicture> pictures = pictures_of_step(one_thread(), simulation, std::vector{1U});
  ASSERT_EQ(pictures.size(), 1U);
  const StepPicture& picture = pictures[0];
  const double m = simulation.system().masses()[1];
  vec3 forces = picture.rest.weight * picture.rest.force;
  for (const UsedForce& use : picture.used) forces += use.weight * use.force;
  const vec3 weight = m * scene.dt * scene.material.gravity, change = m * (simulation.state().v[1] - v0);
  EXPECT_LT(glm::length(forces + picture.constraints - change), 1e-9 * glm::length(weight));
  if (GetParam().id == "two-step") return;  // its history has the rod's accelerations
  EXPECT_LT(glm::length(forces - weight), 1e-5 * glm::length(weight));
  EXPECT_GT(glm::length(picture.constraints), 0.5 * glm::length(weight));
}

/// Short runs: the distances, and the ledger.
void expect_kept(const Scene& scene) {
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const double start = simulation.record().energy.total;
  double largest = 0;
  for (int k = 0; k < 40; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << k;
    const StepRecord& record = simulation.record();
    largest = std::max({largest, record.energy.kinetic, std::abs(record.energy.total)});
    ASSERT_LT(record.length_violation, 1e-14) << k;
    ASSERT_NEAR(record.ledger.sum(), record.energy.total - start, 1e-12 * largest) << k;
    // Exact blocks may be indefinite.
    ASSERT_TRUE(record.converged || scene.solver.jacobian == JacobianMode::exact) << k << record.reason;
  }
  EXPECT_GT(simulation.record().energy.kinetic, 1e-5);
  EXPECT_GT(std::abs(simulation.record().rod_force), 1e-4);
}

TEST_P(ConstraintsOf, AreKeptWithOtherSettings) {
  Scene scene = shaken(GetParam());
  scene.solver.stage_solve = StageSolve::linear;
  expect_kept(scene);
  scene.solver.stage_solve = StageSolve::newton;
  scene.solver.jacobian = JacobianMode::exact;
  expect_kept(scene);
  scene.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  expect_kept(scene);
  scene.solver = {};
  scene.adaptive = true;
  scene.substeps = 2;
  expect_kept(scene);
}

TEST(Constraint, IsKeptByEveryTableau) {
  for (const TableauPreset& preset : tableau_presets()) {
    SCOPED_TRACE(preset.id);
    const IntegratorInfo& info = tableau_method(preset.tableau).info;
    Scene scene = shaken(info);
    set_integrator(scene, info);
    expect_kept(scene);
  }
}

// Distances that nothing can satisfy: the least Σ c², at rest.
TEST_P(ConstraintsOf, SettleWhereTheyContradictEachOther) {
  const std::string chain = R"("groups": {"a": {"indices": [0, 2]}, "b": {"indices": [2, 4]},
      "c": {"indices": [0, 4]}, "end": {"indices": [4]}, "two": {"indices": [5, 20]}}, "drivers": [)";
  const auto distance = [](const std::string& group, const std::string& length) {
    return R"({"group": ")" + group + R"(", "constraint": "distance", "length": )" + length + "}";
  };
  const auto line = [](const std::string& group, const std::string& along) {
    return R"({"group": ")" + group + R"(", "constraint": "line", "along": )" + along + "}";
  };
  struct Case {
    std::string members;
    double violation;
  };
  for (const Case& each :
       {Case{R"("pin": [0, 4], )" + chain + distance("a", "0.499") + ", " + distance("b", "0.499"), 1e-3},
        Case{R"("pin": [0], )" + chain +
                 R"({"group": "end", "path": [{"time": 0}, {"time": 0.5, "move": [0.01, 0, 0]}]}, )" +
                 distance("a", "0.5") + ", " + distance("b", "0.5"),
             5e-3},
        Case{R"("pin": [0], )" + chain + distance("c", "0.5") + ", " + line("end", "[0, 0, 1]"), 0.5},
        Case{R"("pin": [0], )" + chain + distance("two", "0.7") + ", " + line("two", "[1, 0, 0]"), 0.05}}) {
    SCOPED_TRACE(each.members);
    Scene scene =
        parsed(R"("mesh": {"grid": [5, 5]}, "gravity": [2, -9.8, 0], "dt": 0.01, )" + each.members + "]");
    scene.integrator = GetParam().id;
    if (GetParam().stability_limit < kNoStabilityLimit) {
      scene.dt = 2e-3;
      scene.material.stretch_stiffness = 20;
    }
    Simulation simulation(scene, mesh_of(scene), one_thread());
    double fastest = 0;
    for (int k = 0; k * scene.dt < 0.6; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << k;
      for (const vec3& v : simulation.state().v) fastest = std::max(fastest, glm::length(v));
    }
    EXPECT_LT(fastest, 12);
    EXPECT_LT(simulation.record().max_strain, 1);
    EXPECT_NEAR(simulation.record().length_violation, each.violation, 1e-6);
    EXPECT_TRUE(simulation.notices().has(NoticeCause::distances_violated));
  }
}

// A displacement that the barrier limits is that of a whole bar, which then is at its length.
TEST_P(ConstraintsOf, AreKeptWhereABarrierLimitsDisplacements) {
  for (const double h : {0.02, 0.05}) {
    if (h > 0.02 && GetParam().stability_limit < kNoStabilityLimit) break;
    Scene scene = parsed(R"("mesh": {"grid": [9, 9]}, "pin": "none", "contact": "barrier", "floor": true,
        "groups": {"a": {"indices": [0, 8]}, "b": {"indices": [30, 50]}},
        "drivers": [{"group": "a", "constraint": "distance"}, {"group": "b", "constraint": "distance"}])");
    scene.integrator = GetParam().id;
    scene.floor.height = h == 0.02 ? -0.5 : -1.5;
    scene.dt = GetParam().stability_limit < kNoStabilityLimit ? h / 20 : h;
    if (GetParam().stability_limit < kNoStabilityLimit) scene.material.stretch_stiffness = 20;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    for (int k = 0; k * scene.dt < 40 * h; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << h << ' ' << k;
      ASSERT_LT(simulation.record().length_violation, 1e-12) << h << ' ' << k;
      for (const vec3& x : simulation.state().x) ASSERT_GT(x.y, scene.floor.height) << h << ' ' << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ConstraintsOf, ::testing::ValuesIn(constrained_integrators()), kOf);

// A corner of a hanging sheet on a rail that slopes: it slides down, by every method.
TEST(Constraint, OfALineIsKeptByEveryMethod) {
  const vec3 along = glm::normalize(vec3(-1, -0.5, 0.25));
  for (const IntegratorInfo& info : tried_integrators()) {
    Scene scene = parsed(R"("mesh": {"grid": [5, 5]}, "pin": [0], "dt": 0.01, "stretch-stiffness": 100,
        "groups": {"ring": {"indices": [4]}},
        "drivers": [{"group": "ring", "constraint": "line", "along": [-2, -1, 0.5]}])");
    scene.integrator = info.id;
    if (info.stability_limit < kNoStabilityLimit) scene.dt = 1e-3;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    const vec3 start = simulation.state().x[4];
    for (int k = 0; k * scene.dt < 0.3; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << info.id << ' ' << k;
      const vec3 moved = simulation.state().x[4] - start, v = simulation.state().v[4];
      ASSERT_LT(glm::length(moved - glm::dot(along, moved) * along), 1e-12) << info.id << ' ' << k;
      ASSERT_LT(glm::length(v - glm::dot(along, v) * along), 1e-11) << info.id << ' ' << k;
    }
    EXPECT_GT(glm::dot(along, simulation.state().x[4] - start), 0.05) << info.id;
  }
}

TEST(Constraint, IsTheSameByEitherSolver) {
  Scene scene = shaken(*find_integrator("backward-euler"));
  scene.solver.newton_tolerance = 1e-10;
  scene.solver.linear.cg.tolerance = 1e-10;
  Simulation by_cg(scene, mesh_of(scene), one_thread());
  scene.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  Simulation direct(scene, by_cg.shared_mesh(), one_thread());
  ASSERT_EQ(run(by_cg, 30), 30);
  ASSERT_EQ(run(direct, 30), 30);
  for (std::size_t i = 0; i < by_cg.state().x.size(); ++i)
    EXPECT_LT(glm::distance(by_cg.state().x[i], direct.state().x[i]), 1e-8) << i;
}

TEST(Constraint, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const char* method : {"semi-implicit-euler", "bdf2"}) {
    Scene scene = parsed(R"("mesh": {"grid": [60, 60]}, "dt": 0.01,
      "groups": {"bar": {"indices": [3540, 3599]}, "inner": {"indices": [1830, 3540]}},
      "drivers": [{"group": "bar", "constraint": "distance"}, {"group": "inner", "constraint": "distance"}])");
    scene.integrator = method;
    const auto mesh = mesh_of(scene);
    Simulation one(scene, mesh, one_thread());
    ASSERT_EQ(run(one, 4), 4);
    for (const unsigned threads : {2U, 4U}) {
      WorkerPool pool(threads);
      Simulation many(scene, mesh, pool);
      ASSERT_EQ(run(many, 4, pool), 4);
      EXPECT_TRUE(same_bits(one.state(), many.state())) << method << ' ' << threads;
    }
  }
}

TEST(Constraint, IsSwitchedByACommand) {
  Scene scene = shaken(*find_integrator("backward-euler"));
  scene.drivers[4].on = scene.drivers[5].on = false;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const auto across = [&] { return glm::distance(simulation.state().x[20], simulation.state().x[34]); };
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_GT(std::abs(across() - 0.36), 0.01);
  const std::vector<vec3> v = simulation.state().v;
  simulation.apply(one_thread(), SetDriver{4, true});
  EXPECT_NEAR(across(), 0.36, 1e-14);
  EXPECT_EQ(simulation.state().v, v);
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_NEAR(across(), 0.36, 1e-14);
  const std::span<const double> forces = simulation.distance_forces();
  ASSERT_EQ(forces.size(), 5U);
  for (const double force : forces) EXPECT_GT(std::abs(force), 1e-6);
  Frame frame;
  capture(simulation, simulation.shared_scene(), frame);
  EXPECT_EQ(frame.distance_forces, std::vector<double>(forces.begin(), forces.end()));
  EXPECT_DOUBLE_EQ((*frame.drivers)[4].length, 0.36);
  simulation.apply(one_thread(), SetDriver{4, false});
  ASSERT_EQ(run(simulation, 30), 30);
  EXPECT_GT(std::abs(across() - 0.36), 1e-3);
}

// The forces of the last step belong to other distances, or to another state.
TEST(Constraint, HasNoForceUntilAStepFollowsAChange) {
  const Scene scene = shaken(*find_integrator("backward-euler"));
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const auto expect_none = [&] {
    EXPECT_TRUE(simulation.distance_forces().empty());
    Frame frame;
    frame.distance_forces = {1};
    capture(simulation, simulation.shared_scene(), frame);
    EXPECT_TRUE(frame.distance_forces.empty());
  };
  const auto step = [&](std::size_t distances) {
    ASSERT_EQ(run(simulation, 1), 1);
    EXPECT_EQ(simulation.distance_forces().size(), distances);
  };
  expect_none();
  step(6);
  const auto moment = std::make_shared<Checkpoint>();
  simulation.save(one_thread(), *moment);
  step(6);
  simulation.apply(one_thread(), Reset{});
  expect_none();
  step(6);
  simulation.apply(one_thread(), GoBack{moment});
  expect_none();
  step(6);
  simulation.apply(one_thread(), SetDriver{4, false});
  expect_none();
  step(5);
  EXPECT_EQ(simulation.step(one_thread(), [] { return true; }), StepStatus::stopped);
  expect_none();
  step(5);
  simulation.load(one_thread(), *moment);
  expect_none();
  step(6);
}

TEST(Constraint, HasNoForceAfterARefusedStep) {
  Scene scene = shaken(*find_integrator("symplectic-euler"));
  scene.dt = 0.1;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  StepStatus status = StepStatus::done;
  int done = 0;
  while ((status = simulation.step(one_thread())) == StepStatus::done) {
    ASSERT_LT(++done, 100);
    EXPECT_EQ(simulation.distance_forces().size(), 6U);
  }
  EXPECT_GT(done, 0);
  EXPECT_EQ(status, StepStatus::blown_up);
  EXPECT_TRUE(simulation.distance_forces().empty());
}

TEST(Constraint, IsRefusedWithAReason) {
  const auto scene_with = [](const std::string& drivers) {
    return parsed(R"("mesh": {"grid": [3, 3]}, "pin": [0, 2],
        "groups": {"a": {"indices": [0, 4]}, "b": {"indices": [4]}, "c": {"indices": [0, 2]}}, "drivers": [)" +
                  drivers + "]");
  };
  const auto refused = [&](const std::string& drivers) {
    return refusal([&] {
      const Scene scene = scene_with(drivers);
      Simulation(scene, mesh_of(scene), one_thread());
    });
  };
  const std::string distance = R"({"group": "a", "constraint": "distance"})";
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "rigid"})"),
            "scene: \"constraint\" of driver 1 must be \"line\" or \"distance\".");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "line"})"), "scene: driver 1 lacks \"along\".");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "line", "along": [0, 0, 0]})"),
            "scene: The direction of driver 1 must have a length of at least 1e-06, and each number must be "
            "from -1000 to 1000.");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "line", "length": 1, "along": [1, 0, 0]})"),
            "scene: \"length\" of driver 1 belongs to the constraint \"distance\".");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "distance", "length": 0})"),
            "scene: \"length\" of driver 1 must be above 0; without it, it is the distance at the start.");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "distance", "length": -1})"),
            "scene: The length of driver 1 must be from 1e-06 to 1000 m.");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "distance", "loops": true})"),
            "scene: \"loops\" of driver 1 belongs to a path.");
  EXPECT_EQ(refused(R"({"group": "b", "constraint": "distance"})"),
            "Group \"b\": a distance needs two particles; the group has 1.");
  EXPECT_EQ(
      refused(R"({"group": "c", "constraint": "distance"})"),
      "Pins or paths prescribe the vertices 0 and 2, so their distance cannot be kept. Free one of them, "
      "or switch the distance off.");
  EXPECT_EQ(refused(R"({"group": "a", "constraint": "line", "along": [1, 0, 0]})"),
            "Group \"a\": vertex 0 is pinned, and a line moves it. Unpin it, or switch the line off.");

  Scene scene = scene_with(distance);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  for (const IntegratorInfo& info : integrators())
    if (!takes_couplings(info)) {
      EXPECT_EQ(refusal([&] { simulation.apply(one_thread(), SetIntegrator{std::string(info.id)}); }),
                std::string(info.title) +
                    " cannot keep particles at a distance; use an implicit or an explicit method, or switch "
                    "the distance off.");
    }
  EXPECT_EQ(refusal([&] {
              simulation.apply(one_thread(), SetParameter{"floor", 1});
            }),
            "Contact by filter cannot keep particles at a distance; use contact by penalty or barrier, or "
            "switch the distance off.");
  scene.contact.model = ContactModel::penalty;
  scene.floor.on = true;
  EXPECT_NO_THROW(Simulation(scene, mesh_of(scene), one_thread()));
  scene.drivers[0].on = false;
  scene.contact.model = ContactModel::filter;
  EXPECT_NO_THROW(Simulation(scene, mesh_of(scene), one_thread()));
}

// A bar that falls on a sphere, by forces.
TEST(Constraint, IsKeptInContact) {
  for (const char* contact : {"penalty", "barrier"}) {
    const Scene scene =
        parsed(std::string(R"("mesh": {"grid": [12, 12]}, "pin": "none", "dt": 0.005, "contact": ")") +
               contact + R"(", "obstacles": ["sphere:0.5,-0.35,0.5,0.3"],
        "groups": {"bar": {"indices": [60, 71]}}, "drivers": [{"group": "bar", "constraint": "distance"}])");
    Simulation simulation(scene, mesh_of(scene), one_thread());
    double force = 0;
    for (int k = 0; k < 100; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << contact << ' ' << k;
      const std::vector<vec3>& x = simulation.state().x;
      ASSERT_NEAR(glm::distance(x[60], x[71]), 1, 1e-13) << contact << ' ' << k;
      for (const vec3& each : x) EXPECT_GT(glm::distance(each, vec3(0.5, -0.35, 0.5)), 0.29) << contact;
      force = std::max(force, simulation.record().rod_force);
    }
    EXPECT_GT(force, 1e-3) << contact;
  }
}

/// The same scene with or without its distance, after a step.
std::unique_ptr<Simulation> stepped(const std::string& members, bool distance) {
  Scene scene = parsed(members);
  for (Driver& driver : scene.drivers)
    if (std::holds_alternative<GroupDistance>(driver.action)) driver.on = distance;
  auto simulation = std::make_unique<Simulation>(scene, mesh_of(scene), one_thread());
  EXPECT_EQ(run(*simulation, 1), 1);
  return simulation;
}

// Particles at a distance are free, and those on a line are along it.
TEST(Constraint, LeavesTheFrequencyOfAFailedSpring) {
  const std::string members = R"("mesh": {"grid": [3, 3]}, "pin": "none", "bend-stiffness": 0,
      "gravity": [0, 0, 0], "mass-model": "area", "groups": {"bar": {"indices": [0, 4]}, "ring": {"indices": [8]}},
      "drivers": [{"group": "bar", "constraint": "distance"},
                  {"group": "ring", "constraint": "line", "along": [1, 0, 0]}])";
  const auto omega = [&](bool distance, const vec3& pull, std::size_t particle) {
    const auto simulation = stepped(members, distance);
    const std::vector<vec3>& x0 = simulation->state().x;
    std::vector<vec3> x1 = x0;
    x1[particle] += pull;
    return failed_spring(simulation->system(), x0, x1).value();
  };
  for (const bool distance : {false, true}) {
    const FailedSpring spring = omega(distance, vec3(-0.3, 0, 0), 0);
    const auto simulation = stepped(members, distance);
    const std::span<const double> m = simulation->system().masses();
    const double k = simulation->system().elements()[0].stiffness;
    EXPECT_EQ(std::min(spring.i, spring.j), 0U);
    EXPECT_NEAR(spring.omega, std::sqrt(k * (1 / m[spring.i] + 1 / m[spring.j])), 1e-6 * spring.omega);
    // From 7 along the line, and from 5 across it.
    for (const auto& [pull, other, free] :
         {std::tuple(vec3(0.3, 0, 0), 7U, 1.0), std::tuple(vec3(0, 0, 0.3), 5U, 0.0)}) {
      const FailedSpring at_ring = omega(distance, pull, 8);
      ASSERT_EQ(std::min(at_ring.i, at_ring.j), other);
      ASSERT_EQ(std::max(at_ring.i, at_ring.j), 8U);
      EXPECT_NEAR(at_ring.omega, std::sqrt(k * (1 / m[other] + free / m[8])), 1e-6 * at_ring.omega);
    }
  }
}

TEST(Constraint, LeavesItsParticlesToAFailedContact) {
  const std::string members = R"("mesh": {"grid": [3, 3]}, "pin": "none", "contact": "penalty", "floor": true,
      "floor-height": -1e-3, "self-contact": false, "gravity": [0, 0, 0], "contact-distance": 5e-3,
      "groups": {"bar": {"indices": [0, 4]}}, "drivers": [{"group": "bar", "constraint": "distance"}])";
  for (const bool distance : {false, true}) {
    const auto simulation = stepped(members, distance);
    const std::vector<vec3>& x0 = simulation->state().x;
    std::vector<vec3> x1 = x0;
    x1[4].y -= 0.5;
    const auto found =
        failed_contact(simulation->contact().force(), simulation->system(), one_thread(), x0, x1);
    ASSERT_TRUE(found.has_value()) << distance;
    EXPECT_EQ(found->particle, 4U) << distance;
  }
}

}  // namespace
}  // namespace clothlab::testing
