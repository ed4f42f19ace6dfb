// SPDX-License-Identifier: MIT
// The energy ledger of runs: its entries add up, whatever is done to the cloth, and survive every rewind.

#include <cmath>
#include <glm/geometric.hpp>

#include "integrate/registry.h"
#include "sim/checkpoint.h"
#include "sim/diagnostics.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

Scene hung(std::string_view integrator, double h) {
  Scene scene;
  scene.mesh = GridSource{6, 6, 1, 1};
  scene.integrator = integrator;
  scene.dt = h;
  scene.material.stretch_stiffness = 200;
  scene.material.rayleigh_mass = 0.5;
  return scene;
}

bool same_ledger(const EnergyLedger& a, const EnergyLedger& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// A run in which everything happens, in steps of h: the hand, moving pins, wind, changed values, a floor.
class Eventful {
 public:
  Eventful(std::string_view integrator, double h)
      : simulation(hung(integrator, h), grid_mesh(6, 6), one_thread()) {}

  void act(int k) {
    const auto do_it = [&](const Command& command) { simulation.apply(one_thread(), command); };
    const auto& x = simulation.state().x;
    if (k == 5) do_it(Grab{{20, 21, 26}, vec3(0.25, 0.5, 0.25), x[21], 50, 0.1});
    if (k > 5 && k < 15) do_it(MoveCursor{x[21] + vec3(0.02, 0.03, 0)});
    if (k == 15) do_it(Release{});
    if (k == 16) do_it(MovePins{{{0, x[0] + vec3(0.1, 0.05, 0)}}, 10 * simulation.scene().dt});
    if (k == 30) do_it(SetParameter{"wind", 1});
    if (k == 40) do_it(SetParameter{"stretch-stiffness", 400});
    if (k == 41) do_it(SetParameter{"mass", 0.3});
    if (k == 45) do_it(SetParameter{"wind", 0});
    if (k == 46) do_it(SetParameter{"floor-height", -0.2});
    if (k == 46) do_it(SetParameter{"floor", 1});
    if (k == 48) do_it(SetPinPreset{PinPreset::none});
  }
  void go(int from, int to) {
    for (int k = from; k < to; ++k) {
      act(k);
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    }
  }

  Simulation simulation;
};

class LedgerOfARun : public ::testing::TestWithParam<const IntegratorInfo*> {
 protected:
  double h() const {
    return GetParam()->id == "explicit-euler"                ? 1e-4
           : GetParam()->stability_limit < kNoStabilityLimit ? 1e-3
                                                             : 0.01;
  }
};

TEST_P(LedgerOfARun, AddsUp) {
  Eventful run(GetParam()->id, h());
  const double start = run.simulation.record().energy.total;
  EnergyLedger rows;
  double largest = 0;
  for (int k = 0; k < 120; ++k) {
    run.go(k, k + 1);
    if (HasFatalFailure()) return;
    const StepRecord& record = run.simulation.record();
    largest =
        std::max({largest, record.energy.kinetic, std::abs(record.energy.gravity), record.energy.stretch});
    ASSERT_NEAR(record.ledger.sum(), record.energy.total - start, 1e-13 * largest) << "step " << k + 1;
    for (const EnergyEntry& entry : kEnergyEntries) rows.*entry.joule += record.ledger_of_step.*entry.joule;
  }
  const EnergyLedger& ledger = run.simulation.record().ledger;
  for (const EnergyEntry& entry : kEnergyEntries)
    EXPECT_NEAR(rows.*entry.joule, ledger.*entry.joule, 1e-13 * largest) << entry.title;
  for (const double each : {ledger.hand, ledger.pins, ledger.wind, ledger.damping, ledger.jump})
    EXPECT_GT(std::abs(each), 1e-9);
  EXPECT_EQ(ledger.rods != 0, GetParam()->inextensible);
}

TEST_P(LedgerOfARun, SurvivesACheckpoint) {
  Eventful whole(GetParam()->id, h());
  Checkpoint moment;
  whole.go(0, 44);
  whole.simulation.save(one_thread(), moment);
  whole.go(44, 60);
  Eventful other("semi-implicit-euler", h());
  other.go(0, 3);
  other.simulation.load(one_thread(), moment);
  other.go(44, 60);
  EXPECT_TRUE(same_bits(whole.simulation.state(), other.simulation.state()));
  EXPECT_TRUE(same_ledger(whole.simulation.record().ledger, other.simulation.record().ledger));

  // From a file, too.
  const Checkpoint again = through_numbers(moment);
  other.simulation.load(one_thread(), again);
  other.go(44, 60);
  EXPECT_TRUE(same_ledger(whole.simulation.record().ledger, other.simulation.record().ledger));
}

std::vector<const IntegratorInfo*> every_row() {
  std::vector<const IntegratorInfo*> all;
  for (const IntegratorInfo& row : integrators()) all.push_back(&row);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, LedgerOfARun, ::testing::ValuesIn(every_row()), [](const auto& row) {
  std::string name(row.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Ledger, IsTheSameForAnyNumberOfThreads) {
  Scene scene = hung("semi-implicit-euler", 0.01);
  std::vector<EnergyLedger> ledger;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    Simulation simulation(scene, grid_mesh(40, 40), pool);
    run(simulation, 5, pool);
    ledger.push_back(simulation.record().ledger);
  }
  EXPECT_TRUE(same_ledger(ledger[0], ledger[1]));
}

// A pull on cloth that lies still gives what the hand has done.
TEST(Ledger, GivesEveryWorkItsSign) {
  Scene scene = hung("backward-euler", 1e-3);
  scene.solver.newton_tolerance = 1e-10;
  scene.material.gravity = vec3(0.0);
  scene.material.rayleigh_mass = 0;
  Simulation simulation(scene, grid_mesh(6, 6), one_thread());
  const auto x = simulation.state().x;
  simulation.apply(one_thread(), MovePins{{{0, x[0] + vec3(-0.01, 0, 0)}}, 0.05});
  run(simulation, 100);
  EXPECT_GT(simulation.record().ledger.pins, 0);
  EXPECT_LT(simulation.record().ledger.damping, 0);
  EXPECT_EQ(simulation.record().ledger.hand, 0);
  const double before = simulation.record().ledger.hand;
  simulation.apply(one_thread(), Grab{{20, 21, 26}, vec3(0.25, 0.5, 0.25), x[21], 50, 0.1});
  simulation.apply(one_thread(), MoveCursor{x[21] + vec3(0, 0.2, 0)});
  run(simulation, 50);
  EXPECT_GT(simulation.record().ledger.hand, before);
  EXPECT_EQ(simulation.record().ledger.wind, 0);
  EXPECT_EQ(simulation.record().ledger.contact, 0);
}

// Where velocities change little in a step, the air loses what it gives less what arrives. Air at rest gives
// nothing.
TEST(Ledger, TellsWhatTheAirLoses) {
  for (const char* method : {"symplectic-euler", "backward-euler", "semi-implicit-bdf2"}) {
    for (const double speed : {5.0, 0.0}) {
      Scene scene = hung(method, 2e-4);
      scene.wind.on = true;
      scene.wind.speed = speed;
      scene.wind.gusts = speed > 0 ? 50 : 0;
      Simulation simulation(scene, grid_mesh(6, 6), one_thread());
      for (int k = 0; k < 300; ++k) {
        run(simulation, 1);
        ASSERT_GE(simulation.record().ledger_of_step.lost_to_air(), 0) << method << ", step " << k;
      }
      const EnergyLedger& ledger = simulation.record().ledger;
      EXPECT_GT(ledger.lost_to_air(), 1e-6);
      if (speed > 0)
        EXPECT_GT(ledger.wind_given, 1e-3);
      else
        EXPECT_EQ(ledger.wind_given, 0);
    }
  }
}

// What falls onto the floor gives it its kinetic energy: nothing of an impact is the method's.
TEST(Ledger, GivesTheFloorWhatAnImpactTakes) {
  for (const char* method :
       {"explicit-euler", "symplectic-euler", "velocity-verlet", "rk4", "yoshida4", "semi-implicit-euler"}) {
    Scene scene = hung(method, 1e-3);
    scene.pins = PinPreset::none;
    scene.material.rayleigh_mass = 0;
    scene.floor.on = true;
    scene.floor.height = -0.1;
    Simulation simulation(scene, grid_mesh(6, 6), one_thread());
    const double T = scene.material.mass * 9.8 * 0.1;
    run(simulation, 300);
    EXPECT_NEAR(simulation.record().ledger.contact, -T, 0.01 * T) << method;
    EXPECT_NEAR(simulation.record().ledger.method, 0, 0.02 * T) << method;
  }
}

// By impulses a method of first order leads resting cloth down by g h² in each step, and the correction lifts
// it again: that is no work of the floor.
TEST(Ledger, TakesNoEnergyFromBodiesAtRest) {
  for (const ContactModel model : {ContactModel::filter, ContactModel::impulse}) {
    for (const std::string_view id : {"xpbd", "symplectic-euler", "velocity-verlet", "semi-implicit-euler"}) {
      Scene scene = hung(id, 1e-3);
      scene.pins = PinPreset::none;
      scene.floor.on = true;
      scene.floor.height = -0.15;
      const vec3 centre(0.5, -0.1, 0.5);
      scene.obstacles.bodies = {
          {.shape = Obstacle::Shape::sphere, .from = centre, .to = centre, .radius = 0.08}};
      scene.contact.model = model;
      Simulation simulation(scene, grid_mesh(6, 6), one_thread());
      for (int k = 0; k < 600; ++k) {
        ASSERT_EQ(run(simulation, 1), 1) << id;
        ASSERT_LE(simulation.record().ledger_of_step.contact, 0) << id << ", step " << k;
      }
      EXPECT_LT(simulation.record().ledger.contact, -0.1) << id;
    }
  }
}

// What a body gives that is put into the cloth counts as its work, also in a run from a checkpoint of then.
TEST(Ledger, HasTheWorkOfABodyThatAppearsInTheCloth) {
  Scene scene = hung("semi-implicit-euler", 1.0 / 60);
  scene.pins = PinPreset::none;
  scene.material.gravity = vec3(0);
  const auto mesh = grid_mesh(6, 6);
  Simulation simulation(scene, mesh, one_thread());
  ASSERT_EQ(run(simulation, 2), 2);
  simulation.apply(one_thread(), SetParameter{"floor-height", 0.01});
  simulation.apply(one_thread(), SetParameter{"floor", 1});
  Checkpoint then;
  simulation.save(one_thread(), then);
  Simulation resumed(then, mesh, one_thread());
  for (Simulation* each : {&simulation, &resumed}) {
    ASSERT_EQ(run(*each, 1), 1);
    EXPECT_GT(each->record().ledger.contact, 0);
  }
  EXPECT_EQ(simulation.record().ledger.contact, resumed.record().ledger.contact);
}

TEST(Ledger, TakesNoEnergyFromABodyAtRestWhileAnotherMoves) {
  for (const ContactModel model : {ContactModel::filter, ContactModel::impulse}) {
    Scene scene = hung("symplectic-euler", 1e-3);
    scene.pins = PinPreset::none;
    scene.floor.on = true;
    scene.floor.height = -0.15;
    const vec3 centre(0.5, -0.1, 0.5), far(5, 0, 0);
    scene.obstacles.bodies = {
        {.shape = Obstacle::Shape::sphere, .from = centre, .to = centre, .radius = 0.08},
        {.shape = Obstacle::Shape::sphere, .from = far, .to = far, .radius = 0.08}};
    scene.obstacles.bodies[1].path.keys = {{0, vec3(0), vec3(0)}, {1, vec3(0, 1, 0), vec3(0)}};
    scene.contact.model = model;
    Simulation simulation(scene, grid_mesh(6, 6), one_thread());
    for (int k = 0; k < 300; ++k) {
      ASSERT_EQ(run(simulation, 1), 1);
      ASSERT_LE(simulation.record().ledger_of_step.contact, 0) << info_of(model).id << ", step " << k;
    }
    EXPECT_LT(simulation.record().ledger.contact, -0.01) << info_of(model).id;
  }
}

TEST(Diagnostics, HaveAColumnPerEntry) {
  std::string header(kDiagnosticsHeader);
  for (const EnergyEntry& entry : kEnergyEntries)
    EXPECT_NE(header.find("," + std::string(entry.column)), std::string::npos);
  StepRecord record;
  record.ledger_of_step.method = 0.25;
  EXPECT_TRUE(diagnostics_row(record, 1).ends_with(",0.25,0,0,nan,0,0,1,0,0,0,0,0\n"))
      << diagnostics_row(record, 1);
  record.contacts.add({3, 0, true, -0.5, 0, vec3(0, 2, 0), vec3(0)});
  record.contact_solves = {.rounds = 4, .changes = 7, .residual = 0.5};
  record.energy.drivers = 2;
  record.ledger_of_step.drivers = 3;
  EXPECT_TRUE(diagnostics_row(record, 1).ends_with(",0.25,1,1,-0.5,2,0,1,4,7,0.5,2,3\n"))
      << diagnostics_row(record, 1);
}

}  // namespace
}  // namespace clothlab::testing
