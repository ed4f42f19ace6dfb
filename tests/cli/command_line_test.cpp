// SPDX-License-Identifier: MIT
#include "documents/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>

#include "cli/interrupt.h"
#include "cli/options.h"
#include "core/error.h"
#include "documents/scene_loader.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

/// The scene that `clothlab simulate` reads from the options of a command. CLI11 splits the line as a shell
/// does.
Scene parsed(const std::string& command) {
  const std::string name = "clothlab simulate ";
  EXPECT_TRUE(command.starts_with(name)) << command;
  CLI::App app;
  SceneOptions options;
  std::string steps;
  options.add_to(app);
  app.add_option("--steps", steps);
  app.parse(command.substr(name.size()));
  EXPECT_EQ(steps, "42");
  return options.scene();
}

/// Titles are no part of a run.
std::string without_title(Scene scene) {
  scene.title.clear();
  scene.description.clear();
  return write_scene(scene);
}

// After Ctrl-C a large file is not read to its end, where the error is.
TEST(CommandLine, ReadingASceneCanBeInterrupted) {
  const TemporaryFolder folder;
  const std::string text = "{\"clothlab-scene\": 1, " + std::string(1 << 20, ' ') + "!";
  const std::string path = folder.write("large.json", text).string();
  CLI::App app;
  SceneOptions options;
  options.add_to(app);
  app.parse("--scene " + path);
  const Interrupt interrupt;
  EXPECT_THROW((void)options.scene(), InputError);
  std::raise(SIGINT);
  EXPECT_THROW((void)options.scene(), Cancelled);
  EXPECT_THROW((void)SceneOptions().scene(path), Cancelled);
  EXPECT_EQ(Interrupt::exit_status(), 130);
  const Interrupt forgets;
}

TEST(CommandLine, ReadsBackAsTheSameScene) {
  Scene plain;
  plain.mesh = GridSource{20, 30, 1, 1};
  EXPECT_EQ(command_line(plain, nullptr, "", 42), "clothlab simulate --grid 20x30 --steps 42");

  // Every parameter away from its default, one after the other.
  std::vector<Scene> scenes{plain};
  for (const SceneParameter& row : scene_parameters()) {
    Scene changed = plain;
    const ParameterSpec& spec = row.spec;
    const double other = spec.fallback == spec.min ? std::min(spec.max, spec.min + 1) : spec.min;
    row.set(changed, other);
    scenes.push_back(changed);
  }
  for (const IntegratorInfo& info : integrators()) {
    Scene changed = plain;
    changed.integrator = info.id;
    for (const ParameterSpec& spec : info.parameters)
      set_parameter(changed, spec.id, spec.fallback == spec.max ? spec.min : spec.max);
    scenes.push_back(changed);
  }
  Scene rest = plain;
  rest.mesh = FileSource{"/a folder/a mesh.obj"};
  rest.added_meshes = {{"a, b.obj", {0.1, -1.0 / 3, 0}, vec3(0), 0.5}, {"{c}.obj", vec3(0), {0, 45, 0}}};
  rest.scale = 0.1;
  rest.weld = false;
  rest.z_up = true;
  rest.pins = std::vector<std::uint32_t>{3, 5, 99};
  rest.material.gravity = vec3(-1.0 / 3, 2, 0);
  scenes.push_back(rest);
  rest.pins = std::vector<std::uint32_t>{};
  rest.mesh = GridSource{2, 3, 0.5, 1.0 / 3};
  scenes.push_back(rest);
  for (const Scene& scene : scenes) {
    const std::string command = command_line(scene, nullptr, "", 42);
    Scene expected = scene;
    if (const auto* list = std::get_if<VertexList>(&expected.pins); list && list->empty())
      expected.pins = PinPreset::none;
    EXPECT_EQ(without_title(parsed(command)), without_title(expected)) << command;
  }
}

#ifndef _WIN32
TEST(CommandLine, QuotesWhatAShellWouldTakeApart) {
  Scene scene;
  scene.mesh = FileSource{"it's $HOME.obj"};
  EXPECT_EQ(command_line(scene, nullptr, "", 1), "clothlab simulate --mesh 'it'\\''s $HOME.obj' --steps 1");
}
#endif

TEST(CommandLine, NamesTheSceneFileOfAMeshThatNoOptionNames) {
  const TemporaryFolder folder;
  Scene scene;
  scene.mesh = GeneratedSource{"curtain"};
  scene.adaptive = true;
  EXPECT_EQ(command_line(scene, &scene, "", 1), "");
  const std::filesystem::path file = folder.path() / "my scene.json";
  std::ofstream(file) << write_scene(scene);
  Scene changed = scene;
  changed.adaptive = false;
  changed.material.mass = 0.7;
  const std::string command = command_line(changed, &scene, file.string(), 42);
  EXPECT_EQ(without_title(parsed(command)), without_title(changed)) << command;
}

}  // namespace
}  // namespace clothlab
