#include "ui/plot.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

struct Range {
  double low = 0;
  double high = 1;
};

double to_axis(double y, bool log_y) { return log_y ? std::log10(y) : y; }

bool drawable(double y, bool log_y) { return std::isfinite(y) && (!log_y || y > 0); }

// Range of the y axis, in its own scale, with a little room above and below.
Range y_range(const Plot& plot) {
  double low = INFINITY;
  double high = -INFINITY;
  const auto take = [&](double y) {
    if (!drawable(y, plot.log_y)) return;
    low = std::min(low, to_axis(y, plot.log_y));
    high = std::max(high, to_axis(y, plot.log_y));
  };
  for (const PlotCurve& curve : plot.curves) {
    for (const double y : curve.y) take(y);
  }
  for (const PlotLevel& level : plot.levels) take(level.y);
  if (!(low <= high)) return {};
  if (plot.from_zero && !plot.log_y) low = std::min(low, 0.0);
  if (plot.log_y) return {std::floor(low - 0.05), std::ceil(high + 0.05)};
  // A constant gets a range of its own size around it, never an empty one.
  const double span = high - low;
  const double least = std::max(std::abs(high), std::abs(low)) * 1e-6;
  if (span <= least) {
    const double half = high == 0 ? 1 : std::abs(high) * 0.5;
    return plot.from_zero ? Range{std::min(0.0, low), std::max(1.0, high * 1.2)}
                          : Range{low - half, high + half};
  }
  const double room = span * 0.08;
  return {plot.from_zero && low == 0 ? 0 : low - room, high + room};
}

// Round steps of 1, 2 or 5 times a power of ten, about `count` of them.
double round_step(double span, int count) {
  const double raw = span / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

std::string power_of_ten(double exponent) { return "1e" + std::to_string(static_cast<int>(exponent)); }

std::string axis_value(double y, const Plot& plot) {
  return plot.y_unit.empty() ? format_plain(y) : format_quantity(y, plot.y_unit);
}

}  // namespace

void draw_plot(const Plot& plot, ImVec2 size) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 end(origin.x + size.x, origin.y + size.y);
  ImGui::InvisibleButton(("##plot" + plot.title).c_str(), size);
  note_item("plot:" + plot.title);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(origin, end, palette().overlay, units(5));
  ImFont* font = fonts().small;
  ImGui::PushFont(font);
  const float line = ImGui::GetTextLineHeight();
  const float pad = units(8);
  const auto text = [&](ImVec2 at, ImU32 colour, const std::string& what) {
    draw->AddText(at, colour, displayable(what).c_str());
  };
  const auto width_of = [](const std::string& what) {
    return ImGui::CalcTextSize(displayable(what).c_str()).x;
  };

  // Title, then the legend in the same line as far as it goes.
  text(ImVec2(origin.x + pad, origin.y + units(5)), palette().text, plot.title);
  float legend_x = origin.x + pad + width_of(plot.title) + units(9);
  for (const PlotCurve& curve : plot.curves) {
    const std::string entry = curve.label + (curve.value.empty() ? "" : " " + curve.value);
    const float width = units(13) + width_of(entry) + units(7);
    if (curve.label.empty() || legend_x + width > end.x) continue;
    const float y = origin.y + units(5) + line / 2;
    draw->AddLine(ImVec2(legend_x, y), ImVec2(legend_x + units(9), y), curve.colour, units(2));
    text(ImVec2(legend_x + units(12), origin.y + units(5)), palette().muted, entry);
    legend_x += width;
  }

  const bool has_data = plot.x.size() >= 2;
  if (!has_data) {
    ImGui::PushTextWrapPos(0);
    const ImVec2 extent =
        ImGui::CalcTextSize(displayable(plot.empty).c_str(), nullptr, false, size.x - 2 * pad);
    draw->AddText(font, ImGui::GetFontSize(),
                  ImVec2(origin.x + (size.x - extent.x) / 2, origin.y + (size.y - extent.y) / 2 + line / 2),
                  palette().muted, displayable(plot.empty).c_str(), nullptr, size.x - 2 * pad);
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    return;
  }

  const Range range = y_range(plot);
  const double x0 = plot.x.front();
  const double x1 = plot.x.back() > x0 ? plot.x.back() : x0 + 1;
  const ImVec2 a(origin.x + units(46), origin.y + units(9) + line + units(3));
  const ImVec2 b(end.x - pad, end.y - line - units(9));
  const auto px = [&](double x) { return a.x + static_cast<float>((x - x0) / (x1 - x0)) * (b.x - a.x); };
  const auto py = [&](double y) {
    return b.y -
           static_cast<float>((to_axis(y, plot.log_y) - range.low) / (range.high - range.low)) * (b.y - a.y);
  };

  // Horizontal grid lines with their values.
  const double step = plot.log_y ? std::max(1.0, std::ceil((range.high - range.low) / 4))
                                 : round_step(range.high - range.low, 4);
  for (double level = std::ceil(range.low / step - 1e-9) * step; level <= range.high + step * 1e-9;
       level += step) {
    const double y = plot.log_y ? std::pow(10.0, level) : level;
    const float at = py(y);
    draw->AddLine(ImVec2(a.x, at), ImVec2(b.x, at), with_alpha(palette().line, 0.8F));
    const std::string label =
        plot.log_y ? power_of_ten(level) : axis_value(std::abs(level) < step * 1e-6 ? 0 : level, plot);
    const float label_y = std::clamp(at - line / 2, a.y - line / 2, b.y - line * 0.7F);
    text(ImVec2(a.x - units(4) - width_of(label), label_y), palette().muted, label);
  }

  draw->PushClipRect(ImVec2(a.x, a.y - units(1)), ImVec2(b.x + units(1), b.y + units(4)), true);
  for (const PlotBand& band : plot.bands) {
    draw->AddRectFilled(ImVec2(px(band.x0), b.y), ImVec2(px(band.x1), b.y + units(3)), band.colour);
  }
  for (const PlotLevel& level : plot.levels) {
    if (!drawable(level.y, plot.log_y)) continue;
    const float at = py(level.y);
    for (float x = a.x; x < b.x; x += units(8)) {
      draw->AddLine(ImVec2(x, at), ImVec2(std::min(x + units(5), b.x), at), level.colour, units(1.2F));
    }
    const float above = at - line - units(1);
    text(ImVec2(std::max(a.x, b.x - width_of(level.label) - units(3)), above > a.y ? above : at + units(1)),
         level.colour, level.label);
  }
  std::vector<ImVec2> points;
  points.reserve(plot.x.size());
  for (const PlotCurve& curve : plot.curves) {
    const auto flush = [&] {
      if (points.size() >= 2) {
        // Whole pixels: Dear ImGui then draws a third of the triangles.
        const float thickness = std::max(1.0F, std::round(units(curve.thickness)));
        draw->AddPolyline(points.data(), static_cast<int>(points.size()), curve.colour, 0, thickness);
      }
      points.clear();
    };
    for (std::size_t i = 0; i < plot.x.size() && i < curve.y.size(); ++i) {
      if (!drawable(curve.y[i], plot.log_y)) {
        flush();
        continue;
      }
      const ImVec2 point(px(plot.x[i]), py(curve.y[i]));
      // What lies closer than a pixel or two adds nothing but work.
      const bool last = i + 1 == plot.x.size();
      if (!points.empty() && !last && std::abs(point.x - points.back().x) < 1.5F &&
          std::abs(point.y - points.back().y) < 3) {
        continue;
      }
      points.push_back(point);
    }
    flush();
  }
  float label_row = 0;
  for (const PlotMark& mark : plot.marks) {
    const float x = px(mark.x);
    draw->AddLine(ImVec2(x, a.y), ImVec2(x, b.y), with_alpha(mark.colour, 0.9F), units(1.2F));
    const float width = width_of(mark.label);
    const float text_x = x + units(4) + width < b.x ? x + units(4) : x - units(4) - width;
    const float text_y = a.y + label_row * line;
    draw->AddRectFilled(ImVec2(text_x - units(2), text_y), ImVec2(text_x + width + units(2), text_y + line),
                        with_alpha(palette().overlay, 0.8F));
    text(ImVec2(text_x, text_y), mark.colour, mark.label);
    label_row = label_row < 2 ? label_row + 1 : 0;
  }
  draw->PopClipRect();

  // The x axis: its two ends, and its title between them.
  const std::string left = format_plain(x0);
  const std::string right = format_plain(plot.x.back());
  const float axis_y = b.y + units(4);
  text(ImVec2(a.x, axis_y), palette().muted, left);
  text(ImVec2(b.x - width_of(right), axis_y), palette().muted, right);
  if (width_of(left) + width_of(plot.x_title) + width_of(right) + units(12) < b.x - a.x) {
    text(ImVec2((a.x + b.x - width_of(plot.x_title)) / 2, axis_y), palette().muted, plot.x_title);
  }

  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (hovered && mouse.x >= a.x && mouse.x <= b.x) {
    const double at = x0 + (x1 - x0) * static_cast<double>((mouse.x - a.x) / (b.x - a.x));
    auto nearest = std::lower_bound(plot.x.begin(), plot.x.end(), at);
    if (nearest == plot.x.end()) --nearest;
    const auto i = static_cast<std::size_t>(nearest - plot.x.begin());
    draw->AddLine(ImVec2(px(*nearest), a.y), ImVec2(px(*nearest), b.y), with_alpha(palette().text, 0.5F));
    std::string what = plot.x_title + ": " + format_plain(*nearest, 4);
    for (const PlotCurve& curve : plot.curves) {
      if (i < curve.y.size() && !curve.label.empty())
        what += "\n" + curve.label + ": " + axis_value(curve.y[i], plot);
    }
    ImGui::PopFont();
    tooltip(what);
    return;
  }
  ImGui::PopFont();
}

}  // namespace clothlab
