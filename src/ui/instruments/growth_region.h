// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "chart/axis.h"
#include "integrate/registry.h"

namespace clothlab {

/// Growth per step over a part of the plane of z = hλ, on a grid that is filled over some frames. While it is
/// filled for other ranges, the grid before stays; another method or other values begin an empty one.
class GrowthRegion {
 public:
  static constexpr std::size_t kColumns = 96, kRows = 48;

  void prepare(const IntegratorInfo& info, const IntegratorParameters& values, const AxisRange& re,
               const AxisRange& im);
  bool complete() const { return grid().is_full(); }
  /// The part of the plane that the grid covers.
  const AxisRange& re() const { return grid().re; }
  const AxisRange& im() const { return grid().im; }
  /// At the middle of a cell, row 0 at the lower end of `im`; nothing for those that are still to come.
  bool has(std::size_t column, std::size_t row) const {
    return row * kColumns + column < grid().growth.size();
  }
  double growth(std::size_t column, std::size_t row) const { return grid().growth[row * kColumns + column]; }

 private:
  struct Grid {
    const IntegratorInfo* info = nullptr;
    IntegratorParameters values;
    AxisRange re, im;
    std::vector<double> growth;  // row after row

    bool is_full() const { return growth.size() == kColumns * kRows; }
    bool is_of(const IntegratorInfo& method, const IntegratorParameters& own) const {
      return info == &method && values == own;
    }
    void fill();
  };
  const Grid& grid() const { return shown_.is_full() ? shown_ : next_; }

  Grid shown_, next_;
};

}  // namespace clothlab
