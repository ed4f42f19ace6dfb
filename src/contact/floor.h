// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

/// A level plane that cloth may lie on: y = height, nothing of the cloth below it.
struct Floor {
  bool on = false;
  double height = -1;     ///< [m]
  double friction = 0.5;  ///< μ of Coulomb's friction, at rest and sliding

  bool operator==(const Floor&) const = default;
};

}  // namespace clothlab
