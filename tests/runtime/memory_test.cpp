// What a sheet keeps in memory, and the most that it takes while it is built.

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "core/worker_pool.h"
#include "runtime/scene_loader.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

// Bytes of each particle of a sheet with all defaults, from its mesh to the solver's hierarchy: 1.5 KiB are
// allowed (docs/performance.md), with what the system adds.
constexpr double kMost = 1408;

TEST(Memory, OfASheetIsBounded) {
  for (const int n : {64, 128}) {  // ascending: the most is that since the start
    WorkerPool pool(2);
    const std::size_t before = allocated_bytes();
    {
      Scene scene;
      scene.mesh = GridSource{n, n, 1, 1};
      const LoadedScene loaded = load_scene(scene);
      Simulation simulation(loaded.scene, loaded.mesh, pool);
      for (int step = 0; step < 3; ++step) ASSERT_EQ(simulation.step(), StepStatus::done);
      const auto of_a_particle = [&](std::size_t bytes) {
        return static_cast<double>(bytes - before) / (static_cast<double>(n) * n);
      };
      EXPECT_LT(of_a_particle(most_allocated_bytes()), kMost) << n;
      EXPECT_GT(of_a_particle(allocated_bytes()), 0.5 * kMost) << n;  // counts at all
    }
    EXPECT_LT(allocated_bytes() - before, 1000u * sizeof(double)) << "is given back";
  }
}

}  // namespace
}  // namespace clothlab
