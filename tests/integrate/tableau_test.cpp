// SPDX-License-Identifier: MIT
// Methods from coefficients: their properties against theory, and their steps against dense references.

#include "integrate/tableau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/error.h"
#include "core/text.h"
#include "dense_algebra.h"
#include "integrate/dense_reference.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Rig;
using test::Stepper;
using Rows = std::vector<std::vector<std::string>>;
using Row = std::vector<std::string>;

constexpr double kForEver = std::numeric_limits<double>::infinity();

struct Expected {
  const char* id;
  int order;
  double limit, at_infinity;
  bool a_stable, l_stable, symplectic;
};

TEST(Tableau, HasThePropertiesOfTheory) {
  const double crouzeix = std::numbers::sqrt3 - 1;
  for (const Expected& e : {
           Expected{"heun", 2, 0, kForEver, false, false, false},
           Expected{"ralston", 2, 0, kForEver, false, false, false},
           Expected{"kutta3", 3, std::numbers::sqrt3, kForEver, false, false, false},
           Expected{"ssp3", 3, std::numbers::sqrt3, kForEver, false, false, false},
           Expected{"rk4", 4, 2 * std::numbers::sqrt2, kForEver, false, false, false},
           Expected{"three-eighths", 4, 2 * std::numbers::sqrt2, kForEver, false, false, false},
           Expected{"cash-karp5", 5, 0, kForEver, false, false, false},
           Expected{"midpoint", 2, kForEver, 1, true, false, true},
           Expected{"crouzeix", 3, kForEver, crouzeix, true, false, false},
           Expected{"sdirk3", 3, kForEver, 0, true, true, false},
           Expected{"esdirk3", 3, kForEver, 0, true, true, false},
           Expected{"gauss4", 4, kForEver, 1, true, false, true},
           Expected{"radau-iia3", 3, kForEver, 0, true, true, false},
           Expected{"adams-bashforth2", 2, 0, kForEver, false, false, false},
           Expected{"leapfrog", 2, 1, kForEver, false, false, false},
           Expected{"adams-moulton3", 3, 0, (4 + std::sqrt(21.0)) / 5, false, false, false},
           Expected{"milne4", 4, std::numbers::sqrt3, 2 + std::numbers::sqrt3, false, false, false},
           Expected{"bdf2", 2, kForEver, 0, true, true, false},
       }) {
    const TableauFacts& facts = tableau_method(tableau_preset(e.id)).facts;
    EXPECT_EQ(facts.order, e.order) << e.id;
    if (std::isinf(e.limit))
      EXPECT_EQ(facts.limit, e.limit) << e.id;
    else
      EXPECT_NEAR(facts.limit, e.limit, 1e-9) << e.id;
    if (std::isinf(e.at_infinity))
      EXPECT_EQ(facts.at_infinity, e.at_infinity) << e.id;
    else
      EXPECT_NEAR(facts.at_infinity, e.at_infinity, 1e-12) << e.id;
    EXPECT_EQ(facts.a_stable, e.a_stable) << e.id;
    EXPECT_EQ(facts.l_stable, e.l_stable) << e.id;
    EXPECT_EQ(facts.symplectic, e.symplectic) << e.id;
  }
  EXPECT_EQ(tableau_presets().size(), 18u) << "Add the properties of a new tableau above.";
}

// Sums of rounded products must not hide that |R| = 1 to some order.
TEST(Tableau, HasItsLimitDespiteRounding) {
  const Tableau dormand_prince{"",
                               {{"0", "0", "0", "0", "0", "0", "0"},
                                {"1/5", "0", "0", "0", "0", "0", "0"},
                                {"3/40", "9/40", "0", "0", "0", "0", "0"},
                                {"44/45", "-56/15", "32/9", "0", "0", "0", "0"},
                                {"19372/6561", "-25360/2187", "64448/6561", "-212/729", "0", "0", "0"},
                                {"9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656", "0", "0"},
                                {"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84", "0"}},
                               {"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84", "0"}};
  EXPECT_NEAR(tableau_method(dormand_prince).facts.limit, 1, 0.1);
  EXPECT_EQ(tableau_method(dormand_prince).facts.order, 5);
}

// Forward and backward Euler, and the trapezoidal rule, whose growth is known.
TEST(Tableau, GrowsAsItsStabilityFunction) {
  const auto growth = [](const Rows& a, const Row& b, double y, double s) {
    const IntegratorInfo& info = tableau_method({"", a, b}).info;
    return info.growth(y, s, default_parameters(info));
  };
  for (const double y : {0.01, 1.0, 30.0, 1e5})
    for (const double s : {0.0, 0.3, 100.0}) {
      const auto same = [&](const char* id, const Rows& a, const Row& b) {
        const double expected = find_integrator(id)->growth(y, s, {});
        EXPECT_NEAR(growth(a, b, y, s), expected, 1e-12 * expected) << id << ' ' << y << ' ' << s;
      };
      same("explicit-euler", {{"0"}}, {"1"});
      same("backward-euler", {{"1"}}, {"1"});
      same("trapezoidal", {{"0", "0"}, {"1/2", "1/2"}}, {"1/2", "1/2"});
      same("tr-bdf2", {{"0", "0", "0"}, {"1/4", "1/4", "0"}, {"1/3", "1/3", "1/3"}}, {"1/3", "1/3", "1/3"});
    }
}

// The roots of the characteristic polynomial at the limit and beside it.
TEST(TwoStepTableau, GrowsAsItsRoots) {
  const auto growth = [](const char* id, double y, double s) {
    const IntegratorInfo& info = tableau_method(tableau_preset(id)).info;
    return info.growth(y, s, default_parameters(info));
  };
  for (const double y : {0.01, 1.0, 30.0, 1e5})
    for (const double s : {0.0, 0.3, 100.0}) {
      const double expected = find_integrator("bdf2")->growth(y, s, {});
      EXPECT_NEAR(growth("bdf2", y, s), expected, 1e-12 * expected) << y << ' ' << s;
    }
  for (const auto& [id, limit] : {std::pair{"leapfrog", 1.0}, {"milne4", std::numbers::sqrt3}}) {
    for (const double y : {0.1, 0.5, 0.999}) EXPECT_EQ(growth(id, y * limit, 0), 1) << id << ' ' << y;
    EXPECT_GT(growth(id, 1.001 * limit, 0), 1.01) << id;
    EXPECT_GT(growth(id, 0.1, 0.01), 1.001) << id;  // damping makes the other root grow
  }
  EXPECT_NEAR(growth("adams-bashforth2", 0.1, 0), 1 + std::pow(0.1, 4) / 4, 1e-6);
  // −1 is a root at z = −1.
  EXPECT_NEAR(growth("adams-bashforth2", 0, 1), 1, 1e-12);
}

// As the scan of the axis.
TEST(TwoStepTableau, HasTheLimitOfItsGrowth) {
  std::mt19937 random(7);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  };
  int bounded = 0, unbounded = 0;
  for (int k = 0; k < 200; ++k) {
    const double a0 = between(-0.9, 0.9), b0 = between(-0.6, 0.6), b2 = k % 2 == 0 ? 0 : between(0.1, 2);
    const Tableau tableau{"",
                          {},
                          {},
                          {format_number(a0), format_number(-1 - a0), "1"},
                          {format_number(b0), format_number(1 - a0 - b0 - b2), format_number(b2)}};
    const TableauMethod& method = tableau_method(tableau);
    const auto growth = [&](double y) { return method.info.growth(y, 0, method.values); };
    const double limit = method.facts.limit;
    if (limit == 0) {
      EXPECT_GT(growth(0.03), 1) << method.formula;
      continue;
    }
    ++(std::isinf(limit) ? unbounded : bounded);
    for (int part = 1; part < 50; ++part)
      EXPECT_LE(growth(std::min(limit, 1e4) * part / 50.0), 1) << method.formula << ' ' << limit;
    if (!std::isinf(limit)) {
      EXPECT_GT(growth(1.001 * limit), 1) << method.formula;
    }
  }
  EXPECT_GT(bounded, 10);
  EXPECT_GT(unbounded, 10);
}

TEST(TwoStepTableau, ConvergesOnAPendulumAtItsOrder) {
  for (const TableauPreset& preset : tableau_presets())
    if (preset.tableau.is_two_step()) {
      EXPECT_NEAR(measured_order(preset.tableau), tableau_method(preset.tableau).facts.order, 0.2)
          << preset.id;
    }
}

TEST(TwoStepTableau, IsRefusedInOneSentence) {
  const auto sentence = [](const Row& alpha, const Row& beta, const Rows& a = {}) -> std::string {
    try {
      tableau_method({"", a, {}, alpha, beta});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const Row leapfrog{"-1", "0", "1"};
  EXPECT_EQ(sentence(leapfrog, {"0", "2", "0"}), "");
  EXPECT_NE(sentence(leapfrog, {"0", "2"}).find("2 cells in beta"), std::string::npos);
  EXPECT_NE(sentence({}, {"0", "2", "0"}).find("0 cells in alpha"), std::string::npos);
  EXPECT_NE(sentence(leapfrog, {"0", "x", "0"}).find("\"x\" in beta of u0"), std::string::npos);
  EXPECT_NE(sentence({"-1", "0", "2"}, {"0", "2", "0"}).find("add up to 1; they must"), std::string::npos);
  EXPECT_NE(sentence({"-2", "0", "2"}, {"0", "2", "0"}).find("first one, 4,"), std::string::npos);
  EXPECT_NE(sentence({"1", "-1", "0"}, {"0", "2", "0"}).find("alpha of u1"), std::string::npos);
  EXPECT_NE(sentence({"-2", "1", "1"}, {"0", "3", "0"}).find("-2 times the last one"), std::string::npos);
  EXPECT_NE(sentence({"1", "-2", "1"}, {"0", "0", "0"}).find("1 times the last one"), std::string::npos);
  EXPECT_NE(sentence({"0", "-1", "1"}, {"0", "2", "-1"}).find("-1 in beta of u1"), std::string::npos);
  EXPECT_NE(sentence(leapfrog, {"0", "2", "0"}, {{"0"}}).find("one of the two"), std::string::npos);
}

// z R(z) → 5 for TR-BDF2 [Ascher 2022, §3.1], 2 + 2√2 for SDIRK2.
TEST(Tableau, OfTrBdf2AndSdirk2IsLStable) {
  const std::string half_gamma = "1 - sqrt(2)/2", beta = "sqrt(2)/4";
  for (const auto& [id, a, b, times_z] : {
           std::tuple<const char*, Rows, Row, double>{
               "tr-bdf2",
               {{"0", "0", "0"}, {"1/4", "1/4", "0"}, {"1/3", "1/3", "1/3"}},
               {"1/3", "1/3", "1/3"},
               5},
           {"sdirk2",
            {{"0", "0", "0"}, {half_gamma, half_gamma, "0"}, {beta, beta, half_gamma}},
            {beta, beta, half_gamma},
            2 + 2 * std::numbers::sqrt2},
       }) {
    const TableauMethod& method = tableau_method({"", a, b});
    EXPECT_TRUE(method.facts.l_stable) << id;
    EXPECT_TRUE(method.facts.a_stable) << id;
    EXPECT_EQ(method.facts.order, 2) << id;
    EXPECT_NEAR(method.facts.at_infinity, 0, 1e-12) << id;
    for (const double y : {1e4, 1e6}) {
      EXPECT_NEAR(y * method.info.growth(y, 0, default_parameters(method.info)), times_z, 1e-6) << id;
      EXPECT_NEAR(y * find_integrator(id)->growth(y, 0, default_parameters(*find_integrator(id))), times_z,
                  1e-6)
          << id;
    }
  }
}

TEST(Tableau, IsOneMethodForEqualTableaux) {
  const Tableau heun = tableau_preset("heun");
  EXPECT_EQ(&tableau_method(heun), &tableau_method(tableau_preset("heun")));
  Tableau other = heun;
  other.name = "Mine";
  EXPECT_NE(&tableau_method(heun), &tableau_method(other));
  EXPECT_EQ(tableau_method(other).info.title, "Mine");
  EXPECT_EQ(tableau_method(heun).info.formula,
            "F1 = F(u0); F2 = F(u0 + h (F1)); u1 = u0 + h (1/2 F1 + 1/2 F2)");
}

TEST(Tableau, ReadsNumbersAndExpressions) {
  const double root = std::numbers::sqrt3;
  for (const auto& [text, value] : {std::pair{"1/6", 1.0 / 6},
                                    {"-2", -2.0},
                                    {" 0.5 ", 0.5},
                                    {"1e-3", 1e-3},
                                    {"1/4 - sqrt(3)/6", 0.25 - root / 6},
                                    {"-(1+2)*3", -9.0},
                                    {"--1", 1.0},
                                    {"2*(3-1)/4", 1.0}})
    EXPECT_DOUBLE_EQ(read_cell(text, "b"), value) << text;
  for (const char* text : {"", "x", "1/0", "1/", "(1", "1)", "sqrt(-1)", "1 2", "1e9", "nan", "inf", "sqrt 3",
                           "1,5", "1/inf", "((((((((((((((((((((((1))))))))))))))))))))))"})
    EXPECT_THROW(read_cell(text, "b"), InputError) << text;
}

TEST(Tableau, RefusesWhatIsNoMethodInOneSentence) {
  const auto sentence = [](const Rows& a, const Row& b) -> std::string {
    try {
      tableau_method({"", a, b});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(sentence({}, {}).find("0 weights b"), std::string::npos);
  EXPECT_NE(sentence({{"0"}}, {"1/2", "1/2"}).find("1 rows in a and 2 weights"), std::string::npos);
  EXPECT_NE(sentence({{"0", "0"}, {"1"}}, {"1/2", "1/2"}).find("Row 2"), std::string::npos);
  EXPECT_NE(sentence({{"0", "0"}, {"1", "x"}}, {"1/2", "1/2"}).find("\"x\" in a, row 2, column 2"),
            std::string::npos);
  EXPECT_NE(sentence({{"0", "0"}, {"1", "0"}}, {"1/2", "1/3"}).find("add up to 0.83"), std::string::npos);
  EXPECT_NE(sentence({{"-1"}}, {"1"}).find("-1 on the diagonal"), std::string::npos);
  EXPECT_NE(sentence({{"1e-9"}}, {"1"}).find("at least 1e-6"), std::string::npos);
  // Lobatto IIIB: the second stage cannot be solved.
  EXPECT_NE(sentence({{"1/2", "0"}, {"1/2", "0"}}, {"1/2", "1/2"}), "x");  // diagonal: allowed
  EXPECT_NE(sentence({{"0", "1"}, {"1", "0"}}, {"1/2", "1/2"}).find("triangular factor"), std::string::npos);
  const Row nine(9, "0");
  EXPECT_NE(sentence(Rows(9, nine), nine).find("1 to 8"), std::string::npos);
}

// ---- Steps

std::unique_ptr<Rig> swinging_sheet() {
  Material material;
  material.mass = 0.2;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 20;
  material.bend_stiffness = 2;
  material.spring_damping = 0.03;
  auto rig = test::make_sheet(3, 4, 0.2, material);
  test::shake(rig->state, 0.03, 0.4);
  rig->pin(0);
  rig->state.v[0] = vec3(0.0);
  return rig;
}

/// Largest difference of steps from the dense reference of a method.
double difference_from_reference(const IntegratorInfo& info, int steps = 2) {
  auto rig = swinging_sheet();
  const IntegratorParameters values = default_parameters(info);
  const test::DenseCloth cloth(*rig);
  const test::DenseMethod method = test::dense_method(info.id, cloth, values);
  SolverSettings settings = test::tight_settings();
  settings.newton_tolerance = info.always_newton ? 1e-12 : 1e-14;  // sweeps that shrink it slowly
  Stepper stepper(*rig, info, settings, values);
  Eigen::VectorXd u = test::dense_state(rig->state);
  const double h = 0.012;
  for (int k = 0; k < steps; ++k) {
    u = method(u, h);
    const StepReport report = stepper.step(h);
    EXPECT_TRUE(report.converged) << info.formula << ": " << report.reason;
  }
  return algebra::largest_difference(test::dense_state(rig->state), u);
}

class RandomTableau : public testing::TestWithParam<int> {
 protected:
  using Random = std::mt19937;
  static double between(Random& random, double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / static_cast<double>(Random::max());
  }
  static Tableau of(const std::vector<std::vector<double>>& a, std::vector<double> b) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < b.size(); ++i) sum += b[i];
    b.back() = 1 - sum;
    Tableau tableau;
    for (const auto& row : a) {
      auto& cells = tableau.a.emplace_back();
      for (const double x : row) cells.push_back(format_number(x));
    }
    for (const double x : b) tableau.b.push_back(format_number(x));
    return tableau;
  }
  /// Explicit, or with a diagonal in [0.1, 0.6].
  static Tableau triangular(Random& random, bool diagonal) {
    const std::size_t s = 1 + random() % 5;
    std::vector<std::vector<double>> a(s, std::vector<double>(s, 0.0));
    std::vector<double> b(s);
    for (std::size_t i = 0; i < s; ++i) {
      for (std::size_t j = 0; j < i; ++j) a[i][j] = between(random, -0.5, 0.8);
      if (diagonal) a[i][i] = between(random, 0.1, 0.6);
      b[i] = between(random, -0.2, 0.7);
    }
    return of(a, b);
  }
  /// Collocation at random nodes in (0, 1]: a_ij = ∫ of the Lagrange polynomial j from 0 to c_i.
  static Tableau collocation(Random& random) {
    const std::size_t s = 2 + random() % 2;
    std::vector<double> c(s);
    for (std::size_t i = 0; i < s; ++i)
      c[i] = (static_cast<double>(i) + between(random, 0.65, 0.98)) / static_cast<double>(s);
    const auto integral = [&](std::size_t j, double end) {
      constexpr int kPanels = 1;  // Simpson's rule is exact for the quadratics here
      const auto lagrange = [&](double x) {
        double value = 1;
        for (std::size_t k = 0; k < c.size(); ++k)
          if (k != j) value *= (x - c[k]) / (c[j] - c[k]);
        return value;
      };
      return end / (6 * kPanels) * (lagrange(0) + 4 * lagrange(end / 2) + lagrange(end));
    };
    std::vector<std::vector<double>> a(s, std::vector<double>(s));
    std::vector<double> b(s);
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t i = 0; i < s; ++i) a[i][j] = integral(j, c[i]);
      b[j] = integral(j, 1);
    }
    return of(a, b);
  }
};

// In all 200.
TEST_P(RandomTableau, AgreesWithTheDenseReference) {
  Random random(static_cast<Random::result_type>(GetParam()));
  for (int k = 0; k < 20; ++k) {
    const int kind = k % 3;
    const Tableau tableau = kind == 2 ? collocation(random) : triangular(random, kind == 1);
    const IntegratorInfo& info = tableau_method(tableau).info;
    EXPECT_LT(difference_from_reference(info), 1e-9) << info.formula;
  }
}

TEST_P(RandomTableau, OfTwoStepsAgreesWithTheDenseReference) {
  Random random(static_cast<Random::result_type>(GetParam()));
  for (int k = 0; k < 10; ++k) {
    const double a0 = between(random, -1, 0.6), b0 = between(random, -0.5, 0.5);
    const double b2 = k % 2 == 0 ? 0 : between(random, 0.2, 1);
    const Tableau tableau{"",
                          {},
                          {},
                          {format_number(a0), format_number(-1 - a0), "1"},
                          {format_number(b0), format_number(1 - a0 - b0 - b2), format_number(b2)}};
    const IntegratorInfo& info = tableau_method(tableau).info;
    EXPECT_LT(difference_from_reference(info, 4), 1e-9) << info.formula;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTableau, testing::Range(1, 11));

TEST(Tableau, RepeatsTheBuiltInMethods) {
  const double root = std::numbers::sqrt2;
  const std::string half_gamma = format_number(1 - root / 2), beta = format_number(root / 4);
  for (const auto& [id, a, b] : {
           std::tuple<const char*, Rows, Row>{"rk4", tableau_preset("rk4").a, tableau_preset("rk4").b},
           {"backward-euler", {{"1"}}, {"1"}},
           {"implicit-midpoint", {{"1/2"}}, {"1"}},
           {"trapezoidal", {{"0", "0"}, {"1/2", "1/2"}}, {"1/2", "1/2"}},
           {"tr-bdf2", {{"0", "0", "0"}, {"1/4", "1/4", "0"}, {"1/3", "1/3", "1/3"}}, {"1/3", "1/3", "1/3"}},
           {"sdirk2",
            {{"0", "0", "0"}, {half_gamma, half_gamma, "0"}, {beta, beta, half_gamma}},
            {beta, beta, half_gamma}},
       }) {
    auto rig = swinging_sheet(), other = swinging_sheet();
    Stepper built_in(*rig, *find_integrator(id), test::tight_settings());
    Stepper table(*other, tableau_method({"", a, b}).info, test::tight_settings());
    for (int k = 0; k < 20; ++k) {
      built_in.step(0.012);
      table.step(0.012);
    }
    double largest = 0;
    for (std::size_t i = 0; i < rig->state.x.size(); ++i)
      largest = std::max(largest, glm::length(rig->state.x[i] - other->state.x[i]));
    EXPECT_LT(largest, 1e-10) << id;
  }
}

}  // namespace
}  // namespace clothlab
