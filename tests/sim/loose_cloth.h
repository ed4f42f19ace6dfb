// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include "sim/support.h"

namespace clothlab::testing {

/// Cloth without pins that every method holds at this step.
inline Scene loose_scene(std::string_view integrator) {
  Scene scene;
  scene.integrator = integrator;
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 50;
  scene.stepping.dt = 2e-3;
  return scene;
}

/// Of the particle that is highest in, or lowest above, the floor or an obstacle [m].
inline double least_gap(const Simulation& simulation) {
  double least = std::numeric_limits<double>::infinity();
  const Floor& floor = simulation.scene().floor;
  for (const vec3& x : simulation.state().x) {
    for (const Obstacle& body : simulation.obstacles()) {
      const SurfacePlace place = place_above(body, x);
      least = std::min(least, place.height - place.level);
    }
    if (floor.on) least = std::min(least, x.y - floor.height);
  }
  return least;
}

}  // namespace clothlab::testing
