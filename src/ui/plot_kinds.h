// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/snapshot.h"
#include "ui/plot.h"

namespace clothlab {

/// What can be plotted of a run.
enum class PlotKind { energy, strain, step_time, iterations, residual, iterations_or_time };
inline constexpr std::size_t kPlotKinds = 6;

/// What is shown where that kind was chosen: itself, but for iterations_or_time, which are the iterations of
/// a method that takes any and the time per step of others.
PlotKind shown_kind(PlotKind chosen, const Snapshot& now);

/// "Energy", for the chooser and for the names of files.
const char* plot_title(PlotKind kind);
const char* plot_help(PlotKind kind);

/// Which plots the window shows, and how; nothing here changes the simulation.
struct PlotsLayout {
  /// Side by side, as many as have room.
  std::array<PlotKind, 3> chosen{PlotKind::energy, PlotKind::strain, PlotKind::iterations_or_time};
  std::array<PlotView, kPlotKinds> views;
  float height = 190;                   ///< [interface units]
  std::optional<std::size_t> enlarged;  ///< which of those side by side has all the room

  PlotsLayout();
  /// The titles of those side by side, none for those of a first start, and back; what is no title is passed
  /// over.
  std::vector<std::string> titles() const;
  void choose(const std::vector<std::string>& titles);
  /// Whether gravity counts in the sum of the energies; without it its own curve is hidden as well.
  bool with_gravity() const;
  void set_with_gravity(bool with);
  PlotView& view(PlotKind kind) { return views[static_cast<std::size_t>(kind)]; }
};

/// The curves of the present run, and for those over time of the ghosts. Energies are changes since each
/// run's first sample. The plot of iterations_or_time is that of its shown_kind.
Plot make_plot(PlotKind kind, const Snapshot& now, bool with_gravity = true);

}  // namespace clothlab
