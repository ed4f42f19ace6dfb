#include "cli/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/font.h"
#include "core/text.h"

namespace clothlab {
namespace {

// [pixel]
constexpr int kWidth = 1100, kPanelHeight = 330;
constexpr int kLeft = 76, kLegend = 290, kTop = 56, kAbove = 34, kBelow = 58;
constexpr double kLegendText = 58;  // from the panel to the text
constexpr int kStrip = 17, kStripGap = 3;
static_assert(kWidth - kLeft - kLegend == kChartPanelWidth);
constexpr double kTitleSize = 21, kTextSize = 16, kTickSize = 14, kLegendRow = 21;

struct Point {
  double x = 0, y = 0;
};

struct Rectangle {
  double left = 0, top = 0, right = 0, bottom = 0;
};

enum class Anchor { left, centre, right };

/// Pixels to draw on; the centre of pixel (i, j) is (i + ½, j + ½).
class Canvas {
 public:
  Canvas(int width, int height, const Font& font, Rgb ground) : font_(font) {
    picture_.width = width;
    picture_.height = height;
    picture_.rgba.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4, 255);
    fill({0, 0, double(width), double(height)}, ground);
  }

  void fill(const Rectangle& r, Rgb colour) {
    for_pixels(r, [&](int x, int y) { blend(x, y, colour, 1); });
  }

  /// A line of the given width with round ends, smooth at its edges.
  void line(Point a, Point b, double width, Rgb colour, const Rectangle& clip) {
    const double reach = width / 2 + 1;
    const Rectangle box{
        std::max(std::min(a.x, b.x) - reach, clip.left), std::max(std::min(a.y, b.y) - reach, clip.top),
        std::min(std::max(a.x, b.x) + reach, clip.right), std::min(std::max(a.y, b.y) + reach, clip.bottom)};
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    for_pixels(box, [&](int i, int j) {
      const double px = i + 0.5 - a.x, py = j + 0.5 - a.y;
      const double t = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0;
      const double distance = std::hypot(px - t * dx, py - t * dy);
      blend(i, j, colour, std::clamp(width / 2 + 0.5 - distance, 0.0, 1.0));
    });
  }

  /// A text whose baseline goes through `at`.
  void text(Point at, std::string_view utf8, double size, Rgb colour, Anchor anchor = Anchor::left) {
    const TextMask mask = font_.draw(utf8, size);
    const double share = anchor == Anchor::left ? 0 : anchor == Anchor::centre ? 0.5 : 1;
    const int left = static_cast<int>(std::lround(at.x - share * mask.width));
    const int top = static_cast<int>(std::lround(at.y)) - mask.baseline;
    for (int y = 0; y < mask.height; ++y)
      for (int x = 0; x < mask.width; ++x)
        blend(left + x, top + y, colour, mask.coverage[static_cast<std::size_t>(y * mask.width + x)] / 255.0);
  }

  int width(std::string_view utf8, double size) const { return font_.draw(utf8, size).width; }

  Picture take() { return std::move(picture_); }

 private:
  template <class Body>
  void for_pixels(const Rectangle& r, Body body) {
    const int right = static_cast<int>(std::ceil(std::min(r.right, double(picture_.width))));
    const int bottom = static_cast<int>(std::ceil(std::min(r.bottom, double(picture_.height))));
    for (int y = std::max(0, static_cast<int>(r.top)); y < bottom; ++y)
      for (int x = std::max(0, static_cast<int>(r.left)); x < right; ++x) body(x, y);
  }

  void blend(int x, int y, Rgb colour, double share) {
    if (share <= 0 || x < 0 || y < 0 || x >= picture_.width || y >= picture_.height) return;
    std::uint8_t* pixel = &picture_.rgba[static_cast<std::size_t>(y * picture_.width + x) * 4];
    for (std::size_t c = 0; c < 3; ++c)
      pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + share * (colour[c] - pixel[c])));
  }

  Picture picture_;
  const Font& font_;
};

/// An axis with its range and its place on the picture.
class Scale {
 public:
  Scale(const ChartAxis& axis, const std::vector<ChartCurve>& curves, std::vector<double> ChartCurve::*values,
        double from, double to)
      : logarithmic_(axis.logarithmic), from_(from), to_(to) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    low_ = kInfinity, high_ = -kInfinity;
    if (axis.range) {
      low_ = image(axis.range->first), high_ = image(axis.range->second);
    } else {
      for (const ChartCurve& curve : curves)
        for (const double value : curve.*values) {
          const double v = image(value);
          if (std::isfinite(v)) low_ = std::min(low_, v), high_ = std::max(high_, v);
        }
      if (!(low_ <= high_)) low_ = 0, high_ = 1;
      const double margin = 0.04 * (high_ - low_) + (high_ > low_ ? 0 : 0.5);
      low_ -= margin, high_ += margin;
    }
  }

  /// Not finite where the value has no place.
  double operator()(double value) const {
    return from_ + (image(value) - low_) / (high_ - low_) * (to_ - from_);
  }

  struct Tick {
    double at = 0;  // [pixel]
    std::string label;
  };

  std::vector<Tick> ticks() const {
    // A tick every 70 pixels or so: decades, or 1, 2 or 5 times a power of ten.
    const double wanted = (high_ - low_) * 70 / std::abs(to_ - from_);
    double step = std::pow(10, std::floor(std::log10(wanted)));
    if (logarithmic_)
      step = std::max(1.0, std::ceil(wanted));
    else
      step *= wanted > 5 * step ? 10 : wanted > 2 * step ? 5 : wanted > step ? 2 : 1;
    std::vector<Tick> all;
    for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + 1e-9 * step; ++k) {
      const double value = logarithmic_ ? std::pow(10, k * step) : k * step + 0.0;  // never −0
      all.push_back({(*this)(value), format_plain(value)});
    }
    return all;
  }

  /// Places [pixel] of the marks between the ticks: on a logarithmic axis 2, 3 … 9 times each power of ten,
  /// or those powers alone where they are close together.
  std::vector<double> minor_ticks() const {
    std::vector<double> all;
    if (!logarithmic_) return all;
    constexpr double kRoomyDecade = 40;
    const double decade = std::abs(to_ - from_) / (high_ - low_);
    for (double k = std::floor(low_); k <= high_; ++k)
      for (int digit = 1; digit <= (decade >= kRoomyDecade ? 9 : 1); ++digit) {
        const double at = k + std::log10(digit);
        if (at >= low_ && at <= high_) all.push_back((*this)(std::pow(10, at)));
      }
    return all;
  }

 private:
  double image(double value) const { return logarithmic_ ? std::log10(value) : value; }

  bool logarithmic_;
  double from_, to_;  // [pixel]
  double low_ = 0, high_ = 1;
};

/// Goes along a curve and draws it, or its dashes, within the panel.
void draw_curve(Canvas& canvas, const ChartCurve& curve, const std::vector<Point>& points,
                const Rectangle& clip) {
  constexpr double kStroke = 2, kFar = 1e5;
  const double period = curve.dash + curve.gap;
  double along = 0;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const Point a = points[k], b = points[k + 1];
    // Far beyond the panel a line is as good as upright, and its length as good as endless.
    if (!(std::abs(a.x) < kFar && std::abs(a.y) < kFar && std::abs(b.x) < kFar && std::abs(b.y) < kFar))
      continue;
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!curve.dashed) {
      canvas.line(a, b, kStroke, curve.colour, clip);
      continue;
    }
    for (double s = 0; s < length;) {
      const double phase = std::fmod(along + s, period);
      const bool on = phase < curve.dash;
      const double end = std::min(length, s + std::max((on ? curve.dash : period) - phase, 1e-3));
      const auto at = [&](double t) {
        return Point{a.x + (b.x - a.x) * t / length, a.y + (b.y - a.y) * t / length};
      };
      if (on) canvas.line(at(s), at(end), kStroke, curve.colour, clip);
      s = end;
    }
    along += length;
  }
  if (!curve.markers) return;
  for (const Point p : points)
    if (std::abs(p.x) < kFar && std::abs(p.y) < kFar) canvas.line(p, p, 6, curve.colour, clip);
}

void draw_panel(Canvas& canvas, const ChartPanel& panel, const ChartColours& colours, const Rectangle& r) {
  const Scale x(panel.x, panel.curves, &ChartCurve::x, r.left, r.right);
  const Scale y(panel.y, panel.curves, &ChartCurve::y, r.bottom, r.top);
  canvas.fill(r, colours.field);
  for (const Scale::Tick& tick : x.ticks()) {
    canvas.line({tick.at, r.top}, {tick.at, r.bottom}, 1, colours.grid, r);
    canvas.text({tick.at, r.bottom + 19}, tick.label, kTickSize, colours.muted, Anchor::centre);
  }
  constexpr double kMark = 4;
  for (const double at : x.minor_ticks())
    canvas.line({at, r.bottom - kMark}, {at, r.bottom}, 1, colours.muted, r);
  if (!panel.y.bare)
    for (const double at : y.minor_ticks())
      canvas.line({r.left, at}, {r.left + kMark, at}, 1, colours.muted, r);
  for (const Scale::Tick& tick : panel.y.bare ? std::vector<Scale::Tick>{} : y.ticks()) {
    canvas.line({r.left, tick.at}, {r.right, tick.at}, 1, colours.grid, r);
    canvas.text({r.left - 8, tick.at + 5}, tick.label, kTickSize, colours.muted, Anchor::right);
  }
  for (const ChartCurve& curve : panel.curves) {
    std::vector<Point> points;
    for (std::size_t k = 0; k < curve.x.size(); ++k) points.push_back({x(curve.x[k]), y(curve.y[k])});
    draw_curve(canvas, curve, points, r);
  }
  const Rectangle around{r.left - 1, r.top - 1, r.right + 1, r.bottom + 1};
  for (const auto& [a, b] : {std::pair<Point, Point>{{r.left, r.top}, {r.right, r.top}},
                             {{r.right, r.top}, {r.right, r.bottom}},
                             {{r.right, r.bottom}, {r.left, r.bottom}},
                             {{r.left, r.bottom}, {r.left, r.top}}})
    canvas.line(a, b, 1, colours.frame, around);
  for (const ChartStretch& s : panel.strip) {
    const Rectangle part{x(s.x0), r.top - kStripGap - kStrip, x(s.x1), r.top - kStripGap};
    canvas.fill(part, s.colour);
    if (canvas.width(s.text, kTickSize) <= part.right - part.left)
      canvas.text({(part.left + part.right) / 2, part.bottom - 4}, s.text, kTickSize, s.text_colour,
                  Anchor::centre);
  }
  const double title = r.top - 10 - (panel.strip.empty() ? 0 : kStrip + kStripGap - 2);
  canvas.text({r.left, title}, panel.y.title, kTextSize, colours.text);
  canvas.text({r.right, r.bottom + 42}, panel.x.title, kTextSize, colours.text, Anchor::right);
}

/// The text in lines of at most that width [pixel], broken at spaces.
std::vector<std::string> lines_of(const std::string& text, double width, const Font& font) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin + 1), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && font.draw(lines.back() + word, kTickSize).width > width)
      lines.push_back(word.substr(1));  // without its space
    else
      lines.back() += word;
    begin = end;
  }
  return lines;
}

struct LegendEntry {
  const ChartCurve* curve = nullptr;
  std::vector<std::string> lines;
};

/// The curves of all panels, each label once.
std::vector<LegendEntry> legend(const Chart& chart, const Font& font) {
  std::vector<LegendEntry> entries;
  for (const ChartPanel& panel : chart.panels)
    for (const ChartCurve& curve : panel.curves)
      if (!curve.label.empty() &&
          std::ranges::none_of(entries, [&](const LegendEntry& e) { return e.curve->label == curve.label; }))
        entries.push_back({&curve, lines_of(curve.label, kLegend - kLegendText - 8, font)});
  return entries;
}

}  // namespace

Picture draw_chart(const Chart& chart, const std::filesystem::path& font_file) {
  const Font font(font_file);
  const std::vector<LegendEntry> entries = legend(chart, font);
  std::size_t lines = 1;
  for (const LegendEntry& entry : entries) lines += entry.lines.size();
  const int panels = kTop + static_cast<int>(chart.panels.size()) * (kAbove + kPanelHeight + kBelow);
  const int rows = kTop + kAbove + static_cast<int>(kLegendRow * static_cast<double>(lines));
  const ChartColours& colours = chart.colours;
  Canvas canvas(kWidth, std::max(panels, rows), font, colours.ground);
  canvas.text({kLeft, 36}, chart.title, kTitleSize, colours.text);
  double top = kTop + kAbove;
  for (const ChartPanel& panel : chart.panels) {
    draw_panel(canvas, panel, colours, {kLeft, top, kWidth - kLegend, top + kPanelHeight});
    top += kPanelHeight + kBelow + kAbove;
  }
  double row = kTop + kAbove + 8;
  for (const LegendEntry& entry : entries) {
    const double left = kWidth - kLegend + 18;
    draw_curve(canvas, *entry.curve, {{left, row}, {left + 30, row}}, {0, 0, kWidth, 1e9});
    for (const std::string& line : entry.lines) {
      canvas.text({kWidth - kLegend + kLegendText, row + 5}, line, kTickSize, colours.text);
      row += kLegendRow;
    }
  }
  return canvas.take();
}

}  // namespace clothlab
