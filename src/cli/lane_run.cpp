// SPDX-License-Identifier: MIT
#include "cli/lane_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "analysis/stability_text.h"
#include "cli/interrupt.h"
#include "cli/run_options.h"
#include "cli/step_time.h"
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
  figures.max_strain = std::max(figures.max_strain, record.max_strain);
}

void add_step(const StepRecord& record, const StepTime& took, double start_energy, LaneFigures& figures) {
  add_record(record, start_energy, figures);
  figures.milliseconds.push_back(took.processor);
  figures.wall += 1e-3 * took.wall;
  figures.diagnostics += diagnostics_row(record, took.wall);
  if (!record.converged && figures.not_converged++ == 0) figures.reason = record.reason;
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

double LaneFigures::real_time_factor() const { return wall > 0 ? simulated / wall : 0; }

LaneFigures run_lane(const LaneSource& source, const IntegratorInfo& info, const LaneCamera& camera,
                     WorkerPool& pool, const std::function<void(std::uint64_t, double)>& progress) {
  const std::unique_ptr<LanePlay> play = play_lane(source, &info);
  const StopProbe stop = Interrupt::probe();
  LaneFigures figures;
  figures.info = &info;
  figures.diagnostics = kDiagnosticsHeader;
  LanePictures pictures(camera, source.last_step(), figures.pictures);
  NewNotices new_notices;
  play->begin(pool, stop);
  const double start_energy = play->simulation().record().energy.total;
  figures.scene = scene_text(play->simulation());
  figures.stability = stability_of(play->simulation(), pool);
  add_record(play->simulation().record(), start_energy, figures);
  append(new_notices.in(play->simulation().notices()), figures.notices);
  pictures.after_step(0, play->simulation());
  for (;;) {
    const StepWatch watch;
    const Replay::Event event = play->next_step(pool, stop);
    const StepTime took = watch.elapsed();
    const Simulation& simulation = play->simulation();
    if (event == Replay::Event::stepped) {
      add_step(simulation.record(), took, start_energy, figures);
      append(new_notices.in(simulation.notices()), figures.notices);
      figures.simulated += simulation.scene().dt;
      pictures.after_step(play->step(), simulation);
      progress(play->step(), simulation.state().t);
    }
    figures.interrupted = event == Replay::Event::stopped || Interrupt::requested();
    if (figures.interrupted || event == Replay::Event::ended) break;
  }
  const Simulation& simulation = play->simulation();
  pictures.finish(simulation);
  figures.h = simulation.scene().h();
  figures.skipped = play->skipped();
  if (const std::optional<BlowUp>& blow_up = simulation.blow_up()) {
    figures.blow_up = blow_up_text(simulation, pool);
    figures.blow_up_step = blow_up->step;
  }
  return figures;
}

}  // namespace clothlab
