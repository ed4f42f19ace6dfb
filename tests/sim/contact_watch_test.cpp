// SPDX-License-Identifier: MIT
// What a run reports of contact that does not keep cloth out of obstacles.

#include "sim/contact_watch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "sim/checkpoint.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

using ::testing::HasSubstr, ::testing::IsEmpty;

std::string text_of_notice(const Simulation& simulation, NoticeCause cause) {
  const auto& list = *simulation.notices().list();
  const auto found = std::ranges::find(list, cause, &Notice::cause);
  return found == list.end() ? std::string() : text_with_step(*found);
}

/// A loose sheet of 1 m × 1 m on y = 0.
Scene sheet_over(std::string_view obstacle, int side = 20) {
  Scene scene;
  scene.mesh = GridSource{side, side, 1, 1};
  scene.pins = PinPreset::none;
  if (!obstacle.empty()) scene.obstacles.bodies = {parse_obstacle(obstacle)};
  return scene;
}

/// A ball around the origin; without the first `missing` triangles around its pole.
std::shared_ptr<const TriangleSurface> ball(double radius, int missing) {
  constexpr std::uint32_t kRings = 12, kSides = 18;
  std::vector<vec3> corners{{0, radius, 0}};
  std::vector<TriangleSurface::Triangle> triangles;
  for (std::uint32_t ring = 1; ring < kRings; ++ring)
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const double theta = std::numbers::pi * ring / kRings, phi = 2 * std::numbers::pi * side / kSides;
      corners.push_back(
          radius * vec3(std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi)));
    }
  corners.push_back(vec3(0, -radius, 0));
  const auto at = [](std::uint32_t ring, std::uint32_t side) {
    return 1 + (ring - 1) * kSides + side % kSides;
  };
  for (std::uint32_t side = 0; side < kSides; ++side) {
    triangles.push_back({0, at(1, side + 1), at(1, side)});
    for (std::uint32_t ring = 1; ring + 1 < kRings; ++ring) {
      triangles.push_back({at(ring, side), at(ring, side + 1), at(ring + 1, side)});
      triangles.push_back({at(ring, side + 1), at(ring + 1, side + 1), at(ring + 1, side)});
    }
    triangles.push_back(
        {static_cast<std::uint32_t>(corners.size() - 1), at(kRings - 1, side), at(kRings - 1, side + 1)});
  }
  triangles.erase(triangles.begin(), triangles.begin() + missing);
  return std::make_shared<const TriangleSurface>(std::move(corners), std::move(triangles));
}

Scene sheet_over_ball(int missing) {
  Scene scene = sheet_over("");
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = vec3(0.5, -0.7, 0.5);
  body.mesh.path = std::make_shared<const std::string>("ball.obj");
  body.mesh.surface = ball(0.3, missing);
  scene.obstacles.bodies = {body};
  return scene;
}

std::size_t particles_within(const Simulation& simulation, const vec3& centre, double radius) {
  return static_cast<std::size_t>(std::ranges::count_if(
      simulation.state().x, [&](const vec3& x) { return glm::distance(x, centre) < radius; }));
}

/// Particles below y = `level`.
std::size_t particles_below(const Simulation& simulation, double level) {
  return static_cast<std::size_t>(
      std::ranges::count_if(simulation.state().x, [&](const vec3& x) { return x.y < level; }));
}

// ---- Starts

TEST(Overlap, AtTheStartIsReportedForEveryShape) {
  for (const char* body :
       {"sphere:0.5,0.05,0.5,0.2", "capsule:0.2,-0.05,0.5,0.8,-0.05,0.5,0.15", "plane:0,1,0,0.1",
        "box:0.5,0,0.5,0.4,0.2,0.4", "cylinder:0.5,-0.1,0.5,0.5,0.1,0.5,0.3"})
    for (const ContactModel model : {ContactModel::filter, ContactModel::penalty, ContactModel::impulse}) {
      Scene scene = sheet_over(body);
      scene.contact.model = model;
      const Simulation simulation(scene, mesh_of(scene), one_thread());
      std::size_t inside = 0;
      double deepest = 0;
      for (const vec3& x : simulation.state().x) {
        const SurfacePoint place = closest_point(scene.obstacles.bodies[0], x);
        const double depth = place.level - place.height;
        inside += depth > 1e-5 ? 1U : 0U;
        deepest = std::max(deepest, depth);
      }
      ASSERT_GT(inside, 0U);
      EXPECT_THAT(
          text_of_notice(simulation, NoticeCause::overlap),
          HasSubstr("Start: " + std::to_string(inside) + " of 400 particles are inside surfaces, up to " +
                    format_quantity(deepest, "m") + " deep in obstacle 1 (" +
                    std::string(name_of(scene.obstacles.bodies[0].shape)) + ")."))
          << body;
    }
}

TEST(Overlap, OfPinsAndOfClothOnASurfaceIsNone) {
  Scene scene = sheet_over("sphere:0,0,0,0.03");
  scene.pins = PinPreset::corners;
  scene.floor = {true, 0, 0.3};
  EXPECT_THAT(*Simulation(scene, mesh_of(scene), one_thread()).notices().list(), IsEmpty());
  scene.pins = PinPreset::none;
  EXPECT_THAT(text_of_notice(Simulation(scene, mesh_of(scene), one_thread()), NoticeCause::overlap),
              HasSubstr("1 of 400"));
}

TEST(Overlap, IsReportedWhereASurfaceMovesIntoTheClothAndAfterEveryReset) {
  Scene scene = sheet_over("");
  scene.floor = {true, -0.1, 0.3};
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 2), 2);
  EXPECT_THAT(*simulation.notices().list(), IsEmpty());
  simulation.apply(one_thread(), SetParameter{"floor-height", 0.1});
  EXPECT_THAT(text_of_notice(simulation, NoticeCause::overlap),
              HasSubstr("Step 2: 400 of 400 particles are inside surfaces, up to 108 mm deep in the floor"));
  for (int k = 0; k < 2; ++k) {
    simulation.apply(one_thread(), Reset{});
    EXPECT_THAT(text_of_notice(simulation, NoticeCause::overlap), HasSubstr("Start: 400 of 400")) << k;
  }
}

TEST(Overlap, RefusedByABarrierNamesOtherModels) {
  Scene scene = sheet_over("sphere:0.5,0.05,0.5,0.2");
  scene.contact.model = ContactModel::barrier;
  EXPECT_THAT(refusal([&] { Simulation(scene, mesh_of(scene), one_thread()); }),
              HasSubstr("or use contact by filter or penalty"));
}

// ---- Methods

TEST(ContactNotices, NameMethodsThatGainEnergyOnLanding) {
  Scene scene = sheet_over("");
  scene.integrator = "generalized-alpha";
  Simulation free(scene, mesh_of(scene), one_thread());
  EXPECT_THAT(*free.notices().list(), IsEmpty());
  scene.floor = {true, -0.1, 0.3};
  free.apply(one_thread(), SetParameter{"floor-height", -0.1});
  free.apply(one_thread(), SetParameter{"floor", 1});
  for (const std::string& text :
       {text_of_notice(free, NoticeCause::unstable_contact),
        text_of_notice(Simulation(scene, mesh_of(scene), one_thread()), NoticeCause::unstable_contact)})
    EXPECT_THAT(text, ::testing::AllOf(HasSubstr("Generalized-α gains energy"), HasSubstr("BDF2")));
  scene.substeps = 5;
  Simulation short_steps(scene, mesh_of(scene), one_thread());
  EXPECT_THAT(*short_steps.notices().list(), IsEmpty());
  short_steps.apply(one_thread(), SetParameter{"substeps", 2});
  EXPECT_TRUE(short_steps.notices().has(NoticeCause::unstable_contact));
  scene.substeps = 1;
  scene.integrator = "bdf2";
  EXPECT_THAT(*Simulation(scene, mesh_of(scene), one_thread()).notices().list(), IsEmpty());
}

TEST(Strain, AboveOneHalfIsReportedByEveryMethod) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = sheet_over("", 4);
    scene.pins = PinPreset::corners;
    scene.integrator = info.id;
    scene.dt = 1e-3;
    scene.energy_limit = kInfinity;
    const auto mesh = mesh_of(scene);
    scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(mesh->positions.size(), vec3(0))};
    Simulation simulation(scene, mesh, one_thread());
    EXPECT_FALSE(simulation.notices().has(NoticeCause::large_strain)) << info.id;
    simulation.apply(one_thread(), MovePins{{{0, vec3(-1, 0, -1)}}, 0});
    ASSERT_EQ(run(simulation, 1), 1) << info.id;
    if (info.inextensible) continue;  // rods follow
    EXPECT_THAT(text_of_notice(simulation, NoticeCause::large_strain),
                HasSubstr("Step 1: A stretch spring was"))
        << info.id;
  }
}

// ---- Passages

TEST(Tunnelling, IsReportedWithACureThatHelps) {
  for (const auto& [board, steps] :
       {std::pair("box:0.5,-0.995,0.5,1.5,0.05,1.5", 40), std::pair("box:0.5,-0.1,0.5,1.5,0.001,1.5", 20)}) {
    const double top = parse_obstacle(board).from.y;
    Scene scene = sheet_over(board);
    Simulation held(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(held, steps), steps);
    EXPECT_EQ(particles_below(held, top), 0U) << "solved within the step";
    EXPECT_THAT(*held.notices().list(), IsEmpty());

    scene.contact.model = ContactModel::penalty;
    scene.contact.stiffness = 1;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, steps), steps);
    ASSERT_EQ(particles_below(simulation, top), 400U) << "the cloth is lost";
    const std::string text = text_of_notice(simulation, NoticeCause::tunnelling);
    EXPECT_THAT(text, HasSubstr("400 of 400 particles passed through obstacle 1 (box) in this step"));
    EXPECT_THAT(text, HasSubstr("Use a larger contact stiffness, a thicker obstacle, or contact by barrier"));
    EXPECT_THAT(text_of_notice(simulation, NoticeCause::behind_obstacle), HasSubstr("400 of 400"));

    scene.contact.stiffness = Contact().stiffness;
    Simulation cured(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(cured, steps), steps);
    EXPECT_EQ(particles_below(cured, top), 0U) << text;
    EXPECT_THAT(*cured.notices().list(), IsEmpty());

    scene.contact.model = ContactModel::barrier;
    Simulation barrier(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(barrier, steps), steps);
    EXPECT_EQ(particles_below(barrier, top), 0U);
    EXPECT_FALSE(barrier.notices().has(NoticeCause::tunnelling));
  }
}

/// Factors of the default stiffnesses of stretch springs and of contact by penalty.
struct Stiffness {
  ContactModel model;
  double stretch = 1, penalty = 1;

  void apply(Scene& scene) const {
    scene.contact.model = model;
    scene.contact.stiffness *= penalty;
    scene.material.stretch_stiffness *= stretch;
  }
  std::string text() const {
    return std::string(info_of(model).id) + ", stretch " + std::to_string(stretch) + ", penalty " +
           std::to_string(penalty);
  }
};

std::vector<Stiffness> stiffnesses(std::initializer_list<ContactModel> models) {
  std::vector<Stiffness> all;
  for (const ContactModel model : models)
    for (const double stretch : {0.1, 1.0, 10.0}) {
      if (kSlowdown > 1 && stretch != 1) continue;
      if (model != ContactModel::penalty) all.push_back({model, stretch});
      if (model == ContactModel::penalty)
        for (const double penalty : {0.3, 1.0, 3.0}) all.push_back({model, stretch, penalty});
    }
  return all;
}

TEST(Tunnelling, ThroughBoardsIsNoneAtOtherStiffnesses) {
  for (const auto& [board, steps] :
       {std::pair("box:0.5,-0.995,0.5,1.5,0.05,1.5", 40), std::pair("box:0.5,-0.1,0.5,1.5,0.001,1.5", 20)})
    for (const Stiffness& stiffness : stiffnesses(
             {ContactModel::filter, ContactModel::penalty, ContactModel::impulse, ContactModel::barrier})) {
      Scene scene = sheet_over(board);
      stiffness.apply(scene);
      Simulation simulation(scene, mesh_of(scene), one_thread());
      ASSERT_EQ(run(simulation, steps), steps) << board << ", " << stiffness.text();
      EXPECT_EQ(particles_below(simulation, parse_obstacle(board).from.y), 0U)
          << board << ", " << stiffness.text();
      EXPECT_FALSE(simulation.notices().has(NoticeCause::tunnelling)) << board << ", " << stiffness.text();
    }
}

// By penalty some particles pass through the thin sheets of such a mesh: of 400, up to 32 with stretch
// springs of 10 000 N/m, otherwise up to 4. They are reported.
TEST(Tunnelling, ThroughAMeshWithAHoleIsNoneOrReportedAtOtherStiffnesses) {
  for (const Stiffness& stiffness : stiffnesses(
           {ContactModel::filter, ContactModel::penalty, ContactModel::impulse, ContactModel::barrier})) {
    Scene scene = sheet_over_ball(2);
    stiffness.apply(scene);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 60), 60) << stiffness.text();
    Checkpoint end;
    simulation.save(one_thread(), end);
    const bool reported = simulation.notices().has(NoticeCause::tunnelling);
    EXPECT_EQ(reported, !end.behind.empty()) << stiffness.text();
    if (stiffness.model != ContactModel::penalty) {
      EXPECT_FALSE(reported) << stiffness.text();
    }
    EXPECT_LT(end.behind.size(), stiffness.stretch > 1 ? 40U : 10U) << stiffness.text();
  }
}

/// The ball of a scene, at 10 m/s.
Scene curtain_before_a_ball(double radius, double z) {
  Scene scene = scene_asset("23-pushed-curtain");
  Obstacle& ball = scene.obstacles.bodies.at(0);
  ball.radius = radius;
  ball.from.z = ball.to.z = z;
  ball.path = {{{0, vec3(0), vec3(0)}, {0.2, vec3(0, 0, 2), vec3(0)}}, false};
  return scene;
}

std::unique_ptr<Simulation> ball_through_curtain(double radius, double z, const Stiffness& stiffness) {
  Scene scene = curtain_before_a_ball(radius, z);
  stiffness.apply(scene);
  auto simulation = std::make_unique<Simulation>(scene, mesh_of(scene), one_thread());
  EXPECT_EQ(run(*simulation, 14), 14);
  return simulation;
}

TEST(Tunnelling, OfABallThroughACurtainIsReported) {
  const auto held = ball_through_curtain(0.05, -0.55, {ContactModel::filter});
  EXPECT_FALSE(held->notices().has(NoticeCause::tunnelling));
  const auto thin = ball_through_curtain(0.05, -0.55, {ContactModel::penalty});
  EXPECT_THAT(text_of_notice(*thin, NoticeCause::tunnelling),
              HasSubstr("passed through obstacle 1 (sphere)"));
  // This one takes the curtain along.
  const auto thick = ball_through_curtain(0.2, -0.45, {ContactModel::filter});
  EXPECT_THAT(text_of_notice(*thick, NoticeCause::large_strain),
              HasSubstr("A stretch spring was strained by"));
}

// Nodal contact and impulses stop all particles, until the ball slips between them where springs are more
// than three times as long as at rest.
TEST(Tunnelling, OfABallThroughACurtainIsNoneAtOtherStiffnesses) {
  for (const Stiffness& stiffness : stiffnesses({ContactModel::filter, ContactModel::impulse})) {
    const auto simulation = ball_through_curtain(0.05, -0.55, stiffness);
    EXPECT_FALSE(simulation->notices().has(NoticeCause::tunnelling)) << stiffness.text();
  }
}

// Newton's iterations and lagged solves meet the body where the path of a step does, not on its far side.
TEST(Tunnelling, ByPenaltyIsNoneByMethodsThatDamp) {
  for (const char* id : {"semi-implicit-euler", "backward-euler", "bdf2", "semi-implicit-bdf2", "tr-bdf2",
                         "sdirk2", "xpbd", "projective-dynamics"}) {
    if (kSlowdown > 1 && id != std::string_view("backward-euler")) continue;
    for (Scene scene : {sheet_over("box:0.5,-0.995,0.5,1.5,0.05,1.5"),
                        sheet_over("box:0.5,-0.1,0.5,1.5,0.001,1.5"), sheet_over_ball(2)}) {
      scene.contact.model = ContactModel::penalty;
      scene.integrator = id;
      Simulation simulation(scene, mesh_of(scene), one_thread());
      ASSERT_EQ(run(simulation, 60), 60) << id;
      EXPECT_FALSE(simulation.notices().has(NoticeCause::tunnelling)) << id;
      EXPECT_FALSE(simulation.notices().has(NoticeCause::behind_obstacle)) << id;
    }
  }
}

// The ball takes the curtain along, and no particle passes through it before springs are strained by more
// than half.
TEST(Tunnelling, OfABallThroughACurtainByPenaltyIsNoneByMethodsThatDamp) {
  for (const char* id : {"backward-euler", "bdf2", "projective-dynamics"}) {
    if (kSlowdown > 1 && id != std::string_view("backward-euler")) continue;
    Scene scene = curtain_before_a_ball(0.05, -0.55);
    scene.contact.model = ContactModel::penalty;
    scene.integrator = id;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 5), 5) << id;
    EXPECT_GT(particles_within(simulation, vec3(0.6, 0.3, -0.55 + 5.0 / 6), 0.12), 3U) << id;
    EXPECT_FALSE(simulation.notices().has(NoticeCause::tunnelling)) << id;
  }
}

// The ball moves by more than its diameter in a step.
TEST(Tunnelling, OfABallPastABarrierIsNone) {
  const auto simulation = ball_through_curtain(0.05, -0.55, {ContactModel::barrier});
  EXPECT_FALSE(simulation->notices().has(NoticeCause::tunnelling));
  EXPECT_FALSE(simulation->notices().has(NoticeCause::behind_obstacle));
}

TEST(Tunnelling, OfABallBetweenParticlesIsReported) {
  Scene scene = sheet_over("sphere:0.5,-1,0.45,0.02", 12);
  scene.pins = PinPreset::top_corners;
  scene.obstacles.bodies[0].path.keys = {{0, vec3(0), vec3(0)}, {0.2, vec3(0, 2, 0), vec3(0)}};
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 12), 12);
  EXPECT_THAT(text_of_notice(simulation, NoticeCause::behind_obstacle),
              HasSubstr("The cloth moved past obstacle 1 (sphere), which passed between its particles: only "
                        "particles collide with it. Use a finer cloth, with edges shorter than the obstacle, "
                        "contact of its triangles (--contact-points triangles), or contact by impulse or "
                        "barrier with a mesh as the obstacle."));
}

// The ball moves by four of its diameters in a step.
TEST(Tunnelling, OfABallThroughTrianglesIsReported) {
  Scene scene = sheet_over("sphere:0.5,-1,0.45,0.02", 12);
  scene.pins = PinPreset::top_corners;
  scene.contact.points = ContactPoints::triangles;
  scene.obstacles.bodies[0].path.keys = {{0, vec3(0), vec3(0)}, {0.2, vec3(0, 2, 0), vec3(0)}};
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 12), 12);
  EXPECT_THAT(text_of_notice(simulation, NoticeCause::behind_obstacle),
              HasSubstr("which passed between its particles. Use a smaller step, a finer cloth"));
}

TEST(Tunnelling, OfBarsBetweenParticlesIsReported) {
  for (const char* bar : {"capsule:-0.2,-0.5,0.5,1.2,-0.5,0.5,0.01",
                          "cylinder:-0.2,-0.5,0.5,1.2,-0.5,0.5,0.01", "box:0.5,-0.5,0.5,1.4,0.02,0.02"}) {
    Scene scene = sheet_over(bar, 12);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 30), 30);
    EXPECT_THAT(text_of_notice(simulation, NoticeCause::behind_obstacle),
                HasSubstr("passed between its particles"))
        << bar;
  }
}

/// A closed board, on the slant in the coordinates of its file.
std::shared_ptr<const TriangleSurface> board(double half_thickness) {
  constexpr double kHalf = 0.8;
  const double c = std::sqrt(0.5);
  std::vector<vec3> corners;
  for (int k = 0; k < 8; ++k) {
    const double along = (k & 1) != 0 ? kHalf : -kHalf, up = (k & 2) != 0 ? half_thickness : -half_thickness;
    corners.push_back({c * (along - up), c * (along + up), (k & 4) != 0 ? kHalf : -kHalf});
  }
  return std::make_shared<const TriangleSurface>(std::move(corners),
                                                 std::vector<TriangleSurface::Triangle>{{0, 2, 3},
                                                                                        {0, 3, 1},
                                                                                        {4, 5, 7},
                                                                                        {4, 7, 6},
                                                                                        {0, 1, 5},
                                                                                        {0, 5, 4},
                                                                                        {2, 6, 7},
                                                                                        {2, 7, 3},
                                                                                        {0, 4, 6},
                                                                                        {0, 6, 2},
                                                                                        {1, 3, 7},
                                                                                        {1, 7, 5}});
}

Scene sheet_over_board(double half_thickness) {
  Scene scene = sheet_over("");
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = vec3(0.5, -1, 0.5);
  body.mesh.path = std::make_shared<const std::string>("board.obj");
  body.mesh.surface = board(half_thickness);
  scene.obstacles.bodies = {body};
  return scene;
}

TEST(Tunnelling, ThroughAThinClosedMeshIsReported) {
  Scene scene = sheet_over_board(0.002);
  const Obstacle& body = scene.obstacles.bodies[0];
  ASSERT_EQ(body.mesh.surface->closed_parts(), 1U);
  Simulation held(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(held, 60), 60);
  EXPECT_FALSE(held.notices().has(NoticeCause::tunnelling));
  scene.contact.model = ContactModel::penalty;
  scene.contact.stiffness = 1;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 60), 60);
  EXPECT_THAT(text_of_notice(simulation, NoticeCause::tunnelling),
              HasSubstr("particles passed through obstacle 1 (mesh) in this step: contact is too weak"));
}

TEST(Tunnelling, SlidingOverAnEdgeIsNone) {
  Scene scene = sheet_over("box:0,-0.5,0,1.4,0.03,0.03", 12);
  scene.contact.model = ContactModel::barrier;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  run(simulation, 40);
  EXPECT_FALSE(simulation.notices().has(NoticeCause::tunnelling));
}

/// How many particles of the sheet at the start pass through obstacles where a step displaces it [m].
std::size_t passages(const Scene& scene, const vec3& displacement) {
  constexpr double kStep = 1.0 / 60;
  const Simulation simulation(scene, mesh_of(scene), one_thread());
  ContactWatch watch(simulation.system());
  Surfaces surfaces;
  surfaces.place(scene.floor, scene.obstacles, 0, ObstacleMoves(), simulation.state().x.size(), 0, kStep);
  State after = simulation.state();
  for (vec3& x : after.x) x += displacement;
  const double speed = glm::length(displacement) / kStep;
  watch.begin_step();
  watch.watch(one_thread(), simulation.mesh(), simulation.system(), surfaces, kStep, simulation.state(),
              after, 0.5 * scene.material.mass * speed * speed, 0);
  watch.end_step();
  EXPECT_EQ(watch.tunnelling_text(scene).empty(), watch.behind().empty());
  return watch.behind().size();
}

// What a barrier lets end on the other side has gone round: it bounds every way.
TEST(Tunnelling, RoundAnEdgeByABarrierIsNone) {
  Scene scene = sheet_over("box:0.5,-0.5,0.5,1.4,0.02,1.4", 12);
  EXPECT_EQ(passages(scene, vec3(0, -1, 0)), 144U);
  scene.contact.model = ContactModel::barrier;
  EXPECT_EQ(passages(scene, vec3(0, -1, 0)), 0U);
}

// The sheet moves farther in the step than the body is deep.
TEST(Tunnelling, PastABodyIsNone) {
  for (const char* body : {"sphere:0.5,-0.06,0.5,0.05", "capsule:0.5,-0.06,-0.5,0.5,-0.06,1.5,0.05",
                           "box:0.5,-0.06,0.5,0.1,0.1,1.5", "cylinder:0.5,-0.06,-0.5,0.5,-0.06,1.5,0.05"}) {
    Scene scene = sheet_over(body, 30);
    EXPECT_EQ(passages(scene, vec3(0.3, 0, 0)), 0U) << body << ", above it";
    EXPECT_EQ(passages(scene, vec3(0.3, -0.005, 0)), 0U) << body << ", down to it";
    Obstacle& obstacle = scene.obstacles.bodies[0];
    obstacle = moved_to(obstacle, centre_of(obstacle) + vec3(0, 0.06, 0));
    EXPECT_GT(passages(scene, vec3(0.3, 0, 0)), 0U) << body;
  }
}

TEST(Tunnelling, ThroughAMeshWithAHoleIsReported) {
  Scene scene = sheet_over_ball(2);
  Simulation held(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(held, 60), 60);
  EXPECT_FALSE(held.notices().has(NoticeCause::tunnelling));
  scene.contact.model = ContactModel::penalty;
  scene.contact.stiffness = 1;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  EXPECT_THAT(text_of_notice(simulation, NoticeCause::open_obstacle),
              ::testing::AllOf(HasSubstr("The mesh of obstacle 1 (mesh) is not closed: 4 edges"),
                               HasSubstr("contact by impulse or barrier")));
  ASSERT_EQ(run(simulation, 60), 60);
  EXPECT_GT(particles_below(simulation, -1), 70U);
  EXPECT_THAT(text_of_notice(simulation, NoticeCause::tunnelling),
              HasSubstr("a closed mesh, or contact by impulse or barrier"));

  Scene closed = sheet_over_ball(0);
  Simulation cured(closed, mesh_of(closed), one_thread());
  ASSERT_EQ(run(cured, 60), 60);
  EXPECT_EQ(particles_within(cured, vec3(0.5, -0.7, 0.5), 0.28), 0U);
  EXPECT_FALSE(cured.notices().has(NoticeCause::open_obstacle));
  EXPECT_FALSE(cured.notices().has(NoticeCause::tunnelling));

  scene.contact.model = ContactModel::impulse;
  EXPECT_THAT(*Simulation(scene, mesh_of(scene), one_thread()).notices().list(), IsEmpty());
}

TEST(Tunnelling, IsNotClothThatComesToRestOrSlides) {
  for (const char* body : {"sphere:0.5,-0.31,0.5,0.3", "box:0.5,-0.3,0.5,0.3,0.2,0.3",
                           "cylinder:0,-0.4,0.5,1,-0.4,0.5,0.2", "capsule:0.2,-0.3,0.5,0.6,-0.4,0.5,0.1"})
    for (const ContactModel model : {ContactModel::filter, ContactModel::penalty, ContactModel::impulse}) {
      Scene scene = sheet_over(body, 15);
      scene.contact.model = model;
      scene.obstacles.friction = 0;
      Simulation simulation(scene, mesh_of(scene), one_thread());
      ASSERT_EQ(run(simulation, 60), 60);
      EXPECT_FALSE(simulation.notices().has(NoticeCause::tunnelling)) << body;
      EXPECT_FALSE(simulation.notices().has(NoticeCause::behind_obstacle)) << body;
    }
}

// A penalty that is too weak lets cloth sink through a body slowly.
TEST(Tunnelling, OfClothThatSinksSlowlyIsReported) {
  Scene scene = sheet_over("box:0.5,-0.06,0.5,1.5,0.04,1.5");
  scene.contact.model = ContactModel::penalty;
  scene.contact.stiffness = 0.05;
  scene.dt = 1e-3;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 400), 400);
  ASSERT_GT(particles_below(simulation, -0.08), 390U);
  EXPECT_THAT(
      text_of_notice(simulation, NoticeCause::tunnelling),
      HasSubstr("contact is too weak to stop them. Use a larger contact stiffness, a thicker obstacle, "
                "or contact by barrier."));
}

// Of a mesh, whose surface they do not cross in the middle, and within a step of several substeps.
TEST(Tunnelling, OfClothThatSinksThroughAMeshOrInSubstepsIsReported) {
  Scene through_mesh = sheet_over_board(0.02), in_substeps = sheet_over("box:0.5,-0.06,0.5,1.5,0.04,1.5");
  through_mesh.dt = 1.0 / 120;
  in_substeps.dt = 0.1;
  in_substeps.substeps = 64;
  for (Scene* scene : {&through_mesh, &in_substeps}) {
    scene->contact.model = ContactModel::penalty;
    scene->contact.stiffness = 0.05;
    Simulation simulation(*scene, mesh_of(*scene), one_thread());
    ASSERT_GT(run(simulation, scene == &in_substeps ? 3 : 80), 2);
    EXPECT_THAT(text_of_notice(simulation, NoticeCause::tunnelling),
                HasSubstr("contact is too weak to stop them"))
        << scene->substeps;
  }
}

TEST(ContactWatch, KeepsWhatIsBehindInCheckpoints) {
  Scene scene = sheet_over("box:0.5,-0.1,0.5,1.5,0.001,1.5");
  scene.contact.model = ContactModel::penalty;
  scene.contact.stiffness = 1;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  Checkpoint start, lost;
  simulation.save(one_thread(), start);
  ASSERT_EQ(run(simulation, 20), 20);
  simulation.save(one_thread(), lost);
  EXPECT_EQ(lost.behind.size(), 400U);
  simulation.load(one_thread(), start);
  EXPECT_THAT(*simulation.notices().list(), IsEmpty());
  simulation.save(one_thread(), start);
  EXPECT_THAT(start.behind, IsEmpty());
}

}  // namespace
}  // namespace clothlab::testing
