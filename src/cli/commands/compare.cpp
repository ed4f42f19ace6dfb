// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/stability_text.h"
#include "chart/dash.h"
#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/comparison_page.h"
#include "cli/output/progress.h"
#include "cli/output/vertex_track.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/command_line.h"
#include "documents/picture_request.h"
#include "experiments/step_trial.h"
#include "sim/diagnostics.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

constexpr std::size_t kPictures = 6;  // of a lane
constexpr double kPictureZoom = 0.8;  // a swinging sheet would leave so narrow a picture
constexpr int kPictureWidth = 400, kPictureHeight = 300;

/// Draws a run at times that are spread evenly over its steps, its start and end included.
class LanePictures {
 public:
  LanePictures(Painter paint, std::uint64_t last_step, std::vector<LaneFigures::Picture>& pictures)
      : paint_(std::move(paint)), last_step_(last_step), pictures_(pictures) {}

  void after_step(std::uint64_t step, const Simulation& simulation) {
    if (step * (kPictures - 1) >= pictures_.size() * last_step_) draw(simulation);
  }
  /// The last state, if it has not been drawn: the one before a blow-up.
  void finish(const Simulation& simulation) {
    if (paint_ && pictures_.back().time < simulation.state().t) draw(simulation);
  }

 private:
  void draw(const Simulation& simulation) {
    if (!paint_ || pictures_.size() == kPictures) return;
    capture(simulation, simulation.shared_scene(), frame_);
    pictures_.push_back({simulation.state().t, paint_(frame_, 0)});
  }

  Painter paint_;  // null without pictures
  std::uint64_t last_step_;
  std::vector<LaneFigures::Picture>& pictures_;
  Frame frame_;
};

void add_record(const StepRecord& record, double start_energy, LaneFigures& figures) {
  figures.time.push_back(record.time);
  figures.energy.push_back(record.energy.total - start_energy);
  figures.kinetic.push_back(record.energy.kinetic);
  figures.spurious.push_back(record.ledger.spurious());
  figures.ledger = record.ledger;
  figures.strain.push_back(record.max_strain);
}

std::string stability_of(const Simulation& simulation, WorkerPool& pool) {
  const std::optional<StabilityEstimate> estimate = measure_stability(
      simulation, simulation.state(), simulation.integrator(), pool, Interrupt::probe(), kQuickDirections);
  if (!estimate) return {};
  const Scene& scene = simulation.scene();
  return describe_stability(simulation.integrator(), integrator_parameters(scene), scene.h(), *estimate);
}

std::string scene_text(const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  std::string out = "A sheet";
  if (const auto* file = std::get_if<FileSource>(&scene.mesh))
    out = printable(utf8_of(path_of(file->path).filename()));
  out = with_added_names(std::move(out), scene);
  const ClothMesh& mesh = simulation.mesh();
  out += " of " + std::to_string(simulation.system().size()) + " particles, " +
         std::to_string(mesh.stretch_springs.size()) + " stretch springs";
  const Material& material = scene.material;
  if (!material.is_fabric())
    out += " of " + format_quantity(material.stretch_stiffness, "N/m") + " and " +
           std::to_string(mesh.bend_springs.size()) + " bending springs of " +
           format_quantity(material.bend_stiffness, "N/m");
  else
    out += ", a fabric of " + format_quantity(material.fabric.warp, "N/m") + " along the warp, " +
           format_quantity(material.fabric.weft, "N/m") + " along the weft, " +
           format_quantity(material.fabric.shear, "N/m") + " in shear and " +
           format_quantity(material.fabric.bending, "N·m") + " in bending";
  return out + ", " + format_quantity(material.mass_of(mesh.area), "kg");
}

/// Describes the scene's method.
void set_method(const Scene& scene, const IntegratorInfo& info, LaneFigures& figures) {
  figures.title = title_with(info, scene.solver);
  if (scene.substeps > 1) figures.title += " ÷" + std::to_string(scene.substeps);
  figures.formula = formula_with(info, scene.solver);
  figures.summary = summary_with(info, scene.solver);
  figures.order = order_with(info, integrator_parameters(scene), scene.solver);
}

/// Runs one lane, with the same bits as `simulate --integrator` or `replay --integrator` alone, until its
/// end, its blow-up or Ctrl-C. `progress` is called at the start and after every step. Throws
/// InputError, SystemError, Cancelled.
LaneFigures run_lane(const LaneSource& source, const LaneMethod& lane, Painter paint, WorkerPool& pool,
                     const std::function<void(std::uint64_t, const Simulation&)>& progress) {
  LanePlay play(source, lane.method);
  LaneFigures figures;
  figures.lane = lane.lane;
  figures.info = &method_info(lane.method);
  figures.diagnostics = kDiagnosticsHeader;
  LanePictures pictures(std::move(paint), source.last_step(), figures.pictures);
  NewNotices new_notices;
  play.begin(pool);
  set_method(play.simulation().scene(), *figures.info, figures);
  if (source.journal.empty()) figures.options = method_options(play.simulation().scene());
  const StepRecord& start = play.simulation().record();
  const double start_energy = start.energy.total;
  figures.scene = scene_text(play.simulation());
  figures.stability = stability_of(play.simulation(), pool);
  figures.max_strain = start.max_strain;
  add_record(start, start_energy, figures);
  append(new_notices.in(play.simulation().notices()), figures.notices);
  pictures.after_step(0, play.simulation());
  progress(0, play.simulation());
  const StepStatus status = play.play(pool, [&] {
    const Simulation& simulation = play.simulation();
    const StepRecord& record = simulation.record();
    figures.add(record, play.took(), simulation.scene().dt);
    add_record(record, start_energy, figures);
    figures.diagnostics += diagnostics_row(record, play.took().wall);
    append(new_notices.in(simulation.notices()), figures.notices);
    pictures.after_step(play.step(), simulation);
    progress(play.step(), simulation);
  });
  figures.interrupted = status == StepStatus::stopped;
  const Simulation& simulation = play.simulation();
  pictures.finish(simulation);
  figures.h = simulation.scene().h();
  figures.skipped = play.skipped();
  if (const std::optional<BlowUp>& blow_up = simulation.blow_up()) {
    figures.blow_up = blow_up_text(simulation, pool);
    figures.blow_up_step = blow_up->step;
  }
  return figures;
}

struct Compare final : Subcommand {
  explicit Compare(const SubcommandContext& context) : services(context.services) {}

  SceneOptions scene;
  OutputFiles files;
  VertexTrack track;
  std::optional<std::string> names, journal, report;
  OptionReaders options{"Comparison"};
  double look_ahead = 0;  // [s]
  const Services& services;

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    scene.allow_several_lanes();
    app.remove_option(app.get_option("--integrator"));
    scene.add_length_to(app, 120);
    add_text(app, "Comparison", "--integrators", names, "A,B,...",
             "The lanes, 1 to " + std::to_string(kMostLanes) +
                 " integrators; one may occur several times. `simulate --help` lists them. Without this "
                 "option they are the lanes of the scene file, each with its own method.");
    add_journal_option(app, journal, "Comparison");
    add_text(app, "Comparison", "--report", report, "DIR",
             "Writes the page DIR/index.html with tables, curves and pictures, which needs no other file. "
             "Next to it are DIR/A-<id>.csv with the figures of every step, A-<id>.png and curves.png. "
             "Creates DIR if it is missing.");
    add_look_ahead_option(app, options, look_ahead);
    track.add_to(app, "Comparison", files);
  }

  /// Throws InputError if there are none.
  std::vector<SceneOptions::LaneOfFile> lanes_of_file() const {
    std::vector<SceneOptions::LaneOfFile> lanes = scene.lanes_of_file();
    if (lanes.empty() || journal)
      throw InputError("Nothing says which lanes to compare: name --integrators A,B,..., or " +
                       std::string(journal ? "a scene" : "a --scene") + " whose file has lanes.");
    return lanes;
  }

  std::filesystem::path report_folder() const {
    const std::filesystem::path folder = path_of(*report);
    return folder.has_filename() ? folder : folder.parent_path();  // "report/"
  }

  /// Throws InputError if an output cannot be written.
  void check_outputs(std::span<const LaneMethod> lanes) {
    track.check();
    files.check();
    if (!report) return;
    const std::filesystem::path folder = report_folder();
    if (!has_folder(folder)) return;
    for (const std::string& name : report_files(lanes))
      files.add(folder / name, path_of(name).extension().string());
  }

  /// Without OpenGL there are no pictures, but a sentence with the reason.
  Painter painter(Comparison& comparison) const {
    if (!report || !comparison.shortfall.empty()) return {};
    try {
      return services.make_painter(
          {.width = kPictureWidth, .height = kPictureHeight, .zoom = kPictureZoom, .light = true});
    } catch (const SystemError& error) {
      comparison.shortfall = error.what();
      return {};
    }
  }

  std::string command(const LaneSource& of, std::span<const Scene> scenes,
                      std::span<const Scene> of_file) const {
    if (!names && scene.initial_state_file()) return {};
    if (!names) return compare_command_line(scenes, of_file, *scene.scene_file(), of.steps);
    std::string out =
        journal ? replay_command_line(*journal)
                : command_line(of.scene.scene, nullptr, scene.scene_file().value_or(std::string()), of.steps);
    const std::string_view verb = journal ? "replay" : "simulate";
    const std::size_t at = out.find(verb);
    if (at == std::string::npos) return {};
    std::string instead = "compare --integrators ";
    instead += *names;
    if (journal) instead += " --journal";
    return out.replace(at, verb.size(), instead);
  }

  int run() override {
    options.read_all();
    std::vector<LaneMethod> lanes;
    std::vector<Scene> of_file, scenes;  // of the lanes of a file
    if (names) {
      for (const IntegratorInfo* info : parse_lanes(*names))
        lanes.push_back({lanes.size(), with_integrator({}, *info)});
    } else {
      for (const SceneOptions::LaneOfFile& lane : lanes_of_file()) {
        of_file.push_back(lane.of_file);
        scenes.push_back(lane.scene);
        lanes.push_back({lane.lane, lane.scene.method()});
      }
    }
    check_outputs(lanes);
    LaneSource of = read_lane_source(journal, scene, files);
    of.look_ahead = look_ahead;
    if (names)
      for (LaneMethod& lane : lanes)
        lane.method = with_integrator(of.scene.scene.method(), method_info(lane.method));
    warn_of_no_effect(scene.given_parameters(), runs_of(of, lanes));
    Comparison comparison;
    comparison.threads = scene.threads();
    comparison.title = "Comparison of " + std::to_string(lanes.size()) +
                       (lanes.size() == 1 ? " time integrator" : " time integrators");
    comparison.command = command(of, scenes, of_file);
    WorkerPool pool(comparison.threads);
    std::string motion = VertexTrack::header("lane,method,");
    {
      Progress progress(lanes.size() * of.last_step(), scene.quiet());
      for (std::size_t k = 0; k < lanes.size() && !Interrupt::requested(); ++k) {
        const std::string of_lane = std::string(1, lane_letter(lanes[k].lane)) + ',' +
                                    std::string(label_of(method_info(lanes[k].method))) + ',';
        const auto show = [&](std::uint64_t step, const Simulation& now) {
          if (track.file()) motion += track.rows(now, of_lane);
          progress.show(k * of.last_step() + step, now.state().t);
        };
        comparison.lanes.push_back(run_lane(of, lanes[k], painter(comparison), pool, show));
      }
    }
    if (!comparison.lanes.empty()) comparison.scene = comparison.lanes.front().scene;
    std::fputs(comparison_text(comparison).c_str(), stdout);
    const bool lost = track.file() && !try_write([&] { write_file(path_of(*track.file()), motion); });
    return status_at_end((report && !write(comparison)) || lost, "done");
  }

  /// False if it cannot be written.
  bool write(const Comparison& comparison) const {
    make_folder(report_folder());
    if (!try_write([&] { write_report(comparison, report_folder()); })) return false;
    if (!comparison.shortfall.empty())
      std::fprintf(stderr, "clothlab: the report has no pictures: %s\n", comparison.shortfall.c_str());
    return true;
  }
};

}  // namespace

const SubcommandRow kCompareCommand{
    "compare", "The same run by several integrators: a table, and a report with curves and pictures.",
    make_subcommand<Compare>};

}  // namespace clothlab
