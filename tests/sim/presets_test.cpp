// SPDX-License-Identifier: MIT
#include "sim/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support.h"

namespace clothlab {
namespace {

// A sheet held at its four corners and slowed by thick air, so that it comes to rest.
Scene slow_sheet(const Preset& preset) {
  Scene scene;
  scene.mesh = GridSource{9, 9, 1, 1};
  scene.pins = PinPreset::corners;
  scene.material.rayleigh_mass = 5;
  return with_preset(std::move(scene), preset);
}

double lowest(const Simulation& simulation) {
  double low = 0;
  for (const vec3& p : simulation.state().x) low = std::min(low, p.y);
  return low;
}

TEST(Presets, TheSofterOneSagsMoreAndNoneButOneBlowsUp) {
  std::map<std::string_view, double> sag;
  WorkerPool pool(1);
  for (const Preset& preset : presets()) {
    if (!preset.integrator.empty()) continue;
    const Scene scene = slow_sheet(preset);
    Simulation simulation(scene, testing::mesh_of(scene), pool);
    for (int i = 0; i < 240; ++i) ASSERT_EQ(simulation.step(pool), StepStatus::done) << preset.id;
    sag[preset.id] = -lowest(simulation);
  }
  EXPECT_LT(sag.at("stiff"), sag.at("medium"));
  EXPECT_LT(sag.at("medium"), sag.at("soft"));
  EXPECT_LT(sag.at("soft"), sag.at("rubbery"));
}

TEST(Presets, TheOneThatExplodesOnPurposeDoesWithinHalfASecond) {
  const auto explodes =
      std::find_if(presets().begin(), presets().end(), [](const Preset& p) { return p.id == "explodes"; });
  ASSERT_NE(explodes, presets().end());
  WorkerPool pool(1);
  for (const int n : {5, 20}) {
    Scene scene;
    scene.mesh = GridSource{n, n, 1, 1};
    scene = with_preset(std::move(scene), *explodes);
    Simulation simulation(scene, testing::mesh_of(scene), pool);
    StepStatus status = StepStatus::done;
    while (status == StepStatus::done && simulation.state().t < 0.5) status = simulation.step(pool);
    EXPECT_EQ(status, StepStatus::blown_up) << n;
  }
}

TEST(Presets, TheOneForGamesIsSolvedWhereTheDefaultSweepsAreNot) {
  const auto games =
      std::find_if(presets().begin(), presets().end(), [](const Preset& p) { return p.id == "games"; });
  ASSERT_NE(games, presets().end());
  WorkerPool pool(1);
  Scene sheet;
  sheet.mesh = GridSource{20, 20, 1, 1};
  Scene by_default = sheet;
  by_default.integrator = "xpbd";
  Simulation solved(with_preset(sheet, *games), testing::mesh_of(sheet), pool);
  Simulation unsolved(by_default, testing::mesh_of(sheet), pool);
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(solved.step(pool), StepStatus::done);
    EXPECT_TRUE(solved.record().converged) << i;
    EXPECT_LT(solved.record().distance.value(), 0.1) << i;
    ASSERT_EQ(unsolved.step(pool), StepStatus::done);
    EXPECT_FALSE(unsolved.record().converged) << i;
  }
  EXPECT_GT(unsolved.record().distance.value(), 0.5);
}

TEST(Presets, SayWhatTheySet) {
  for (const Preset& preset : presets()) {
    const std::string text = preset_text(preset);
    for (const Preset::Value& each : preset.values) {
      const ParameterSpec& spec = parameter_spec(each.parameter);
      EXPECT_NE(text.find(spec.title), std::string::npos);
      const Scene scene = with_preset(Scene{}, preset);
      const SceneParameter* row = find_scene_parameter(each.parameter);
      EXPECT_EQ(row ? row->get(scene) : scene.integrator_parameters.find(each.parameter)->second, each.value);
    }
  }
  EXPECT_EQ(
      preset_text(presets()[3]),
      "Material: springs\nStretch stiffness: 200 N/m\nBend stiffness: 0.01 N/m\nSpring damping: 0.02 N·s/m");
}

}  // namespace
}  // namespace clothlab
