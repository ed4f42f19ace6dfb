// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "contact/surfaces.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"
#include "sim/contact_watch.h"

namespace clothlab {

/// Finds bodies that the cloth is about to pass through: it moves the cloth on without contact, and the
/// bodies on their paths, and takes from ContactWatch what passes. Particles keep their mean velocity since
/// the last call, and all have the mean acceleration of the cloth since then. Scenes with meshes as bodies
/// are left out, and planes and the floor, which have no far side.
class PassageForecast {
 public:
  explicit PassageForecast(const ClothSystem& system) : watch_(system) {}

  static constexpr double kPeriod = 0.1, kAhead = 0.35;  // [s]

  struct Cloth {
    const ClothMesh& mesh;
    const ClothSystem& system;
    const State& state;
    const Scene& scene;
    const ObstacleMoves& moves;
    double thickness = 0;  ///< of surfaces [m]
    double kinetic = 0;    ///< [J]
    double strain = 0;     ///< the largest
  };
  struct Passage {
    double in = 0;  ///< time until it begins [s]
    std::uint32_t surface = 0;
    bool between = false;  ///< between particles
    double speed = 0;      ///< relative to the body; 0 if only `between` [m/s]
    double share = 0;      ///< thickness of the body over the longest edge of the cloth

    /// True if the body is thin enough to pass between particles, and only these collide.
    bool is_thin(const Scene& scene) const {
      return between && share < 1 && scene.contact.points == ContactPoints::particles;
    }
  };
  /// Forgets the motion of the cloth so far.
  void restart() { last_x_.clear(); }
  /// The first one within kAhead that contact will not stop. Call every kPeriod.
  std::optional<Passage> look_ahead(WorkerPool& pool, const Cloth& cloth);

 private:
  /// Moves the cloth on without contact for some seconds.
  void put(const State& now, double in, std::vector<vec3>& to) const;

  ContactWatch watch_;
  Surfaces surfaces_;
  State before_, after_;
  std::vector<vec3> velocity_, last_x_;
  double last_time_ = 0;                 // [s]
  vec3 last_mean_{0}, acceleration_{0};  // of the mean velocity of the cloth
};

}  // namespace clothlab
