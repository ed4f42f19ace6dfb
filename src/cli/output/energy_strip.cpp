// SPDX-License-Identifier: MIT
#include "cli/output/energy_strip.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace clothlab {

Scene energy_strip() {
  constexpr int kRows = 5, kCols = 25;
  constexpr double kWidth = 1, kDepth = 0.16;
  Scene scene;
  scene.mesh = GridSource{kRows, kCols, kWidth, kDepth};
  scene.material.mass = 0.1;
  scene.material.stretch_stiffness = 60;
  scene.material.bend_stiffness = 0.6;
  scene.material.spring_damping = 0;
  scene.dt = 0.005;
  scene.solver.linear.cg.tolerance = scene.solver.newton_tolerance = 1e-6;
  InitialState start;
  std::vector<std::uint32_t> ends;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      const double along = double(c) / (kCols - 1), across = double(r) / (kRows - 1);
      const double arch = 0.08 * std::sin(std::numbers::pi * along);
      const double twist = 0.03 * std::sin(2 * std::numbers::pi * along) * (across - 0.5);
      start.positions.emplace_back(kWidth * along, arch + twist, kDepth * across);
      if (c == 0 || c == kCols - 1) ends.push_back(static_cast<std::uint32_t>(r * kCols + c));
    }
  start.velocities.assign(start.positions.size(), vec3(0));
  scene.initial_state = std::move(start);
  scene.pins = std::move(ends);
  return scene;
}

}  // namespace clothlab
