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
  std::uint32_t surface = 0;  ///< where that is; 0: the floor, k: obstacle k − 1

  bool operator==(const Overlap&) const = default;
};

/// Of particles at x that no pin holds, by more than `least` [m], with obstacles where they are.
Overlap find_overlap(WorkerPool& pool, const Floor& floor, std::span<const Obstacle> bodies,
                     std::span<const vec3> x, const PinSet& pins, double least);

/// "12 of 400 particles are inside surfaces, ..." with a remedy.
std::string text_of(const Overlap& overlap, std::size_t particles, std::span<const Obstacle> bodies);

/// Why particles may pass through mesh obstacles that are not closed, and what helps; empty where there are
/// none, or where the contact model detects what passes within a step.
std::string open_mesh_text(const Scene& scene);

/// Detects cloth that passes through obstacles, which contact at the ends of steps does not see. It only
/// reads the state.
///
/// A particle passes through an obstacle where it is on opposite sides of it before and after a substep, by
/// the normals there in the frame of the obstacle, and the straight line between leads through it. That needs
/// a relative displacement larger than the obstacle's depth, or for a mesh than its rounded surface is thick,
/// so most substeps cost one bound, and others one comparison per particle. Particles that contact forces let
/// deep into an obstacle may sink through it by smaller ones. A barrier leaves particles no way through. A
/// body thinner than the edges may pass between particles: then a triangle passes a point of its middle.
class ContactWatch {
 public:
  explicit ContactWatch(const ClothSystem& system);

  /// Forgets all that has passed, as at a start or where the obstacles change.
  void restart();
  /// Discards the passages of a step that was not finished.
  void begin_step();
  /// After a substep of h between two states, with the surfaces of the substep. `kinetic` is the larger of
  /// the kinetic energies there [J], `strain` the largest one after it.
  void watch(WorkerPool& pool, const ClothMesh& mesh, const ClothSystem& system, const Surfaces& surfaces,
             double h, const State& before, const State& after, double kinetic, double strain);
  /// The step is complete.
  void end_step();
  /// A contact by forces after a substep, with surfaces that they hold off by a thickness [m].
  void add_contact(const ContactPair& pair, std::span<const Obstacle> bodies, double thickness);

  /// Of the particles that passed through an obstacle in the last step, and what helps.
  std::optional<std::string> tunnelling_text(const Scene& scene) const;
  /// Where at least half of the cloth has passed through obstacles, or one of them through the cloth.
  std::optional<std::string> behind_text(const Scene& scene) const;

  /// Particles that have passed through obstacles, and not back: ascending.
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
    bool sank;            // contact forces had let it deep into the obstacle
  };
  /// What has passed through an obstacle in a step.
  struct Passage {
    std::size_t particles = 0;
    double displacement = 0;  // the largest relative to the obstacle in a substep [m]
    double h = 0;             // of that [s]
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
  std::vector<Hit> passed_;  // in the step
  std::vector<std::uint32_t> behind_, merged_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<Hit>> by_chunk_;
};

}  // namespace clothlab
