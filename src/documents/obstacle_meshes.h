// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collide/obstacle.h"
#include "core/stop_probe.h"

namespace clothlab {

/// Reads the meshes of obstacles (see BodyFile), each once.
class ObstacleMeshes {
 public:
  /// Reads the files of those that are meshes and have not been read; their paths become absolute. Throws
  /// InputError (a bad file, no triangles, frames with other faces), SystemError, Cancelled.
  void read(std::span<Obstacle> bodies, const StopProbe& stop = {});

 private:
  std::map<std::string, MeshFile> read_;  // by absolute path
};

inline void read_obstacle_meshes(std::span<Obstacle> bodies, const StopProbe& stop = {}) {
  ObstacleMeshes().read(bodies, stop);
}

/// The fingerprints of the triangles and frames of the obstacles that are meshes and have been read, in their
/// order.
std::vector<std::uint64_t> mesh_fingerprints(std::span<const Obstacle> bodies);
/// Throws InputError, naming the file, if an obstacle's mesh does not have its fingerprint.
void check_mesh_fingerprints(std::span<const Obstacle> bodies, std::span<const std::uint64_t> expected);

}  // namespace clothlab
