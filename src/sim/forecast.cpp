// SPDX-License-Identifier: MIT
#include "sim/forecast.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace clothlab {

void Trend::add(double time, double value) {
  if (size_ > 0 && time - samples_[size_ - 1].begin < kPeriod) {
    Sample& last = samples_[size_ - 1];
    if (value > last.value) last = {last.begin, time, value};
    return;
  }
  std::size_t old = size_ == kMost ? 1 : 0;
  while (old < size_ && time - samples_[old].time > span_) ++old;
  std::ranges::copy(std::span(samples_).subspan(old, size_ - old), samples_.begin());
  size_ -= old;
  samples_[size_++] = {time, time, value};
}

std::optional<Trend::Line> Trend::line() const {
  constexpr std::size_t kLeast = 4;
  if (size_ < kLeast) return std::nullopt;
  const auto n = static_cast<double>(size_);
  const auto mean = [&](const auto& of) {
    double sum = 0;
    for (std::size_t k = 0; k < size_; ++k) sum += of(samples_[k]);
    return sum / n;
  };
  const double time = mean([](const Sample& s) { return s.time; });
  const double value = mean([](const Sample& s) { return s.value; });
  const double square = mean([&](const Sample& s) { return (s.time - time) * (s.time - time); });
  const double product = mean([&](const Sample& s) { return (s.time - time) * (s.value - value); });
  const double slope = product / square, last = samples_[size_ - 1].time;
  const double error = mean([&](const Sample& s) {
    const double off = s.value - value - slope * (s.time - time);
    return off * off;
  });
  return Line{value + slope * (last - time), slope, std::sqrt(error), last - samples_[0].time};
}

std::optional<Forecast::Warning> Forecast::blow_up(const Figures& now) {
  constexpr double kNear = 0.9;         // of the limit
  constexpr double kLength = 0.25;      // of a trend [s]
  constexpr double kEnergyAhead = 0.5;  // [s]
  constexpr double kLimitAhead = 0.6;   // [s]
  constexpr double kLeast = 1;          // of the energy given
  constexpr double kRise = 0.5;         // of the logarithm, within the trend
  constexpr double kRounding = 1e-30;   // of the energy allowed
  if (!std::isfinite(now.allowed)) return std::nullopt;
  if (now.of_limit) limit_.add(now.time, *now.of_limit);
  if (now.gained > 0) {
    energy_.add(now.time, std::log(now.gained / now.allowed));
  } else {
    energy_.restart();
  }
  if (now.growth > 0) {
    const double energy = std::max({now.gained, now.mode, kRounding * now.allowed});
    const double in = std::log(now.allowed / energy) / now.growth;
    if (in < kAhead) return Warning{Sign::growth, in, now.growth};
  }
  if (const auto line = limit_.line(); line && line->length > kLength && line->value >= kNear) {
    const double in = line->value >= 1 ? 0 : (1 - line->value) / std::max(line->slope, 0.0);
    if (in <= kLimitAhead) return Warning{Sign::limit, in, line->value};
  }
  const auto line = energy_.line();
  if (!line || !(now.gained > kLeast * now.given) || !(line->slope * line->length > kRise))
    return std::nullopt;
  const double in = std::max(-line->value, 0.0) / line->slope;
  return in < kEnergyAhead ? std::optional(Warning{Sign::energy, in, line->slope}) : std::nullopt;
}

std::optional<Forecast::Warning> Forecast::most_iterations(Trend& trend, double time, double share,
                                                           Sign sign) {
  constexpr double kIterationsAhead = 0.5, kLength = 0.25, kNear = 0.85;  // [s], [s], of the cap
  if (!(share > 0)) return std::nullopt;
  trend.add(time, share);
  const auto line = trend.line();
  if (!line || !(line->length > kLength) || !(line->value >= kNear)) return std::nullopt;
  const double slope = std::max(line->slope, 0.0), left = 1 - line->value - line->scatter;
  if (!(left <= kIterationsAhead * slope)) return std::nullopt;
  return Warning{sign, left > 0 ? left / slope : 0.0, share};
}

Forecast::Warnings Forecast::add(const Figures& now) {
  Warnings found{blow_up(now), most_iterations(newton_, now.time, now.newton, Sign::newton), std::nullopt};
  const auto linear = most_iterations(linear_, now.time, now.linear, Sign::linear);
  if (!found[1]) found[1] = linear;
  if (now.passage_in) found[2] = Warning{Sign::passage, *now.passage_in, 0};
  return found;
}

}  // namespace clothlab
