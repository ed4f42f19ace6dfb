// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

/// Time within which dressed bodies grow, if the scene has none [s].
inline constexpr double kDressingGrowth = 0.1;

/// The bodies of a scene, placed in its cloth.
struct Dressing {
  std::vector<Obstacle> bodies;
  vec3 shift{0};  ///< of those that are meshes [m]
};

/// Moves the bodies that are meshes together, without turning them, until their limbs are inside the cloth as
/// it is at the start. Other bodies stay. The translation s, at most a third of the diagonal of the cloth
/// along each axis, maximises
///
///   (area of the bodies inside the cloth) − ½ (area of the cloth inside the bodies) − 0.7 A |s|/d
///
/// with the area A and the diagonal d of the cloth. A point is inside a surface with holes if the absolute
/// generalized winding number is above ½ [Jacobson 2013, Barill 2018]: of all triangles, or of one connected
/// part of the cloth. The same bits for any number of threads.
///
/// Calls `progress` on the calling thread with the fraction that is done; it may throw to cancel. Throws
/// InputError without a body that is a mesh, and if the bodies do not fit into the cloth.
Dressing dress_bodies(WorkerPool& pool, const Scene& scene, const ClothMesh& mesh,
                      const std::function<void(double fraction)>& progress = {});

}  // namespace clothlab
