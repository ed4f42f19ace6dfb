#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/vec.h"
#include "mesh/cloth_mesh.h"
#include "sim/simulation.h"

namespace clothlab {

/// An immutable picture of a simulation between two steps: everything that is drawn or shown as a
/// number comes from here.
struct Frame {
  struct Hand {
    vec3 point{0};   ///< grabbed point [m]
    vec3 cursor{0};  ///< [m]
  };

  std::shared_ptr<const ClothMesh> mesh;  ///< another pointer means another mesh
  std::shared_ptr<const Scene> scene;     ///< values in force
  std::vector<vec3> positions;            ///< [m], per particle
  std::vector<std::uint8_t> pinned;       ///< per particle, 0 or 1
  std::optional<Hand> hand;
  StepRecord record;
  std::vector<double> residuals;  ///< of every CG iteration of the last linear solve
  std::optional<BlowUp> blow_up;
};

/// The current frame of a simulation. An earlier frame's memory is reused.
void capture(const Simulation& simulation, std::shared_ptr<const Scene> scene, Frame& frame);

}  // namespace clothlab
