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
  CgOptions cg;  ///< its tolerance holds for both
};

struct LinearSolverName {
  LinearSolverSettings::Kind kind;
  std::string_view name;  ///< on the command line, in scene files and in the window
};

inline constexpr std::array kLinearSolvers{
    LinearSolverName{LinearSolverSettings::Kind::cg, "cg"},
    LinearSolverName{LinearSolverSettings::Kind::cholesky, "cholesky"},
};

/// The solver that an integrator owns: one of the two, chosen anew at every solve.
class LinearSolver {
 public:
  /// Solves (S A S + I - S) y = S (b - A z), x = y + z; see ConjugateGradient::solve.
  /// `same_matrix`: A, the projection and the kind of solver are those of the last solve.
  SolveReport solve(WorkerPool& pool, const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                    const Projection& projection, std::span<vec3> x, const LinearSolverSettings& settings,
                    const StopProbe& stop = {}, bool same_matrix = false);

 private:
  ConjugateGradient cg_;
  CholeskySolver cholesky_;
};

}  // namespace clothlab
