// SPDX-License-Identifier: MIT
// The split methods inside and outside their modes, at their ends (no modes, all modes), with old modes, and
// where the stiffness matrix is indefinite; the exponential methods' order.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <glm/geometric.hpp>

#include "dense_algebra.h"
#include "integrate/dense_exponential.h"
#include "integrate/fitted_step.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using Complex = std::complex<double>;
using test::Rig;
using test::Stepper;

/// Those that treat slow modes separately.
std::vector<const IntegratorInfo*> split_methods() {
  std::vector<const IntegratorInfo*> all = test::rows();
  std::erase_if(all, [](const IntegratorInfo* info) { return info->growth_of_slow_modes == nullptr; });
  return all;
}
class SplitMethod : public test::EveryIntegrator {};

INSTANTIATE_TEST_SUITE_P(All, SplitMethod, ::testing::ValuesIn(split_methods()),
                         [](const auto& row) { return test::name_of(*row.param); });

double distance(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    largest = std::max({largest, glm::length(a.x[i] - b.x[i]), glm::length(a.v[i] - b.v[i])});
  }
  return largest;
}

// A chain of three particles along the x axis, pinned at one end, its springs at their rest lengths: two
// modes along the axis (and four transverse ones of frequency 0, of which the clamped matrix knows nothing at
// all). Under tension they would all be different; here a pin on the transverse motion leaves the two.
struct TwoModes {
  std::unique_ptr<Rig> rig;
  double omega[2];
  glm::dvec2 shape[2];

  TwoModes() {
    Material material;
    material.mass = 0.6;
    material.stretch_stiffness = 20;
    material.spring_damping = 0;
    material.gravity = vec3(0.0);
    rig = test::make_chain(3, 1.5, material);
    for (std::size_t i = 1; i < 3; ++i) {
      rig->system.projection().constrain(i, mat3(vec3(0.0), vec3(0, 1, 0), vec3(0.0)), rig->state.x[i]);
    }
    // m x1'' = −k (2 x1 − x2), m x2'' = −k (x2 − x1), m = 0.2: λ = k/m (3 ∓ √5)/2.
    for (int k = 0; k < 2; ++k) {
      const double lambda = 100 * (3 + (k == 0 ? -1 : 1) * std::sqrt(5.0)) / 2;
      omega[k] = std::sqrt(lambda);
      shape[k] = glm::normalize(glm::dvec2(1, 2 - lambda / 100));
    }
  }
  double amplitude_x(int mode) const {
    return glm::dot(shape[mode], glm::dvec2(rig->state.x[1].y + 1.5, rig->state.x[2].y + 3));
  }
  double amplitude_v(int mode) const {
    return glm::dot(shape[mode], glm::dvec2(rig->state.v[1].y, rig->state.v[2].y));
  }
};

// The complex amplitude x − iv/ω of mode `mode` after each of a few steps, from a start with ω x = a, v = 0
// and one with ω x = 0, v = −ω a·i: the two together give every step as a matrix, eigenvalues R and R̄.
double radius_in_mode(const char* id, int mode, double h_omega, bool lawson = false) {
  const double a = 1e-3;
  test::FourStates runs[2];
  for (int start = 0; start < 2; ++start) {
    TwoModes two;
    const double omega = two.omega[mode], h = h_omega / omega;
    for (std::size_t i = 1; i < 3; ++i) {
      const double part = two.shape[mode][static_cast<int>(i - 1)];
      if (start == 0) two.rig->state.x[i].y += a * part;
      if (start == 1) two.rig->state.v[i].y = a * omega * part;
    }
    Stepper stepper(*two.rig, *find_integrator(id), test::tight_settings(), {1, 1, lawson ? 1.0 : 0.0});
    for (std::size_t k = 0; k < 4; ++k) {
      if (k > 0) stepper.step(h);
      runs[start][k] = glm::dvec2(two.amplitude_x(mode), two.amplitude_v(mode) / omega) / a;
    }
    EXPECT_LT(std::abs(two.amplitude_x(1 - mode)), 1e-9 * a);  // they do not mix
  }
  return test::fitted_step(runs, 1e-8).radius;
}

// max |ζ| of ζ² + b ζ + c = 0
double largest_root(Complex b, Complex c) {
  const Complex root = std::sqrt(b * b - 4.0 * c);
  return std::max(std::abs(-b + root), std::abs(-b - root)) / 2;
}

TEST(Split, AmplifiesInsideAndOutsideItsModesAsTheorySays) {
  for (const double y : {0.01, 0.05, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0}) {
    const Complex z(0, y);
    for (const char* id : {"siere", "beere"}) {
      EXPECT_NEAR(radius_in_mode(id, 0, y), 1, 1e-6) << id << ' ' << y;
      EXPECT_NEAR(radius_in_mode(id, 1, y), 1 / std::hypot(1.0, y), 1e-6) << id << ' ' << y;
    }
    const Complex lead = 1.0 - 2.0 / 3 * z;
    for (const char* id : {"semi-implicit-bdf2-ere", "bdf2-ere"}) {
      EXPECT_NEAR(radius_in_mode(id, 0, y), largest_root(-2.0 / 3 * (1.0 + std::exp(z)), 1.0 / 3), 1e-6)
          << id << ' ' << y;
      EXPECT_NEAR(radius_in_mode(id, 1, y), largest_root(-4.0 / 3 / lead, 1.0 / 3 / lead), 1e-6)
          << id << ' ' << y;
    }
    EXPECT_NEAR(radius_in_mode("bdf2-ere", 0, y, true), 1, 1e-6) << y;
    EXPECT_NEAR(radius_in_mode("bdf2-ere", 1, y, true), largest_root(-4.0 / 3 / lead, 1.0 / 3 / lead), 1e-6)
        << y;
    for (const char* id : {"str-sbdf2-ere", "tr-bdf2-ere"}) {
      EXPECT_NEAR(radius_in_mode(id, 0, y),
                  std::abs(2.0 / 3 * (1.0 + std::exp(z / 2.0)) * (1.0 + z / 4.0) / (1.0 - z / 4.0) - 1.0 / 3),
                  1e-6)
          << id << ' ' << y;
      EXPECT_NEAR(radius_in_mode(id, 1, y), std::abs((12.0 + 5.0 * z) / (12.0 - 7.0 * z + z * z)), 1e-6)
          << id << ' ' << y;
    }
  }
}

TEST(Split, GainsEnergyInTheModesOfThoseThatDo) {
  const double y = 0.02;
  for (const auto& [id, share] : {std::pair{"semi-implicit-bdf2-ere", 2},
                                  {"bdf2-ere", 2},
                                  {"str-sbdf2-ere", 12},
                                  {"tr-bdf2-ere", 12}}) {
    EXPECT_NEAR((radius_in_mode(id, 0, y) - 1) / (y * y / share), 1, 0.01) << id;
    const IntegratorInfo& info = *find_integrator(id);
    EXPECT_GT(slow_growth(info, y, {1, 1, 0}), 1);
    EXPECT_LT(slow_growth(info, y, {0, 1, 0}), 1);
    EXPECT_NE(info.summary.find("gain energy"), std::string_view::npos);
  }
}

Material soft() {
  Material material;
  material.mass = 0.2;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 20;
  material.bend_stiffness = 2;
  material.spring_damping = 0;
  return material;
}

// A dozen particles, some springs stretched and some compressed, one pin at rest and one that moves.
std::unique_ptr<Rig> bumpy(const Material& material) {
  auto rig = test::make_sheet(3, 4, 0.2, material);
  test::shake(rig->state, 0.03, 0.4);
  rig->pin(0);
  rig->pin(3);
  return rig;
}

// The largest difference over ten steps of two runs, with a pin that is led or not.
double difference(const char* method, const IntegratorParameters& parameters, const char* other,
                  const IntegratorParameters& others, const Material& material, JacobianMode mode,
                  bool led = true) {
  auto a = bumpy(material), b = bumpy(material);
  Stepper first(*a, *find_integrator(method), test::tight_settings(mode), parameters);
  Stepper second(*b, *find_integrator(other), test::tight_settings(mode), others);
  double largest = 0;
  for (int k = 0; k < 10; ++k) {
    const vec3 target = a->state.x[3] + (led ? vec3(1e-3, -4e-4 * k, 2e-3) : vec3(0.0));
    a->system.projection().fix(3, target);
    b->system.projection().fix(3, target);
    first.step(0.012);
    second.step(0.012);
    largest = std::max(largest, distance(a->state, b->state));
  }
  return largest;
}

TEST(Split, WithoutModesIsTheMethodOfTheRest) {
  Material material = soft();
  material.spring_damping = 0.03;
  material.rayleigh_stiffness = 1e-3;
  for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
    EXPECT_LT(difference("siere", {0, 1}, "semi-implicit-euler", {}, material, mode), 1e-11);
    EXPECT_LT(difference("beere", {0, 1}, "backward-euler", {}, material, mode), 1e-11);
    for (const double lawson : {0, 1})
      EXPECT_LT(difference("bdf2-ere", {0, 1, lawson}, "bdf2", {}, material, mode), 1e-11);
    EXPECT_LT(difference("tr-bdf2-ere", {0, 1}, "tr-bdf2", {}, material, mode), 1e-11);
    EXPECT_LT(difference("semi-implicit-bdf2-ere", {0, 1}, "semi-implicit-bdf2", {}, material, mode), 1e-11);
  }
}

// On the free particles: the force of a moving pin on them belongs to no mode.
TEST(Split, SiereWithAllModesIsExponentialRosenbrockEuler) {
  for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
    EXPECT_LT(difference("siere", {100, 1}, "exponential-rosenbrock-euler", {}, soft(), mode, false), 1e-9);
  }
  // Damping is taken implicitly by the one and exactly by the other.
  Material damped = soft();
  damped.spring_damping = 0.03;
  EXPECT_GT(
      difference("siere", {100, 1}, "exponential-rosenbrock-euler", {}, damped, JacobianMode::exact, false),
      1e-4);
}

// With damping, which couples the modes with the rest, and with modes of earlier steps.
TEST(Split, LinearisedMethodsAreTheFirstNewtonIterationOfTheOthers) {
  for (const auto& [once, iterated] : {std::pair{"siere", "beere"},
                                       {"semi-implicit-bdf2-ere", "bdf2-ere"},
                                       {"str-sbdf2-ere", "tr-bdf2-ere"}}) {
    for (const IntegratorParameters& values :
         {IntegratorParameters{3, 1, 0}, IntegratorParameters{3, 4, 0}}) {
      Material material = soft();
      material.spring_damping = 0.05;
      material.rayleigh_mass = 1;
      material.rayleigh_stiffness = 1e-3;
      auto rig = bumpy(material);
      for (const Projection::Entry& e : rig->system.projection().entries())
        rig->state.v[e.particle] = vec3(0.0);
      test::DenseCloth cloth(*rig);
      cloth.stages = StageSolve::linear;
      const test::DenseMethod first = test::dense_method(iterated, cloth, values);
      Stepper stepper(*rig, *find_integrator(once), test::tight_settings(), values);
      Eigen::VectorXd u = test::dense_state(rig->state);
      double largest = 0;
      for (int k = 0; k < 6; ++k) {
        u = first(u, 0.012);
        stepper.step(0.012);
        largest = std::max(largest, algebra::largest_difference(test::dense_state(rig->state), u));
      }
      EXPECT_LT(largest, 1e-9) << once << ", modes of " << values[1] << " steps";
    }
  }
}

// Modes of several numbers and ages against the formulas with dense matrices; the default is tested with all
// other integrators.
TEST_P(SplitMethod, AgreesWithItsFormulaForAnyModes) {
  for (const IntegratorParameters& values : std::initializer_list<IntegratorParameters>{
           {1, 1, 0}, {2, 1, 1}, {3, 4, 1}, {12, 1, 0}, {12, 3, 1}, {28, 2, 0}, {30, 1, 1}, {31, 5, 0}}) {
    for (const DampingModel model : {DampingModel::isotropic, DampingModel::projected}) {
      Material material = soft();
      material.damping_model = model;
      material.spring_damping = 0.05;
      material.rayleigh_mass = 1;
      material.rayleigh_stiffness = 1e-3;
      auto rig = bumpy(material);
      for (const Projection::Entry& e : rig->system.projection().entries()) {
        rig->state.v[e.particle] = vec3(0.0);
      }
      const test::DenseCloth cloth(*rig);
      const test::DenseMethod method = test::dense_method(info().id, cloth, values);
      Stepper stepper(*rig, info(), test::tight_settings(), values);
      Eigen::VectorXd u = test::dense_state(rig->state);
      double largest = 0;
      for (int k = 0; k < 10; ++k) {
        const auto [last, next] =
            test::dense_mode_gap(cloth, u.head(cloth.dofs()), static_cast<Eigen::Index>(values[0]));
        EXPECT_GT(next - last, 1e-3 * std::abs(last)) << "no gap";
        u = method(u, 0.012);
        stepper.step(0.012);
        largest = std::max(largest, algebra::largest_difference(test::dense_state(rig->state), u));
      }
      EXPECT_LT(largest, 1e-9) << values[0] << " modes every " << values[1];
    }
  }
}

// The same on a mesh that is too large for the modes to be found by a dense solver.
TEST_P(SplitMethod, AgreesWithItsFormulaWhereTheModesAreSearchedFor) {
  Material material = soft();
  material.spring_damping = 0.02;
  auto rig = test::make_sheet(6, 6, 0.2, material);
  for (vec3& x : rig->state.x) x *= 1.1;
  test::shake(rig->state, 0.01, 0.2);
  rig->pin(0);
  rig->pin(5);
  for (const std::size_t i : {0, 5}) rig->state.v[i] = vec3(0.0);
  const test::DenseCloth cloth(*rig);
  const IntegratorParameters values{4, 1, 1};
  const test::DenseMethod method = test::dense_method(info().id, cloth, values);
  Stepper stepper(*rig, info(), test::tight_settings(), values);
  Eigen::VectorXd u = test::dense_state(rig->state);
  for (int k = 0; k < 4; ++k) {
    u = method(u, 0.012);
    EXPECT_TRUE(stepper.step(0.012).converged);
  }
  EXPECT_LT(algebra::largest_difference(test::dense_state(rig->state), u), 1e-9);
}

// Without pins there are three translations of frequency 0, and a flat sheet has no stiffness out of its
// plane. Were only some of these modes found, the cloth would fall obliquely.
TEST_P(SplitMethod, LetsFreeClothFallStraightDown) {
  for (const auto& [flat, wanted, taken] : {std::tuple{true, 5, 0}, {false, 2, 0}, {false, 5, 5}}) {
    auto rig = test::make_sheet(8, 8, 0.1, soft());
    if (!flat) test::shake(rig->state, 0.01, 0);
    const std::vector<vec3> start = rig->state.x;
    Stepper stepper(*rig, info(), test::tight_settings(JacobianMode::clamped),
                    {static_cast<double>(wanted), 1, 0});
    const double h = 1.0 / 60;
    EXPECT_EQ(stepper.step(h).modes.value(), static_cast<std::size_t>(taken)) << wanted;
    const StepReport last = stepper.steps(29, h);
    vec3 centre(0.0);
    double sideways = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const vec3 way = rig->state.x[i] - start[i];
      centre += rig->system.masses()[i] / 0.2 * way;
      sideways = std::max(sideways, std::hypot(way.x, way.z));
    }
    EXPECT_LT(std::hypot(centre.x, centre.z), 1e-9) << wanted;
    const bool exact = taken > 0 && info().id == "siere";  // what its modes do
    EXPECT_NEAR(centre.y, -0.5 * 9.8 * 0.25, exact ? 1e-6 : 9.8 * h * 0.5) << wanted;
    if (!flat) continue;
    EXPECT_LT(sideways, 1e-9);
    EXPECT_EQ(last.modes.value(), 0U);
  }
}

TEST(Split, RefreshesItsModesWhenItIsTold) {
  // Old modes change the result, a little; asked for in every step, they do not.
  EXPECT_EQ(difference("siere", {5, 1}, "siere", {5, 1}, soft(), JacobianMode::exact), 0);
  const double old = difference("siere", {5, 1}, "siere", {5, 4}, soft(), JacobianMode::exact);
  EXPECT_GT(old, 1e-6);
  EXPECT_LT(old, 0.5);
}

// Compressed until K has large negative eigenvalues: motion grows as the equations do, and stays finite.
TEST(Exponential, StaysFiniteWhereTheStiffnessIsIndefinite) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.family != IntegratorFamily::exponential) continue;
    for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
      for (const double h : {1e-3, 1.0 / 60, 1.0}) {
        auto rig = bumpy(soft());
        for (vec3& x : rig->state.x) x *= vec3(0.3, 1, 0.4);
        SolverSettings settings;
        settings.jacobian = mode;
        Stepper stepper(*rig, info, settings);
        stepper.step(h);
        for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
          EXPECT_TRUE(std::isfinite(glm::length(rig->state.x[i]))) << info.id << " " << h;
          EXPECT_TRUE(std::isfinite(glm::length(rig->state.v[i]))) << info.id << " " << h;
        }
      }
    }
  }
}

TEST(Exponential, KeepsTheAmplitudeOfAnOscillator) {
  for (const char* id : {"exponential-rosenbrock-euler", "siere"}) {
    const test::OscillatorValues o;
    const double omega = std::sqrt(o.stiffness / o.mass);
    auto rig = test::make_oscillator(o);
    rig->state.x[1].x += 0.5;
    Stepper stepper(*rig, *find_integrator(id), test::tight_settings());
    for (int k = 0; k < 2000; ++k) stepper.step(2.3 / omega);
    // Each step rounds by 1e-16 of L.
    EXPECT_NEAR(std::hypot(rig->state.x[1].x - o.rest_length, rig->state.v[1].x / omega), 0.5, 1e-11) << id;
  }
}

// Order 2 needs the derivative that the clamped blocks are not: on compressed cloth these leave order 1.
TEST(Exponential, LosesItsSecondOrderToClampedBlocks) {
  const auto run = [](JacobianMode mode, int n) {
    auto rig = bumpy(soft());
    for (vec3& x : rig->state.x) x *= vec3(0.95, 1, 0.9);
    rig->pin(0);
    rig->pin(3);
    Stepper(*rig, *find_integrator("exponential-rosenbrock-euler"), test::tight_settings(mode))
        .steps(n, 0.05 / n);
    return rig->state;
  };
  for (const JacobianMode mode : {JacobianMode::exact, JacobianMode::clamped}) {
    const State coarse = run(mode, 200), middle = run(mode, 400), fine = run(mode, 800);
    const double order = std::log2(distance(coarse, middle) / distance(middle, fine));
    EXPECT_NEAR(order, mode == JacobianMode::exact ? 2 : 1, 0.1);
  }
}

}  // namespace
}  // namespace clothlab
