// SPDX-License-Identifier: MIT
#include "cli/commands/analyze.h"

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/analyses/analysis.h"
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
         "What one step does to an undamped oscillator, for hω from 0.01 to 100: the eigenvalues of its "
         "amplification\nmatrix, measured by stepping unit states, beside the closed form.",
         make_damping_analysis},
    Kind{"convergence",
         "Order of convergence of positions and velocities on a swinging, stretched sheet, against a "
         "reference of far\nsmaller error; with --contact on a sheet that is pressed on a sphere.",
         make_convergence_analysis},
    Kind{"stability",
         "The largest stable h on a scene, found by bisection, beside the theory; a run that blows up or "
         "whose energy\ngrows counts as unstable.",
         make_stability_analysis},
    Kind{"energy",
         "Energies over time, one run per integrator. Without a scene: a soft undamped strip of 5 x 25 "
         "particles, fixed\nat both ends, that falls from an arch, at --dt 0.005; options change it as any "
         "scene.",
         make_energy_analysis},
    Kind{"drift",
         "Methods that treat stretch springs as rods: the rate at which their velocities change the lengths, "
         "and the\nenergy, over time; PBD with and without velocity projection. Without a scene: a pendulum "
         "of one rod, at\n--dt 0.01; options change it as any scene.",
         make_drift_analysis},
    Kind{"friction",
         "A small sheet on a slope, with contact by filter, impulse and penalty, for some h: whether it "
         "sticks, "
         "creeps or\nslides, and how fast, beside theory.",
         make_friction_analysis},
    Kind{"drape",
         "Where cloth comes to rest on what it falls on: by filter, impulse, barrier and penalty of three "
         "stiffnesses.\nWithout a scene: a soft sheet of 15 x 15 particles above a sphere, at --dt 0.002; "
         "options change it as any scene.",
         make_drape_analysis},
    Kind{"work",
         "What a second of motion costs with each integrator at its own largest stable h, and the computing "
         "time for a\ngiven error.",
         make_work_analysis},
    Kind{"intersections",
         "Pairs of triangles that intersect, of the cloth and of mesh bodies, and vertices inside a body or "
         "below "
         "the\nfloor: at the start, or after --steps.",
         make_intersections_analysis},
};

/// Refuses a missing or unknown name of an analysis.
[[noreturn]] void refuse_word(const std::string& word) {
  std::vector<std::string_view> known;
  for (const Kind& kind : kKinds) known.emplace_back(kind.name);
  if (word.empty()) throw InputError("analyze: name an analysis: " + joined(known) + ".");
  throw InputError("analyze: there is no '" + word + "' (" + joined(known) + ")" + suggestion(word, known));
}

}  // namespace

std::function<int()> add_analyze(CLI::App& app, const Services& services) {
  CLI::App& analyze = *app.add_subcommand(
      "analyze", "Measures integrators and compares them with theory; each analysis has its own --help.");
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
