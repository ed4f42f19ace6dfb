// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cloth/cloth_system.h"
#include "collide/feature_pair.h"
#include "contact/candidate_list.h"
#include "contact/contact_pair.h"
#include "contact/surfaces.h"
#include "core/compute_context.h"
#include "dynamics/state.h"
#include "linalg/linear_solver.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// How contact by impulses acts.
struct ImpulseSettings {
  double thickness = 0;  ///< ξ: what touches is kept this far apart [m], > 0
  double friction = 0;   ///< μ of cloth on cloth
  /// Impulses go through the springs, as in a step of an implicit method; else they act on particles alone.
  bool through_springs = true;
  LinearSolverSettings solver = {};  ///< for that
};

/// Contact by impulses after each step (model.md, "Contact by impulses"): inelastic impulses change the
/// displacements of a step from x₀ to x₁ until no two features of the cloth, and none of the cloth and a
/// mesh, collide on them, and no particle ends below another surface [Bridson 2002; Harmon 2008]. Then they
/// stop the relative velocities of all active contacts.
///
/// Impulses are found by sweeps over the contacts (projected Gauss–Seidel), Coulomb's friction included.
/// Features that still collide after some rounds move as rigid zones, which grow until nothing collides.
///
/// Features nearer than ξ are separated, at 1 m/s at most. Features that are nearer than 2 ξ at rest are kept
/// half as far apart.
class ImpulseContact {
 public:
  /// Triangles and positions at rest must outlive this.
  void set_cloth(std::span<const CandidateList::Triangle> triangles, std::span<const vec3> rest,
                 bool with_itself) {
    candidates_.set_cloth(triangles, rest, with_itself);
    rest_ = rest;
  }

  enum class Outcome { untouched, changed, squeezed, crowded };
  /// Resolves the collisions of a step of h; `pinned` particles, ascending, are prescribed. Squeezed: pins
  /// and obstacles that move leave no room, and squeezed() says where. Crowded: there are more candidates
  /// than PairFinder lists. `after` is as it was then. Throws Cancelled.
  Outcome resolve(const ImpulseSettings& settings, const Surfaces& surfaces, double h, const State& before,
                  State& after, const ClothSystem& system, std::span<const std::uint32_t> pinned,
                  const ComputeContext& context);

  /// Those of the last step, at its end, with the impulses on velocities over h.
  const std::vector<ContactPair>& pairs() const { return pairs_; }
  /// Pairs of features that may have met in it.
  std::size_t candidates() const { return near_.size(); }
  /// True if its linear solves reached their tolerance.
  bool converged() const { return converged_; }
  /// A particle that was squeezed, and on what.
  std::uint32_t squeezed() const { return squeezed_; }
  std::uint32_t squeezed_on() const { return squeezed_on_; }

 private:
  /// The constraint at the end of the step: above + n · (Σ w displacement − surface_displacement) ≥ 0.
  struct Contact {
    std::array<std::uint32_t, 4> particle{};
    std::array<double, 4> weight{};
    std::size_t count = 0;  // of particles; one: it is on a surface
    vec3 normal{0};
    double above = 0;  // what lies between the features and the distance that they are kept at [m]
    vec3 surface_displacement{0};  // displacement of the surface [m]
    vec3 velocity{0};              // of the surface at the end [m/s]
    double kept = 0;               // that distance [m]
    double mobility = 0;           // Σ w²/m [1/kg]
    double friction = 0;           // μ
    std::uint32_t surface = 0;
    double spring = 0;          // in a solve through the springs [kg]
    double damper = 0;          // likewise, across the normal
    double load = 0;            // push that went through them [kg·m]
    double push = 0, stop = 0;  // along the normal: of displacements [kg·m], of velocities [kg·m/s]
    vec3 drag{0}, brake{0};     // across it, likewise

    vec3 blend(std::span<const vec3> a) const;
    vec3 moved(std::span<const vec3> displacement) const;  // relative to each other [m]
    double gap(std::span<const vec3> displacement) const;  // beyond what is kept, at the end of the step [m]
    void apply(const vec3& impulse, std::span<const double> inverse_masses, std::span<vec3> a) const;
  };
  struct Collision {
    std::size_t pair;
    double share;
  };

  void begin(const Surfaces& surfaces, const State& before, const State& after, const ClothSystem& system,
             std::span<const std::uint32_t> pinned);
  void add_meshes(const Surfaces& surfaces);
  bool find_pairs(const ComputeContext& context);
  bool list_is_valid(WorkerPool& pool) const;
  double measure(std::size_t pair);
  std::uint32_t surface_of(const FeaturePair& pair) const;
  std::size_t own(const std::array<std::uint32_t, 4>& particle) const;
  double end_distance(double distance, double thickness) const;
  void add_near();
  double gap_of(const SurfacePoint& point) const;
  void add(std::size_t number, double share, double kept);
  void add(Contact contact);
  double mobility_of(const Contact& contact) const;
  Contact on_surface(const Surfaces& surfaces, std::uint32_t surface, std::uint32_t particle, const vec3& x,
                     const SurfacePoint& point, double kept) const;
  /// Finds colliding pairs and particles below surfaces, by chunk; true if there are any.
  bool find_collisions(const Surfaces& surfaces, const ComputeContext& context);
  void add_below(const Surfaces& surfaces, std::uint32_t particle, std::vector<Contact>& found) const;
  void solve_through_springs(const ClothSystem& system, const ComputeContext& context);
  void press_contacts(WorkerPool& pool);
  double search_line(WorkerPool& pool, double fall);
  void solve_displacements();
  void solve_velocities();
  bool move_together(const Surfaces& surfaces, const ComputeContext& context);
  bool move_zones(const Surfaces& surfaces);
  void list_pairs();

  std::span<const vec3> rest_;
  CandidateList candidates_;

  ImpulseSettings settings_;
  double h_ = 0;
  std::vector<vec3> x_, displacement_, v_;  // of particles, then of vertices of meshes
  std::vector<vec3> predicted_, v_after_;   // displacements and velocities of the method
  std::vector<double> inverse_;             // of masses [1/kg]; 0 where pinned
  std::vector<vec3> listed_;                // displacements that pairs were listed for
  std::vector<char> moved_;                 // since collisions were looked for
  std::span<const FeaturePair> near_;
  bool crowded_ = false, converged_ = true;
  std::span<const double> least_;  // that those are surely apart at the start [m]
  std::vector<double> distance_;   // of them, or kFar where that was not asked for yet
  std::vector<double> lengths_;    // lengths of displacements
  std::vector<std::size_t> contact_of_pair_;
  std::vector<std::vector<Collision>> collisions_by_chunk_;
  std::vector<std::vector<Contact>> below_by_chunk_;
  std::vector<Contact> contacts_;
  LinearSolver solver_;
  std::optional<SpringMatrix> matrix_;
  std::vector<SpringMatrix::Stencil> stencils_, of_cloth_;
  std::vector<vec3> b_, force_, end_, speed_, change_;
  std::vector<std::array<double, 2>> gaps_;  // of the contacts, and their change along the direction
  struct Zone {
    double mass = 0;  // of what is free [kg]
    vec3 displacement{0}, velocity{0};
    bool prescribed = false;
    std::optional<std::uint32_t> surface = {};  // that it moves with
  };
  std::vector<std::uint32_t> parent_;  // of particles, then of surfaces: a forest
  std::vector<Zone> zones_;
  std::vector<ContactPair> pairs_;
  std::uint32_t squeezed_ = 0, squeezed_on_ = 0;
};

}  // namespace clothlab
