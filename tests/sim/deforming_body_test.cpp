// SPDX-License-Identifier: MIT
// Meshes that deform, against theory and against rigid bodies.

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "collide/exact.h"
#include "collide/mesh_body.h"
#include "contact/contact_model.h"
#include "sim/checkpoint.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kPlateGravity = 9.8;
constexpr double kPlateFriction = 0.4;
using MeshTriangle = TriangleSurface::Triangle;

// A horizontal square of 4 m around the origin, at y = 0.
const std::vector<vec3> kPlate{{-2, 0, -2}, {2, 0, -2}, {2, 0, 2}, {-2, 0, 2}};
const std::vector<MeshTriangle> kPlateTriangles{{0, 2, 1}, {0, 3, 2}};

template <class At>
Obstacle plate(std::size_t frames, double rate, const At& at) {
  Obstacle body = test::deforming_body(kPlate, kPlateTriangles, frames, at);
  body.mesh.playback.rate = rate;
  return body;
}

// A sheet of 0.4 m whose middle is at x = 1, on the rounding of the plate.
std::shared_ptr<const ClothMesh> sheet_on_plate(const Obstacle& body) {
  ObjMesh obj = make_grid_obj(4, 4, 0.4, 0.4);
  for (vec3& x : obj.vertices) x += vec3(0.8, body.mesh.surface->rounding(), -0.2);
  return built(std::move(obj));
}

Scene scene_with(const Obstacle& body, std::string_view integrator = "semi-implicit-euler") {
  Scene scene = loose_scene(integrator);
  scene.solver.linear.cg.tolerance = 1e-10;
  scene.solver.newton_tolerance = 1e-10;
  scene.obstacles.bodies = {body};
  scene.obstacles.friction = kPlateFriction;
  return scene;
}

// A tube around the y axis with closed ends, from y = −1 to 0.
std::pair<std::vector<vec3>, std::vector<MeshTriangle>> tube(double radius) {
  constexpr std::uint32_t kRings = 11, kSides = 12;
  std::vector<vec3> corners;
  std::vector<MeshTriangle> triangles;
  for (std::uint32_t ring = 0; ring < kRings; ++ring)
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const double angle = 2 * std::numbers::pi * side / kSides;
      corners.emplace_back(radius * std::cos(angle), -1 + 0.1 * ring, radius * std::sin(angle));
    }
  corners.emplace_back(0, -1, 0);
  corners.emplace_back(0, 0.5 * radius, 0);
  const std::uint32_t bottom = kRings * kSides, top = bottom + 1;
  for (std::uint32_t side = 0; side < kSides; ++side) {
    const std::uint32_t next = (side + 1) % kSides;
    for (std::uint32_t ring = 0; ring + 1 < kRings; ++ring) {
      const std::uint32_t a = ring * kSides + side, b = ring * kSides + next;
      triangles.push_back({a, a + kSides, b});
      triangles.push_back({b, a + kSides, b + kSides});
    }
    triangles.push_back({bottom, side, next});
    triangles.push_back({top, (kRings - 1) * kSides + next, (kRings - 1) * kSides + side});
  }
  return {corners, triangles};
}

// Two legs that walk: 30 frames of one step at 24 per second. Each bends more towards its foot.
Obstacle walker() {
  auto [corners, triangles] = tube(0.12);
  const auto one = static_cast<std::uint32_t>(corners.size());
  for (std::uint32_t k = 0; k < one; ++k) {
    corners.push_back(corners[k] + vec3(0, 0, 0.16));
    corners[k].z -= 0.16;
  }
  for (std::size_t k = 0, count = triangles.size(); k < count; ++k)
    triangles.push_back({triangles[k][0] + one, triangles[k][1] + one, triangles[k][2] + one});
  return test::deforming_body(corners, triangles, 30, [](const vec3& x, std::size_t frame) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(frame) / 30;
    const double swing = (x.z < 0 ? 0.5 : -0.5) * std::sin(phase) * x.y * x.y;
    return x + vec3(swing + 0.02 * static_cast<double>(frame), 0.03 * std::sin(2 * phase), 0);
  });
}

// A sheet of 1 m above the legs.
Scene walk(ContactModel model) {
  Scene scene;
  scene.mesh = GridSource{17, 17, 1, 1};
  scene.pins = PinPreset::none;
  scene.dt = 1.0 / 60;
  scene.contact.model = model;
  scene.obstacles.bodies = {walker()};
  scene.obstacles.bodies[0].from = scene.obstacles.bodies[0].to = vec3(0.4, -0.08, 0.5);
  scene.obstacles.bodies[0].mesh.playback.start = 0.1;
  return scene;
}

class DeformingBody : public ::testing::Test {
 protected:
  WorkerPool pool_{1};
};

// Frames that translate a mesh are a path with keyframes.
TEST_F(DeformingBody, MovesAsARigidBodyOnAPath) {
  constexpr std::size_t kFrames = 5;
  const vec3 displacement(0.15, 0.25, -0.05);
  const double scale = 0.2;
  auto [corners, triangles] = test::angle_mesh();
  Obstacle rigid = test::angle_body(vec3(0.4, -0.45, 0.4), scale);
  rigid.path.keys = {{0.05, vec3(0), vec3(0)}, {0.45, displacement, vec3(0)}};
  Obstacle deforms = test::deforming_body(corners, triangles, kFrames, [&](const vec3& x, std::size_t k) {
    return x + static_cast<double>(k) / (kFrames - 1) / scale * displacement;
  });
  deforms.from = deforms.to = rigid.from;
  deforms.scale = scale;
  deforms.mesh.playback = {10, 0.05, false};
  for (const ContactModelInfo& info : kContactModels) {
    Scene scene = scene_with(rigid);
    scene.contact.model = info.model;
    scene.solver.linear.cg.tolerance = 1e-13;
    Simulation expected(scene, grid_mesh(9, 9), pool_);
    scene.obstacles.bodies = {deforms};
    Simulation simulation(scene, grid_mesh(9, 9), pool_);
    double moved = 0;
    for (int k = 0; k < 300; ++k) {
      ASSERT_EQ(expected.step(pool_), StepStatus::done) << info.id << k;
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info.id << k;
      for (std::size_t i = 0; i < expected.state().x.size(); ++i)
        moved = std::max(moved, glm::distance(expected.state().x[i], simulation.state().x[i]));
    }
    EXPECT_LT(moved, 1e-11) << info.id;
    EXPECT_GT(expected.record().contacts.pairs, 3U) << info.id;
  }
}

// Coulomb: a plate that grows in x at 1/s moves below the sheet, at 0.8 m/s and more, and gives it the
// acceleration μ g as long as it slides. The force of a plate on the sheet does the work F u.
TEST_F(DeformingBody, DragsAlongWhatLiesOnIt) {
  const Obstacle body = plate(
      2, 1, [](const vec3& x, std::size_t k) { return vec3(x.x * (1 + static_cast<double>(k)), x.y, x.z); });
  for (const IntegratorInfo& info : integrators()) {
    Simulation simulation(scene_with(body, info.id), sheet_on_plate(body), pool_);
    BodyContact work;
    for (int k = 0; k < 75; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info.id;
      work.work_motion += simulation.body_contacts().of(1).work_motion;
      work.work_friction += simulation.body_contacts().of(1).work_friction;
    }
    const double speed = kPlateFriction * kPlateGravity * 0.15;
    for (const vec3& v : simulation.state().v)
      EXPECT_LT(glm::distance(v, vec3(speed, 0, 0)), 1e-8) << info.id;
    const double kinetic = 0.5 * 0.2 * speed * speed;
    EXPECT_NEAR(simulation.record().ledger.contact, kinetic, 1e-8) << info.id;
    // The middle of the sheet goes from 1 to 1.044 m, over points of 1 to 0.91 m/s.
    EXPECT_NEAR(work.work_motion, 0.2 * speed * 0.945, 0.02 * 0.2 * speed) << info.id;
    EXPECT_NEAR(work.work_motion + work.work_friction, kinetic, 0.02 * kinetic) << info.id;
  }
}

// A sheet that sticks to a growing plate grows with it.
TEST_F(DeformingBody, StretchesWhatSticksToIt) {
  const Obstacle body = plate(2, 0.1, [](const vec3& x, std::size_t k) {
    return vec3(x.x * (1 + static_cast<double>(k)), x.y, x.z);
  });
  Scene scene = scene_with(body);
  scene.material.stretch_stiffness = 1e-3;
  scene.material.bend_stiffness = 0;
  scene.obstacles.friction = 3;
  const auto sheet = sheet_on_plate(body);
  Simulation simulation(scene, sheet, pool_);
  ASSERT_EQ(run(simulation, 500), 500);
  for (std::size_t i = 0; i < sheet->positions.size(); ++i) {
    const vec3& x = sheet->positions[i];
    EXPECT_LT(glm::distance(simulation.state().x[i], vec3(1.1 * x.x, x.y, x.z)), 2e-3);
    EXPECT_NEAR(simulation.state().v[i].x, 0.1 * x.x, 1e-3);
  }
}

// A plate that rises at 1 m/s lifts with its speed, and its work is the kinetic and the potential energy.
TEST_F(DeformingBody, LiftsWithItsSpeed) {
  const Obstacle body = plate(
      11, 50, [](const vec3& x, std::size_t k) { return x + vec3(0, 0.02 * static_cast<double>(k), 0); });
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = scene_with(body, info.id);
    scene.obstacles.bodies[0].mesh.playback.start = 2e-3;
    Simulation simulation(scene, sheet_on_plate(body), pool_);
    for (int k = 0; k <= 100; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info.id;
      for (const vec3& x : simulation.state().x)
        ASSERT_NEAR(x.y, body.mesh.surface->rounding() + 2e-3 * k, 1e-11) << info.id << k;
    }
    for (const vec3& v : simulation.state().v) EXPECT_NEAR(v.y, 1, 1e-9) << info.id;
    EXPECT_NEAR(simulation.record().ledger.contact, 0.5 * 0.2 + 0.2 * kPlateGravity * 0.2, 2e-6) << info.id;
    EXPECT_EQ(run(simulation, 700), 700) << info.id;  // the plate stays at its last frame
    for (const vec3& x : simulation.state().x)
      EXPECT_NEAR(x.y, body.mesh.surface->rounding() + 0.2, 1e-11) << info.id;
  }
}

// A plate that tilts in frames of 1° carries what sticks to it as one that turns.
TEST_F(DeformingBody, TurnsWhatSticksToIt) {
  const auto tilted = [](const vec3& x, std::size_t k) {
    return turn_of(vec3(0, 0, static_cast<double>(k))) * x;
  };
  const Obstacle body = plate(11, 20, tilted);
  Obstacle rigid = plate(1, 20, tilted);
  rigid.mesh.frames = nullptr;
  rigid.path.keys = {{0, vec3(0), vec3(0)}, {0.5, vec3(0), vec3(0, 0, 10)}};
  Simulation simulation(scene_with(body), sheet_on_plate(body), pool_);
  Simulation expected(scene_with(rigid), sheet_on_plate(body), pool_);
  double farthest = 0;
  for (int k = 0; k < 300; ++k) {
    ASSERT_EQ(simulation.step(pool_), StepStatus::done) << k;
    ASSERT_EQ(expected.step(pool_), StepStatus::done) << k;
    for (std::size_t i = 0; i < simulation.state().x.size(); ++i)
      farthest = std::max(farthest, glm::distance(simulation.state().x[i], expected.state().x[i]));
  }
  EXPECT_LT(farthest, 3e-4);  // of 0.18 m; frames cut the arc
  EXPECT_GT(simulation.state().x[0].y, 0.12);
}

TEST_F(DeformingBody, WalksUnderASheetWithoutIntersections) {
  for (const ContactModel model : {ContactModel::impulse, ContactModel::barrier}) {
    const Scene scene = walk(model);
    Simulation simulation(scene, mesh_of(scene), pool_);
    std::size_t pairs = 0;
    for (int k = 0; k < 100; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info_of(model).id << k;
      ASSERT_EQ(test::exact_intersections(simulation.mesh().triangles, simulation.state().x,
                                          simulation.obstacles()),
                0U)
          << info_of(model).id << k;
      pairs += simulation.record().contacts.pairs;
    }
    EXPECT_GT(pairs, 1000U) << info_of(model).id;
  }
}

// Also from a checkpoint between two frames, and stepped in pieces by other runs.
TEST_F(DeformingBody, GivesTheSameBits) {
  for (const ContactModelInfo& info : kContactModels) {
    Scene scene = walk(info.model);
    const auto mesh = mesh_of(scene);
    Simulation one(scene, mesh, pool_);
    Checkpoint moment;
    for (int k = 0; k < 40; ++k) {
      if (k == 21) one.save(pool_, moment);
      ASSERT_EQ(one.step(pool_), StepStatus::done) << info.id << k;
    }
    for (const int threads : {2, 4}) {
      WorkerPool pool(threads);
      Simulation other(scene, mesh, pool);
      ASSERT_EQ(run(other, 40, pool), 40) << info.id;
      EXPECT_TRUE(same_bits(one.state(), other.state())) << info.id << threads;
    }
    Simulation next(scene, mesh, pool_);
    next.load(pool_, moment);
    ASSERT_EQ(run(next, 19), 19) << info.id;
    EXPECT_TRUE(same_bits(one.state(), next.state())) << info.id;
  }
}

// Frames in a circle: after the last one comes the first one.
TEST_F(DeformingBody, Loops) {
  const Obstacle body =
      plate(4, 2, [](const vec3& x, std::size_t k) { return x + vec3(0, k == 0 ? 0 : 0.1, 0); });
  const auto height = [&](const Playback& playback, double t) {
    Obstacles obstacles{{body}};
    obstacles.bodies[0].mesh.playback = playback;
    return corners_of(obstacles_at(obstacles, {}, t)[0])[1].y;
  };
  EXPECT_NEAR(height({2, 1, false}, 0.9), 0, 1e-15);
  EXPECT_NEAR(height({2, 1, false}, 1.25), 0.05, 1e-15);
  EXPECT_NEAR(height({2, 1, false}, 9), 0.1, 1e-15);
  EXPECT_NEAR(height({2, 1, true}, 2.75), 0.05, 1e-15);
  EXPECT_NEAR(height({2, 1, true}, 3.25), 0.05, 1e-15);
  EXPECT_NEAR(height({2, 1, true}, 3), 0, 1e-15);
}

}  // namespace
}  // namespace clothlab::testing
