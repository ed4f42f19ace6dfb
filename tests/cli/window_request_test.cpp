// SPDX-License-Identifier: MIT
// The request that the command line hands to the window.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/text.h"
#include "documents/scene_loader.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

using Arguments = std::vector<std::string>;

/// The scene that `clothlab` with these arguments opens its window with, as a file would hold it, and how it
/// is to be run; empty where no window was opened.
std::string opened(const Arguments& arguments) {
  std::vector<const char*> argv{"clothlab"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::string seen;
  Services services;
  services.open_window = [&](const WindowRequest& request) {
    Scene built_in;
    built_in.mesh = GridSource{4, 4, 1, 1};
    SceneLoadOptions loading;
    loading.initial_state = request.initial_state;
    const LoadedScene loaded =
        load_scene(request.scene ? *request.scene : request.with_options(built_in), loading);
    seen = write_scene(loaded.scene) + std::to_string(request.threads) + (request.play ? "plays" : "") +
           (request.dress ? "dresses" : "");
    return 0;
  };
  EXPECT_EQ(run_cli(static_cast<int>(argv.size()), argv.data(), services), 0) << arguments.back();
  return seen;
}

/// Every option in `clothlab --help`.
std::vector<std::string> options_of_the_help() {
  const char* argv[] = {"clothlab", "--help"};
  ::testing::internal::CaptureStdout();
  run_cli(2, argv, {});
  std::istringstream help(::testing::internal::GetCapturedStdout());
  std::vector<std::string> options;
  const std::regex begins("^ +(-\\w,)?(--[a-z][a-z-]*).*");
  std::smatch match;
  for (std::string line; std::getline(help, line);)
    if (std::regex_match(line, match, begins)) options.push_back(match[2]);
  return options;
}

/// A value of the parameter that is not its default.
Arguments another_value(const ParameterSpec& spec) {
  const std::string option = "--" + std::string(spec.id);
  switch (spec.kind) {
    case ParameterSpec::Kind::boolean:
      return spec.fallback == 0 ? Arguments{option} : Arguments{option, "off"};
    case ParameterSpec::Kind::choice:
      return {option, std::string(spec.choices[spec.fallback == 0 ? 1 : 0])};
    case ParameterSpec::Kind::real:
    case ParameterSpec::Kind::integer:
      break;
  }
  const double other = spec.fallback == spec.min ? spec.fallback + 1 : spec.min;
  return {option, format_number(std::isinf(spec.max) || other <= spec.max ? other : spec.max)};
}

TEST(WindowRequest, EveryOptionChangesTheSceneThatIsOpened) {
  const TemporaryFolder folder;
  const std::string mesh =
      folder.write("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng a\nf 1 2 3 4\n").string();
  const std::string scene =
      folder.write("s.json", "{\"clothlab-scene\": 1, \"mesh\": {\"grid\": [3, 3]}}").string();
  std::string rows = "x,y,z,vx,vy,vz\n";
  for (int i = 0; i < 16; ++i) rows += std::to_string(i) + ",0,0,0,0,0\n";
  const std::string state = folder.write("s.csv", rows).string();
  const std::map<std::string, Arguments> own{{"--scene", {scene}},
                                             {"--mesh", {mesh}},
                                             {"--grid", {"5x5"}},
                                             {"--add-mesh", {"0,1,0,1," + mesh}},
                                             {"--size", {"2x3"}},
                                             {"--scale", {"2"}},
                                             {"--no-weld", {}},
                                             {"--z-up", {}},
                                             {"--pin", {"none"}},
                                             {"--gravity", {"0,0,-1"}},
                                             {"--obstacle", {"sphere:0,-1,0,0.25"}},
                                             {"--initial-state", {state}},
                                             {"--dress", {"--pin", "top-corners"}},  // which it removes
                                             {"--fabric", {"denim"}},
                                             {"--integrator", {"velocity-verlet"}},
                                             {"--tableau", {"heun", "--integrator", "runge-kutta"}},
                                             {"--threads", {"7"}},
                                             {"--play", {}}};
  const std::map<std::string, std::string> of_groups{{"--soft-pin", "a=20"}, {"--group-material", "a=stiff"}};

  const std::vector<std::string> options = options_of_the_help();
  ASSERT_GT(options.size(), 40u);
  const std::string named = opened({"--grid", "4x4"}), built_in = opened({"--quiet"}),
                    with_groups = opened({"--mesh", mesh});
  for (const std::string& option : options) {
    if (option == "--help" || option == "--version" || option == "--quiet") continue;
    if (option == "--mesh-folder") continue;  // changes no scene whose mesh is where it was
    Arguments arguments{option};
    if (const auto row = of_groups.find(option); row != of_groups.end()) {
      EXPECT_NE(opened({option, row->second, "--mesh", mesh}), with_groups) << option;
      continue;
    }
    if (const auto row = own.find(option); row != own.end()) {
      arguments.insert(arguments.end(), row->second.begin(), row->second.end());
    } else {
      const ParameterSpec* spec = find_parameter_spec(option.substr(2));
      ASSERT_NE(spec, nullptr) << option << " has no value to be tried with";
      arguments = another_value(*spec);
    }
    if (option != "--size") {  // which belongs to --grid
      EXPECT_NE(opened(arguments), built_in) << option << " on top of the built-in scene";
    }
    if (option == "--scene" || option == "--mesh" || option == "--grid") continue;
    arguments.insert(arguments.end(), {"--grid", "4x4"});
    EXPECT_NE(opened(arguments), named) << option << " on top of a scene that is named";
  }
  const std::string moved =
      folder.write("moved.json", "{\"clothlab-scene\": 1, \"mesh\": {\"file\": \"gone/m.obj\"}}").string();
  EXPECT_NE(opened({"--scene", moved, "--mesh-folder", folder.path().string()}).find(mesh),
            std::string::npos);
}

}  // namespace
}  // namespace clothlab
