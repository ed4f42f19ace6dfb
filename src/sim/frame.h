// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/vec.h"
#include "mesh/cloth_mesh.h"
#include "sim/cloth_intersections.h"
#include "sim/simulation.h"
#include "sim/step_picture.h"

namespace clothlab {

/// The state of a simulation between two steps as the window shows it, drawn or as numbers.
struct Frame {
  struct Grab {
    vec3 point{0};   ///< grabbed point [m]
    vec3 cursor{0};  ///< [m]
    vec3 force{0};   ///< on the cloth, spring and damper [N]
  };

  std::shared_ptr<const ClothMesh> mesh;  ///< another pointer means another mesh
  std::shared_ptr<const Scene> scene;     ///< values in force
  std::vector<vec3> positions;            ///< [m], per particle
  /// Per particle: 1 by a pin, 2 by the path of a driver, 3 on the line of one, 0 not.
  std::vector<std::uint8_t> pinned;
  std::vector<PinTarget> moving_pins;
  std::shared_ptr<const DriverMarks> drivers;  ///< one for each driver of the scene; null: none
  std::vector<double> distance_forces;         ///< Simulation::distance_forces() [N]
  std::vector<SewnPair> seams;
  std::vector<Obstacle> obstacles;  ///< where they are
  std::optional<Grab> grab;
  StepRecord record;
  std::vector<vec3> velocities;       ///< [m/s], per particle; only if capture_motion() was called for them
  std::vector<vec3> forces;           ///< [N], also only then
  std::vector<ContactPair> contacts;  ///< also only then
  ClothIntersections intersections;   ///< also only then
  std::vector<StepPicture> steps;     ///< also only then
  std::vector<double> residuals;      ///< of every CG iteration of the last linear solve
};

/// Position of a pin, or its target if it moves [m].
vec3 pin_position(const Frame& frame, std::uint32_t particle);

/// The current frame of a simulation. An earlier frame's memory is reused.
void capture(const Simulation& simulation, std::shared_ptr<const Scene> scene, Frame& frame);

/// Velocities and net forces f(x, v) (springs, damping, gravity, wind and grab; without constraint forces of
/// pins and rods), which capture() leaves out. `state` may be one of the past: it is evaluated with the air
/// of its time and the current values. Contacts are of the present only (contacts_at has others). Members
/// that are not wanted stay empty.
struct Motion {
  bool velocities = false;
  bool forces = false;
  bool contacts = false;
  bool intersections = false;  ///< of the frame's positions and obstacles
  /// Particles whose pictures of the last step are wanted; empty: pictures of later steps may be.
  std::optional<std::vector<std::uint32_t>> step_of = {};
  bool operator==(const Motion&) const = default;
};
void capture_motion(WorkerPool& pool, const Simulation& simulation, const State& state, const Motion& wanted,
                    Frame& frame);

}  // namespace clothlab
