// SPDX-License-Identifier: MIT
// Bodies from parts of OBJ files, sequences of them and point caches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/text_file.h"
#include "documents/body_file.h"
#include "documents/checkpoint_file.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "documents/scene_loader.h"
#include "documents/test_folder.h"
#include "sim/scene_json.h"
#include "sim/support.h"

namespace clothlab {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A wedge in two groups, moved up by y.
std::string wedge(double y) {
  const std::string low = std::to_string(y), high = std::to_string(1 + y);
  return "v 0 " + low + " 0\nv 1 " + low + " 0\nv 0 " + high + " 0\nv 0 " + low +
         " 1\ng back\nf 1 3 2\nf 1 2 4\ng front all\nf 1 4 3\nf 2 3 4\n";
}

void add_word(std::string& bytes, std::uint32_t word) {
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(word >> 8 * k);
}
void add_float(std::string& bytes, float number) { add_word(bytes, std::bit_cast<std::uint32_t>(number)); }

/// The points of wedge(0), moved up by 0, 1, ... in each sample.
std::string point_cache(std::uint32_t points, std::uint32_t samples, float rate = 1) {
  std::string bytes("POINTCACHE2\0", 12);
  add_word(bytes, 1);
  add_word(bytes, points);
  add_float(bytes, 3);
  add_float(bytes, rate);
  add_word(bytes, samples);
  for (std::uint32_t k = 0; k < samples; ++k)
    for (const vec3& x : {vec3(0), vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)}) {
      add_float(bytes, static_cast<float>(x.x));
      add_float(bytes, static_cast<float>(x.y + k));
      add_float(bytes, static_cast<float>(x.z));
    }
  return bytes;
}

class BodyFiles : public TestFolder {
 protected:
  Obstacle read(const std::string& name) {
    std::vector<Obstacle> bodies{parse_obstacle("mesh:0,0,0,1," + utf8_of(folder_ / name))};
    read_obstacle_meshes(bodies);
    return bodies[0];
  }
  std::string refusal_of(const std::string& name) {
    return refusal([&] { read(name); });
  }
  /// The y of the first corner in all frames.
  std::vector<double> heights(const std::string& name) {
    const Obstacle body = read(name);
    std::vector<double> all;
    for (std::size_t k = 0; k < body.mesh.frames->count(); ++k)
      all.push_back(body.mesh.frames->frame(k)[0].y);
    return all;
  }
};

TEST_F(BodyFiles, CanBeLimitedToGroups) {
  write("wedge.obj", wedge(0));
  EXPECT_EQ(read("wedge.obj").mesh.surface->triangles().size(), 4U);
  EXPECT_EQ(read("wedge.obj#back").mesh.surface->triangles().size(), 2U);
  EXPECT_EQ(read("wedge.obj#all,back").mesh.surface->triangles().size(), 4U);
  EXPECT_THAT(refusal_of("wedge.obj#body"),
              HasSubstr("wedge.obj: no face is in the group \"body\"; its groups are all, back, front."));
  write("a.obj#b.obj", wedge(0));
  EXPECT_EQ(read("a.obj#b.obj").mesh.surface->triangles().size(), 4U) << "a name with #";
  write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_THAT(refusal_of("plain.obj#body"), HasSubstr("it has no groups."));
}

// Vertices of other groups count in the frames, but are no corners of the body.
TEST_F(BodyFiles, ReadASequence) {
  for (const int k : {10, 11, 9}) write("walk_" + std::to_string(k) + ".obj", wedge(k));
  write("walk_x.obj", "no mesh");
  EXPECT_THAT(heights("walk_#.obj"), ElementsAre(9, 10, 11)) << "in the order of numbers";
  EXPECT_THAT(heights("walk_#.obj#front"), ElementsAre(9, 10, 11));
  EXPECT_EQ(read("walk_9.obj").mesh.frames, nullptr);
  std::filesystem::remove(folder_ / "walk_x.obj");
  EXPECT_THAT(heights(""), ElementsAre(9, 10, 11)) << "the whole folder";
  const Obstacle body = read("walk_#.obj");
  EXPECT_EQ(body.mesh.shape().positions()[0].y, 9);
  const vec3 corner = corners_of(obstacles_at({{body}}, {}, 0.5 / 24)[0])[0];
  EXPECT_NEAR(corner.y, 9.5, 1e-15) << "half-way to the second frame";
}

TEST_F(BodyFiles, RefuseASequenceWithAGap) {
  for (const int k : {8, 10, 12, 16}) write("walk_" + std::to_string(k) + ".obj", wedge(k));
  EXPECT_THAT(refusal_of("walk_#.obj"),
              HasSubstr("walk_16.obj: its number does not follow that of walk_12.obj as "
                        "walk_10.obj follows walk_8.obj. Frames are numbered at equal "
                        "intervals; one may be missing."));
  write("walk_14.obj", wedge(14));
  EXPECT_THAT(heights("walk_#.obj"), ElementsAre(8, 10, 12, 14, 16)) << "every second one";
  write("run_14.obj", wedge(14));
  EXPECT_THAT(refusal_of(""), HasSubstr("one may be missing")) << "a frame of another body in the folder";
}

TEST_F(BodyFiles, RefuseASequenceOfOtherMeshes) {
  write("walk_1.obj", wedge(0));
  EXPECT_THAT(refusal_of("run_#.obj"), HasSubstr("run_#.obj"));
  write("walk_2.obj", wedge(1) + "v 0 0 0\n");
  EXPECT_THAT(refusal_of("walk_#.obj"), HasSubstr("walk_2.obj: it has 5 vertices, and 4 are in "));
  write("walk_2.obj", wedge(1) + "f 1 2 3 4\n");
  EXPECT_THAT(refusal_of("walk_#.obj"), HasSubstr("walk_2.obj: it has 5 faces, and 4 are in "));
  std::string turned = wedge(1);
  write("walk_2.obj", turned.replace(turned.find("f 1 2 4"), 7, "f 1 4 2"));
  EXPECT_THAT(refusal_of("walk_#.obj"), HasSubstr("walk_2.obj: face 2 has other vertices than in "));
  EXPECT_THAT(refusal_of("walk_#.obj"), HasSubstr("walk_1.obj."));
  write("walk_2.obj", "v 0 0 nan\nf 1 1 1\n");
  EXPECT_THAT(refusal_of("walk_#.obj"), HasSubstr("walk_2.obj:1: 'nan' is not a"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(refusal_of("empty"), HasSubstr("empty: the folder has no OBJ files."));
}

TEST_F(BodyFiles, ReadAPointCache) {
  write("walk.obj", wedge(0.5));
  write("walk.pc2", point_cache(4, 3, 2));
  EXPECT_THAT(heights("walk.pc2"), ElementsAre(0, 1, 2));
  const Obstacle body = read("walk.pc2");
  EXPECT_EQ(body.mesh.surface->positions()[0].y, 0) << "as in the first sample";
  EXPECT_EQ(body.mesh.surface->triangles().size(), 4U);
  EXPECT_NEAR(corners_of(obstacles_at({{body}}, {}, 1.0 / 24)[0])[0].y, 0.5, 1e-15) << "every second frame";
  EXPECT_EQ(read("walk.pc2#front").mesh.surface->triangles().size(), 2U);
}

TEST_F(BodyFiles, RefuseABadPointCache) {
  const std::string good = point_cache(4, 3);
  write("walk.pc2", good);
  EXPECT_THAT(refusal_of("walk.pc2"), HasSubstr("Put the mesh as walk.obj next to it."));
  write("walk.obj", wedge(0));
  const auto refusal_as = [&](const std::string& bytes) {
    write("walk.pc2", bytes);
    return refusal_of("walk.pc2");
  };
  EXPECT_THAT(refusal_as("POINTCACHE2"), HasSubstr("walk.pc2: this is not a PC2 point cache"));
  EXPECT_THAT(refusal_as("X" + good.substr(1)), HasSubstr("not a PC2 point cache"));
  EXPECT_THAT(refusal_as(good.substr(0, good.size() - 1)),
              HasSubstr("has 175 bytes, and 3 samples of 4 points need another number. Is it truncated?"));
  EXPECT_THAT(refusal_as(good + "more"), HasSubstr("has 180 bytes"));
  EXPECT_THAT(refusal_as(point_cache(4, 0)), HasSubstr("no points or no samples"));
  EXPECT_THAT(refusal_as(point_cache(4, 3, 0)), HasSubstr("sample rate"));
  std::string fewer = good;
  fewer[16] = 3;
  fewer[28] = 4;  // the same size
  EXPECT_THAT(refusal_as(fewer), HasSubstr("walk.pc2: it has 3 points, and the mesh "));
  EXPECT_THAT(refusal_as(fewer), HasSubstr("walk.obj has 4 vertices."));
  std::string strange = good.substr(0, 32 + 48);
  add_float(strange, std::numeric_limits<float>::quiet_NaN());
  strange += good.substr(32 + 48 + 4);
  EXPECT_THAT(refusal_as(strange), HasSubstr("walk.pc2: frame 2 has a corner that is not finite"));
  std::string far = good.substr(0, 32 + 48);
  add_float(far, 5000);
  far += good.substr(32 + 48 + 4);
  EXPECT_THAT(refusal_as(far), HasSubstr("1000 m"));
}

// Moved with their scene, and told apart by their frames.
TEST_F(BodyFiles, BelongToScenesAndCheckpoints) {
  const auto here = folder_ / "here", there = folder_ / "there";
  std::filesystem::create_directories(here / "walk");
  for (const int k : {1, 2, 3}) write("here/walk/w" + std::to_string(k) + ".obj", wedge(0.1 * k));
  write("here/scene.json",
        R"({"clothlab-scene": 4, "mesh": {"grid": [4, 4]}, "obstacles": [{"body":
        "mesh:0.1,-1.5,0.1,0.7,walk/", "frames": {"rate": 30, "start": 0.1, "loops": true}}]})");
  const LoadedScene loaded = load_scene(read_scene_file(here / "scene.json"));
  const MeshFile& mesh = loaded.scene.obstacles.bodies[0].mesh;
  EXPECT_EQ(mesh.playback, (Playback{30, 0.1, true}));
  ASSERT_TRUE(mesh.frames);
  EXPECT_EQ(mesh.frames->count(), 3U);
  const Obstacle& body = loaded.scene.obstacles.bodies[0];
  EXPECT_EQ(parse_obstacle_argument(obstacle_argument(body)), body);
  WorkerPool pool(1);
  const auto simulation = simulation_of(loaded, pool);
  ASSERT_EQ(run(*simulation, 10), 10);
  const auto moment = std::make_shared<Checkpoint>();
  simulation->save(pool, *moment);
  write_checkpoint_file(moment_of_lane(0, moment), *loaded.mesh, here / "moment.checkpoint");
  ASSERT_EQ(run(*simulation, 10), 10);
  std::filesystem::rename(here, there);
  SceneLoadOptions options;
  options.checkpoint =
      std::make_shared<const CheckpointFile>(read_checkpoint_file(there / "moment.checkpoint"));
  const auto resumed = [&] { return simulation_of(load_scene(options.checkpoint->scene, options), pool); };
  const auto again = resumed();
  ASSERT_EQ(run(*again, 10), 10);
  EXPECT_TRUE(same_bits(again->state(), simulation->state()));
  std::filesystem::remove(there / "walk/w3.obj");
  EXPECT_THAT(refusal(resumed), HasSubstr("walk is not the mesh that was loaded then."));
}

}  // namespace
}  // namespace clothlab
