// SPDX-License-Identifier: MIT
// The measured amplification of every integrator on one oscillator, against theory.

#include "analysis/amplification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>

namespace clothlab {
namespace {

using Complex = std::complex<double>;

std::vector<double> whole_range(int points) {
  std::vector<double> range;
  for (int k = 0; k < points; ++k) range.push_back(0.01 * std::pow(10.0, 4.0 * k / (points - 1)));
  return range;
}

TEST(Amplification, IsWhatEveryRowSays) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.id == "a-search") continue;  // below
    const IntegratorParameters values = default_parameters(info);
    for (const double h_omega : whole_range(41)) {
      const auto slow = measure_amplification(info, values, h_omega, ModeKind::slow);
      ASSERT_FALSE(slow.empty()) << info.id << " at " << h_omega;
      const double growth = slow_growth(info, h_omega, values);
      EXPECT_NEAR(std::abs(slow[0]), growth, 1e-6 * growth) << info.id << " at " << h_omega;
      if (info.growth_of_slow_modes == nullptr) continue;
      const auto rest = measure_amplification(info, values, h_omega, ModeKind::rest);
      ASSERT_FALSE(rest.empty()) << info.id << " at " << h_omega;
      const double growth_of_the_rest = info.growth(h_omega, 0, values);
      EXPECT_NEAR(std::abs(rest[0]), growth_of_the_rest, 1e-6 * growth_of_the_rest)
          << info.id << ", the rest, at " << h_omega;
    }
  }
}

// The stability meter asks every row for its growth with damping, overdamped oscillators included.
TEST(Amplification, IsWhatEveryRowSaysWithDamping) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.id == "a-search") continue;  // below
    const IntegratorParameters values = default_parameters(info);
    const ModeKind kind = info.growth_of_slow_modes ? ModeKind::rest : ModeKind::slow;
    for (const double h_omega : {0.1, 0.9, 1.9, 5.0}) {
      for (const double h_damping : {0.01, 0.3, 1.7, 2.5, 12.0}) {
        const auto measured = measure_amplification(info, values, h_omega, kind, {}, h_damping);
        ASSERT_FALSE(measured.empty()) << info.id;
        const double growth = info.growth(h_omega, h_damping, values);
        EXPECT_NEAR(std::abs(measured[0]), growth, 1e-6 * growth)
            << info.id << " at hω = " << h_omega << ", hd = " << h_damping;
      }
    }
  }
}

// Its step depends on the energy. A part of its steps are those of backward Euler, others those of α = 1.
TEST(Amplification, IsUnknownForAStepThatIsNotLinear) {
  const IntegratorInfo& info = *find_integrator("a-search");
  for (const double h_omega : whole_range(9))
    EXPECT_TRUE(measure_amplification(info, {}, h_omega, ModeKind::slow).empty()) << h_omega;
}

TEST(Amplification, FollowsTheParametersOfAMethod) {
  for (const IntegratorInfo& info : integrators()) {
    for (std::size_t p = 0; p < info.parameters.size(); ++p) {
      IntegratorParameters values = default_parameters(info);
      values[p] = info.parameters[p].min;
      const auto measured = measure_amplification(info, values, 3, ModeKind::slow);
      ASSERT_FALSE(measured.empty());
      // With ρ∞ = 0 two eigenvalues meet at large hω only; at 3 they are well apart.
      EXPECT_NEAR(std::abs(measured[0]), slow_growth(info, 3, values), 1e-6) << info.id;
    }
  }
}

// All eigenvalues, those of a method's memory included.
using StepSpectrum = std::vector<Complex> (*)(double y);
const std::map<std::string, StepSpectrum> kSpectra{
    {"explicit-euler",
     [](double y) {
       return std::vector{Complex(1, y), Complex(1, -y)};
     }},
    {"semi-implicit-euler",
     [](double y) {
       return std::vector{1.0 / Complex(1, -y), 1.0 / Complex(1, y)};
     }},
    {"exponential-rosenbrock-euler",
     [](double y) {
       return std::vector{std::polar(1.0, y), std::polar(1.0, -y)};
     }},
    {"bdf2",
     [](double y) {
       std::vector<Complex> all;
       for (const double side : {1.0, -1.0}) {
         const Complex z(0, side * y), root = std::sqrt(1.0 + 2.0 * z);
         all.push_back((2.0 + root) / (3.0 - 2.0 * z));
         all.push_back((2.0 - root) / (3.0 - 2.0 * z));
       }
       return all;
     }},
};

TEST(Amplification, FindsEveryEigenvalue) {
  for (const auto& [id, spectrum] : kSpectra) {
    const IntegratorInfo* info = find_integrator(id);
    if (info == nullptr) continue;
    for (const double h_omega : whole_range(9)) {
      const auto measured = measure_amplification(*info, default_parameters(*info), h_omega, ModeKind::slow);
      const auto expected = spectrum(h_omega);
      ASSERT_EQ(measured.size(), expected.size()) << id << " at " << h_omega;
      for (const Complex e : expected) {
        double nearest = INFINITY;
        for (const Complex m : measured) nearest = std::min(nearest, std::abs(m - e));
        EXPECT_LT(nearest, 1e-6 * std::max(1.0, std::abs(e))) << id << " at " << h_omega;
      }
    }
  }
}

// Steady motion at ω = 1 under cos Ωt, constant in each step at its value in the middle, θ = hΩ and ζ =
// e^{iθ}: from x_n = X ζⁿ in the equations of two steps.
using SteadyMotion = Complex (*)(double y, double theta);
const std::map<std::string, SteadyMotion> kSteady{
    {"velocity-verlet",
     [](double y, double theta) {
       return Complex(y * y * std::cos(theta / 2) / (y * y - 4 * std::pow(std::sin(theta / 2), 2)));
     }},
    {"implicit-midpoint",
     [](double y, double theta) {
       return Complex(1 / (std::cos(theta / 2) * (1 - std::pow(2 * std::tan(theta / 2) / y, 2))));
     }},
    {"backward-euler",
     [](double y, double theta) {
       const Complex zeta = std::polar(1.0, theta);
       return y * y * std::polar(1.0, theta / 2) / (2 * std::cos(theta) - 2 + y * y * zeta);
     }},
    {"bdf2",  // δ²x + y² x = y² F, δ = 3/2 − 2/ζ + 1/(2ζ²), at the end of the step
     [](double y, double theta) {
       const Complex back = std::polar(1.0, -theta), delta = 1.5 - 2.0 * back + 0.5 * back * back;
       return y * y / (delta * delta + y * y);
     }},
};

TEST(Response, OfAnUndampedModeIsThatOfTheClosedForm) {
  for (const auto& [id, steady] : kSteady)
    for (const double h_omega : {0.1, 0.9, 1.7, 5.0})
      for (const double ratio : {0.2, 0.5, 1.5}) {
        const IntegratorInfo& info = *find_integrator(id);
        if (h_omega > stability_limit(info, {}) || h_omega * ratio > std::numbers::pi) continue;
        const auto response = measure_response(info, {}, h_omega, ModeKind::slow, ratio);
        ASSERT_TRUE(response) << id;
        const Complex expected = steady(h_omega, ratio * h_omega);
        EXPECT_LT(std::abs(response->steady - expected), 1e-9 * std::abs(expected))
            << id << " at " << h_omega << ", " << ratio;
      }
}

TEST(Response, TendsToTheExactOneWithSmallSteps) {
  for (const IntegratorInfo& info : integrators()) {
    const IntegratorParameters values = default_parameters(info);
    const auto coarse = measure_response(info, values, 0.02, ModeKind::slow, 0.7, {}, 0.02 * 0.3);
    const auto fine = measure_response(info, values, 0.01, ModeKind::slow, 0.7, {}, 0.01 * 0.3);
    if (!coarse) continue;  // its steps are not linear
    const Complex exact = exact_response(0.7, 0.3);
    EXPECT_LT(std::abs(coarse->steady / exact - 1.0), 0.02) << info.id;
    const int order = std::min(2, info.order_with_damping > 0 ? info.order_with_damping : info.order);
    EXPECT_GT(std::log2(std::abs(coarse->steady - exact) / std::abs(fine->steady - exact)),
              std::max(order, 1) - 0.2)
        << info.id;
  }
  EXPECT_LT(std::abs(exact_response(2, 0.5) - 1.0 / Complex(-3, 1)), 1e-15);
}

TEST(Response, HasNoSteadyMotionWhereTheMethodGrows) {
  const auto steady = [](const char* id, double h_omega, double h_damping) {
    return std::abs(
        measure_response(*find_integrator(id), {}, h_omega, ModeKind::slow, 0.5, {}, h_damping)->steady);
  };
  EXPECT_TRUE(std::isnan(steady("explicit-euler", 0.1, 0)));
  EXPECT_FALSE(std::isnan(steady("explicit-euler", 0.1, 0.02)));
  EXPECT_FALSE(std::isnan(steady("velocity-verlet", 1.99, 0)));
  EXPECT_TRUE(std::isnan(steady("velocity-verlet", 2.01, 0)));
}

// Δv = (1 + hd + (hω)²)⁻¹ Δv of explicit Euler [Joubert 2009, §4.2.2]
TEST(Response, OfSemiImplicitEulerIsAFilteredOneOfExplicitEuler) {
  for (const double h_omega : whole_range(9))
    for (const double h_damping : {0.0, 0.3}) {
      const auto low_pass = [&](const char* id) {
        return measure_response(*find_integrator(id), {}, h_omega, ModeKind::slow, 0.01, {}, h_damping)
            ->low_pass;
      };
      EXPECT_NEAR(low_pass("explicit-euler"), 1, 1e-12);
      const double filter = 1 / (1 + h_damping + h_omega * h_omega);
      EXPECT_NEAR(low_pass("semi-implicit-euler"), filter, 1e-9 * filter) << h_omega;
      EXPECT_NEAR(low_pass("backward-euler"), filter, 1e-9 * filter) << h_omega;
    }
}

TEST(Amplification, GivesUpWhenToldTo) {
  const IntegratorInfo& info = integrators()[0];
  EXPECT_TRUE(
      measure_amplification(info, default_parameters(info), 1, ModeKind::slow, [] { return true; }).empty());
}

TEST(Damping, PhaseErrorIsTheAngleToTheExactStep) {
  EXPECT_NEAR(phase_error(std::polar(0.7, 0.25), 0.2), 0.05, 1e-15);
  EXPECT_NEAR(phase_error(std::polar(0.7, -0.25), 0.2), 0.05, 1e-15);  // of the pair, the nearer one
  EXPECT_NEAR(phase_error(std::polar(1.0, 50.0), 50), 0, 1e-13);
  // Midpoint: tan(arg / 2) = hω / 2, so that the phase lags by (hω)³/12 to leading order.
  const Complex midpoint = Complex(1, 0.005) / Complex(1, -0.005);
  EXPECT_NEAR(phase_error(midpoint, 0.01), -1e-6 / 12, 1e-11);
}

/// d/ω of the damped equation that a method solves instead, as measured.
double measured_damping(const char* id, double h_omega) {
  const IntegratorInfo& info = *find_integrator(id);
  return equivalent_damping(
      std::abs(measure_amplification(info, default_parameters(info), h_omega, ModeKind::slow)[0]), h_omega);
}

// Where h does not resolve the motion; below, backward Euler is of lower order [Ascher 2022, §3.2].
TEST(Damping, OfBackwardEulerIsAboutTwiceThatOfBdf2) {
  for (const double h_omega : {3.0, 5.0, 10.0, 30.0, 100.0}) {
    const double ratio = measured_damping("backward-euler", h_omega) / measured_damping("bdf2", h_omega);
    EXPECT_GT(ratio, 1.8) << h_omega;
    EXPECT_LT(ratio, 2.5) << h_omega;
  }
}

// [Ascher 2022, figure 3]
TEST(Damping, OfDirkMethodsDependsLessOnTheFrequencyThanThatOfBdf2) {
  for (const double h_omega : whole_range(21)) {
    const double tr_bdf2 = measured_damping("tr-bdf2", h_omega);
    // Below 0.1 the loss of a step comes close to the rounding of its measurement.
    if (h_omega < 0.1) continue;
    const double ratio = tr_bdf2 / measured_damping("sdirk2", h_omega);
    EXPECT_GT(ratio, 0.93) << h_omega;
    EXPECT_LT(ratio, 1) << h_omega;
  }
  for (const char* dirk : {"tr-bdf2", "sdirk2"}) {
    EXPECT_GT(measured_damping("bdf2", 1), 20 * measured_damping(dirk, 1)) << dirk;
    EXPECT_LT(measured_damping("bdf2", 100), measured_damping(dirk, 100)) << dirk;
    const auto spread = [](const char* id) {
      double least = INFINITY, most = 0;
      for (double h_omega = 4; h_omega < 100; h_omega *= 1.2) {
        least = std::min(least, measured_damping(id, h_omega));
        most = std::max(most, measured_damping(id, h_omega));
      }
      return most / least;
    };
    EXPECT_LT(spread(dirk), spread("bdf2") / 2) << dirk;
  }
}

TEST(Damping, IsThatOfTheDampedEquation) {
  // x'' + d x' + ω²x = 0 shrinks as e^{−d t / 2}.
  EXPECT_NEAR(equivalent_damping(std::exp(-0.3 / 2 * 0.1), 0.1), 0.3, 1e-14);
  EXPECT_LT(equivalent_damping(1.1, 0.1), 0);
}

}  // namespace
}  // namespace clothlab
