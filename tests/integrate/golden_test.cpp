// The bits of a short run of every integrator, fixed. The program is built twice, optimised and with -O0: no
// contraction, no fast-math and no library function but the square root (and sine, cosine and hyperbolic sine
// in the split methods) stand between the two.
//
// A hash that changes means that the bits of all runs change, recordings among them. Where that is meant, put
// in the new value and say why in the commit.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "core/hash.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

class Golden : public test::EveryIntegrator {};

const std::map<std::string_view, std::uint64_t> kHashes{
    {"explicit-euler", 0x432f2092347e4cabULL},
    {"symplectic-euler", 0xa081a9c5f2ba29c9ULL},
    {"velocity-verlet", 0x829e201fda566c40ULL},
    {"rk4", 0x1c5f622710d10633ULL},
    {"semi-implicit-euler", 0x125bb2ab2bc6f3dcULL},
    {"backward-euler", 0xa3fbbc939bf678ceULL},
    {"implicit-midpoint", 0x89c30d13589daafaULL},
    {"trapezoidal", 0xeba261868ac17161ULL},
    {"bdf2", 0x2be024f415f47403ULL},
    {"semi-implicit-bdf2", 0x3f151b00e3726f1dULL},
    {"tr-bdf2", 0xa756d32747dd6dcbULL},
    {"sdirk2", 0xe1c19a95c3976fedULL},
    {"generalized-alpha", 0x43c7f55736b4036aULL},
    {"exponential-rosenbrock-euler", 0x8475d28e0ba11fceULL},
    {"siere", 0x13faae68f5f21967ULL},
    {"semi-implicit-bdf2-ere", 0x98f8637b977acd09ULL},
    {"str-sbdf2-ere", 0xcc4deebe203a1410ULL},
    {"xpbd", 0x60d0ed99cc1c1586ULL},
    {"projective-dynamics", 0xed18ba12eda6f19aULL},
    {"rattle", 0x22ac72d67ab70bdaULL},
    {"pbd-proj2", 0x5e868dd35683782bULL},
};

// A hanging sheet that is pulled at, on one of every kind of force.
std::unique_ptr<test::Rig> scene() {
  Material material;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 200;
  material.rayleigh_stiffness = 1e-4;
  material.rayleigh_mass = 0.1;
  auto rig = test::make_sheet(9, 8, 0.125, material);
  test::shake(rig->state, 0.004, 0.1);
  rig->pin(0);
  rig->pin(7);
  rig->system.set_drag(Drag{{30, 31, 38}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.5, 0.75), 8, 0.02, 5});
  return rig;
}

TEST_P(Golden, BitsAreThoseOfTheRecord) {
  auto rig = scene();
  test::Stepper stepper(*rig, info());
  for (int k = 0; k < 30; ++k) {
    rig->system.projection().fix(7, rig->state.x[7] + vec3(0, 1e-3, -5e-4));
    // Inextensible cloth cannot follow: the pin pulls its top edge apart.
    const bool converged = stepper.step(0.002).converged;
    ASSERT_TRUE(converged || info().inextensible);
  }
  const std::uint64_t hash = Hash().add(rig->state.x).add(rig->state.v).add(rig->state.t).value();
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llxULL", static_cast<unsigned long long>(hash));
  const auto expected = kHashes.find(info().id);
  ASSERT_NE(expected, kHashes.end()) << "record the hash of this integrator: " << text;
  EXPECT_EQ(hash, expected->second) << "now " << text;
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Golden);

}  // namespace
}  // namespace clothlab
