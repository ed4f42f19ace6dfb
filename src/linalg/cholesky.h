// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "linalg/cholesky_factor.h"
#include "linalg/linear_system.h"

namespace clothlab {

/// The direct solver of a LinearSystem, by a CholeskyFactor. Every solve computes the factor again, unless
/// the system has `same_matrix`.
///
/// An indefinite matrix (a pivot block that is not positive definite) is reported, and x = z then.
class CholeskySolver {
 public:
  /// Leaves the solution in x, which may be the system's z. Refines it until the residual is at most
  /// `tolerance` or rounding stops progress; converged means at most max(tolerance, 1e-9). The probe is
  /// polled every few milliseconds, also in the analysis of a new pattern.
  SolveReport solve(const ComputeContext& context, const LinearSystem& system, std::span<vec3> x,
                    double tolerance);

 private:
  /// The same without regard to the modes and the couplings of the system.
  SolveReport solve_freely(const ComputeContext& context, const LinearSystem& system, std::span<vec3> x,
                           double tolerance);
  /// Allocates; rhs_, residual_ := S (b − A z). Throws Cancelled, as `refine`.
  void prepare(const ComputeContext& context, const LinearSystem& system);
  /// y_ := the solution to the tolerance; `scale` is the norm of rhs_.
  void refine(const ComputeContext& context, const LinearSystem& system, double scale, double tolerance,
              SolveReport& report);

  CholeskyFactor factor_;
  std::vector<vec3> rhs_, residual_, y_, product_;
  std::vector<double> history_;
  VectorBasis of_modes_;      // A⁻¹ Y
  VectorBasis normals_;       // Y of couplings
  std::vector<vec3> change_;  // z of entries
  std::vector<double> small_, multipliers_;
};

}  // namespace clothlab
