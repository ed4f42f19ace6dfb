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

/// Commands with the subcommands that choose them.
using Subcommands = std::vector<std::pair<CLI::App*, std::unique_ptr<Subcommand>>>;
Subcommands add_subcommands(CLI::App& app, std::span<const SubcommandRow> rows,
                            const SubcommandContext& context);

// Each in the file of its name in cli/commands or cli/analyses; cli.cpp and analyze.cpp list them.
std::unique_ptr<Subcommand> make_simulate(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_compare(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_analyze(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_render(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_replay(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_bench(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_damping_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_convergence_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_stability_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_energy_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_drift_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_friction_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_drape_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_work_analysis(const SubcommandContext& context);
std::unique_ptr<Subcommand> make_intersections_analysis(const SubcommandContext& context);

}  // namespace clothlab
