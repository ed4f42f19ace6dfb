// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <span>
#include <vector>

#include "core/vec.h"
#include "linalg/small_dense.h"
#include "linalg/vector_basis.h"

namespace clothlab {

class Projection;

/// Two particles at a fixed distance.
struct DistanceConstraint {
  std::uint32_t i, j;
  double length;  ///< > 0 [m]

  bool operator==(const DistanceConstraint&) const = default;
};

/// Constraints over several particles, c(x) = |x_j − x_i| − length = 0. Particles that they connect, directly
/// or not, are a group.
///
/// A step linearises them once: J (x1 − x0) = d, with the directions of J at one time in the step and d such
/// that a predicted end of the step satisfies c = 0. With J restricted to the free directions of the
/// particles, forces are filtered by the orthogonal projection
///   S = I − Jᵀ(JJᵀ)⁺J     [Baraff 1998, §5.3],
/// and motions are corrected along G = M⁻¹Jᵀ(JM⁻¹Jᵀ)⁺, as impulses of the constraints do. The solution of a
/// linear system does not depend on the metric of either. Pseudo-inverses allow redundant constraints.
class Couplings {
 public:
  /// Replaces all constraints. Allocates.
  void set(std::span<const DistanceConstraint> constraints);
  bool empty() const { return groups_.empty(); }
  std::span<const DistanceConstraint> constraints() const { return constraints_; }
  /// Calls body(particles) for each group.
  template <class Body>
  void for_groups(const Body& body) const {
    for (const Group& group : groups_) body(std::span<const std::uint32_t>(group.particles));
  }

  /// For a step of h [s] from x0 and v0, with the entries of `pins`: their free directions and targets.
  /// The directions are those at t + part h, with part from ½ to 1.
  void linearise(const Projection& pins, std::span<const double> masses, std::span<const vec3> x0,
                 std::span<const vec3> v0, double h, double part);

  // The functions below belong to the last `linearise`. Vectors have one element per particle.

  /// The rank of J.
  std::size_t rank() const;
  /// The first rank() columns := an orthonormal basis U of the range of Jᵀ, of n particles; S = I − UUᵀ.
  void basis(std::size_t n, VectorBasis& U) const;
  /// f := S f, with get(i) and put(i, f) for the vector of particle i.
  template <class Get, class Put>
  void filter_with(const Get& get, const Put& put) const;
  void filter(std::span<vec3> f) const;
  /// a := (I − GJ) a
  void filter_motion(std::span<vec3> a) const;
  /// Replaces accelerations of earlier steps, whose constraints had other directions, by `now`, with the same
  /// momentum of groups that are free.
  void renew(std::span<const vec3> now, std::span<vec3> a) const;
  /// v := v + G (d/h − Jv)
  void prescribe_velocity(std::span<vec3> v) const;
  /// x̂ such that x̂ + γ v, with the velocities of prescribe_velocity, satisfies J (x̂ + γ v − x0) = d.
  void prescribe_offset(std::span<const vec3> x0, double gamma, std::span<vec3> x_hat) const;
  /// The end of a step. Moves x1 to c = 0 along GM⁻¹ and v1 into the tangent space there. Before, the
  /// constraints get the second half of their impulse: at directions in the middle of the step Jv1 becomes
  /// 2d/h − Jv0, so that the step does not lose the energy of Jv0. Contradictory constraints get the least
  /// Σ c² near x1, and v1 the motion there too.
  void finish(std::span<vec3> x1, std::span<vec3> v1) const;
  /// Moves x to c = 0, or the least Σ c², along GM⁻¹.
  void put_at_lengths(std::span<vec3> x) const;
  /// v := (I − GJ) v with the directions at the last positions of `finish` or `put_at_lengths`.
  void stop_change(std::span<vec3> v) const;

  /// The constraint with the largest |c| at x; there must be one.
  std::size_t worst(std::span<const vec3> x) const;
  /// The largest |c| at x [m].
  double violation(std::span<const vec3> x) const;
  /// λ of each constraint from the impulses R of all on their particles, R = Jᵀλ h [N], positive in tension.
  void forces(std::span<const vec3> impulses, std::span<double> lambda) const;

 private:
  struct Link {
    std::size_t a, b;  // in the particles of the group
    std::size_t constraint;
    double length;
  };
  struct Inverse {
    std::vector<double> root;  // R of m x rank for m links, column after column: the pseudo-inverse is R Rᵀ
    std::size_t rank = 0;
  };
  struct Jacobian {
    std::vector<vec3> normal;  // by link; a row of J is −n at a and n at b
    Inverse inverse;           // of J S M⁻¹ Jᵀ
  };
  struct Group {
    std::vector<std::uint32_t> particles;
    std::vector<Link> links;
    std::vector<mat3> S;
    std::vector<double> inverse_mass;
    Jacobian step, end;
    Inverse without_masses;                      // of J S Jᵀ of the step
    std::vector<double> displacement, velocity;  // d and Jv0
    std::vector<vec3> start;                     // x0
    // Scratch.
    std::vector<vec3> x, v, best;
    std::vector<double> error, coefficients, gram;
    SymmetricEigen eigen;

    double times(const Jacobian& J, std::size_t link, std::span<const vec3> a) const {
      return glm::dot(J.normal[link], a[links[link].b] - a[links[link].a]);
    }
    void solve(const Inverse& inverse);
    void correct(const Jacobian& J, std::span<vec3> p);
    void filter(std::span<vec3> f);
    double set_normals(Jacobian& J, std::span<const vec3> p);
    double curvature() const;
    double compute_gram(const Jacobian& J, bool weighted, double damping);
    bool orthogonalise(double largest, Inverse& to) const;
    void invert(const Jacobian& J, bool weighted, double damping, Inverse& to);
    bool project(std::span<vec3> p);
    void stop_along(std::span<const vec3> from, double h);
  };
  std::vector<vec3>& gather(Group& group, std::span<const vec3> all, std::vector<vec3>& to) const;

  std::vector<DistanceConstraint> constraints_;
  mutable std::vector<Group> groups_;  // with scratch memory
  double h_ = 1, second_half_ = 1;
};

template <class Get, class Put>
void Couplings::filter_with(const Get& get, const Put& put) const {
  for (Group& g : groups_) {
    const std::size_t n = g.particles.size();
    for (std::size_t k = 0; k < n; ++k) g.v[k] = g.S[k] * get(g.particles[k]);
    g.filter(g.v);
    for (std::size_t k = 0; k < n; ++k) put(g.particles[k], g.v[k]);
  }
}

}  // namespace clothlab
