// SPDX-License-Identifier: MIT
// Every integrator against its formula, evaluated apart with dense matrices (dense_reference.h).

#include <gtest/gtest.h>

#include "dense_algebra.h"
#include "integrate/dense_reference.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::Rig;
using test::Stepper;

// A dozen particles, some springs stretched and some compressed; particle 0 is pinned and particle 3 is led.
std::unique_ptr<Rig> bumpy_sheet(const Material& material) {
  auto rig = test::make_sheet(3, 4, 0.2, material);
  test::shake(rig->state, 0.03, 0.4);
  for (const std::size_t i : {0, 3}) {
    rig->pin(i);
    rig->state.v[i] = vec3(0.0);
  }
  return rig;
}

std::vector<std::pair<const char*, Material>> materials() {
  Material undamped;
  undamped.mass = 0.2;
  undamped.mass_model = MassModel::area;
  undamped.stretch_stiffness = 20;
  undamped.bend_stiffness = 2;
  undamped.spring_damping = 0;
  Material isotropic = undamped, projected = undamped, rayleigh = undamped;
  isotropic.damping_model = DampingModel::isotropic;
  isotropic.spring_damping = projected.spring_damping = 0.03;
  rayleigh.rayleigh_stiffness = 2e-3;
  rayleigh.rayleigh_mass = 1.5;
  Material limited = rayleigh;
  limited.strain_limit = 0.05;
  limited.limit_stiffness = 1.5;
  return {{"undamped", undamped},
          {"isotropic", isotropic},
          {"projected", projected},
          {"rayleigh", rayleigh},
          {"limited", limited}};
}

// Largest difference over ten steps, the led pin starting softly and speeding up.
double largest_difference(const IntegratorInfo& info, const IntegratorParameters& values,
                          const Material& material, StageSolve stages) {
  auto rig = bumpy_sheet(material);
  test::DenseCloth cloth(*rig);
  cloth.stages = stages;
  const test::DenseMethod method = test::dense_method(info.id, cloth, values);
  if (!method) {
    ADD_FAILURE() << "Add the formula of " << info.id
                  << " to dense_method() in tests/integrate/dense_reference.cpp.";
    return 0;
  }
  // ω_max is about 110/s: h ω = 1.3, where the formulas differ well.
  const double h = 0.012;
  SolverSettings settings = test::tight_settings();
  settings.stage_solve = stages;
  Stepper stepper(*rig, info, settings, values);
  Eigen::VectorXd u = test::dense_state(rig->state);
  const Eigen::Index n = cloth.dofs();
  double largest = 0;
  for (int k = 0; k < 10; ++k) {
    const vec3 target = rig->state.x[3] + h * h * k * vec3(0.5, -2, 1);
    rig->system.projection().fix(3, target);
    const auto led = [&](Eigen::VectorXd& of) { return of.segment<3>(n + 9); };
    const Eigen::Vector3d velocity = (Eigen::Vector3d(target.x, target.y, target.z) - u.segment<3>(9)) / h;
    led(u) = velocity;
    u = method(u, h);
    u.segment<3>(9) = Eigen::Vector3d(target.x, target.y, target.z);
    led(u) = velocity;
    stepper.step(h);
    largest = std::max(largest, algebra::largest_difference(test::dense_state(rig->state), u));
  }
  return largest;
}

class Formula : public EveryIntegrator {};

TEST_P(Formula, AgreesWithItsFormulaOnABumpySheet) {
  if (info().family == IntegratorFamily::position_based) return;  // the same in the tests of each
  for (const IntegratorParameters& values : test::parameter_corners(info())) {
    for (const auto& [name, material] : materials()) {
      EXPECT_LT(largest_difference(info(), values, material, StageSolve::newton), 1e-9)
          << name << ' ' << testing::PrintToString(values);
    }
  }
}

TEST_P(Formula, WithOneLinearSolvePerStageAgreesOnABumpySheet) {
  if (info().family != IntegratorFamily::implicit) return;
  for (const IntegratorParameters& values : test::parameter_corners(info())) {
    for (const auto& [name, material] : materials()) {
      EXPECT_LT(largest_difference(info(), values, material, StageSolve::linear), 1e-9)
          << name << ' ' << testing::PrintToString(values);
    }
  }
}

// With ρ∞ = ½ generalized-α has α_m = 0 and weights forces with ⅓: HHT-α with α = −⅓.
TEST(HhtAlpha, IsGeneralizedAlphaWithoutMeanAccelerations) {
  const auto end_of = [](const char* id, double value) {
    auto rig = bumpy_sheet(materials().front().second);
    Stepper(*rig, *find_integrator(id), test::tight_settings(), {value}).step(0.012);
    return test::dense_state(rig->state);
  };
  EXPECT_LT(algebra::largest_difference(end_of("hht-alpha", -1.0 / 3), end_of("generalized-alpha", 0.5)),
            1e-11);
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Formula);

}  // namespace
}  // namespace clothlab
