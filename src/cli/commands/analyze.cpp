// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

constexpr std::array kKinds{&kDampingAnalysis,  &kConvergenceAnalysis, &kStabilityAnalysis,
                            &kEnergyAnalysis,   &kDriftAnalysis,       &kStiffLimitAnalysis,
                            &kReversalAnalysis, &kResponseAnalysis,    &kSpectrumAnalysis,
                            &kFrictionAnalysis, &kContactLawsAnalysis, &kDrapeAnalysis,
                            &kWorkAnalysis,     &kCostAnalysis,        &kIntersectionsAnalysis};

/// Refuses a missing or unknown name of an analysis.
[[noreturn]] void refuse_word(const std::string& word) {
  std::vector<std::string_view> known;
  for (const SubcommandRow* kind : kKinds) known.emplace_back(kind->name);
  if (word.empty()) throw InputError("analyze: name an analysis: " + joined(known) + ".");
  throw InputError("analyze: unknown analysis '" + word + "' (" + joined(known) + ")" +
                   suggestion(word, known));
}

struct Analyze final : Subcommand {
  explicit Analyze(const SubcommandContext& all) : context(all) {}

  SubcommandContext context;
  std::string word;
  Subcommands analyses;

  void add_to(CLI::App& app) override {
    app.add_option("WHAT", word)->group("");
    app.require_subcommand(0, 1);
    analyses = add_subcommands(app, kKinds, context);
  }

  int run() override {
    if (!word.empty()) refuse_word(word);
    for (const auto& [sub, analysis] : analyses)
      if (sub->parsed()) return analysis->run();
    refuse_word(word);
  }
};

}  // namespace

const SubcommandRow kAnalyzeCommand{
    "analyze", "Measures integrators and compares them with theory; each analysis has its own --help.",
    make_subcommand<Analyze>};

}  // namespace clothlab
