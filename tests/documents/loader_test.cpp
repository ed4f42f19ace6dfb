// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <glm/geometric.hpp>
#include <thread>

#include "core/error.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "documents/load_job.h"
#include "documents/scene_file.h"
#include "documents/scene_loader.h"
#include "documents/test_folder.h"
#include "session/support.h"
#include "sim/dressing.h"
#include "sim/scene_json.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

using namespace testing;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Loading : public TestFolder {
 protected:
  LoadedScene load_file(const std::filesystem::path& path, UnitChoice units) {
    SceneLoadOptions options;
    options.units = units;
    return load_scene(scene_from_path(path), options);
  }
};

TEST_F(Loading, FitsAMeshOfUncomfortableSize) {
  const double root2 = std::sqrt(2.0);
  const auto big = load_file(write_square("big.obj", 300), UnitChoice::fit);
  EXPECT_TRUE(big.fitted);
  EXPECT_THAT(big.file_diagonal, DoubleNear(300 * root2, 1e-9));
  EXPECT_THAT(big.mesh->diagonal, DoubleNear(1.5, 1e-12));
  EXPECT_EQ(big.scene.scale, big.mesh->scale);
  const auto small = load_file(write_square("small.obj", 0.01), UnitChoice::fit);
  EXPECT_TRUE(small.fitted);
  EXPECT_THAT(small.mesh->diagonal, DoubleNear(1.5, 1e-12));
  for (const double size : {0.2 / root2 * 1.001, 1.0, 5 / root2 * 0.999}) {
    const auto fine = load_file(write_square("fine.obj", size), UnitChoice::fit);
    EXPECT_FALSE(fine.fitted) << size;
    EXPECT_EQ(fine.scene.scale, 1) << size;
  }
}

TEST_F(Loading, TakesTheUnitThatWasChosen) {
  const auto path = write_square("square.obj", 300);
  EXPECT_EQ(load_file(path, UnitChoice::metres).mesh->scale, 1);
  EXPECT_EQ(load_file(path, UnitChoice::centimetres).mesh->scale, 0.01);
  EXPECT_EQ(load_file(path, UnitChoice::millimetres).mesh->scale, 0.001);
  Scene scene = scene_from_path(path);
  scene.scale = 0.25;
  EXPECT_EQ(load_scene(scene).mesh->scale, 0.25);
  EXPECT_FALSE(load_scene(scene).fitted);
}

TEST_F(Loading, TurnsAMeshWhoseZPointsUp) {
  Scene scene = scene_from_path(write("tall.obj", "v 0 0 0\nv 1 0 0\nv 0 0 2\nf 1 2 3\n"));
  scene.z_up = true;
  const LoadedScene loaded = load_scene(scene);
  EXPECT_EQ(loaded.mesh->box.high.y, 2);
}

TEST_F(Loading, ReadsASceneWithItsMeshBesideIt) {
  write_square("square.obj", 1);
  Scene scene;
  scene.title = "A square";
  scene.mesh = FileSource{"square.obj"};
  scene.material.mass = 0.5;
  const Scene read = scene_from_path(write("square.json", write_scene(scene)));
  EXPECT_EQ(read.title, "A square");
  EXPECT_EQ(std::get<FileSource>(read.mesh).path, (folder_ / "square.obj").string());
  EXPECT_EQ(load_scene(read).mesh->positions.size(), 4u);
}

constexpr const char* kWedge = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// Paths count from the scene's folder, and are saved so; a file that two bodies name is read once.
TEST_F(Loading, ReadsMeshObstaclesBesideTheScene) {
  write("a,b.obj", kWedge);
  const auto path = write("scene.json",
                          "{\"clothlab-scene\": 3, \"mesh\": {\"grid\": [4, 4]}, \"obstacles\": ["
                          "\"mesh:0,-1,0,0.5,a,b.obj\", "
                          "{\"body\": \"mesh:0,-2,0,1,a,b.obj\", \"turn\": [0, 90, 0]}]}");
  const LoadedScene loaded = load_scene(read_scene_file(path));
  const std::vector<Obstacle>& bodies = loaded.scene.obstacles.bodies;
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(*bodies[0].mesh.path, (folder_ / "a,b.obj").string());
  EXPECT_EQ(bodies[0].mesh.surface, bodies[1].mesh.surface);
  EXPECT_EQ(bodies[0].mesh.surface->closed_parts(), 1u);
  EXPECT_NEAR(closest_point(bodies[0], vec3(0.1, -1.2, 0.1)).height, 0.2, 1e-15);
  EXPECT_NEAR(closest_point(bodies[1], vec3(0.1, -2.2, -0.1)).height, 0.2, 1e-15);
  const auto saved = folder_ / "saved.json";
  save_scene_file(loaded.scene, {}, saved);
  const std::string text = read_text_file(saved, kMaxSceneBytes);
  EXPECT_THAT(text, HasSubstr("\"mesh:0,-1,0,0.5,a,b.obj\""));
  EXPECT_EQ(load_scene(read_scene_file(saved)).scene.obstacles, loaded.scene.obstacles);

  const auto refusal = [&](const std::string& obstacle) -> std::string {
    Scene scene = sheet_scene(2);
    scene.obstacles.bodies = {parse_obstacle(obstacle)};
    try {
      load_scene(scene);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("mesh:0,0,0,1,no-such-file.obj"), HasSubstr("no-such-file.obj"));
  const std::string line = write("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").string();
  EXPECT_THAT(refusal("mesh:0,0,0,1," + line), HasSubstr("line.obj: a mesh obstacle needs a triangle"));
  EXPECT_THAT(refusal("mesh:0,0,0,2000," + (folder_ / "a,b.obj").string()), HasSubstr("1000 m"));
  Scene strange = loaded.scene;
  strange.obstacles.bodies[0].mesh.path = std::make_shared<const std::string>("caf\xe9.obj");
  EXPECT_THROW(save_scene_file(strange, {}, saved), InputError) << "no UTF-8";
  Scene unread = sheet_scene(2);
  unread.obstacles.bodies = {parse_obstacle("mesh:0,0,0,1,a.obj")};
  WorkerPool pool(1);
  EXPECT_THROW(Simulation(unread, load_scene(sheet_scene(2)).mesh, pool), InputError);
}

TEST_F(Loading, SaysWhatIsWrong) {
  EXPECT_THROW(load_scene(Scene{}), InputError);
  EXPECT_THROW(scene_from_path("cloth.stl"), InputError);
  EXPECT_THROW(scene_from_path("no-such-file.json"), InputError);
  EXPECT_THROW(load_scene(scene_from_path("no-such-file.obj")), InputError);
  Scene scene;
  scene.mesh = GeneratedSource{"no-such-mesh"};
  EXPECT_THROW(load_scene(scene), InputError);
  EXPECT_EQ(kind_of("a/B.JSON"), FileKind::scene);
  EXPECT_EQ(kind_of("a.json/b.obj"), FileKind::mesh);
  EXPECT_EQ(kind_of("a.obj.checkpoint"), FileKind::checkpoint);
  EXPECT_EQ(kind_of("a.Journal"), FileKind::journal);
  for (const char* other : {"a.csv", "json", ".json", "a.json.", ""})
    EXPECT_EQ(kind_of(other), FileKind::other) << other;
}

TEST_F(Loading, TakesAnInitialStateFromAFile) {
  SceneLoadOptions options;
  options.initial_state =
      write("state.csv", "x,y,z,vx,vy,vz\n1,2,3,4,5,6\n2,2,3,4,5,6\n1,2,4,4,5,6\n2,2,4,4,5,6\n");
  const LoadedScene loaded = load_scene(sheet_scene(2), options);
  ASSERT_TRUE(loaded.scene.initial_state);
  EXPECT_EQ(loaded.scene.initial_state->positions[1], vec3(2, 2, 3));
  EXPECT_EQ(loaded.scene.initial_state->velocities[3], vec3(4, 5, 6));
  EXPECT_THROW(load_scene(sheet_scene(3), options), InputError);
}

TEST_F(Loading, RehearsesWhenAsked) {
  Scene scene = sheet_scene(4);
  SceneLoadOptions options;
  EXPECT_EQ(load_scene(scene, options).omega_max, 0);
  options.rehearse = true;
  EXPECT_GT(load_scene(scene, options).omega_max, 0);
  scene.pins = std::vector<std::uint32_t>{16};
  EXPECT_THROW(load_scene(scene, options), InputError);
}

TEST_F(Loading, ARehearsedSceneNeedsNoOtherModel) {
  SceneLoadOptions options;
  EXPECT_EQ(load_scene(sheet_scene(4), options).model, nullptr);
  options.rehearse = true;
  const LoadedScene sheet = load_scene(sheet_scene(4), options);
  ASSERT_NE(sheet.model, nullptr);
  WorkerPool pool(1);
  Simulation shared(sheet.scene, sheet.mesh, pool, {}, sheet.model);
  Simulation own(sheet.scene, sheet.mesh, pool);
  EXPECT_EQ(shared.system().shared_model(), sheet.model);
  shared.step(pool);
  own.step(pool);
  EXPECT_EQ(shared.state().x, own.state().x);
}

TEST_F(Loading, DressesABodyOrGivesUpTheSearch) {
  const std::filesystem::path assets = std::filesystem::path(CLOTHLAB_SOURCE_DIR) / "assets";
  Scene scene;
  scene.mesh = FileSource{(assets / "shirt.obj").string()};
  scene.obstacles.bodies = {parse_obstacle("mesh:0,-0.05,0.2,1," + (assets / "dummy.obj").string())};
  SceneLoadOptions options;
  options.dress = true;
  const LoadedScene dressed = load_scene(scene, options);
  const Obstacles& placed = dressed.scene.obstacles;
  EXPECT_LT(glm::length(placed.bodies[0].from), 0.06);
  EXPECT_EQ(placed.grow, kDressingGrowth);
  scene.obstacles.grow = 0.5;
  EXPECT_EQ(load_scene(scene, options).scene.obstacles.grow, 0.5);
  // A journal has the scene as it was placed, and does not search again.
  EXPECT_EQ(load_scene(parse_scene(write_scene(dressed.scene, {}), "placed")).scene.obstacles, placed);
  bool searches = false;
  options.progress = [&](double, std::string_view stage) {
    searches = stage == "Placing the bodies in the cloth";
  };
  options.stop = [&] { return searches; };
  EXPECT_THROW(load_scene(scene, options), Cancelled);
  EXPECT_TRUE(searches);
}

TEST_F(Loading, TakesGroupsOfAFileAsTheCloth) {
  Scene scene;
  const std::filesystem::path file =
      write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\ng left\nf 1 2 3\ng right\nf 2 4 3\n");
  scene.mesh = FileSource{file.string() + "#right"};
  const LoadedScene loaded = load_scene(scene);
  EXPECT_EQ(loaded.mesh->positions.size(), 3u);
  EXPECT_EQ(loaded.mesh->particle_of_vertex.size(), 4u);
  EXPECT_EQ(files_of(scene), std::vector{file});
  EXPECT_EQ(kind_of(file.string() + "#right"), FileKind::mesh);
  scene.mesh = FileSource{file.string() + "#middle"};
  EXPECT_THROW(load_scene(scene), InputError);
}

TEST_F(Loading, GivesUpWhenAsked) {
  SceneLoadOptions options;
  int polls = 0;
  options.stop = [&polls] { return ++polls > 2; };
  EXPECT_THROW(load_scene(sheet_scene(50), options), Cancelled);
}

// A large cloth can be given up while its Simulation is built, too, and every look at the probe is heeded.
TEST_F(Loading, GivesUpInTheRehearsal) {
  SceneLoadOptions options;
  int polls = 0;
  options.stop = [&polls] { return ++polls, false; };
  load_scene(sheet_scene(40), options);
  const int before = polls;
  WorkerPool pool(1);
  const LoadedScene sheet = load_scene(sheet_scene(40));
  polls = 0;
  const Simulation simulation(sheet.scene, sheet.mesh, pool, options.stop);
  const int building = polls;
  EXPECT_GT(building, 5);

  options.rehearse = true;
  for (int last = 1; last <= before + building; ++last) {
    polls = 0;
    options.stop = [&polls, last] { return ++polls >= last; };
    EXPECT_THROW(load_scene(sheet_scene(40), options), Cancelled) << last;
    EXPECT_EQ(polls, last);
  }
}

// ---- LoadJob

TEST_F(Loading, LoadsOnItsOwnThread) {
  LoadJob job(write_square("square.obj", 300), UnitChoice::fit, false);
  double last = 0;
  while (!job.done()) {
    const LoadJob::Progress progress = job.progress();
    EXPECT_GE(progress.fraction, last);
    EXPECT_LE(progress.fraction, 1);
    last = progress.fraction;
    std::this_thread::yield();
  }
  const LoadJob::Result result = job.result();
  ASSERT_NE(result.scene, nullptr) << result.error;
  EXPECT_THAT(result.error, IsEmpty());
  EXPECT_TRUE(result.scene->fitted);
  EXPECT_GT(result.scene->omega_max, 0);
  EXPECT_EQ(result.scene->scene.title, "square");
  EXPECT_EQ(job.progress().fraction, 1);
}

TEST_F(Loading, ABadFileIsOneSentenceAndNoScene) {
  const auto path = write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n");
  SimulationThread running(loaded(sheet_scene(4)), paused());
  const auto before = running.latest();
  LoadJob job(path, UnitChoice::fit, false);
  const LoadJob::Result result = job.result();
  EXPECT_EQ(result.scene, nullptr);
  EXPECT_THAT(result.error, HasSubstr("bad.obj:3"));
  EXPECT_EQ(running.latest()->frame.mesh, before->frame.mesh);
}

TEST_F(Loading, ASceneFileKeepsItsOwnScale) {
  write_square("square.obj", 300);
  Scene scene;
  scene.mesh = FileSource{"square.obj"};
  scene.scale = 0.02;
  LoadJob job(write("square.json", write_scene(scene)), UnitChoice::fit, true);
  const LoadJob::Result result = job.result();
  ASSERT_NE(result.scene, nullptr) << result.error;
  EXPECT_EQ(result.scene->mesh->scale, 0.02);
  EXPECT_FALSE(result.scene->mesh->z_up);
}

TEST_F(Loading, CanBeCancelled) {
  const auto cancel = [this](LoadJob job) {
    job.cancel();
    const Clock::time_point start = Clock::now();
    const LoadJob::Result result = job.result();
    RecordProperty("milliseconds", static_cast<int>(1e3 * seconds_since(start)));
    EXPECT_EQ(result.scene, nullptr);
    EXPECT_THAT(result.error, IsEmpty());
  };
  cancel(LoadJob(sheet_scene(700)));
  // What is wrong at its end is not read to.
  const auto path = write("large.json", "{\"clothlab-scene\": 1, " + std::string(32 << 20, ' ') + "!");
  cancel(LoadJob(path, UnitChoice::fit, false));
}

}  // namespace
}  // namespace clothlab
