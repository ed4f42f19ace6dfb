// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arena/arena.h"
#include "cli/lane_play.h"
#include "cli/output/output_files.h"
#include "cli/output/vertex_track.h"
#include "experiments/step_loop.h"
#include "io/output_file.h"
#include "mesh/point_cache.h"
#include "mesh/usd_writer.h"
#include "sim/simulation.h"

namespace clothlab {

/// On stderr.
void print_notice(const Notice& notice);

/// The scene as JSON, with all values of its method and with absolute paths, so that the file works in any
/// folder; empty if JSON cannot contain it.
std::string text_of_scene(Scene scene);

/// The output files of `simulate` (docs/command-line.md). Each is written under a temporary name and renamed
/// when it is complete, so an interrupted run leaves no incomplete file.
class Results {
 public:
  void add_to(CLI::App& app);

  /// Throws InputError when an output could not be written, before anything is run.
  void check();
  const OutputFiles& files() const { return files_; }
  /// The whole command line, and the file from which the run continues with its kind; both for the summary.
  void set_command(std::string command_line) { command_ = std::move(command_line); }
  void set_origin(const char* kind, const std::filesystem::path& file);
  /// Without any output file, finish() prints the summary on stdout.
  void print_summary_without_files() { prints_summary_ = true; }

  /// Takes all steps of a started run, until Ctrl-C, and writes the outputs of each. Returns the status of
  /// the last one. Throws SystemError before the first step. An output that cannot be written later (disk
  /// full, folder removed) is reported on stderr and dropped; the others are still written.
  StepStatus play(LanePlay& run, std::uint64_t last_step, WorkerPool& pool, bool quiet);
  /// Writes the results of a run with this status and reports problems on stderr. Returns the exit status.
  int finish(WorkerPool& pool, const Simulation& simulation, StepStatus status);

 private:
  void begin(WorkerPool& pool, const Simulation& simulation);
  void after_step(WorkerPool& pool, const Simulation& simulation, const StepTime& took);
  /// `blow_up`: what happened and why.
  std::string summary_text(WorkerPool& pool, const Simulation& simulation, bool interrupted,
                           const std::string& blow_up) const;
  void report_shortfalls() const;
  /// Warns of intersections that contact at particles or by weak forces did not prevent.
  void notice_intersections(WorkerPool& pool, const Simulation& simulation);
  /// For --point-cache and --usd.
  void keep_shape(const Simulation& simulation);
  /// Throws InputError if the shapes of so many steps would need too much memory.
  void check_memory(const Simulation& start, std::uint64_t steps) const;
  void write_contacts(WorkerPool& pool, const Simulation& simulation);
  void write_checkpoint(WorkerPool& pool, const Simulation& simulation);

  std::optional<std::string> state_, diagnostics_, contact_csv_, obj_, ply_, obj_sequence_, point_cache_,
      usd_, checkpoint_, every_text_, summary_;
  std::optional<PointCacheSamples> point_cache_samples_;
  std::optional<UsdShapes> usd_shapes_;
  std::size_t shape_points_ = 0;  // of each of these shapes
  Moment moment_;                 // memory for --checkpoint
  std::uint64_t every_ = 1;
  bool fail_on_nonconvergence_ = false;
  bool prints_summary_ = false;  // from begin() on only without files
  OutputFiles files_;
  VertexTrack track_;
  std::optional<OutputFile> diagnostics_file_, contact_file_, track_file_;
  StepFigures figures_;
  std::vector<Notice> notices_;
  NewNotices new_notices_;
  // For the summary.
  struct Overlaps {
    std::size_t pairs = 0, interior_vertices = 0;
  };
  static Overlaps count_overlaps(WorkerPool& pool, const Simulation& simulation);
  std::string command_;
  struct Origin {
    const char* kind;
    std::filesystem::path file;
    std::uint64_t hash;
  };
  std::optional<Origin> origin_;
  std::string scene_at_start_;  ///< JSON; empty if JSON cannot contain it
  Overlaps overlaps_at_start_;
  double cpu_at_start_ = 0;  ///< [s]
  std::chrono::steady_clock::time_point wall_at_start_;
};

}  // namespace clothlab
