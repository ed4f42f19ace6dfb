// SPDX-License-Identifier: MIT
#include "cli/lane_run.h"

#include <optional>
#include <utility>
#include <variant>

#include "analysis/stability_text.h"
#include "cli/interrupt.h"
#include "cli/run_options.h"
#include "core/text.h"
#include "core/text_file.h"
#include "experiments/step_trial.h"
#include "sim/diagnostics.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::size_t kStabilityDirections = 300;  // free directions up to which eigenvalues take a second

/// Draws a run at times that are spread evenly over its steps.
class LanePictures {
 public:
  LanePictures(const LaneCamera& camera, std::uint64_t last_step, std::vector<LaneFigures::Picture>& pictures)
      : count_(camera.make_painter ? camera.pictures : 0), last_step_(last_step), pictures_(pictures) {
    if (count_ > 0) paint_ = camera.make_painter();
  }

  void after_step(std::uint64_t step, const Simulation& simulation) {
    if (pictures_.size() < count_ && step * (count_ - 1) >= pictures_.size() * last_step_) draw(simulation);
  }
  /// The last state, where it has not been drawn: the one before a blow-up.
  void finish(const Simulation& simulation) {
    if (pictures_.size() < count_ && pictures_.back().time < simulation.state().t) draw(simulation);
  }

 private:
  void draw(const Simulation& simulation) {
    capture(simulation, simulation.shared_scene(), frame_);
    pictures_.push_back({simulation.state().t, paint_(frame_, 0)});
  }

  std::size_t count_;
  std::uint64_t last_step_;
  std::vector<LaneFigures::Picture>& pictures_;
  Painter paint_;
  Frame frame_;
};

void add_record(const StepRecord& record, double start_energy, LaneFigures& figures) {
  figures.time.push_back(record.time);
  figures.energy.push_back(record.energy.total - start_energy);
  figures.kinetic.push_back(record.energy.kinetic);
  figures.made.push_back(record.books.from_nothing());
  figures.books = record.books;
  figures.strain.push_back(record.max_strain);
}

std::string stability_of(const Simulation& simulation, WorkerPool& pool) {
  const std::optional<StabilityEstimate> estimate =
      measure_stability(simulation, simulation.state(), simulation.integrator(), pool, Interrupt::probe(),
                        kStabilityDirections);
  if (!estimate) return {};
  const Scene& scene = simulation.scene();
  return describe_stability(simulation.integrator(), integrator_parameters(scene), scene.h(), *estimate);
}

std::string scene_text(const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  std::string out = "A sheet";
  if (const auto* file = std::get_if<FileSource>(&scene.mesh))
    out = printable(utf8_of(path_of(file->path).filename()));
  const ClothMesh& mesh = simulation.mesh();
  out += " of " + std::to_string(simulation.system().size()) + " particles, " +
         std::to_string(mesh.stretch_springs.size()) + " stretch springs of " +
         format_quantity(scene.material.stretch_stiffness, "N/m") + " and " +
         std::to_string(mesh.bend_springs.size()) + " bending springs of " +
         format_quantity(scene.material.bend_stiffness, "N/m") + ", " +
         format_quantity(scene.material.mass, "kg");
  return out;
}

}  // namespace

LaneFigures run_lane(const LaneSource& source, const IntegratorInfo& info, const LaneCamera& camera,
                     WorkerPool& pool, const std::function<void(std::uint64_t, double)>& progress) {
  LanePlay play(source, &info);
  LaneFigures figures;
  figures.info = &info;
  figures.diagnostics = kDiagnosticsHeader;
  LanePictures pictures(camera, source.last_step(), figures.pictures);
  NewNotices new_notices;
  play.begin(pool);
  const StepRecord& start = play.simulation().record();
  const double start_energy = start.energy.total;
  figures.scene = scene_text(play.simulation());
  figures.stability = stability_of(play.simulation(), pool);
  figures.max_strain = start.max_strain;
  add_record(start, start_energy, figures);
  append(new_notices.in(play.simulation().notices()), figures.notices);
  pictures.after_step(0, play.simulation());
  const StepStatus status = play.play(pool, [&] {
    const Simulation& simulation = play.simulation();
    const StepRecord& record = simulation.record();
    figures.add(record, play.took(), simulation.scene().dt);
    add_record(record, start_energy, figures);
    figures.diagnostics += diagnostics_row(record, play.took().wall);
    append(new_notices.in(simulation.notices()), figures.notices);
    pictures.after_step(play.step(), simulation);
    progress(play.step(), simulation.state().t);
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

}  // namespace clothlab
