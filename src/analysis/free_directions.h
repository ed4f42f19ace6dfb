// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// One free direction: a unit vector at a particle.
struct FreeDirection {
  std::uint32_t particle;
  vec3 along;
};

/// Orthonormal directions that span the motions which pins and contacts leave free.
std::vector<FreeDirection> free_directions(const Projection& held);
std::size_t count_free_directions(const Projection& held);

/// M^−½ A M^−½ on these directions as a dense matrix, by columns. Throws Cancelled.
std::vector<double> dense_on(std::span<const FreeDirection> directions, const SpringMatrix& A,
                             std::span<const double> masses, WorkerPool& pool, const StopProbe& stop);

}  // namespace clothlab
