// No step after the first allocates.

#include "allocation_counter.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

TEST(SimulationAllocation, HappensInTheFirstStepAlone) {
  for (const IntegratorInfo& info : integrators())
    for (const bool adaptive : {false, true}) {
      WorkerPool pool(2);
      Scene scene;
      scene.integrator = info.id;
      scene.material.stretch_stiffness = 100;
      scene.stepping.dt = 1e-3;
      scene.stepping.adaptive = adaptive;
      scene.wind.on = true;
      scene.wind.gusts = 50;
      scene.floor.on = true;  // that nothing touches: what touches it is another set of pins
      scene.floor.height = -1;
      // A multigrid hierarchy is built anew where h changes the balance of stiffness and damping.
      if (adaptive) scene.stepping.solver.linear.cg.preconditioner = PreconditionerKind::block_jacobi;
      Simulation simulation(scene, grid_mesh(16, 16), pool);
      simulation.apply(Grab{{120, 121, 137}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.2, 0.5), 5, 0.01});
      simulation.apply(MovePins{{{0, vec3(0.1, 0.1, 0)}}, 1});  // moving pins have work to book
      // The first step of a method with history is of another kind.
      for (int k = 0; k < 2; ++k) ASSERT_EQ(simulation.step(), StepStatus::done);
      const long before = allocations();
      ASSERT_GT(before, 0);
      for (int k = 0; k < 8; ++k) ASSERT_EQ(simulation.step(), StepStatus::done);
      EXPECT_EQ(allocations() - before, 0) << info.id << ", adaptive " << adaptive;
    }
}

}  // namespace
}  // namespace clothlab::testing
