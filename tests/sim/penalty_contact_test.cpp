// SPDX-License-Identifier: MIT
// Contact by forces against theory: where cloth rests, when it creeps or slides, and what energy it makes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "analysis/stability_text.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/diagnostics.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

constexpr double kGravity = 9.8;

bool takes_forces(const IntegratorInfo& info) {
  return supports_contact(ContactModel::penalty, info) && info.id != "explicit-euler";
}

// A patch of four particles on the floor, tilted by an angle, at the gap at which a contact carries it.
Scene patch_on_floor(const std::string& integrator, double angle, double friction, double h) {
  Scene scene;
  scene.integrator = integrator;
  scene.mesh = GridSource{2, 2, 1e-2, 1e-2};
  scene.pins = PinPreset::none;
  scene.material.mass = 0.04;
  scene.material.stretch_stiffness = 50;
  scene.material.gravity = kGravity * vec3(std::sin(angle), -std::cos(angle), 0);
  scene.dt = h;
  scene.solver.linear.cg.tolerance = 1e-12;
  scene.solver.newton_tolerance = 1e-10;
  scene.floor = {.on = true, .height = 0, .friction = friction};
  scene.contact = {.model = ContactModel::penalty, .stiffness = 200, .distance = 2e-3};
  scene.contact.friction_speed = 1e-2;
  InitialState start;
  const double gap = scene.contact.distance - 0.01 * kGravity * std::cos(angle) / scene.contact.stiffness;
  for (const double z : {0.0, 1e-2})
    for (const double x : {0.0, 1e-2}) start.positions.emplace_back(x, gap, z);
  start.velocities.assign(4, vec3(0));
  scene.initial_state = start;
  return scene;
}

// k (d̂ − g) = m 9.8 at every particle, whatever the method.
TEST(PenaltyContact, ClothRestsWhereTheContactCarriesIt) {
  WorkerPool pool(1);
  for (const IntegratorInfo& info : integrators()) {
    if (!takes_forces(info)) continue;
    Scene scene = patch_on_floor(std::string(info.id), 0, 0.3, 1e-3);
    for (vec3& x : scene.initial_state->positions) x.y += 2e-4;
    scene.material.rayleigh_mass = 100;
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(run(simulation, 1000), 1000) << info.id;
    for (const vec3& x : simulation.state().x)
      EXPECT_NEAR(x.y, 2e-3 - 0.01 * kGravity / 200, 1e-9) << info.id;  // e^{-50}: all motion has died out
  }
}

// Below tan θ = μ it creeps: at rest m 9.8 sin θ = μ λ s(y), s(y) = 2 y/ε − y²/ε². Above it slides, at the
// rate 9.8 (sin θ − μ cos θ), exact once it is faster than ε; in exponential methods
// friction is proportional to v1/v0 in a step, which in the time T takes h/T ln(v(T)/v(0)) of it more.
TEST(PenaltyContact, FrictionCreepsBelowItsAngleAndSlidesAbove) {
  constexpr double kRough = 0.5, kSlow = 1e-2;
  WorkerPool pool(1);
  for (const IntegratorInfo& info : integrators()) {
    if (!takes_forces(info)) continue;
    for (const double angle : {std::atan(kRough) - 0.1, std::atan(kRough) + 0.1}) {
      Scene scene = patch_on_floor(std::string(info.id), angle, kRough, 5e-4);
      scene.integrator_parameters = {{"xpbd-iterations", 20}, {"xpbd-substeps", 1}};
      Simulation simulation(scene, mesh_of(scene), pool);
      const auto speed = [&] { return simulation.state().v[0].x; };
      ASSERT_EQ(run(simulation, 200), 200) << info.id;
      if (std::tan(angle) < kRough) {
        const double creep = kSlow * (1 - std::sqrt(1 - std::tan(angle) / kRough));
        EXPECT_NEAR(speed(), creep, 1e-3 * creep) << info.id;
      } else {
        ASSERT_GT(speed(), kSlow);
        const double before = speed();
        run(simulation, 200);
        const double rate = kGravity * (std::sin(angle) - kRough * std::cos(angle));
        const bool lagged = info.family == IntegratorFamily::exponential;
        const double more = kRough * kGravity * std::cos(angle) * 5e-4 / 0.1 * std::log(speed() / before);
        EXPECT_NEAR((speed() - before) / 0.1, rate, 1e-3 * rate + (lagged ? 1.1 * more : 0)) << info.id;
      }
    }
  }
}

// A patch that slides by up to 4 cm/s stops within a step, or nearly so: v1 + h μ 9.8 s(v1) = v0, s(y) = 2
// y/ε − y²/ε² up to ε. The plane is inclined against the axes, so that rounding has no exact zeros across its
// normal.
TEST(PenaltyContact, FrictionOfAStepInWhichClothStopsObeysItsLaw) {
  constexpr double kRough = 0.3, kSlow = 1e-3, h = 1.0 / 60;
  const vec3 normal = glm::normalize(vec3(0.3, 1, 0.2)),
             along = glm::normalize(glm::cross(normal, vec3(0, 0, 1)));
  for (const double speed : {-0.1, 0.01, 0.02, 0.03, 0.04, 0.049, 0.0495, 0.06}) {
    Scene scene = patch_on_floor("semi-implicit-euler", 0, kRough, h);
    scene.floor.on = false;
    Obstacle plane;
    plane.shape = Obstacle::Shape::plane;
    plane.normal = normal;
    scene.obstacles.bodies = {plane};
    scene.obstacles.friction = kRough;
    scene.material.gravity = -kGravity * normal;
    scene.contact.friction_speed = kSlow;
    const double gap = scene.initial_state->positions[0].y;
    const vec3 across = glm::cross(along, normal);
    for (vec3& x : scene.initial_state->positions) x = gap * normal + x.x * along + x.z * across;
    scene.initial_state->velocities.assign(4, speed * along);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 1), 1);
    EXPECT_TRUE(simulation.record().converged) << speed;
    const double most = h * kRough * kGravity, v0 = std::abs(speed), y = kSlow / most;
    // 2 z − z² + y z = v0/most for z = v1/ε below 1
    const double z = (2 + y - std::sqrt((2 + y) * (2 + y) - 4 * v0 / most)) / 2;
    const double v1 = v0 > most + kSlow ? v0 - most : kSlow * z;
    EXPECT_NEAR(glm::dot(simulation.state().v[0], along), std::copysign(v1, speed), 2e-3 * most) << speed;
  }
}

// While a sheet lands on the edges of a box, loads and directions of friction change with each solve.
TEST(PenaltyContact, FrictionThatDoesNotSettleIsReported) {
  Scene scene;
  scene.mesh = GridSource{20, 20, 1, 1};
  scene.pins = PinPreset::none;
  scene.contact.model = ContactModel::penalty;
  scene.obstacles.bodies = {parse_obstacle("box:0.5,-0.3,0.5,0.5,0.4,0.5")};
  scene.obstacles.friction = 0.8;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  int unsettled = 0;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    const StepRecord& record = simulation.record();
    if (record.converged) continue;
    ++unsettled;
    EXPECT_TRUE(record.reason.starts_with("its contacts or their friction still changed"));
  }
  EXPECT_GT(unsettled, 0);
  EXPECT_LT(unsettled, 12);
  EXPECT_TRUE(simulation.notices().has(NoticeCause::not_converged));
}

// Near the limit of friction, where a law that lags behind the speed holds the cloth: it slides at 9.8 (sin θ
// − μ cos θ), 0.22 m/s² here, but for the time that it needs to become faster than ε, ε / 0.22 m/s² at most.
TEST(PenaltyContact, SlidesJustAboveTheLimitOfFriction) {
  constexpr double kSeconds = 1, kSlow = 1e-3, kRough = 0.34;
  const double angle = std::atan(0.364);
  const double rate = kGravity * (std::sin(angle) - kRough * std::cos(angle));
  for (const ContactModel model : {ContactModel::penalty, ContactModel::barrier})
    for (const char* integrator : {"semi-implicit-euler", "semi-implicit-bdf2", "backward-euler"})
      for (const double h : {1.0 / 60, 1.0 / 240}) {
        Scene scene = patch_on_floor(integrator, angle, kRough, h);
        scene.contact.model = model;
        scene.contact.friction_speed = kSlow;
        Simulation simulation(scene, mesh_of(scene), one_thread());
        const int steps = static_cast<int>(std::lround(kSeconds / h));
        ASSERT_EQ(run(simulation, steps), steps) << integrator;
        EXPECT_NEAR(simulation.state().v[0].x, rate * kSeconds, 0.02 * rate * kSeconds + kSlow)
            << integrator << ", " << info_of(model).id << ", h " << h;
      }
}

// The contact row holds what contacts took and gave back: with a method that keeps energy, a bounce without
// friction and damping leaves nothing to it, and in every step the ledger close.
TEST(PenaltyContact, ABounceWithoutLossesIsBookedAsSuch) {
  WorkerPool pool(1);
  Scene scene = patch_on_floor("velocity-verlet", 0, 0, 2e-5);
  scene.material.spring_damping = 0;
  for (vec3& x : scene.initial_state->positions) x.y = 0.012;
  Simulation simulation(scene, mesh_of(scene), pool);
  const double start = simulation.record().energy.total;
  bool touched = false;
  for (int k = 0; k < 5000; ++k) {
    ASSERT_EQ(simulation.step(pool), StepStatus::done);
    const StepRecord& now = simulation.record();
    touched = touched || now.ledger.contact < -1e-4;
    EXPECT_NEAR(now.ledger.energy - start, now.ledger.sum(), 1e-12);
    EXPECT_LT(std::abs(now.ledger.method), 1e-6);
  }
  EXPECT_TRUE(touched);
  EXPECT_NEAR(simulation.record().ledger.contact, 0, 1e-12) << "it has left the floor";
  EXPECT_GT(simulation.state().v[0].y, 0);
}

// The stiffness of contacts counts in ω_max: that of four particles, each on a spring to the floor.
TEST(PenaltyContact, TheMeterSeesItsStiffness) {
  WorkerPool pool(1);
  Scene scene = patch_on_floor("symplectic-euler", 0, 0, 1e-3);
  scene.material.stretch_stiffness = 1e-3;
  const Simulation simulation(scene, mesh_of(scene), pool);
  EXPECT_NEAR(omega_max(simulation, pool), std::sqrt(200 / 0.01), 1e-3);
}

// Whether it is what limits h, by its stiffness or by its friction.
TEST(PenaltyContact, TheMeterSaysWhetherContactSetsTheLimit) {
  WorkerPool pool(1);
  const auto says = [&](double stretch, double friction) {
    Scene scene = patch_on_floor("symplectic-euler", 0, friction, 1e-4);
    scene.material.stretch_stiffness = stretch;
    scene.contact.friction_speed = 1e-5;
    Simulation simulation(scene, mesh_of(scene), pool);
    EXPECT_EQ(run(simulation, 1), 1);
    StabilityMeter meter;
    const StabilityEstimate e = meter
                                    .estimate({simulation.system(), simulation.state(),
                                               simulation.system().projection(), simulation.integrator()},
                                              pool)
                                    .value();
    const IntegratorInfo& info = simulation.integrator();
    EXPECT_EQ(
        is_limited_by_contact(info, default_parameters(info), e),
        describe_stability(info, default_parameters(info), 1e-4, e).find("Contact forces set that limit") !=
            std::string::npos);
    EXPECT_FALSE(is_limited_by_contact(*find_integrator("backward-euler"), {}, e)) << "which has no limit";
    return std::array{e.contact_in_stiffness, e.contact_in_damping,
                      is_limited_by_contact(info, default_parameters(info), e) ? 1.0 : 0.0};
  };
  const auto soft = says(1e-3, 0);
  EXPECT_NEAR(soft[0], 1, 1e-3);
  EXPECT_EQ(soft[2], 1);
  const auto stiff = says(1e4, 0);
  EXPECT_LT(stiff[0], 0.05);
  EXPECT_EQ(stiff[2], 0);
  const auto rough = says(1e4, 0.5);
  EXPECT_GT(rough[1], 0.95);
  EXPECT_EQ(rough[2], 1) << "its friction";
}

// Friction at rest brakes each particle at the rate 2 μλ/(ε m), before the first step as well.
TEST(PenaltyContact, TheMeterSeesItsFrictionAtTheStartAndInACheckpoint) {
  WorkerPool pool(1);
  Scene scene = patch_on_floor("symplectic-euler", 0, 0.5, 1e-4);
  scene.contact.friction_speed = 1e-5;
  const double rate = 2 * 0.5 * 0.01 * kGravity / (1e-5 * 0.01);
  const auto measured = [&](const Simulation& simulation) {
    StabilityMeter meter;
    const Projection& pins = simulation.system().projection();
    return meter.estimate({simulation.system(), simulation.state(), pins, simulation.integrator()}, pool)
        .value()
        .damping_max;
  };
  Simulation simulation(scene, mesh_of(scene), pool);
  EXPECT_NEAR(measured(simulation), rate, 1e-2 * rate);
  Checkpoint start;
  simulation.save(pool, start);
  scene.floor.on = false;
  Simulation loaded(scene, mesh_of(scene), pool);
  EXPECT_LT(measured(loaded), 1e-2 * rate);
  loaded.load(pool, start);
  EXPECT_NEAR(measured(loaded), rate, 1e-2 * rate);
  loaded.apply(pool, SetParameter{"floor-friction", 1});
  EXPECT_NEAR(measured(loaded), 2 * rate, 2e-2 * rate);
}

TEST(PenaltyContact, GivesTheSameBitsForAnyNumberOfThreadsAndFromACheckpoint) {
  const auto sheet = grid_mesh(40, 40);
  Scene scene;
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 50;
  scene.dt = 2e-3;
  scene.floor = {.on = true, .height = -0.3};
  scene.obstacles.bodies = {parse_obstacle("sphere:0.2,-0.25,0.5,0.2"),
                            parse_obstacle("capsule:-0.2,-0.28,0.1,1.2,-0.25,0.2,0.1")};
  scene.contact.model = ContactModel::penalty;
  for (const char* integrator : {"semi-implicit-euler", "bdf2", "siere", "xpbd", "projective-dynamics"}) {
    scene.integrator = integrator;
    std::uint64_t first = 0;
    for (const int threads : {1, 2, 4}) {
      WorkerPool pool(threads);
      Simulation simulation(scene, sheet, pool), resumed(scene, sheet, pool);
      ASSERT_EQ(run(simulation, 60), 60);
      const auto moment = std::make_shared<Checkpoint>();
      simulation.save(pool, *moment);
      resumed.load(pool, *moment);
      ASSERT_EQ(run(simulation, 10), 10);
      ASSERT_EQ(run(resumed, 10), 10);
      EXPECT_GT(simulation.system().contact_energy(pool, simulation.state().x), 0);
      const std::uint64_t hash = state_hash(simulation.state());
      EXPECT_EQ(state_hash(resumed.state()), hash) << integrator;
      if (first == 0) first = hash;
      EXPECT_EQ(hash, first) << integrator << threads;
    }
  }
}

// A patch that falls on the floor, with one particle `higher` than the others, and bounces.
Scene falling_patch(const std::string& integrator, double friction, double higher) {
  Scene scene = patch_on_floor(integrator, 0.2, friction, 1e-3);
  scene.contact.friction_speed = 0.1;
  scene.material.spring_damping = 0.05;
  scene.integrator_parameters = {
      {"xpbd-iterations", 400}, {"xpbd-substeps", 1}, {"pd-iterations", 400}, {"pd-tolerance", 1e-13}};
  scene.initial_state->positions[1].y += higher;
  for (vec3& x : scene.initial_state->positions) x.y += 4e-3;
  for (vec3& v : scene.initial_state->velocities) v = vec3(0.3, -0.2, 0.1);
  return scene;
}

// With all solved, methods that take forces one by one are backward Euler: in a bounce with damping, and
// where the floor takes energy. Projective dynamics damps isotropically; XPBD has the friction of the push at
// the end, and springs that keep their directions during the sweeps.
TEST(PenaltyContact, SolvedOneByOneItIsBackwardEulers) {
  WorkerPool pool(1);
  for (const char* integrator : {"xpbd", "projective-dynamics"}) {
    const bool sweeps = std::string_view(integrator) == "xpbd";
    Scene scene = falling_patch(integrator, sweeps ? 0 : 0.4, sweeps ? 0 : 3e-3), by_newton = scene;
    by_newton.integrator = "backward-euler";
    if (!sweeps) scene.material.damping_model = by_newton.material.damping_model = DampingModel::isotropic;
    Simulation simulation(scene, mesh_of(scene), pool), expected(by_newton, mesh_of(scene), pool);
    double least = 1, lost = 0;
    for (int k = 0; k < 100; ++k) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done);
      ASSERT_EQ(expected.step(pool), StepStatus::done);
      const EnergyLedger &ledger = simulation.record().ledger, &theirs = expected.record().ledger;
      EXPECT_NEAR(ledger.contact, theirs.contact, 1e-9) << integrator << k;
      EXPECT_NEAR(ledger.method, theirs.method, 1e-9) << integrator << k;
      least = std::min(least, ledger.contact);
      lost = ledger.contact;
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(glm::distance(simulation.state().x[i], expected.state().x[i]), 1e-8) << integrator << k;
        EXPECT_LT(glm::distance(simulation.state().v[i], expected.state().v[i]), 1e-6) << integrator << k;
      }
    }
    EXPECT_LT(least, -1e-4) << "contacts took energy";
    EXPECT_LT(lost, -1e-5) << "and kept some of it";
  }
}

// The floor is lifted within a step as well: substeps of XPBD's own are those of the scene.
TEST(PenaltyContact, SubstepsOfAMethodMeetWhatMoves) {
  WorkerPool pool(1);
  Scene scene = patch_on_floor("xpbd", 0, 0.3, 8e-3);
  scene.floor.on = false;
  scene.obstacles.bodies = {parse_obstacle("plane:0,1,0,0")};
  Scene apart = scene;
  scene.integrator_parameters = {{"xpbd-iterations", 50}, {"xpbd-substeps", 4}};
  apart.integrator_parameters = {{"xpbd-iterations", 50}, {"xpbd-substeps", 1}};
  apart.substeps = 4;
  Simulation simulation(scene, mesh_of(scene), pool), expected(apart, mesh_of(apart), pool);
  for (Simulation* one : {&simulation, &expected}) {
    one->apply(pool, MoveObstacle{0, vec3(0.5, 1, 0), 1});
    ASSERT_EQ(run(*one, 40), 40);
  }
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LT(glm::distance(simulation.state().x[i], expected.state().x[i]), 1e-12);
  EXPECT_GT(simulation.state().x[0].y, 0.009) << "lifted, at two diagonals of the cloth a second";
}

// A body on its way is where it is, after a reset and in a run that goes on from a checkpoint.
TEST(PenaltyContact, FindsABodyOnItsWayAfterResetAndLoad) {
  const auto sheet = grid_mesh(11, 11);
  WorkerPool pool(1);
  Scene scene;
  scene.pins = PinPreset::none;
  scene.material.gravity = vec3(0);
  scene.dt = 1e-3;
  scene.contact.model = ContactModel::penalty;
  scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.302,0.5,0.3")};
  Simulation simulation(scene, sheet, pool), resumed(scene, sheet, pool);
  const auto energy = [&](const Simulation& of) { return of.system().contact_energy(pool, of.state().x); };
  const double start = energy(simulation);
  ASSERT_GT(start, 0);
  simulation.apply(pool, MoveObstacle{0, vec3(0.5, -1.3, 0.5), 1});
  ASSERT_EQ(run(simulation, 1), 1);
  const auto moment = std::make_shared<Checkpoint>();
  simulation.save(pool, *moment);
  resumed.load(pool, *moment);
  EXPECT_EQ(energy(resumed), energy(simulation));
  EXPECT_GT(energy(resumed), 0);
  EXPECT_LT(energy(resumed), start);
  simulation.apply(pool, SetObstacles{scene.obstacles.bodies});
  ASSERT_EQ(run(simulation, 2), 2);
  simulation.apply(pool, MoveObstacle{0, vec3(0.5, -1.3, 0.5), 1});
  ASSERT_EQ(run(simulation, 2), 2);
  simulation.apply(pool, Reset{});
  EXPECT_EQ(energy(simulation), 0) << "where the scene has it now, a metre below";
}

// One step of semi-implicit Euler from above is backward Euler's on the line of the law, though nothing is in
// contact at its start: v1 = (v0 + h (k (d̂ − g0)/m − 9.8)) / (1 + h² k/m).
TEST(PenaltyContact, AStepWithOneNewtonIterationTakesThePairsThatItIsLedTo) {
  WorkerPool pool(1);
  for (const double fall : {0.1, 3.0}) {
    constexpr double kStep = 1.0 / 60, kMass = 0.01, kStiff = 200, kReach = 2e-3, kGap = 2.5e-3;
    Scene scene = patch_on_floor("semi-implicit-euler", 0, 0, kStep);
    for (vec3& x : scene.initial_state->positions) x.y = kGap;
    for (vec3& v : scene.initial_state->velocities) v.y = -fall;
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(simulation.step(pool), StepStatus::done);
    const double expected = (-fall + kStep * (kStiff * (kReach - kGap) / kMass - kGravity)) /
                            (1 + kStep * kStep * kStiff / kMass);
    for (const vec3& v : simulation.state().v) EXPECT_NEAR(v.y, expected, 1e-9);
  }
}

// What rests on a stiff contact and is nudged away, by more in a step than the contact is pressed but less
// than the fall in a step, comes to rest again: v1 = v0/(1 + h² k/m). Let go for a step, it would fall and be
// thrown up for ever.
TEST(PenaltyContact, AStepWithOneNewtonIterationKeepsWhatItsForcesLeadBack) {
  WorkerPool pool(1);
  for (const char* integrator : {"semi-implicit-euler", "semi-implicit-bdf2"}) {
    constexpr double kStep = 1.0 / 60, kMass = 0.01, kStiff = 2e4, kNudge = 0.05;
    Scene scene = patch_on_floor(integrator, 0, 0, kStep);
    scene.contact.stiffness = kStiff;
    const double rest = scene.contact.distance - kMass * kGravity / kStiff;
    ASSERT_GT(kStep * kNudge, 10 * (scene.contact.distance - rest));
    for (vec3& x : scene.initial_state->positions) x.y = rest;
    for (vec3& v : scene.initial_state->velocities) v.y = kNudge;
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(run(simulation, 1), 1);
    for (const vec3& v : simulation.state().v)
      EXPECT_NEAR(v.y, kNudge / (1 + kStep * kStep * kStiff / kMass), 1e-8) << integrator;
    ASSERT_EQ(run(simulation, 60), 60);
    for (const vec3& v : simulation.state().v) EXPECT_NEAR(v.y, 0, 1e-9) << integrator;
    for (const vec3& x : simulation.state().x) EXPECT_NEAR(x.y, rest, 1e-9) << integrator;
  }
}

// With a step in which a contact of its own would oscillate four times: what has bounced up within its
// contact is not let go, or it would bounce for ever.
TEST(PenaltyContact, ClothComesToRestWithOneNewtonIteration) {
  WorkerPool pool(1);
  for (const int n : {6, 20}) {
    Scene scene;
    scene.pins = PinPreset::none;
    scene.floor = {.on = true, .height = -0.1};
    scene.contact.model = ContactModel::penalty;
    ASSERT_EQ(scene.integrator, "semi-implicit-euler");
    Simulation simulation(scene, grid_mesh(n, n), pool);
    ASSERT_EQ(run(simulation, 120), 120);
    EXPECT_LT(simulation.record().energy.kinetic, 1e-12) << n;
    EXPECT_NEAR(simulation.record().contacts.push, 0.2 * kGravity, 1e-6) << n;
  }
}

// Two particles at rest above a stiff contact, whose stretched springs to pins below the floor and weight
// would lead them 2 mm below the contact distance in a step: they are met there. Found in the next step, far
// from equilibrium, they would be thrown up.
TEST(PenaltyContact, AStepWithOneNewtonIterationMeetsWhatItsSpringsLeadDown) {
  WorkerPool pool(1);
  for (const char* integrator : {"semi-implicit-euler", "semi-implicit-bdf2"}) {
    Scene scene = patch_on_floor(integrator, 0, 0, 1.0 / 60);
    scene.contact.stiffness = 2e4;
    scene.pins = std::vector<std::uint32_t>{0, 1};
    std::vector<vec3>& x = scene.initial_state->positions;
    for (const std::size_t pin : {0, 1}) x[pin].y = -1e-2;
    for (const std::size_t free : {2, 3}) x[free] = {x[free - 2].x, 2.5e-3, 0};
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(run(simulation, 1), 1);
    const double far = 0.1 * scene.contact.distance;
    for (const std::size_t free : {2, 3})
      EXPECT_NEAR(simulation.state().x[free].y, scene.contact.distance, far) << integrator;
  }
}

// At h √(k/m) = 63 a falling patch is found 2 mm deep, with 20 J in each contact that nobody has put there,
// and would leave as one: no spring is strained and nothing shakes.
TEST(PenaltyContact, ThrowingClothAsAWholeIsABlowUp) {
  WorkerPool pool(1);
  Scene scene = patch_on_floor("symplectic-euler", 0, 0, 2e-3);
  scene.contact.stiffness = 1e7;
  for (vec3& x : scene.initial_state->positions) x.y = 1e-2;
  for (vec3& v : scene.initial_state->velocities) v.y = -1;
  Simulation simulation(scene, mesh_of(scene), pool);
  EXPECT_LT(run(simulation, 10), 6);
  ASSERT_TRUE(simulation.blow_up());
  EXPECT_EQ(simulation.blow_up()->cause, BlowUp::Cause::spurious_energy);
  EXPECT_GT(simulation.blow_up()->energy, simulation.blow_up()->allowed);
  for (const vec3& x : simulation.state().x) EXPECT_GT(x.y, 0) << "the step is undone";
  scene.energy_limit = std::numeric_limits<double>::infinity();
  Simulation unlimited(scene, mesh_of(scene), pool);
  EXPECT_EQ(run(unlimited, 10), 10);
}

// Methods with rods say so, and nothing changes.
TEST(PenaltyContact, IsRefusedToMethodsWithoutAPlaceForIt) {
  const auto sheet = grid_mesh(4, 4);
  WorkerPool pool(1);
  Scene scene;
  scene.floor.on = true;
  for (const char* integrator : {"rattle", "pbd-proj2"}) {
    scene.integrator = integrator;
    scene.contact.model = ContactModel::filter;
    Simulation simulation(scene, sheet, pool);
    EXPECT_THROW(simulation.apply(pool, SetParameter{"contact", 1}), InputError);
    EXPECT_EQ(simulation.scene().contact.model, ContactModel::filter);
    simulation.apply(pool, SetIntegrator{"bdf2"});
    simulation.apply(pool, SetParameter{"contact", 1});
    EXPECT_THROW(simulation.apply(pool, SetIntegrator{integrator}), InputError);
    EXPECT_EQ(simulation.integrator().id, "bdf2");
    EXPECT_EQ(run(simulation, 3), 3);
    scene.contact.model = ContactModel::penalty;
    EXPECT_THROW(Simulation(scene, sheet, pool), InputError);
  }
}

}  // namespace
}  // namespace clothlab::testing
