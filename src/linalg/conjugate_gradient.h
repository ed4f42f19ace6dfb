// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/preconditioner.h"
#include "linalg/projection.h"
#include "linalg/solve_report.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

struct CgOptions {
  double tolerance = 1e-3;  ///< stop at |r| <= tolerance * |b|, > 0
  int max_iterations = 500;
  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  bool warm_start = false;  ///< x holds a first guess; taken only where it is better than none
};

/// Preconditioned conjugate gradients on the pre-filtered system (S A S + I - S) y = S (b - A z),
/// x = y + z [Baraff 1998, §5.3; Ascher 2003].
///
/// Convergence is judged on the true residual: when the recursive one is small enough, b - S A S y is
/// recomputed, and the iteration restarts from it where the two had drifted apart. Where rounding
/// stops progress, the report says not converged and gives the residual that was reached.
///
/// A direction p with p . A p <= 0 ends the solve; the iterate before it is kept and reported.
/// The result has the same bits for any number of threads, and whatever was solved before. Nothing is
/// allocated after the first solve of a size.
class ConjugateGradient {
 public:
  ConjugateGradient();
  ~ConjugateGradient();
  ConjugateGradient(ConjugateGradient&&) noexcept;
  ConjugateGradient& operator=(ConjugateGradient&&) noexcept;

  /// Solves A x = b on the free directions; x - z stays 0 on the others. `z` is the prescribed change;
  /// it is not looked at on free particles, and an empty span stands for 0. One vector per particle in all of
  /// them; x may be z.
  SolveReport solve(WorkerPool& pool, const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                    const Projection& projection, std::span<vec3> x, const CgOptions& options,
                    const StopProbe& stop = {});

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace clothlab
