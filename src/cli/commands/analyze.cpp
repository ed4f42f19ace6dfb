// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/subcommand.h"
#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"

namespace clothlab {
namespace {

constexpr std::array kKinds{
    SubcommandRow{
        "damping",
        "What one step does to an undamped oscillator, for hω from 0.01 to 100: the eigenvalues of its "
        "amplification\nmatrix, measured by stepping unit states, beside the closed form.",
        make_damping_analysis},
    SubcommandRow{
        "convergence",
        "Order of convergence of positions and velocities on a swinging, stretched sheet, against a "
        "reference of far\nsmaller error; with --contact on a sheet that is pressed on a sphere.",
        make_convergence_analysis},
    SubcommandRow{
        "stability",
        "The largest stable h on a scene, found by bisection, beside the theory; a run that blows up or "
        "whose energy\ngrows counts as unstable.",
        make_stability_analysis},
    SubcommandRow{
        "energy",
        "Energies over time, one run per integrator. Without a scene: a soft undamped strip of 5 x 25 "
        "particles, fixed\nat both ends, that falls from an arch, at --dt 0.005; options change it as any "
        "scene.",
        make_energy_analysis},
    SubcommandRow{
        "drift",
        "Methods that treat stretch springs as rods: the rate at which their velocities change the lengths, "
        "and the\nenergy, over time; PBD with and without velocity projection. Without a scene: a pendulum "
        "of one rod, at\n--dt 0.01; options change it as any scene.",
        make_drift_analysis},
    SubcommandRow{
        "friction",
        "A small sheet on a slope, with contact by filter, impulse and penalty, for some h: whether it "
        "sticks, "
        "creeps or\nslides, and how fast, beside theory.",
        make_friction_analysis},
    SubcommandRow{
        "drape",
        "Where cloth comes to rest on what it falls on: by filter, impulse, barrier and penalty of three "
        "stiffnesses.\nWithout a scene: a soft sheet of 15 x 15 particles above a sphere, at --dt 0.002; "
        "options change it as any scene.",
        make_drape_analysis},
    SubcommandRow{
        "work",
        "What a second of motion costs with each integrator at its own largest stable h, and the computing "
        "time for a\ngiven error.",
        make_work_analysis},
    SubcommandRow{
        "intersections",
        "Pairs of triangles that intersect, of the cloth and of mesh bodies, and vertices inside a body or "
        "below "
        "the\nfloor: at the start, or after --steps.",
        make_intersections_analysis},
};

/// Refuses a missing or unknown name of an analysis.
[[noreturn]] void refuse_word(const std::string& word) {
  std::vector<std::string_view> known;
  for (const SubcommandRow& kind : kKinds) known.emplace_back(kind.name);
  if (word.empty()) throw InputError("analyze: name an analysis: " + joined(known) + ".");
  throw InputError("analyze: there is no '" + word + "' (" + joined(known) + ")" + suggestion(word, known));
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

std::unique_ptr<Subcommand> make_analyze(const SubcommandContext& context) {
  return std::make_unique<Analyze>(context);
}

}  // namespace clothlab
