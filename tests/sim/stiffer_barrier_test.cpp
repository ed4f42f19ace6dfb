// SPDX-License-Identifier: MIT
// A barrier whose stiffness is its own gets stiffer where cloth has pressed it shut, in a run alone.

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <string>

#include "collide/exact.h"
#include "contact/contact_response.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

using ::testing::AllOf, ::testing::Contains, ::testing::Field;

constexpr double kWay = 0.8;  // of the tip, more than twice what is lifted otherwise [m]

double stiffness_of(const Simulation& simulation) {
  return simulation.contact().force().settings().law.stiffness;
}

class StifferBarrier : public ::testing::TestWithParam<const char*> {
 protected:
  StifferBarrier() {
    scene_.integrator = GetParam();
    scene_.contact.model = ContactModel::barrier;
  }

  Simulation start() { return {scene_, mesh_, pool_}; }
  /// Takes steps until one fails, or the tip has come to rest; true then.
  bool rises(Simulation& simulation, bool alone) {
    while (simulation.state().t < kWay)
      if (simulation.step(pool_, {}, alone) != StepStatus::done) return false;
    return true;
  }
  /// To the step before that in which it first gets stiffer.
  void go_before(Simulation& simulation) {
    const double own = stiffness_of(simulation);
    Checkpoint before;
    do {
      simulation.save(pool_, before);
      ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
      ASSERT_LT(simulation.state().t, kWay);
    } while (stiffness_of(simulation) == own);
    simulation.load(pool_, before);
    ASSERT_EQ(stiffness_of(simulation), own);
  }

  Scene scene_ = rising_tip(kWay, 11);
  std::shared_ptr<const ClothMesh> mesh_ = mesh_of(scene_);
  WorkerPool pool_{1};
};

TEST_P(StifferBarrier, LiftsWhatItWouldHaveSqueezed) {
  Simulation fixed = start(), alone = start();
  const double own = stiffness_of(fixed);
  EXPECT_FALSE(rises(fixed, false));
  ASSERT_TRUE(fixed.blow_up());
  EXPECT_EQ(fixed.blow_up()->cause, BlowUp::Cause::squeezed);
  EXPECT_LT(fixed.state().t, kWay / 2);
  EXPECT_EQ(stiffness_of(fixed), own);
  ASSERT_TRUE(rises(alone, true));
  EXPECT_GE(stiffness_of(alone), 2 * own);
  EXPECT_EQ(alone.record().contacts.stiffness, stiffness_of(alone));
  EXPECT_LE(stiffness_of(alone), 16 * own);
  EXPECT_EQ(test::exact_intersections(mesh_->triangles, alone.state().x, alone.obstacles()), 0U);
  // Up to there both have the same bits.
  Simulation again = start();
  while (again.steps() < fixed.steps()) ASSERT_EQ(again.step(pool_, {}, true), StepStatus::done);
  EXPECT_EQ(stiffness_of(again), own);
  EXPECT_TRUE(same_bits(again.state(), fixed.state()));
}

TEST_P(StifferBarrier, BooksWhatThatStoresAsAJump) {
  Simulation simulation = start();
  go_before(simulation);
  const double own = stiffness_of(simulation), energy = simulation.record().ledger.energy,
               stored = simulation.system().contact_energy(pool_, simulation.state().x);
  ASSERT_GT(stored, 0);
  ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
  const EnergyLedger& ledger = simulation.record().ledger_of_step;
  const double more = stiffness_of(simulation) / own - 1;
  EXPECT_NEAR(ledger.jump, more * stored, 1e-6 * stored);
  EXPECT_NEAR(ledger.sum(), simulation.record().ledger.energy - energy, 1e-12 * std::abs(energy));
  EXPECT_NEAR(simulation.record().ledger.energy, simulation.record().energy.total, 1e-12 * std::abs(energy));
  EXPECT_THAT(*simulation.notices().list(),
              Contains(AllOf(Field(&Notice::cause, NoticeCause::barrier_stiffened),
                             Field(&Notice::step, simulation.steps()))));
}

TEST_P(StifferBarrier, StaysWithAnotherMethod) {
  Simulation simulation = start();
  go_before(simulation);
  const double own = stiffness_of(simulation);
  ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
  const double stiffer = stiffness_of(simulation);
  ASSERT_GT(stiffer, own);
  for (const char* other : {"bdf2", "symplectic-euler", "semi-implicit-bdf2"}) {
    simulation.apply(pool_, SetIntegrator{other});
    EXPECT_EQ(stiffness_of(simulation), stiffer) << other;
  }
}

TEST_P(StifferBarrier, IsPartOfACheckpoint) {
  Simulation simulation = start();
  go_before(simulation);
  const double own = stiffness_of(simulation);
  const auto before = std::make_shared<Checkpoint>(), after = std::make_shared<Checkpoint>();
  simulation.save(pool_, *before);
  ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
  simulation.save(pool_, *after);
  const double stiffer = stiffness_of(simulation);
  ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
  const State end = simulation.state();
  const EnergyLedger ledger = simulation.record().ledger;

  // Back before it, and on again.
  simulation.apply(pool_, GoBack{before});
  EXPECT_EQ(stiffness_of(simulation), own);
  for (int k = 0; k < 2; ++k) ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
  EXPECT_TRUE(same_bits(simulation.state(), end));
  EXPECT_EQ(simulation.record().ledger.jump, ledger.jump);
  EXPECT_EQ(simulation.record().ledger.contact, ledger.contact);

  // After it, from a file, with other threads.
  const Checkpoint read = through_numbers(*after);
  WorkerPool two(2);
  Simulation fresh = start();
  fresh.load(two, read);
  EXPECT_EQ(stiffness_of(fresh), stiffer);
  ASSERT_EQ(fresh.step(two, {}, true), StepStatus::done);
  EXPECT_TRUE(same_bits(fresh.state(), end));
  fresh.load(two, read);
  const auto now = fresh.contacts(two),
             then = contacts_at(pool_, *after, simulation.system().model(), *mesh_);
  ASSERT_EQ(now.size(), then.size());
  ASSERT_FALSE(now.empty());
  EXPECT_EQ(now[0].push, then[0].push);
}

TEST_P(StifferBarrier, IsTakenBackWithAStepThatIsStopped) {
  Simulation simulation = start();
  go_before(simulation);
  const double own = stiffness_of(simulation);
  Checkpoint before;
  simulation.save(pool_, before);
  ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
  const State after = simulation.state();
  const double jump = simulation.record().ledger.jump;
  int stops = 0;
  for (int looks = 1;; looks *= 4) {
    simulation.load(pool_, before);
    int left = looks;
    if (simulation.step(
            pool_, [&] { return --left <= 0; }, true) == StepStatus::done)
      break;
    ++stops;
    ASSERT_EQ(stiffness_of(simulation), own) << looks;
    ASSERT_TRUE(same_bits(simulation.state(), before.state)) << looks;
    ASSERT_EQ(simulation.step(pool_, {}, true), StepStatus::done);
    ASSERT_TRUE(same_bits(simulation.state(), after)) << looks;
    ASSERT_EQ(simulation.record().ledger.jump, jump) << looks;
  }
  EXPECT_GT(stops, 2);
}

TEST_P(StifferBarrier, IsAsAtTheStartAfterAReset) {
  Simulation simulation = start();
  const double own = stiffness_of(simulation);
  ASSERT_TRUE(rises(simulation, true));
  ASSERT_GT(stiffness_of(simulation), own);
  simulation.apply(pool_, SetParameter{"stretch-stiffness", simulation.scene().material.stretch_stiffness});
  EXPECT_GT(stiffness_of(simulation), own) << "other values leave it";
  Checkpoint end;
  simulation.save(pool_, end);
  simulation.apply(pool_, SetParameter{"barrier-stiffness", 2000});
  EXPECT_EQ(stiffness_of(simulation), 2000);
  simulation.apply(pool_, SetParameter{"barrier-stiffness", 0});
  EXPECT_EQ(stiffness_of(simulation), own);
  simulation.load(pool_, end);
  simulation.apply(pool_, Reset{});
  EXPECT_EQ(stiffness_of(simulation), own);
}

// Where nothing helps the step is refused as ever, and the barrier is what it was.
TEST_P(StifferBarrier, IsTakenBackWithAStepThatIsRefused) {
  scene_.mesh = GridSource{3, 3, 0.1, 0.1};
  scene_.pins = VertexList({0, 1, 2, 3, 4, 5, 6, 7, 8});
  scene_.obstacles.bodies = {parse_obstacle("sphere:0.05,-0.1,0.05,0.05")};
  scene_.obstacles.bodies[0].path.keys = {{0, vec3(0), vec3(0)}, {0.4, vec3(0, 0.4, 0), vec3(0)}};
  mesh_ = mesh_of(scene_);
  Simulation simulation = start();
  const double own = stiffness_of(simulation);
  EXPECT_FALSE(rises(simulation, true));
  EXPECT_EQ(simulation.blow_up()->cause, BlowUp::Cause::squeezed);
  EXPECT_EQ(stiffness_of(simulation), own);
  EXPECT_EQ(simulation.record().ledger.jump, 0);
}

TEST_P(StifferBarrier, IsNotWhereTheUserSetsIt) {
  scene_.contact.barrier_stiffness = stiffness_of(start());
  Simulation simulation = start();
  EXPECT_FALSE(rises(simulation, true));
  EXPECT_EQ(stiffness_of(simulation), scene_.contact.barrier_stiffness);
}

INSTANTIATE_TEST_SUITE_P(All, StifferBarrier, ::testing::Values("semi-implicit-euler", "backward-euler"),
                         [](const auto& row) { return std::string(row.param).substr(0, 4); });

}  // namespace
}  // namespace clothlab::testing
