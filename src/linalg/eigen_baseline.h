#pragma once

#include <memory>
#include <span>

#include "core/vec.h"
#include "linalg/projection.h"
#include "linalg/solve_report.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// What `clothlab bench` measures itself against: Eigen's ConjugateGradient with its diagonal
/// preconditioner on the same system. The caller times build and solve apart.
class EigenBaseline {
 public:
  EigenBaseline();
  ~EigenBaseline();

  /// Builds S A S + I - S as an Eigen sparse matrix and prepares its preconditioner.
  void build(const SpringMatrix& A, const Projection& projection);
  /// As ConjugateGradient::solve of the matrix last built; the report has no history. `residual` is
  /// recomputed.
  SolveReport solve(const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                    const Projection& projection, std::span<vec3> x, double tolerance, int max_iterations);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
