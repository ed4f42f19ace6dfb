// SPDX-License-Identifier: MIT
// Bodies that are moved into a garment before they grow.

#include "sim/dressing.h"

#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cancel_point.h"
#include "documents/obstacle_meshes.h"
#include "sim/cloth_intersections.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

constexpr double kCell = 0.04;  // of the shirt [m]

/// The faces between cells that belong to a shape and others, outwards; `open` faces are left out. A cell is
/// the cube from its integer corner to the next one.
ObjMesh surface_of_cells(
    const std::function<bool(const glm::ivec3&)>& is_inside,
    const std::function<bool(const glm::ivec3& cell, const glm::ivec3& towards)>& is_open,
    bool is_inverted = false) {
  constexpr int kFar = 16;
  ObjMesh obj;
  for (int x = -kFar; x < kFar; ++x)
    for (int y = -kFar; y < kFar; ++y)
      for (int z = -kFar; z < kFar; ++z)
        for (int side = 0; side < 6; ++side) {
          const glm::ivec3 cell(x, y, z);
          glm::ivec3 towards(0), u(0), v(0);
          towards[side / 2] = side % 2 == 0 ? 1 : -1;
          u[(side / 2 + 1) % 3] = v[(side / 2 + 2) % 3] = 1;
          if (side % 2 != 0) std::swap(u, v);
          if (is_inverted) std::swap(u, v);
          if (!is_inside(cell) || is_inside(cell + towards) || is_open(cell, towards)) continue;
          const glm::ivec3 corner = cell + (side % 2 == 0 ? towards : glm::ivec3(0));
          const auto first = static_cast<std::int32_t>(obj.vertices.size());
          for (const glm::ivec3& at : {corner, corner + u, corner + u + v, corner + v})
            obj.vertices.push_back(kCell * vec3(at));
          obj.add_face(std::array<ObjMesh::Corner, 4>{{{first}, {first + 1}, {first + 2}, {first + 3}}});
        }
  return obj;
}

/// A torso of 6 × 10 × 4 cells, with sleeves of 2 × 2 cells that reach to x = ±11 cells below the shoulders.
bool is_in_shirt(const glm::ivec3& c) {
  const bool torso = c.x >= -3 && c.x < 3 && c.y >= -5 && c.y < 5 && c.z >= -2 && c.z < 2;
  return torso || (c.x >= -11 && c.x < 11 && c.y >= 2 && c.y < 4 && c.z >= -1 && c.z < 1);
}

ObjMesh shirt(bool is_inverted = false) {
  return surface_of_cells(
      is_in_shirt,
      [](const glm::ivec3& c, const glm::ivec3& towards) {
        const bool is_neck = towards.y > 0 && c.y == 4 && c.x >= -1 && c.x < 1 && c.z >= -1 && c.z < 1;
        return is_neck || (towards.y < 0 && c.y == -5) || (towards.x != 0 && (c.x == -11 || c.x == 10));
      },
      is_inverted);
}

void append(ObjMesh& to, const ObjMesh& other) {
  const auto first = static_cast<std::int32_t>(to.vertices.size());
  to.vertices.insert(to.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (std::size_t f = 0; f < other.face_count(); ++f) {
    std::vector<ObjMesh::Corner> face(other.face(f).begin(), other.face(f).end());
    for (ObjMesh::Corner& corner : face) corner.vertex += first;
    to.add_face(face);
  }
}

constexpr double kRoom = 0.008;  // between the body and the shirt [m]

/// Closed boxes of two triangles per side: torso and legs, arms, and a head.
Obstacle figure(double size = 1) {
  std::vector<vec3> x;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  const auto add = [&](const vec3& low, const vec3& high) {
    const auto first = static_cast<std::uint32_t>(x.size());
    for (std::uint32_t k = 0; k < 8; ++k)
      x.push_back(size * vec3((k & 1U) != 0 ? high.x : low.x, (k & 2U) != 0 ? high.y : low.y,
                              (k & 4U) != 0 ? high.z : low.z));
    for (const auto& [a, b, c, d] : std::array<std::array<std::uint32_t, 4>, 6>{
             {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}}) {
      triangles.push_back({first + a, first + b, first + c});
      triangles.push_back({first + a, first + c, first + d});
    }
  };
  const auto box = [&](const vec3& low, const vec3& high) { add(kCell * low + kRoom, kCell * high - kRoom); };
  box(vec3(-3, -20, -2), vec3(3, 5, 2));
  box(vec3(-14, 2, -1), vec3(14, 4, 1));
  box(vec3(-1, 4, -1), vec3(1, 9, 1));
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = vec3(0);
  body.mesh.path = std::make_shared<const std::string>("figure.obj");
  body.mesh.surface = std::make_shared<const TriangleSurface>(std::move(x), std::move(triangles));
  return body;
}

Scene scene_with(const Obstacle& body) {
  Scene scene;
  scene.pins = PinPreset::none;
  scene.obstacles.bodies = {body};
  return scene;
}

vec3 shift_of(const ObjMesh& cloth, const Obstacle& body) {
  return dress_bodies(one_thread(), scene_with(body), *built(cloth)).shift;
}

// Within the room that the body has in the shirt, and a cell of the grids.
TEST(Dressing, FindsABodyThatIsNextToItsShirt) {
  constexpr double kTolerance = 2 * kRoom + 0.02;
  const ObjMesh cloth = shirt();
  for (const vec3& offset : {vec3(0, 0.09, 0), vec3(0.03, -0.12, 0.05), vec3(-0.15, 0.1, -0.06)}) {
    const vec3 shift = shift_of(cloth, moved_to(figure(), offset));
    EXPECT_LT(glm::distance(shift, -offset), kTolerance)
        << offset.y << ": " << shift.x << " " << shift.y << " " << shift.z;
  }
}

TEST(Dressing, LeavesABodyThatIsInItsShirt) { EXPECT_LT(glm::length(shift_of(shirt(), figure())), kRoom); }

TEST(Dressing, NeedsNoOrientationOfTheCloth) {
  const Obstacle body = moved_to(figure(), vec3(0, 0.09, 0));
  const vec3 expected = shift_of(shirt(), body);
  EXPECT_LT(glm::distance(shift_of(shirt(true), body), expected), 1e-9);
  // A lining with the other orientation: the winding numbers of all triangles add up to 0.
  ObjMesh lined = shirt(), lining = shirt(true);
  for (vec3& x : lining.vertices) x *= 0.99;
  append(lined, lining);
  EXPECT_LT(glm::distance(shift_of(lined, body), expected), 0.01);
}

TEST(Dressing, MovesAllMeshesTogetherAndNothingElse) {
  Scene scene = scene_with(moved_to(figure(), vec3(0, 0.09, 0)));
  scene.obstacles.bodies.push_back(moved_to(figure(), vec3(0, 0.1, 0)));
  scene.obstacles.bodies.push_back(parse_obstacle("sphere:1,2,3,0.1"));
  const auto [bodies, shift] = dress_bodies(one_thread(), scene, *built(shirt()));
  EXPECT_LT(shift.y, -0.05);
  EXPECT_EQ(bodies[0], moved_to(scene.obstacles.bodies[0], vec3(0, 0.09, 0) + shift));
  EXPECT_EQ(bodies[1], moved_to(scene.obstacles.bodies[1], vec3(0, 0.1, 0) + shift));
  EXPECT_EQ(bodies[2], scene.obstacles.bodies[2]);
}

TEST(Dressing, StartsFromTheInitialStateOfTheScene) {
  const auto mesh = built(shirt());
  Scene scene = scene_with(figure());
  std::vector<vec3> moved = mesh->source->vertices;
  for (vec3& x : moved) x.y += 0.09;
  scene.initial_state = InitialState{moved, std::vector<vec3>(moved.size(), vec3(0))};
  EXPECT_NEAR(dress_bodies(one_thread(), scene, *mesh).shift.y, 0.09, 2 * kRoom + 0.02);
}

TEST(Dressing, GivesTheSameBitsForAnyNumberOfThreads) {
  const Obstacle body = moved_to(figure(), vec3(0.03, -0.12, 0.05));
  WorkerPool three(3);
  EXPECT_EQ(dress_bodies(three, scene_with(body), *built(shirt())).shift, shift_of(shirt(), body));
}

TEST(Dressing, RefusesWhatCannotBeInside) {
  const auto refusal = [](const Scene& scene, const ObjMesh& cloth) -> std::string {
    try {
      dress_bodies(one_thread(), scene, *built(cloth));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal(scene_with(figure(20)), shirt()).find("do not fit into the cloth"), std::string::npos);
  EXPECT_NE(refusal(scene_with(moved_to(figure(), vec3(3, 0, 0))), shirt()).find("do not fit"),
            std::string::npos);
  ObjMesh small = shirt();  // inside the body
  for (vec3& x : small.vertices) x *= 0.1;
  EXPECT_NE(refusal(scene_with(figure()), small).find("do not fit"), std::string::npos);
  EXPECT_NE(refusal(scene_with(figure()), make_grid_obj(9, 9)).find("do not fit"), std::string::npos);
  Scene without = scene_with(figure());
  without.obstacles.bodies = {parse_obstacle("sphere:0,0,0,0.1")};
  EXPECT_NE(refusal(without, shirt()).find("There is no body to dress"), std::string::npos);
}

TEST(Dressing, CanBeCancelledAndReportsItsProgress) {
  const auto mesh = built(shirt());
  double last = 0;
  dress_bodies(one_thread(), scene_with(figure()), *mesh, [&](double fraction) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1);
    last = fraction;
  });
  EXPECT_GT(last, 0.8);
  for (const double until : {0.0, 0.4, 0.7})
    EXPECT_THROW(dress_bodies(one_thread(), scene_with(figure()), *mesh,
                              [&](double fraction) {
                                if (fraction >= until) throw Cancelled();
                              }),
                 Cancelled);
}

Obstacle read_body(const std::string& text) {
  Obstacle body = parse_obstacle(text);
  read_obstacle_meshes({&body, 1});
  return body;
}

TEST(Dressing, LeavesTheShirtOnTheDummy) {
  const std::string dummy = "mesh:0,0,0,1," + (source_dir() / "assets/dummy.obj").string();
  const auto mesh = built(find_generated_mesh("shirt").make());
  EXPECT_LT(glm::length(dress_bodies(one_thread(), scene_with(read_body(dummy)), *mesh).shift), 0.005);
}

/// Particles inside, and pairs of triangles of cloth and body.
struct Left {
  std::size_t particles = 0, pairs = 0;
};
Left left_of(const ClothMesh& mesh, const Obstacle& body) {
  const IntersectionList list = list_intersections(one_thread(), mesh, mesh.positions, {}, {&body, 1});
  return {list.particles.size(),
          static_cast<std::size_t>(std::ranges::count_if(
              list.pairs, [](const auto& pair) { return pair.surface != kClothItself; }))};
}

struct Sample {
  const char *cloth, *body;
  vec3 expected;
  std::size_t most_particles;
};

class DressingOfSamples : public ::testing::TestWithParam<Sample> {};

TEST_P(DressingOfSamples, PutsTheLimbsIntoTheGarment) {
  const auto& [cloth, body_text, expected, most_particles] = GetParam();
  const std::filesystem::path garment = shared_meshes() / cloth,
                              human = shared_meshes() / "human_base_quads_19158.obj";
  if (!std::filesystem::exists(garment) || !std::filesystem::exists(human)) {
    std::cerr << "WITHOUT " << garment << "; set CLOTHLAB_SHARED_MESHES to the folder of samples\n";
    GTEST_SKIP() << "no sample meshes";
  }
  std::string text = body_text;
  for (const auto& [name, path] : {std::pair{"HUMAN", human}, {"DUMMY", source_dir() / "assets/dummy.obj"}})
    if (const std::size_t at = text.find(name); at != std::string::npos) text.replace(at, 5, path.string());
  Scene scene = scene_with(read_body(text));
  scene.scale = 0.1;
  const auto mesh = built(read_obj_file(garment), scene);
  const auto [bodies, shift] = dress_bodies(one_thread(), scene, *mesh);
  const Left before = left_of(*mesh, scene.obstacles.bodies[0]), after = left_of(*mesh, bodies[0]);
  const std::string found = std::to_string(shift.x) + " " + std::to_string(shift.y) + " " +
                            std::to_string(shift.z) + ": " + std::to_string(before.particles) + " → " +
                            std::to_string(after.particles) + " particles, " + std::to_string(before.pairs) +
                            " → " + std::to_string(after.pairs) + " pairs";
  std::cerr << found << '\n';
  EXPECT_LT(glm::distance(shift, expected), 0.012) << found;
  EXPECT_LE(after.particles, most_particles) << found;
}

INSTANTIATE_TEST_SUITE_P(All, DressingOfSamples,
                         ::testing::Values(Sample{"dress_quads_2205.obj", "mesh:0,0,0,0.1,HUMAN#body",
                                                  vec3(0, -0.078, 0.002), 600},
                                           Sample{"dress_quads_2205.obj", "mesh:0.05,0.1,0.05,0.1,HUMAN#body",
                                                  vec3(-0.05, -0.178, -0.048), 600},
                                           Sample{"tshirt_1426.obj", "mesh:0,-0.15,0,1,DUMMY",
                                                  vec3(0, -0.025, 0.03), 5}));

}  // namespace
}  // namespace clothlab::testing
