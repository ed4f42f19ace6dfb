// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/stop_probe.h"

namespace clothlab {

/// What the path of a mesh names, of a body or, if it is one OBJ file, of the cloth: "body.obj", "walk.pc2"
/// (points of the mesh walk.obj next to it), a folder of OBJ files, or "walk_####.obj", where "####" is a
/// number of any length. After a file may follow groups of its OBJ: "body.obj#skin,shoes".
struct BodyFile {
  std::filesystem::path file;
  std::vector<std::string> groups;

  explicit BodyFile(const std::filesystem::path& path);

  bool is_point_cache() const;
  /// The files that are read, the one with the faces first: those of a sequence by number and name. Empty for
  /// a folder without OBJ files.
  std::vector<std::filesystem::path> files(const StopProbe& stop = {}) const;
  bool exists() const;
};

}  // namespace clothlab
