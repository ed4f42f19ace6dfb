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
};

struct LinearSolverName {
  LinearSolverSettings::Kind kind;
  std::string_view name;  ///< on the command line, in scene files and in the window
};

inline constexpr std::array kLinearSolvers{
    LinearSolverName{LinearSolverSettings::Kind::cg, "cg"},
    LinearSolverName{LinearSolverSettings::Kind::cholesky, "cholesky"},
};

/// The solver of an integrator: one of the two, chosen at every solve.
class LinearSolver {
 public:
  /// As ConjugateGradient::solve. A system with the `same_matrix` was solved by the same kind of solver
  /// before.
  SolveReport solve(const ComputeContext& context, const LinearSystem& system, std::span<vec3> x,
                    const LinearSolverSettings& settings) {
    return settings.kind == LinearSolverSettings::Kind::cholesky
               ? cholesky_.solve(context, system, x, settings.cg.tolerance)
               : cg_.solve(context, system, x, settings.cg);
  }

 private:
  ConjugateGradient cg_;
  CholeskySolver cholesky_;
};

}  // namespace clothlab
