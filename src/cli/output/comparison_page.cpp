// SPDX-License-Identifier: MIT
#include "cli/output/comparison_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "chart/chart.h"
#include "chart/dash.h"
#include "cli/bench/bench.h"
#include "cli/output/html.h"
#include "cli/output/table.h"
#include "core/quantile.h"
#include "core/text.h"
#include "io/output_file.h"
#include "io/png.h"
#include "session/real_time.h"

namespace clothlab {
namespace {

// See filled().
constexpr std::string_view kPage = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>[[title]]</title><style>
[[style]]</style></head><body>
<h1>[[title]]</h1>
<p>[[scene]]. Each of these time integrators computes the same cloth from the same start.[[command]] Computed with ClothLab on [[threads]], one lane after the other; all figures but the computing times are the same on every machine that has the same build.</p>
[[table]]<p class="small">[[meanings]].</p>
[[shortfall]]<figure>[[curves]]<figcaption>Curves of lanes that blew up leave the panels. The figures of every step are in the tables next to this page, such as [[csv]].</figcaption></figure>
<h2>Energy ledger</h2>
[[ledger]]<p class="small">Work of every kind from start to end; together it is the change of kinetic and potential energy. <b>Method</b> is the remainder after all forces: numerical damping if it is negative, spurious energy if it is positive.</p>
[[lanes]]</body></html>
)";
constexpr std::string_view kLane = R"(<h2>[[mark]] [[title]]</h2>
<p>[[summary]]</p>
<p class="small">[[formula]]<br>[[reference]]</p>
[[options]][[remarks]][[strip]])";

/// A column of a table of lanes. `heading` has the unit.
struct LaneColumn {
  std::string_view heading, meaning;
  std::function<std::string(const LaneFigures& lane)> value;
  bool is_text = false;
};

std::string end_of(const LaneFigures& lane) {
  if (!lane.blow_up.empty()) return "blew up in step " + std::to_string(lane.blow_up_step);
  if (lane.interrupted) return "interrupted";
  return lane.not_converged > 0 ? "not all converged" : "good";
}

double last_of(const std::vector<double>& values) { return values.empty() ? 0 : values.back(); }

std::vector<LaneColumn> lane_columns() {
  return {
      {"method", "the integrator, S- with one linear solve per stage, ÷n with n substeps",
       [](const LaneFigures& lane) { return lane.title; }, true},
      {"order", "of convergence for small h",
       [](const LaneFigures& lane) {
         return lane.order > 0 ? std::to_string(lane.order) : std::string("–");
       }},
      {"h [ms]", "simulated time per step",
       [](const LaneFigures& lane) { return format_plain(1e3 * lane.h); }},
      {"steps", "good ones", [](const LaneFigures& lane) { return std::to_string(lane.good_steps()); }},
      {"cost [ms/step]", "processor time of a step, median",
       [](const LaneFigures& lane) { return format_plain(quantile(lane.step_cpu_ms, 0.5)); }},
      {"real time",
       "simulated time over wall-clock time of the steps: 8.3× is faster than real time, 0.4× slower",
       [](const LaneFigures& lane) {
         return factor_text(lane.good_steps() > 0 ? lane.real_time_factor() : 0);
       }},
      {"energy [J]", "change of the total from start to end",
       [](const LaneFigures& lane) { return format_plain(last_of(lane.energy)); }},
      {"method [mJ/step]",
       "energy that the method itself removes (negative) or adds, solvers and rods included, on average",
       [](const LaneFigures& lane) {
         const auto steps = static_cast<double>(std::max<std::uint64_t>(lane.good_steps(), 1));
         return format_plain(1e3 * lane.ledger.spurious() / steps);
       }},
      {"strain [%]", "largest of a stretch spring in the whole run",
       [](const LaneFigures& lane) { return format_plain(100 * lane.max_strain); }},
      {"not converged", "steps whose solver did not reach its tolerance",
       [](const LaneFigures& lane) { return std::to_string(lane.not_converged); }},
      {"end", "", end_of, true},
  };
}

/// The ledger's entries that are not 0 in some lane.
std::vector<LaneColumn> ledger_columns(const Comparison& comparison) {
  std::vector<LaneColumn> out{{"[J]", "", [](const LaneFigures& lane) { return lane.title; }, true}};
  for (const EnergyEntry& entry : kEnergyEntries)
    if (std::ranges::any_of(comparison.lanes,
                            [&](const auto& lane) { return lane.ledger.*entry.joule != 0; }))
      out.push_back({entry.title, "", [joule = entry.joule](const LaneFigures& lane) {
                       return format_plain(lane.ledger.*joule);
                     }});
  out.push_back({"Sum", "", [](const LaneFigures& lane) { return format_plain(lane.ledger.sum()); }});
  return out;
}

std::string lane_mark(LaneId lane) {
  const Rgb& c = kLaneStyles[lane].colour;
  const std::string rgb = std::to_string(c[0]) + "," + std::to_string(c[1]) + "," + std::to_string(c[2]);
  return "<span class=\"mark\" style=\"background:rgb(" + rgb + ")\">" + lane_letter(lane) + "</span>";
}

/// A row for each lane.
std::string table(const Comparison& comparison, const std::vector<LaneColumn>& columns) {
  std::string html = "<div class=\"wide\"><table><tr><th></th>";
  for (const LaneColumn& column : columns) html += cell("th", column.is_text, escaped(column.heading));
  html += "</tr>\n";
  for (const LaneFigures& lane : comparison.lanes) {
    html += "<tr>" + cell("td", false, lane_mark(lane.lane));
    for (const LaneColumn& column : columns) {
      const std::string value = escaped(column.value(lane));
      const bool bad = column.heading == "end" && !lane.blow_up.empty();
      html += cell("td", column.is_text, bad ? "<span class=\"bad\">" + value + "</span>" : value);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

/// "<b>order</b> of convergence for small h; …".
std::string meanings() {
  std::string out;
  for (const LaneColumn& column : lane_columns())
    if (!column.meaning.empty())
      out += (out.empty() ? "<b>" : "; <b>") + escaped(column.heading) + "</b> " + escaped(column.meaning);
  return out;
}

/// How a lane ended, and its warnings.
std::vector<std::string> remarks(const LaneFigures& lane) {
  std::vector<std::string> out;
  if (!lane.blow_up.empty()) out.push_back(lane.blow_up);
  if (lane.not_converged > 0)
    out.push_back(std::to_string(lane.not_converged) + " of " + std::to_string(lane.good_steps()) +
                  " steps did not converge, the first because " + lane.first_reason + ".");
  for (const Notice& notice : lane.notices)
    if (notice.cause != NoticeCause::not_converged) out.push_back(text_with_step(notice));
  for (const auto& [what, times] : lane.skipped)
    out.push_back("Skipped: " + what + " (" + std::to_string(times) + ").");
  return out;
}

/// The lane's pictures, which have the same size, in a row.
Image strip(const LaneFigures& lane) {
  const Image& first = lane.pictures.front().image;
  Image out;
  out.width = first.width * static_cast<int>(lane.pictures.size());
  out.height = first.height;
  const auto row_size = static_cast<std::ptrdiff_t>(first.rgba.size()) / first.height;
  for (int y = 0; y < out.height; ++y)
    for (const LaneFigures::Picture& one : lane.pictures) {
      const auto row = one.image.rgba.begin() + y * row_size;
      out.rgba.insert(out.rgba.end(), row, row + row_size);
    }
  return out;
}

std::string lane_section(const LaneFigures& lane, std::string_view strip_png) {
  std::string notes, times, figure, options;
  if (!lane.options.empty()) options = "<p class=\"small\"><code>" + escaped(lane.options) + "</code></p>\n";
  if (!lane.stability.empty()) notes += "<p>" + escaped(lane.stability) + "</p>\n";
  for (const std::string& remark : remarks(lane)) notes += "<p class=\"bad\">" + escaped(remark) + "</p>\n";
  for (const LaneFigures::Picture& one : lane.pictures)
    times += (times.empty() ? "" : ", ") + format_plain(one.time);
  if (!lane.pictures.empty())
    figure = "<figure>" + picture(strip_png, "The cloth over time") + "<figcaption>t = " + times +
             " s</figcaption></figure>\n";
  return filled(kLane, {{"mark", lane_mark(lane.lane)},
                        {"title", escaped(lane.title)},
                        {"summary", escaped(lane.summary)},
                        {"formula", escaped(lane.formula)},
                        {"reference", escaped(lane.info->reference)},
                        {"options", options},
                        {"remarks", notes},
                        {"strip", figure}});
}

std::string lane_file(LaneId lane, std::string_view integrator, std::string_view ending) {
  return lane_letter(lane) + ("-" + std::string(integrator)).append(ending);
}

/// A y axis for the range of the lanes that did not blow up; the others leave it.
ChartAxis good_axis(std::string title, bool logarithmic, const Comparison& comparison,
                    const std::vector<ChartCurve>& curves) {
  ChartAxis axis{.title = std::move(title), .logarithmic = logarithmic};
  double low = INFINITY, high = -INFINITY;
  bool some_leave = false;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    if (!comparison.lanes[k].blow_up.empty()) {
      some_leave = true;
      continue;
    }
    for (const double y : curves[k].y) {
      if (!std::isfinite(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  if (!(high > low) || (logarithmic && !(high > 0))) return axis;
  if (logarithmic) {
    constexpr double kMostDecades = 1e-4;
    axis.range = AxisRange{std::max(low, kMostDecades * high), 2 * high};
  } else if (some_leave) {
    const double room = 0.5 * (high - low);
    axis.range = AxisRange{low - 0.1 * room, high + room};
  }
  return axis;
}

/// Energy, strain and milliseconds over time, a curve for each lane.
Chart comparison_chart(const Comparison& comparison) {
  struct Panel {
    const char* title;
    bool logarithmic;
    const std::vector<double> LaneFigures::*values;
    double factor;
    std::size_t first;  // index of the first value in `time`
  };
  constexpr std::array kPanels{
      Panel{"change of the total energy [J]", false, &LaneFigures::energy, 1, 0},
      Panel{"spurious energy, summed [J]", false, &LaneFigures::spurious, 1, 0},
      Panel{"kinetic energy [J]", false, &LaneFigures::kinetic, 1, 0},
      Panel{"largest strain [%]", true, &LaneFigures::strain, 100, 0},
      Panel{"processor time of a step [ms]", true, &LaneFigures::step_cpu_ms, 1, 1},
  };
  Chart chart{.title = {}, .panels = {}};
  chart.colours = {.background = {255, 255, 255},
                   .field = {255, 255, 255},
                   .grid = {226, 230, 236},
                   .frame = {120, 130, 142},
                   .text = {27, 31, 37},
                   .muted = {84, 94, 108}};
  for (const Panel& panel : kPanels) {
    std::vector<ChartCurve> curves;
    for (const LaneFigures& lane : comparison.lanes) {
      ChartCurve curve{.label = std::string(1, lane_letter(lane.lane)) + "  " + lane.title,
                       .colour = kLaneStyles[lane.lane].colour,
                       .dash = kLaneStyles[lane.lane].dash};
      curve.x.assign(lane.time.begin() + static_cast<std::ptrdiff_t>(std::min(panel.first, lane.time.size())),
                     lane.time.end());
      for (const double y : lane.*panel.values) curve.y.push_back(panel.factor * y);
      curves.push_back(std::move(curve));
    }
    ChartAxis y = good_axis(panel.title, panel.logarithmic, comparison, curves);
    chart.panels.push_back({.x = {.title = "time [s]"}, .y = std::move(y), .curves = std::move(curves)});
  }
  return chart;
}

}  // namespace

std::vector<std::string> report_files(std::span<const LaneMethod> lanes) {
  std::vector<std::string> out;
  for (const auto& [lane, method] : lanes)
    for (const char* ending : {".csv", ".png"}) out.push_back(lane_file(lane, method.integrator, ending));
  out.emplace_back("curves.png");
  out.emplace_back("index.html");
  return out;
}

std::string comparison_text(const Comparison& comparison) {
  const std::vector<LaneColumn> columns = lane_columns();
  std::vector<std::vector<std::string>> rows{{""}};
  for (const LaneColumn& column : columns) rows[0].emplace_back(column.heading);
  for (const LaneFigures& lane : comparison.lanes) {
    auto& row = rows.emplace_back(1, std::string(1, lane_letter(lane.lane)));
    for (const LaneColumn& column : columns) row.push_back(column.value(lane));
  }
  std::string out = aligned(rows, "", [&](std::size_t c) { return c == 0 || columns[c - 1].is_text; });
  const auto add = [&](const LaneFigures& lane, const std::string& text) {
    out += "\n" + std::string(1, lane_letter(lane.lane)) + "  " + text + "\n";
  };
  for (const LaneFigures& lane : comparison.lanes)
    if (std::ranges::any_of(comparison.lanes, [&](const LaneFigures& other) {
          return other.title == lane.title && other.options != lane.options;
        }))
      add(lane, lane.options);
  for (const LaneFigures& lane : comparison.lanes)
    for (const std::string& remark : remarks(lane)) add(lane, remark);
  return out;
}

void write_report(const Comparison& comparison, const std::filesystem::path& folder) {
  std::string sections;
  for (const LaneFigures& lane : comparison.lanes) {
    write_file(folder / lane_file(lane.lane, lane.info->id, ".csv"), lane.diagnostics);
    std::string png;
    if (!lane.pictures.empty()) {
      png = png_bytes(strip(lane));
      write_file(folder / lane_file(lane.lane, lane.info->id, ".png"), png);
    }
    sections += lane_section(lane, png);
  }
  const std::string curves = png_bytes(draw_chart(comparison_chart(comparison)));
  write_file(folder / "curves.png", curves);

  std::string command, shortfall;
  if (!comparison.command.empty())
    command = " Repeat it with <code>" + escaped(comparison.command) + "</code>.";
  if (!comparison.shortfall.empty())
    shortfall = "<p class=\"bad\">There are no pictures: " + escaped(comparison.shortfall) + "</p>\n";
  const auto first = comparison.lanes.begin();
  write_file(
      folder / "index.html",
      filled(kPage,
             {{"title", escaped(comparison.title)},
              {"style", kReportStyle},
              {"scene", escaped(comparison.scene)},
              {"command", command},
              {"threads", threads_text(comparison.threads)},
              {"table", table(comparison, lane_columns())},
              {"meanings", meanings()},
              {"shortfall", shortfall},
              {"curves", picture(curves, "Energy, strain and computing time over time")},
              {"csv", first == comparison.lanes.end() ? "" : lane_file(first->lane, first->info->id, ".csv")},
              {"ledger", table(comparison, ledger_columns(comparison))},
              {"lanes", sections}}));
}

}  // namespace clothlab
