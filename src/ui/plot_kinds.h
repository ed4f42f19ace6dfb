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
enum class PlotKind { energy, strain, step_time, iterations, residual };
inline constexpr std::size_t kPlotKinds = 5;

/// "Energy", for the chooser and for the names of files.
const char* plot_title(PlotKind kind);
const char* plot_help(PlotKind kind);

/// Which plots the window shows, and how; nothing here changes the simulation.
struct PlotsLayout {
  std::array<PlotKind, 3> chosen{PlotKind::energy, PlotKind::iterations,
                                 PlotKind::residual};  ///< side by side
  std::array<PlotView, kPlotKinds> views;
  float height = 190;                   ///< [interface units]
  std::optional<std::size_t> enlarged;  ///< which of those side by side has all the room

  PlotsLayout();
  /// The titles of those side by side, and back; what is no title is passed over.
  std::vector<std::string> titles() const;
  void choose(const std::vector<std::string>& titles);
  PlotView& view(PlotKind kind) { return views[static_cast<std::size_t>(kind)]; }
};

/// The curves of the present run, and for those over time of the ghosts.
Plot make_plot(PlotKind kind, const Snapshot& now);

/// Which run the samples are of: the title of the integrator, or of those that it went through.
std::string run_name(const std::vector<PlotSample>& samples);

}  // namespace clothlab
