// SPDX-License-Identifier: MIT
#pragma once

#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"
#include "render/cloth_layer.h"

namespace clothlab {

/// The surfaces of obstacles. They are drawn a little smaller, so that the triangles of a cloth that lies on
/// them, which are chords, stay in sight.
class ObstacleLayer {
 public:
  /// Adopts other bodies where they are others, and another target.
  void update(std::span<const Obstacle> bodies, const vec3& target);

  bool empty() const { return bodies_.empty(); }
  /// Relative to the target.
  std::span<const glm::vec3> positions() const { return positions_; }
  const ClothLayer& surface() const { return surface_; }

 private:
  ClothLayer surface_;
  std::vector<Obstacle> bodies_;
  std::vector<vec3> places_;
  std::vector<glm::vec3> positions_;
};

}  // namespace clothlab
