// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "chart/axis.h"
#include "ui/plots/axes_view.h"

namespace clothlab {

/// A frame with two axes, in which an instrument draws. Everything in window coordinates, in the window and
/// the font that are in force.
class Figure {
 public:
  struct Side {
    std::string title;  ///< with its unit
    AxisRange range;
    bool logarithmic = false;
    bool whole = false;  ///< a count: ticks at whole numbers
  };

  /// Within the given size at `at`; the numbers stand left of the frame and below it.
  Figure(const Side& x, const Side& y, ImVec2 at, ImVec2 size);

  ImVec2 a() const { return a_; }  ///< upper left corner of the frame
  ImVec2 b() const { return b_; }  ///< lower right corner
  bool has_room() const;
  float px(double x) const { return a_.x + static_cast<float>(x_.near_place(x)) * (b_.x - a_.x); }
  float py(double y) const { return b_.y - static_cast<float>(y_.near_place(y)) * (b_.y - a_.y); }
  double x_at(float px) const { return x_.value(static_cast<double>((px - a_.x) / (b_.x - a_.x))); }
  double y_at(float py) const { return y_.value(static_cast<double>((b_.y - py) / (b_.y - a_.y))); }

  /// Grid, numbers and titles.
  void axes() const;
  /// Whether the cursor is in the frame; notes that under `name`.
  bool hovered(const std::string& name) const;
  /// Lets the mouse choose the ranges of the next figure (ui/plots/axes_view.h), both axes together
  /// `as_plane`. True where it rests in the frame.
  bool zoom(const std::string& name, AxesView& view, bool as_plane = false) const;
  /// Text on an opaque ground, moved into the frame.
  void label(ImVec2 at, ImU32 colour, const std::string& text) const;
  /// What is drawn from here on is cut at the frame, until `end_clip`.
  void begin_clip() const;
  void end_clip() const;

 private:
  std::vector<AxisTick> y_ticks() const;

  Side x_side_, y_side_;
  Axis x_, y_;
  float left_;  // of the numbers of y
  ImVec2 a_, b_;
};

}  // namespace clothlab
