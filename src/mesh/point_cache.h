// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"

namespace clothlab {

inline constexpr std::size_t kMaxPointCacheBytes = std::size_t{4} << 30;

/// The points of a mesh in time, as a PC2 file has them (3ds Max, Maya, Blender).
struct PointCache {
  std::size_t points = 0;       ///< of each sample
  double interval = 1;          ///< frames from a sample to the next one
  std::vector<vec3> positions;  ///< sample after sample, in the file's units
};

/// Reads a PC2 file: "POINTCACHE2\0", version 1, the number of points, the first frame, frames per sample and
/// the number of samples, then x, y and z of all points of each sample, in 32 bits each, little-endian.
/// Throws InputError, naming the file, if it is no such file, is empty, or has another size than its header
/// says; Cancelled. Positions may be not finite.
PointCache read_point_cache(const std::filesystem::path& path, const StopProbe& stop = {});

}  // namespace clothlab
