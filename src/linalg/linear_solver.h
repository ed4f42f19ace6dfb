// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "linalg/cholesky.h"
#include "linalg/conjugate_gradient.h"

namespace clothlab {

struct LinearSolverSettings {
  enum class Kind { cg, cholesky };
  Kind kind = Kind::cg;
  CgOptions cg;  ///< with the tolerance of both solvers

  bool operator==(const LinearSolverSettings&) const = default;
};

struct LinearSolverName {
  LinearSolverSettings::Kind kind;
  std::string_view name;  ///< on the command line, in scene files and in the window
};

inline constexpr std::array kLinearSolvers{
    LinearSolverName{LinearSolverSettings::Kind::cg, "cg"},
    LinearSolverName{LinearSolverSettings::Kind::cholesky, "cholesky"},
};

/// Description of a CG solve, without its residuals.
struct CgSolve {
  PreconditionerKind preconditioner{};  ///< in use, never `automatic`
  std::size_t levels = 0;               ///< of its multigrid; 0: none
  double tolerance = 0;                 ///< in use; Newton's method replaces the value of the settings
  bool converged = true;
  bool indefinite = false;  ///< SolveReport::indefinite
  bool at_radius = false;   ///< SolveReport::at_radius
};

/// CG iterations of each of the solves of a step, in order; only of the first ones if there are many.
class SolveCounts {
 public:
  static constexpr std::size_t kMost = 64;
  void add(int iterations) {
    if (size_ < kMost) counts_[size_++] = iterations;
  }
  std::span<const int> all() const { return {counts_.data(), size_}; }

 private:
  std::array<int, kMost> counts_{};
  std::size_t size_ = 0;
};

/// The solver of an integrator: one of the two, chosen at every solve.
class LinearSolver {
 public:
  /// As ConjugateGradient::solve. A system with the `same_matrix` was solved by the same kind of solver
  /// before.
  SolveReport solve(const ComputeContext& context, const LinearSystem& system, std::span<vec3> x,
                    const LinearSolverSettings& settings) {
    direct_ = settings.kind == LinearSolverSettings::Kind::cholesky;
    return direct_ ? cholesky_.solve(context, system, x, settings.cg.tolerance)
                   : cg_.solve(context, system, x, settings.cg);
  }
  /// As ConjugateGradient::product; empty after a direct solve.
  std::span<const Padded> product() const { return direct_ ? std::span<const Padded>() : cg_.product(); }

 private:
  ConjugateGradient cg_;
  CholeskySolver cholesky_;
  bool direct_ = false;  // the last solve
};

}  // namespace clothlab
