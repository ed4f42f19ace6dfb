// SPDX-License-Identifier: MIT
#include "experiments/stiff_limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "one_thread.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

constexpr double kHalf = 0.3, kDrop = 0.4, kLength = 0.5, kMass = 0.2;  // [m], [m], [m], [kg]

/// A mass on two springs from two pins, 2 · 0.3 m apart, that comes to rest.
LoadedScene hanging_mass() {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "v.obj").string();
  std::ofstream(file) << "v -0.3 0 0\nv 0.3 0 0\nv 0 -0.4 0\nf 1 2 3\n";
  Scene scene;
  scene.mesh = FileSource{file};
  scene.pins = std::vector<std::uint32_t>{0, 1};
  scene.material.mass = 3 * kMass;
  scene.material.rayleigh_mass = 20;
  scene.dt = 0.01;
  scene.solver.newton_tolerance = 1e-13;
  scene.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  return load_scene(std::move(scene));
}

SpringForcesAtEnd end_of(const LoadedScene& loaded, const char* id, double stiffness) {
  return run_to_forces(loaded, *find_integrator(id), stiffness, 600, one_thread(), {});
}

// At rest 2 F d/l = m g, and F = k (l − L): the rods have F at l = L, and the springs
// F(l) ≈ λ + F'(L) λ/k with F'/F = −a²/(L d²).
TEST(StiffLimit, OfTwoSpringsIsKnownInClosedForm) {
  const LoadedScene loaded = hanging_mass();
  const double lambda = kMass * 9.8 * kLength / (2 * kDrop);
  for (const char* rods_id : {"rattle", "shake"}) {
    const SpringForcesAtEnd rods = end_of(loaded, rods_id, 1000);
    ASSERT_EQ(rods.status, StepStatus::done);
    ASSERT_EQ(rods.forces.size(), 3u);
    std::size_t between_pins = 0;
    for (const double force : rods.forces) {
      if (std::isnan(force))
        ++between_pins;
      else
        EXPECT_NEAR(force, lambda, 1e-9) << rods_id;
    }
    EXPECT_EQ(between_pins, 1u);
    for (const char* id : {"semi-implicit-euler", "backward-euler", "bdf2"})
      for (const double k : {1e3, 1e4, 1e5}) {
        const StiffLimit limit = compare_with_rods(end_of(loaded, id, k), rods);
        EXPECT_NEAR(limit.largest, lambda, 1e-9);
        EXPECT_NEAR(limit.force * k, kHalf * kHalf * lambda / (kLength * kDrop * kDrop), 15 / k) << id << k;
        // The mass hangs lower by λ/k · L/d; two of the three particles are pinned.
        EXPECT_NEAR(limit.distance * k, lambda * kLength / kDrop / std::sqrt(3), 15 / k) << id << k;
      }
  }
  // The directions of PBD change within a step, by h² g/d = 0.25 %.
  EXPECT_NEAR(compare_with_rods(end_of(loaded, "pbd-proj2", 1000), end_of(loaded, "rattle", 1000)).force, 0,
              2.5e-3);
}

}  // namespace
}  // namespace clothlab
