#pragma once

#include <memory>
#include <span>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The largest eigenvalue of M^-1 K on the free directions, by the Lanczos iteration on the symmetric
/// S M^-1/2 K M^-1/2 S; with K = K_s = -df/dx its square root is omega_max in rad/s.
///
/// Each call starts from the vector of the last one, mixed with a fixed pseudo-random vector so that a
/// mode that is new (a drag, a pin removed) is found too. Basis vectors are not kept: lost
/// orthogonality only repeats the eigenvalue that is wanted (Paige 1972).
class LargestEigenvalue {
 public:
  struct Result {
    double value = 0;        ///< 1/s^2; the Ritz value, so a lower bound up to rounding; 0 if nothing is free
    double error_bound = 0;  ///< some eigenvalue lies within this of `value`; the error is far smaller
    bool converged = false;  ///< error_bound <= tolerance * |value|
    int iterations = 0;
    bool stopped = false;  ///< the stop probe asked to give up
  };

  LargestEigenvalue();
  ~LargestEigenvalue();
  LargestEigenvalue(LargestEigenvalue&&) noexcept;
  LargestEigenvalue& operator=(LargestEigenvalue&&) noexcept;

  /// `masses` in kg, > 0, one per particle.
  Result compute(WorkerPool& pool, const SpringMatrix& K, std::span<const double> masses,
                 const Projection& projection, const StopProbe& stop = {}, double tolerance = 0.02);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace clothlab
