// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linalg/linear_system.h"

namespace clothlab {

/// k K + c C + c2 C M^-1 C of two matrices on one pattern; only K by default.
struct MatrixCombination {
  const SpringMatrix* K = nullptr;
  const SpringMatrix* C = nullptr;  ///< may be null if c = c2 = 0
  double k = 1;
  double c = 0;
  double c2 = 0;
};

/// A vector of length 1 in the coordinates M^1/2 x on the free directions, by row; empty: unknown.
using UnitMode = std::vector<Padded>;

/// The largest eigenvalue of M^-1 A on the free directions, by the Lanczos iteration on the symmetric
/// S M^-1/2 A M^-1/2 S; with A = K_s = -df/dx its square root is omega_max in rad/s.
///
/// Each call starts from a known vector, such as the last result, mixed with a fixed pseudo-random vector
/// so that new modes (a grab, a pin removed) are found. Basis vectors are not kept: lost orthogonality only
/// repeats the wanted eigenvalue [Paige 1972].
class LargestEigenvalue {
 public:
  struct Result {
    double value = 0;        ///< 1/s^2; the Ritz value, so a lower bound up to rounding; 0 if nothing is free
    double error_bound = 0;  ///< some eigenvalue lies within this of `value`; the error is far smaller
    bool converged = false;  ///< error_bound <= tolerance * |value|
    int iterations = 0;
    bool stopped = false;  ///< by the stop probe
  };
  /// Of one unit vector x: x.Kx, x.Cx and |Cx|^2, with K and C as S M^-1/2 . M^-1/2 S.
  struct Quotients {
    double K = 0;
    double C = 0;
    double C2 = 0;
  };

  LargestEigenvalue();
  ~LargestEigenvalue();
  LargestEigenvalue(LargestEigenvalue&&) noexcept;
  LargestEigenvalue& operator=(LargestEigenvalue&&) noexcept;

  /// `masses` in kg, > 0, one per particle. Starts from `mode`, which becomes the eigenvector; a `mode` of
  /// another size is ignored.
  Result compute(const ComputeContext& context, const MatrixCombination& A, std::span<const double> masses,
                 const Projection& projection, UnitMode& mode, double tolerance = 0.02);
  /// Of K and C of A, at the mode of the last call or another one; zeros if that is empty.
  Quotients quotients(WorkerPool& pool, const MatrixCombination& A, std::span<const double> masses,
                      const Projection& projection, const UnitMode& mode);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace clothlab
