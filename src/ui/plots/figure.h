// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chart/axis.h"
#include "chart/dash.h"

namespace clothlab {

/// Of limits, tolerances, the line of one and curves of slow modes [interface units].
inline constexpr Dash kShortDash{5, 3};

/// A whole line through the points, `width` pixels wide, without mitres that stick out where it turns back.
void draw_without_spikes(ImDrawList& draw, std::span<const ImVec2> points, ImU32 colour, float width);

/// A line through the points [window coordinates], in the current window.
/// `thickness` and the dashes in interface units.
void draw_line(const std::vector<ImVec2>& points, ImU32 colour, float thickness, const Dash& dash);

/// The ground of a plot or an instrument.
void draw_ground(ImVec2 at, ImVec2 size);
/// The same with a sentence, if there is nothing to show yet.
void draw_empty(std::string_view words, ImVec2 at, ImVec2 size);

/// The ranges that the mouse has chosen for two axes; without them they fit what is drawn.
struct AxesView {
  std::optional<AxisRange> x;
  std::optional<AxisRange> y;
  std::optional<ImVec2> box;  ///< first corner of the zoom box, in window coordinates

  bool zoomed() const { return x || y; }
  void fit() { x = y = std::nullopt; }
};

/// A frame with two axes, in which plots and instruments draw. Everything in window coordinates, in the
/// current window and font.
class Figure {
 public:
  struct Side {
    std::string title;  ///< with its unit
    AxisRange range;
    bool logarithmic = false;
    bool whole = false;     ///< a count: ticks at whole numbers
    std::string unit = {};  ///< of its numbers
    // Of y:
    float row = 1.8F;  ///< least height of a number, in lines
    int most_ticks = 8;
  };

  /// Within the given size at `at`; the numbers are left of the frame and below it.
  Figure(const Side& x, const Side& y, ImVec2 at, ImVec2 size);
  /// With these corners of the frame, and this left end of the numbers of y.
  Figure(const Side& x, const Side& y, float left, ImVec2 a, ImVec2 b);

  ImVec2 a() const { return a_; }  ///< upper left corner of the frame
  ImVec2 b() const { return b_; }  ///< lower right corner
  float width() const { return b_.x - a_.x; }
  float height() const { return b_.y - a_.y; }
  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }
  bool has_room() const;
  float px(double x) const { return a_.x + static_cast<float>(x_.clamped_position(x)) * width(); }
  float py(double y) const { return b_.y - static_cast<float>(y_.clamped_position(y)) * height(); }
  ImVec2 at(double x, double y) const { return {px(x), py(y)}; }
  double x_at(float px) const { return x_.value(static_cast<double>((px - a_.x) / width())); }
  double y_at(float py) const { return y_.value(static_cast<double>((b_.y - py) / height())); }

  /// Grid, numbers and titles.
  void axes() const;
  /// Whether the cursor is in the frame; notes that under `name`.
  bool hovered(const std::string& name) const;
  /// Lets the mouse choose the ranges of the next figure: the wheel zooms x about the mouse, with Ctrl or
  /// over the numbers of y it zooms y; a left-drag pans, y only where it was zoomed; a right-drag zooms into
  /// a box; a double click fits. Both axes are zoomed and moved together `as_plane`. The frame is noted under
  /// `name`. True while the mouse is in the frame, to read values there.
  bool zoom(const std::string& name, AxesView& view, bool as_plane = false) const;
  /// Text on an opaque ground, moved into the frame.
  void label(ImVec2 at, ImU32 colour, const std::string& text) const;
  /// An upright line from edge to edge. `thickness` in interface units.
  void upright(float x, ImU32 colour, float thickness = 1) const;
  /// A tooltip above the frame, with `failed` in red below its text.
  void tell(std::string_view text, std::string_view failed = {}) const;
  /// Clips all drawing at the frame until `end_clip`, at its lower edge only `below` further down.
  void begin_clip(float below = 0) const;
  void end_clip() const;

 private:
  std::vector<AxisTick> y_ticks() const;

  Side x_side_, y_side_;
  Axis x_, y_;
  float left_;  // of the numbers of y
  ImVec2 a_, b_;
};

}  // namespace clothlab
