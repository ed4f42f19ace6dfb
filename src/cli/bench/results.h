// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/table.h"
#include "cli/output/output_files.h"

namespace CLI {
class App;
}

namespace clothlab {

/// A part of a benchmark. It adds its tables row by row, so that an interrupted run keeps its results. Throws
/// InputError, SystemError, and Cancelled on Ctrl-C.
using BenchSection = std::function<void(std::vector<BenchTable>&)>;

/// Outputs of a benchmark's tables: stdout as they come, and files.
class BenchResults {
 public:
  /// Adds --csv, --json and --markdown. Must outlive the CLI::App.
  void add_to(CLI::App& app);
  /// Checks the output files. Throws InputError where one cannot be written.
  OutputFiles outputs() const;
  /// Measures one section after the other until Ctrl-C, and writes the results. Returns the exit status.
  int run(const std::vector<BenchSection>& sections, std::vector<BenchTable>& tables) const;

 private:
  std::optional<std::string> csv_, json_, markdown_;
};

/// The machine: processor, cores in use, compiler.
BenchTable machine_table(int threads);

/// "64,128"; "none" is the empty list. Throws InputError, naming the option.
std::vector<int> parse_sizes(std::string_view option, std::string_view text);

}  // namespace clothlab
