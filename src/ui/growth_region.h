// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "chart/axis.h"
#include "integrate/registry.h"

namespace clothlab {

/// Growth per step over the upper left quarter of the plane of z = hλ, on a grid that is filled over some
/// frames and kept until the method, its values or the ranges change.
class GrowthRegion {
 public:
  static constexpr std::size_t kColumns = 96, kRows = 48;

  /// `re` and `im`: from −re to 0 and from 0 to im.
  void prepare(const IntegratorInfo& info, const IntegratorParameters& values, double re, double im);
  bool complete() const { return growth_.size() == kColumns * kRows; }
  /// At the middle of a cell, row 0 at the real axis; nothing for those that are still to come.
  bool has(std::size_t column, std::size_t row) const { return row * kColumns + column < growth_.size(); }
  double growth(std::size_t column, std::size_t row) const { return growth_[row * kColumns + column]; }

 private:
  const IntegratorInfo* info_ = nullptr;
  IntegratorParameters values_;
  double re_ = 0, im_ = 0;
  std::vector<double> growth_;  // row after row
};

}  // namespace clothlab
