// SPDX-License-Identifier: MIT
#include "cli/analyses/method_analysis.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include "analysis/stability_meter.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "core/error.h"
#include "io/output_file.h"
#include "io/png.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr const char* kAnalysisGroup = "Analysis";  // of options in --help

std::string ids_of(const auto& methods) {
  std::string names;
  for (const IntegratorInfo* info : methods)
    names += (names.empty() ? "" : ", ") + std::string(label_of(*info));
  return names;
}

}  // namespace

MethodAnalysis::MethodAnalysis(const SubcommandContext& context, const char* columns, Chart empty_chart)
    : csv(columns),
      chart(std::move(empty_chart)),
      stop(Interrupt::probe()),
      colour_of_row_(context.services.integrator_colour) {
  for (const IntegratorInfo& info : integrators()) integrators_.push_back(&info);
}

void MethodAnalysis::add_to(CLI::App& app) {
  add_text(app, kAnalysisGroup, "--integrators", names_, "A,B,...",
           "Integrators to measure; default all of " + ids_of(integrators_) + ".");
  outputs.add_option(app, kAnalysisGroup, "--csv", ".csv", csv_, "FILE", "All figures as a table.");
  outputs.add_option(app, kAnalysisGroup, "--png", ".png", png_, "FILE",
                     "A chart of the figures; needs no display.");
  outputs.add_option(app, kAnalysisGroup, "--svg", ".svg", svg_, "FILE", "The same as a vector picture.");
  add_options(app);
}

void MethodAnalysis::add_parameters_to(CLI::App& app) {
  for (const ParameterSpec* spec : all_parameters())
    if (find_scene_parameter(spec->id) == nullptr)
      stepping_.add_parameter(app, *spec, [this, spec](double value) {
        own_parameters_.integrator_parameters.insert_or_assign(std::string(spec->id), value);
        own_given_.push_back(spec);
      });
  app.add_flag("--quiet", quiet_, "No progress on stderr.")->group(kAnalysisGroup);
}

int MethodAnalysis::run() {
  if (names_) {
    const std::vector<const IntegratorInfo*> wanted = parse_integrators(*names_);
    std::erase_if(integrators_, [&](const IntegratorInfo* info) {
      return std::ranges::find(wanted, info) == wanted.end();
    });
    for (const IntegratorInfo* info : wanted)
      if (info->tableau != nullptr && std::ranges::find(integrators_, info) == integrators_.end())
        integrators_.push_back(info);
  }
  stepping_.read_all();
  outputs.check();
  options.read_all();
  measure_all();
  if (!csv.empty()) outputs.attempt(csv_, [&](const std::string& path) { write_file(path, csv); });
  outputs.attempt(png_, [&](const std::string& path) { write_png(path, draw_chart(chart)); });
  outputs.attempt(svg_, [&](const std::string& path) { write_file(path, svg_of(chart)); });
  return status_at_end(outputs.lost() || failed, "measured");
}

void MethodAnalysis::leave_out(const std::function<bool(const IntegratorInfo&)>& is_left_out,
                               const char* why) {
  const auto out = std::stable_partition(integrators_.begin(), integrators_.end(),
                                         [&](const IntegratorInfo* info) { return !is_left_out(*info); });
  if (out != integrators_.end() && why != nullptr)
    std::fprintf(stderr, "clothlab: left out: %s: %s.\n", ids_of(std::span(out, integrators_.end())).c_str(),
                 why);
  integrators_.erase(out, integrators_.end());
}

void MethodAnalysis::leave_out_for(const Scene& scene) {
  leave_out([&](const IntegratorInfo& info) { return !supports_contact(scene.contact.model, info); },
            kContactNotSupported);
  leave_out([&](const IntegratorInfo& info) { return !supports_seams(scene, info); }, kSeamsNotSupported);
  leave_out([&](const IntegratorInfo& info) { return !supports(scene, info); }, kDistancesNotSupported);
}

std::vector<Scene> MethodAnalysis::runs() const {
  std::vector<Scene> out;
  for (const IntegratorInfo* info : methods()) {
    Scene& run = out.emplace_back(own_parameters_);
    set_integrator(run, *info);
    run.floor.on = true;  // some have contact, and one solve per stage
    run.solver.stage_solve = StageSolve::linear;
  }
  return out;
}

IntegratorParameters MethodAnalysis::parameters(const IntegratorInfo& info) const {
  return integrator_parameters(own_parameters_, info);
}

void MethodAnalysis::for_each(const std::function<void(const IntegratorInfo&)>& measure) const {
  Progress progress(integrators_.size(), quiet());
  std::uint64_t done = 0;
  for (const IntegratorInfo* info : integrators_) {
    progress.show_part(done++, label_of(*info));
    if (!is_completed([&] { measure(*info); })) return;
  }
}

bool MethodAnalysis::is_completed(const std::function<void()>& measurement) {
  try {
    measurement();
  } catch (const Cancelled&) {
  }
  return !Interrupt::requested();
}

ChartCurve MethodAnalysis::curve(const IntegratorInfo& info, bool markers) const {
  // Tableaux have one row: each takes the colour of another one, from that row on.
  std::size_t row = integrator_row(info);
  for (const IntegratorInfo* other : integrators_) {
    if (other == &info) break;
    if (info.tableau != nullptr && other->tableau != nullptr) ++row;
  }
  return {.label = std::string(label_of(info)),
          .colour = colour_of_row_(row % clothlab::integrators().size()),
          .markers = markers};
}

void MethodAnalysis::add_curves(const ChartCurve& curve, Points points) {
  assert(chart.panels.size() <= points.y.size());
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    assert(points.y[p].size() == points.x.size());
    ChartCurve& added = chart.panels[p].curves.emplace_back(curve);
    added.x = points.x;
    added.y = std::move(points.y[p]);
  }
}

void SceneAnalysis::add_scene_to(CLI::App& app, std::initializer_list<const char*> fixed) {
  scene.add_to(app);
  for (const char* option : fixed) app.remove_option(app.get_option(option));
}

void SceneAnalysis::add_run_to(CLI::App& app, std::uint64_t default_steps,
                               std::initializer_list<const char*> fixed) {
  scene.add_length_to(app, default_steps);
  add_scene_to(app, fixed);
}

void SceneAnalysis::load(Scene wanted) {
  loaded = load_with_state(std::move(wanted), scene, outputs);
  pool = std::make_unique<WorkerPool>(scene.threads());
}

Spectrum SceneAnalysis::spectrum_at_end(bool with_eigenvalues, std::size_t most_exact) const {
  Simulation simulation(loaded.scene, loaded.mesh, *pool, stop);
  if (run_steps(simulation, run_length(), *pool, stop, [](const StepTime&) {}) == StepStatus::blown_up)
    throw InputError("The run blew up in step " + std::to_string(simulation.steps() + 1) +
                     ". Use fewer --steps or a smaller --dt.");
  note_distances();
  const Projection held = simulation.constraints(simulation.state().x);
  const StabilityMeter::Subject subject{
      simulation.system(),     simulation.state(),           held,
      simulation.integrator(), loaded.scene.solver.jacobian, has_distances(loaded.scene.drivers)};
  StabilityMeter meter;
  std::optional<Spectrum> found;
  if (meter.estimate(subject, *pool, stop))
    found = meter.spectrum(subject, with_eigenvalues, *pool, stop, most_exact);
  if (stop_requested(stop)) throw Cancelled();
  if (!found || !(found->highest > 0))
    throw InputError("Nothing in this scene can oscillate, so it has no modes.");
  return *std::move(found);
}

void SceneAnalysis::note_distances() const {
  if (has_distances(loaded.scene.drivers)) std::fprintf(stderr, "clothlab: %s\n", kWithoutDistances);
}

std::vector<Scene> SceneAnalysis::runs() const {
  std::vector<Scene> out;
  for (const IntegratorInfo* info : methods()) out.push_back(scene_for(*info));
  return out;
}

std::vector<Scene> SceneAnalysis::runs_and_omega_max() const {
  std::vector<Scene> out = SceneAnalysis::runs();
  out.push_back(scene_for(*find_integrator("symplectic-euler")));
  return out;
}

void SceneAnalysis::tell_of_no_effect_on_modes() const {
  std::vector<const ParameterSpec*> of_methods, of_scene;
  for (const ParameterSpec* spec : scene.given_parameters()) {
    const SceneParameter* row = find_scene_parameter(spec->id);
    const bool solves = row != nullptr && row->section == "Solver" && spec->id != "jacobian";
    const bool of_steps = solves || spec->id == "adaptive-dt" || spec->id == "energy-limit";
    if (of_steps && run_length() == 0)
      std::fprintf(stderr, "clothlab: --%s has no effect. --steps is 0.\n", std::string(spec->id).c_str());
    else
      (row == nullptr ? of_methods : of_scene).push_back(spec);
  }
  std::vector<Scene> measured = runs();
  measured.push_back(loaded.scene);
  warn_of_no_effect(of_methods, measured);
  warn_of_no_effect(of_scene, {&loaded.scene, 1});
}

Scene SceneAnalysis::scene_for(const IntegratorInfo& info) const {
  Scene out = loaded.scene;
  set_integrator(out, info);
  return out;
}

Scene pinned_strip(const GridSource& sheet, const std::function<vec3(double, double)>& position) {
  InitialState start;
  std::vector<std::uint32_t> ends;
  for (int r = 0; r < sheet.rows; ++r)
    for (int c = 0; c < sheet.cols; ++c) {
      if (c == 0 || c == sheet.cols - 1) ends.push_back(static_cast<std::uint32_t>(start.positions.size()));
      start.positions.push_back(position(double(c) / (sheet.cols - 1), double(r) / (sheet.rows - 1)));
    }
  start.velocities.assign(start.positions.size(), vec3(0));
  Scene scene;
  scene.mesh = sheet;
  scene.initial_state = std::move(start);
  scene.pins = std::move(ends);
  return scene;
}

Chart two_panels(std::string title, const ChartAxis& x, ChartAxis first, ChartAxis second) {
  return {.title = std::move(title),
          .panels = {{.x = x, .y = std::move(first)}, {.x = x, .y = std::move(second)}}};
}

}  // namespace clothlab
