// SPDX-License-Identifier: MIT
#include "session/real_time.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace clothlab {
namespace {

constexpr double kMargin = 1.25;                          // a larger h costs more iterations
constexpr double kLeastMargin = 1.1, kMostMargin = 2.75;  // between which an answer is kept
constexpr double kNearLimit = 0.9;  // of the stability limit, which changes as the cloth moves
constexpr double kPart = 0.5;       // [s]

/// To two significant digits.
double rounded_down(double value) {
  const double digit = std::pow(10, std::floor(std::log10(value)) - 1);
  return parse_number(format_digits(digit * std::floor(value / digit + 1e-9), 2)).value_or(value);
}

/// The next 1, 2, 2.5 or 5 times a power of ten.
double rounded_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (value <= factor * power * (1 + 1e-9))
      return parse_number(format_digits(factor * power, 2)).value_or(value);
  return parse_number(format_digits(10 * power, 2)).value_or(value);
}

}  // namespace

double real_time_step(double cost, double speed, double stability_limit, std::optional<double> before) {
  const double least = cost * speed, largest = std::min(kLongestRealTimeStep, kNearLimit * stability_limit);
  if (!(least > 0) || kMargin * least > largest) return 0;
  const double round = rounded_up(kMargin * least);
  if (before && *before <= largest && *before >= kLeastMargin * least && *before <= kMostMargin * least)
    return *before;
  return round <= largest ? round : std::max(rounded_down(largest), kMargin * least);
}

std::string factor_text(double factor) {
  return format_plain(factor < 10 ? factor : std::round(factor), factor < 10 ? 2 : 4) + "×";
}

void StepCost::add(std::size_t method, double h, double seconds) {
  if (method != method_ || h != h_) *this = {};
  method_ = method;
  h_ = h;
  spent_ += seconds;
  ++steps_;
  if (spent_ < kPart) return;
  mean_ = spent_ / steps_;
  spent_ = 0;
  steps_ = 0;
}

}  // namespace clothlab
