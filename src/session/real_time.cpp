// SPDX-License-Identifier: MIT
#include "session/real_time.h"

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "core/text.h"

namespace clothlab {
namespace {

constexpr double kMargin = 1.25;                          // a larger h costs more iterations
constexpr double kLeastMargin = 1.1, kMostMargin = 2.75;  // between which an answer is kept
constexpr double kNearLimit = 0.9;  // of the stability limit, which changes as the cloth moves
constexpr double kPart = 0.5;       // [s]

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds kMarkSpacing{50};
constexpr std::chrono::seconds kWindow{1};

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

void Pacer::restart(Clock::time_point now) {
  due_ = now;
  simulated_ = 0;
  marks_.assign(1, {now, 0});
}

void Pacer::stepped(double simulated, double speed, Clock::time_point now) {
  simulated = std::min(std::abs(simulated), kLongestPacedStep);
  due_ += std::chrono::duration_cast<Clock::duration>(Seconds(simulated / speed));
  if (due_ < now - kSlack) due_ = now;

  simulated_ += simulated;
  if (now - marks_.back().wall >= kMarkSpacing) marks_.push_back({now, simulated_});
  while (marks_.size() > 2 && now - marks_[1].wall >= kWindow) marks_.pop_front();
}

double Pacer::actual_speed(Clock::time_point now) const {
  if (marks_.empty()) return 0;
  const double wall = Seconds(now - marks_.front().wall).count();
  return wall > 0 ? (simulated_ - marks_.front().simulated) / wall : 0;
}

void StepTimer::add(double processor, double wall) {
  last_ = processor;
  last_wall_ = wall;
  if (processor_.size() < kKept) {
    processor_.push_back(processor);
    wall_.push_back(wall);
  } else {
    processor_[next_] = processor;
    wall_[next_] = wall;
    next_ = (next_ + 1) % kKept;
  }
}

StepTimes StepTimer::times() const {
  return {.last = last_,
          .median = quantile(processor_, 0.5),
          .p95 = quantile(processor_, 0.95),
          .wall = quantile(wall_, 0.5)};
}

}  // namespace clothlab
