// SPDX-License-Identifier: MIT
// Several mesh files in one scene are one cloth (mesh/join.h).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text_file.h"
#include "documents/bundle.h"
#include "documents/checkpoint_file.h"
#include "documents/load_job.h"
#include "documents/replay.h"
#include "documents/scene_file.h"
#include "documents/scene_loader.h"
#include "mesh/obj_groups.h"
#include "session/support.h"
#include "sim/pin_set.h"
#include "sim/scene_json.h"
#include "sim/support.h"
#include "temporary_folder.h"

namespace clothlab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kSide = 9;
constexpr std::size_t kParticles = std::size_t{kSide} * kSide;

/// A level sheet of 1 × 1 m in eighths, which decimals and sums represent exactly. `first`: the index of its
/// first vertex.
std::string sheet(const vec3& corner, int first = 1) {
  std::string text, faces;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      text += "v " + std::to_string(corner.x + i / 8.0) + " " + std::to_string(corner.y) + " " +
              std::to_string(corner.z + j / 8.0) + "\n";
      if (i + 1 == kSide || j + 1 == kSide) continue;
      const auto at = [&](int a, int b) { return " " + std::to_string(first + a * kSide + b); };
      faces += "f" + at(i, j) + at(i, j + 1) + at(i + 1, j + 1) + at(i + 1, j) + "\n";
    }
  return text + faces;
}

class AddedMeshes : public ::testing::Test {
 protected:
  AddedMeshes() {
    folder_.write("a.obj", sheet(vec3(0)));
    folder_.write("b.obj", sheet(vec3(0)));
  }

  /// Sheet b above sheet a, which is pinned.
  Scene scene() const {
    Scene scene;
    scene.mesh = FileSource{utf8_of(folder_ / "a.obj")};
    scene.added_meshes = {{utf8_of(folder_ / "b.obj"), {0.125, 0.0625, 0.25}}};
    scene.pins = PinnedGroups({"a"});
    scene.contact.model = ContactModel::impulse;
    scene.dt = 1.0 / 120;
    return scene;
  }

  static std::unique_ptr<Simulation> start(const Scene& scene) {
    return simulation_of(load_scene(scene), one_thread());
  }

  TemporaryFolder folder_;
};

double lowest(const Simulation& run, std::size_t first) {
  double y = run.state().x[first].y;
  for (std::size_t i = first; i < run.state().x.size(); ++i) y = std::min(y, run.state().x[i].y);
  return y;
}

TEST_F(AddedMeshes, AreThatOfAFileWithBothToTheBit) {
  folder_.write("both.obj",
                "g a\n" + sheet(vec3(0)) + "g b\n" + sheet({0.125, 0.0625, 0.25}, kParticles + 1));
  Scene both = scene();
  both.mesh = FileSource{utf8_of(folder_ / "both.obj")};
  both.added_meshes.clear();
  const auto one = start(both), two = start(scene());
  EXPECT_EQ(fingerprint(one->mesh()), fingerprint(two->mesh()));
  for (int k = 0; k < 60; ++k) {
    EXPECT_EQ(one->step(one_thread()), two->step(one_thread()));
    ASSERT_TRUE(same_bits(one->state(), two->state())) << k;
  }
}

TEST_F(AddedMeshes, CollideWithEachOther) {
  Scene without = scene();
  without.self_contact = false;
  const auto on = start(scene()), off = start(without);
  for (int k = 0; k < 60; ++k) {
    on->step(one_thread());
    off->step(one_thread());
  }
  EXPECT_GT(lowest(*on, kParticles), -0.3) << "a quarter of a metre hangs over the edge";
  EXPECT_LT(lowest(*off, kParticles), -0.5);
}

TEST_F(AddedMeshes, MoveAsEachAloneIfTheyAreFarApart) {
  folder_.write("far.obj", sheet({8, 0, 0}));
  Scene first = scene(), second = scene(), pair = scene();
  first.added_meshes.clear();
  second.added_meshes.clear();
  second.mesh = FileSource{utf8_of(folder_ / "far.obj")};
  pair.added_meshes.front().position = {8, 0, 0};
  for (Scene* each : {&first, &second, &pair}) {
    each->pins = PinPreset::top_corners;
    each->integrator = "velocity-verlet";  // a solver would join them by its tolerance
    each->dt = 1e-4;
  }
  pair.material.mass = 2 * first.material.mass;  // of all sheets
  const auto a = start(first), b = start(second), both = start(pair);
  for (int k = 0; k < 60; ++k)
    for (Simulation* run : {a.get(), b.get(), both.get()}) run->step(one_thread());
  std::vector<vec3> expected = a->state().x;
  expected.insert(expected.end(), b->state().x.begin(), b->state().x.end());
  EXPECT_EQ(both->state().x, expected);
}

TEST_F(AddedMeshes, AreGroupsOfTheirNames) {
  Scene scene = this->scene();
  fs::create_directory(folder_ / "other");
  folder_.write("other/b.obj", sheet(vec3(0)));
  scene.added_meshes.push_back({utf8_of(folder_ / "other/b.obj"), {0, 4, 0}});
  const LoadedScene loaded = load_scene(scene);
  EXPECT_THAT(groups_of(*loaded.mesh->source), ElementsAre("a", "b", "b-2"));
  const auto pinned = [&](const char* group) {
    scene.pins = PinnedGroups({group});
    return selected_particles(*loaded.mesh, scene);
  };
  EXPECT_EQ(pinned("a").size(), kParticles);
  EXPECT_EQ(pinned("b").front(), kParticles);
  EXPECT_EQ(pinned("b-2").front(), 2 * kParticles);
  scene.mesh = GridSource{3, 3, 1, 1};
  EXPECT_THAT(groups_of(*load_scene(scene).mesh->source), ElementsAre("b", "b-2", "grid"));
}

// Where they are does not depend on the unit and the axes of the files, as for obstacles.
TEST_F(AddedMeshes, ArePlacedInMetres) {
  Scene scene = this->scene();
  scene.scale = 0.01;
  scene.z_up = true;
  // The file's (1, 0, 1) is (1, 1, 0) with y up; turned by 90° about z and scaled it is (-2, 2, 0) cm.
  scene.added_meshes.front() = {utf8_of(folder_ / "b.obj"), {1, 2, 3}, {0, 0, 90}, 2};
  const LoadedScene loaded = load_scene(scene);
  EXPECT_LT(glm::distance(loaded.mesh->positions[kParticles], vec3(1, 2, 3)), 1e-14);
  EXPECT_LT(glm::distance(loaded.mesh->positions.back(), vec3(0.98, 2.02, 3)), 1e-14);
  SceneLoadOptions fit;
  fit.units = UnitChoice::fit;
  scene = this->scene();
  folder_.write("a.obj", "v 0 0 0\nv 300 0 0\nv 0 0 400\nf 1 2 3\n");
  const LoadedScene fitted = load_scene(scene, fit);
  EXPECT_NEAR(fitted.scene.scale, 1.5 / 500, 1e-15) << "the first mesh determines the unit";
  EXPECT_NEAR(fitted.mesh->positions[3].y, 0.0625, 1e-15);
}

TEST_F(AddedMeshes, FitEachForItselfIfTheyAreNew) {
  folder_.write("millimetres.obj", "v 0 0 0\nv 300 0 0\nv 0 0 400\nf 1 2 3\n");
  Scene scene = this->scene();
  scene.scale = 2;
  const AddedMesh large{utf8_of(folder_ / "millimetres.obj")};
  scene.added_meshes = {large, scene.added_meshes.front(), large};
  SceneLoadOptions loading;
  loading.fit_last_meshes = 2;
  const LoadedScene loaded = load_scene(scene, loading);
  EXPECT_EQ(loaded.scene.added_meshes[0].scale, 1) << "it is not new";
  EXPECT_EQ(loaded.scene.added_meshes[1].scale, 1) << "2.8 m across";
  EXPECT_NEAR(2 * loaded.scene.added_meshes[2].scale, 1.5 / 500, 1e-15) << "otherwise 1 km";
  EXPECT_EQ(loaded.scene.scale, 2);
  EXPECT_NEAR(glm::distance(loaded.mesh->positions.back(), loaded.mesh->positions.end()[-2]), 1.5, 1e-12);
}

TEST_F(AddedMeshes, AreSavedWithTheScene) {
  Scene scene = this->scene();
  scene.added_meshes.front().turn = {0, 30, 0.1};
  scene.added_meshes.front().scale = 1.0 / 3;
  scene.added_meshes.push_back({utf8_of(folder_ / "b.obj#b")});
  const fs::path file = folder_ / "scene.json";
  save_scene_file(scene, {}, file);
  EXPECT_THAT(read_text_file(file, kMaxSceneBytes), HasSubstr("{\"file\": \"b.obj#b\"}"));
  const Scene read = read_scene_file(file);
  EXPECT_EQ(read.added_meshes, scene.added_meshes);
  EXPECT_EQ(files_of(read), (std::vector<fs::path>{folder_ / "a.obj", folder_ / "b.obj", folder_ / "b.obj"}));
  EXPECT_THAT(write_values(scene), ::testing::Not(HasSubstr("b.obj")));
  for (const AddedMesh& mesh : scene.added_meshes)
    EXPECT_EQ(parse_added_mesh(added_mesh_argument(mesh)), mesh) << added_mesh_argument(mesh);
}

TEST_F(AddedMeshes, ContinueFromACheckpointWhereverTheyAre) {
  const auto run = start(scene());
  for (int k = 0; k < 10; ++k) run->step(one_thread());
  auto saved = std::make_shared<Checkpoint>();
  run->save(one_thread(), *saved);
  for (const char* name : {"moved", "search"}) fs::create_directory(folder_ / name);
  const fs::path path = folder_ / "moved/run.checkpoint";
  write_checkpoint_file(moment_of_lane(0, saved), run->mesh(), path);
  for (int k = 0; k < 10; ++k) run->step(one_thread());

  const auto load = [&](const fs::path& mesh_folder = {}) {
    LoadJob job(path, UnitChoice::fit, false, mesh_folder);
    return job.result();
  };
  fs::rename(folder_ / "b.obj", folder_ / "search/b.obj");
  EXPECT_THAT(load().error, AllOf(HasSubstr("b.obj"), HasSubstr("no such file")));
  EXPECT_NE(load(folder_ / "search").scene, nullptr);
  fs::rename(folder_ / "search/b.obj", folder_ / "moved/b.obj");
  const LoadJob::Result again = load();
  ASSERT_NE(again.scene, nullptr) << again.error;
  const auto resumed = simulation_of(*again.scene, one_thread());
  for (int k = 0; k < 10; ++k) resumed->step(one_thread());
  EXPECT_TRUE(same_bits(resumed->state(), run->state()));

  folder_.write("moved/b.obj", sheet({0, 0, 0.125}));
  EXPECT_THAT(load().error, HasSubstr("another mesh"));
}

TEST_F(AddedMeshes, AreInBundlesAndJournals) {
  SimulationThread thread(loaded(scene()), paused());
  for (int k = 0; k < 12; ++k) send_and_wait(thread, Control(StepOnce{}));
  const KeepJournal::Whole run = thread.keep_journal().get();
  const fs::path bundle = folder_ / "run.clothlab", journal = folder_ / "run.journal";
  write_bundle({run.moment, *run.loaded->mesh, run.journal, run.log, run.now}, bundle);
  folder_.write("run.journal", run.journal.text(run.log, run.now, [](const fs::path& mesh) { return mesh; }));

  const auto replayed = [&](const fs::path& path) {
    Replay replay(read_journal(path), {});
    while (replay.next(one_thread()) != Replay::Event::ended) {
    }
    return replay.arena().hash();
  };
  EXPECT_EQ(replayed(journal), run.now);
  folder_.write("b.obj", sheet({0, 0, 0.125}));
  EXPECT_THAT(message_of<InputError>([&] { replayed(journal); }),
              AllOf(HasSubstr("a.obj or "), HasSubstr("b.obj is not the mesh that was loaded then.")));
  EXPECT_THAT(message_of<InputError>([&] {
                write_bundle({run.moment, *run.loaded->mesh, run.journal, run.log, run.now}, bundle);
              }),
              HasSubstr("b.obj is not the mesh that was loaded then."));

  for (const char* name : {"a.obj", "b.obj"}) fs::remove(folder_ / name);
  EXPECT_EQ(replayed(bundle), run.now);
  LoadJob job(bundle, UnitChoice::fit, false);
  const LoadJob::Result opened = job.result();
  ASSERT_NE(opened.scene, nullptr) << opened.error;
  EXPECT_EQ(opened.scene->mesh->positions.size(), 2 * kParticles);
  EXPECT_EQ(opened.scene->scene.added_meshes.front().path, utf8_of(bundle / "meshes/b.obj"));
  EXPECT_EQ(Arena(lanes_of(*opened.scene, one_thread()), Arena::Options()).hash(), run.now);
}

// A bad file names itself, and the running scene stays as it is.
TEST_F(AddedMeshes, AreRefusedInOneSentence) {
  Scene scene = this->scene();
  scene.added_meshes.push_back({utf8_of(folder_ / "missing.obj")});
  LoadJob job(scene, {});
  EXPECT_EQ(job.result().scene, nullptr);
  EXPECT_THAT(job.result().error, HasSubstr("missing.obj: no such file"));
  scene.added_meshes.back() = {utf8_of(folder_ / "b.obj#sleeve")};
  EXPECT_THAT(message_of<InputError>([&] { load_scene(scene); }),
              AllOf(HasSubstr("b.obj"), HasSubstr("\"sleeve\"")));
  folder_.write("far.obj", "v 1e300 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
  scene.added_meshes.back() = {utf8_of(folder_ / "far.obj"), vec3(0), vec3(0), 1e9};
  EXPECT_THAT(message_of<InputError>([&] { load_scene(scene); }), HasSubstr("far.obj"));

  const auto refused = [](const std::string& list) {
    return message_of<InputError>(
        [&] { parse_scene("{\"clothlab-scene\": 5, \"added-meshes\": " + list + "}", "s"); });
  };
  EXPECT_THAT(refused("{}"), HasSubstr("\"added-meshes\" must be a list of objects with a \"file\""));
  EXPECT_THAT(refused("[{\"position\": [0, 0, 0]}]"), HasSubstr("lacks \"file\""));
  EXPECT_THAT(refused("[{\"file\": \"a\", \"psition\": 1}]"), HasSubstr("did you mean \"position\"?"));
  EXPECT_THAT(refused("[{\"file\": \"a\", \"scale\": 0}]"), HasSubstr("1e-09 to 1e+09"));
  EXPECT_THAT(refused("[{\"file\": \"a\", \"turn\": [0, 0, 1e7]}]"), HasSubstr("at most 1e+06°"));
  EXPECT_THAT(refused("[{\"file\": \"\"}]"), HasSubstr("name of its file"));
  EXPECT_THAT(refused("[{\"file\": [[1]]}]"), HasSubstr("\"added-meshes\" is nested too deeply"));
  std::string many;
  for (std::size_t k = 0; k <= kMostAddedMeshes; ++k)
    many += std::string(k == 0 ? "" : ", ") + "{\"file\": \"a\"}";
  EXPECT_THAT(refused("[" + many + "]"), HasSubstr("at most 16"));
  for (const char* text : {"0,0,0,1", "0,0,x,1,a.obj", "0,0,0,0,a.obj", "0,0,0,1,", "{", "[]"})
    EXPECT_THAT(message_of<InputError>([&] { parse_added_mesh(text); }), HasSubstr("The added mesh")) << text;
}

}  // namespace
}  // namespace clothlab::testing
