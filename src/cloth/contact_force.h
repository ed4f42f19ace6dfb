// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cloth/force_term.h"
#include "collide/contact_law.h"
#include "collide/contact_pair.h"
#include "collide/free_way.h"
#include "collide/near_pairs.h"
#include "collide/obstacle.h"

namespace clothlab {

struct ClothMesh;

/// What the cloth meets as a force, and how that acts.
struct ContactSettings {
  struct Surface {
    Obstacle body;
    double friction = 0;  ///< μ
    SurfaceMotion motion;
    std::uint32_t number = 0;  ///< as in ContactPair
    bool operator==(const Surface&) const = default;
  };
  std::vector<Surface> surfaces;
  /// The cloth, which must outlive this, where its features meet each other or those of meshes.
  const ClothMesh* cloth = nullptr;
  bool with_itself = false;
  double friction_with_itself = 0;  ///< μ
  ContactLaw law;
  double thickness = 0;  ///< ξ: the gap is the distance from a surface less this [m]
  double damping = 0;    ///< along the normal, of what is in contact [N·s/m]
  SmoothFriction friction;

  bool operator==(const ContactSettings&) const = default;
};

/// Contact as a force (model.md, "Contact by penalty", "Contact by a barrier"): along the normal n of a pair
/// that of the law, and on the pairs of the last `begin` damping −c n nᵀ u, u = Σ w_i v_i, and friction
/// across n. Those pairs, with their normals and the loads λ of friction, stay for a step: damping that began
/// within it would be a jump of the force, and the Jacobian of friction is symmetric, D = −μλ [(s/|u|)(T −
/// ûûᵀ) + s′ ûûᵀ], T = I − n nᵀ.
///
/// Features that have passed through each other since the last `begin` have a negative gap: they are pushed
/// back.
///
/// Particles meet surfaces; with a barrier, features of the cloth meet those of meshes instead, vertices and
/// triangles, edges and edges, as they meet each other in both laws.
///
/// How the nearest points of two features turn n is left out of K. `clamped` also leaves out what the
/// curvature of a surface adds, −push ∇n, which is negative semidefinite,
/// and takes the secant for D, −μλ s/|u| T: what slides faster than ε meets a force that hardly depends on v,
/// and a method that takes one step of Newton's method would turn it back beyond rest.
class ContactForce final : public ForceTerm {
 public:
  void set(const ContactSettings& settings);
  const ContactSettings& settings() const { return settings_; }
  bool empty() const { return settings_.surfaces.empty() && !settings_.with_itself; }
  /// Whether the last search for features found more near each other than can be listed, and took none.
  bool crowded() const { return near_.crowded(); }
  /// Where a surface is at the end of the next step, and how it moves then; `before`: where at its beginning.
  /// A barrier acts from there on positions at the beginning, and for a method that takes all its forces
  /// there, a step of `ahead` [s] before the end, throughout: cloth that gives way may be below where the
  /// surface will be. 0 for other methods.
  void place(std::size_t surface, const Obstacle& before, const Obstacle& body, const SurfaceMotion& motion,
             double ahead);
  /// Takes the masses of particles [kg], which must outlive this, for `linearize`.
  void weigh(std::span<const double> masses) { masses_ = masses; }
  /// Takes the pairs of damping and friction from positions at the start of a step.
  void begin(WorkerPool& pool, std::span<const vec3> x);

  /// Whether nothing may pass through anything.
  bool bars_ways() const { return settings_.law.barrier && !empty(); }
  /// Whether nothing passes through anything while surfaces go to where they are at the end of the step and
  /// particles go from x to `led`, those that are held to where they are led [m].
  bool may_begin(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> led);
  /// Where that failed last: a particle, and a surface as in ContactPair.
  std::pair<std::uint32_t, std::uint32_t> squeezed() const;
  /// See FreeWay; 1 where nothing bars them.
  double free_share(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> way) const;
  double shorten(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> way);
  std::span<const double> shares() const { return free_way_.shares(); }

  /// Two features closer than the contact distance.
  struct Touch {
    std::array<std::uint32_t, 4> particle{};
    std::array<double, 4> weight{};  ///< of the particles in the relative position; a surface has the rest
    int count = 0;                   ///< of particles
    vec3 normal{0};
    double gap = 0;             ///< [m]
    double reach = 0;           ///< d̂ of this pair [m]
    double push = 0;            ///< along the normal [N]
    mat3 turning{0};            ///< ∇n [1/m]
    double friction = 0;        ///< μ
    vec3 velocity{0};           ///< of the surface [m/s]
    std::uint32_t surface = 0;  ///< as in ContactPair

    vec3 blend(std::span<const vec3> a) const {
      vec3 sum(0.0);
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) sum += weight[k] * a[particle[k]];
      return sum;
    }
    /// The particle that moves most with the pair.
    std::uint32_t foremost() const {
      std::size_t most = 0;
      for (std::size_t k = 1; k < static_cast<std::size_t>(count); ++k)
        if (std::abs(weight[k]) > std::abs(weight[most])) most = k;
      return particle[most];
    }
    vec3 speed(std::span<const vec3> v) const { return blend(v) - velocity; }  ///< relative [m/s]
    void spread(const vec3& force, std::span<vec3> f) const {
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) f[particle[k]] += weight[k] * force;
    }
  };
  ContactLaw law_of(const Touch& touch) const {
    return {settings_.law.stiffness, touch.reach, settings_.law.barrier};
  }
  /// At positions x, in an order that does not depend on the pool. Valid until the next call of any member.
  std::span<const Touch> touches(WorkerPool& pool, std::span<const vec3> x) const;
  /// Those that were found last: after `energy` and `add_measures` those at their positions.
  std::span<const Touch> found() const { return touches_; }
  /// Another stiffness [N/m] and damping [N·s/m] with all else as it is; never fails.
  void set_stiffness(double stiffness, double damping) {
    settings_.law.stiffness = stiffness;
    settings_.damping = damping;
  }
  /// Whether any of these is so near that it may only go apart; unknown, false, where surfaces have gone on.
  bool is_pressed_shut() const;
  /// A touch at velocities v, with friction at its own load.
  ContactPair pair(const Touch& touch, std::span<const vec3> v) const;

  /// −u·Ku and −u·Du for a vector per particle, K of the touches that were found last and D at v.
  struct Quotients {
    double stiffness = 0;
    double damping = 0;
  };
  Quotients quotients(JacobianMode mode, std::span<const vec3> v, std::span<const vec3> u) const;

  /// See DynamicSystem::contacts: what is nearer than the contact distance and the way h v. The law is linear
  /// where it acts. Valid until the next call.
  ContactElements elements(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double h,
                           double left) const;

  /// What the trapezoidal rule leaves out of −∫ F·dv from v0 to v1, F the friction [W].
  double beyond_trapezoid(std::span<const vec3> v0, std::span<const vec3> v1) const;

  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                    ForceMeasures& measures) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  /// Methods that want `rest` ask for `elements`.
  void add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                std::span<vec3> f) const override {
    if (part != SpringForces::rest) add_force(pool, x, v, f);
  }
  /// With the pairs of damping and friction at x.
  void add_part_at(WorkerPool& pool, double t, SpringForces part, std::span<const vec3> x,
                   std::span<const vec3> v, std::span<vec3> f) const override;
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  void add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                     const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const override;
  /// With the pairs that are in contact at x + factor · u as their gaps change along u: a method that takes
  /// one step of Newton's method would else find cloth deep in a surface without having done the work to get
  /// there. A pair that is in contact at x stays where f, the sum of the forces before this one, leads it
  /// back within the step: let go, cloth that rests on a stiff contact would fall and be thrown up for ever.
  void linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double factor,
                 std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode, std::span<vec3> f,
                 SpringMatrix& a) const override;
  /// See DynamicSystem. What was not foreseen to touch a surface, and then was led below it, would be found
  /// there in the next step, with a push that throws cloth about that is light beside it.
  bool met_otherwise(WorkerPool& pool, std::span<const vec3> x, double a, std::span<const vec3> u, double b,
                     std::span<const vec3> w) const;

 private:
  struct Slide {
    Touch touch;
    double load;  // μ λ [N]
  };
  double load_of(const Touch& touch) const;
  vec3 drag(const Slide& slide, const vec3& u) const;  ///< damping and friction
  mat3 drag_slope(const Slide& slide, const vec3& u, JacobianMode mode) const;
  /// −∂f/∂x of a touch along its relative position.
  mat3 block(const Touch& touch, JacobianMode mode) const;
  /// Where a step of Newton's method leads without contact: to x + factor · u, and what is in contact at x
  /// further down by `square` f/m.
  struct Lead {
    double factor = 0;
    std::span<const vec3> u = {}, f = {};
    double square = 0;  ///< [s²]
    bool near = false;  ///< takes all within a way of that length instead
    double left = 0;    ///< surfaces are where they are so long before the end of the step [s]
  };
  /// touches_ := those at x, or those at the end of a lead as seen from x, where their push is the line of
  /// the law.
  void find(WorkerPool& pool, std::span<const vec3> x, const Lead& lead) const;
  void find_on_surfaces(WorkerPool& pool, std::span<const vec3> x, const Lead& lead) const;
  void find_features(WorkerPool& pool, std::span<const vec3> x) const;
  /// Whether particles meet it; else features do.
  bool meets_particles(const Obstacle& body) const {
    return !settings_.law.barrier || body.shape != Obstacle::Shape::mesh;
  }
  void place_bodies();
  FreeWay::Fence fence() const { return {near_, solid_, settings_.law.distance}; }
  void add_pushes(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> f) const;
  /// Of the touches in touches_.
  void add_blocks(std::span<const vec3> v, const SystemCoefficients& c, JacobianMode mode,
                  SpringMatrix& a) const;

  ContactSettings settings_;
  std::span<const double> masses_;
  std::vector<Slide> slides_;
  std::vector<vec3> start_;                // positions at the last `begin`, where features meet
  std::vector<Obstacle> bodies_, before_;  // of the surfaces
  double ahead_ = 0;                       // see `place` [s]
  mutable bool found_at_begin_ = false;    // touches_
  // Those of them that particles meet.
  std::vector<Obstacle> solid_, solid_before_;
  std::vector<vec3> way_;
  mutable NearPairs near_;
  mutable FreeWay free_way_;
  mutable std::vector<std::vector<FoundPlace>> found_;  // above meshes, by surface and particle
  mutable std::vector<std::vector<Touch>> by_chunk_;
  mutable std::vector<Touch> touches_, foreseen_;
  mutable std::vector<Touch> met_;  // what the next `linearize` has on surfaces, where has_met_
  mutable std::vector<vec3> led_;   // ways of the step that met it
  mutable bool has_met_ = false, looks_again_ = false;  // in the step that `begin` began
  mutable std::vector<ContactElement> elements_;
  mutable std::vector<SpringMatrix::Stencil> stencils_;
};

}  // namespace clothlab
