// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "core/vec.h"
#include "linalg/linear_system.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// What our solvers are measured against: what one would take from Eigen, on the same system.
enum class BaselineMethod {
  cg_lower,  ///< ConjugateGradient, diagonal preconditioner, lower triangle: the faster on one thread
  cg_full,   ///< the same with all entries by row, which Eigen shares out among threads
  ldlt,      ///< SimplicialLDLT, ordered by AMD
  cholmod    ///< CHOLMOD's supernodal factorisation, through Eigen
};

struct BaselineName {
  BaselineMethod method;
  std::string_view id, title;
};

inline constexpr std::array kBaselines{
    BaselineName{BaselineMethod::cg_lower, "eigen-cg-lower", "Eigen CG, lower"},
    BaselineName{BaselineMethod::cg_full, "eigen-cg-full", "Eigen CG, full"},
    BaselineName{BaselineMethod::ldlt, "eigen-ldlt", "Eigen LDLT"},
    BaselineName{BaselineMethod::cholmod, "cholmod", "CHOLMOD"},
};

/// One of these solvers with the system of ConjugateGradient::solve, (S A S + I - S) y = S (b - A z).
/// Benchmarks should time only `solve`.
class EigenBaseline {
 public:
  /// CHOLMOD is an optional package.
  static bool has(BaselineMethod method);
  /// Whether Eigen was compiled with OpenMP, which its threads need.
  static bool has_threads();

  /// `threads` >= 1 hold for cg_full; CHOLMOD's are those of its BLAS. `method` must be there.
  explicit EigenBaseline(BaselineMethod method = BaselineMethod::cg_lower, int threads = 1);
  ~EigenBaseline();

  /// Takes over the system, and analyses its pattern where that is new and the method asks for it. An empty z
  /// stands for 0.
  void build(const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
             const Projection& projection);
  /// All that depends on values: the preconditioner or the factor, then y from 0. A direct solver takes no
  /// notice of the arguments.
  void solve(double tolerance, int max_iterations);
  /// x := y + z. The report has no history; `residual` is recomputed. Eigen stops by its own recursive
  /// residual, which may have drifted by rounding: `converged` is what it says.
  SolveReport result(std::span<vec3> x) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
