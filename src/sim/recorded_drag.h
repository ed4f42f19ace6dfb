// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

/// The positions of a pin during a drag, as keyframes of a path.
struct RecordedDrag {
  std::uint32_t particle = 0;
  std::vector<GroupKey> keys;

  /// Adds the position [m] at the time t [s]. A time that is not after the last one replaces that keyframe,
  /// or begins again if it is before the first one. Drops every second keyframe when there are
  /// kMostKeyframes.
  void add(double t, const vec3& position);
};

/// The scene in which that path moves the particle, in a group of its own, and no pin fixes it.
Scene with_drag_as_path(const Scene& scene, const ClothMesh& mesh, const RecordedDrag& drag);

}  // namespace clothlab
