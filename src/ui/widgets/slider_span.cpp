// SPDX-License-Identifier: MIT
#include "ui/widgets/slider_span.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace clothlab {
namespace {

constexpr double kEitherWay = 50;      // 3.4 decades in all
constexpr double kWholeRange = 1e4;    // ratio of the ends up to which a range is not cut
constexpr double kMostIntegers = 100;  // so that each can be selected
constexpr double kLongestStep = 0.05;  // [s], three pictures of 1/60 s

// Share of the slider for an exact zero at its left end, and for "off" at its right end.
constexpr double kZeroZone = 0.04;
constexpr double kOffZone = 0.04;

bool is_log(const ParameterSpec& spec) { return spec.logarithmic && spec.min >= 0; }
bool has_zero_zone(const ParameterSpec& spec) { return is_log(spec) && spec.min == 0; }
double scale_start(const ParameterSpec& spec) { return has_zero_zone(spec) ? kZeroZone : 0; }
double scale_end(const ParameterSpec& spec) { return std::isinf(spec.max) ? 1 - kOffZone : 1; }

// Values set by slider have three significant digits.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  return parse_number(format_digits(value, 3)).value_or(value);
}

// One significant digit, downwards or upwards: ends that can be read.
double round_end(double value, bool upwards) {
  const double digit = std::pow(10, std::floor(std::log10(value)));
  // A value that is such an end already stays, whatever the last bit of the quotient.
  const double count = value / digit;
  const double whole = upwards ? std::ceil(count - 1e-9) : std::floor(count + 1e-9);
  return parse_number(format_digits(whole * digit, 1)).value_or(value);
}

SliderSpan around(const ParameterSpec& spec, double centre) {
  return {std::max(round_end(centre / kEitherWay, false), spec.min),
          std::min(round_end(centre * kEitherWay, true), spec.max)};
}

SliderSpan within(const ParameterSpec& spec, double value, double half) {
  return {std::max(spec.min, value - half), std::min(spec.max, value + half)};
}

}  // namespace

bool shows(const SliderSpan& span, const ParameterSpec& spec, double value) {
  if (value == 0 && has_zero_zone(spec)) return true;
  if (std::isinf(value) && value == spec.max) return true;
  return value >= span.low && value <= span.high;
}

SliderSpan sensible_span(const ParameterSpec& spec, double value, double cloth_size) {
  const SliderSpan whole{spec.min, spec.max};
  if (is_log(spec)) {
    if (spec.min > 0 && spec.max <= kWholeRange * spec.min) return whole;
    double centre = value > 0 && std::isfinite(value) ? value : spec.fallback;
    // Without a usual value: well below the maximum.
    if (!(centre > 0 && std::isfinite(centre))) centre = 1e-3 * spec.max;
    return around(spec, centre);
  }
  if (spec.kind == ParameterSpec::Kind::integer && spec.max - spec.min > kMostIntegers) {
    const double low = value - spec.min <= kMostIntegers ? spec.min : value - kMostIntegers / 2;
    return {low, std::min(spec.max, low + kMostIntegers)};
  }
  if (spec.unit == "m") return within(spec, value, rounded(2 * cloth_size));
  return whole;
}

std::optional<SliderSpan> step_size_span(double h, std::optional<double> limit) {
  if (!limit || !(*limit > 0) || std::isinf(*limit)) return {};
  return SliderSpan{std::min(round_end(*limit / 10, false), h),
                    std::max({kLongestStep, round_end(*limit * 10, true), h})};
}

double slider_position(const ParameterSpec& spec, const SliderSpan& span, double value) {
  if (std::isinf(value) && value == spec.max) return 1;
  if (value <= 0 && has_zero_zone(spec)) return 0;
  const double clamped = std::clamp(value, span.low, span.high);
  const double along = is_log(spec) ? std::log(clamped / span.low) / std::log(span.high / span.low)
                                    : (clamped - span.low) / (span.high - span.low);
  return scale_start(spec) + (scale_end(spec) - scale_start(spec)) * along;
}

double slider_value(const ParameterSpec& spec, const SliderSpan& span, double position) {
  const double start = scale_start(spec), end = scale_end(spec);
  if (position < start || position <= 0) return has_zero_zone(spec) ? 0 : span.low;
  if (position > end || position >= 1) return std::isinf(spec.max) ? spec.max : span.high;
  const double along = (position - start) / (end - start);
  double value = is_log(spec) ? span.low * std::pow(span.high / span.low, along)
                              : span.low + along * (span.high - span.low);
  value = spec.kind == ParameterSpec::Kind::integer ? std::round(value) : rounded(value);
  return std::clamp(value, span.low, span.high);
}

void SliderSpans::reset(double cloth_size) {
  spans_.clear();
  cloth_size_ = cloth_size;
}

const SliderSpan& SliderSpans::of(const ParameterSpec& spec, double value, std::optional<double> mark,
                                  const std::optional<SliderSpan>& wanted) {
  const auto known = spans_.find(spec.id);
  const auto fits = [&](const SliderSpan& span) {
    return shows(span, spec, value) && (!mark || (*mark >= span.low && *mark <= span.high));
  };
  if (known != spans_.end() && fits(known->second)) return known->second;
  SliderSpan span = wanted.value_or(sensible_span(spec, value, cloth_size_));
  span = {std::clamp(span.low, spec.min, spec.max), std::clamp(span.high, spec.min, spec.max)};
  // The value and the mark are always inside.
  for (const double seen : {value, mark.value_or(value)}) {
    if (shows(span, spec, seen)) continue;
    span.low = std::min(span.low, seen);
    span.high = std::max(span.high, seen);
  }
  return spans_.insert_or_assign(std::string(spec.id), span).first->second;
}

}  // namespace clothlab
