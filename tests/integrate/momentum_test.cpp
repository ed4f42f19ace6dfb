// SPDX-License-Identifier: MIT
// The linear momentum of cloth that nothing holds, by every integrator with its default settings.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "integrate/stepping.h"

namespace clothlab {
namespace {

class FreeCloth : public test::EveryIntegrator {
 protected:
  /// A method with a limit, or of which no h is stable without damping.
  bool is_explicit() const {
    return info().family == IntegratorFamily::explicit_method || info().id == kTwoStepIntegrator;
  }

  /// Explicit methods get soft, damped cloth, on which short steps are stable.
  Material material() const {
    Material material;
    material.gravity = vec3(0.0);
    if (!is_explicit() && !info().inextensible) return material;
    material.stretch_stiffness = 10;
    material.bend_stiffness = 0.1;
    material.spring_damping = 0.01;
    material.damping_model = DampingModel::isotropic;
    return material;
  }
  double step() const { return is_explicit() ? 1.0 / 1500 : info().inextensible ? 1.0 / 300 : 1.0 / 60; }
};

struct FreeMotion {
  vec3 centre{0.0}, velocity{0.0}, spin{0.0};  ///< spin: angular momentum over the sum of m r² [1/s]

  explicit FreeMotion(const test::Rig& rig) {
    const std::span<const double> m = rig.system.masses();
    double mass = 0, inertia = 0;
    for (std::size_t i = 0; i < m.size(); ++i) {
      mass += m[i];
      centre += m[i] * rig.state.x[i];
      velocity += m[i] * rig.state.v[i];
    }
    centre /= mass;
    velocity /= mass;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const vec3 r = rig.state.x[i] - centre;
      inertia += m[i] * glm::dot(r, r);
      spin += m[i] * glm::cross(r, rig.state.v[i] - velocity);
    }
    spin /= inertia;
  }
};

TEST_P(FreeCloth, StretchedClothDoesNotMoveItsCentreOfMass) {
  if (test::grows_with_damping(info())) return;
  auto rig = test::make_sheet(12, 12, 1.0 / 11, material());
  for (vec3& x : rig->state.x) x *= 1.05;
  const vec3 start = FreeMotion(*rig).centre;
  const double h = step();
  test::Stepper(*rig, info(), {}, default_parameters(info())).steps(static_cast<int>(std::lround(5 / h)), h);
  const FreeMotion end(*rig);
  EXPECT_LT(glm::length(end.centre - start), 1e-9);
  RecordProperty("centre_of_mass", std::to_string(1e12 * glm::length(end.centre - start)) + " pm");
  RecordProperty("spin", std::to_string(1e6 * glm::length(end.spin)) + " urad/s");
}

// Masses that differ, and a second sheet that hangs from a pin: the velocity of the free one is v + g t.
TEST_P(FreeCloth, ThrownClothFallsFreelyNextToClothThatHangs) {
  if (test::grows_with_damping(info())) return;
  constexpr std::uint32_t kRows = 6, kColumns = 6, kPart = kRows * kColumns;
  Material material = this->material();
  material.gravity = vec3(0, -9.8, 0);
  material.mass_model = MassModel::area;
  const auto one = test::make_sheet(kRows, kColumns, 0.1, material);
  std::vector<vec3> rest = one->state.x;
  for (const vec3& x : one->state.x) rest.push_back(x + vec3(2, 0, 0));
  std::array<std::vector<ClothModel::Ends>, 2> ends;
  std::vector<ClothModel::Triangle> triangles;
  for (std::uint32_t part = 0; part < 2; ++part) {
    const ElasticElements springs = one->system.elements();
    for (std::size_t s = 0; s < springs.size(); ++s)
      ends[springs[s].stretch ? 0 : 1].push_back({part * kPart + springs[s].i, part * kPart + springs[s].j});
    for (const ClothModel::Triangle& t : one->system.model().triangles())
      triangles.push_back({part * kPart + t[0], part * kPart + t[1], part * kPart + t[2]});
  }
  auto model = std::make_shared<const ClothModel>(rest, ends[0], ends[1], triangles);
  test::Rig rig(std::move(model), rest, material);
  rig.pin(0);
  test::shake(rig.state, 0, 0.5);
  const auto velocity = [&] {
    vec3 momentum(0.0);
    double mass = 0;
    for (std::uint32_t i = kPart; i < 2 * kPart; ++i) {
      momentum += rig.system.masses()[i] * rig.state.v[i];
      mass += rig.system.masses()[i];
    }
    return momentum / mass;
  };
  const vec3 start = velocity();
  const double h = step();
  const int steps = static_cast<int>(std::lround(0.5 / h));
  test::Stepper(rig, info(), {}, default_parameters(info())).steps(steps, h);
  EXPECT_LT(glm::length(velocity() - start - steps * h * material.gravity), 1e-9);
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(FreeCloth);

}  // namespace
}  // namespace clothlab
