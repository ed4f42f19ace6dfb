// SPDX-License-Identifier: MIT
#include "chart/axis.h"

#include "core/text.h"

namespace clothlab {
namespace {

// Range of logarithms in which no power of ten overflows or is denormal.
constexpr double kLeastDecade = -300, kMostDecade = 300;
// Smallest resolvable range [of the larger end].
constexpr double kLeastSpan = 1e-12;

// Digits needed to tell multiples of the step apart.
int digits_of(double largest, double step) {
  const double decades = std::floor(std::log10(largest)) - std::floor(std::log10(step));
  return std::clamp(static_cast<int>(decades) + 1, 1, 15);
}

std::string label_of(double value, int digits, std::string_view unit) {
  return unit.empty() ? format_plain(value, digits) : format_quantity(value, unit, digits);
}

}  // namespace

double rounded_up(double x, std::initializer_list<double> factors) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double factor : factors)
    if (factor * power >= x) return factor * power;
  return 10 * power;
}

Axis::Axis(const AxisRange& range, bool logarithmic) : logarithmic_(logarithmic) {
  low_ = image(range.low);
  high_ = image(range.high);
  if (!std::isfinite(low_) || !std::isfinite(high_) || !(low_ < high_)) {
    low_ = 0;
    high_ = 1;
  }
}

double Axis::value(double position) const {
  const double at = low_ + position * (high_ - low_);
  return logarithmic_ ? std::pow(10.0, at) : at;
}

std::vector<AxisTick> Axis::ticks(int most, std::string_view unit, double least_step) const {
  std::vector<AxisTick> all;
  most = std::max(most, 2);
  const bool decades = logarithmic_ && high_ - low_ >= 1;
  const AxisRange values = range();
  const double low = decades ? low_ : values.low;
  const double high = decades ? high_ : values.high;
  // A single tick gives no scale, so a finer step is used. A fifth of the range, rounded, is below half of
  // it.
  for (int count = most; all.size() < 2 && count <= std::max(most, 5); ++count) {
    const double step = decades
                            ? std::max(1.0, std::ceil((high - low) / count))
                            : std::max(rounded_up((high - low) / count * (1 - 1e-9), {1, 2, 5}), least_step);
    const int digits = decades ? 3 : digits_of(std::max(std::abs(low), std::abs(high)), step);
    const double first = std::ceil(low / step - 1e-9);
    all.clear();
    for (int k = 0; k <= count && (first + k) * step <= high + step * 1e-9; ++k) {
      const double multiple = (first + k) * step + 0.0;  // never −0
      const double tick = decades ? std::pow(10.0, multiple) : multiple;
      all.push_back({tick, label_of(tick, digits, unit)});
    }
  }
  if (!decades || all.size() > 1) return all;
  all.clear();
  for (double decade = std::floor(low_); decade <= high_; ++decade)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double tick = digit * std::pow(10.0, decade);
          tick >= values.low * (1 - 1e-9) && tick <= values.high * (1 + 1e-9))
        all.push_back({tick, label_of(tick, 3, unit)});
  return all;
}

std::vector<double> Axis::minor_ticks(double length) const {
  std::vector<double> all;
  if (!logarithmic_) return all;
  constexpr double kRoomyDecade = 40;  // [pixel]
  const int most = length / (high_ - low_) >= kRoomyDecade ? 9 : 1;
  for (double decade = std::floor(low_); decade <= high_; ++decade)
    for (int digit = 1; digit <= most; ++digit) {
      const double at = decade + std::log10(digit);
      if (at >= low_ && at <= high_) all.push_back(std::pow(10.0, at));
    }
  return all;
}

AxisRange Axis::stretch(double from, double to) const {
  const auto [first, last] = std::minmax(from, to);
  const double low = low_ + first * (high_ - low_);
  const double high = low_ + last * (high_ - low_);
  const double least = kLeastSpan * std::max({std::abs(low), std::abs(high), 1e-280});
  const bool fits = logarithmic_ ? low >= kLeastDecade && high <= kMostDecade
                                 : std::abs(low) <= kLargest && std::abs(high) <= kLargest;
  if (!fits || !(high - low > least)) return range();
  return {logarithmic_ ? std::pow(10.0, low) : low, logarithmic_ ? std::pow(10.0, high) : high};
}

AxisRange Axis::zoomed(double position, double factor) const {
  return stretch(position - position * factor, position + (1 - position) * factor);
}

void AxisFit::include(double value) {
  if (!Axis::has(value, logarithmic_)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

AxisRange AxisFit::range(bool from_zero) const {
  if (empty()) return logarithmic_ ? AxisRange{0.1, 10} : AxisRange{0, 1};
  if (logarithmic_) {
    const double first = std::floor(std::log10(low_) - 0.05);
    const double last = std::max(std::ceil(std::log10(high_) + 0.05), first + 1);
    return {std::pow(10.0, first), std::pow(10.0, last)};
  }
  double low = from_zero ? std::min(low_, 0.0) : low_;
  const double high = from_zero ? std::max(high_, 0.0) : high_;
  const double largest = std::max(std::abs(low), std::abs(high));
  // A constant gets a range of its own size around it.
  if (high - low <= largest * 1e-9) {
    const double half = largest == 0 ? 1 : largest * 0.5;
    return {largest == 0 && from_zero ? 0 : low - half, high + half};
  }
  const double room = (high - low) * 0.06;
  low = from_zero && low == 0 ? 0 : low - room;
  return {low, high + room};
}

}  // namespace clothlab
