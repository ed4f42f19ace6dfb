// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"
#include "mesh/mesh.h"
#include "render/cloth_layer.h"

namespace clothlab {

/// Positions in single precision, relative to the target.
inline void set_relative(std::span<const vec3> from, const vec3& target, std::vector<glm::vec3>& positions) {
  positions.resize(from.size());
  std::ranges::transform(from, positions.begin(), [&](const vec3& p) { return glm::vec3(p - target); });
}

/// The surfaces of obstacles. They are drawn a little smaller, so that the triangles of a cloth that lies on
/// them, which are chords, stay visible. A plane is drawn as a square patch below the cloth, with lines.
class ObstacleLayer {
 public:
  /// Adopts the bodies if they have changed, and the target. The patches of planes suit this cloth.
  /// `in_scene` are the same with their paths: a body that turns on its path has meridians.
  void update(std::span<const Obstacle> bodies, std::span<const Obstacle> in_scene, const ClothMesh& cloth,
              const vec3& target);

  bool empty() const { return bodies_.empty(); }
  const ClothLayer& planes() const { return planes_.surface; }
  /// All others, which cast a shadow.
  const ClothLayer& solids() const { return solids_.surface; }
  /// Relative to the target.
  std::span<const glm::vec3> solid_positions() const { return solids_.positions; }
  std::span<const glm::vec3> plane_positions() const { return planes_.positions; }
  /// The lines on planes and on turning bodies, as pairs of ends relative to the target.
  std::span<const glm::vec3> line_ends() const { return line_ends_; }

 private:
  struct Part {
    void set_mesh(ClothMesh mesh, bool other_triangles);
    void set_target(const vec3& target);

    ClothLayer surface;
    std::vector<vec3> exact;  // positions [m]
    std::vector<glm::vec3> positions;
  };

  Part solids_, planes_;
  std::vector<Obstacle> bodies_;
  double diagonal_ = 0;  // of the cloth that the patches suit
  vec3 centre_{0};
  std::vector<vec3> line_places_;
  std::vector<glm::vec3> line_ends_;
};

}  // namespace clothlab
