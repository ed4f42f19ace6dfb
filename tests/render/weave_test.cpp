// SPDX-License-Identifier: MIT
#include "render/surface.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"

namespace clothlab {
namespace {

// Every triangle must be the surface's, whatever the numbers of its vertices.
void expect_to_cover(const Weave& weave, const Surface& surface) {
  ASSERT_EQ(weave.triangles.size(), surface.triangles().size());
  for (std::size_t t = 0; t < weave.triangles.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i)
      ASSERT_EQ(weave.surface_vertex[weave.triangles[t][i]], surface.triangles()[t][i]);
}

TEST(Weave, AGridsThreadsAreAsFarApartAsItsParticles) {
  const ClothMesh mesh = build_cloth_mesh(make_grid_obj(3, 5, 2.0, 1.0));
  const Surface surface(mesh);
  const Weave weave = make_weave(mesh, surface);
  expect_to_cover(weave, surface);
  ASSERT_EQ(weave.threads.size(), surface.particles().size());
  // One thread is 1/140 of the diagonal, along the rows as along the columns.
  const float per_metre = 140 / std::sqrt(5.0f);
  for (std::size_t v = 0; v < weave.threads.size(); ++v) {
    const vec3 p = mesh.positions[surface.particles()[weave.surface_vertex[v]]];
    EXPECT_NEAR(weave.threads[v].x, per_metre * static_cast<float>(p.x), 1e-4);
    EXPECT_NEAR(weave.threads[v].y, per_metre * static_cast<float>(p.z), 1e-4);
  }
}

TEST(Weave, TextureCoordinatesAreMeasuredInMetres) {
  // A square of 2 m whose texture is half a unit wide, the second triangle wound the other way round.
  const ClothMesh mesh = build_cloth_mesh(
      parse_obj("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nvt 0 0\nvt 0.5 0\nvt 0.5 0.5\nvt 0 0.5\n"
                "f 1/1 2/2 3/3\nf 1/1 4/4 3/3\n",
                "square.obj"));
  const Surface surface(mesh);
  const Weave weave = make_weave(mesh, surface);
  expect_to_cover(weave, surface);
  ASSERT_EQ(weave.threads.size(), 4u);
  const float per_metre = 140 / std::sqrt(8.0f);
  for (std::size_t v = 0; v < 4; ++v) {
    const vec3 p = mesh.positions[surface.particles()[weave.surface_vertex[v]]];
    EXPECT_NEAR(weave.threads[v].x, per_metre * static_cast<float>(p.x), 1e-4);
    EXPECT_NEAR(weave.threads[v].y, per_metre * static_cast<float>(p.y), 1e-4);
  }
}

TEST(Weave, ASeamOfTheTextureIsNoSeamOfTheSurface) {
  const ClothMesh tube = build_cloth_mesh(find_generated_mesh("tube").make());
  const Surface surface(tube);
  const Weave weave = make_weave(tube, surface);
  expect_to_cover(weave, surface);
  EXPECT_EQ(surface.particles().size(), tube.positions.size());
  EXPECT_GT(weave.surface_vertex.size(), surface.particles().size());
  // With the seam's vertices twice, no triangle reaches across the whole texture.
  for (const auto& t : weave.triangles) EXPECT_LT(glm::length(weave.threads[t[1]] - weave.threads[t[0]]), 30);
}

TEST(Weave, WithoutTextureCoordinatesThereIsNone) {
  const char* const scraps =  // each triangle has a place of its own in the texture
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 2 0\nvt 3 0\nvt 2 1\n"
      "vt 0 2\nvt 1 2\nvt 0 3\nvt 2 2\nvt 3 2\nvt 2 3\n"
      "f 1/1 2/2 3/3\nf 1/4 3/5 4/6\nf 1/7 4/8 5/9\nf 1/10 5/11 2/12\n";
  for (const char* text : {scraps, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",           // none at all
                           "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1 2 3\n",           // none at its corners
                           "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"}) {  // without an area
    const ClothMesh mesh = build_cloth_mesh(parse_obj(text, "t.obj"));
    const Surface surface(mesh);
    const Weave weave = make_weave(mesh, surface);
    expect_to_cover(weave, surface);
    EXPECT_TRUE(weave.threads.empty());
  }
}

}  // namespace
}  // namespace clothlab
