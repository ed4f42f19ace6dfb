#include "cli/analyze.h"

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/analysis.h"
#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"

namespace clothlab {
namespace {

struct Kind {
  const char* name;
  const char* help;
  std::unique_ptr<Analysis> (*make)(const Services&);
};

constexpr std::array kKinds{
    Kind{"damping",
         "What one step makes of one undamped oscillator, for hω from 0.01 to 100: the eigenvalues of its\n"
         "amplification matrix, measured by stepping unit states, beside the closed form.",
         make_damping_analysis},
    Kind{"convergence",
         "The order in which the error falls with h, of positions and velocities, on a swinging, stretched\n"
         "sheet, against a reference of far smaller error.",
         make_convergence_analysis},
    Kind{"stability",
         "The largest stable h on a scene, found by bisection, beside 2/omega_max: a run that blows up, or "
         "whose\nenergy grows, was not stable.",
         make_stability_analysis},
    Kind{"energy",
         "Energies over time, one run by each integrator. Without a scene: a soft undamped strip of 5 x 25\n"
         "particles, fixed at both ends, that falls from an arch; --dt 0.005, and options change it like any "
         "scene.",
         make_energy_analysis},
    Kind{"drift",
         "Methods that take stretch springs as rods: how fast the lengths would change with the velocities "
         "that\nthey leave, and the energy, over time; PBD with its velocity projection and without. Without "
         "a scene:\na pendulum of one rod; --dt 0.01, and options change it like any scene.",
         make_drift_analysis},
    Kind{"work",
         "What a second of motion costs with each integrator at its own largest stable h, and how long it "
         "computes\nfor how small an error.",
         make_work_analysis},
};

/// A word, or none, where the name of an analysis belongs.
[[noreturn]] void refuse_word(const std::string& word) {
  std::vector<std::string_view> known;
  for (const Kind& kind : kKinds) known.push_back(kind.name);
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
  std::vector<std::pair<const CLI::App*, std::shared_ptr<Analysis>>> analyses;
  for (const Kind& kind : kKinds) {
    CLI::App& sub = *analyze.add_subcommand(kind.name, kind.help);
    analyses.emplace_back(&sub, kind.make(services));
    analyses.back().second->add_to(sub);
  }
  return [word, analyses] {
    if (!word->empty()) refuse_word(*word);
    for (const auto& [sub, analysis] : analyses)
      if (sub->parsed()) return analysis->run();
    refuse_word(*word);
  };
}

}  // namespace clothlab
