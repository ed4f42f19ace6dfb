// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scene.h"

namespace clothlab {

/// A run of a sweep, or a reference for the errors of other runs.
struct SweepRun {
  std::string name;  ///< "17"; of the reference of run 17 "r17"
  Scene scene;
  std::uint64_t steps = 0;
  std::string initial_state = {};  ///< the file of --initial-state; empty: none
  std::string reference = {};      ///< key of its reference; empty: none
  bool is_reference = false;
  std::string key = {};  ///< 16 digits: equal for equal settings and equal files
};

/// The folder of a sweep. A run has the file runs/<key>.json, written when it has ended, which --scene reads;
/// a reference also has references/<key>.csv with its last state: x,y,z,vx,vy,vz of each particle, in SI
/// units.
struct SweepFolder {
  std::filesystem::path path;

  std::filesystem::path record(std::string_view key) const;
  std::filesystem::path state(std::string_view key) const;
  /// Creates the folders if they are missing. Throws InputError, SystemError.
  void create(const std::string& command) const;
  /// The record of a run; none if it has not ended, or if the file is not complete. Throws InputError if it
  /// cannot be read.
  std::optional<nlohmann::ordered_json> read(std::string_view key) const;
};

/// Keys of "result" in a record, in the order of the table. The last two depend on the clock.
const std::vector<std::string>& sweep_result_columns();

/// Simulates the run and writes its record, also if it is refused or blows up. Returns an exit status: 0 with
/// the record, others without: after Ctrl-C, or if it could not be written, which is reported on stderr.
int execute(const SweepRun& run, const SweepFolder& folder, int threads);

/// Writes the record of a run that ended without one; without settings if the scene has no mesh. Throws
/// SystemError.
void write_failure(const SweepRun& run, const SweepFolder& folder, int exit, const std::string& reason);

}  // namespace clothlab
