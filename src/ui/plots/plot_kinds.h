// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/choice_search.h"
#include "session/snapshot.h"
#include "ui/instruments/stability_figure.h"
#include "ui/plots/plot.h"

namespace clothlab {

/// What can be plotted of a run.
enum class PlotKind {
  energy,
  ledger,
  strain,
  distance,
  largest_distance,
  height,
  speed,
  step_time,
  iterations,
  iterations_or_time,
  lanes,
  stability,
  phase,
  step,
  cost,
  solver,
  limits,
  map,
  choice
};
inline constexpr std::size_t kPlotKinds = 19;

/// The kind shown for a chosen one: iterations_or_time shows the iterations of an iterative method, otherwise
/// the time per step.
PlotKind shown_kind(PlotKind chosen, const Snapshot& now);

/// "Energy", for the chooser and for the names of files.
const char* plot_title(PlotKind kind);
const char* plot_help(PlotKind kind);

struct PanelContext;
/// Draws an instrument (ui/instruments/instruments.h); null for plots.
using DrawInstrument = void (*)(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
DrawInstrument instrument(PlotKind kind);

/// Display state of the picture of stability.
struct StabilityView {
  bool plane = false;        ///< of hλ, if there is no room for both pictures
  bool eigenvalues = false;  ///< those of J are wanted
  AxesView growth_axes, plane_axes;
  GrowthRegion region;
};

/// The goal in the picture of error over computing time, and the runs of the next search.
struct ChoiceView {
  bool by_error = true;  ///< else by computing time
  double error = 0.01;   ///< of ChoiceFigures::scale
  double budget = 1;     ///< computing time per simulated time
  ErrorMeasure measure = ErrorMeasure::rms;
  ChoiceRuns runs;  ///< of the next search
};

/// The plots of the window and their display states.
struct PlotsLayout {
  /// Side by side, as many as have room.
  std::array<PlotKind, 3> chosen{PlotKind::energy, PlotKind::strain, PlotKind::iterations_or_time};
  /// Which of them the user has chosen: the table of lanes replaces none of these.
  std::array<bool, 3> by_user{};
  std::array<PlotView, kPlotKinds> views;
  StabilityView stability;
  ChoiceView choice;
  bool solves = false;                  ///< of the last step, in the picture of the solver; else steps
  vec3 phase_direction{0, 1, 0};        ///< of the phase plot and of the step, of any length
  float height = 190;                   ///< [interface units]
  std::optional<std::size_t> enlarged;  ///< which of those side by side is enlarged
  std::size_t columns_shown = 3;        ///< side by side in the last picture

  PlotsLayout();
  /// What the slot shows with that many side by side: with several lanes the last one shows their table,
  /// unless the user chose another.
  PlotKind shown(std::size_t slot, std::size_t columns, const Snapshot& now) const;
  /// The user's choice.
  void choose(std::size_t slot, PlotKind kind);
  /// The same, in the enlarged plot or the last one, unless that kind is shown already.
  void show(PlotKind kind);
  /// Conversion to and from titles; none where nothing was chosen. Empty ones are of slots
  /// that were not chosen; they and unknown ones are skipped.
  std::vector<std::string> titles() const;
  void choose(const std::vector<std::string>& titles);
  /// Whether the sum of energies includes gravity; its own curve is hidden otherwise.
  bool with_gravity() const;
  void set_with_gravity(bool with);
  PlotView& view(PlotKind kind) { return views[static_cast<std::size_t>(kind)]; }
};

/// The curves of the run, or one for each lane. Energies are changes since the common origin. The plot of
/// iterations_or_time is the plot of its shown_kind.
Plot make_plot(PlotKind chosen, const Snapshot& now, bool with_gravity = true);

}  // namespace clothlab
