#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"
#include "integrate/registry.h"
#include "linalg/lanczos.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Measures ω_max, the square root of the largest eigenvalue of M⁻¹K_s on the free directions (model.md,
/// "Blow-up"): the fastest oscillation of the cloth as it hangs at the moment. A few Lanczos steps, each
/// measurement starting from the vector of the last one.
class StabilityMeter {
 public:
  /// ω_max [rad/s] of the system at positions x [m], its drag and its constraints included; 0 where
  /// nothing is free to move. None when `stop` asked to give up, or where x is so far out that the
  /// matrix is not finite. `mode` is the scene's choice of K. For methods that take stretch springs as rods,
  /// `inextensible` leaves their elasticity out: constraints only make what else vibrates slower.
  std::optional<double> omega_max(const DynamicSystem& system, std::span<const vec3> x, JacobianMode mode,
                                  WorkerPool& pool, const StopProbe& stop = {}, bool inextensible = false);

 private:
  std::optional<SpringMatrix> stiffness_;
  LargestEigenvalue largest_;
};

/// Largest stable step of the method [s]: its limit on h·ω over ω_max; infinity where it has none, 0
/// where no step is stable. ω_max > 0.
double largest_stable_step(const IntegratorInfo& integrator, double omega_max);

/// One or two sentences on h·ω_max against the method's limit, or on the growth per step of a method that
/// is never stable, with the numbers. For methods that take stretch springs as rods, `omega_max` is that
/// without these (StabilityMeter), and the text says so. `values` are the method's own parameters; `h` [s],
/// `omega_max` [rad/s].
std::string describe_stability(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               double omega_max);

/// What there is to say about a blow-up (sim/simulation.h, BlowUp), as plain values.
struct BlowUpFacts {
  bool finite = true;      ///< false: a value is not a finite number
  std::uint64_t step = 0;  ///< the step that failed
  double time = 0;         ///< at its end [s]
  double h = 0;            ///< its length [s]
  double energy = 0;       ///< what the cloth held after it [J]
  double allowed = 0;      ///< the limit that this passed: factor × what it could have come by [J]
  double factor = 1;       ///< the scene's --energy-limit
};

/// Two or three sentences: what happened at which step, why it had to (describe_stability), and what
/// would help. `omega_max` [rad/s] is of the last good state, where it is known.
std::string explain_blow_up(const BlowUpFacts& facts, const IntegratorInfo& integrator,
                            const IntegratorParameters& values, std::optional<double> omega_max);

}  // namespace clothlab
