// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/image.h"
#include "experiments/step_loop.h"
#include "integrate/registry.h"
#include "sim/scene.h"

namespace clothlab {

/// Figures of a lane of a comparison. Lists by step begin with the start, at index 0.
struct LaneFigures : StepFigures {
  LaneId lane = 0;
  const IntegratorInfo* info = nullptr;
  std::string title, formula, summary;  ///< of the method, with how its stages are solved
  int order = 0;                        ///< with these settings; 0: none
  std::string options;                  ///< of the method, as the command line has them; empty: they changed
  std::string scene;                    ///< mesh, particles, springs and mass, in words
  double h = 0;                         ///< [s]
  std::vector<double> time;             ///< [s]
  std::vector<double> energy;           ///< change of the total since the start [J]
  std::vector<double> kinetic;          ///< [J]
  std::vector<double> spurious;         ///< spurious energy of method, solvers and rods since the start [J]
  EnergyLedger ledger;                  ///< at the end
  std::vector<double> strain;           ///< largest |l/L − 1|
  std::string diagnostics;              ///< the table of `--diagnostics`
  std::vector<Notice> notices;
  std::map<std::string, std::size_t> skipped;  ///< commands of a journal for other methods
  std::string stability;           ///< h and the method's limit at the start, in a sentence or two
  std::string blow_up;             ///< what happened and why; empty: it did not blow up
  std::uint64_t blow_up_step = 0;  ///< the step that failed
  bool interrupted = false;
  struct Picture {
    double time = 0;  ///< [s]
    Image image;
  };
  std::vector<Picture> pictures;
};

/// A comparison as text and pictures.
struct Comparison {
  std::string title;
  std::string scene;      ///< description of the run, without a full stop
  std::string command;    ///< that repeats it; may be empty
  std::string shortfall;  ///< why there are no pictures; empty: there are
  int threads = 1;
  std::vector<LaneFigures> lanes;
};

/// The names of a report's files in its folder, for these lanes; the last one is the page.
std::vector<std::string> report_files(std::span<const LaneMethod> lanes);

/// The table of all lanes for a terminal, with a line below it for each that needs one.
std::string comparison_text(const Comparison& comparison);

/// Writes A-<id>.csv (as `--diagnostics`), A-<id>.png (the lane's pictures in a row), and so on,
/// curves.png, and index.html, which has all of them but the tables by step in it and needs no other file.
/// The folder must exist. Throws InputError, SystemError.
void write_report(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace clothlab
