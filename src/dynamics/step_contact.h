// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

enum class JacobianMode;

/// Two features closer than the contact distance: their gap, and the force between them.
struct ContactElement {
  std::array<std::uint32_t, 4> particle{};
  std::array<double, 4> weight{};  ///< of the particles in the relative position; a surface has the rest
  int count = 0;                   ///< of particles
  vec3 normal{0};                  ///< n
  double gap = 0;                  ///< [m]
  double reach = 0;                ///< contact distance d̂ of this pair [m]
  double push = 0;                 ///< along n [N]
  mat3 turning{0};                 ///< ∇n [1/m]
  double friction = 0;             ///< μ
  vec3 velocity{0};                ///< of the surface [m/s]
  std::uint32_t surface = 0;       ///< as in ContactPair
  std::uint32_t triangle = 0;      ///< of a triangle on a surface: its number + 1

  vec3 blend(std::span<const vec3> a) const {
    vec3 sum(0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) sum += weight[k] * a[particle[k]];
    return sum;
  }
  vec3 speed(std::span<const vec3> v) const { return blend(v) - velocity; }  ///< relative velocity [m/s]
  void spread(const vec3& force, std::span<vec3> f) const {
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) f[particle[k]] += weight[k] * force;
  }
  /// The particle with the largest weight.
  std::uint32_t foremost() const {
    std::size_t most = 0;
    for (std::size_t k = 1; k < static_cast<std::size_t>(count); ++k)
      if (std::abs(weight[k]) > std::abs(weight[most])) most = k;
    return particle[most];
  }
};

/// Contacts that may act in a step of h, for methods that treat forces one by one. n and w are taken at its
/// start; after displacements Δx of the particles, with s = n·Σ wᵢ Δxᵢ, the force on particle i is wᵢ n
/// max(0, push − k s) and, across n, friction. `push` belongs to the gap to the surface at the end of the
/// step; it is negative if they are apart. Contacts of one particle come first, in the order of particles.
struct ContactElements {
  std::span<const ContactElement> all;
  double stiffness = 0;       ///< k [N/m]
  double damping = 0;         ///< c along n, where push > 0 [N·s/m]
  double friction_speed = 0;  ///< ε [m/s]
};

/// The active contacts with surfaces of a linearised step, and where its friction is linearised. The method
/// that solves it owns the set, and clears it before the first solve of a step.
struct ContactSet {
  /// The law of a contact with friction or damping, near a velocity.
  struct Friction {
    vec3 speed;            ///< relative velocity [m/s]
    double load;           ///< μ λ [N]
    int reversals = 0;     ///< of the sliding, in this step; from 2 on with the secant of the law, else
                           ///< with its derivative
    bool at_rest = false;  ///< `speed` is along the normal, but for rounding
  };

  std::vector<ContactElement> active;
  std::vector<Friction> friction;  ///< after the first solve; empty: at the start of the step
  bool is_known = false;           ///< `linearize` uses `active`; else it predicts the set
  bool is_corrected = false;       ///< by at least one solve of this step
  bool has_changed = false;        ///< in the last correction

  void clear() {
    is_known = is_corrected = has_changed = false;
    friction.clear();
  }
};

/// Contact by forces in a step, for time steppers and measurements. `force` and `assemble` of the system
/// include these forces. All calls are const and free of side effects.
class StepContact {
 public:
  virtual ~StepContact() = default;

  /// The contacts of a (sub)step of h from x at about the velocities v, `left` [s] before the end of the
  /// whole step. The law is linear where it acts. Valid until the next call.
  virtual ContactElements elements(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                   double h, double left) const = 0;

  /// The error of the trapezoidal rule for −∫ F·dv from v0 to v1, F the friction [W].
  virtual double beyond_trapezoid(std::span<const vec3> v0, std::span<const vec3> v1) const = 0;

  /// True if nothing may pass through anything.
  virtual bool limits_displacements() const = 0;
  /// The fraction in [0, 1] of displacements from x [m] up to which nothing passes through anything. 1
  /// if displacements are not limited.
  virtual double free_fraction(WorkerPool& pool, std::span<const vec3> x,
                               std::span<const vec3> displacement) const = 0;

  /// True if the step that was solved with `set`, from (x, v) to (x + a u + b w, v + w), has other contacts,
  /// or a friction that differs by more than `enough` [N] (Euclidean norm); then `set` is the one for another
  /// solve.
  virtual bool correct(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double a,
                       std::span<const vec3> u, double b, std::span<const vec3> w, double enough,
                       ContactSet& set) const = 0;

  /// −u·Ku and −u·Du for a vector per particle, K of the contacts found last, and D at v.
  struct Quotients {
    double stiffness = 0;
    double damping = 0;
  };
  virtual Quotients quotients(JacobianMode mode, std::span<const vec3> v, std::span<const vec3> u) const = 0;
};

}  // namespace clothlab
