// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace clothlab {

/// A quantity in the last seconds: the largest value in every kPeriod, and the straight line through these.
class Trend {
 public:
  static constexpr double kPeriod = 0.02;  // [s]

  /// Keeps `span` seconds [s], at most kMost periods.
  explicit Trend(double span) : span_(span) {}

  void restart() { size_ = 0; }
  /// Times ascend.
  void add(double time, double value);

  struct Line {
    double value = 0;    ///< at the last sample
    double slope = 0;    ///< per second
    double scatter = 0;  ///< root mean square distance of the samples from the line
    double length = 0;   ///< of time [s]
  };
  /// None for fewer than four samples.
  std::optional<Line> line() const;

 private:
  struct Sample {
    double begin = 0, time = 0, value = 0;
  };
  static constexpr std::size_t kMost = 32;

  double span_;
  std::array<Sample, kMost> samples_{};  // oldest first
  std::size_t size_ = 0;
};

/// Predicts a blow-up, a step that does not converge, and tunnelling from the figures of the steps so far
/// (docs/instruments.md, "Warnings"). Only reads figures; no allocation.
class Forecast {
 public:
  static constexpr double kAhead = 0.7;  ///< later failures are not predicted [s]

  struct Figures {
    double time = 0;     ///< [s]
    double gained = 0;   ///< spurious energy that the cloth still has: at most its internal energy [J]
    double given = 0;    ///< EnergyAccount::given [J]
    double allowed = 0;  ///< EnergyAccount::allowed [J]
    /// h over the limit of the stiffest mode; none if not measured in this step, or without a limit.
    std::optional<double> of_limit = {};
    double growth = 0;  ///< of the energy of the stiffest mode in linear theory, if positive [1/s]
    double mode = 0;    ///< StiffestMode::Figures::energy [J]
    double newton = 0;  ///< most iterations of a stage over their largest number; 0: none
    double linear = 0;  ///< the same of a linear solve that must converge
    std::optional<double> passage_in = {};  ///< PassageForecast found one that contact will not stop [s]
  };
  enum class Sign { growth, limit, energy, newton, linear, passage };
  struct Warning {
    Sign sign{};
    double in = 0;     ///< about this time from now [s]
    double value = 0;  ///< of the figure: 1/s, share of the limit, 1/s, share of the iterations
  };
  /// By kind, in the order of kWarnings.
  using Warnings = std::array<std::optional<Warning>, 3>;

  Warnings add(const Figures& now);

 private:
  std::optional<Warning> blow_up(const Figures& now);
  static std::optional<Warning> most_iterations(Trend& trend, double time, double share, Sign sign);

  Trend limit_{0.4}, energy_{0.2}, newton_{0.5}, linear_{0.5};
};

}  // namespace clothlab
