#include "cli/analyze.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/analyze_convergence.h"
#include "cli/analyze_damping.h"
#include "cli/analyze_energy.h"
#include "cli/analyze_stability.h"
#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"

namespace clothlab {
namespace {

/// A word, or none, where the name of an analysis belongs.
[[noreturn]] void refuse_word(const CLI::App& analyze, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* sub : analyze.get_subcommands({})) names.push_back(sub->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (word.empty()) throw InputError("analyze: say what: " + joined(known) + ".");
  throw InputError("analyze: there is no '" + word + "' (" + joined(known) + ")" + suggestion(word, known));
}

}  // namespace

std::function<int()> add_analyze(CLI::App& app, const Services& services) {
  CLI::App& analyze = *app.add_subcommand(
      "analyze", "Integrators measured, beside what theory says of them; each analysis has its own --help.");
  const auto word = std::make_shared<std::string>();
  analyze.add_option("WHAT", *word)->group("");
  analyze.require_subcommand(0, 1);
  const std::vector<std::function<std::optional<int>()>> kinds{
      add_analyze_damping(analyze, services),
      add_analyze_convergence(analyze, services),
      add_analyze_stability(analyze, services),
      add_analyze_energy(analyze, services),
  };
  return [&analyze, word, kinds] {
    if (!word->empty()) refuse_word(analyze, *word);
    for (const auto& run : kinds)
      if (const std::optional<int> status = run()) return *status;
    refuse_word(analyze, *word);
  };
}

}  // namespace clothlab
