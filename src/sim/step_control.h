// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

namespace clothlab {

/// Chooses the pieces of a substep of h (model.md, "Adaptive steps"): a bad one is repeated in halves, two
/// good ones in a row double [Bridson 2002]. Lengths are counted in 1/1024 of h, the smallest step, so that
/// the pieces add up exactly. Without adaptive steps there is one piece.
class StepControl {
 public:
  static constexpr int kUnits = 1024;

  /// At the beginning of every substep.
  void begin() { left_ = kUnits; }
  bool done() const { return left_ == 0; }
  /// The next piece, in units.
  int units() const { return std::min(size_, left_); }
  bool at_smallest() const { return units() == 1; }

  void accept(bool good) {
    const int used = units();
    left_ -= used;
    in_a_row_ = good ? in_a_row_ + 1 : 0;
    if (in_a_row_ < 2) return;
    in_a_row_ = 0;
    size_ = std::min(2 * size_, kUnits);
  }
  void refuse() {
    size_ = std::max(units() / 2, 1);
    in_a_row_ = 0;
  }
  /// Calls each(number) for all that the next step depends on.
  template <class Each>
  void each_number(const Each& each) {
    each(size_);
    each(in_a_row_);
  }
  /// Whole steps again.
  void reset() { *this = {}; }

 private:
  int size_ = kUnits;
  int left_ = 0;
  int in_a_row_ = 0;
};

}  // namespace clothlab
