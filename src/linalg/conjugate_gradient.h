// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "linalg/linear_system.h"
#include "linalg/vectors.h"

namespace clothlab {

/// Preconditioners of conjugate gradients, restricted to the free directions (S M^-1 S).
enum class PreconditionerKind {
  automatic,     ///< multigrid for stiff matrices of kMultigridParticles and more, block Jacobi for others
  none,          ///< the identity
  jacobi,        ///< the inverse of the diagonal
  block_jacobi,  ///< the inverse of the 3x3 diagonal blocks
  multigrid      ///< a V-cycle of smoothed aggregation multigrid
};

/// Number of particles, and SpringMatrix::relative_stiffness, from which the hierarchy pays off:
/// semi-implicit Euler costs the same with both on sheets of 400 and 4,096 particles at a stiffness of 60 and
/// 40, on the curtain of 851 between 20 and 30.
inline constexpr std::size_t kMultigridParticles = 256;
inline constexpr double kMultigridStiffness = 20;

struct PreconditionerName {
  PreconditionerKind kind;
  std::string_view name;  ///< on the command line, in scene files and in the window
};

inline constexpr std::array kPreconditioners{
    PreconditionerName{PreconditionerKind::automatic, "auto"},
    PreconditionerName{PreconditionerKind::none, "none"},
    PreconditionerName{PreconditionerKind::jacobi, "jacobi"},
    PreconditionerName{PreconditionerKind::block_jacobi, "block-jacobi"},
    PreconditionerName{PreconditionerKind::multigrid, "multigrid"},
};

struct CgOptions {
  double tolerance = 1e-3;  ///< stop at |r| <= tolerance * |b|, > 0
  int max_iterations = 500;
  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  /// Ends if the norm of y in the preconditioner reaches it.
  double radius = std::numeric_limits<double>::infinity();
  bool warm_start = false;  ///< x contains a guess; used if it is better than z

  bool operator==(const CgOptions&) const = default;
};

/// Preconditioned conjugate gradients on a LinearSystem.
///
/// Convergence is judged on the true residual: when the recursive one is small enough, b - S A S y is
/// recomputed, and the iteration restarts from it if the two differ. If rounding stops
/// progress, the report is not converged and has the residual reached.
///
/// A direction p with p . A p <= 0 ends the solve; the iterate before it is kept and reported. With a
/// separate matrix for the preconditioner (LinearSystem::preconditioner), the first such p = M^-1 r is itself
/// the result: a descent direction [Steihaug 1983]. The result has the same bits for any number of threads
/// and independent of earlier solves. No allocation after the first solve of a size.
class ConjugateGradient {
 public:
  ConjugateGradient();
  ~ConjugateGradient();

  /// Leaves the solution in x, which may be the system's z.
  SolveReport solve(const ComputeContext& context, const LinearSystem& system, std::span<vec3> x,
                    const CgOptions& options);
  /// A x of the last solution, by row; empty if the solve has not computed it. Valid until the next solve.
  std::span<const Padded> product() const;

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace clothlab
