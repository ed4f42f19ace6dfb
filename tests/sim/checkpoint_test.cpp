// SPDX-License-Identifier: MIT
// A run that goes on from a checkpoint has the bits of the run that made it, whoever goes on.

#include "sim/checkpoint.h"

#include <cmath>
#include <string>

#include "sim/support.h"

namespace clothlab::testing {
namespace {

constexpr int kBefore = 6;  // steps to the checkpoint
constexpr int kAfter = 4;   // and from there

/// Everything that a step may depend on: gusts, a floor, moving pins, a moving grab, a moving obstacle.
class CheckpointOf : public ::testing::TestWithParam<const IntegratorInfo*> {
 protected:
  CheckpointOf() {
    scene_.integrator = GetParam()->id;
    scene_.material.stretch_stiffness = 100;
    scene_.wind = {.on = true, .speed = 3, .gusts = 40};
    scene_.floor = {.on = true, .height = -0.0004};
    scene_.obstacles.bodies = {parse_obstacle("sphere:0.8,-0.0995,0.5,0.1")};
    scene_.dt = 0.001;
    for (const ParameterSpec& spec : GetParam()->parameters)
      if (spec.id == "mode-refresh") scene_.integrator_parameters["mode-refresh"] = 3;
  }

  std::unique_ptr<Simulation> start(WorkerPool& pool) const {
    return std::make_unique<Simulation>(scene_, mesh_, pool);
  }

  static void set_in_motion(Simulation& run) {
    WorkerPool& pool = one_thread();
    run.apply(pool, MovePins{{{0, vec3(0.01, 0.005, 0)}}, 0.007});
    run.apply(pool, MoveObstacle{0, vec3(0.8, -0.09, 0.5), 0.008});
    const auto& held = run.mesh().triangles[run.mesh().triangles.size() / 2];
    run.apply(pool, Grab{held, vec3(0.2, 0.3, 0.5), run.state().x[held[0]], 20, 0.01});
  }

  /// Steps with the cursor on its way; what they leave, step by step.
  static std::vector<std::pair<StepStatus, Checkpoint>> steps(WorkerPool& pool, Simulation& run, int count) {
    std::vector<std::pair<StepStatus, Checkpoint>> all(static_cast<std::size_t>(count));
    for (auto& [status, after] : all) {
      const auto k = static_cast<double>(run.steps());
      run.apply(pool, MoveCursor{vec3(0.25, 0.002 * k, 0.5 - 0.001 * k)});
      status = run.step(pool);
      run.save(pool, after);
    }
    return all;
  }

  static void expect_same(const std::vector<std::pair<StepStatus, Checkpoint>>& a,
                          const std::vector<std::pair<StepStatus, Checkpoint>>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].first, b[k].first) << k;
      const Checkpoint &mine = a[k].second, &other = b[k].second;
      EXPECT_TRUE(same_bits(mine.state, other.state)) << k;
      EXPECT_TRUE(same_bits(*mine.last_good, *other.last_good)) << k;
      EXPECT_EQ(mine.last_good_step, other.last_good_step);
      EXPECT_EQ(mine.record.step, other.record.step);
      EXPECT_EQ(mine.record.energy.total, other.record.energy.total);
      EXPECT_EQ(mine.record.cg_iterations, other.record.cg_iterations);
      EXPECT_EQ(mine.account.allowed(100), other.account.allowed(100));
      EXPECT_EQ(mine.contacts, other.contacts) << k;
      EXPECT_TRUE(std::ranges::equal(mine.memory.numbers(), other.memory.numbers()));
      EXPECT_EQ(mine.blow_up.has_value(), other.blow_up.has_value());
    }
  }

  Scene scene_;
  std::shared_ptr<const ClothMesh> mesh_ = grid_mesh(17, 17);  // multigrid takes part
  WorkerPool one_{1}, two_{2};
};

TEST_P(CheckpointOf, GoesOnWithTheSameBitsInAFreshObject) {
  if (GetParam()->inextensible) mesh_ = grid_mesh(6, 6);  // their steps take long, and no multigrid
  const auto run = start(one_);
  set_in_motion(*run);
  steps(one_, *run, kBefore);
  Checkpoint saved;
  run->save(one_, saved);
  EXPECT_EQ(saved.record.step, static_cast<std::uint64_t>(kBefore));
  const auto expected = steps(one_, *run, kAfter);

  const auto fresh = start(two_);
  fresh->load(two_, saved);
  expect_same(steps(two_, *fresh, kAfter), expected);
  // And in one that has gone elsewhere, with another method.
  run->apply(one_, SetIntegrator{GetParam()->id == "bdf2" ? "siere" : "bdf2"});
  run->apply(one_, SetParameter{"stretch-stiffness", 30});
  run->apply(one_, Reset{});
  steps(one_, *run, 2);
  run->load(one_, saved);
  expect_same(steps(one_, *run, kAfter), expected);
}

TEST_P(CheckpointOf, GoesOnWithTheSameSubsteps) {
  mesh_ = grid_mesh(4, 4);
  scene_.adaptive = true;
  scene_.max_strain = 0.001;  // steps get so small that not every one can be as long as the last
  const auto run = start(one_);
  set_in_motion(*run);
  steps(one_, *run, 1);
  Checkpoint saved;
  run->save(one_, saved);
  const auto expected = steps(one_, *run, 1);
  if (!GetParam()->inextensible) {  // rods have no strain
    EXPECT_LT(expected[0].second.record.h, scene_.dt);
  }
  const auto fresh = start(two_);
  fresh->load(two_, saved);
  expect_same(steps(two_, *fresh, 1), expected);
}

TEST_P(CheckpointOf, IsGoneBackToWithTheSameBitsAndTheSameBound) {
  const auto run = start(one_);
  steps(one_, *run, kBefore);
  const auto moment = std::make_shared<Checkpoint>();
  run->save(one_, *moment);
  const auto expected = steps(one_, *run, kAfter);
  for (int again = 0; again < 2; ++again) {
    run->apply(one_, GoBack{moment});
    EXPECT_EQ(run->steps(), static_cast<std::uint64_t>(kBefore));
    expect_same(steps(one_, *run, kAfter), expected);
  }
  // What has been set since then stays set, and does not change what the moment was.
  run->apply(one_, SetParameter{"dt", 0.0005});
  run->apply(one_, GoBack{moment});
  EXPECT_EQ(run->scene().dt, 0.0005);
  EXPECT_TRUE(same_bits(run->state(), moment->state));
  EXPECT_EQ(run->step(one_), StepStatus::done);
}

TEST_P(CheckpointOf, GoesOnAfterABlowUp) {
  mesh_ = grid_mesh(6, 6);
  scene_.dt = 0.1;
  scene_.energy_limit = 1;
  const auto run = start(one_);
  set_in_motion(*run);
  StepStatus status = StepStatus::done;
  for (int k = 0; k < 30 && status == StepStatus::done; ++k) status = run->step(one_);
  Checkpoint saved;
  run->save(one_, saved);
  const auto expected = steps(one_, *run, 2);
  const auto fresh = start(two_);
  fresh->load(two_, saved);
  EXPECT_EQ(fresh->blow_up().has_value(), status == StepStatus::blown_up);
  expect_same(steps(two_, *fresh, 2), expected);
}

std::vector<const IntegratorInfo*> all_integrators() {
  std::vector<const IntegratorInfo*> all;
  for (const IntegratorInfo& info : integrators()) all.push_back(&info);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, CheckpointOf, ::testing::ValuesIn(all_integrators()), [](const auto& row) {
  std::string name(row.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Checkpoint, OfAnotherMeshIsRefusedWithNothingChanged) {
  WorkerPool pool(1);
  Scene scene;
  Simulation small(scene, grid_mesh(4, 4), pool), large(scene, grid_mesh(5, 5), pool);
  large.step(pool);
  Checkpoint saved;
  large.save(pool, saved);
  EXPECT_THROW(small.load(pool, saved), InputError);
  EXPECT_EQ(small.steps(), 0u);
  saved.memory = Memory({1, 2, 3});
  scene.integrator = "bdf2";
  saved.scene = std::make_shared<const Scene>(scene);
  const State before = large.state();
  EXPECT_THROW(large.load(pool, saved), InputError);
  EXPECT_TRUE(same_bits(large.state(), before));
  EXPECT_EQ(large.scene().integrator, "semi-implicit-euler");
}

}  // namespace
}  // namespace clothlab::testing
