// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/compute_context.h"
#include "dynamics/dynamic_system.h"
#include "integrate/colouring.h"

namespace clothlab {

/// Solves an equation r(v) = M (v − v̂) − γ_f f(x̂ + γ_v v, v) = 0 for one particle at a time, with the others
/// at rest (nonlinear elimination [Cai 2011]).
///
/// Springs shorter than the displacement of a step rotate by any angle. After a Newton step the few particles
/// that they join have nearly all of ‖r‖, and a line search would end where these diverge. Solves for them
/// leave the smooth remainder, for which the Newton step is good.
class LocalSolves {
 public:
  /// Reads the springs of a system, once per pattern. Throws Cancelled.
  void update(const DynamicSystem& system, const StopProbe& stop);

  /// Solves for the particles whose residual is several times the mean, and for neighbours whose residual
  /// then becomes as large, a limited number of times or until cancellation. x, v and r have one vector per
  /// particle and do not change along the directions that `projection` constrains. Springs and their dampers
  /// are exact; other forces are linear about the start, and A receives their part of M − γ_f D − γ_f γ_v K.
  /// Not concurrent. Returns true if a particle has moved.
  bool relax(const DynamicSystem& system, const Projection& projection, const ComputeContext& context,
             double gamma_f, double gamma_v, SpringMatrix& A, std::span<vec3> x, std::span<vec3> v,
             std::span<vec3> r);

 private:
  struct Problem;  // the arguments of relax
  struct Damper;
  /// Forces of a link of the current particle.
  struct Pull {
    vec3 direction;        // towards the particle, at the start; 0 if the spring has no length
    double along, across;  // of γ_f times its dampers, at the start
    vec3 before;           // γ_f times the force on the other end
    vec3 after{0.0};       // the same at the end
  };

  /// One step of Newton's method for v_i, or a part of it, that lowers the incremental potential.
  bool solve(const Problem& p, std::uint32_t i);
  void enter(const Problem& p, std::uint32_t i);
  std::uint32_t leave();

  std::shared_ptr<const SpringPattern> pattern_;
  CompressedRows<SpringLink> links_;
  std::vector<Pull> pulls_;
  std::vector<std::uint32_t> queue_;  // a ring of particles, each once
  std::size_t head_ = 0, waiting_ = 0;
  std::vector<bool> waits_;
};

}  // namespace clothlab
