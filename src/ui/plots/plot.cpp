// SPDX-License-Identifier: MIT
#include "ui/plots/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "integrate/registry.h"
#include "io/csv.h"
#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr float kLeastFrame = 24;  // [interface units]
constexpr float kStripGap = 2;     // between the strip and the frame [interface units]
// Where less is left for the frame, the strip is thin and without marks [interface units].
constexpr float kLeastBesideMarks = 56, kThinStrip = 4;

constexpr float kBandAlpha = 0.8F;
constexpr float kRowOfNumbers = 2.2F;  // [lines]

bool visible(const PlotView& view, const PlotRun& run) { return !view.hidden.contains(run.name); }
bool visible(const PlotView& view, const PlotCurve& curve) { return !view.hidden.contains(curve.label); }

/// The samples of a run in a range of x: from `first` to before `last`.
struct SamplesIn {
  std::size_t first, last;
};
SamplesIn samples_in(const PlotRun& run, const AxisRange& x) {
  const auto first = std::ranges::lower_bound(run.x, x.low), last = std::ranges::upper_bound(run.x, x.high);
  return {static_cast<std::size_t>(first - run.x.begin()), static_cast<std::size_t>(last - run.x.begin())};
}

/// The next cell of a table.
void add_cell(const std::string& text, ImU32 colour) {
  ImGui::TableNextColumn();
  coloured_text(colour, text);
}

// ---- Legend

// Names in rows below `at`, at least one row; returns their height.
float draw_legend(const std::string& name, const Plot& plot, PlotView& view, ImVec2 at, float width,
                  float most_height) {
  const float line = ImGui::GetTextLineHeight();
  const float row = line + units(3);
  const float sample = units(12);
  float x = at.x;
  float y = at.y;
  if (!plot.y_title.empty()) {
    ImGui::SetCursorScreenPos(ImVec2(x, y + units(1)));
    ImGui::TextDisabled("%s:", plot.y_title.c_str());
    tooltip(plot.y_help);
    x += text_width(plot.y_title + ':') + units(8);
  }
  for (const LegendEntry& entry : legend_of(plot)) {
    const float wide = sample + units(4) + text_width(entry.label);
    if (x > at.x && x + wide > at.x + width) {
      if (y + 2 * row > at.y + most_height) break;
      x = at.x;
      y += row;
    }
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::PushID(entry.label.c_str());
    if (ImGui::InvisibleButton("##entry", ImVec2(std::min(wide, width), row))) {
      if (view.hidden.erase(entry.label) == 0) view.hidden.insert(entry.label);
    }
    ImGui::PopID();
    note_item(name + ":legend:" + entry.label);
    const bool off = view.hidden.contains(entry.label);
    tooltip(off ? "Click to show it." : "Click to hide it.");
    const float middle = std::round(y + row / 2);
    draw_line({ImVec2(x, middle), ImVec2(x + sample, middle)}, off ? palette().line : rgb(entry.colour), 2,
              entry.dash);
    draw_text(ImVec2(x + sample + units(4), y + units(1)), off ? palette().line : palette().muted,
              entry.label);
    x += wide + units(8);
  }
  return y + row - at.y;
}

// ---- Contents of the frame

class PlotPainter {
 public:
  PlotPainter(const Plot& plot, const PlotView& view, const Figure& frame)
      : plot_(plot), view_(view), frame_(frame) {}

  void levels() {
    const float line = ImGui::GetTextLineHeight();
    for (const PlotLevel& level : plot_.levels) {
      if (!Axis::has(level.y, view_.logarithmic)) continue;
      const float at = frame_.py(level.y);
      if (at < a_.y || at > b_.y) continue;
      draw_line({ImVec2(a_.x, at), ImVec2(b_.x, at)}, level.colour, 1.2F, kShortDash);
      const float above = at - line - units(1);
      frame_.label(ImVec2(b_.x, above > a_.y ? above : at + units(1)), level.colour, level.label);
    }
  }

  void curves() {
    for (std::size_t r = plot_.runs.size(); r-- > 0;) {
      const PlotRun& run = plot_.runs[r];
      if (!visible(view_, run)) continue;
      if (!view_.logarithmic) bands(run);
      for (const PlotCurve& c : run.curves)
        if (visible(view_, c) && !is_band(c)) curve(run, c, c.colour);
    }
  }

  // A line between two pieces of the strip.
  void switches(const std::vector<StripPiece>& pieces) {
    for (std::size_t k = 1; k < pieces.size(); ++k)
      frame_.upright(a_.x + static_cast<float>(pieces[k].left), with_alpha(palette().muted, 0.7F));
  }

  // Where the curves of all lanes begin to count.
  void origin() {
    const AxisRange x = frame_.x().range();
    if (plot_.origin && *plot_.origin > x.low && *plot_.origin <= x.high)
      frame_.upright(frame_.px(*plot_.origin), palette().muted);
  }

  void cursor() {
    if (!plot_.cursor) return;
    const float x = frame_.px(*plot_.cursor);
    frame_.upright(x, palette().accent_strong, 2);
    draw_->AddTriangleFilled(ImVec2(x - units(5), b_.y + units(6)), ImVec2(x + units(5), b_.y + units(6)),
                             ImVec2(x, b_.y - units(2)), palette().accent_strong);
  }

  // A line at the sample nearest to the mouse, with the values of all runs.
  void readings(float mouse_x) {
    const double at = frame_.x_at(mouse_x);
    std::vector<Reading> read;
    // Runs that did not reach this time are left out, unless there is no other.
    for (std::size_t r = 0; r < plot_.runs.size(); ++r) {
      const PlotRun& run = plot_.runs[r];
      if (visible(view_, run) && !run.x.empty() && at >= run.x.front() && at <= run.x.back())
        read.push_back({r, nearest(run.x, at)});
    }
    if (read.empty() && !plot_.runs.front().x.empty()) read.push_back({0, nearest(plot_.runs.front().x, at)});
    for (const auto& [r, sample] : read) {
      const PlotRun& run = plot_.runs[r];
      for (const PlotCurve& c : run.curves)
        if (visible(view_, c) && !is_band(c) && Axis::has(c.y[sample], view_.logarithmic))
          draw_->AddCircleFilled(frame_.at(run.x[sample], c.y[sample]), units(2.5F), c.colour, 12);
    }
    if (read.empty()) return;
    const double x = plot_.runs[read.front().run].x[read.front().sample];
    frame_.upright(frame_.px(x), with_alpha(palette().text, 0.5F));
    const std::string title = plot_.x_title + ": " + format_plain(x, 5);
    table_of(read, plot_.y_title.empty() ? title : title + "; " + plot_.y_title);
  }

 private:
  struct Reading {
    std::size_t run = 0;
    std::size_t sample = 0;
  };

  // A row per curve, a column per run.
  void table_of(const std::vector<Reading>& read, const std::string& title) {
    begin_tooltip_above(a_.y - ImGui::GetTextLineHeight() - units(8));
    plain_text(title);
    note_text("reading", title);
    if (ImGui::BeginTable("##readings", static_cast<int>(read.size()) + 1,
                          ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoHostExtendX)) {
      if (plot_.runs.size() > 1) {
        add_cell("", palette().muted);
        for (const Reading& r : read) add_cell(plot_.runs[r.run].what, palette().muted);
      }
      const std::vector<PlotCurve>& curves = plot_.runs[read.front().run].curves;
      for (std::size_t c = 0; c < curves.size(); ++c) {
        if (!visible(view_, curves[c])) continue;
        add_cell(curves[c].label, curves[c].colour);
        for (const Reading& r : read) {
          const PlotRun& run = plot_.runs[r.run];
          const double y = run.curves[c].y[r.sample];
          const std::string text = std::isfinite(y) ? reading(y) : "-";
          add_cell(text, palette().text);
          note_text("reading:" + (run.name.empty() ? curves[c].label : run.name), text);
        }
      }
      ImGui::EndTable();
    }
    ImGui::EndTooltip();
  }

  static std::size_t nearest(const std::vector<double>& x, double at) {
    const auto after = std::ranges::lower_bound(x, at);
    if (after == x.begin()) return 0;
    const auto i = static_cast<std::size_t>(after - x.begin());
    if (i == x.size()) return i - 1;
    return at - x[i - 1] <= x[i] - at ? i - 1 : i;
  }

  std::string reading(double value) const { return format_quantity(value, plot_.unit, 4); }

  bool is_band(const PlotCurve& curve) const { return curve.stacked && !view_.logarithmic; }

  // A rectangle per pixel: triangles with smoothed edges would leave seams.
  void bands(const PlotRun& run) {
    const auto pixels = static_cast<std::size_t>(std::max(frame_.width(), 1.0F));
    for (const PlotBand& band : stacked_bands(run, view_, frame_.x().range(), pixels + 1)) {
      for (std::size_t k = 0; k < pixels; ++k) {
        if (!(band.high[k] > band.low[k])) continue;
        const float left = a_.x + static_cast<float>(k);
        draw_->AddRectFilled(ImVec2(left, frame_.py(band.high[k])), ImVec2(left + 1, frame_.py(band.low[k])),
                             with_alpha(band.colour, kBandAlpha));
      }
    }
  }

  void curve(const PlotRun& run, const PlotCurve& curve, ImU32 colour) {
    points_.clear();
    // One sample outside each end, so that the line reaches the edge.
    const AxisRange range = frame_.x().range();
    const std::size_t first = samples_in(run, range).first;
    for (std::size_t i = first > 0 ? first - 1 : 0; i < run.x.size(); ++i) {
      const bool beyond = run.x[i] > range.high;
      if (!Axis::has(curve.y[i], view_.logarithmic)) {
        draw_line(points_, colour, curve.thickness, run.dash);
        points_.clear();
      } else {
        const ImVec2 point = frame_.at(run.x[i], curve.y[i]);
        // Points closer than a pixel or two are skipped.
        const bool last = beyond || i + 1 == run.x.size();
        if (points_.empty() || last || std::abs(point.x - points_.back().x) >= 1.5F ||
            std::abs(point.y - points_.back().y) >= 3)
          points_.push_back(point);
      }
      if (beyond) break;
    }
    draw_line(points_, colour, curve.thickness, run.dash);
    for (const PlotExit& exit : exits_of(run, curve, range, frame_.y())) mark(exit, colour);
  }

  // An arrow head at the upper or lower edge.
  void mark(const PlotExit& exit, ImU32 colour) {
    const float x = frame_.px(exit.x), tip = exit.above ? a_.y : b_.y;
    const float base = tip + (exit.above ? units(7) : -units(7));
    draw_->AddTriangleFilled(ImVec2(x - units(4), base), ImVec2(x + units(4), base), ImVec2(x, tip), colour);
  }

  const Plot& plot_;
  const PlotView& view_;
  const Figure& frame_;
  const ImVec2 a_ = frame_.a(), b_ = frame_.b();
  ImDrawList* draw_ = ImGui::GetWindowDrawList();
  std::vector<ImVec2> points_;
};

bool has_samples(const Plot& plot) {
  return std::ranges::any_of(plot.runs, [](const PlotRun& run) { return run.x.size() >= 2; });
}

// A drag along the time axis, down to `bottom`, returns the time under the mouse.
std::optional<double> handle_time_axis(const std::string& name, const Figure& frame, float bottom) {
  ImGui::SetCursorScreenPos(ImVec2(frame.a().x, frame.b().y));
  ImGui::InvisibleButton("##axis", ImVec2(frame.width(), bottom - frame.b().y));
  note_item(name + ":axis");
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!ImGui::IsItemActive()) {
    tooltip("Drag along the time axis to look back.");
    return std::nullopt;
  }
  const bool moved = ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0;
  return moved ? std::optional(frame.x_at(ImGui::GetIO().MousePos.x)) : std::nullopt;
}

std::optional<double> draw_samples(const std::string& name, const Plot& plot, PlotView& view, ImVec2 at,
                                   ImVec2 size) {
  draw_ground(at, size);
  const float line = ImGui::GetTextLineHeight();
  const float pad = units(8);
  const float beside_legend = line + units(13 + kThinStrip + kStripGap + kLeastFrame);
  const float legend = draw_legend(name, plot, view, ImVec2(at.x + pad, at.y + units(3)), size.x - 2 * pad,
                                   std::min(size.y * 0.4F, size.y - beside_legend));
  const AxisRange x = shown_x(plot, view);
  const AxisRange y = shown_y(plot, view, x);
  const float numbers =
      std::max({units(46), text_width("-0.0000 %"), text_width("-000 m" + plot.unit) + units(6)});
  const ImVec2 strip(at.x + numbers, at.y + legend + units(6));
  const ImVec2 end(at.x + size.x - pad, at.y + size.y - line - units(7));
  ImVec2 corner = strip;
  float thickness = 0;
  // The methods over time, of the only run.
  const bool has_strip = plot.x_is_time && plot.runs.front().name.empty();
  if (has_strip) {
    const float marks = method_mark_size().y;
    const float left = end.y - strip.y - marks - units(kStripGap);
    thickness = left >= units(kLeastBesideMarks) ? marks : units(kThinStrip);
    corner.y += thickness + units(kStripGap);
  }
  const Figure frame({plot.x_title, x}, {{}, y, view.logarithmic, false, plot.unit, kRowOfNumbers, 100}, at.x,
                     corner, end);
  if (frame.width() < units(40) || frame.height() < units(kLeastFrame)) return std::nullopt;

  PlotPainter painter(plot, view, frame);
  frame.axes();
  std::vector<StripPiece> pieces;
  if (has_strip)
    pieces = draw_strip(name + ":strip", plot.runs.front().stretches, frame.x(), strip,
                        ImVec2(frame.width(), thickness));
  frame.begin_clip(units(6));
  painter.switches(pieces);
  painter.curves();
  painter.levels();
  painter.origin();
  painter.cursor();
  if (frame.zoom(name + ":frame", view)) painter.readings(ImGui::GetIO().MousePos.x);
  frame.end_clip();
  return plot.x_is_time ? handle_time_axis(name, frame, at.y + size.y) : std::nullopt;
}

}  // namespace

std::vector<LegendEntry> legend_of(const Plot& plot) {
  std::vector<LegendEntry> entries;
  for (const PlotRun& run : plot.runs) {
    if (!run.name.empty()) {
      entries.push_back({run.name, rgb_of(run.curves.front().colour), run.dash});
      continue;
    }
    for (const PlotCurve& curve : run.curves) entries.push_back({curve.label, rgb_of(curve.colour)});
  }
  return entries;
}

AxisRange shown_x(const Plot& plot, const PlotView& view) {
  if (view.x) return *view.x;
  if (plot.fit_x) return *plot.fit_x;
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  AxisRange all{kBeyond, -kBeyond};
  for (const PlotRun& run : plot.runs)
    if (!run.x.empty() && visible(view, run))
      all = {std::min(all.low, run.x.front()), std::max(all.high, run.x.back())};
  if (!(all.high >= all.low)) return {0, 1};
  return {all.low, all.high > all.low ? all.high : all.low + 1};
}

AxisRange shown_y(const Plot& plot, const PlotView& view, const AxisRange& x) {
  if (view.y && (!view.logarithmic || view.y->low > 0)) return *view.y;
  AxisFit fit(view.logarithmic);
  const auto fits = [&](const PlotRun& run) { return run.fits && visible(view, run); };
  const bool all = std::ranges::none_of(plot.runs, fits);
  for (const PlotRun& run : plot.runs) {
    if (!(all ? visible(view, run) : fits(run))) continue;
    const auto [first, last] = samples_in(run, x);
    for (std::size_t i = first; i < last; ++i) {
      double up = 0, down = 0;
      bool stacks = false;
      for (const PlotCurve& curve : run.curves) {
        if (!visible(view, curve)) continue;
        fit.include(curve.y[i]);
        if (!curve.stacked || !std::isfinite(curve.y[i])) continue;
        stacks = true;
        (curve.y[i] > 0 ? up : down) += curve.y[i];
      }
      if (view.logarithmic || !stacks) continue;
      fit.include(up);
      fit.include(down);
    }
  }
  for (const PlotLevel& level : plot.levels) fit.include(level.y);
  return fit.range(plot.from_zero);
}

std::vector<PlotExit> exits_of(const PlotRun& run, const PlotCurve& curve, const AxisRange& x,
                               const Axis& y) {
  constexpr double kApart = 1.0 / 50;
  std::vector<PlotExit> exits;
  for (std::size_t i = samples_in(run, x).first; i + 1 < run.x.size() && run.x[i] <= x.high; ++i) {
    if (!Axis::has(curve.y[i], y.logarithmic()) || !Axis::has(curve.y[i + 1], y.logarithmic())) continue;
    const double from = y.position(curve.y[i]), to = y.position(curve.y[i + 1]);
    const bool above = to > 1;
    if (!(above || to < 0) || from < 0 || from > 1) continue;
    const double share = ((above ? 1 : 0) - from) / (to - from);
    const double at = run.x[i] + share * (run.x[i + 1] - run.x[i]);
    if (at > x.high || (!exits.empty() && at - exits.back().x < kApart * (x.high - x.low))) continue;
    exits.push_back({at, above});
  }
  return exits;
}

std::vector<PlotBand> stacked_bands(const PlotRun& run, const PlotView& view, const AxisRange& x,
                                    std::size_t points) {
  constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
  std::vector<PlotBand> bands;
  // What is stacked so far, upwards and downwards.
  std::array<std::vector<double>, 2> edge;
  for (auto& side : edge) side.assign(points, 0.0);
  for (const PlotCurve& curve : run.curves) {
    if (!curve.stacked || !visible(view, curve)) continue;
    PlotBand up{curve.colour, edge[0], edge[0]}, down{curve.colour, edge[1], edge[1]};
    std::size_t i = 0;
    for (std::size_t k = 0; k < points; ++k) {
      const double at = x.low + (x.high - x.low) * static_cast<double>(k) /
                                    static_cast<double>(std::max<std::size_t>(points, 2) - 1);
      while (i + 1 < run.x.size() && run.x[i + 1] < at) ++i;
      const bool there = i + 1 < run.x.size() && at >= run.x[i];
      const double share = there ? (at - run.x[i]) / (run.x[i + 1] - run.x[i]) : 0;
      const double y = there ? curve.y[i] + share * (curve.y[i + 1] - curve.y[i]) : kNoValue;
      if (!std::isfinite(y)) {
        up.high[k] = down.low[k] = kNoValue;
        continue;
      }
      edge[0][k] = up.high[k] = up.low[k] + std::max(y, 0.0);
      edge[1][k] = down.low[k] = down.high[k] + std::min(y, 0.0);
    }
    bands.push_back(std::move(up));
    bands.push_back(std::move(down));
  }
  return bands;
}

std::optional<double> draw_plot(const std::string& name, const Plot& plot, PlotView& view, ImVec2 size) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::PushFont(fonts().small);
  ImGui::PushID(name.c_str());
  std::optional<double> pointed;
  if (has_samples(plot))
    pointed = draw_samples(name, plot, view, corner, size);
  else
    draw_empty(plot.empty, corner, size);
  ImGui::PopID();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(size);
  return pointed;
}

namespace {

// A text as one value of a table.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

PlotRun visible_part(PlotRun run, const PlotView& view, const AxisRange& x) {
  const auto [first, last] = samples_in(run, x);
  const auto cut = [first = first, last = std::max(first, last)](std::vector<double>& values) {
    const auto begin = values.begin();
    values = {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)};
  };
  cut(run.x);
  std::erase_if(run.curves, [&](const PlotCurve& curve) { return !visible(view, curve); });
  for (PlotCurve& curve : run.curves) cut(curve.y);
  return run;
}

}  // namespace

ShownPlot shown_plot(const Plot& plot, const PlotView& view) {
  ShownPlot shown;
  shown.x = shown_x(plot, view);
  shown.y = shown_y(plot, view, shown.x);
  shown.logarithmic = view.logarithmic;
  shown.plot = plot;
  shown.plot.runs.clear();
  for (const PlotRun& run : plot.runs)
    if (visible(view, run)) shown.plot.runs.push_back(visible_part(run, view, shown.x));
  return shown;
}

std::string plot_csv(const ShownPlot& shown) {
  const Plot& plot = shown.plot;
  std::string text = plot.x_is_time ? "run,method," : "run,";
  text += quoted(plot.x_title);
  if (!plot.runs.empty()) {
    const std::string from = plot.y_title.empty() ? "" : ' ' + plot.y_title;
    const std::string unit = plot.unit.empty() ? "" : " [" + plot.unit + "]";
    for (const PlotCurve& curve : plot.runs.front().curves) text += ',' + quoted(curve.label + from + unit);
  }
  text += '\n';
  std::vector<CsvValue> row;
  for (const PlotRun& run : plot.runs) {
    auto stretch = run.stretches.begin();
    for (std::size_t i = 0; i < run.x.size(); ++i) {
      row.assign(1, run.x[i]);
      for (const PlotCurve& curve : run.curves) row.emplace_back(curve.y[i]);
      text += quoted(run.what) + ',';
      if (plot.x_is_time) {
        // Where one method follows another, the sample is the first one of the latter.
        while (stretch + 1 != run.stretches.end() && run.x[i] >= stretch->x1) ++stretch;
        text += quoted(std::string(stretch->method->title)) + ',';
      }
      text += csv_line(row);
    }
  }
  return text;
}

namespace {

constexpr float kLeastPiece = 5;             // [interface units]
constexpr float kStripLine = 4;              // [interface units]
constexpr std::size_t kMostStripNames = 12;  // in the tooltip

bool is_narrow(const StripPiece& piece, int least) { return piece.right - piece.left < least; }

// Every piece gets at least a pixel, taken from its wide neighbours.
void widen_lone_ones(std::vector<StripPiece>& pieces, int width) {
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    StripPiece& piece = pieces[k];
    if (k > 0) piece.left = std::max(piece.left, pieces[k - 1].right);
    piece.left = std::min(piece.left, width - 1);
    piece.right = std::max(piece.right, piece.left + 1);
    if (k > 0) pieces[k - 1].right = std::min(pieces[k - 1].right, piece.left);
  }
}

// The stretches of the pieces, the one at `pointed` among them and set off.
void name_stretches(const std::vector<PlotStretch>& stretches, const std::vector<StripPiece>& pieces,
                    double pointed, float above) {
  const std::size_t begin = pieces.front().first, end = pieces.back().last + 1;
  std::size_t at = begin;
  while (at + 1 < end && stretches[at].x1 <= pointed) ++at;
  const std::size_t shown = std::min(end - begin, kMostStripNames);
  const std::size_t first = std::clamp(at - std::min(at, shown / 2), begin, end - shown);
  const auto more = [](std::size_t count, const char* where) {
    if (count > 0) ImGui::TextDisabled("%zu %s", count, where);
  };
  begin_tooltip_above(above);
  more(first - begin, "before");
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(units(5), units(1)));
  if (ImGui::BeginTable("##stretches", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoHostExtendX)) {
    for (std::size_t k = first; k < first + shown; ++k) {
      const PlotStretch& stretch = stretches[k];
      const ImU32 colour = k == at ? palette().text : palette().muted;
      ImGui::TableNextColumn();
      draw_method_mark(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(),
                       integrator_row(*stretch.method));
      ImGui::Dummy(method_mark_size());
      add_cell(std::string(stretch.method->title), colour);
      add_cell(format_plain(stretch.x0, 4) + " s to " + format_plain(stretch.x1, 4) + " s", colour);
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  more(end - first - shown, "after");
  ImGui::EndTooltip();
}

}  // namespace

std::vector<StripPiece> strip_pieces(const std::vector<PlotStretch>& stretches, const Axis& x, int width,
                                     int least) {
  std::vector<StripPiece> pieces;
  const AxisRange seen = x.range();
  const auto pixel = [&](double value) {
    return static_cast<int>(std::lround(std::clamp(x.position(value), 0.0, 1.0) * width));
  };
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    if (stretches[k].x1 < seen.low || stretches[k].x0 > seen.high) continue;
    const StripPiece piece{pixel(stretches[k].x0), pixel(stretches[k].x1), k, k};
    const bool merges = !pieces.empty() && is_narrow(piece, least) &&
                        (pieces.back().merged() || is_narrow(pieces.back(), least));
    if (merges) {
      pieces.back().right = piece.right;
      pieces.back().last = k;
    } else {
      pieces.push_back(piece);
    }
  }
  widen_lone_ones(pieces, width);
  return pieces;
}

ImU32 colour_of(const StripPiece& piece, const std::vector<PlotStretch>& stretches) {
  return piece.merged() ? palette().muted : integrator_colour(integrator_row(*stretches[piece.first].method));
}

std::vector<StripPiece> draw_strip(const std::string& name, const std::vector<PlotStretch>& stretches,
                                   const Axis& x, ImVec2 at, ImVec2 size) {
  std::vector<StripPiece> pieces =
      strip_pieces(stretches, x, static_cast<int>(size.x), static_cast<int>(units(kLeastPiece)));
  if (pieces.empty()) return pieces;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 mark = method_mark_size();
  const float line = std::round(std::min(size.y, units(kStripLine)));
  const float top = std::round(at.y + (size.y - line) / 2);
  for (const StripPiece& piece : pieces) {
    const auto left = at.x + static_cast<float>(piece.left), right = at.x + static_cast<float>(piece.right);
    draw->AddRectFilled(ImVec2(left, top), ImVec2(right, top + line), colour_of(piece, stretches));
    if (piece.has_room_for(mark.x) && mark.y <= size.y)
      draw_method_mark(draw, ImVec2(std::round((left + right - mark.x) / 2), at.y + (size.y - mark.y) / 2),
                       integrator_row(*stretches[piece.first].method));
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##strip", size);
  note_item(name);
  if (ImGui::IsItemHovered())
    name_stretches(stretches, pieces,
                   x.value(static_cast<double>((ImGui::GetIO().MousePos.x - at.x) / size.x)),
                   at.y - units(4));
  return pieces;
}

}  // namespace clothlab
