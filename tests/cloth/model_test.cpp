// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cloth/sample_cloth.h"
#include "core/error.h"

namespace clothlab::test {
namespace {

TEST(ClothModel, KeepsRestLengths) {
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(3, 4, 0), vec3(0, 0, 2)};
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {2, 0}}, bend{{1, 2}};
  const ClothModel model(rest, stretch, bend);
  ASSERT_EQ(model.springs(), 3u);
  EXPECT_EQ(model.stretch_springs(), 2u);
  const std::vector<double> expected{5, 2, std::sqrt(29.0)};
  for (std::size_t s = 0; s < 3; ++s) {
    const std::uint32_t slot = model.pattern()->slot[s];
    EXPECT_EQ(model.rest_lengths()[slot], expected[s]);
    EXPECT_EQ(model.is_stretch(slot), s < 2);
  }
}

TEST(ClothModel, SharesOutTheMass) {
  // Two triangles of area 1/2 and 1 with a common edge 1–2:
  //   0 (0,0)  1 (1,0)  2 (0,1)  3 (2,1)
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 0, 1), vec3(2, 0, 1)};
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
  const std::vector<ClothModel::Triangle> triangles{{0, 1, 2}, {1, 3, 2}};
  const ClothModel model(rest, stretch, {}, triangles);
  Material material;
  material.mass = 0.9;
  for (const double m : model.masses(material)) EXPECT_EQ(m, 0.9 / 4);
  material.mass_model = MassModel::area;
  const std::vector<double> masses = model.masses(material);
  EXPECT_NEAR(masses[0], 0.1, 1e-16);
  EXPECT_NEAR(masses[1], 0.3, 1e-15);
  EXPECT_NEAR(masses[2], 0.3, 1e-15);
  EXPECT_NEAR(masses[3], 0.2, 1e-15);
}

TEST(ClothModel, RefusesAParticleWithoutMass) {
  const std::vector<vec3> rest{vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 0, 1), vec3(2, 0, 0), vec3(3, 0, 0)};
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {1, 2}, {1, 3}, {3, 4}};
  const std::vector<ClothModel::Triangle> triangles{{0, 1, 2}, {1, 3, 4}};
  const auto model =
      std::make_shared<const ClothModel>(rest, stretch, std::span<const ClothModel::Ends>{}, triangles);
  Material material;
  WorkerPool pool;
  ClothSystem system(model, material);
  material.mass_model = MassModel::area;
  material.mass = 5;
  EXPECT_THROW(system.set_material(material), InputError);
  EXPECT_EQ(system.material().mass, 0.2);
  EXPECT_EQ(system.masses()[0], 0.2 / 5);
}

TEST(ClothModel, FindsTheConnectedParts) {
  const std::vector<vec3> rest(6, vec3(0.0));
  const std::vector<ClothModel::Ends> stretch{{4, 1}, {2, 5}, {5, 0}};
  const ClothModel model(rest, stretch);
  EXPECT_EQ(model.parts(), 3u);
  const auto part = model.part_of_particle();
  EXPECT_EQ(std::vector<std::uint32_t>(part.begin(), part.end()),
            (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 0}));
}

}  // namespace
}  // namespace clothlab::test
