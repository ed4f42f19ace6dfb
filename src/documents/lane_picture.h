// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chart/font.h"
#include "core/image.h"
#include "core/lane_id.h"
#include "documents/picture_request.h"
#include "sim/frame.h"
#include "sim/simulation.h"

namespace clothlab {

/// A lane that runs.
struct RunningLane {
  LaneId lane = 0;
  const Simulation* simulation = nullptr;
};
/// A lane at a moment of its run.
struct ShownLane {
  LaneId lane = 0;
  std::shared_ptr<const Frame> frame;
  std::optional<BlowUp> blow_up = {};
};
/// As it is now.
ShownLane show_lane(const RunningLane& lane);

/// The quantities of a plot below the lanes, over simulated time.
enum class LanePlot { total_energy, kinetic_energy, spurious_energy, strain, distance };
inline constexpr std::array<std::string_view, 5> kLanePlotNames{"total-energy", "kinetic-energy",
                                                                "spurious-energy", "strain", "distance"};

/// The title of a plot with the unit.
const char* title_of(LanePlot plot);

/// The point that a step adds to a lane's curve.
struct PlotPoint {
  double time = 0;  ///< simulated [s]
  double value = 0;
};
/// Of each lane; none for a lane that blew up and for the first lane of LanePlot::distance.
using PlotPoints = std::vector<std::optional<PlotPoint>>;
PlotPoints plot_points(std::span<const RunningLane> lanes, LanePlot plot);

/// A picture of one or more lanes: tiles in up to four columns and two rows, each with letter, method and h
/// (lanes in which these are the same, with the options that differ), and below them a plot if it is wanted,
/// as far as the run has come. Its memory does not grow with the number of steps: each column of pixels has
/// the least and the largest value.
class LanePicture {
 public:
  /// `whole`: the request for the complete picture. `ends`: the simulated time [s] at which the run is
  /// expected to end. Without it the time axis begins with the first point and becomes twice
  /// as long whenever the run reaches its end. Throws InputError if the picture is too small, SystemError if
  /// drawing is impossible.
  LanePicture(const PictureRequest& whole, std::size_t lanes,
              const std::function<Painter(const PictureRequest&)>& make_painter,
              std::optional<LanePlot> plot = {}, std::optional<double> ends = {});

  /// Adds points to the plot: call it for the start, and after every step. Adding the same ones again has no
  /// effect.
  void add_step(const PlotPoints& points);
  /// Draws the lanes, `turn` [degree] as of a Painter. A lane that blew up is dimmed, with the
  /// time and the cause.
  Image draw(std::span<const ShownLane> lanes, double turn);

 private:
  /// Position of a tile in the picture [pixel].
  struct Place {
    int left = 0, top = 0;
  };
  struct Curve {
    std::vector<double> x, low, high;
    double start = 0;
  };

  std::uint8_t* pixel(int x, int y);
  void copy(const Image& from, Place to, bool dimmed);
  void add_label(const ShownLane& lane, std::string_view label, Place place);
  void fill(int left, int top, int width, int height, const Rgb& colour);
  /// In a smaller font if it needs more than `room` pixels.
  void write(std::string_view text, int left, int top, int room, const Rgb& colour);
  void add_point(Curve& curve, double time, double value) const;
  Image draw_plot(std::span<const ShownLane> lanes) const;

  PictureRequest tile_;
  std::size_t columns_ = 1;
  Painter paint_;
  Font font_;
  Image whole_;
  std::optional<LanePlot> plot_;
  double begins_ = 0, ends_ = 0;  // of the time axis
  bool grows_ = false;            // the axis
  int plot_height_ = 0;
  std::vector<Curve> curves_;  // of the lanes
};

}  // namespace clothlab
