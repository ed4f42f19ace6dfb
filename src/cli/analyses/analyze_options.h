// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chart/chart.h"
#include "cli/cli.h"
#include "cli/output/output_files.h"
#include "integrate/registry.h"
#include "sim/scene.h"

namespace CLI {
class App;
}

namespace clothlab {

/// Options of all kinds of `analyze`: integrators and outputs.
class AnalyzeOptions {
 public:
  explicit AnalyzeOptions(const Services& services);

  /// --integrators, --csv, --png.
  void add_to(CLI::App& app);
  /// An option of one analysis alone; its raw text goes to `target`.
  static void add_option(CLI::App& app, const char* name, std::optional<std::string>& target,
                         const char* type, const char* help);
  /// --quiet and the integrators' own parameters, for an analysis that takes no scene.
  void add_parameters_to(CLI::App& app);

  /// Throws InputError for an unknown integrator or a file that cannot be written, before anything is run.
  void check();
  const OutputFiles& outputs() const { return outputs_; }

  /// Leaves out, and says so, those that have no place for the scene's contact model.
  void leave_out_for(const Scene& scene);
  /// In the registry's order; all, unless --integrators names some.
  const std::vector<const IntegratorInfo*>& integrators() const { return integrators_; }
  bool names_integrators() const { return names_.has_value(); }
  /// An integrator's own parameters as the options say. Throws InputError.
  IntegratorParameters parameters(const IntegratorInfo& info) const;
  bool quiet() const { return quiet_; }

  /// Measures one integrator after the other until Ctrl-C, with a bar on stderr unless `quiet`.
  void for_each(bool quiet, const std::function<void(const IntegratorInfo&)>& measure) const;

  /// A curve without points, in the integrator's colour and under its id.
  ChartCurve curve(const IntegratorInfo& info) const;

  /// Prints on stderr why these were left out.
  static void report_skipped(const std::vector<const IntegratorInfo*>& skipped, const char* why);

  /// Writes the requested files. Returns the exit status, Interrupt's after Ctrl-C. Throws SystemError.
  int finish(std::string_view csv, const Chart& chart) const;

 private:
  std::function<Rgb(std::size_t row)> colour_of_row_;
  std::vector<const IntegratorInfo*> integrators_;
  std::optional<std::string> names_, csv_, png_;
  std::map<std::string, std::optional<std::string>, std::less<>> values_;  ///< raw text by parameter id
  bool quiet_ = false;
  OutputFiles outputs_;
};

}  // namespace clothlab
