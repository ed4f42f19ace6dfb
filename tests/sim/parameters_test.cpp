// SPDX-License-Identifier: MIT
#include <cmath>
#include <set>

#include "integrate/tableau.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

TEST(Parameters, DefaultsAreThoseOfTheScene) {
  const Scene scene;
  std::set<std::string_view> ids;
  for (const SceneParameter& row : scene_parameters()) {
    EXPECT_TRUE(ids.insert(row.spec.id).second) << row.spec.id;
    EXPECT_EQ(row.get(scene), row.spec.fallback) << row.spec.id;
    EXPECT_TRUE(is_valid(row.spec, row.spec.fallback)) << row.spec.id;
    EXPECT_FALSE(row.spec.help.empty()) << row.spec.id;
    EXPECT_FALSE(row.section.empty()) << row.spec.id;
    // A logarithmic scale has no place for negative numbers.
    EXPECT_TRUE(!row.spec.logarithmic || row.spec.min >= 0) << row.spec.id;
  }
  for (const IntegratorInfo& info : integrators())
    for (const ParameterSpec& spec : info.parameters)
      EXPECT_FALSE(ids.contains(spec.id)) << spec.id << " is a name of both tables";
}

TEST(Parameters, EveryRangeIsEnforcedAndReached) {
  for (const SceneParameter& row : scene_parameters()) {
    const ParameterSpec& spec = row.spec;
    for (const double value : {spec.min, spec.max, spec.fallback}) {
      Scene scene;
      set_parameter(scene, spec.id, value);
      EXPECT_EQ(row.get(scene), value) << spec.id;
    }
    const double below = std::nextafter(spec.min, -kInfinity);
    std::vector<double> refused{below, -kInfinity, std::nan("")};
    if (std::isfinite(spec.max)) {
      refused.push_back(std::nextafter(spec.max, kInfinity));
      refused.push_back(kInfinity);
    }
    if (spec.kind != ParameterSpec::Kind::real) refused.push_back(spec.min + 0.5);
    for (const double value : refused) {
      Scene scene;
      const std::string message = refusal([&] { set_parameter(scene, spec.id, value); });
      EXPECT_NE(message.find(spec.id), std::string::npos) << message;
      EXPECT_EQ(row.get(scene), spec.fallback) << spec.id;
    }
  }
}

TEST(Parameters, AllOfTheCommandLineIsThere) {
  for (const char* id : {"mass",
                         "mass-model",
                         "stretch-stiffness",
                         "bend-stiffness",
                         "strain-limit",
                         "limit-stiffness",
                         "spring-damping",
                         "damping-model",
                         "rayleigh-stiffness",
                         "rayleigh-mass",
                         "dt",
                         "adaptive-dt",
                         "max-strain",
                         "energy-limit",
                         "newton-tolerance",
                         "newton-max-iterations",
                         "linear-solver",
                         "preconditioner",
                         "cg-tolerance",
                         "cg-max-iterations",
                         "jacobian",
                         "inflate",
                         "wind",
                         "wind-speed",
                         "wind-azimuth",
                         "wind-elevation",
                         "wind-gusts",
                         "wind-seed",
                         "air-density",
                         "drag-coefficient",
                         "floor",
                         "floor-height",
                         "floor-friction"})
    EXPECT_NE(find_scene_parameter(id), nullptr) << id;
}

TEST(Parameters, UnknownNamesAreAnsweredWithTheNearest) {
  Scene scene;
  EXPECT_NE(refusal([&] { set_parameter(scene, "stretch-stifness", 1); }).find("'stretch-stiffness'"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)integrator_info("explicit-eular"); }).find("'explicit-euler'"),
            std::string::npos);
}

TEST(Parameters, AWholeSceneIsChecked) {
  Scene scene;
  check_parameters(scene);
  scene.material.gravity.y = -kMaxGravity;
  check_parameters(scene);
  scene.material.gravity.y = std::nextafter(-kMaxGravity, -kInfinity);
  EXPECT_NE(refusal([&] { check_parameters(scene); }).find("gravity"), std::string::npos);
  scene = {};
  scene.scale = 0;
  EXPECT_NE(refusal([&] { check_parameters(scene); }).find("scale"), std::string::npos);
  scene = {};
  scene.dt = 0;
  EXPECT_NE(refusal([&] { check_parameters(scene); }).find("dt"), std::string::npos);
}

TEST(Method, KeepsOnlyATableauOfItsIntegrator) {
  Method method;
  set_integrator(method, tableau_method(tableau_preset("gauss4")).info);
  set_integrator(method, "backward-euler");
  set_integrator(method, "runge-kutta");
  EXPECT_EQ(method_info(method).title, "Gauss 4");
  set_integrator(method, "two-step");
  EXPECT_EQ(method.tableau, nullptr);
  EXPECT_EQ(method_info(method).title, "Two-step tableau");
  method.tableau = &tableau_method(tableau_preset("gauss4"));
  EXPECT_THROW(check_tableau(method), InputError);
}

}  // namespace
}  // namespace clothlab::testing
