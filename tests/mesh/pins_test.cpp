// SPDX-License-Identifier: MIT
#include "mesh/pins.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include "core/error.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

using Indices = std::vector<std::uint32_t>;

/// One triangle for every three positions; welded by default, so that they can be joined.
ClothMesh triangles(const std::vector<vec3>& positions, bool weld = true) {
  ObjMesh obj;
  obj.name = "test mesh";
  obj.vertices = positions;
  for (std::int32_t v = 0; v + 2 < static_cast<std::int32_t>(positions.size()); v += 3)
    obj.add_face(std::array<ObjMesh::Corner, 3>{{{v}, {v + 1}, {v + 2}}});
  MeshOptions options;
  options.weld = weld;
  return build_cloth_mesh(std::move(obj), options);
}

TEST(Pins, OfAGridAreItsRowsAndCorners) {
  const ClothMesh grid = build_cloth_mesh(make_grid_obj(3, 4, 1, 7));
  EXPECT_EQ(pinned_particles(grid, PinPreset::none), Indices{});
  EXPECT_EQ(pinned_particles(grid, PinPreset::top_edge), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(pinned_particles(grid, PinPreset::top_corners), (Indices{0, 3}));
  EXPECT_EQ(pinned_particles(grid, PinPreset::corners), (Indices{0, 3, 8, 11}));
}

/// The same grid, but as a mesh from elsewhere.
ClothMesh plain_sheet(int rows, int cols, double width, double depth) {
  ObjMesh obj = make_grid_obj(rows, cols, width, depth);
  obj.grid.reset();
  return build_cloth_mesh(std::move(obj));
}

TEST(Pins, PartsWithoutOneAreNamed) {
  const ClothMesh mesh = triangles(
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {9, 0, 0}, {10, 0, 0}, {9, 1, 0}});
  std::vector<std::uint8_t> pinned(9, 0);
  EXPECT_EQ(parts_without_pin(mesh, pinned), (Indices{0, 1, 2}));
  pinned[4] = 1;
  EXPECT_EQ(parts_without_pin(mesh, pinned), (Indices{0, 2}));
}

TEST(Pins, OfAFlatMeshTreatMinusZAsUp) {
  const ClothMesh mesh = plain_sheet(3, 4, 1, 7);
  ASSERT_FALSE(mesh.grid);
  EXPECT_EQ(pinned_particles(mesh, PinPreset::top_edge), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(pinned_particles(mesh, PinPreset::top_corners), (Indices{0, 3}));
  EXPECT_EQ(pinned_particles(mesh, PinPreset::corners), (Indices{0, 3, 8, 11}));
}

TEST(Pins, TheYExtentDecidesWhatIsUp) {
  // Diagonal about √2: a y extent of 1.3e-3 is under 1e-3 of it, 1.5e-3 is not.
  const auto top = [](double y) {
    return pinned_particles(triangles({{0, 0, 0}, {1, y, 0}, {0, 0, 1}}), PinPreset::top_edge);
  };
  EXPECT_EQ(top(1.3e-3), (Indices{0, 1}));  // z = 0 is the top
  EXPECT_EQ(top(1.5e-3), (Indices{1}));
}

TEST(Pins, TheTopEdgeIsTwoPerCentHigh) {
  const ClothMesh mesh = triangles({{0, 0, 0}, {1, 1, 0}, {2, 0.99, 0}, {0, 0, 0}, {1, 1, 0}, {3, 0.97, 0}});
  EXPECT_EQ(pinned_particles(mesh, PinPreset::top_edge), (Indices{1, 2}));
}

TEST(Pins, EveryPartHasItsOwnTop) {
  const ClothMesh mesh =
      triangles({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 50, 0}, {10, 40, 0}, {11, 50, 0}}, false);
  ASSERT_EQ(mesh.parts, 2);
  EXPECT_EQ(pinned_particles(mesh, PinPreset::top_edge), (Indices{2, 3, 5}));
  EXPECT_EQ(pinned_particles(mesh, PinPreset::top_corners), (Indices{2, 3, 5}));
}

TEST(Pins, TopCornersAreFarthestApartAlongTheLongestHorizontalAxis) {
  // The band is wider in z (3) than in x (2).
  const ClothMesh mesh = triangles({{0, 1, 1}, {2, 1, 0}, {1, 0, 0}, {1, 1, 3}, {0, 1, 1}, {1, 0, 0}});
  EXPECT_EQ(pinned_particles(mesh, PinPreset::top_corners), (Indices{1, 3}));
}

TEST(Pins, TiesGoToTheLowerParticle) {
  // Both ends of the band have two particles each.
  const ClothMesh ends = triangles({{2, 1, 0}, {0, 1, 0.5}, {1, 0, 0}, {2, 1, 0.5}, {0, 1, 0}, {1, 0, 0}});
  EXPECT_EQ(pinned_particles(ends, PinPreset::top_corners), (Indices{0, 1}));
  // All particles of the band in one place.
  const ClothMesh column =
      triangles({{1, 0, 0}, {0, 1, 0}, {0, 0.995, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0.99, 0}});
  EXPECT_EQ(pinned_particles(column, PinPreset::top_corners), (Indices{1, 2}));
}

TEST(Pins, CornersAreNearestInTheFaceOfTheTwoLongestAxes) {
  // A slanted sheet: its box is 4 × 1 × 2, so the corners are those of x and z, whatever y is.
  const ClothMesh mesh =
      triangles({{0, 0, 0}, {4, 1, 0}, {0, 0.5, 2}, {4, 1, 0}, {3.9, 0, 1.9}, {0, 0.5, 2}});
  EXPECT_EQ(pinned_particles(mesh, PinPreset::corners), (Indices{0, 1, 2, 3}));
  const ClothMesh one = triangles({{0, 0, 0}, {4, 0, 0}, {2, 0, 3}});
  EXPECT_EQ(pinned_particles(one, PinPreset::corners), (Indices{0, 1, 2}));  // two corners share the tip
}

TEST(Pins, FromVertices) {
  const ClothMesh mesh = build_cloth_mesh(parse_obj(
      "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 2 3 4\nf 5 6 7\n", "seam.obj"));
  EXPECT_EQ(pins_from_vertices(mesh, Indices{}), Indices{});
  EXPECT_EQ(pins_from_vertices(mesh, Indices{6, 4, 2, 1}), (Indices{0, 1, 2}));
  EXPECT_EQ(message_of<InputError>([&] {
              pins_from_vertices(mesh, Indices{1, 0});
            }),
            "cannot pin vertex 0 of seam.obj: no face uses it");
  EXPECT_EQ(message_of<InputError>([&] { pins_from_vertices(mesh, Indices{7}); }),
            "cannot pin vertex 7 of seam.obj: its vertices are 0 to 6");
}

}  // namespace
}  // namespace clothlab
