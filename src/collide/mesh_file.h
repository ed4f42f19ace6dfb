// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "collide/triangle_surface.h"

namespace clothlab {

/// A file of triangles, and the triangles once it has been read. Cheap to copy.
struct MeshFile {
  std::shared_ptr<const std::string> path;  ///< UTF-8; null: none
  std::shared_ptr<const TriangleSurface> surface;

  /// The same file, read or not.
  bool operator==(const MeshFile& other) const {
    return path == other.path || (path && other.path && *path == *other.path);
  }
};

}  // namespace clothlab
