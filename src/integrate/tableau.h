// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "integrate/integrator_info.h"

namespace clothlab {

// Methods that a user writes as a table of coefficients: a Butcher tableau [Hairer 1993, II.1],
//   U_i = u0 + h Σ_j a_ij F(U_j);   u1 = u0 + h Σ_i b_i F(U_i),
// or a two-step method (two_step.h).

/// The ids of their rows in the registry, which have a table of their own.
inline constexpr std::string_view kRungeKuttaIntegrator = "runge-kutta", kTwoStepIntegrator = "two-step";
inline constexpr double kConditionTolerance = 1e-12;  // of order conditions and consistency
inline constexpr std::size_t kMostStages = 8;
inline constexpr std::size_t kLongestTableauName = 40, kLongestCell = 60;  // characters

/// A tableau as it was written: each cell is a number or an expression, such as "1/4 - sqrt(3)/6".
struct Tableau {
  std::string name;                                ///< title of the method; may be empty
  std::vector<std::vector<std::string>> a;         ///< s rows of s cells; of a two-step method none
  std::vector<std::string> b;                      ///< s cells
  std::vector<std::string> alpha = {}, beta = {};  ///< of a two-step method, for u₋₁, u0 and u1; else none

  bool is_two_step() const { return !alpha.empty() || !beta.empty(); }
  bool operator==(const Tableau&) const = default;
};

/// The number in a cell. Throws InputError with `where`, "b, column 2".
double read_cell(const std::string& cell, const std::string& where);

/// How the stages depend on each other: each on earlier ones only; also on itself; or on later ones.
enum class StageKind { explicit_stages, diagonal, full };

/// What is known of a tableau from its numbers. For two-step methods R is the larger root ζ.
struct TableauFacts {
  StageKind kind = StageKind::explicit_stages;
  int order = 0;           ///< by the order conditions up to 5; 5 also stands for more
  double limit = 0;        ///< largest y with |R(iy')| ≤ 1 on [0, y]; infinity: for all y
  double at_infinity = 0;  ///< |R(∞)|
  bool a_stable = false;
  bool l_stable = false;
  bool symplectic = false;
};

/// The numbers of a tableau.
class RungeKuttaTable {
 public:
  /// Throws InputError: what is wrong in which cell, and what is allowed.
  explicit RungeKuttaTable(const Tableau& tableau);
  /// Of the values of a method (IntegratorInfo::table).
  explicit RungeKuttaTable(std::span<const double> values);

  std::size_t stages() const { return b_.size(); }
  double a(std::size_t i, std::size_t j) const { return a_[i * stages() + j]; }
  double b(std::size_t i) const { return b_[i]; }
  double c(std::size_t i) const;  ///< Σ_j a_ij
  /// Of a triangular factor L of A = L U, U with a unit diagonal; A itself if it is triangular.
  double lower(std::size_t i, std::size_t j) const { return lower_[i * stages() + j]; }
  StageKind kind() const;
  bool is_zero_row(std::size_t i) const;
  /// True if u1 is the last stage.
  bool ends_at_last_stage() const;

  TableauFacts facts() const;

  /// For IntegratorInfo::table: s, then A, b and the coefficients of R.
  std::vector<double> values() const;

 private:
  bool factorise();
  void compute_stability_function();

  std::vector<double> a_, b_, lower_;
  std::vector<double> numerator_, denominator_;  // of R(z), from z⁰ to zˢ
};

/// The order at which the end of a pendulum's swing converges. Throws InputError for a wrong tableau.
double measured_order(const Tableau& tableau);

/// |R(z)| of the eigenvalues of an oscillator, from the values of RungeKuttaTable::values.
double tableau_growth(double h_omega, double h_damping, const IntegratorParameters& values);

/// A tableau as a method, with a row of its own.
struct TableauMethod {
  Tableau tableau;
  TableauFacts facts;
  std::vector<double> values;
  std::string title, label, order_condition, formula, summary, cost;
  IntegratorInfo info;  ///< runge-kutta or two-step, with this tableau; its texts refer to these members
};

/// The method of a tableau; equal tableaux have the same one, which is never destroyed. Throws InputError.
const TableauMethod& tableau_method(const Tableau& tableau);

/// The method that a row of the registry with a table is by itself: of kutta3 or adams-bashforth2.
const TableauMethod& default_tableau(const IntegratorInfo& row);

/// The name of a method in lists: "rk4", "runge-kutta:heun".
std::string_view label_of(const IntegratorInfo& info);

/// A tableau with a name: "heun".
struct TableauPreset {
  std::string_view id;
  Tableau tableau;
};
std::span<const TableauPreset> tableau_presets();
/// The id of a tableau that is one of them; empty for others.
std::string_view preset_id(const Tableau& tableau);
/// Throws InputError for an unknown id, naming the nearest.
const Tableau& tableau_preset(std::string_view id);

}  // namespace clothlab
