// SPDX-License-Identifier: MIT
#include "ui/instruments/stability_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.h"
#include "io/csv.h"
#include "sim/parameters.h"
#include "ui/lanes.h"
#include "ui/readings.h"
#include "ui/widgets/numbers.h"

namespace clothlab {
namespace {

constexpr int kBars = 48, kCurvePoints = 300;
constexpr double kMostDecades = 1e4;  // between the ends of the axis of hω
constexpr double kGrows = 1 + 1e-9;   // rounding aside
constexpr double kMostGrowth = 3;     // on the axis; what grows faster is drawn at its end
constexpr double kHalf = 0.5;

/// The method of a lane at its h.
struct LaneStep {
  const IntegratorInfo& info;
  IntegratorParameters values;
  double h;

  explicit LaneStep(const LaneSnapshot& lane)
      : info(running_method(lane)),
        values(integrator_parameters(*lane.frame.scene)),
        h(lane.frame.scene->h()) {}

  double growth(const DampedOscillation& o, bool slow = false) const {
    return slow ? info.growth_of_slow_modes(h * o.omega, values)
                : info.growth(h * o.omega, h * o.damping, values);
  }
};

StabilityFigure::Mode mode_of(const LaneStep& method, const DampedOscillation& o, double modes, bool slow) {
  using Complex = std::complex<double>;
  const double h = method.h;
  const Complex root = std::sqrt(Complex(o.damping * o.damping - 4 * o.omega * o.omega));
  return {h * o.omega, method.growth(o, slow), modes, h * (root - o.damping) / 2.0,
          h * (-root - o.damping) / 2.0};
}

std::vector<StabilityFigure::Mode> oscillating_modes(const LaneStep& method, const Spectrum& spectrum,
                                                     double slow_modes) {
  std::vector<StabilityFigure::Mode> modes;
  double before = 0;
  for (const ModeGroup& group : spectrum.groups) {
    const bool slow = method.info.growth_of_slow_modes && before + group.modes / 2 < slow_modes;
    before += group.modes;
    if (group.eigenvalue > 0)
      modes.push_back(mode_of(method, {std::sqrt(group.eigenvalue), group.damping}, group.modes, slow));
  }
  return modes;
}

double value_at(const AxisRange& range, double share) {
  return range.low * std::pow(range.high / range.low, share);
}

StabilityFigure::Curve curve_of(const LaneSnapshot& lane, const StabilityFigure& figure, double h,
                                bool slow) {
  const LaneStep method(lane);
  StabilityFigure::Curve curve{lane.lane, slow, {}, {}};
  for (int i = 0; i <= kCurvePoints; ++i)
    curve.h_omega.push_back(value_at(figure.h_omega, double(i) / kCurvePoints));
  if (figure.limit)  // where the curve turns red
    curve.h_omega.insert(std::ranges::lower_bound(curve.h_omega, *figure.limit), *figure.limit);
  for (const double h_omega : curve.h_omega) curve.growth.push_back(method.growth({h_omega / h, 0}, slow));
  return curve;
}

void add_bars(StabilityFigure& figure, const Spectrum& spectrum, double h) {
  const auto below = [&](double h_omega) { return modes_below(spectrum, h_omega * h_omega / (h * h)); };
  for (int i = 0; i < kBars; ++i) {
    const AxisRange range{value_at(figure.h_omega, double(i) / kBars),
                          value_at(figure.h_omega, double(i + 1) / kBars)};
    const double middle = std::sqrt(range.low * range.high);
    const auto nearest = std::ranges::min_element(
        figure.modes, {}, [&](const auto& mode) { return std::abs(std::log(mode.h_omega / middle)); });
    figure.bars.push_back({range, below(range.high) - below(range.low), nearest->growth > kGrows});
  }
}

std::string count_text(const StabilityFigure& figure, double modes) {
  const std::string count = format_count(static_cast<unsigned long long>(std::llround(modes)));
  return figure.is_exact ? count : "≈ " + count;
}

std::string words_on_growth(const StabilityFigure& figure, const LaneStep& method, const Spectrum& spectrum) {
  double growing = 0, below = 0, fastest = 1, from = 0;
  bool is_one_range = true;
  for (const StabilityFigure::Mode& mode : figure.modes) {
    const bool grows = mode.growth > kGrows;
    if (growing == 0) (grows ? from : below) = grows ? mode.h_omega : below + mode.modes;
    if (growing > 0 && !grows) is_one_range = false;
    if (!grows) continue;
    growing += mode.modes;
    fastest = std::max(fastest, mode.growth);
  }
  const std::string all = format_count(spectrum.free_directions) + " modes";
  if (growing > 0) {
    const std::string rate = fastest < 1.01 ? format_plain((fastest - 1) * 100, 2) + " % per step"
                                            : format_steady(fastest) + "× per step";
    const std::string which =
        is_one_range && below > 0 ? ", those above hω = " + format_plain(from) + "," : std::string();
    return count_text(figure, std::max(growing, 1.0)) + " of " + all + " grow" + which + " by up to " + rate +
           (stability_limit(method.info, method.values) == 0 ? ": without damping no h is stable." : ".");
  }
  const StabilityFigure::Mode& stiffest = figure.modes.back();
  if (figure.limit) return "None of " + all + " grows.";
  double halved = 0;
  for (auto mode = figure.modes.rbegin(); mode != figure.modes.rend() && mode->growth < kHalf; ++mode) {
    halved += mode->modes;
    from = mode->h_omega;
  }
  if (halved >= 1)
    return "None of " + all + " grows. Those above hω = " + format_plain(from, 2) +
           " lose more than half per step: " +
           format_plain(100 * halved / static_cast<double>(spectrum.free_directions), 2) + " % of all.";
  if (stiffest.growth > 0.9995) return "None of " + all + " grows, and the stiffest keeps its amplitude.";
  return "None of " + all + " grows; the stiffest keeps " + format_plain(stiffest.growth, 2) +
         " of its amplitude per step.";
}

// With and without damping; empty where no h or every h is stable, or the limit is unknown.
std::string words_on_limit(const LaneStep& method, const StabilityEstimate& estimate) {
  const double h_omega = stability_limit(method.info, method.values);
  const std::optional<double> limit = largest_stable_step(method.info, method.values, estimate);
  if (std::isinf(h_omega) || !limit || !(*limit > 0) || !(estimate.omega_max() > 0)) return "";
  const bool approximate = is_approximate(method.info, method.values, estimate);
  return std::string(" Stable below h ") + (approximate ? "≈ " : "= ") + format_quantity(*limit, "s") +
         (h_omega > 0 ? ", without damping below " + format_plain(h_omega) +
                            "/ω_max = " + format_quantity(h_omega / estimate.omega_max(), "s") + "."
                      : std::string(" with damping."));
}

std::string figure_title(const Snapshot& now, const MeasuredSpectrum& measured) {
  std::string title = now.others.empty() ? std::string(running_method(now).title) : lane_name(now);
  title += ", measured at t = " + format_steady(measured.time, 4) + " s";
  const double age = now.frame.record.time - measured.time;
  if (std::abs(age) < 1e-9) return title;
  return title + ", " + format_quantity(std::abs(age), "s") + (age > 0 ? " ago" : " after the shown moment");
}

constexpr std::size_t kCellsPerFrame = 1024;

}  // namespace

StabilityFigure make_stability_figure(const Snapshot& now, const std::optional<AxisRange>& h_omega) {
  StabilityFigure figure;
  if (!now.spectrum) {
    figure.empty = "The frequencies of the cloth are being measured.";
    return figure;
  }
  const Spectrum& spectrum = now.spectrum->spectrum;
  const LaneStep method(now);
  figure.is_exact = spectrum.is_exact;
  figure.title = figure_title(now, *now.spectrum);
  figure.modes = oscillating_modes(method, spectrum, static_cast<double>(now.frame.record.modes.value_or(0)));
  if (figure.modes.empty()) {
    figure.empty = spectrum.free_directions == 0 ? "No particle is free to move." : "Nothing vibrates.";
    return figure;
  }
  const double limit = stability_limit(method.info, method.values);
  if (limit > 0 && std::isfinite(limit)) figure.limit = limit;

  const double highest = figure.modes.back().h_omega;
  figure.h_omega.high = 1.5 * std::max(highest, figure.limit.value_or(0));
  figure.h_omega.low = std::max(figure.modes.front().h_omega / 1.5, figure.h_omega.high / kMostDecades);
  if (h_omega) figure.h_omega = *h_omega;
  for (const StabilityFigure::Mode& mode : figure.modes)
    figure.most_growth = std::clamp(1.15 * mode.growth, figure.most_growth, kMostGrowth);
  add_bars(figure, spectrum, method.h);
  for (const LaneSnapshot* lane : now.lanes()) {
    figure.curves.push_back(curve_of(*lane, figure, method.h, false));
    if (lane->lane == now.lane) std::swap(figure.curves.front(), figure.curves.back());
  }
  if (method.info.growth_of_slow_modes) figure.curves.push_back(curve_of(now, figure, method.h, true));
  if (spectrum.eigenvalues)
    for (const DampedOscillation& o : *spectrum.eigenvalues)
      figure.eigenvalues.push_back(mode_of(method, o, 1, false));

  figure.verdict = words_on_growth(figure, method, spectrum);
  if (now.stability && !method.info.growth_of_slow_modes)
    figure.verdict += words_on_limit(method, *now.stability);
  if (!method.info.stability_condition.empty())
    figure.verdict += " That is " + std::string(method.info.stability_condition) + ".";
  const double buckled = modes_below(spectrum, -1e-9 * spectrum.highest);
  if (buckled >= 0.5) figure.verdict += " " + count_text(figure, buckled) + " buckle: ω² < 0.";
  if (spectrum.without_distances) figure.verdict += std::string(" ") + kWithoutDistances;
  if (method.info.inextensible)
    figure.verdict += " Only bending springs and the grab count: rods do not vibrate.";
  return figure;
}

std::string csv_of(const StabilityFigure& figure, double h) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  std::string text =
      "kind,h_omega,h_omega_to,omega_rad_per_s,damping_per_s,growth_per_step,modes,re_h_lambda,im_h_lambda\n";
  const auto add_modes = [&](const char* kind, const std::vector<StabilityFigure::Mode>& modes) {
    for (const StabilityFigure::Mode& mode : modes)
      text += kind + csv_row(mode.h_omega, kNothing, mode.h_omega / h, -(mode.z + mode.z2).real() / h,
                             mode.growth, mode.modes, mode.z.real(), mode.z.imag());
  };
  add_modes("mode,", figure.modes);
  add_modes("eigenvalue,", figure.eigenvalues);
  for (const StabilityFigure::Bar& bar : figure.bars)
    text += "bar," + csv_row(bar.h_omega.low, bar.h_omega.high, kNothing, kNothing, kNothing, bar.modes,
                             kNothing, kNothing);
  return text;
}

void GrowthRegion::prepare(const IntegratorInfo& info, const IntegratorParameters& values,
                           const AxisRange& re, const AxisRange& im) {
  if (!shown_.is_of(info, values)) shown_ = {};
  if (shown_.is_full() && shown_.re == re && shown_.im == im) return;
  // While the ranges follow the mouse, a grid that was begun is completed first; otherwise none would ever be
  // complete.
  const bool is_begun = next_.is_of(info, values) && (shown_.is_full() || (next_.re == re && next_.im == im));
  if (!is_begun) next_ = {&info, values, re, im, {}};
  next_.fill();
  if (next_.is_full()) shown_ = std::exchange(next_, {});
}

void GrowthRegion::Grid::fill() {
  for (std::size_t k = 0; k < kCellsPerFrame && !is_full(); ++k) {
    const std::size_t column = growth.size() % kColumns, row = growth.size() / kColumns;
    const double x = re.low + (re.high - re.low) * (static_cast<double>(column) + 0.5) / kColumns;
    const double y = im.low + (im.high - im.low) * (static_cast<double>(row) + 0.5) / kRows;
    growth.push_back(info->growth(std::hypot(x, y), -2 * x, values));
  }
}

}  // namespace clothlab
