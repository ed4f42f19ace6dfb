// SPDX-License-Identifier: MIT
// Bodies that contain cloth at the start grow to their size and carry it out.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collide/exact.h"
#include "documents/obstacle_meshes.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kGrowth = 0.5;  // [s]

// A triangle of 1 µm at x that moves as a point. Gravity presses it against the surface.
Scene point_scene(const std::string& body, const vec3& x, const vec3& normal) {
  Scene scene = loose_scene("semi-implicit-euler");
  scene.material.gravity = -9.8 * normal;
  scene.obstacles.bodies = {parse_obstacle(body)};
  scene.obstacles.grow = kGrowth;
  scene.dt = 1.0 / 60;
  scene.initial_state =
      InitialState{{x, x + vec3(1e-6, 0, 0), x + vec3(0, 0, 1e-6)}, std::vector<vec3>(3, vec3(0))};
  return scene;
}

std::shared_ptr<const ClothMesh> small_triangle() {
  ObjMesh obj;
  obj.vertices = {vec3(0), vec3(1e-6, 0, 0), vec3(0, 0, 1e-6)};
  obj.add_face(std::vector<ObjMesh::Corner>{{0}, {1}, {2}});
  return built(std::move(obj));
}

double inset_at(double depth, double passed) {
  return depth * (1 - passed) * (1 - passed) * (1 + 2 * passed);
}

// The mean speed of the surface in each step, along the normal, and nothing across.
TEST(Growth, CarriesAParticleOutAlongTheNormalAtTheRateOfTheOffset) {
  struct Case {
    const char* body;
    vec3 x, normal;
    double depth;
  };
  for (const auto& [body, x, normal, depth] :
       {Case{"sphere:0,0,0,0.3", vec3(0.12, 0.16, 0), vec3(0.6, 0.8, 0), 0.1},
        Case{"capsule:-1,0,0,1,0,0,0.2", vec3(0.2, 0.1, 0), vec3(0, 1, 0), 0.1},
        Case{"box:0,0,0,1,0.6,1", vec3(0.1, 0.2, 0.1), vec3(0, 1, 0), 0.1},
        Case{"cylinder:0,-1,0,0,1,0,0.3", vec3(0.12, 0, 0.16), vec3(0.6, 0, 0.8), 0.1}}) {
    Simulation simulation(point_scene(body, x, normal), small_triangle(), one_thread());
    const double h = simulation.scene().dt;
    for (int k = 1; k <= 30; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << body;
      const double before = inset_at(depth, (k - 1) * h / kGrowth), now = inset_at(depth, k * h / kGrowth);
      EXPECT_LT(glm::distance(simulation.state().v[0], (before - now) / h * normal), 1e-5) << body << k;
      EXPECT_NEAR(glm::dot(simulation.state().x[0] - x, normal), depth - now, 1e-6) << body << k;
    }
    EXPECT_NEAR(closest_point(simulation.scene().obstacles.bodies[0], simulation.state().x[0]).gap(), 0, 1e-6)
        << body;
    EXPECT_GE(least_gap(simulation), -1e-15) << body;
    EXPECT_EQ(simulation.obstacles()[0].inset, 0) << body;
  }
}

// What the surface does is the gain of kinetic energy and of height. Methods whose velocity is not the
// displacement over h have an error of their own where the surface slows down.
TEST(Growth, DoesWorkThatTheLedgerCounts) {
  const auto has_own_error = [](std::string_view id) {
    return std::ranges::count(std::array<std::string_view, 5>{"explicit-euler", "bdf2", "semi-implicit-bdf2",
                                                              "two-step", "xpbd"},
                              id) > 0;
  };
  for (const IntegratorInfo& info : tried_integrators()) {
    if (has_own_error(info.id)) continue;
    Scene scene = point_scene("box:0,0,0,1,0.6,1", vec3(0.1, 0.2, 0.1), vec3(0, 1, 0));  // a flat face
    scene.integrator = info.id;
    scene.material.mass = 1e-2;
    scene.material.stretch_stiffness = 1e-6;
    scene.material.spring_damping = 0;
    Simulation simulation(scene, small_triangle(), one_thread());
    const double at_start = simulation.record().energy.total;
    for (int k = 1; k <= 40; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << info.id;
      const StepRecord& record = simulation.record();
      EXPECT_NEAR(record.ledger.contact, record.energy.total - at_start, 1e-13) << info.id << k;
      EXPECT_NEAR(record.ledger.method, 0, 1e-13) << info.id << k;
      ASSERT_GE(least_gap(simulation), -1e-15) << info.id << k;
    }
  }
}

// A sheet that lies across a ball of triangles, above its middle.
Scene sheet_in_ball(ContactModel model) {
  Scene scene;
  scene.pins = PinPreset::none;
  scene.dt = 1.0 / 60;
  scene.contact.model = model;
  const std::string ball = (source_dir() / "assets/ball.obj").string();
  scene.obstacles.bodies = {parse_obstacle("mesh:0.5,-0.12,0.5,1," + ball)};
  read_obstacle_meshes(scene.obstacles.bodies);
  scene.obstacles.grow = kGrowth;
  return scene;
}

std::size_t intersections_of(const Simulation& simulation) {
  return test::exact_intersections(simulation.mesh().triangles, simulation.state().x,
                                   simulation.scene().obstacles.bodies);
}

TEST(Growth, PutsASheetThroughABallOutside) {
  const auto sheet = grid_mesh(30, 30);
  for (const ContactModelInfo& info : kContactModels) {
    Simulation simulation(sheet_in_ball(info.model), sheet, one_thread());
    EXPECT_GT(intersections_of(simulation), 20U) << info.id;
    ASSERT_EQ(simulation.notices().list()->size(), 1U) << info.id;
    const Notice grows = simulation.notices().list()->front();
    EXPECT_EQ(grows.cause, NoticeCause::bodies_grow) << info.id;
    EXPECT_TRUE(
        grows.text.starts_with("Cloth is inside bodies, which start smaller and grow to their size until "
                               "500 ms: obstacle 1 (mesh): "))
        << grows.text;
    EXPECT_TRUE(grows.text.ends_with(" deep. Contact with bodies is nodal meanwhile.")) << grows.text;
    ASSERT_EQ(run(simulation, 30), 30) << info.id;
    EXPECT_GE(least_gap(simulation), -1e-15) << info.id;
    ASSERT_EQ(simulation.notices().list()->size(), 2U) << info.id;
    const Notice& grown = simulation.notices().list()->back();
    EXPECT_EQ(grown.cause, NoticeCause::bodies_grown) << info.id;
    EXPECT_EQ(grown.step, 30U) << info.id;
    if (info.model == ContactModel::filter) {  // edges between particles on the ball are inside
      EXPECT_TRUE(grown.text.starts_with(
          "The bodies have grown to their size. Still intersecting: obstacle 1 (mesh): "))
          << grown.text;
      EXPECT_TRUE(grown.text.ends_with(
          "Only particles collide by nodal contact; use contact by penalty, impulse or barrier."))
          << grown.text;
      continue;
    }
    EXPECT_EQ(grown.text, "The bodies have grown to their size: nothing intersects.") << info.id;
    EXPECT_EQ(intersections_of(simulation), 0U) << info.id;
    if (info.model == ContactModel::penalty) continue;
    ASSERT_EQ(run(simulation, 30), 30) << info.id;
    EXPECT_EQ(intersections_of(simulation), 0U) << info.id;
  }
}

// A sheet with pinned corners, one of them inside a ball as long as it stays there.
Scene pin_in_sphere(ContactModel model) {
  Scene scene;
  scene.pins = PinPreset::corners;
  scene.integrator = "backward-euler";
  scene.dt = 1.0 / 60;
  scene.contact.model = model;
  scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.15,0.5,0.2"),
                            parse_obstacle("sphere:0,-0.2,0,0.2")};
  scene.obstacles.grow = 0.1;
  return scene;
}

TEST(Growth, ReportsABarrierThatCannotBegin) {
  Simulation simulation(pin_in_sphere(ContactModel::barrier), grid_mesh(10, 10), one_thread());
  ASSERT_EQ(run(simulation, 10), 10);
  ASSERT_EQ(simulation.notices().list()->size(), 2U);
  const std::string& text = simulation.notices().list()->back().text;
  EXPECT_TRUE(
      text.starts_with("The bodies have grown to their size: nothing intersects. Contact with bodies stays "
                       "nodal until it can (Vertex 0 is on obstacle 2 (sphere)"))
      << text;
  EXPECT_TRUE(text.ends_with("; then contact by barrier begins.")) << text;
}

// Particles are outside, and one triangle reaches through the ball. The barrier would add 29 J.
TEST(Growth, ABarrierWaitsForTriangles) {
  Scene scene = sheet_in_ball(ContactModel::barrier);
  scene.contact.points = ContactPoints::triangles;
  scene.obstacles.bodies = {parse_obstacle("sphere:0.5,0,0.5,0.2")};
  scene.obstacles.grow = 0.2;
  Simulation simulation(scene, grid_mesh(16, 16), one_thread());
  ASSERT_EQ(run(simulation, 12), 12);
  const std::string& text = simulation.notices().list()->back().text;
  EXPECT_TRUE(
      text.starts_with("The bodies have grown to their size. Contact with bodies stays nodal until it "
                       "can (triangles are up to "))
      << text;
  const double before = simulation.record().energy.total;
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(run(simulation, 1), 1);
    EXPECT_LT(simulation.record().energy.total, before + 0.1);
  }
}

TEST(Growth, AChangeOfFrictionDoesNotEndTheWait) {
  Scene scene = pin_in_sphere(ContactModel::impulse);
  scene.obstacles.bodies[1] = parse_obstacle("sphere:0.05,0.05,0.05,0.2");
  Simulation simulation(scene, grid_mesh(10, 10), one_thread());
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_LT(simulation.obstacles()[0].inset, 0) << "it waits: a pin is inside";
  simulation.apply(one_thread(), SetParameter{"friction", 0.5});
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_LT(simulation.obstacles()[0].inset, 0);
  EXPECT_EQ(simulation.obstacles()[0].inset, simulation.obstacles()[1].inset);
}

TEST(Growth, OfAnotherBodyIsReportedToo) {
  Scene scene = pin_in_sphere(ContactModel::filter);
  scene.obstacles.bodies.pop_back();
  Simulation simulation(scene, grid_mesh(10, 10), one_thread());
  ASSERT_EQ(run(simulation, 10), 10);
  ASSERT_EQ(simulation.notices().list()->size(), 2U);
  Obstacles more = simulation.scene().obstacles;
  more.bodies.push_back(moved_to(more.bodies[0], simulation.state().x[94]));
  simulation.apply(one_thread(), SetObstacles{more.bodies});
  ASSERT_EQ(run(simulation, 10), 10);
  ASSERT_EQ(simulation.notices().list()->size(), 2U);
  EXPECT_EQ(simulation.notices().list()->front().step, 10U);
  EXPECT_GT(simulation.notices().list()->back().step, 10U);
}

TEST(Growth, BeforeItsStartIsThatOfTheStart) {
  ObstacleMoves moves;
  moves.grow(0, 0.1, 0.02, 1, 0.5);
  EXPECT_EQ(moves.inset(0, 0.1), moves.inset(0, 1));
  EXPECT_DOUBLE_EQ(moves.inset(0, 1), 0.1);
}

TEST(Growth, IsRefusedWithDistances) {
  Scene scene = pin_in_sphere(ContactModel::penalty);
  ParticleGroup& bar = scene.groups.emplace_back();
  bar.name = "bar";
  bar.vertices = {44, 46};
  scene.drivers.push_back({.group = "bar", .action = GroupDistance{}});
  EXPECT_THROW(check_contact(scene), InputError);
  scene.obstacles.grow = 0;
  check_contact(scene);
}

TEST(Growth, ContactByImpulseAndBarrierBeginsAfterwards) {
  const auto sheet = grid_mesh(30, 30);
  for (const ContactModel model : {ContactModel::impulse, ContactModel::barrier}) {
    Scene scene = sheet_in_ball(model);
    Simulation simulation(scene, sheet, one_thread());
    ASSERT_EQ(run(simulation, 29), 29);
    EXPECT_NE(simulation.obstacles()[0].inset, 0);
    EXPECT_TRUE(simulation.contact().force().empty());
    ASSERT_EQ(run(simulation, 1), 1);
    EXPECT_EQ(simulation.obstacles()[0].inset, 0);
    if (model == ContactModel::impulse)
      EXPECT_GT(simulation.contact().thickness(), 0);
    else
      EXPECT_TRUE(simulation.contact().force().limits_displacements());
  }
}

/// Of a run that is resumed from a checkpoint after `before` steps, for `after` more.
void expect_same_bits(const Scene& scene, const std::shared_ptr<const ClothMesh>& mesh, int before,
                      int after) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 4}) {
    WorkerPool pool(threads);
    Simulation simulation(scene, mesh, pool), resumed(scene, mesh, pool);
    ASSERT_EQ(run(simulation, before, pool), before);
    Checkpoint moment;
    simulation.save(pool, moment);
    resumed.load(pool, through_numbers(moment));
    for (std::size_t k = 0; k < scene.obstacles.bodies.size(); ++k)
      EXPECT_EQ(resumed.obstacles()[k].inset, simulation.obstacles()[k].inset);
    ASSERT_EQ(run(simulation, after, pool), after);
    ASSERT_EQ(run(resumed, after, pool), after);
    const std::uint64_t hash = state_hash(simulation.state());
    EXPECT_EQ(state_hash(resumed.state()), hash) << threads;
    if (first == 0) first = hash;
    EXPECT_EQ(hash, first) << threads;
  }
}

TEST(Growth, GivesTheSameBitsForAnyNumberOfThreadsAndFromACheckpoint) {
  for (const ContactModelInfo& info : kContactModels) {
    SCOPED_TRACE(info.id);
    const Scene scene = sheet_in_ball(info.model);
    Simulation simulation(scene, grid_mesh(20, 20), one_thread());
    ASSERT_EQ(run(simulation, 12), 12);
    EXPECT_GT(simulation.obstacles()[0].inset, 0) << "it has grown";
    expect_same_bits(scene, grid_mesh(20, 20), 12, 23);
  }
}

// A needle that no particle is near: growth carries nothing out, and the notice names the pairs.
TEST(Growth, NamesWhatIsLeft) {
  Scene scene = sheet_in_ball(ContactModel::impulse);
  scene.obstacles.bodies[0].scale = 0.05;
  scene.obstacles.bodies[0].from = scene.obstacles.bodies[0].to = vec3(0.5, 0, 0.5);
  Simulation simulation(scene, grid_mesh(4, 4), one_thread());
  run(simulation, 1);
  EXPECT_TRUE(contains(*simulation.notices().list(), NoticeCause::intersections));
  EXPECT_FALSE(contains(*simulation.notices().list(), NoticeCause::bodies_grown));
}

// A sheet and above it another one with a bump that reaches 4 mm through it.
std::shared_ptr<const ClothMesh> sheets_with_a_bump() {
  constexpr std::uint32_t kCells = 16;
  ObjMesh obj;
  for (const bool upper : {false, true})
    for (std::uint32_t i = 0; i <= kCells; ++i)
      for (std::uint32_t j = 0; j <= kCells; ++j) {
        const double a = i / 16.0 - 0.5, b = j / 16.0 - 0.5;
        obj.vertices.push_back(
            upper ? vec3(0.9 * a, 0.02 - 0.024 * std::exp(-(a * a + b * b) / 0.02), 0.9 * b) : vec3(a, 0, b));
      }
  const auto corner = [](std::uint32_t i) { return ObjMesh::Corner{static_cast<int>(i)}; };
  for (const std::uint32_t first : {0U, (kCells + 1) * (kCells + 1)})
    for (std::uint32_t i = 0; i < kCells; ++i)
      for (std::uint32_t j = 0; j < kCells; ++j) {
        const std::uint32_t a = first + i * (kCells + 1) + j, b = a + kCells + 1;
        obj.add_face(std::vector<ObjMesh::Corner>{corner(a), corner(a + 1), corner(b)});
        obj.add_face(std::vector<ObjMesh::Corner>{corner(a + 1), corner(b + 1), corner(b)});
      }
  return built(std::move(obj));
}

Scene crossed_scene(ContactModel model) {
  Scene scene;
  scene.pins = PinPreset::none;
  scene.material.gravity = vec3(0);
  scene.dt = 1.0 / 60;
  scene.contact.model = model;
  scene.obstacles.grow = 0.2;
  return scene;
}

TEST(Growth, MovesClothThatIntersectsItselfApart) {
  for (const ContactModel model : {ContactModel::impulse, ContactModel::barrier}) {
    Simulation simulation(crossed_scene(model), sheets_with_a_bump(), one_thread());
    const auto id = info_of(model).id;
    ASSERT_GT(intersections_of(simulation), 10U) << id;
    ASSERT_EQ(simulation.notices().list()->size(), 1U) << id;
    const std::string begins = simulation.notices().list()->front().text;
    EXPECT_TRUE(begins.starts_with("The cloth intersects itself: ")) << begins;
    EXPECT_TRUE(begins.ends_with(" pairs of triangles. It moves apart until 200 ms; then contact by " +
                                 std::string(id) + " begins."))
        << begins;
    const double at_start = simulation.record().energy.total;
    ASSERT_EQ(run(simulation, 12), 12) << id;
    EXPECT_EQ(intersections_of(simulation), 0U) << id;
    EXPECT_EQ(simulation.notices().list()->back().text, "The cloth has moved apart: nothing intersects.")
        << id;
    EXPECT_EQ(simulation.contact().force().limits_displacements(), model == ContactModel::barrier) << id;
    const StepRecord& record = simulation.record();
    EXPECT_GT(record.ledger.contact, 0) << id << ": the springs have the work";
    EXPECT_NEAR(record.ledger.sum(), record.energy.total - at_start, 1e-12) << id;
    EXPECT_LE(record.ledger.spurious(), 1e-3 * record.ledger.contact) << id;
    ASSERT_EQ(run(simulation, 30), 30) << id;
    EXPECT_EQ(intersections_of(simulation), 0U) << id;
  }
}

// A step moves it by less than the bump reaches through.
TEST(Growth, NamesClothThatHasNotMovedApart) {
  for (const ContactModel model : {ContactModel::impulse, ContactModel::barrier}) {
    Scene scene = crossed_scene(model);
    scene.dt = scene.obstacles.grow = 1.0 / 600;
    for (const bool beside_a_body : {false, true}) {
      if (beside_a_body) scene.obstacles.bodies = {parse_obstacle("sphere:0,-1,0,0.2")};
      Simulation simulation(scene, sheets_with_a_bump(), one_thread());
      ASSERT_EQ(run(simulation, 1), 1);
      const std::string& text = simulation.notices().list()->back().text;
      EXPECT_TRUE(text.starts_with("Still intersecting: the cloth itself: ")) << text;
      const std::string id(info_of(model).id);
      EXPECT_TRUE(text.ends_with(
          beside_a_body
              ? "Contact with bodies stays nodal until nothing intersects; then contact by " + id + " begins."
              : "Contact by " + id + " begins when nothing intersects."))
          << text;
    }
  }
}

TEST(Growth, LeavesClothThatDoesNotCollideWithItself) {
  Scene scene = crossed_scene(ContactModel::impulse);
  scene.self_contact = false;
  Simulation simulation(scene, sheets_with_a_bump(), one_thread());
  ASSERT_EQ(run(simulation, 3), 3);
  EXPECT_GT(intersections_of(simulation), 10U);
}

TEST(Growth, OfCrossedClothGivesTheSameBitsForAnyNumberOfThreadsAndFromACheckpoint) {
  for (const ContactModel model : {ContactModel::impulse, ContactModel::barrier}) {
    SCOPED_TRACE(info_of(model).id);
    expect_same_bits(crossed_scene(model), sheets_with_a_bump(), 1, 15);
  }
}

// 40 pairs of triangles of its collar and its pockets intersect.
TEST(Growth, MovesTheClothOfADressApart) {
  const std::filesystem::path file = shared_meshes() / "dress_quads_2205.obj";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is missing";
  Scene scene = crossed_scene(ContactModel::impulse);
  scene.scale = 0.1;
  const auto mesh = built(read_obj_file(file), scene);
  Simulation simulation(scene, mesh, one_thread());
  EXPECT_EQ(intersections_of(simulation), 40U);
  ASSERT_EQ(run(simulation, 15), 15);
  EXPECT_EQ(intersections_of(simulation), 0U);
}

TEST(Growth, BeginsAnewWhenABodyIsPlacedAndAfterAReset) {
  const auto sheet = grid_mesh(6, 6);
  Scene scene;
  scene.material.stretch_stiffness = 50;
  scene.obstacles.grow = kGrowth;
  Simulation simulation(scene, sheet, one_thread());
  run(simulation, 5);
  simulation.apply(one_thread(), SetObstacles{{parse_obstacle("sphere:0.5,-0.1,0.5,0.2")}});
  const double depth = simulation.obstacles()[0].inset;
  EXPECT_GT(depth, 0.02);
  EXPECT_GE(least_gap(simulation), -1e-15);
  run(simulation, 10);
  EXPECT_LT(simulation.obstacles()[0].inset, depth);
  simulation.apply(one_thread(), SetParameter{"grow-bodies", 0});
  EXPECT_EQ(simulation.obstacles()[0].inset, 0);
  simulation.apply(one_thread(), SetParameter{"grow-bodies", 1});
  EXPECT_GT(simulation.obstacles()[0].inset, 0);
  simulation.apply(one_thread(), Reset{});
  EXPECT_GT(simulation.obstacles()[0].inset, 0);
}

// D follows from the time: a run that continues from an earlier state has the body as small as it was then.
TEST(Growth, ReturnsWithTheTime) {
  const Scene scene = sheet_in_ball(ContactModel::impulse);
  Simulation simulation(scene, grid_mesh(20, 20), one_thread());
  ASSERT_EQ(run(simulation, 10), 10);
  const State then = simulation.state();
  const double inset = simulation.obstacles()[0].inset;
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_LT(simulation.obstacles()[0].inset, inset);
  simulation.restore(one_thread(), then, 10);
  EXPECT_EQ(simulation.obstacles()[0].inset, inset);
  ASSERT_EQ(run(simulation, 20), 20);
  EXPECT_EQ(intersections_of(simulation), 0U);
  EXPECT_EQ(simulation.obstacles()[0].inset, 0);
  simulation.restore(one_thread(), then, 10);  // after the growth it begins again
  EXPECT_NEAR(simulation.obstacles()[0].inset, inset, 0.01);
}

TEST(Growth, RefusesATimeOutOfItsRange) {
  Scene scene;
  for (const double wrong : {-1.0, 101.0})
    EXPECT_EQ(refusal([&] { set_parameter(scene, "grow-bodies", wrong); }),
              "grow-bodies: " + std::string(wrong < 0 ? "-1" : "101") +
                  " is not allowed; it must be a number from 0 to 100 s.");
}

}  // namespace
}  // namespace clothlab::testing
