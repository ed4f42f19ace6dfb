// SPDX-License-Identifier: MIT
// Energy without a source, and the energy of cloth whose stretch springs are rods.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "sim/checkpoint.h"
#include "sim/energy_account.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

using ::testing::AllOf, ::testing::Contains, ::testing::Field, ::testing::Gt, ::testing::HasSubstr;

bool warned_of_energy(const Simulation& simulation) {
  return simulation.notices().has(NoticeCause::spurious_energy);
}

Scene hanging(std::string_view integrator, int side, double h) {
  Scene scene;
  scene.mesh = GridSource{side, side, 1, 1};
  scene.integrator = integrator;
  scene.dt = h;
  scene.integrator_parameters = {{"xpbd-iterations", 20}, {"xpbd-substeps", 1}};  // too few: it makes energy
  return scene;
}

// ---- From nothing

TEST(EnergyWatch, SpeaksOfWhatIsThereForAQuarterOfASecondOnEnd) {
  EnergyAccount account;
  account.start(1);
  account.add_work(1);  // 2 J are given: more than 0.1 J is too much
  EnergyWatch watch;
  const auto at = [&](double t, double made) { return watch.check({t, made, 0}, account).value_or(0); };
  EXPECT_EQ(at(0, 5), 0);  // the reference
  EXPECT_EQ(at(0.1, 5.2), 0);
  EXPECT_EQ(at(0.2, 5.11), 0);
  EXPECT_EQ(at(0.24, 9), 0);
  EXPECT_NEAR(at(0.26, 6), 0.11, 1e-12);  // the least of them
  EXPECT_EQ(at(0.3, 5.09), 0);            // begins anew
  EXPECT_EQ(at(0.5, 6), 0);
  account.add_work(3);
  EXPECT_EQ(at(0.6, 5.2), 0);  // 5 % of the 5 J that are given now are allowed
  EXPECT_EQ(at(0.7, 5.3), 0);
  EXPECT_NEAR(at(0.96, 5.5), 0.3, 1e-12);
  watch.restart();
  EXPECT_EQ(at(1, 100), 0);
  EXPECT_EQ(at(2, 100.2), 0);
}

TEST(EnergyWatch, ReportsAtOnceWhatAMethodThatDoesNotOscillateCannotLose) {
  EnergyAccount account;
  account.start(2);
  for (const bool oscillates : {true, false}) {
    EnergyWatch watch;
    const auto at = [&](double t, double made) {
      return watch.check({t, made, 0}, account, oscillates).value_or(0);
    };
    EXPECT_EQ(at(0, 1), 0);
    EXPECT_EQ(at(0.01, 2.9), 0);
    EXPECT_EQ(at(0.02, 3.1), oscillates ? 0 : 3.1 - 1);
  }
}

TEST(EnergyFromNothing, IsSaidOnceInEveryRun) {
  WorkerPool pool(1);
  const Scene scene = hanging("xpbd", 20, 1.0 / 60);
  Simulation simulation(scene, mesh_of(scene), pool);
  for (std::uint64_t run_number = 1; run_number <= 2; ++run_number) {
    ASSERT_EQ(run(simulation, 90), 90);
    EXPECT_THAT(*simulation.notices().list(),
                Contains(AllOf(Field(&Notice::cause, NoticeCause::spurious_energy),
                               Field(&Notice::step, Gt(15U)))))  // a quarter of a second
        << run_number;
    simulation.apply(pool, Reset{});
  }
}

// Their target has the works of the ledger of the run, of dampers and of the wind. A step of backward Euler
// that crushes springs may itself gain; A-search then has no velocity without that gain, and the next steps
// take it back.
TEST(EnergyFromNothing, IsNotMadeByMethodsThatFollowTheEnergy) {
  for (const char* id : {"a-search", "energy-tracking"})
    for (const bool blown : {false, true}) {
      Scene scene = hanging(id, 20, 1.0 / 60);
      scene.wind.on = blown;
      Simulation simulation(scene, mesh_of(scene), one_thread());
      for (int k = 0; k < 150; ++k) {
        ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << id;
        ASSERT_LT(simulation.record().ledger.spurious(), std::string_view(id) == "a-search" ? 0.1 : 1e-9)
            << id << ", step " << k;
      }
      EXPECT_LT(simulation.record().ledger.spurious(), 1e-9) << id;
      EXPECT_FALSE(warned_of_energy(simulation)) << id;
      if (!blown) {
        EXPECT_GT(simulation.record().ledger.spurious(), -0.1) << id;
      }
    }
  const Scene scene = hanging("backward-euler", 20, 1.0 / 60);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 150), 150);
  EXPECT_LT(simulation.record().ledger.spurious(), -0.5);
}

// Dampers take most of what the trapezoidal rule makes here: T + V alone would not show it for long.
TEST(EnergyFromNothing, IsSeenBesideDamping) {
  const Scene scene = hanging("trapezoidal", 20, 1.0 / 60);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  while (!warned_of_energy(simulation) && simulation.steps() < 120)
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
  EXPECT_TRUE(warned_of_energy(simulation));
  EXPECT_LT(simulation.record().ledger.damping, -0.05 * simulation.record().ledger.method);
}

TEST(EnergyFromNothing, IsSeenInWindAndNotTakenForIt) {
  for (const char* id : {"xpbd", "semi-implicit-euler"}) {
    Scene scene = hanging(id, 20, 1.0 / 60);
    scene.wind.on = true;
    scene.wind.speed = 8;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 120), 120);
    EXPECT_GT(std::abs(simulation.record().ledger.wind), 0.1);
    EXPECT_EQ(warned_of_energy(simulation), std::string_view(id) == "xpbd");
  }
}

// Near their limit, T + V of these two oscillates far about the quantity that they conserve.
TEST(EnergyFromNothing, IsNotWhatSymplecticMethodsSwingBy) {
  WorkerPool pool(1);
  for (const char* id : {"symplectic-euler", "velocity-verlet"}) {
    Scene scene = hanging(id, 2, 1);
    scene.material.spring_damping = 0;
    const auto mesh = mesh_of(scene);
    // Excites every mode, the stiffest included.
    scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(4, vec3(0))};
    for (std::size_t i = 0; i < 4; ++i) {
      const double k = static_cast<double>(i * i);
      scene.initial_state->velocities[i] = 2.0 * vec3(std::sin(k), std::cos(2 * k), std::sin(3 * k + 1));
    }
    scene.dt = 0.95 * 2 / omega_max(Simulation(scene, mesh, pool), pool);
    Simulation simulation(scene, mesh, pool);
    const double start = simulation.record().energy.total, given = 0.2 * 9.8 * std::sqrt(2.0) + start;
    double largest = 0;
    while (simulation.state().t < 2) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done);
      largest = std::max(largest, simulation.record().energy.total - start);
    }
    EXPECT_GT(largest, 5 * 0.05 * given) << id;  // far more than a notice would need
    EXPECT_FALSE(warned_of_energy(simulation)) << id;
  }
}

// In free flight without gravity all figures are rounding.
TEST(EnergyFromNothing, IsNotSaidOfThrownCloth) {
  for (const char* id : {"semi-implicit-euler", "backward-euler", "bdf2", "rk4", "symplectic-euler"}) {
    Scene scene = hanging(id, 6, 1.0 / 60);
    scene.pins = PinPreset::none;
    scene.material.gravity = vec3(0);
    const auto mesh = mesh_of(scene);
    scene.initial_state =
        InitialState{mesh->positions, std::vector<vec3>(mesh->positions.size(), vec3(3.3, 0.1, -0.7))};
    if (std::string_view(id) == "rk4" || std::string_view(id) == "symplectic-euler") scene.dt = 1e-3;
    Simulation simulation(scene, mesh, one_thread());
    ASSERT_EQ(run(simulation, 300), 300);
    EXPECT_FALSE(warned_of_energy(simulation)) << id;
  }
}

TEST(EnergyFromNothing, IsNotWhatWasDoneToTheCloth) {
  WorkerPool pool(1);
  const Scene scene = hanging("semi-implicit-euler", 8, 1e-3);
  Simulation simulation(scene, mesh_of(scene), pool);
  run(simulation, 100);
  // All is lifted by a metre, shaken by the grab, made heavier and stiffer, let fall and caught by a floor
  // that then rises.
  const auto lifted = [&](std::uint32_t pin) {
    return PinTarget{pin, simulation.state().x[pin] + vec3(0, 1, 0)};
  };
  simulation.apply(pool, MovePins{{lifted(0), lifted(7)}, 0.5});
  run(simulation, 1000);
  simulation.apply(pool, Grab{{20, 21, 28}, vec3(0.25, 0.5, 0.25), simulation.state().x[21], 200, 0.1});
  for (int k = 0; k < 1000; ++k) {
    simulation.apply(pool, MoveCursor{vec3(std::cos(0.02 * k), 0, std::sin(0.02 * k))});
    run(simulation, 1);
  }
  simulation.apply(pool, Release{});
  simulation.apply(pool, SetParameter{"mass", 2});
  simulation.apply(pool, SetParameter{"stretch-stiffness", 5000});
  run(simulation, 500);
  simulation.apply(pool, SetPinPreset{PinPreset::none});
  simulation.apply(pool, SetParameter{"floor-height", -1});
  simulation.apply(pool, SetParameter{"floor", 1});
  run(simulation, 1000);
  simulation.apply(pool, SetParameter{"floor-height", 0});
  run(simulation, 1500);
  EXPECT_FALSE(warned_of_energy(simulation));
}

// ---- In one step

/// A sheet that lands on a box: it falls by more than an edge per step, and contact crushes springs.
Scene landing() {
  Scene scene;
  scene.mesh = GridSource{32, 32, 1.4, 1.4};
  scene.pins = PinPreset::none;
  scene.material.mass = 0.4;
  scene.material.bend_stiffness = 0.02;
  scene.material.rayleigh_mass = 0.5;
  Obstacle box;
  box.shape = Obstacle::Shape::box;
  box.from = box.to = vec3(0.7, -0.2, 0.7);
  box.size = vec3(0.9, 0.1, 0.9);
  scene.obstacles.bodies = {box};
  return scene;
}

constexpr double kAllowedOfLanding = 0.5;  // [J], 5 % of the available energy, rounded up

double most_gained_in_a_step(Simulation& simulation, int steps) {
  double most = 0;
  for (int k = 0; k < steps && simulation.step(one_thread()) == StepStatus::done; ++k)
    most = std::max(most, simulation.record().ledger_of_step.spurious());
  return most;
}

TEST(GainInAStep, IsReportedWhereALandingTurnsSprings) {
  const Scene scene = landing();
  Simulation simulation(scene, mesh_of(scene), one_thread());
  EXPECT_GT(most_gained_in_a_step(simulation, 30), 5);
  const NoticeLog::List& notices = *simulation.notices().list();
  const auto notice = std::ranges::find(notices, NoticeCause::gain_in_step, &Notice::cause);
  ASSERT_NE(notice, notices.end());
  EXPECT_THAT(notice->text, AllOf(HasSubstr("J of spurious energy in the step that ends at"),
                                  HasSubstr("stretch springs turned by up to"), HasSubstr("adaptive steps"),
                                  HasSubstr("backward Euler")));
}

TEST(GainInAStep, IsNotReportedOfCalmCloth) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.family != IntegratorFamily::linearly_implicit && info.family != IntegratorFamily::exponential)
      continue;
    Scene scene = hanging(info.id, 16, 1.0 / 60);
    scene.integrator_parameters.clear();
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 120), 120) << info.id;
    EXPECT_FALSE(simulation.notices().has(NoticeCause::gain_in_step)) << info.id;
  }
}

TEST(GainInAStep, IsNotReportedOfMethodsThatSolveTheStep) {
  Scene scene = landing();
  scene.integrator = "backward-euler";
  Simulation simulation(scene, mesh_of(scene), one_thread());
  EXPECT_LT(most_gained_in_a_step(simulation, 30), kAllowedOfLanding);
  EXPECT_FALSE(simulation.notices().has(NoticeCause::gain_in_step));
}

TEST(GainInAStep, IsPreventedByAdaptiveSteps) {
  Scene scene = landing();
  scene.adaptive = true;
  scene.max_strain = 100;  // for the gain alone
  Simulation simulation(scene, mesh_of(scene), one_thread());
  double smallest = scene.dt;
  for (int k = 0; k < 30; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    EXPECT_LT(simulation.record().ledger_of_step.spurious(), kAllowedOfLanding) << simulation.steps();
    EXPECT_EQ(simulation.record().warning, "");
    smallest = std::min(smallest, simulation.record().h);
  }
  EXPECT_LT(smallest, scene.dt);
  EXPECT_GE(smallest, scene.dt / 4);
  EXPECT_FALSE(simulation.notices().has(NoticeCause::gain_in_step));
}

// ---- Rods

TEST(Rods, HaveNoElasticEnergy) {
  WorkerPool pool(1);
  std::vector<double> totals;
  for (const double stiffness : {1e3, 1e9}) {
    Scene scene = hanging("pbd-proj2", 8, 2e-3);
    scene.material.stretch_stiffness = stiffness;
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(run(simulation, 100), 100);
    const StepRecord& record = simulation.record();
    EXPECT_GT(simulation.system().energies(pool, simulation.state().x).stretch,
              0);  // as springs they would have
    EXPECT_EQ(record.energy.stretch, 0);
    EXPECT_EQ(record.energy.total, record.energy.kinetic + record.energy.bend + record.energy.gravity);
    EXPECT_GT(record.length_violation, 0);
    EXPECT_LT(record.length_violation, record.max_strain * 0.25);  // no spring is that long
    totals.push_back(record.energy.total);
  }
  EXPECT_EQ(totals[0], totals[1]);  // whatever the stiffness
}

// From stretched cloth: correcting its lengths within a step must not become a velocity of distance/h.
TEST(Rods, AreEnteredWithoutMakingVelocity) {
  WorkerPool pool(1);
  for (const char* id : {"rattle", "pbd-proj2"}) {
    for (const double h : {1e-3, 1e-4}) {
      Scene scene = hanging("semi-implicit-euler", 2, 1.0 / 60);
      scene.material.stretch_stiffness = 20;
      Simulation simulation(scene, mesh_of(scene), pool);
      run(simulation, 30);
      ASSERT_GT(simulation.record().max_strain, 0.02);
      const double before = simulation.record().energy.kinetic;
      simulation.apply(pool, SetIntegrator{id});
      simulation.apply(pool, SetParameter{"dt", h});
      ASSERT_EQ(simulation.step(pool), StepStatus::done);
      EXPECT_TRUE(simulation.notices().has(NoticeCause::rods_entered));
      // The projection takes from it, gravity adds M g v h and less.
      EXPECT_LT(simulation.record().energy.kinetic, before + 0.2 * 9.8 * 3 * h) << id << h;
      EXPECT_LT(simulation.record().length_violation, 1e-3);
      run(simulation, 10);
      EXPECT_EQ(std::ranges::count(*simulation.notices().list(), NoticeCause::rods_entered, &Notice::cause),
                1);
    }
  }
}

// A sheet with more edges than freedom never has all its lengths: what is left of them must not be taken away
// in a step, however short.
TEST(Rods, ThatContradictEachOtherMakeNoVelocity) {
  WorkerPool pool(1);
  Simulation entered(hanging("semi-implicit-euler", 16, 1.0 / 60), grid_mesh(16, 16), pool);
  run(entered, 30);
  const EnergyReport before = entered.record().energy;
  Checkpoint moment;
  entered.save(pool, moment);
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    entered.load(pool, moment);
    entered.apply(pool, SetIntegrator{"rattle"});
    entered.apply(pool, SetParameter{"dt", h});
    ASSERT_EQ(run(entered, 1), 1);
    const EnergyReport first = entered.record().energy;
    EXPECT_LT(first.kinetic, 1.005 * before.kinetic) << h;
    ASSERT_EQ(run(entered, 5), 5);
    EXPECT_FALSE(entered.record().converged);
    EXPECT_LT(entered.record().energy.total, first.total + 0.005 * before.kinetic) << h;
  }
}

}  // namespace
}  // namespace clothlab::testing
