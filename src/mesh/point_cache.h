// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
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

/// The formats that are written: PC2 as above with one sample per frame from frame 0, and MDD (LightWave):
/// numbers of samples and of points, the time of each sample [s], then its points, big-endian.
enum class PointCacheFormat { pc2, mdd };

/// Samples of one mesh, kept in memory until the file is written, because its header has their number.
class PointCacheSamples {
 public:
  explicit PointCacheSamples(PointCacheFormat format) : format_(format) {}

  /// Adds the points at that time [s]; all samples have the same number.
  void add(double time, std::span<const vec3> points);
  /// The bytes of the file, in pieces.
  void write(const std::function<void(std::string_view piece)>& sink) const;

 private:
  PointCacheFormat format_;
  std::size_t points_ = 0, samples_ = 0;
  std::string times_, positions_;  // of all samples
};

}  // namespace clothlab
