// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chart/chart.h"
#include "cli/output/table.h"
#include "experiments/method_choice.h"

namespace clothlab {

/// A scene of `analyze work --suite`.
struct SuiteScene {
  std::string_view name, file;  ///< "soft"; in assets/scenes
  /// Until the error is measured [s]. The reference is accurate to 0.1 % then: cloth that buckles or
  /// flaps amplifies small differences, and so does contact.
  double duration;
};
inline constexpr std::array kSuite{
    SuiteScene{"soft", "01-sheet.json", 0.5},
    SuiteScene{"stiff", "03-why-implicit.json", 0.25},
    SuiteScene{"damped", "19-dampers.json", 0.25},
    SuiteScene{"garment", "20-light-particles.json", 0.15},
    SuiteScene{"contact", "22-spinning-ball.json", 0.18},
    SuiteScene{"wind", "08-flag.json", 0.15},
};
/// The errors that methods are ranked for, as fractions of the displacement.
inline constexpr std::array kSuiteErrors{0.1, 0.01, 0.001};

/// The scenes of "soft,wind", in the order of the suite. Throws InputError.
std::vector<SuiteScene> parse_suite(std::string_view option, std::string_view names);

/// The measured runs of one of them.
struct SuiteRuns {
  const SuiteScene& of;
  const LoadedScene& loaded;
  const ChoiceFigures& choice;
  MethodChoice::Settings settings;
  std::string left_out;  ///< methods that cannot run the scene
};

/// A page about the suite: rankings and charts.
class SuitePage {
 public:
  /// `line`: the command.
  explicit SuitePage(std::string_view line);
  /// Adds the section of a scene, and prints its tables. `look`: the curve of a method, without points.
  void add(const SuiteRuns& runs, const std::function<ChartCurve(const IntegratorInfo& info)>& look);
  /// Adds machine, commit, date and load. `took`: the time of all runs.
  void end(int threads, const StepTime& took);

  std::string html() const;  ///< needs no other file
  const std::string& markdown() const { return markdown_; }
  /// Files and bytes of the charts, next to the Markdown page.
  const std::vector<std::pair<std::string, std::string>>& charts() const { return charts_; }

 private:
  void add_text(const char* tag, const char* mark, std::string_view text);
  void add_table(const BenchTable& table);

  std::string html_, markdown_;
  std::vector<std::pair<std::string, std::string>> charts_;
};

}  // namespace clothlab
