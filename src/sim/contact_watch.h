// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collide/obstacle.h"
#include "contact/contact_pair.h"
#include "contact/surfaces.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"
#include "sim/pin_set.h"
#include "sim/scene.h"

namespace clothlab {

class ClothSystem;
struct ClothMesh;

/// Particles below the floor or inside obstacles.
struct Overlap {
  std::size_t particles = 0;
  double depth = 0;           ///< the largest [m]
  std::uint32_t surface = 0;  ///< the deepest one; 0: the floor, k: obstacle k − 1

  bool operator==(const Overlap&) const = default;
};

/// Counts particles at x, except pins, that are deeper than `least` [m] in the floor or in obstacles.
Overlap find_overlap(WorkerPool& pool, const Floor& floor, std::span<const Obstacle> bodies,
                     std::span<const vec3> x, const PinSet& pins, double least);

/// "12 of 400 particles are inside surfaces, ..." with a remedy.
std::string text_of(const Overlap& overlap, std::size_t particles, std::span<const Obstacle> bodies);

/// Explains that particles may pass through open mesh obstacles, with a remedy. Empty if there are none, or
/// the contact model detects passages within a step.
std::string open_mesh_text(const Scene& scene);

/// "contact of its triangles (--contact-points triangles)" if that would help against a body that passes
/// between particles; empty if it is on, or the method or the body does not support it.
std::string triangle_contact(const Obstacle& body, const Scene& scene);

/// "a", "a, or b", "a, b, or c", without empty entries.
std::string cures_text(std::vector<std::string> cures);

/// Detects cloth that passes through obstacles within a step, which contact at the ends of steps does not
/// detect. Only reads the state.
///
/// A particle passes through an obstacle if it is on opposite sides before and after a substep, by the
/// normals in the frame of the obstacle, and the straight line between leads through the obstacle. That needs
/// a relative displacement larger than the obstacle's depth, or for a mesh than its rounded surface is thick,
/// so most substeps cost one bound, and others one comparison per particle. Particles that are
/// deep in an obstacle despite contact forces may sink through it by smaller ones. A barrier lets no particle
/// pass. A body thinner than the edges may pass between particles: then a triangle passes a point of its
/// middle.
class ContactWatch {
 public:
  explicit ContactWatch(const ClothSystem& system);

  /// Forgets all passages, at a start or when the obstacles change.
  void restart() {
    begin_step();
    deep_.clear();
    behind_.clear();
  }
  /// Discards the passages of a step that was not finished.
  void begin_step() {
    of_step_ = {};
    passed_.clear();
  }
  /// Checks a substep of h between two states, with its surfaces. `kinetic` is the larger of the kinetic
  /// energies of these [J], `strain` the largest strain after it.
  void watch(WorkerPool& pool, const ClothMesh& mesh, const ClothSystem& system, const Surfaces& surfaces,
             double h, const State& before, const State& after, double kinetic, double strain);
  /// Completes the step.
  void end_step();
  /// Adds a contact by forces after a substep; `thickness` of surfaces [m].
  void add_contact(const ContactPair& pair, std::span<const Obstacle> bodies, double thickness);

  /// Reports particles that passed through an obstacle in the last step, with a remedy; empty without any.
  std::string tunnelling_text(const Scene& scene) const;
  /// Reports that at least half of the cloth has passed through obstacles, or an obstacle through the cloth;
  /// empty if not.
  std::string behind_text(const Scene& scene) const;

  /// What has passed through an obstacle in the substeps so far.
  struct Passing {
    double displacement = 0;  ///< the largest of a particle that passed through, relative to it [m]
    bool between = false;     ///< the obstacle passed between particles
    double thickness = 0;     ///< of the obstacle across its middle line [m]
    double edge = 0;          ///< the longest of the cloth [m]
  };
  /// None if nothing has. `surface` >= 1: of `body`.
  std::optional<Passing> passing(std::uint32_t surface, const Obstacle& body) const;

  /// Particles that have passed through obstacles and not returned, ascending.
  const std::vector<std::uint32_t>& behind() const { return behind_; }
  void set_behind(const std::vector<std::uint32_t>& behind) {
    restart();
    behind_ = behind;
  }

 private:
  /// An obstacle that particles may pass through in a substep.
  struct Candidate {
    std::uint32_t surface;
    const Obstacle* body;  // at the beginning
    vec3 centre;           // there
    double depth, bound;
  };
  /// A particle in contact by forces that was deep in an obstacle after the last substep.
  struct DeepContact {
    std::uint32_t particle, surface;
  };
  struct Hit {
    std::uint32_t particle, surface;
    double displacement;  // [m]
    bool sank;            // it was deep in the obstacle despite contact forces
  };
  /// The passages through an obstacle in a step.
  struct Passage {
    std::size_t particles = 0;
    double displacement = 0;  // the largest relative to the obstacle in a substep [m]
    double h = 0;             // of that substep [s]
    bool sank = true;         // all of them
    bool between = false;     // the obstacle itself, between particles
  };
  void add_passage(const Hit& hit, double h);
  void find_sunk(const Surfaces& surfaces, double h, const State& before, const State& after);
  static bool passes(const Candidate& candidate, const vec3& from, const vec3& to);
  bool goes_between(WorkerPool& pool, const ClothMesh& mesh, const Surfaces& surfaces, std::uint32_t surface,
                    const State& before, const State& after, double reach) const;

  double longest_edge_ = 0;  // at rest [m]
  std::size_t particles_;
  std::optional<Material> material_;  // of the last substep
  double least_mass_ = 0;             // of a particle with it [kg]
  double edge_ = 0;                   // the longest of the last substep, or more [m]

  std::vector<DeepContact> deep_;
  std::array<Passage, kMostObstacles> of_step_{};
  std::vector<Hit> hits_, passed_;  // in the substep and in the step
  std::vector<std::uint32_t> behind_, merged_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<Hit>> by_chunk_;
};

}  // namespace clothlab
