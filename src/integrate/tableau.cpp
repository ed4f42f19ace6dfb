// SPDX-License-Identifier: MIT
#include "integrate/tableau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/interned.h"
#include "core/quantity.h"
#include "core/text.h"
#include "integrate/growth.h"
#include "integrate/registry.h"
#include "integrate/two_step.h"

namespace clothlab {
namespace {

constexpr double kInfiniteLimit = std::numeric_limits<double>::infinity();
constexpr double kRoundingOfCoefficients = 1e-13;
constexpr double kLeastDiagonal = 1e-6;  // a stage divides by it

}  // namespace

double read_cell(const std::string& cell, const std::string& where) {
  constexpr double kLargest = 1e6;
  if (cell.size() > kLongestCell)
    throw InputError("The tableau has " + std::to_string(cell.size()) + " characters in " + where +
                     "; at most " + std::to_string(kLongestCell) + " are allowed in a cell.");
  const std::optional<double> value = parse_expression(cell);
  if (!value || std::abs(*value) > kLargest)
    throw InputError("The tableau has \"" + printable(cell) + "\" in " + where +
                     "; allowed are numbers up to 1e6 and expressions such as \"1/6\" and \"1/4 - "
                     "sqrt(3)/6\".");
  return *value;
}

namespace {

/// The coefficients of det(I − z A), from z⁰ to zˢ [Faddeev and Leverrier's method].
std::vector<double> reversed_characteristic(std::span<const double> a, std::size_t s) {
  using Real = long double;
  std::vector<Real> power(s * s), next(s * s);
  std::vector<double> coefficients{1};
  Real last = 1;
  for (std::size_t k = 1; k <= s; ++k) {
    // power := A (power + last I)
    for (std::size_t i = 0; i < s; ++i) power[i * s + i] += last;
    Real trace = 0;
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t j = 0; j < s; ++j) {
        Real sum = 0;
        for (std::size_t l = 0; l < s; ++l) sum += static_cast<Real>(a[i * s + l]) * power[l * s + j];
        next[i * s + j] = sum;
        if (i == j) trace += sum;
      }
    power.swap(next);
    last = -trace / static_cast<Real>(k);
    coefficients.push_back(std::abs(last) < kRoundingOfCoefficients ? 0.0 : static_cast<double>(last));
  }
  return coefficients;
}

template <class Number>
Number polynomial(std::span<const double> coefficients, const Number& z) {
  Number value{};
  for (std::size_t k = coefficients.size(); k-- > 0;) value = value * z + coefficients[k];
  return value;
}

/// The coefficients of |p(iy)|² in y², and the sizes of what they are sums of.
struct SquaredOnAxis {
  std::vector<double> values, sizes;
};
SquaredOnAxis squared_on_axis(std::span<const double> p) {
  SquaredOnAxis squared{std::vector<double>(p.size(), 0.0), std::vector<double>(p.size(), 0.0)};
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = i % 2; j < p.size(); j += 2) {  // i + j is even
      const bool is_positive = (i + 3 * j) % 4 == 0;     // iⁱ conj(iʲ) = i^(i + 3j)
      squared.values[(i + j) / 2] += (is_positive ? 1 : -1) * p[i] * p[j];
      squared.sizes[(i + j) / 2] += std::abs(p[i] * p[j]);
    }
  return squared;
}

/// The largest y with |N(iy')| ≤ |D(iy')| on [0, y].
double limit_on_axis(std::span<const double> numerator, std::span<const double> denominator) {
  const SquaredOnAxis n = squared_on_axis(numerator), d = squared_on_axis(denominator);
  std::vector<double> margin = d.values;
  for (std::size_t k = 0; k < margin.size(); ++k) {
    margin[k] -= n.values[k];
    const double size = std::max({n.sizes[k], d.sizes[k], 1e-3});
    if (std::abs(margin[k]) <= kRoundingOfCoefficients * size) margin[k] = 0;
  }
  const auto lowest = std::ranges::find_if(margin, [](double c) { return c != 0; });
  if (lowest == margin.end()) return kInfiniteLimit;
  if (*lowest < 0) return 0;
  const std::span<const double> rest(lowest, margin.end());
  constexpr double kFirst = 1e-4, kLast = 1e10, kFactor = 1.01;
  const auto is_stable = [&](double y) { return polynomial(rest, y * y) >= 0; };
  for (double y = kFirst; y < kLast; y *= kFactor) {
    if (is_stable(y)) continue;
    double below = y / kFactor, above = y;
    for (double middle = 0; below < (middle = (below + above) / 2) && middle < above;)
      (is_stable(middle) ? below : above) = middle;
    return below;
  }
  return kInfiniteLimit;
}

/// True if all roots of p have positive real parts, by Routh's criterion for p(−z).
bool has_roots_on_right(std::span<const double> p) {
  std::vector<double> c(p.begin(), p.end());
  while (c.size() > 1 && c.back() == 0) c.pop_back();
  for (std::size_t k = 1; k < c.size(); k += 2) c[k] = -c[k];
  std::vector<double> upper, lower;  // rows of Routh's array
  for (std::size_t k = c.size(); k-- > 0;) ((c.size() - 1 - k) % 2 == 0 ? upper : lower).push_back(c[k]);
  while (!lower.empty()) {
    if (!(upper[0] * lower[0] > 0)) return false;
    std::vector<double> next;
    for (std::size_t k = 0; k + 1 < upper.size(); ++k)
      next.push_back(upper[k + 1] - upper[0] / lower[0] * (k + 1 < lower.size() ? lower[k + 1] : 0));
    upper = std::exchange(lower, next);
  }
  return true;
}

int order_by_conditions(const RungeKuttaTable& table) {
  const std::size_t s = table.stages();
  using Stages = std::vector<double>;
  const auto applied = [&](const Stages& x) {
    Stages y(s, 0.0);
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t j = 0; j < s; ++j) y[i] += table.a(i, j) * x[j];
    return y;
  };
  const auto times = [&](Stages x, const Stages& y) {
    for (std::size_t i = 0; i < s; ++i) x[i] *= y[i];
    return x;
  };
  const auto holds = [&](const Stages& x, double inverse) {
    double sum = 0;
    for (std::size_t i = 0; i < s; ++i) sum += table.b(i) * x[i];
    return std::abs(sum - 1 / inverse) <= kConditionTolerance;
  };
  // The trees of each order [Hairer 1993, II.2].
  const Stages one(s, 1.0), c = applied(one), c2 = times(c, c), c3 = times(c2, c), ac = applied(c),
                            ac2 = applied(c2), aac = applied(ac);
  if (!holds(one, 1)) return 0;
  if (!holds(c, 2)) return 1;
  if (!holds(c2, 3) || !holds(ac, 6)) return 2;
  if (!holds(c3, 4) || !holds(times(c, ac), 8) || !holds(ac2, 12) || !holds(aac, 24)) return 3;
  const bool fifth = holds(times(c3, c), 5) && holds(times(c2, ac), 10) && holds(times(ac, ac), 20) &&
                     holds(times(c, ac2), 15) && holds(applied(c3), 20) && holds(times(c, aac), 30) &&
                     holds(applied(times(c, ac)), 40) && holds(applied(ac2), 60) && holds(applied(aac), 120);
  return fifth ? 5 : 4;
}

}  // namespace

RungeKuttaTable::RungeKuttaTable(const Tableau& tableau) {
  const std::size_t s = tableau.b.size();
  if (s < 1 || s > kMostStages)
    throw InputError("The tableau has " + std::to_string(s) + " weights b; allowed are 1 to " +
                     std::to_string(kMostStages) + " stages.");
  if (tableau.a.size() != s)
    throw InputError("The tableau has " + std::to_string(tableau.a.size()) + " rows in a and " +
                     std::to_string(s) + " weights in b; both must be the number of stages.");
  for (std::size_t i = 0; i < s; ++i) {
    if (tableau.a[i].size() != s)
      throw InputError("Row " + std::to_string(i + 1) + " of the tableau's a has " +
                       std::to_string(tableau.a[i].size()) + " cells; it must have one for each of the " +
                       std::to_string(s) + " stages.");
    for (std::size_t j = 0; j < s; ++j)
      a_.push_back(read_cell(tableau.a[i][j],
                             "a, row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1)));
    b_.push_back(read_cell(tableau.b[i], "b, column " + std::to_string(i + 1)));
  }
  const double sum = std::accumulate(b_.begin(), b_.end(), 0.0);
  if (std::abs(sum - 1) > kConditionTolerance)
    throw InputError("The weights b of the tableau add up to " + format_number(sum) +
                     "; they must add up to 1, or the method does not converge.");
  for (std::size_t i = 0; i < s; ++i)
    if (kind() == StageKind::diagonal && (a(i, i) < 0 || (a(i, i) > 0 && a(i, i) < kLeastDiagonal)))
      throw InputError("The tableau has " + format_number(a(i, i)) + " on the diagonal of a, in row " +
                       std::to_string(i + 1) +
                       "; it must be 0, or at least 1e-6, so that the stage can be solved.");
  if (!factorise())
    throw InputError(
        "The stages of the tableau cannot be solved one after the other: the triangular factor of a needs a "
        "positive diagonal, as for Gauss, Radau IIA and Lobatto IIIC methods.");
  compute_stability_function();
}

RungeKuttaTable::RungeKuttaTable(std::span<const double> values) {
  const auto s = static_cast<std::size_t>(values[0]);
  auto next = [&values, at = std::size_t{1}](std::size_t n) mutable {
    const auto part = values.subspan(at, n);
    at += n;
    return std::vector<double>(part.begin(), part.end());
  };
  a_ = next(s * s);
  b_ = next(s);
  numerator_ = next(s + 1);
  denominator_ = next(s + 1);
  factorise();
}

double RungeKuttaTable::c(std::size_t i) const {
  const auto row = std::span(a_).subspan(i * stages(), stages());
  return std::accumulate(row.begin(), row.end(), 0.0);
}

StageKind RungeKuttaTable::kind() const {
  StageKind kind = StageKind::explicit_stages;
  for (std::size_t i = 0; i < stages(); ++i)
    for (std::size_t j = i; j < stages(); ++j)
      if (a(i, j) != 0) kind = std::max(kind, i == j ? StageKind::diagonal : StageKind::full);
  return kind;
}

bool RungeKuttaTable::is_zero_row(std::size_t i) const {
  const auto row = std::span(a_).subspan(i * stages(), stages());
  return std::ranges::all_of(row, [](double x) { return x == 0; });
}

bool RungeKuttaTable::ends_at_last_stage() const {
  return std::equal(b_.begin(), b_.end(), a_.end() - static_cast<std::ptrdiff_t>(stages()));
}

bool RungeKuttaTable::factorise() {
  lower_ = a_;
  if (kind() != StageKind::full) return true;
  const std::size_t s = stages();
  std::vector<double> upper(s * s, 0.0);
  for (std::size_t k = 0; k < s; ++k) {
    for (std::size_t i = 0; i < s; ++i) {
      double sum = a(i, k);
      for (std::size_t l = 0; l < std::min(i, k); ++l) sum -= lower_[i * s + l] * upper[l * s + k];
      if (i >= k) lower_[i * s + k] = sum;
      if (i < k) {
        lower_[i * s + k] = 0;
        if (!is_zero_row(i)) upper[i * s + k] = sum / lower_[i * s + i];
      }
    }
    if (!is_zero_row(k) && !(lower_[k * s + k] >= kLeastDiagonal)) return false;
  }
  return true;
}

void RungeKuttaTable::compute_stability_function() {
  const std::size_t s = stages();
  // R = det(I − zA + z 1 bᵀ) / det(I − zA) [Hairer 1996, IV.3].
  std::vector<double> less(a_);
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < s; ++j) less[i * s + j] -= b_[j];
  numerator_ = reversed_characteristic(less, s);
  denominator_ = reversed_characteristic(a_, s);
}

TableauFacts RungeKuttaTable::facts() const {
  TableauFacts facts;
  facts.kind = kind();
  facts.order = order_by_conditions(*this);
  facts.limit = limit_on_axis(numerator_, denominator_);
  std::size_t top = stages();
  while (top > 0 && numerator_[top] == 0 && denominator_[top] == 0) --top;
  facts.at_infinity = denominator_[top] == 0 ? kInfiniteLimit : std::abs(numerator_[top] / denominator_[top]);
  facts.a_stable = std::isinf(facts.limit) && has_roots_on_right(denominator_);
  facts.l_stable = facts.a_stable && facts.at_infinity < kConditionTolerance;
  facts.symplectic = true;
  for (std::size_t i = 0; i < stages(); ++i)
    for (std::size_t j = 0; j < stages(); ++j)
      facts.symplectic &= std::abs(b(i) * a(i, j) + b(j) * a(j, i) - b(i) * b(j)) <= kConditionTolerance;
  return facts;
}

std::vector<double> RungeKuttaTable::values() const {
  std::vector<double> values{static_cast<double>(stages())};
  for (const auto* part : {&a_, &b_, &numerator_, &denominator_})
    values.insert(values.end(), part->begin(), part->end());
  return values;
}

namespace {

using PendulumState = std::array<double, 2>;  // angle and its rate

constexpr double kPendulumTime = 1;
constexpr PendulumState kPendulumStart{1, 0};
constexpr int kPendulumIterations = 60;  // of the fixed point, which contracts by h

PendulumState pendulum_slope(const PendulumState& u) { return {u[1], -std::sin(u[0])}; }

void add(PendulumState& u, double factor, const PendulumState& slope) {
  for (std::size_t d = 0; d < 2; ++d) u[d] += factor * slope[d];
}

PendulumState pendulum_after(const RungeKuttaTable& table, int steps, double h) {
  const std::size_t s = table.stages();
  PendulumState u = kPendulumStart;
  std::array<PendulumState, kMostStages> slope{};
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < kPendulumIterations; ++k)
      for (std::size_t i = 0; i < s; ++i) {
        PendulumState stage = u;
        for (std::size_t j = 0; j < s; ++j) add(stage, h * table.a(i, j), slope[j]);
        slope[i] = pendulum_slope(stage);
      }
    for (std::size_t i = 0; i < s; ++i) add(u, h * table.b(i), slope[i]);
  }
  return u;
}

PendulumState pendulum_after(const TwoStepTable& table, int steps, double h) {
  PendulumState before = kPendulumStart;
  PendulumState u = pendulum_after(RungeKuttaTable(tableau_preset("rk4")), 1, h);
  for (int step = 1; step < steps; ++step) {
    PendulumState known = u;
    add(known, table.alpha(0), {u[0] - before[0], u[1] - before[1]});
    add(known, h * table.beta(1), pendulum_slope(u));
    add(known, h * table.beta(0), pendulum_slope(before));
    before = std::exchange(u, known);
    for (int k = 0; k < kPendulumIterations && table.is_implicit(); ++k) {
      PendulumState next = known;
      add(next, h * table.beta(2), pendulum_slope(u));
      u = next;
    }
  }
  return u;
}

template <class Table>
double order_on_pendulum(const Table& table) {
  static const PendulumState exact =
      pendulum_after(RungeKuttaTable(tableau_preset("cash-karp5")), 1024, kPendulumTime / 1024);
  const auto error = [&](int steps) {
    const auto [x, v] = pendulum_after(table, steps, kPendulumTime / steps);
    return std::hypot(x - exact[0], v - exact[1]);
  };
  return std::log2(error(16) / error(32));
}

}  // namespace

double measured_order(const Tableau& tableau) {
  return tableau.is_two_step() ? order_on_pendulum(TwoStepTable(tableau))
                               : order_on_pendulum(RungeKuttaTable(tableau));
}

double tableau_growth(double h_omega, double h_damping, const IntegratorParameters& values) {
  const auto s = static_cast<std::size_t>(values[0]);
  const std::span<const double> of_r = std::span(values).subspan(1 + s * s + s);
  const auto numerator = of_r.first(s + 1), denominator = of_r.subspan(s + 1, s + 1);
  return largest_at_eigenvalues(h_omega, h_damping, [&](const std::complex<double>& z) {
    const double size = std::abs(polynomial(numerator, z) / polynomial(denominator, z));
    return std::abs(size - 1) < kRoundingOfCoefficients ? 1.0 : size;  // of a symmetric method
  });
}

namespace {

/// "F1", "1/6 F1", "(1/4 - sqrt(3)/6) F2" of a cell and a name; empty for a coefficient of 0.
std::string term(const std::string& cell, const std::string& name) {
  const double value = *parse_expression(cell);
  if (value == 0) return {};
  if (value == 1) return name;
  if (value == -1) return "-" + name;
  bool is_sum = false;
  for (std::size_t k = 1; k < cell.size(); ++k)
    is_sum |= (cell[k] == '+' || cell[k] == '-') && cell[k - 1] != 'e';  // no exponent
  return (is_sum ? "(" + cell + ")" : cell) + " " + name;
}

/// The sum of the cells, each with its name; empty if all are 0.
template <class Name>
std::string combination(const std::vector<std::string>& cells, const Name& name) {
  std::string sum;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    const std::string next = term(cells[j], name(j));
    if (next.empty()) continue;
    if (sum.empty())
      sum = next;
    else
      sum += next.front() == '-' ? " - " + next.substr(1) : " + " + next;
  }
  return sum;
}

std::string formula_of_stages(const Tableau& tableau) {
  const auto stage = [](const std::vector<std::string>& cells) {
    const std::string sum =
        combination(cells, [](std::size_t j) { return std::string("F").append(std::to_string(j + 1)); });
    return sum.empty() ? "u0" : "u0 + h (" + sum + ")";
  };
  std::string text;
  for (std::size_t i = 0; i < tableau.a.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    text.append("F" + number + " = F(" + stage(tableau.a[i]) + "); ");
  }
  return text + "u1 = " + stage(tableau.b);
}

std::string formula_of_two_steps(const Tableau& tableau) {
  constexpr std::array kStates{"u₋₁", "u0", "u1"}, kForces{"F(u₋₁)", "F(u0)", "F(u1)"};
  return combination(tableau.alpha, [&](std::size_t k) { return std::string(kStates[k]); }) + " = h (" +
         combination(tableau.beta, [&](std::size_t k) { return std::string(kForces[k]); }) + ")";
}

std::string stability_sentences(const TableauFacts& facts) {
  std::string text;
  if (facts.symplectic) text += " It is symplectic.";
  if (facts.l_stable)
    text += " It is L-stable: it removes the fastest oscillations in one step.";
  else if (facts.a_stable)
    text += " It is A-stable: it multiplies the fastest oscillations by " +
            format_plain(facts.at_infinity, 4) + " per step.";
  return text;
}

std::string summary_of(const TableauFacts& facts, std::size_t stages) {
  std::string text = "Runge–Kutta method of your tableau, with ";
  text += stages == 1 ? "one stage." : std::to_string(stages) + " stages";
  if (stages > 1) switch (facts.kind) {
      case StageKind::explicit_stages:
        text += ", each from earlier ones.";
        break;
      case StageKind::diagonal:
        text += ", solved one after the other.";
        break;
      case StageKind::full:
        text += " that depend on each other.";
        break;
    }
  return text + stability_sentences(facts);
}

std::string cost_of(const RungeKuttaTable& table) {
  std::size_t solves = 0;
  for (std::size_t i = 0; i < table.stages(); ++i) solves += !table.is_zero_row(i) && table.lower(i, i) > 0;
  const auto counted = [](std::size_t n, const std::string& what) {
    return (n == 1 ? "One " + what : std::to_string(n) + " " + what + "s") + " per step";
  };
  switch (table.kind()) {
    case StageKind::explicit_stages:
      return counted(table.stages(), "evaluation") + " of the forces.";
    case StageKind::diagonal:
      return counted(solves, "nonlinear solve") + ", each as backward Euler's.";
    case StageKind::full:
      break;
  }
  return "Sweeps over " + std::to_string(solves) +
         " nonlinear solves until they agree with each other, often 4 to 10 in a step.";
}

void describe_stages(TableauMethod& method) {
  const RungeKuttaTable table(method.tableau);
  method.facts = table.facts();
  method.values = table.values();
  method.formula = formula_of_stages(method.tableau);
  method.summary = summary_of(method.facts, table.stages());
  method.cost = cost_of(table);
}

void describe_two_steps(TableauMethod& method) {
  const TwoStepTable table(method.tableau);
  method.facts = table.facts();
  method.values = table.values();
  method.formula = formula_of_two_steps(method.tableau);
  method.summary =
      "Two-step method of your coefficients: it also uses the state before the last step. The first step "
      "after a reset is one of " +
      std::string(table.is_implicit() ? "SDIRK3." : "the classical Runge–Kutta method.") +
      stability_sentences(method.facts);
  method.cost = table.is_implicit() ? "One nonlinear solve per step, as backward Euler's."
                                    : "One evaluation of the forces per step.";
}

std::unique_ptr<TableauMethod> make_tableau_method(const Tableau& tableau) {
  auto made = std::make_unique<TableauMethod>();
  TableauMethod& method = *made;
  method.tableau = tableau;
  tableau.is_two_step() ? describe_two_steps(method) : describe_stages(method);
  IntegratorInfo& info = method.info =
      *find_integrator(tableau.is_two_step() ? kTwoStepIntegrator : kRungeKuttaIntegrator);
  method.title = tableau.name.empty() ? std::string(info.title) : tableau.name;
  const std::string_view preset = preset_id(tableau);
  method.label = std::string(info.id) + ":" + (preset.empty() ? method.title : std::string(preset));
  std::ranges::replace(method.label, ',', ' ');  // a column of a table
  if (method.facts.order == 5) method.order_condition = "or more";

  const bool implicit = method.facts.kind != StageKind::explicit_stages;
  info.title = method.title;
  info.family = implicit ? IntegratorFamily::implicit : IntegratorFamily::explicit_method;
  info.order = method.facts.order;
  info.order_condition = method.order_condition;
  info.uses_newton = info.uses_linear_solver = implicit;
  info.always_newton = method.facts.kind == StageKind::full;
  info.formula = method.formula;
  info.summary = method.summary;
  info.cost = method.cost;
  info.stability_limit = method.facts.limit;
  if (std::isinf(method.facts.limit) && !method.facts.a_stable) info.stability_condition = "without damping";
  info.table = method.values;
  info.tableau = &method;
  return made;
}

}  // namespace

const TableauMethod& tableau_method(const Tableau& tableau) {
  static Interned<std::unique_ptr<TableauMethod>> methods;
  return *methods.get([&](const auto& method) { return method->tableau == tableau; },
                      [&] { return make_tableau_method(tableau); });
}

const TableauMethod& default_tableau(const IntegratorInfo& row) {
  return tableau_method(tableau_preset(row.id == kTwoStepIntegrator ? "adams-bashforth2" : "kutta3"));
}

std::string_view label_of(const IntegratorInfo& info) {
  return info.tableau != nullptr ? std::string_view(info.tableau->label) : info.id;
}

std::span<const TableauPreset> tableau_presets() {
  static const std::array presets{
      TableauPreset{"heun", {"Heun", {{"0", "0"}, {"1", "0"}}, {"1/2", "1/2"}}},
      TableauPreset{"ralston", {"Ralston", {{"0", "0"}, {"2/3", "0"}}, {"1/4", "3/4"}}},
      TableauPreset{
          "kutta3",
          {"Kutta 3", {{"0", "0", "0"}, {"1/2", "0", "0"}, {"-1", "2", "0"}}, {"1/6", "2/3", "1/6"}}},
      TableauPreset{
          "ssp3", {"SSP 3", {{"0", "0", "0"}, {"1", "0", "0"}, {"1/4", "1/4", "0"}}, {"1/6", "1/6", "2/3"}}},
      TableauPreset{
          "rk4",
          {"Classical RK 4",
           {{"0", "0", "0", "0"}, {"1/2", "0", "0", "0"}, {"0", "1/2", "0", "0"}, {"0", "0", "1", "0"}},
           {"1/6", "1/3", "1/3", "1/6"}}},
      TableauPreset{
          "three-eighths",
          {"Kutta's 3/8 rule",
           {{"0", "0", "0", "0"}, {"1/3", "0", "0", "0"}, {"-1/3", "1", "0", "0"}, {"1", "-1", "1", "0"}},
           {"1/8", "3/8", "3/8", "1/8"}}},
      TableauPreset{"cash-karp5",
                    {"Cash–Karp 5",
                     {{"0", "0", "0", "0", "0", "0"},
                      {"1/5", "0", "0", "0", "0", "0"},
                      {"3/40", "9/40", "0", "0", "0", "0"},
                      {"3/10", "-9/10", "6/5", "0", "0", "0"},
                      {"-11/54", "5/2", "-70/27", "35/27", "0", "0"},
                      {"1631/55296", "175/512", "575/13824", "44275/110592", "253/4096", "0"}},
                     {"37/378", "0", "250/621", "125/594", "0", "512/1771"}}},
      TableauPreset{"midpoint", {"Midpoint tableau", {{"1/2"}}, {"1"}}},
      TableauPreset{
          "crouzeix",
          {"Crouzeix 3", {{"1/2 + sqrt(3)/6", "0"}, {"-sqrt(3)/3", "1/2 + sqrt(3)/6"}}, {"1/2", "1/2"}}},
      // Alexander's, γ the root of γ³ − 3γ² + 3γ/2 − 1/6 near 0.44 [Alexander 1977].
      TableauPreset{"sdirk3",
                    {"SDIRK3",
                     {{"0.435866521508459", "0", "0"},
                      {"0.2820667392457705", "0.435866521508459", "0"},
                      {"1.2084966491760099", "-0.6443631706844689", "0.435866521508459"}},
                     {"1.2084966491760099", "-0.6443631706844689", "0.435866521508459"}}},
      // The implicit part of ARK3(2)4L[2]SA [Kennedy 2003].
      TableauPreset{"esdirk3",
                    {"ESDIRK3",
                     {{"0", "0", "0", "0"},
                      {"1767732205903/4055673282236", "1767732205903/4055673282236", "0", "0"},
                      {"2746238789719/10658868560708", "-640167445237/6845629431997",
                       "1767732205903/4055673282236", "0"},
                      {"1471266399579/7840856788654", "-4482444167858/7529755066697",
                       "11266239266428/11593286722821", "1767732205903/4055673282236"}},
                     {"1471266399579/7840856788654", "-4482444167858/7529755066697",
                      "11266239266428/11593286722821", "1767732205903/4055673282236"}}},
      TableauPreset{"gauss4",
                    {"Gauss 4", {{"1/4", "1/4 - sqrt(3)/6"}, {"1/4 + sqrt(3)/6", "1/4"}}, {"1/2", "1/2"}}},
      TableauPreset{"radau-iia3", {"Radau IIA 3", {{"5/12", "-1/12"}, {"3/4", "1/4"}}, {"3/4", "1/4"}}},
      TableauPreset{"adams-bashforth2",
                    {"Adams–Bashforth 2", {}, {}, {"0", "-1", "1"}, {"-1/2", "3/2", "0"}}},
      TableauPreset{"leapfrog", {"Leapfrog", {}, {}, {"-1", "0", "1"}, {"0", "2", "0"}}},
      TableauPreset{"adams-moulton3",
                    {"Adams–Moulton 3", {}, {}, {"0", "-1", "1"}, {"-1/12", "8/12", "5/12"}}},
      TableauPreset{"milne4", {"Milne 4", {}, {}, {"-1", "0", "1"}, {"1/3", "4/3", "1/3"}}},
      TableauPreset{"bdf2", {"BDF2 tableau", {}, {}, {"1/2", "-2", "3/2"}, {"0", "0", "1"}}},
  };
  return presets;
}

std::string_view preset_id(const Tableau& tableau) {
  const auto preset = std::ranges::find(tableau_presets(), tableau, &TableauPreset::tableau);
  return preset == tableau_presets().end() ? std::string_view() : preset->id;
}

const Tableau& tableau_preset(std::string_view id) {
  std::vector<std::string_view> names;
  for (const TableauPreset& preset : tableau_presets()) {
    if (preset.id == id) return preset.tableau;
    names.push_back(preset.id);
  }
  throw InputError("Unknown tableau '" + printable(id) + "'" + suggestion(id, names) + " Allowed are " +
                   joined(names) + ", and files that end in .json.");
}

}  // namespace clothlab
