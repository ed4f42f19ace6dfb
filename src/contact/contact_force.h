// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cloth/force_term.h"
#include "collide/deepest_point.h"
#include "collide/obstacle.h"
#include "contact/candidate_list.h"
#include "contact/contact_law.h"
#include "contact/contact_pair.h"
#include "contact/displacement_bound.h"
#include "contact/surfaces.h"
#include "dynamics/smooth_friction.h"

namespace clothlab {

struct ClothMesh;

/// How contact acts as a force.
struct ContactSettings {
  /// The cloth, which must outlive this; null if its features collide with nothing.
  const ClothMesh* cloth = nullptr;
  bool with_itself = false;
  CandidateList::Joined joined = {};  ///< particles that are sewn together
  double friction_with_itself = 0;    ///< μ
  ContactLaw law;
  double thickness = 0;  ///< ξ: the gap is the distance from a surface less this [m]
  double damping = 0;    ///< along the normal, of active contacts [N·s/m]
  SmoothFriction friction;
  bool particles = true;  ///< particles collide with surfaces
  /// d̂ of triangles on bodies other than meshes [m]; 0: only particles collide with these.
  double triangle_distance = 0;

  bool operator==(const ContactSettings&) const = default;
};

/// Contact as a force (model.md, "Contact by penalty", "Contact by a barrier"): along the normal n of a pair
/// the force of the law. On the pairs of the last `begin` also damping −c n nᵀ u, u = Σ w_i v_i, and friction
/// across n. Those pairs, with their normals and the loads λ of friction, are fixed for a step: the force
/// does not jump within it, and the Jacobian of friction is symmetric, D = −μλ [(s/|u|)(T − ûûᵀ) + s′ ûûᵀ], T
/// = I − n nᵀ.
///
/// Features that have passed through each other since the last `begin` have a negative gap: they are pushed
/// back.
///
/// Particles collide with surfaces and, with a `triangle_distance`, also the deepest points of triangles with
/// bodies other than planes and meshes (deepest_point). With a barrier, features of the cloth collide with
/// those of meshes instead, vertex and triangle or edge and edge. In both laws features of the cloth collide
/// with each other.
///
/// K neglects the change of n with the closest points of two features, or with the deepest point. `clamped`
/// also neglects −push ∇n, from the curvature of a surface, which is negative semidefinite, and uses the
/// secant for D, −μλ s/|u| T. Friction above ε hardly depends on v: with its derivative a single Newton step
/// would reverse the sliding.
class ContactForce : public ContactTerm {
 public:
  /// The surfaces must outlive this; their owner places them for each step before `begin`.
  void set(const ContactSettings& settings, const Surfaces& surfaces);
  const ContactSettings& settings() const { return settings_; }
  const Surfaces& surfaces() const { return *surfaces_; }
  bool empty() const { return (surfaces_ == nullptr || surfaces_->empty()) && !settings_.with_itself; }
  /// True if the last search found too many pairs of features near each other, and listed none.
  bool crowded() const { return candidates_.crowded(); }
  /// Detects the contacts of damping and friction at positions at the start of a step, and remembers the
  /// sides of features there. `ahead` [s]: h for a method that evaluates all forces at the start, else 0.
  /// With h a barrier uses the surfaces at the start of the step: cloth that a surface pushes may be below
  /// its position at the end. The push of triangles deep in a body at x, as where it appears, is limited in
  /// this step of h [s].
  void begin(WorkerPool& pool, std::span<const vec3> x, double ahead, double h);

  bool limits_displacements() const override { return settings_.law.barrier && !empty(); }
  /// True if nothing passes through anything while surfaces move to the end of the step and particles move
  /// from x to `prescribed`, the targets of constrained particles [m].
  bool may_begin(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> prescribed);
  double free_fraction(WorkerPool& pool, std::span<const vec3> x,
                       std::span<const vec3> displacement) const override;
  /// What limited displacements last, also in may_begin.
  const DisplacementBound& bound() const { return bound_; }
  /// See DisplacementBound::limit.
  double limit(WorkerPool& pool, const Couplings& couplings, std::span<const vec3> x,
               std::span<vec3> displacement) {
    return bound_.limit(pool, obstruction(false), couplings, x, displacement);
  }

  ContactLaw law_of(const ContactElement& contact) const {
    return {settings_.law.stiffness, contact.reach, settings_.law.barrier};
  }
  /// Contacts at positions x, in an order that does not depend on the pool. Valid until the next call of any
  /// member.
  std::span<const ContactElement> contacts_at(WorkerPool& pool, std::span<const vec3> x) const {
    return find(pool, x, {});
  }
  /// The contacts found last: after `energy` and `add_measures` those at their positions.
  std::span<const ContactElement> found() const { return found_; }
  /// Changes only stiffness [N/m] and damping [N·s/m]; never fails.
  void set_stiffness(double stiffness, double damping) {
    settings_.law.stiffness = stiffness;
    settings_.damping = damping;
  }
  /// True if any of the last contacts is so near that it may only separate; false if unknown because surfaces
  /// have moved.
  bool is_pressed_shut() const;
  /// A contact at velocities v, with friction at its own load.
  ContactPair pair(const ContactElement& contact, std::span<const vec3> v) const;

  Quotients quotients(JacobianMode mode, std::span<const vec3> v, std::span<const vec3> u) const override;
  ContactElements elements(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double h,
                           double left) const override;
  double beyond_trapezoid(std::span<const vec3> v0, std::span<const vec3> v1) const override;

  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  /// With the pairs of damping and friction at x.
  void add_part_at(WorkerPool& pool, double t, SpringForces part, std::span<const vec3> x,
                   std::span<const vec3> v, std::span<vec3> f) const override;
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  void add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const override;
  void linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                 SpringMatrix& a) const override {
    ContactSet predicted;
    linearize_set(pool, {}, at, predicted, f, a);
  }
  /// Uses the contacts that are active at x + factor · u: otherwise a single Newton step would put cloth deep
  /// into a surface without the work of getting there. A contact that is active at x stays active if f, the
  /// sum of the forces before this one, closes it again within the step: if released, cloth at rest on a
  /// stiff contact would bounce permanently. Without masses f does not count.
  void linearize_set(WorkerPool& pool, std::span<const double> masses, const Linearization& at,
                     ContactSet& contacts, std::span<vec3> f, SpringMatrix& a) const override;
  /// Without a correction the next step would find an unforeseen contact deep below the surface, with a push
  /// that accelerates light cloth far too much.
  ///
  /// Friction is linearised at the velocities and loads that the last solve found, so that its load λ is that
  /// of the end of the step. Where the sliding has reversed it is linearised at rest.
  bool correct(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double a,
               std::span<const vec3> u, double b, std::span<const vec3> w, double enough,
               ContactSet& set) const override;

 private:
  struct Slide {
    ContactElement contact;
    double load;  // μ λ [N]
  };
  double load_of(const ContactElement& contact) const { return contact.friction * contact.push; }
  vec3 drag(const Slide& slide, const vec3& u) const;  ///< damping and friction
  mat3 drag_slope(const Slide& slide, const vec3& u, JacobianMode mode) const;
  /// Damping and friction near a velocity: force + slope (u − speed).
  struct LinearDrag {
    vec3 speed, force;
    mat3 slope;
    vec3 at(const vec3& u) const { return force + slope * (u - speed); }
  };
  /// Of the slide k in a step from the velocities v.
  LinearDrag linear_drag(std::size_t k, std::span<const vec3> v, JacobianMode mode,
                         const ContactSet* set) const;
  bool correct_friction(std::span<const vec3> v, std::span<const vec3> w, double enough,
                        ContactSet& set) const;
  bool correct_active(WorkerPool& pool, std::span<const vec3> x, ContactSet& set) const;
  /// −∂f/∂x of a contact along its relative position.
  mat3 block(const ContactElement& contact, JacobianMode mode) const;
  /// The end of a Newton step without contact: x + factor · u, and active contacts at x further down by
  /// `square` f/m.
  struct Prediction {
    double factor = 0;
    std::span<const vec3> u = {}, f = {};
    std::span<const double> masses = {};
    double square = 0;  ///< [s²]
    bool near = false;  ///< finds all contacts within a displacement of that length instead
    double left = 0;    ///< surfaces are where they are so long before the end of the step [s]
  };
  /// found_ := contacts at x, or contacts of a prediction as seen from x, with ContactLaw::line as the push.
  std::span<const ContactElement> find(WorkerPool& pool, std::span<const vec3> x,
                                       const Prediction& prediction) const;
  void begin_search(std::span<const vec3> x) const {
    found_.clear();
    at_begin_ = settings_.law.barrier && (ahead_ > 0 || std::ranges::equal(x, start_));
  }
  void find_on_surfaces(WorkerPool& pool, std::span<const vec3> x, const Prediction& prediction) const;
  /// The closest point of a surface, if it is within `reach` [m]. Of a body that the particle has crossed
  /// since the start of the step so far that another side is closer, the plane where it met the body first.
  std::optional<SurfacePoint> seen_by(std::uint32_t particle, std::uint32_t surface, const vec3& x,
                                      double reach) const;
  /// Appends the contacts of triangles.
  void find_triangles(WorkerPool& pool, std::span<const vec3> x, const Prediction& prediction) const;
  void begin_slides(WorkerPool& pool, std::span<const vec3> x);
  void find_features(WorkerPool& pool, std::span<const vec3> x) const;
  /// True if particles collide with it; else features do.
  bool collides_with_particles(std::uint32_t surface) const {
    return settings_.particles && (!settings_.law.barrier || !surfaces_->is_mesh(surface));
  }
  /// Features collide with meshes only behind a barrier.
  void place_meshes() { candidates_.place_meshes(limits_displacements() ? surfaces_ : nullptr); }
  DisplacementBound::Obstruction obstruction(bool moves) const {
    return {candidates_, *surfaces_, settings_.law.distance, moves};
  }
  void add_pushes(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> f) const {
    for (const ContactElement& contact : contacts_at(pool, x))
      contact.spread(contact.push * contact.normal, f);
  }
  /// Of the contacts in found_.
  void add_blocks(const Linearization& at, const ContactSet* set, SpringMatrix& a) const;

  ContactSettings settings_;
  const Surfaces* surfaces_ = nullptr;
  // The memory of a step, from `begin` on.
  std::vector<Slide> slides_;
  std::vector<vec3> start_;   // positions: on which side of features and surfaces particles were
  double ahead_ = 0;          // [s]
  std::vector<double> sunk_;  // by triangle: depth at the start that this step does not correct [m]
  std::vector<vec3> displacement_;
  // Scratch memory and results of the last search; they change no result.
  mutable bool at_begin_ = false;  // found_ has surfaces where they are at the beginning
  mutable CandidateList candidates_;
  mutable DisplacementBound bound_;
  mutable std::vector<std::vector<ContactElement>> by_chunk_;
  mutable std::vector<ContactElement> found_, of_triangles_, elements_, foreseen_;
  struct Height {
    vec3 normal;
    double gap;
  };
  mutable std::vector<vec3> corners_;    // positions at which triangles are searched
  mutable std::vector<Height> heights_;  // of particles above one body there
  mutable std::vector<vec3> solved_;     // displacements of a solved step
  mutable std::vector<ContactSet::Friction> points_;
  mutable std::vector<SpringMatrix::Stencil> stencils_;
};

/// The contact by forces at which a step failed.
struct FailedContact {
  std::uint32_t particle = 0;
  std::uint32_t surface = 0;  ///< as in ContactPair
  /// Of an obstacle, which may be removed or replaced later.
  std::optional<Obstacle::Shape> shape = {};
  double omega = 0;          ///< √(k/m), the frequency of the particle on it alone [rad/s]
  double friction_rate = 0;  ///< 2 μλ/(ε m), the largest rate at which friction brakes it alone [1/s]
};

/// Of the contacts at positions x0 [m] the one whose energy at x1 exceeds the linear prediction of its force
/// at x0 most. Constrained particles do not count. None if no contact exceeds it.
std::optional<FailedContact> failed_contact(const ContactForce& contact, const DynamicSystem& system,
                                            WorkerPool& pool, std::span<const vec3> x0,
                                            std::span<const vec3> x1);

}  // namespace clothlab
