// SPDX-License-Identifier: MIT
// The search for the largest stable h of every method: that of the command line's trials, and it ends when
// asked.

#include <gtest/gtest.h>

#include "experiments/limit_search.h"
#include "experiments/step_trial.h"
#include "session/moments.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

using testing::found_by;
using testing::moment_of;
using testing::promised;

TEST(LimitSearch, FindsWhatTheTrialsOfTheCommandLineFind) {
  Scene scene = testing::sheet_scene(3);
  scene.dt = 1.0 / 200;
  const auto loaded = testing::loaded(scene);
  const LimitSearch search(promised(moment_of(loaded, 0)));
  const auto found = found_by(search);
  EXPECT_EQ(found->error, "");
  EXPECT_NEAR(found->fraction, 1, 1e-12);
  ASSERT_EQ(found->methods.size(), integrators().size());
  WorkerPool pool(1);
  LoadedScene same = *loaded;
  measure_omega_max(same, pool, {});
  EXPECT_EQ(found->omega_max, same.omega_max);
  for (const MethodLimit& method : found->methods) {
    SCOPED_TRACE(method.info->id);
    EXPECT_TRUE(method.done);
    if (method.info->growth_of_slow_modes && method.info->stability_limit == 0) {
      EXPECT_EQ(method.largest, 0) << "gains energy at every h";
      continue;
    }
    const auto trials = find_largest_stable_step(same, *method.info, largest_trial_step(same.omega_max),
                                                 kTrialSteps, pool, {});
    EXPECT_EQ(method.largest, trials.stable);
    EXPECT_EQ(method.limited, trials.unstable.has_value());
    if (!method.run) continue;
    EXPECT_GT(method.run->cost, 0);
    EXPECT_LE(method.run->h, method.largest);
    EXPECT_EQ(method.run->error.has_value(), !method.info->inextensible);
    // No method is further off than the cloth is long.
    EXPECT_LT(method.run->error.value_or(0), 1);
  }
  const auto of = [&](std::string_view id) {
    return *std::ranges::find(found->methods, id, [](const MethodLimit& m) { return m.info->id; });
  };
  EXPECT_TRUE(of("symplectic-euler").limited);
  EXPECT_FALSE(of("backward-euler").limited);
  EXPECT_LT(of("rk4").run->error.value(), 0.01 * of("backward-euler").run->error.value())
      << "the nearest to the reference, which is of its own";
  EXPECT_LT(of("backward-euler").run->spurious, 0) << "it damps";
}

// Methods that cannot run the scene are left out.
TEST(LimitSearch, LeavesOutMethodsWithoutAPlaceForContactByForces) {
  Scene scene = testing::sheet_scene(3);
  scene.integrator = "rk4";
  scene.dt = 1e-3;
  scene.floor = {.on = true, .height = -0.1};
  scene.contact.model = ContactModel::penalty;
  const auto loaded = testing::loaded(scene);
  const LimitSearch search(promised(moment_of(loaded, 3)));
  const auto found = found_by(search);
  EXPECT_EQ(found->error, "");
  EXPECT_EQ(found->methods.size(), integrators().size() - 7)
      << "rattle, pbd-proj2, shake, beere, bdf2-ere, tr-bdf2-ere and fast-projection";
  for (const MethodLimit& method : found->methods) {
    EXPECT_TRUE(supports_contact(ContactModel::penalty, *method.info));
    EXPECT_TRUE(method.done);
  }
}

TEST(LimitSearch, LeavesOutMethodsThatKeepNoDistances) {
  Scene scene = testing::sheet_scene(3);
  scene.groups = {{.name = "bar", .vertices = {4, 8}, .obj_group = {}}};
  scene.drivers = {{"bar", GroupDistance{}}};
  scene.dt = 1e-3;
  const LimitSearch search(promised(moment_of(testing::loaded(scene), 3)));
  const auto found = found_by(search);
  EXPECT_EQ(found->error, "");
  EXPECT_EQ(std::ranges::count_if(integrators(), takes_couplings), std::ssize(found->methods));
  for (const MethodLimit& method : found->methods) {
    EXPECT_TRUE(takes_couplings(*method.info)) << method.info->id;
    EXPECT_TRUE(method.done);
  }
}

TEST(LimitSearch, BeginsWhereTheClothIs) {
  Scene scene = testing::sheet_scene(3);
  scene.integrator = "rk4";
  scene.dt = 1e-3;
  const auto loaded = testing::loaded(scene);
  const KeepMoment::Kept later = moment_of(loaded, 300);
  const LimitSearch search(promised(later));
  const auto found = found_by(search);
  EXPECT_EQ(found->time, later.checkpoint().state.t);
  // Springs that are longer than at rest have transverse stiffness, and the cloth another spectrum.
  LoadedScene there = *loaded;
  there.scene.initial_state = InitialState{later.checkpoint().state.x, later.checkpoint().state.v};
  WorkerPool pool(1);
  measure_omega_max(there, pool, {});
  EXPECT_EQ(found->omega_max, there.omega_max);
}

TEST(LimitSearch, BeginsWithTheLastGoodStateWhereThePresentOneIsNot) {
  Scene scene = testing::sheet_scene(3);
  scene.integrator = "explicit-euler";
  scene.dt = 0.01;
  const auto loaded = testing::loaded(scene);
  WorkerPool pool(1);
  Simulation direct(loaded->scene, loaded->mesh, pool);
  while (direct.step(pool) == StepStatus::done) {
  }
  const auto checkpoint = std::make_shared<Checkpoint>();
  direct.save(pool, *checkpoint);
  const State good = direct.last_good_state().state;
  ASSERT_LT(good.t, direct.state().t) << "strained by more than 10 % before it blew up";
  const LimitSearch search(promised({moment_of_lane(2, checkpoint), loaded, 2, 7}));
  const auto found = found_by(search);
  EXPECT_EQ(found->error, "");
  EXPECT_EQ(found->time, good.t);
  EXPECT_FALSE(found->is_shown);
  EXPECT_EQ(found->lane, 2u);
  EXPECT_EQ(found->returns, 7u);
  LoadedScene there = *loaded;
  there.scene.initial_state = InitialState{good.x, good.v};
  measure_omega_max(there, pool, {});
  EXPECT_EQ(found->omega_max, there.omega_max);
}

TEST(LimitSearch, EndsWhenAsked) {
  testing::expect_to_end_when_asked<LimitSearch>(testing::loaded(testing::sheet_scene(60)));
}

}  // namespace
}  // namespace clothlab
