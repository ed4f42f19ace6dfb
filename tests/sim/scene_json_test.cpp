// SPDX-License-Identifier: MIT
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "integrate/tableau.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

std::string with(const std::string& body) { return "{\"clothlab-scene\": 3, " + body + "}"; }

TEST(SceneJson, WhatIsLeftOutHasItsDefault) {
  EXPECT_EQ(write_scene(parse_scene("{\"clothlab-scene\": 3}", "s")), write_scene(Scene{}));
}

TEST(SceneJson, ReadsEveryKey) {
  const Scene scene = parse_scene(with(R"("title": "T", "description": "D",
    "mesh": {"grid": [3, 4], "size": [1.5, 2]}, "scale": 0.01, "weld": false, "z-up": true, "pin": [7, 0],
    "gravity": [1, -2, 3.5], "integrator": "backward-euler", "mass": 3, "mass-model": "area",
    "damping-model": "isotropic", "adaptive-dt": true, "energy-limit": "off", "cg-max-iterations": 7,
    "preconditioner": "jacobi", "linear-solver": "cholesky", "jacobian": "exact",
    "initial-state": {"positions": [[1, 2, 3]], "velocities": [[4, 5, 6]]})"),
                                  "s");
  EXPECT_EQ(scene.title, "T");
  EXPECT_EQ(scene.description, "D");
  const auto& grid = std::get<GridSource>(scene.mesh);
  EXPECT_EQ(grid.rows, 3);
  EXPECT_EQ(grid.cols, 4);
  EXPECT_EQ(grid.width, 1.5);
  EXPECT_EQ(grid.depth, 2);
  EXPECT_EQ(scene.scale, 0.01);
  EXPECT_FALSE(scene.weld);
  EXPECT_TRUE(scene.z_up);
  EXPECT_EQ(std::get<VertexList>(scene.pins), (std::vector<std::uint32_t>{7, 0}));
  EXPECT_EQ(scene.material.gravity, vec3(1, -2, 3.5));
  EXPECT_EQ(scene.integrator, "backward-euler");
  EXPECT_EQ(scene.material.mass, 3);
  EXPECT_EQ(scene.material.mass_model, MassModel::area);
  EXPECT_EQ(scene.material.damping_model, DampingModel::isotropic);
  EXPECT_TRUE(scene.adaptive);
  EXPECT_TRUE(std::isinf(scene.energy_limit));
  EXPECT_EQ(scene.solver.linear.cg.max_iterations, 7);
  EXPECT_EQ(scene.solver.linear.cg.preconditioner, PreconditionerKind::jacobi);
  EXPECT_EQ(scene.solver.linear.kind, LinearSolverSettings::Kind::cholesky);
  EXPECT_EQ(scene.solver.jacobian, JacobianMode::exact);
  ASSERT_TRUE(scene.initial_state);
  EXPECT_EQ(scene.initial_state->positions, std::vector<vec3>{vec3(1, 2, 3)});
  EXPECT_EQ(scene.initial_state->velocities, std::vector<vec3>{vec3(4, 5, 6)});

  EXPECT_EQ(std::get<FileSource>(parse_scene(with(R"("mesh": {"file": "a b.obj"})"), "s").mesh).path,
            "a b.obj");
  EXPECT_EQ(std::get<GeneratedSource>(parse_scene(with(R"("mesh": {"generated": "tube"})"), "s").mesh).name,
            "tube");
  const std::pair<const char*, PinPreset> presets[] = {{"none", PinPreset::none},
                                                       {"corners", PinPreset::corners},
                                                       {"top-corners", PinPreset::top_corners},
                                                       {"top-edge", PinPreset::top_edge}};
  for (const auto& [name, preset] : presets)
    EXPECT_EQ(std::get<PinPreset>(parse_scene(with("\"pin\": \"" + std::string(name) + "\""), "s").pins),
              preset);
}

TEST(SceneJson, NumbersComeBackToTheLastBit) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 5), mantissa(1, 10);
  const auto any = [&] { return mantissa(random) * std::pow(10, exponent(random)); };
  for (int k = 0; k < 100; ++k) {
    Scene scene;
    scene.title = "quotes \" and \\ and\nlines, ω and \t";
    scene.mesh =
        k % 2 == 0 ? MeshSource(GridSource{3, 2, any(), any()}) : MeshSource(FileSource{"ä/\"b\".obj"});
    scene.pins = std::vector<std::uint32_t>{0, std::numeric_limits<std::uint32_t>::max()};
    scene.material.gravity = {-any(), -0.0, any()};
    scene.initial_state = InitialState{{vec3(any(), -any(), -0.0)}, {vec3(0.0, 1.0 / 3, 1e300)}};
    for (const SceneParameter& row : scene_parameters()) {
      const double value = any();
      if (row.spec.kind == ParameterSpec::Kind::real && is_valid(row.spec, value)) row.set(scene, value);
    }
    const std::string text = write_scene(scene);
    const Scene read = parse_scene(text, "s");
    EXPECT_EQ(write_scene(read), text);
    EXPECT_EQ(read.title, scene.title);
    EXPECT_EQ(read.material, scene.material);
    EXPECT_EQ(std::memcmp(&read.material.gravity, &scene.material.gravity, sizeof(vec3)), 0);
    EXPECT_EQ(std::memcmp(read.initial_state->positions.data(), scene.initial_state->positions.data(),
                          sizeof(vec3)),
              0);
    EXPECT_EQ(std::memcmp(read.initial_state->velocities.data(), scene.initial_state->velocities.data(),
                          sizeof(vec3)),
              0);
    for (const SceneParameter& row : scene_parameters())
      EXPECT_EQ(row.get(read), row.get(scene)) << row.spec.id;
  }
}

TEST(SceneJson, KeepsTheNewtonToleranceOfFilesOfTheFirstVersion) {
  const auto tolerance = [](const std::string& text) {
    return parse_scene(text, "s").solver.newton_tolerance;
  };
  EXPECT_EQ(tolerance(R"({"clothlab-scene": 1})"), 1e-6);
  EXPECT_EQ(tolerance(R"({"newton-tolerance": 0.01, "clothlab-scene": 1})"), 0.01);
  EXPECT_EQ(tolerance(R"({"clothlab-scene": 2})"), 1e-3);
}

TEST(SceneJson, KeepsTheSweepsOfXpbdOfFilesOfTheSecondVersion) {
  const auto sweeps = [](const std::string& text) {
    const Scene scene = parse_scene(text, "s");
    const IntegratorParameters values = integrator_parameters(scene, *find_integrator("xpbd"));
    return std::pair(values.at(0), values.at(1));
  };
  EXPECT_EQ(sweeps(R"({"clothlab-scene": 2})"), std::pair(20.0, 1.0));
  EXPECT_EQ(sweeps(R"({"xpbd-substeps": 10, "clothlab-scene": 1})"), std::pair(20.0, 10.0));
  EXPECT_EQ(sweeps(R"({"clothlab-scene": 3})"), std::pair(1.0, 10.0));
}

TEST(SceneJson, AMethodIsReadAsItWasWritten) {
  Method method;
  method.integrator = "xpbd";
  method.integrator_parameters = {{"xpbd-iterations", 20}, {"xpbd-substeps", 3}};
  method.contact.model = ContactModel::barrier;
  method.contact.distance = 1.0 / 3;
  method.substeps = 7;
  method.adaptive = true;
  method.solver.linear.cg.preconditioner = PreconditionerKind::jacobi;
  const auto written = nlohmann::json::parse(write_method(method));
  EXPECT_EQ(method_from_json(written), method);
  EXPECT_EQ(written["xpbd-iterations"], 20);
  EXPECT_FALSE(written.contains("mass"));
  const auto refused = [](const char* text) {
    return refusal([&] { method_from_json(nlohmann::json::parse(text)); });
  };
  EXPECT_EQ(method_from_json(nlohmann::json::object()), Method{});
  EXPECT_EQ(refused("[]"), "a method must be a JSON object, { ... }");
  EXPECT_EQ(refused(R"({"substep": 2})"), "unknown key \"substep\"; did you mean \"substeps\"?");
  EXPECT_EQ(refused(R"({"mass": 2})"), "unknown key \"mass\".");
  EXPECT_NE(refused(R"({"substeps": "2"})").find("\"substeps\" must be a number"), std::string::npos);
  EXPECT_NE(refused(R"({"cg-tolerance": 2})").find("cg-tolerance: 2 is not allowed"), std::string::npos);
  EXPECT_NE(refused(R"({"integrator": "rk5"})").find("\"integrator\" cannot be \"rk5\""), std::string::npos);
}

struct Refused {
  const char* text;
  const char* mentions;
};

TEST(SceneJson, RefusesWithTheLineOrTheKey) {
  const Refused cases[] = {
      {"", "line 1"},
      {"[]", "JSON object"},
      {"{}", "\"clothlab-scene\""},
      {R"({"clothlab-scene": 6})", "\"clothlab-scene\" must be from 1 to 5"},
      {R"({"clothlab-scene": "1"})", "\"clothlab-scene\" must be from 1 to 5"},
      {R"({"clothlab-scene": 1.5})", "\"clothlab-scene\" must be from 1 to 5"},
      {"{\"clothlab-scene\": 1,\n\"mass\" 3}", "line 2"},
      {"{\"clothlab-scene\": 1,\n\n\"mass\": 3,}", "line 3"},
      {"{\"clothlab-scene\": 1}\n\nmore", "line 3"},
      {"{\"clothlab-scene\": 1} {}", "line 1"},
      {"{\"clothlab-scene\": 1, // comment\n}", "line 1"},
      {"{\"clothlab-scene\": 1, \"title\": \"\xff\"}", "line 1"},
      {R"({"clothlab-scene": 1, "mass": NaN})", "line 1"},
      {R"({"clothlab-scene": 1, "mass": 1e999})", "\"mass\" holds a number that is too large"},
      {R"({"clothlab-scene": 1, "mesh": {"grid": [2, 2]}, "gravity": [0, -1e999, 0]})",
       "\"gravity\" holds a number that is too large"},
      {"[1e999]", "JSON object"},
      {R"({"clothlab-scene": 1, "mass": 1, "mass": 2})", "\"mass\" occurs twice"},
      {R"({"clothlab-scene": 1, "mesh": {"file": "a", "file": "b"}})", "\"file\" occurs twice"},
      {R"({"clothlab-scene": 1, "maas": 1})", "did you mean \"mass\""},
      {R"({"clothlab-scene": 1, "mass": "heavy"})", "\"mass\" must be a number"},
      {R"({"clothlab-scene": 1, "mass": null})", "\"mass\" must be a number"},
      {R"({"clothlab-scene": 1, "mass": -1})", "mass: -1 is not allowed"},
      {R"({"clothlab-scene": 1, "dt": 0})", "dt: 0 is not allowed"},
      {R"({"clothlab-scene": 1, "cg-max-iterations": 2.5})", "cg-max-iterations: 2.5"},
      {R"({"clothlab-scene": 1, "energy-limit": "on"})", "\"energy-limit\" must be a number or \"off\""},
      {R"({"clothlab-scene": 1, "energy-limit": 0.5})", "energy-limit: 0.5"},
      {R"({"clothlab-scene": 1, "adaptive-dt": 1})", "\"adaptive-dt\" must be true or false"},
      {R"({"clothlab-scene": 1, "mass-model": "aera"})", "did you mean \"area\""},
      {R"({"clothlab-scene": 1, "mass-model": 1})", "\"mass-model\" must be a text"},
      {R"({"clothlab-scene": 1, "integrator": "rk5"})", "\"integrator\" cannot be \"rk5\""},
      {R"({"clothlab-scene": 1, "gravity": -9.8})", "\"gravity\" must be a list of three numbers"},
      {R"({"clothlab-scene": 1, "gravity": [0, "x", 0]})", "\"gravity\" must be a list of three numbers"},
      {R"({"clothlab-scene": 1, "gravity": [0, -1e7, 0]})", "gravity"},
      {R"({"clothlab-scene": 1, "scale": 0})", "between 1e-09 and 1e+09"},
      {R"({"clothlab-scene": 1, "scale": 9e-10})", "between 1e-09 and 1e+09"},
      {R"({"clothlab-scene": 1, "scale": 1.1e9})", "between 1e-09 and 1e+09"},
      {R"({"clothlab-scene": 1, "weld": "no"})", "\"weld\" must be true or false"},
      {R"({"clothlab-scene": 1, "pin": "top-corner"})", "did you mean \"top-corners\""},
      {R"({"clothlab-scene": 1, "pin": [-1]})", "\"pin\" must hold whole numbers"},
      {R"({"clothlab-scene": 1, "pin": [4294967296]})", "\"pin\" must hold whole numbers"},
      {R"({"clothlab-scene": 1, "pin": [18446744073709551615]})", "\"pin\" must hold whole numbers"},
      {R"({"clothlab-scene": 1, "pin": 3})", "\"pin\" must be the name"},
      {R"({"clothlab-scene": 1, "mesh": "a.obj"})", "\"mesh\" must be an object"},
      {R"({"clothlab-scene": 1, "mesh": {}})", "exactly one"},
      {R"({"clothlab-scene": 1, "mesh": {"file": "a", "grid": [2, 2]}})", "exactly one"},
      {R"({"clothlab-scene": 1, "mesh": {"file": "a", "size": [2, 2]}})", "\"size\" belongs"},
      {R"({"clothlab-scene": 1, "mesh": {"fiel": "a"}})", "did you mean \"file\""},
      {R"({"clothlab-scene": 1, "mesh": {"grid": [2]}})", "\"grid\" must be"},
      {R"({"clothlab-scene": 1, "mesh": {"grid": {"rows": 2}}})", "\"grid\" is nested too deeply"},
      {R"({"clothlab-scene": 1, "mesh": {"file": ["a.obj"]}})", "\"file\" is nested too deeply"},
      {R"({"clothlab-scene": 1, "mesh": {"file": "a\u0000b.obj"}})", "\"file\" must not contain"},
      {R"({"clothlab-scene": 1, "title": ["T"]})", "\"title\" must be a text"},
      {R"({"clothlab-scene": 1, "mass": {"kg": 1}})", "\"mass\" must be a number"},
      {R"({"clothlab-scene": 1, "gravity": [[0], 1, 2]})", "\"gravity\" is nested too deeply"},
      {R"({"clothlab-scene": 1, "pin": [[[0]]]})", "\"pin\" is nested too deeply"},
      {R"({"clothlab-scene": 1, "mesh": {"grid": [1, 2]}})", "\"grid\" must hold whole numbers from 2"},
      {R"({"clothlab-scene": 1, "mesh": {"grid": [2, 2], "size": [0, 1]}})",
       "\"size\" must hold numbers greater"},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": []}})", "lacks \"velocities\""},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": [[1, 2, 3, 4]], "velocities": []}})",
       "\"positions\" must be a list of three"},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": [[1, "x", 3]], "velocities": []}})",
       "\"positions\" must be a list of three"},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": [1, 2, 3], "velocities": []}})",
       "\"positions\" must be a list of three"},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": 1, "velocities": []}})",
       "\"positions\" must be a list of three"},
      {R"({"clothlab-scene": 1, "initial-state": [[1, 2, 3]]})", "\"initial-state\" must be an object"},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": [[1, 2]], "velocities": [[1, 2, 3]]}})",
       "\"positions\" must be a list of three"},
      {R"({"clothlab-scene": 1, "initial-state": {"positions": [[1, 2, 3]], "velocities": []}})", "as many"},
  };
  for (const Refused& refused : cases) {
    const std::string message = refusal([&] { (void)parse_scene(refused.text, "scene.json"); });
    EXPECT_EQ(message.rfind("scene.json: ", 0), 0u) << message;
    EXPECT_NE(message.find(refused.mentions), std::string::npos) << refused.text << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(message.find("[json"), std::string::npos) << "the parser's own words: " << message;
  }
}

// Nothing that follows is read: it would not even be JSON.
TEST(SceneJson, WhatIsWrongIsRefusedWhenItComes) {
  const std::pair<const char*, const char*> cases[] = {
      {"\"maas\": ", "unknown key \"maas\""},
      {"\"mesh\": {\"fiel\": ", "\"mesh\" has no \"fiel\""},
      {"\"title\": [", "\"title\" must be a text"},
      {"\"gravity\": [[", "\"gravity\" is nested too deeply"},
      {"\"initial-state\": {\"positions\": [[1, 2]", "\"positions\" must be a list of three"},
  };
  for (const auto& [begin, mentions] : cases) {
    const std::string text = "{\"clothlab-scene\": 1, " + std::string(begin) + "\x01";
    EXPECT_NE(refusal([&] { (void)parse_scene(text, "s"); }).find(mentions), std::string::npos) << begin;
  }
}

// Reading stops within 64 KiB, whether of one string, one list or white space.
TEST(SceneJson, ReadingStopsWhenItIsAsked) {
  const std::size_t bytes = std::size_t{1} << 20;
  std::string list;
  while (list.size() < bytes) list += "0,";
  for (const std::string& body : {"\"title\": \"" + std::string(bytes, 'x') + "\"",
                                  "\"pin\": [" + list + "0]", std::string(bytes, ' ') + "\"mass\": 1"}) {
    int asked = 0;
    EXPECT_THROW((void)parse_scene(with(body), "s", [&] { return ++asked == 3; }), Cancelled);
    EXPECT_EQ(asked, 3);
  }
}

TEST(SceneJson, OpensWithMultigridWhatNamesAPreconditionerOfEarlierVersions) {
  SceneExtras extras;
  const Scene scene = parse_scene(with("\"preconditioner\": \"cholesky\""), "old.json", {}, &extras);
  EXPECT_EQ(scene.solver.linear.cg.preconditioner, PreconditionerKind::multigrid);
  EXPECT_EQ(extras.remark,
            "old.json: The preconditioner \"cholesky\" no longer exists; \"multigrid\" takes its place.");
  extras = {};
  (void)parse_scene(with("\"preconditioner\": \"jacobi\""), "new.json", {}, &extras);
  EXPECT_EQ(extras.remark, "");
}

TEST(SceneJson, LongTextsAreCutAndWhatATerminalObeysIsReplaced) {
  const std::string title = "\\u001b]0;" + std::string(1 << 20, 'x');
  const std::string lines = "one\\ntwo\\u0000";
  const Scene scene =
      parse_scene(with("\"title\": \"" + title + "\", \"description\": \"" + lines + title + "\""), "s");
  EXPECT_EQ(scene.title, "?]0;" + std::string(kLongestTitle - 5, 'x') + "…");
  EXPECT_TRUE(scene.description.starts_with("one\ntwo??]0;xx"));
  EXPECT_EQ(scene.description.size(), kLongestDescription - 1 + std::string("…").size());
  EXPECT_EQ(parse_scene(write_scene(scene), "s").description, scene.description);
}

TEST(SceneJson, APathThatIsNotUtf8IsNotWritten) {
  Scene scene;
  scene.mesh = FileSource{"caf\xe9.obj"};
  EXPECT_NE(refusal([&] { (void)write_scene(scene); }).find("\"caf?.obj\", which is not UTF-8"),
            std::string::npos);
}

TEST(SceneJson, ObstaclesMayTurnAndHavePaths) {
  const std::string text =
      R"({"clothlab-scene": 3, "obstacles": ["sphere:0,-1,0,0.3",
          {"body": "box:0,0,0,1,2,3", "turn": [0, 45, 0]},
          {"body": "capsule:-1,0,0,1,0,0,0.1", "path": [{"time": 0.5}, {"time": 1, "move": [0, 0.1, 0], "turn": [0, 120, 0]},
            {"time": 2, "turn": [0, 240, 0]},
            {"time": 2.25, "turn": [0, 360, 0]}], "loops": true}], "gravity": [0, -1, 0]})";
  const Scene scene = parse_scene(text, "s");
  const std::vector<Obstacle>& bodies = scene.obstacles.bodies;
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_EQ(bodies[0], parse_obstacle("sphere:0,-1,0,0.3"));
  EXPECT_EQ(bodies[1], turned(parse_obstacle("box:0,0,0,1,2,3"), vec3(0, 45, 0)));
  ASSERT_EQ(bodies[2].path.keys.size(), 4u);
  EXPECT_EQ(bodies[2].path.keys[1].move, vec3(0, 0.1, 0));
  EXPECT_EQ(bodies[2].path.keys[3].turn, vec3(0, 360, 0));
  EXPECT_TRUE(bodies[2].path.loops);
  EXPECT_EQ(parse_scene(write_scene(scene), "s").obstacles, scene.obstacles);
  EXPECT_EQ(scene.material.gravity.y, -1) << "what comes after is read";
  const Obstacle bar = turned(parse_obstacle("capsule:-1,0,0,1,0,0,0.1"), vec3(0, 0, 90));
  EXPECT_EQ(read_obstacle(nlohmann::json::parse(write_obstacle(bar))), bar);
  for (const Obstacle& body : bodies) EXPECT_EQ(parse_obstacle_argument(obstacle_argument(body)), body);
  EXPECT_EQ(obstacle_argument(bodies[0]), "sphere:0,-1,0,0.3");
  EXPECT_NE(refusal([] { parse_obstacle_argument("{\"body\": 3}"); }).find("must be a text"),
            std::string::npos);
  EXPECT_NE(refusal([] { parse_obstacle_argument("{body"); }).find("not valid JSON"), std::string::npos);
}

TEST(SceneJson, ObstaclesAreRefusedByMember) {
  const auto refused = [](const std::string& list) {
    return refusal([&] { parse_scene(R"({"clothlab-scene": 3, "obstacles": [)" + list + "]}", "s"); });
  };
  EXPECT_NE(refused("7").find("an obstacle must be a text such as"), std::string::npos);
  EXPECT_NE(refused("{}").find("\"body\" of an obstacle must be a text"), std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "trun": [0, 0, 0]})").find("did you mean \"turn\"?"),
            std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "turn": [0, 0]})").find("a list of three numbers"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              parse_obstacle_argument(R"({"body": "sphere:0,0,0,1", "body": "sphere:0,0,0,2"})");
            }).find("the key \"body\" occurs twice."),
            std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "body": ""})").find("has \"body\" twice"),
            std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "path": 3})").find("a list of keyframes"),
            std::string::npos);
  EXPECT_NE(
      refused(R"({"body": "sphere:0,0,0,1", "path": [{"move": [0, 0, 0]}]})").find("a number of seconds"),
      std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "path": [{"time": 1}, {"time": 1}]})").find("must ascend"),
            std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "path": [{"time": 0, "moved": [0, 0, 0]}]})")
                .find("a keyframe of an obstacle has no \"moved\"; did you mean \"move\"?"),
            std::string::npos);
  EXPECT_NE(refused(R"({"body": [[[[[1]]]]]})").find("nested too deeply"), std::string::npos);
  EXPECT_NE(refused(R"({"body": "sphere:0,0,0,1", "loops": 1})").find("true or false"), std::string::npos);
}

TEST(SceneJson, EveryParameterIsAKey) {
  Scene scene;
  scene.title = scene.description = "x";
  scene.mesh = FileSource{"a.obj"};
  scene.added_meshes.resize(1);
  scene.initial_state = InitialState{};
  scene.obstacles.bodies.resize(1);
  scene.groups.resize(1);
  scene.material.groups.resize(1);
  scene.drivers.resize(1);
  scene.seams.resize(1);
  scene.tableau = &tableau_method(tableau_preset("heun"));
  const std::string text = write_scene(scene, std::vector<LaneMethod>{{0, scene.method()}});
  for (const std::string_view key : scene_keys()) {
    const bool own_of_an_integrator =
        find_scene_parameter(key) == nullptr && find_parameter_spec(key) != nullptr;
    EXPECT_EQ(text.find('"' + std::string(key) + "\": ") != std::string::npos, !own_of_an_integrator) << key;
  }
}

/// The table of keys in docs/scene-format.md, made from the tables of the program.
std::string documented_keys() {
  std::ostringstream out;
  const auto number = [](double value) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(6);
    text << value;
    return text.str();
  };
  out << "| key | value | default |\n| --- | --- | --- |\n";
  std::vector<const ParameterSpec*> specs;
  for (const SceneParameter& row : scene_parameters()) specs.push_back(&row.spec);
  for (const std::string_view key : scene_keys())
    if (find_scene_parameter(key) == nullptr)
      if (const ParameterSpec* spec = find_parameter_spec(key)) specs.push_back(spec);
  for (const ParameterSpec* spec : specs) {
    out << "| `" << spec->id << "` | ";
    const std::string unit = spec->unit.empty() ? "" : " " + std::string(spec->unit);
    switch (spec->kind) {
      case ParameterSpec::Kind::boolean:
        out << "true or false | " << (spec->fallback != 0 ? "true" : "false");
        break;
      case ParameterSpec::Kind::choice:
        for (std::size_t c = 0; c < spec->choices.size(); ++c)
          out << (c == 0 ? "" : ", ") << '"' << spec->choices[c] << '"';
        out << " | \"" << spec->choices[static_cast<std::size_t>(spec->fallback)] << '"';
        break;
      case ParameterSpec::Kind::real:
      case ParameterSpec::Kind::integer:
        out << (spec->kind == ParameterSpec::Kind::integer ? "whole number, " : "") << number(spec->min);
        if (std::isinf(spec->max))
          out << unit << " or more, or \"off\"";
        else
          out << " to " << number(spec->max) << unit;
        if (spec->most_negative < 0)
          out << ", or " << number(spec->most_negative) << " to " << number(-spec->min) << unit;
        out << " | " << number(spec->fallback);
        break;
    }
    out << " |\n";
  }
  return out.str();
}

TEST(SceneJson, TheDocumentListsTheKeys) {
  std::ifstream file(source_dir() / "docs" / "scene-format.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(document.find(documented_keys()), std::string::npos)
      << "docs/scene-format.md should hold this table:\n"
      << documented_keys();
  for (const std::string_view key : scene_keys())
    EXPECT_NE(document.find('`' + std::string(key) + '`'), std::string::npos) << key;
}

TEST(SceneJson, TheExampleInTheDocumentIsRead) {
  std::ifstream file(source_dir() / "docs" / "scene-format.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = document.find("```json\n"), end = document.find("```", begin + 8);
  ASSERT_NE(end, std::string::npos);
  const Scene scene = parse_scene(document.substr(begin + 8, end - begin - 8), "example");
  EXPECT_FALSE(scene.title.empty());
}

TEST(SceneJson, LanesAreReadAsTheyWereWritten) {
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  scene.material.mass = 0.7;
  scene.integrator = "rk4";
  scene.substeps = 3;
  LaneMethod first{1, scene.method()}, second{4, Method()};
  second.method.integrator = "newmark";
  second.method.integrator_parameters = {{"newmark-beta", 0.3}};
  second.method.contact.model = ContactModel::barrier;
  second.method.solver.newton_tolerance = 1e-7;
  const std::vector<LaneMethod> lanes{first, second};
  SceneExtras extras;
  const std::string text = write_scene(scene, lanes);
  const Scene read = parse_scene(text, "lanes.json", {}, &extras);
  EXPECT_EQ(read, scene);
  EXPECT_EQ(extras.lanes, lanes);
  EXPECT_EQ(write_scene(read, extras.lanes), text);
  EXPECT_EQ(parse_scene(write_scene_line(scene, lanes), "line", {}, &extras), scene);
  EXPECT_EQ(extras.lanes, lanes);
  (void)parse_scene(write_scene(scene), "one.json", {}, &extras);
  EXPECT_TRUE(extras.lanes.empty());
}

TEST(SceneJson, TableauxAreReadAsTheyWereWritten) {
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  scene.integrator = "runge-kutta";
  scene.tableau = &tableau_method(tableau_preset("gauss4"));
  LaneMethod first{0, scene.method()}, second{1, Method()};
  second.method.integrator = "runge-kutta";
  second.method.tableau = &tableau_method({"A \"name\"", {{"0"}}, {"1"}});
  LaneMethod third{2, Method()};
  set_integrator(third.method, tableau_method(tableau_preset("leapfrog")).info);
  EXPECT_EQ(third.method.integrator, "two-step");
  const std::vector<LaneMethod> lanes{first, second, third};
  SceneExtras extras;
  const Scene read = parse_scene(write_scene(scene, lanes), "lanes.json", {}, &extras);
  EXPECT_EQ(read, scene);
  EXPECT_EQ(extras.lanes, lanes);
  EXPECT_EQ(parse_scene(write_scene(scene), "one.json"), scene);
  // Numbers are as good as texts, and c may be there.
  const Scene numbers = parse_scene(
      R"({"clothlab-scene": 4, "mesh": {"grid": [4, 4]}, "integrator": "runge-kutta",
          "tableau": {"a": [[0, 0], [0.5, 0]], "b": [0, 1], "c": ["0", "1/2"]}})",
      "numbers.json");
  EXPECT_EQ(method_info(numbers).order, 2);
  EXPECT_EQ(method_info(numbers).title, "Runge–Kutta tableau");
  const auto refused = [](const std::string& tableau) -> std::string {
    try {
      (void)parse_scene(R"({"clothlab-scene": 4, "tableau": )" + tableau + "}", "f.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refused("3").find("object"), std::string::npos);
  EXPECT_NE(refused(R"({"a": [[0]]})").find("\"b\""), std::string::npos);
  EXPECT_NE(refused(R"({"a": [[0]], "b": [1], "x": 1})").find("\"x\""), std::string::npos);
  EXPECT_NE(refused(R"({"a": [[[0]]], "b": [1]})").find("\"a\""), std::string::npos);
  EXPECT_NE(refused(R"({"a": [[0]], "b": [2]})").find("add up to 2"), std::string::npos);
  EXPECT_NE(refused(R"({"a": [[0]], "b": [1], "c": [0.5]})").find("\"c\""), std::string::npos);
  EXPECT_NE(refused(R"({"alpha": [-1, 0, 1]})").find("\"beta\""), std::string::npos);
  EXPECT_NE(refused(R"({"alpha": [-1, 0, 1], "beta": [0, 2, 0], "a": [[0]]})").find("\"a\" belongs"),
            std::string::npos);
  EXPECT_NE(refused(R"({"alpha": [-1, 0, 1], "beta": [0, 2, 0]}, "integrator": "runge-kutta")")
                .find("one for \"integrator\": \"two-step\""),
            std::string::npos);
}

TEST(SceneJson, TheSceneHasTheMethodOfTheFirstLane) {
  const std::string text =
      R"({"clothlab-scene": 4, "mesh": {"grid": [4, 4]}, "mass": 0.5, "integrator": "xpbd",
      "lanes": [{"letter": "A", "method": {"integrator": "bdf2", "substeps": 2}},
                {"letter": "C", "method": {}}]})";
  SceneExtras extras;
  const Scene scene = parse_scene(text, "lanes.json", {}, &extras);
  EXPECT_EQ(scene.integrator, "bdf2");
  EXPECT_EQ(scene.substeps, 2);
  EXPECT_EQ(scene.material.mass, 0.5);
  ASSERT_EQ(extras.lanes.size(), 2U);
  EXPECT_EQ(extras.lanes[1].lane, 2U);
  EXPECT_EQ(extras.lanes[1].method, Method()) << "what is left out has its default";
}

TEST(SceneJson, BadLanesAreRefused) {
  const auto refusal = [](const std::string& lanes) -> std::string {
    try {
      (void)parse_scene(R"({"clothlab-scene": 4, "mesh": {"grid": [4, 4]}, "lanes": )" + lanes + "}",
                        "bad.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string form = R"("lanes" must be a list of objects with a "letter" and a "method")";
  EXPECT_THAT(refusal("3"), ::testing::HasSubstr("must be a list of 1 to 8 lanes"));
  EXPECT_THAT(refusal("[]"), ::testing::HasSubstr("must be a list of 1 to 8 lanes"));
  EXPECT_THAT(refusal("[3]"), ::testing::HasSubstr(form));
  EXPECT_THAT(refusal(R"([{"letter": "A"}])"), ::testing::HasSubstr(form));
  EXPECT_THAT(refusal(R"([{"letter": "I", "method": {}}])"), ::testing::HasSubstr("one letter from A to H"));
  EXPECT_THAT(refusal(R"([{"letter": "B", "method": {}}, {"letter": "B", "method": {}}])"),
              ::testing::HasSubstr("ascending letters"));
  EXPECT_THAT(refusal(R"([{"letter": "A", "method": {"mass": 1}}])"),
              ::testing::HasSubstr("unknown key \"mass\""));
  EXPECT_THAT(refusal(R"([{"letter": "A", "method": {"integrator": "euler"}}])"),
              ::testing::HasSubstr("\"integrator\""));
  EXPECT_THAT(refusal(R"([{"letter": "A", "method": {"substeps": 0}}])"), ::testing::HasSubstr("substeps"));
}

}  // namespace
}  // namespace clothlab::testing
