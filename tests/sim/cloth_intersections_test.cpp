// SPDX-License-Identifier: MIT
// What of a cloth intersects itself or mesh obstacles, and the sentence about it.

#include "sim/cloth_intersections.h"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "collide/mesh_body.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

// A triangle that stands across the sheet of 3 × 3 particles, at the places of two of its bodies.
Obstacle fin(const vec3& at) {
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = at;
  body.scale = 0.01;
  body.mesh.surface =
      std::make_shared<const TriangleSurface>(std::vector<vec3>{{0, -10, 0}, {20, 0, 0}, {0, 10, 0}},
                                              std::vector<TriangleSurface::Triangle>{{0, 1, 2}});
  return turned(body, vec3(0, 0, 180));  // towards -x
}

TEST(ClothIntersections, AreCountedWithThoseOfMeshObstacles) {
  const auto mesh = grid_mesh(3, 3);
  WorkerPool pool(2);
  std::vector<vec3> x = mesh->positions;
  EXPECT_EQ(text_of(find_intersections(pool, *mesh, x, {}), "now"), "");

  Obstacle sphere;  // has no triangles
  const std::vector<Obstacle> bodies{sphere, fin({0.3, 0, 0.05}), fin({5, 0, 0})};
  const ClothIntersections cut = find_intersections(pool, *mesh, x, bodies);
  EXPECT_EQ(cut.pairs, 1U);
  EXPECT_EQ(cut.with_obstacles, 1U);
  EXPECT_EQ(text_of(cut, "now"), "1 pair of triangles intersects now, of cloth and obstacle");
  ASSERT_EQ(cut.triangles.size(), 1U);
  EXPECT_EQ(names_of_first(cut),
            "triangle " + std::to_string(cut.triangles[0]) + " of the cloth and 0 of obstacle 2");

  x[8] = vec3(0.2, 0.1, 0.3);  // the corner bent back, through the opposite one
  x[7] = vec3(0.25, -0.2, 0.3);
  const ClothIntersections both = find_intersections(pool, *mesh, x, bodies);
  EXPECT_GT(both.pairs, 1U);
  EXPECT_EQ(both.with_obstacles, 1U);
  EXPECT_EQ(text_of(both, "at the start"),
            std::to_string(both.pairs) +
                " pairs of triangles intersect at the start, 1 of them of cloth and obstacle");
  for (const std::uint32_t t : both.triangles) EXPECT_LT(t, mesh->triangles.size());
}

// Bodies stay where they have gone to when the cloth goes back to its last sound state.
TEST(ClothIntersections, AreToldWhereARunGoesOnWithSome) {
  WorkerPool pool(1);
  Scene scene;
  scene.contact.model = ContactModel::impulse;
  scene.obstacles.bodies = {fin({5, 0, 0})};
  scene.obstacles.bodies[0].mesh.path = std::make_shared<const std::string>("fin.obj");
  Simulation simulation(scene, grid_mesh(3, 3), pool);
  simulation.apply(pool, RestoreGoodState{});
  EXPECT_THAT(*simulation.notices().list(), ::testing::IsEmpty());
  SetObstacles moved{scene.obstacles.bodies};
  moved.bodies[0].from = moved.bodies[0].to = vec3(0.3, 0, 0.05);
  simulation.apply(pool, moved);
  simulation.apply(pool, RestoreGoodState{});
  ASSERT_EQ(simulation.notices().list()->size(), 1U);
  EXPECT_EQ(simulation.notices().list()->front().text,
            "1 pair of triangles intersects now, of cloth and obstacle; contact by impulse cannot undo that. "
            "Separate "
            "them, or use contact by filter or penalty.");
}

TEST(ClothIntersections, AreToldWhereABodyIsAdded) {
  WorkerPool pool(1);
  Simulation simulation(Scene(), grid_mesh(3, 3), pool);
  Obstacle body = fin({0.3, 0, 0.05});
  body.mesh.path = std::make_shared<const std::string>("fin.obj");
  simulation.apply(pool, SetObstacles{{body}});
  const NoticeLog::List& notices = *simulation.notices().list();
  const auto found = std::ranges::find(notices, NoticeCause::intersections, &Notice::cause);
  ASSERT_NE(found, notices.end());
  EXPECT_THAT(found->text, ::testing::StartsWith("1 pair of triangles intersects now, of cloth and obstacle; "
                                                 "contact by filter may not undo that"));
}

// What lies in a mesh's rounding is not inside what is drawn of it.
TEST(ClothIntersections, OfParticlesAreInsideWhatIsVisible) {
  WorkerPool pool(1);
  const auto mesh = grid_mesh(3, 3);
  const Obstacle body = test::angle_body(vec3(-1, 0, -1), 4);
  ASSERT_GT(rounding_of(body), 0.01);
  const auto inside_at = [&](double height) {
    std::vector<vec3> x(mesh->positions.begin(), mesh->positions.end());
    for (vec3& at : x) at = vec3(at.x, height, at.z);
    return list_intersections(pool, *mesh, x, Floor{}, std::span(&body, 1)).particles;
  };
  EXPECT_THAT(inside_at(-0.001), ::testing::IsEmpty());
  const auto below = inside_at(0.002);
  ASSERT_EQ(below.size(), 9U);
  for (const auto& particle : below) EXPECT_NEAR(particle.depth, 0.002, 1e-12);
}

// Once per run, by every model that does not refuse it, and again after a reset.
TEST(ClothIntersections, OfTheStartAreANotice) {
  WorkerPool pool(1);
  Scene scene;
  scene.obstacles.bodies = {fin({0.3, 0, 0.05})};
  for (const ContactModel model : {ContactModel::filter, ContactModel::penalty, ContactModel::impulse}) {
    scene.contact.model = model;
    Simulation simulation(scene, grid_mesh(3, 3), pool);
    for (const bool after_a_reset : {false, true}) {
      if (after_a_reset) simulation.apply(pool, Reset{});
      const NoticeLog::List& notices = *simulation.notices().list();
      const auto found = std::ranges::find(notices, NoticeCause::intersections, &Notice::cause);
      ASSERT_NE(found, notices.end()) << info_of(model).id;
      EXPECT_EQ(found->step, 0U);
      EXPECT_THAT(found->text,
                  ::testing::StartsWith("1 pair of triangles intersects at the start, of cloth and "
                                        "obstacle; contact by " +
                                        std::string(info_of(model).id)));
    }
  }
}

}  // namespace
}  // namespace clothlab::testing
