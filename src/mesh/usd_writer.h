// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

/// The shapes of a run as USD text (.usda): a mesh with its polygons and texture coordinates, and the points
/// of each shape at time codes 0, 1, 2 and so on; the layer's timeCodesPerSecond makes them the simulated
/// time if shapes are evenly spaced. Kept in memory until the end, because the number of shapes comes first.
class UsdShapes {
 public:
  /// Adds a shape at that time [s]: the points per `v` line in the file's units, as 32-bit numbers.
  void add(double time, std::span<const vec3> points);
  /// The text, in pieces. `mesh`: whose shapes were added.
  void write(const ClothMesh& mesh, const std::function<void(std::string_view piece)>& sink) const;

 private:
  double first_ = 0, last_ = 0;  // [s]
  std::vector<std::string> samples_;
};

}  // namespace clothlab
