// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace clothlab {

/// The least product of a power of ten and one of `factors`, ascending from 1, that is not less than `x` > 0.
double rounded_up(double x, std::initializer_list<double> factors);

/// Range of an axis: low < high, and low > 0 on a logarithmic one.
struct AxisRange {
  double low = 0;
  double high = 1;
  bool operator==(const AxisRange&) const = default;
};

struct AxisTick {
  double value = 0;
  std::string label;
};

/// A linear or logarithmic axis: maps values to positions on it, from 0 at its low end to 1 at its high end.
class Axis {
 public:
  Axis(const AxisRange& range, bool logarithmic);

  /// Whether a value has a position on such an axis, within its range or outside.
  static bool has(double value, bool logarithmic) {
    // Infinite values and those that are no numbers fail the comparisons.
    return logarithmic ? value >= 1 / kLargest && value <= kLargest : std::abs(value) <= kLargest;
  }
  double position(double value) const { return (image(value) - low_) / (high_ - low_); }
  /// The same, clamped for drawing far outside the range.
  double clamped_position(double value) const { return std::clamp(position(value), -20.0, 21.0); }
  double value(double position) const;
  AxisRange range() const { return {value(0), value(1)}; }
  bool logarithmic() const { return logarithmic_; }

  /// About `most` values, with labels that tell them apart: 1, 2 or 5 times a power of ten apart and not less
  /// than `least_step`, or powers of ten, with twos and fives if there is only one. With a unit, "J", the
  /// labels take its SI prefixes.
  std::vector<AxisTick> ticks(int most, std::string_view unit = {}, double least_step = 0) const;

  /// Values of the marks between the ticks of a logarithmic axis of that length [pixel]: 2, 3 … 9 times each
  /// power of ten, or only these powers if they are close together.
  std::vector<double> minor_ticks(double length) const;

  /// The range scaled by `factor` about `position`; unchanged at the limits of the numbers.
  AxisRange zoomed(double position, double factor) const;
  /// The range shifted by a fraction of its length.
  AxisRange panned(double fraction) const { return stretch(fraction, fraction + 1); }
  /// The range between two positions, in any order.
  AxisRange stretch(double from, double to) const;

 private:
  static constexpr double kLargest = 1e300;

  double image(double value) const { return logarithmic_ ? std::log10(value) : value; }

  bool logarithmic_;
  double low_ = 0, high_ = 1;  // images
};

/// Collects values and gives a range that contains them with a margin; never empty.
class AxisFit {
 public:
  explicit AxisFit(bool logarithmic) : logarithmic_(logarithmic) {}
  void include(double value);
  bool empty() const { return !(low_ <= high_); }
  /// Whole decades on a logarithmic axis. With `from_zero` a linear axis begins at zero.
  AxisRange range(bool from_zero) const;

 private:
  bool logarithmic_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace clothlab
