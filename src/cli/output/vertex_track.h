// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/output_files.h"
#include "sim/simulation.h"

namespace clothlab {

/// The motion of some vertices (--track, --track-csv): a row per step, from the start on, and vertex, in the
/// file's units.
class VertexTrack {
 public:
  /// Registers the file with `outputs`, which must outlive the app, as must this object.
  void add_to(CLI::App& app, const char* group, OutputFiles& outputs);
  /// Reads the options. Throws InputError.
  void check();
  /// The file's name; none: the motion is not wanted.
  const std::optional<std::string>& file() const { return file_; }

  /// `before`: columns before those of the motion, each with its comma.
  static std::string header(const std::string& before = {});
  /// The rows of the present state. Throws InputError for a vertex that the mesh, or its faces, do not have.
  std::string rows(const Simulation& simulation, const std::string& before = {}) const;

 private:
  std::optional<std::string> text_, file_;
  std::vector<std::uint32_t> vertices_;  // 0-based `v` indices
};

}  // namespace clothlab
