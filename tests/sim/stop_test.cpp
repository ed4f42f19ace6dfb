// SPDX-License-Identifier: MIT
// A step that is stopped, or in which something throws, at whatever moment, leaves everything as it was
// before.

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cloth/cloth_system.h"
#include "contact/nodal_contact.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

class StoppedStep : public ::testing::TestWithParam<const IntegratorInfo*> {
 protected:
  /// Few springs, and stable with every method at this step. Modes that are found in one step are used in
  /// the next two.
  Scene soft_sheet() const {
    Scene scene;
    scene.integrator = GetParam()->id;
    scene.material.stretch_stiffness = 50;
    scene.dt = 2e-3;
    scene.wind.on = true;
    scene.wind.gusts = 50;
    for (const ParameterSpec& spec : GetParam()->parameters)
      if (spec.id == "mode-refresh") scene.integrator_parameters["mode-refresh"] = 3;
    return scene;
  }

  /// Takes the steps, each ended at its first look at the probe, at its second, and so on (long ones at a
  /// sample of them), until it gets through; beside a run that nothing ends. Every second time something
  /// throws there instead of stopping.
  void stop_everywhere(const Scene& scene, int steps) {
    Simulation stopped(scene, mesh_, pool_), undisturbed(scene, mesh_, pool_);
    for (Simulation* each : {&stopped, &undisturbed}) prepare(*each);
    for (int k = 0; k < steps; ++k) {
      const State before = stopped.state();
      const StepRecord record = stopped.record();
      const std::vector<double> residuals(stopped.residual_history().begin(),
                                          stopped.residual_history().end());
      for (int allowed = 0;; allowed += 1 + allowed / 32) {
        ASSERT_LT(allowed, 1'000'000);
        int looks = 0;
        const auto end = [&] {
          if (looks++ < allowed) return false;
          if (allowed % 2 == 1) throw std::runtime_error("no memory, say");
          return true;
        };
        std::optional<StepStatus> status;
        try {
          status = stopped.step(pool_, end);
        } catch (const std::runtime_error&) {
        }
        if (status == StepStatus::done) break;
        ASSERT_EQ(status.value_or(StepStatus::stopped), StepStatus::stopped);
        ASSERT_TRUE(same_bits(stopped.state(), before)) << "step " << k << ", look " << allowed;
        ASSERT_EQ(stopped.steps(), record.step);
        ASSERT_EQ(stopped.record().energy.total, record.energy.total);
        ASSERT_TRUE(std::ranges::equal(stopped.residual_history(), residuals));
      }
      ASSERT_EQ(undisturbed.step(pool_), StepStatus::done);
      ASSERT_TRUE(same_bits(stopped.state(), undisturbed.state())) << "step " << k;
      EXPECT_EQ(stopped.record().h, undisturbed.record().h);
      EXPECT_EQ(stopped.record().energy.total, undisturbed.record().energy.total);
      EXPECT_EQ(stopped.record().cg_iterations, undisturbed.record().cg_iterations);
      EXPECT_TRUE(std::ranges::equal(stopped.residual_history(), undisturbed.residual_history()));
    }
  }

  virtual void prepare(Simulation&) {}

  WorkerPool pool_{1};
  std::shared_ptr<const ClothMesh> mesh_ = grid_mesh(4, 4);
};

class StoppedStepWithAPinUnderWay : public StoppedStep {
  void prepare(Simulation& simulation) override {
    simulation.apply(one_thread(), MovePins{{{0, vec3(0.1, 0.1, 0)}}, 0.02});
  }
};

TEST_P(StoppedStepWithAPinUnderWay, LeavesEverythingAsItWas) { stop_everywhere(soft_sheet(), 4); }

// Aslant, so that it lands particle by particle in steps that are taken again, and slides.
TEST_P(StoppedStep, LeavesEverythingAsItWasWhereClothLands) {
  Scene scene = soft_sheet();
  scene.pins = PinPreset::none;
  InitialState falling{mesh_->positions, std::vector<vec3>(mesh_->positions.size(), vec3(0.3, -1, 0))};
  for (vec3& x : falling.positions) x.y += 0.01 * x.x;
  scene.initial_state = falling;
  scene.floor.on = true;
  scene.floor.height = -0.005;
  stop_everywhere(scene, 9);
}

// The allowed strain is exceeded just before the end of a step: the adaptive substeps are large up to there,
// and the smallest ones at the end.
TEST_P(StoppedStep, LeavesEverythingAsItWasWhereStepsAreHalved) {
  Scene scene = soft_sheet();
  InitialState drawn_out{mesh_->positions, {}};
  for (const vec3& x : mesh_->positions) drawn_out.velocities.emplace_back(0, 0, 2 * x.z);
  scene.initial_state = drawn_out;
  Simulation fixed(scene, mesh_, pool_);
  ASSERT_EQ(run(fixed, 3), 3);
  const double before = fixed.record().max_strain;
  ASSERT_EQ(run(fixed, 1), 1);
  const double after = fixed.record().max_strain;
  if (GetParam()->inextensible) GTEST_SKIP() << "its strain does not grow";
  ASSERT_GT(after, 1.1 * before);
  scene.adaptive = true;
  scene.max_strain = after - 0.02 * (after - before);
  Simulation adaptive(scene, mesh_, pool_);
  ASSERT_EQ(run(adaptive, 3), 3);
  EXPECT_EQ(adaptive.record().h, scene.dt);
  ASSERT_EQ(run(adaptive, 1), 1);
  EXPECT_LT(adaptive.record().h, scene.dt / 100);
  stop_everywhere(scene, 4);
}

std::string name_of(const ::testing::TestParamInfo<const IntegratorInfo*>& row) {
  std::string name(row.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<const IntegratorInfo*> rows() {
  std::vector<const IntegratorInfo*> all;
  for (const IntegratorInfo& info : integrators()) all.push_back(&info);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, StoppedStep, ::testing::ValuesIn(rows()), name_of);
INSTANTIATE_TEST_SUITE_P(All, StoppedStepWithAPinUnderWay, ::testing::ValuesIn(rows()), name_of);

TEST(StoppedStepTest, LeavesABlowUpExplained) {
  WorkerPool pool(1);
  Scene scene;
  scene.integrator = "explicit-euler";
  Simulation simulation(scene, grid_mesh(4, 4), pool);
  ASSERT_LT(run(simulation, 1000), 1000);
  ASSERT_EQ(simulation.step(pool, [] { return true; }), StepStatus::stopped);
  EXPECT_TRUE(simulation.blow_up());
}

// On a large mesh each pass over the cloth takes long, so the probe is asked between any two of them.
TEST(NodalContact, LooksWhetherToStopBetweenItsPasses) {
  WorkerPool pool(1);
  const auto mesh = grid_mesh(4, 4);
  ClothSystem system(Simulation(Scene{}, mesh, pool).system().shared_model(), Material{});
  Scene scene;
  scene.floor = {.on = true, .height = 0, .friction = 0.5};
  State on_it;
  on_it.x = mesh->positions;
  on_it.v.assign(on_it.x.size(), vec3(0));
  State below = on_it;
  for (vec3& x : below.x) x.y = -0.01;
  Surfaces surfaces;
  surfaces.place(scene.floor, scene.obstacles, 0, {}, on_it.x.size(), 0, 0.01);
  NodalContactResponse contact;
  const auto looks = [](const auto& pass) {
    int count = 0;
    for (;; ++count) {
      int asked = 0;
      const StopProbe stop = [&] { return asked++ >= count; };
      try {
        pass(stop);
        return count;
      } catch (const Cancelled&) {
      }
    }
  };
  EXPECT_GE(looks([&](const StopProbe& stop) {
              const ComputeContext context{one_thread(), stop};
              contact.begin_step({surfaces, 0.01, on_it, system, context});
            }),
            2);
  system.projection().clear(on_it.x.size());
  EXPECT_GE(looks([&](const StopProbe& stop) {
              system.projection().clear(on_it.x.size());
              contact.set_contacts({});
              const ComputeContext context{one_thread(), stop};
              contact.needs_repeat({surfaces, 0.01, on_it, system, context}, below);
            }),
            1);
  system.projection().clear(on_it.x.size());
  EXPECT_GE(looks([&](const StopProbe& stop) {
              const ComputeContext context{one_thread(), stop};
              contact.end_step({surfaces, 0.01, on_it, system, context}, below);
            }),
            1);
}

}  // namespace
}  // namespace clothlab::testing
