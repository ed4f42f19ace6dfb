// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace clothlab {

/// A subcommand of the program or of `analyze`.
class Subcommand {
 public:
  virtual ~Subcommand() = default;
  /// Adds its options; the object must outlive the app.
  virtual void add_to(CLI::App& app) = 0;
  /// Runs within the life of an Interrupt. Returns the exit status. Throws InputError, SystemError, and
  /// Cancelled on Ctrl-C.
  virtual int run() = 0;
};

struct SubcommandContext {
  const Services& services;
  std::string line;  ///< the whole command line, for summaries
};

/// A row of --help.
struct SubcommandRow {
  const char* name;
  const char* help;
  std::unique_ptr<Subcommand> (*make)(const SubcommandContext&);
};
template <class Command>
std::unique_ptr<Subcommand> make_subcommand(const SubcommandContext& context) {
  return std::make_unique<Command>(context);
}

/// Subcommands with the parsers that choose them.
using Subcommands = std::vector<std::pair<CLI::App*, std::unique_ptr<Subcommand>>>;
Subcommands add_subcommands(CLI::App& app, std::span<const SubcommandRow* const> rows,
                            const SubcommandContext& context);

// Each at the end of its file in cli/commands or cli/analyses.
extern const SubcommandRow kSimulateCommand, kCompareCommand, kChooseCommand, kSweepCommand, kAnalyzeCommand,
    kRenderCommand, kReplayCommand, kBenchCommand;
extern const SubcommandRow kDampingAnalysis, kConvergenceAnalysis, kStabilityAnalysis, kEnergyAnalysis,
    kDriftAnalysis, kFrictionAnalysis, kDrapeAnalysis, kWorkAnalysis, kIntersectionsAnalysis,
    kReversalAnalysis, kContactLawsAnalysis, kCostAnalysis, kResponseAnalysis, kSpectrumAnalysis,
    kStiffLimitAnalysis;

}  // namespace clothlab
