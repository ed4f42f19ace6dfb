// SPDX-License-Identifier: MIT
// Every mesh there is, in files of all kinds, with the defaults of the command line: 120 steps of 1/60 s, on
// large meshes as many as take some seconds; all of them where CLOTHLAB_LONG_TESTS is set (scripts/long.sh).
//
// The meshes are those of assets/ and, beside the source tree, of ../shared/meshes (or of the folder that
// CLOTHLAB_SHARED_MESHES names); those that are not there are skipped.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "sim/support.h"

namespace clothlab::testing {
namespace {

std::vector<std::filesystem::path> obj_files() {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder : {source_dir() / "assets", shared_meshes()}) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
      if (entry.path().extension() == ".obj") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(MeshSuite, TheSharedMeshesAreThere) {
  if (!std::filesystem::is_directory(shared_meshes()))
    GTEST_SKIP() << "The shared meshes are NOT tested: there is no folder " << shared_meshes()
                 << "; name one with CLOTHLAB_SHARED_MESHES.";
}

class MeshSuite : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  std::unique_ptr<Simulation> start(const char* integrator, double h = 1.0 / 60) {
    Scene scene;
    scene.integrator = integrator;
    scene.dt = h;
    return std::make_unique<Simulation>(scene, mesh, pool);
  }
  void expect_finite(const Simulation& simulation) {
    for (const vec3& x : simulation.state().x)
      ASSERT_TRUE(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z));
  }
  /// 120, or fewer such that all particles together take at most so many.
  void expect_converged_steps(const char* integrator, std::size_t most) {
    const bool all = std::getenv("CLOTHLAB_LONG_TESTS") != nullptr;
    const std::size_t steps = all ? 120 : std::min<std::size_t>(most / mesh->positions.size(), 120);
    if (steps < 5) GTEST_SKIP() << "NOT tested for its length; set CLOTHLAB_LONG_TESTS=1 to do so.";
    const auto simulation = start(integrator);
    for (std::size_t k = 0; k < steps; ++k) {
      ASSERT_EQ(simulation->step(pool), StepStatus::done) << "step " << k + 1;
      EXPECT_TRUE(simulation->record().converged) << "step " << k + 1 << ": " << simulation->record().reason;
    }
    expect_finite(*simulation);
  }

  WorkerPool pool{2};
  std::shared_ptr<const ClothMesh> mesh = built(read_obj_file(GetParam()));
};

TEST_P(MeshSuite, SemiImplicitEuler) { expect_converged_steps("semi-implicit-euler", 500'000); }

TEST_P(MeshSuite, BackwardEuler) { expect_converged_steps("backward-euler", 60'000); }

TEST_P(MeshSuite, SymplecticEuler) {
  const double limit = 2 / omega_max(*start("symplectic-euler"), pool);
  const auto stable = start("symplectic-euler", limit / 2);
  EXPECT_EQ(run(*stable, 120), 120);
  expect_finite(*stable);

  const auto unstable = start("symplectic-euler", 4 * limit);
  EXPECT_LT(run(*unstable, 120), 120);
  ASSERT_TRUE(unstable->blow_up());
  EXPECT_EQ(unstable->blow_up()->step, unstable->steps() + 1);
  expect_finite(*unstable);
}

INSTANTIATE_TEST_SUITE_P(Files, MeshSuite, ::testing::ValuesIn(obj_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace clothlab::testing
