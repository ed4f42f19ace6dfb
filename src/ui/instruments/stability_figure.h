// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chart/axis.h"
#include "core/lane_id.h"
#include "integrate/registry.h"
#include "session/snapshot.h"

namespace clothlab {

/// The contents of the active lane's stability picture, without screen positions: the modes of its spectrum
/// under its method's growth per step, at the scene's h.
struct StabilityFigure {
  /// Modes of one frequency and damping, or one oscillation of J.
  struct Mode {
    double h_omega = 0;
    double growth = 1;  ///< per step
    double modes = 1;   ///< how many
    std::complex<double> z, z2;  ///< hλ = h (−d ± √(d² − 4ω²))/2: a conjugate pair, z above, or two real ones
  };
  /// The modes of an interval of hω.
  struct Bar {
    AxisRange h_omega;
    double modes = 0;
    bool grows = false;
  };
  /// |R(ihω)|, growth per step without damping; of the active lane first.
  struct Curve {
    LaneId lane = 0;
    bool slow = false;  ///< of modes that the method treats separately
    std::vector<double> h_omega, growth;
  };
  std::vector<Mode> modes;        ///< that oscillate, ascending
  std::vector<Mode> eigenvalues;  ///< of J; empty where not measured
  std::vector<Bar> bars;
  std::vector<Curve> curves;
  AxisRange h_omega{0.1, 10};   ///< the axis of hω, logarithmic
  double most_growth = 1.25;    ///< where the axis of growth ends
  std::optional<double> limit;  ///< largest stable hω without damping, above 0
  bool is_exact = false;        ///< every Mode is one
  std::string title;            ///< lane or method, and the time of the measurement
  std::string verdict;          ///< the result, in a sentence or two
  std::string empty;            ///< why there is nothing to show; the rest is then unused
};

/// `h_omega`: the axis; none: it contains all modes and the limit.
StabilityFigure make_stability_figure(const Snapshot& now, const std::optional<AxisRange>& h_omega = {});
/// The figure as a table: modes, eigenvalues of J and bars, at steps of h [s].
std::string csv_of(const StabilityFigure& figure, double h);

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
  /// At the middle of a cell, row 0 at the lower end of `im`; false for cells that are not computed yet.
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
