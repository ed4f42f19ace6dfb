// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cloth/force_term.h"

namespace clothlab {

/// A force on each particle of a group. Members that its kind does not name have no effect.
struct DriverForce {
  enum class Kind {
    constant,  ///< `force`
    harmonic,  ///< force · sin(2π frequency t + phase)
    drag,      ///< −drag (v − velocity)
    central,   ///< −strength m (x − centre)/|x − centre|³; zero at the centre
    spring,    ///< −stiffness (x − x0), x0 its position at the start: a soft pin
  };

  Kind kind = Kind::constant;
  vec3 force{0};         ///< [N]
  double frequency = 1;  ///< [Hz]
  double phase = 0;      ///< [rad]
  double drag = 0;       ///< c [N·s/m]
  vec3 velocity{0};      ///< of the medium [m/s]
  vec3 centre{0};        ///< [m]
  double strength = 0;   ///< GM [m³/s²]
  double stiffness = 0;  ///< of a spring [N/m]

  bool operator==(const DriverForce&) const = default;
};

/// The force of a driver on a particle of the given mass [kg] at time t [s], in N. `start` is its position at
/// the start [m], for springs.
vec3 force_of(const DriverForce& force, double mass, double t, const vec3& x, const vec3& v,
              const vec3& start = vec3(0));

/// The particles of a group, each once, and the force on each of them.
struct DrivenGroup {
  std::vector<std::uint32_t> particles;
  DriverForce force;
  std::vector<vec3> starts = {};  ///< of springs, for each particle: its position at the start [m]
};

/// The forces of drivers. Constant and central forces and springs have a potential energy, −F·x, −GM m/r and
/// k/2 |x − x0|², and belong to V. Harmonic and drag forces have impulses of the kind `drivers` in the energy
/// ledger. The exact Jacobian of a central force with n = (x − c)/r,
///
///   K = −(GM m/r³) (I − 3 n nᵀ),
///
/// is indefinite. `clamped` leaves out the part along n that attracts less when farther away:
/// −(GM m/r³) (I − n nᵀ).
class DriverForces final : public ForceTerm {
 public:
  /// `masses` must outlive this.
  DriverForces(std::span<const double> masses, std::vector<DrivenGroup> groups)
      : ForceTerm(&PotentialEnergies::drivers), masses_(masses), groups_(std::move(groups)) {}

  void set_masses(std::span<const double> masses) { masses_ = masses; }
  /// The time of harmonic forces [s], until the next call.
  void set_time(double t) { t_ = t; }

  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override {
    add_forces(pool, t_, x, v, f);
  }
  /// With harmonic forces at time t [s].
  void add_part_at(WorkerPool& pool, double t, SpringForces /*part*/, std::span<const vec3> x,
                   std::span<const vec3> v, std::span<vec3> f) const override {
    add_forces(pool, t, x, v, f);
  }
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  /// Without central forces and springs, which have no bound.
  OuterLoad outer_load(double mass) const override;
  /// Uses scratch memory of its own: one caller at a time, as for the pool.
  void add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const override;
  void linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                 SpringMatrix& a) const override;

 private:
  void add_forces(WorkerPool& pool, double t, std::span<const vec3> x, std::span<const vec3> v,
                  std::span<vec3> f) const;
  /// −K of a particle.
  mat3 central_block(const DriverForce& force, std::uint32_t i, const vec3& x, JacobianMode mode) const;

  std::span<const double> masses_;
  std::vector<DrivenGroup> groups_;
  double t_ = 0;
  mutable std::vector<SpringMatrix::Stencil> stencils_;
};

}  // namespace clothlab
