// SPDX-License-Identifier: MIT
#include "documents/scene_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/scene_loader.h"
#include "documents/test_folder.h"
#include "session/support.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class SceneFile : public TestFolder {};

TEST_F(SceneFile, RefusesASceneFileBeyond64MiB) {
  const auto path = write("large.json", write_scene(sheet_scene(2)));
  std::filesystem::resize_file(path, std::uintmax_t{65} << 20);  // a hole: takes no room
  try {
    read_scene_file(path);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("64 MiB"));
  }
}

TEST_F(SceneFile, RefusesASummaryWithAKeyTwice) {
  const auto path = write("summary.json", R"({"clothlab-summary": 1, "steps": 1, "steps": 2, "scene": {}})");
  EXPECT_THAT(
      [&] { read_scene_file(path); },
      ::testing::ThrowsMessage<InputError>(HasSubstr("summary.json: the key \"steps\" occurs twice.")));
}

/// Every place where a scene file takes a text, with `HERE` for it.
std::vector<std::string> places_of_texts() {
  std::vector<std::string> places{"\"HERE\": 1",
                                  "\"mesh\": {\"HERE\": 1}",
                                  "\"initial-state\": {\"HERE\": 1}",
                                  "\"mesh\": {\"file\": \"HERE\"}",
                                  "\"mesh\": {\"file\": \"HERE.obj\"}",
                                  "\"mesh\": {\"generated\": \"HERE\"}"};
  for (const std::string_view key : scene_keys())
    if (key != "mesh") places.push_back('"' + std::string(key) + "\": \"HERE\"");
  return places;
}

// What a file says reaches a window, its title bar and a terminal.
TEST_F(SceneFile, NoTextOfASceneFileMakesALongOrDangerousSentence) {
  const std::string hostile[] = {std::string(1 << 20, 'x'),
                                 "\\u001b[2J\\u001b]0;owned\\u0007",
                                 "a\\u0000b",
                                 "\\u009b31m",
                                 "\\u202egnp.exe",
                                 "one\\ntwo\\r"};
  for (const std::string& place : places_of_texts()) {
    for (const std::string& text : hostile) {
      std::string body = place;
      body.replace(body.find("HERE"), 4, text);
      if (!place.starts_with("\"mesh\"")) body += ", \"mesh\": {\"grid\": [2, 2]}";
      std::string said;
      try {
        const LoadedScene loaded =
            load_scene(parse_scene("{\"clothlab-scene\": 1, " + body + "}", "hostile.json"));
        EXPECT_LE(loaded.scene.title.size(), 4 * kLongestTitle) << place;
        said = loaded.scene.title + loaded.scene.description;
        EXPECT_LE(said.size(), 4 * (kLongestTitle + kLongestDescription));
        said.erase(std::remove(said.begin(), said.end(), '\n'), said.end());
      } catch (const InputError& refused) {
        said = refused.what();
        EXPECT_LE(said.size(), 2500u) << place;
      }
      EXPECT_EQ(printable(said, said.size()), said) << place;
    }
  }
}

TEST_F(SceneFile, ASceneIsSavedSoThatItCanBeOpened) {
  const auto mesh = write_square("ä.obj", 1);
  Scene scene = scene_from_path(mesh);
  scene.material.mass = 0.7;
  const auto path = folder_ / "ä.json";
  const std::size_t bytes = save_scene_file(scene, {}, path);
  EXPECT_EQ(bytes, std::filesystem::file_size(path));
  EXPECT_EQ(std::get<FileSource>(parse_scene(read_text_file(path, kMaxSceneBytes), "s").mesh).path, "ä.obj");
  const Scene read = read_scene_file(path);
  EXPECT_EQ(read.material.mass, 0.7);
  EXPECT_EQ(load_scene(read).mesh->positions.size(), 4u);
}

// What is there already stays as it was.
TEST_F(SceneFile, WhatCouldNotBeOpenedIsNotSaved) {
  const auto path = write("kept.json", "kept");
  const auto refused = [&](const Scene& scene, const std::filesystem::path& to,
                           std::size_t max_bytes = kMaxSceneBytes) -> std::string {
    try {
      save_scene_file(scene, {}, to, max_bytes);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(refused(sheet_scene(2), path, 1 << 9), HasSubstr("a scene file may have 0.000488 MiB"));
  Scene strange = sheet_scene(2);
  strange.mesh = FileSource{(folder_ / "caf\xe9.obj").string()};
  EXPECT_THAT(refused(strange, path), HasSubstr("caf?.obj\", which is not UTF-8"));
  Scene too_large = sheet_scene(2);
  too_large.scale = 2e9;
  EXPECT_THAT(refused(too_large, path), HasSubstr("scale: 2e+09 is not allowed"));
  EXPECT_EQ(read_text_file(path, 100), "kept");
#ifndef _WIN32  // a pipe without a reader would keep the writer waiting
  const auto pipe = folder_ / "pipe.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refused(sheet_scene(2), pipe), HasSubstr("not a regular file"));
#endif
}

}  // namespace
}  // namespace clothlab
