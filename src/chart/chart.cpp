// SPDX-License-Identifier: MIT
#include "chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "chart/font.h"
#include "core/text.h"

namespace clothlab {
namespace {

// [pixel]
constexpr int kWidth = 1100, kPanelHeight = 330;
constexpr int kLeft = 76, kLegend = 290, kTop = 56, kAbove = 34, kBelow = 58;
constexpr double kLegendText = 58;  // from the panel to the text
constexpr double kLegendWidth = kLegend - kLegendText - 8;
constexpr int kNameRow = 22;  // height of a row with a name
constexpr int kStrip = 17, kStripGap = 3;
static_assert(kWidth - kLeft - kLegend == kChartPanelWidth);
constexpr double kTitleSize = 21, kTextSize = 16, kTickSize = 14, kLegendRow = 21;

constexpr double kCentre = 0.5, kRight = 1;  // of a text, see Canvas::text

/// What charts are drawn on; in pixels, y downwards.
class Canvas {
 public:
  explicit Canvas(const Font& font) : font_(font) {}
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;

  virtual void fill(const ChartBox& r, Rgb colour) = 0;
  /// A line through the points with round ends; two equal points are a dot.
  virtual void line(std::span<const ChartPoint> points, double width, Rgb colour, const Dash& dash,
                    const ChartBox& clip) = 0;
  /// A text whose baseline passes through `at`, with this share of its width on the left.
  virtual void text(ChartPoint at, std::string_view utf8, double size, Rgb colour, double anchor = 0) = 0;

  void line(ChartPoint a, ChartPoint b, double width, Rgb colour, const ChartBox& clip) {
    line(std::array{a, b}, width, colour, {}, clip);
  }
  int width(std::string_view utf8, double size) const { return font_.draw(utf8, size).width; }

 protected:
  const Font& font_;
};

/// The centre of pixel (i, j) is (i + ½, j + ½).
class PixelCanvas final : public Canvas {
 public:
  PixelCanvas(int width, int height, const Font& font, Rgb background) : Canvas(font) {
    image_.width = width;
    image_.height = height;
    image_.rgba.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4, 255);
    fill({0, 0, double(width), double(height)}, background);
  }

  using Canvas::line;

  void fill(const ChartBox& r, Rgb colour) override {
    for_pixels(r, [&](int x, int y) { blend(x, y, colour, 1); });
  }

  void line(std::span<const ChartPoint> points, double width, Rgb colour, const Dash& dash,
            const ChartBox& clip) override {
    const auto draw = [&](ChartPoint a, ChartPoint b) { segment(a, b, width, colour, clip); };
    if (!dash.whole()) return for_dashes(points, dash, clip, draw);
    for (std::size_t k = 1; k < points.size(); ++k) draw(points[k - 1], points[k]);
  }

  void text(ChartPoint at, std::string_view utf8, double size, Rgb colour, double anchor) override {
    const TextMask mask = font_.draw(utf8, size);
    const int left = static_cast<int>(std::lround(at.x - anchor * mask.width));
    const int top = static_cast<int>(std::lround(at.y)) - mask.baseline;
    for (int y = 0; y < mask.height; ++y)
      for (int x = 0; x < mask.width; ++x) blend(left + x, top + y, colour, mask.at(x, y) / 255.0);
  }

  Image finish() { return std::move(image_); }

 private:
  /// Smooth at its edges.
  void segment(ChartPoint a, ChartPoint b, double width, Rgb colour, const ChartBox& clip) {
    const double reach = width / 2 + 1;
    const ChartBox box{
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

  template <class Body>
  void for_pixels(const ChartBox& r, Body body) {
    const int right = static_cast<int>(std::ceil(std::min(r.right, double(image_.width))));
    const int bottom = static_cast<int>(std::ceil(std::min(r.bottom, double(image_.height))));
    for (int y = std::max(0, static_cast<int>(r.top)); y < bottom; ++y)
      for (int x = std::max(0, static_cast<int>(r.left)); x < right; ++x) body(x, y);
  }

  void blend(int x, int y, Rgb colour, double share) {
    if (share <= 0 || x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
    std::uint8_t* pixel = &image_.rgba[static_cast<std::size_t>(y * image_.width + x) * 4];
    for (std::size_t c = 0; c < 3; ++c)
      pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + share * (colour[c] - pixel[c])));
  }

  Image image_;
};

/// Text of an SVG file, with the sizes of the pixel canvas.
class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(int width, int height, const Font& font, Rgb background) : Canvas(font) {
    const std::string size = std::to_string(width) + "\" height=\"" + std::to_string(height);
    svg_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " +
           std::to_string(width) + " " + std::to_string(height) +
           "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" stroke-linecap=\"round\" "
           "stroke-linejoin=\"round\">\n";
    fill({0, 0, double(width), double(height)}, background);
  }

  using Canvas::line;

  void fill(const ChartBox& r, Rgb colour) override {
    if (!(r.right > r.left && r.bottom > r.top)) return;
    svg_ += "<rect x=\"" + number(r.left) + "\" y=\"" + number(r.top) + "\" width=\"" +
            number(r.right - r.left) + "\" height=\"" + number(r.bottom - r.top) + "\" fill=\"" +
            name_of(colour) + "\"/>\n";
  }

  void line(std::span<const ChartPoint> points, double width, Rgb colour, const Dash& dash,
            const ChartBox& clip) override {
    std::string path;
    ChartPoint end{NAN, NAN};
    for (std::size_t k = 1; k < points.size(); ++k) {
      const ChartPoint a = points[k - 1], b = points[k];
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      const auto [first, last] = part_within(a, b, length, clip);
      if (length > 0 && first == last) continue;
      const auto at = [&](double s) {
        return length > 0 ? ChartPoint{a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length} : a;
      };
      const ChartPoint from = at(first);
      if (length == 0 &&
          (from.x < clip.left || from.x > clip.right || from.y < clip.top || from.y > clip.bottom))
        continue;
      if (from.x != end.x || from.y != end.y) path += "M" + number(from.x) + " " + number(from.y);
      end = at(last);
      path += "L" + number(end.x) + " " + number(end.y);
    }
    if (path.empty()) return;
    svg_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + name_of(colour) + "\" stroke-width=\"" +
            number(width);
    // Round ends lengthen each dash by the width.
    if (!dash.whole())
      svg_ += "\" stroke-linecap=\"butt\" stroke-dasharray=\"" + number(dash.on) + " " + number(dash.off);
    svg_ += "\"/>\n";
  }

  void text(ChartPoint at, std::string_view utf8, double size, Rgb colour, double anchor) override {
    constexpr double kEm = 0.86;  // of the height of a line in DejaVu Sans
    svg_ += "<text x=\"" + number(at.x) + "\" y=\"" + number(at.y) + "\" font-size=\"" + number(kEm * size) +
            "\" fill=\"" + name_of(colour) + "\" text-anchor=\"" +
            (anchor == 0         ? "start"
             : anchor == kCentre ? "middle"
                                 : "end") +
            "\">";
    for (const char c : printable(utf8, utf8.size())) {
      if (c == '&')
        svg_ += "&amp;";
      else if (c == '<')
        svg_ += "&lt;";
      else
        svg_ += c;
    }
    svg_ += "</text>\n";
  }

  std::string finish() { return std::move(svg_) + "</svg>\n"; }

 private:
  /// To hundredths of a pixel.
  static std::string number(double value) { return format_number(std::round(100 * value) / 100); }
  static std::string name_of(Rgb colour) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name = "#";
    for (const int part : colour)
      name += {kDigits[static_cast<std::size_t>(part / 16)], kDigits[static_cast<std::size_t>(part % 16)]};
    return name;
  }

  std::string svg_;
};

/// An axis and its two ends [pixel].
struct PlacedAxis {
  Axis axis;
  std::span<const std::string> names;
  double from = 0, to = 1;

  double operator()(double value) const { return from + axis.clamped_position(value) * (to - from); }
  double length() const { return std::abs(to - from); }
  std::vector<AxisTick> ticks() const {
    constexpr double kTickDistance = 70;
    if (!names.empty()) {
      std::vector<AxisTick> all;
      for (const std::string& name : names) all.push_back({static_cast<double>(all.size()), name});
      return all;
    }
    return axis.ticks(static_cast<int>(length() / kTickDistance));
  }
};

PlacedAxis place_axis(const ChartAxis& axis, const std::vector<ChartCurve>& curves,
                      std::vector<double> ChartCurve::*values, double from, double to) {
  AxisFit fit(axis.logarithmic);
  for (const ChartCurve& curve : curves)
    for (const double value : curve.*values) fit.include(value);
  const AxisRange range = !axis.names.empty() ? AxisRange{-0.5, static_cast<double>(axis.names.size()) - 0.5}
                          : axis.range        ? *axis.range
                                              : fit.range(false);
  return {Axis(range, axis.logarithmic), axis.names, from, to};
}

constexpr double kStroke = 2;  // of curves

void draw_marker(Canvas& canvas, ChartPoint at, Rgb colour, const ChartBox& clip) {
  canvas.line(at, at, 6, colour, clip);
}

void draw_curve(Canvas& canvas, const ChartCurve& curve, const PlacedAxis& x, const PlacedAxis& y,
                const ChartBox& clip) {
  std::vector<ChartPoint> points;
  const auto end_line = [&] {
    if (curve.line) canvas.line(points, kStroke, curve.colour, curve.dash, clip);
    if (curve.markers)
      for (const ChartPoint p : points) draw_marker(canvas, p, curve.colour, clip);
    points.clear();
  };
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (Axis::has(curve.x[k], x.axis.logarithmic()) && Axis::has(curve.y[k], y.axis.logarithmic()))
      points.push_back({x(curve.x[k]), y(curve.y[k])});
    else
      end_line();
  }
  end_line();
}

void fill_band(Canvas& canvas, const ChartBand& band, const PlacedAxis& x, const PlacedAxis& y,
               const ChartBox& clip) {
  for (std::size_t k = 1; k < band.x.size(); ++k) {
    const double low = band.low[k - 1], high = band.high[k - 1];
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    canvas.fill({std::max(x(band.x[k - 1]), clip.left), std::clamp(y(high), clip.top, clip.bottom),
                 std::min(x(band.x[k]), clip.right), std::clamp(y(low), clip.top, clip.bottom)},
                band.colour);
  }
}

void draw_panel(Canvas& canvas, const ChartPanel& panel, const ChartColours& colours, const ChartBox& r) {
  const PlacedAxis x = place_axis(panel.x, panel.curves, &ChartCurve::x, r.left, r.right);
  const PlacedAxis y = place_axis(panel.y, panel.curves, &ChartCurve::y, r.bottom, r.top);
  canvas.fill(r, colours.field);
  for (const AxisTick& tick : x.ticks()) {
    const double at = x(tick.value);
    canvas.line({at, r.top}, {at, r.bottom}, 1, colours.grid, r);
    canvas.text({at, r.bottom + 19}, tick.label, kTickSize, colours.muted, kCentre);
  }
  constexpr double kMark = 4;
  for (const double value : x.axis.minor_ticks(x.length()))
    canvas.line({x(value), r.bottom - kMark}, {x(value), r.bottom}, 1, colours.muted, r);
  if (!panel.y.bare) {
    for (const double value : y.axis.minor_ticks(y.length()))
      canvas.line({r.left, y(value)}, {r.left + kMark, y(value)}, 1, colours.muted, r);
    for (const AxisTick& tick : y.ticks()) {
      const double at = y(tick.value);
      canvas.line({r.left, at}, {r.right, at}, 1, colours.grid, r);
      canvas.text({r.left - 8, at + 5}, tick.label, kTickSize, colours.muted, kRight);
    }
  }
  for (const ChartBand& band : panel.bands) fill_band(canvas, band, x, y, r);
  for (const ChartCurve& curve : panel.curves) draw_curve(canvas, curve, x, y, r);
  const ChartBox around{r.left - 1, r.top - 1, r.right + 1, r.bottom + 1};
  for (const auto& [a, b] : {std::pair<ChartPoint, ChartPoint>{{r.left, r.top}, {r.right, r.top}},
                             {{r.right, r.top}, {r.right, r.bottom}},
                             {{r.right, r.bottom}, {r.left, r.bottom}},
                             {{r.left, r.bottom}, {r.left, r.top}}})
    canvas.line(a, b, 1, colours.frame, around);
  for (const ChartStretch& s : panel.strip) {
    const ChartBox part{x(s.x0), r.top - kStripGap - kStrip, x(s.x1), r.top - kStripGap};
    canvas.fill(part, s.colour);
    if (canvas.width(s.text, kTickSize) <= part.right - part.left)
      canvas.text({(part.left + part.right) / 2, part.bottom - 4}, s.text, kTickSize, s.text_colour, kCentre);
  }
  const double title = r.top - 10 - (panel.strip.empty() ? 0 : kStrip + kStripGap - 2);
  canvas.text({r.left, title}, panel.y.title, kTextSize, colours.text);
  canvas.text({r.right, r.bottom + 42}, panel.x.title, kTextSize, colours.text, kRight);
}

int height_of(const ChartPanel& panel) {
  return panel.y.names.empty() ? kPanelHeight : kNameRow * static_cast<int>(panel.y.names.size());
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

/// The labels of all panels, each once.
std::vector<LegendEntry> legend_of(const std::vector<ChartPanel>& panels) {
  std::vector<LegendEntry> entries;
  for (const ChartPanel& panel : panels)
    for (const ChartCurve& curve : panel.curves)
      if (!curve.label.empty() &&
          std::ranges::none_of(entries, [&](const LegendEntry& e) { return e.label == curve.label; }))
        entries.push_back({curve.label, curve.colour, curve.dash, curve.markers, curve.line});
  return entries;
}

void draw_legend(Canvas& canvas, const std::vector<LegendEntry>& entries, const Font& font, Rgb text) {
  double row = kTop + kAbove + 8;
  const double left = kWidth - kLegend + 18;
  const ChartBox everywhere{0, 0, kWidth, 1e9};
  for (const LegendEntry& entry : entries) {
    const std::array sample{ChartPoint{left, row}, ChartPoint{left + 30, row}};
    if (entry.line) canvas.line(sample, kStroke, entry.colour, entry.dash, everywhere);
    if (!entry.line)
      draw_marker(canvas, {left + 15, row}, entry.colour, everywhere);
    else if (entry.markers)
      for (const ChartPoint p : sample) draw_marker(canvas, p, entry.colour, everywhere);
    for (const std::string& line : lines_of(entry.label, kLegendWidth, font)) {
      canvas.text({kWidth - kLegend + kLegendText, row + 5}, line, kTickSize, text);
      row += kLegendRow;
    }
  }
}

/// Draws on a canvas of that kind.
template <class Kind>
auto drawn(const Chart& chart) {
  const Font font(find_font_file());
  const std::vector<LegendEntry> entries = chart.legend.empty() ? legend_of(chart.panels) : chart.legend;
  std::size_t lines = 1;
  for (const LegendEntry& entry : entries) lines += lines_of(entry.label, kLegendWidth, font).size();
  int left = kLeft, panels = kTop;
  for (const ChartPanel& panel : chart.panels) {
    panels += kAbove + height_of(panel) + kBelow;
    for (const std::string& name : panel.y.names)
      left = std::max(left, font.draw(name, kTickSize).width + 24);
  }
  const int rows = kTop + kAbove + static_cast<int>(kLegendRow * static_cast<double>(lines));
  const ChartColours& colours = chart.colours;
  Kind kind(kWidth, std::max(panels, rows), font, colours.background);
  Canvas& canvas = kind;
  canvas.text({double(left), 36}, chart.title, kTitleSize, colours.text);
  double top = kTop + kAbove;
  for (const ChartPanel& panel : chart.panels) {
    const int height = height_of(panel);
    draw_panel(canvas, panel, colours, {double(left), top, kWidth - kLegend, top + height});
    top += height + kBelow + kAbove;
  }
  draw_legend(canvas, entries, font, colours.text);
  return kind.finish();
}

}  // namespace

Image draw_chart(const Chart& chart) { return drawn<PixelCanvas>(chart); }

Image draw_panel(const ChartPanel& panel, const ChartColours& colours, int width, int height,
                 const Font& font) {
  constexpr int kRightOfPanel = 24;  // half of the last number
  PixelCanvas canvas(width, height, font, colours.background);
  draw_panel(canvas, panel, colours,
             {double(kLeft), double(kAbove), double(width - kRightOfPanel), double(height - kBelow)});
  return canvas.finish();
}

std::string svg_of(const Chart& chart) { return drawn<SvgCanvas>(chart); }

}  // namespace clothlab
