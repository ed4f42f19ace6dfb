// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "analysis/spectrum.h"
#include "analysis/stability.h"
#include "core/compute_context.h"
#include "core/vec.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/state.h"
#include "linalg/lanczos.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

class ClothSystem;

/// The blocks of K for the method's stability: exact for methods that ignore --jacobian.
JacobianMode stability_blocks(const IntegratorInfo& integrator, JacobianMode scene);

/// Measures the StabilityEstimate of a cloth, by Lanczos iterations that start from the vectors of the last
/// measurement. With K̃ and C̃ for K_s and −D between M^−½ on the free directions, both symmetric, a step of h
/// has an eigenvalue −1 exactly when
///
///   symplectic Euler   4 − 2hC̃ − h²K̃
///   Verlet             4 − 2hC̃ − h²K̃ + h²C̃²
///
/// is singular. It leaves the unit circle there first, Verlet also where h C̃ has the eigenvalue 2. (For every
/// other λ of modulus 1, the pencil of the step is a sum of symmetric matrices with coefficients whose
/// imaginary parts have one sign.) With μ = 1/h the limit is the largest μ at which K̃ + 2μC̃ (− C̃²) has the
/// largest eigenvalue 4μ²: the largest root over all vectors, found to second order from the eigenvector at
/// any smaller μ. The most negative real eigenvalue −ρ of J is found in the same way: ρC̃ − K̃ has the largest
/// eigenvalue ρ².
class StabilityMeter {
 public:
  /// The cloth to measure, with the current air of the system. Must live during a call.
  struct Subject {
    const ClothSystem& system;
    const State& state;
    const Projection& held;  ///< pins and contacts
    const IntegratorInfo& integrator;
    JacobianMode scene = JacobianMode::clamped;  ///< the scene's choice of K
    bool without_distances = false;              ///< the scene has distances, which are no part of `held`
  };

  /// ω_max [rad/s] alone: the square root of the largest eigenvalue of M⁻¹K_s at positions x [m], 0 if
  /// nothing is free to move. None on cancellation, or if the matrix is not finite. For methods with rods,
  /// `inextensible` leaves out the elasticity of stretch springs: constraints only lower the other
  /// frequencies.
  std::optional<double> omega_max(const DynamicSystem& system, std::span<const vec3> x, JacobianMode mode,
                                  WorkerPool& pool, const StopProbe& stop = {}, bool inextensible = false);

  /// All of the estimate but the eigenvalues of J. None as above.
  std::optional<StabilityEstimate> estimate(const Subject& subject, WorkerPool& pool,
                                            const StopProbe& stop = {});

  /// Updates the part of the last estimate on which the same method's limit depends, after the cloth has
  /// moved. False as above.
  bool follow(StabilityEstimate& estimate, const Subject& subject, WorkerPool& pool,
              const StopProbe& stop = {});

  /// Replaces `others` of the last estimate, of the same subject, by eigenvalues of
  /// J = [[0, I], [−K̃, −C̃]]. False when stopped or failed.
  bool add_eigenvalues(StabilityEstimate& estimate, const Subject& subject, WorkerPool& pool,
                       const StopProbe& stop = {});

  /// The spectrum of the last estimate's subject, with all eigenvalues of J if requested and there are at
  /// most kExactDirections free directions; `most_exact` as in SpectrumMeter. None as above.
  std::optional<Spectrum> spectrum(const Subject& subject, bool with_eigenvalues, WorkerPool& pool,
                                   const StopProbe& stop = {}, std::size_t most_exact = kExactDirections);

 private:
  struct Problem;

  void assemble_stiffness(const DynamicSystem& system, std::span<const vec3> x, JacobianMode mode,
                          bool inextensible, const ComputeContext& context);
  /// The share of contact forces in the stiffness or the damping of a mode.
  double share_of_contact(const Subject& subject, const UnitMode& mode, double whole,
                          double StepContact::Quotients::*part) const;
  void assemble_damping(const Subject& subject, const ComputeContext& context);
  /// The quantities that this method needs; null: all.
  void measure(const Problem& problem, const IntegratorInfo* method, StabilityEstimate& e);
  void measure(const Subject& subject, WorkerPool& pool, const StopProbe& stop, const IntegratorInfo* method,
               StabilityEstimate& e);

  std::optional<SpringMatrix> stiffness_, damping_;
  LargestEigenvalue largest_;
  SpectrumMeter spectrum_;
  UnitMode stiffest_, most_damped_, symplectic_, verlet_, real_;
};

/// True if the eigenvalues of J improve on Rayleigh quotients for this method.
bool needs_eigenvalues(const IntegratorInfo& integrator, const StabilityEstimate& estimate);

}  // namespace clothlab
