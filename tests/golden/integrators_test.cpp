// SPDX-License-Identifier: MIT
// The bits of a short run of every integrator, fixed. They are equal with and without optimisation, and on
// AArch64 (scripts/golden_aarch64.sh): without contraction and fast-math, only library functions could
// differ, which are the square root (and sine, cosine and hyperbolic sine in the split methods, the
// exponential function and the logarithm in exponential Rosenbrock–Euler).
//
// A changed hash means that all runs, recorded ones included, get other bits. Where that is intended, enter
// the new value and give the reason in the commit.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "core/hash.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

class GoldenRun : public test::EveryIntegrator {};

const std::map<std::string_view, std::uint64_t> kHashes{
    {"explicit-euler", 0xa26cb95e694c6e77ULL},
    {"symplectic-euler", 0x259ae7141d347871ULL},
    {"velocity-verlet", 0x1f9dd01c96e2ee72ULL},
    {"rk4", 0x04878292f0d042b0ULL},
    {"semi-implicit-euler", 0x058724e36fa4e7e2ULL},
    {"backward-euler", 0x997515b2e5e42816ULL},
    {"implicit-midpoint", 0xa6ef0320c81c9d64ULL},
    {"trapezoidal", 0xf580e638efb60dcfULL},
    {"bdf2", 0x80b8daf2f803c540ULL},
    {"semi-implicit-bdf2", 0x0e2a1c84d48eb4e0ULL},
    {"tr-bdf2", 0x75e6b5127991c2bcULL},
    {"sdirk2", 0xe6c12ac3428612f4ULL},
    {"generalized-alpha", 0xb05c700da7beef0aULL},
    {"exponential-rosenbrock-euler", 0x3080c7447f9f9d96ULL},
    {"siere", 0x3ddeaaa9373a494eULL},
    {"semi-implicit-bdf2-ere", 0xdadaa67e45be2a2dULL},
    {"str-sbdf2-ere", 0x49060f50e3115baeULL},
    {"xpbd", 0x8638730aa85e765bULL},
    {"projective-dynamics", 0xef9297dbf19829c8ULL},
    {"rattle", 0x16716e16218452f1ULL},
    {"pbd-proj2", 0xa8ead35afa8275d7ULL},
    {"newmark", 0xd135619e8e05dc54ULL},
    {"yoshida4", 0xbb52ac64cfb01b97ULL},
    {"runge-kutta", 0x674444f2d448316eULL},
    {"runge-kutta:heun", 0x875930623f8b9407ULL},
    {"runge-kutta:ralston", 0x8a992b7fa90d5fb9ULL},
    {"runge-kutta:kutta3", 0x674444f2d448316eULL},
    {"runge-kutta:ssp3", 0x614481df4f64a737ULL},
    {"runge-kutta:rk4", 0x98ee768f09a979e6ULL},
    {"runge-kutta:three-eighths", 0x0d403581221d7be8ULL},
    {"runge-kutta:cash-karp5", 0x29fb023b9ba80ef9ULL},
    {"runge-kutta:midpoint", 0x7a6c97af993bdebeULL},
    {"runge-kutta:crouzeix", 0xefd0dcbfda4b8314ULL},
    {"runge-kutta:sdirk3", 0xfdb897e399633976ULL},
    {"runge-kutta:esdirk3", 0x16ede7a9466e7d2eULL},
    {"runge-kutta:gauss4", 0xf989efe343563eedULL},
    {"runge-kutta:radau-iia3", 0x017a46c9fbe4dc6bULL},
    {"two-step", 0x88ff6dec4ed62cdfULL},
    {"two-step:adams-bashforth2", 0x88ff6dec4ed62cdfULL},
    {"two-step:leapfrog", 0xdadaf93af616d39aULL},
    {"two-step:adams-moulton3", 0x27bcbd5ca73743fbULL},
    {"two-step:milne4", 0xe81e0726ade2c54dULL},
    {"two-step:bdf2", 0x8cb730c533a6f236ULL},
    {"hht-alpha", 0xf270708517d37276ULL},
    {"shake", 0xda86c90e2c1eabc4ULL},
    {"fast-projection", 0x5e0f6a50f8137bc4ULL},
    {"a-search", 0x2a035a53019c4bbbULL},
    {"energy-tracking", 0xedcf52d0b5d3edc1ULL},
    {"beere", 0x3230450a29e4aa1cULL},
    {"bdf2-ere", 0x9c3a57bfa95a16c7ULL},
    {"tr-bdf2-ere", 0xe7446fed28989f8fULL},
    {"vbd", 0xa128b5c842a0b299ULL},
};

// A hanging sheet with one force of every kind, the grab included.
std::unique_ptr<test::Rig> scene(int rows = 9, int columns = 8) {
  Material material;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 200;
  material.rayleigh_stiffness = 1e-4;
  material.rayleigh_mass = 0.1;
  auto rig = test::make_sheet(rows, columns, 0.125, material);
  test::shake(rig->state, 0.004, 0.1);
  rig->pin(0);
  rig->pin(7);
  rig->system.set_grab(GrabSpring{{30, 31, 38}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.5, 0.75), 8, 0.02, 5});
  return rig;
}

TEST_P(GoldenRun, BitsAreThoseOfTheRecord) {
  auto rig = scene();
  test::Stepper stepper(*rig, info(), {}, default_parameters(info()));
  for (int k = 0; k < 30; ++k) {
    rig->system.projection().fix(7, rig->state.x[7] + vec3(0, 1e-3, -5e-4));
    // Inextensible cloth cannot follow: the pin pulls its top edge apart. XPBD and projective dynamics end
    // after a set number of iterations.
    const bool converged = stepper.step(0.002).converged;
    ASSERT_TRUE(converged || info().family == IntegratorFamily::position_based);
  }
  const std::uint64_t hash = Hash().add(rig->state.x).add(rig->state.v).add(rig->state.t).value();
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llxULL", static_cast<unsigned long long>(hash));
  const auto expected = kHashes.find(label_of(info()));
  ASSERT_NE(expected, kHashes.end()) << "Add {\"" << label_of(info()) << "\", " << text
                                     << "} to kHashes in tests/golden/integrators_test.cpp.";
  EXPECT_EQ(hash, expected->second) << "now " << text;
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(GoldenRun);

// Large enough for multigrid, in several chunks.
TEST(Golden, BitsOfMultigridAreThoseOfTheRecord) {
  auto rig = scene(33, 32);
  test::Stepper stepper(*rig, *find_integrator("semi-implicit-euler"));
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(stepper.step(0.01).converged);
  const std::uint64_t hash = Hash().add(rig->state.x).add(rig->state.v).value();
  EXPECT_EQ(hash, 0x49168101906e401bULL) << "now " << std::hex << hash;
}

}  // namespace
}  // namespace clothlab
