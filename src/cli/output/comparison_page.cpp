// SPDX-License-Identifier: MIT
#include "cli/output/comparison_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "chart/lane_style.h"
#include "core/quantile.h"
#include "core/text.h"
#include "io/output_file.h"
#include "io/png.h"
#include "session/real_time.h"

namespace clothlab {
namespace {

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#1b1f25;"
    "background:#fff}h1{font-size:1.6em}h2{font-size:1.25em;margin-top:2em}table{border-collapse:collapse}"
    "th,td{padding:.3em .7em;border-bottom:1px solid #d5dae1;text-align:right;vertical-align:top}"
    "th{border-bottom:2px solid #54606c}.text{text-align:left}img{max-width:100%;height:auto}"
    ".mark{display:inline-block;min-width:1.5em;text-align:center;color:#fff;border-radius:.2em;"
    "font-weight:600}code{background:#eef1f5;padding:.1em .3em;overflow-wrap:anywhere}"
    ".bad{color:#a33a00;font-weight:600}figure{margin:1em 0}figcaption,.small{color:#54606c;font-size:.9em}"
    ".wide{overflow-x:auto}";

/// A column of the table of lanes. `heading` has the unit.
struct LaneColumn {
  std::string_view heading, meaning;
  std::string (*value)(const LaneFigures& lane);
  bool is_text = false;
};

std::string end_of(const LaneFigures& lane) {
  if (!lane.blow_up.empty()) return "blew up in step " + std::to_string(lane.blow_up_step);
  if (lane.interrupted) return "interrupted";
  return lane.not_converged > 0 ? "not all converged" : "good";
}

double last_of(const std::vector<double>& values) { return values.empty() ? 0 : values.back(); }

const std::array kColumns{
    LaneColumn{"method", "the integrator",
               [](const LaneFigures& lane) { return std::string(lane.info->title); }, true},
    LaneColumn{"order", "of convergence for small h",
               [](const LaneFigures& lane) {
                 return lane.info->order > 0 ? std::to_string(lane.info->order) : std::string("–");
               }},
    LaneColumn{"h [ms]", "simulated time per step",
               [](const LaneFigures& lane) { return format_plain(1e3 * lane.h); }},
    LaneColumn{"steps", "good ones", [](const LaneFigures& lane) { return std::to_string(lane.steps()); }},
    LaneColumn{"cost [ms/step]", "processor time of a step, median",
               [](const LaneFigures& lane) { return format_plain(quantile(lane.milliseconds, 0.5)); }},
    LaneColumn{"real time",
               "simulated time over wall-clock time of the steps: 8.3× is faster than real time, 0.4× slower",
               [](const LaneFigures& lane) { return factor_text(lane.real_time_factor()); }},
    LaneColumn{"energy [J]", "change of the total from start to end",
               [](const LaneFigures& lane) { return format_plain(last_of(lane.energy)); }},
    LaneColumn{
        "method [mJ/step]",
        "energy that the method itself takes (negative) or makes, solvers and rods included, on average",
        [](const LaneFigures& lane) {
          const auto steps = static_cast<double>(std::max<std::uint64_t>(lane.steps(), 1));
          return format_plain(1e3 * lane.books.from_nothing() / steps);
        }},
    LaneColumn{"strain [%]", "largest of a stretch spring in the whole run",
               [](const LaneFigures& lane) { return format_plain(100 * lane.max_strain); }},
    LaneColumn{"not converged", "steps whose solver did not reach its tolerance",
               [](const LaneFigures& lane) { return std::to_string(lane.not_converged); }},
    LaneColumn{"end", "", end_of, true},
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text, text.size(), "\n")) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Of RFC 4648.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) out += kDigits[three >> shift & 63];
  }
  for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) out[out.size() - 1 - k] = '=';
  return out;
}

std::string picture(std::string_view png, std::string_view description) {
  std::string out = "<img src=\"data:image/png;base64,";
  out += base64(png);
  out += "\" alt=\"" + escaped(description) + "\">";
  return out;
}

std::string lane_mark(std::size_t lane) {
  const Rgb& c = kLaneStyles[lane].colour;
  std::string out = "<span class=\"mark\" style=\"background:rgb(";
  out += std::to_string(c[0]) + "," + std::to_string(c[1]) + "," + std::to_string(c[2]) + ")\">";
  out += lane_letter(lane);
  return out + "</span>";
}

std::string cell(std::string_view tag, bool is_text, std::string_view content) {
  std::string out = "<";
  out += tag;
  out += is_text ? " class=\"text\">" : ">";
  out += content;
  out += "</";
  out += tag;
  return out + ">";
}

std::string table(const Comparison& comparison) {
  std::string out = "<div class=\"wide\"><table><tr><th></th>";
  for (const LaneColumn& column : kColumns) out += cell("th", column.is_text, column.heading);
  out += "</tr>\n";
  for (std::size_t k = 0; k < comparison.lanes.size(); ++k) {
    const LaneFigures& lane = comparison.lanes[k];
    out += "<tr><td>" + lane_mark(k) + "</td>";
    for (const LaneColumn& column : kColumns) {
      const std::string value = escaped(column.value(lane));
      const bool bad = column.value == end_of && !lane.blow_up.empty();
      out += cell("td", column.is_text, bad ? "<span class=\"bad\">" + value + "</span>" : value);
    }
    out += "</tr>\n";
  }
  out += "</table></div>\n<p class=\"small\">";
  for (const LaneColumn& column : kColumns) {
    if (column.meaning.empty()) continue;
    if (&column != kColumns.data()) out += "; ";
    out += "<b>" + escaped(column.heading) + "</b> " + escaped(column.meaning);
  }
  return out + ".</p>\n";
}

/// The ledger's entries that some lane has, by lane.
std::string ledger_table(const Comparison& comparison) {
  std::string out =
      "<h2>Where the energy went</h2>\n<div class=\"wide\"><table><tr><th></th><th class=\"text\">[J]</th>";
  std::vector<const EnergyEntry*> used;
  for (const EnergyEntry& entry : kEnergyEntries) {
    const auto has_it = [&](const LaneFigures& lane) { return lane.books.*entry.joule != 0; };
    if (std::ranges::any_of(comparison.lanes, has_it)) used.push_back(&entry);
  }
  for (const EnergyEntry* entry : used) out += cell("th", false, escaped(entry->title));
  out += cell("th", false, "Sum") + "</tr>\n";
  for (std::size_t k = 0; k < comparison.lanes.size(); ++k) {
    const LaneFigures& lane = comparison.lanes[k];
    out += "<tr><td>" + lane_mark(k) + "</td>" + cell("td", true, escaped(lane.info->title));
    for (const EnergyEntry* entry : used) out += cell("td", false, format_plain(lane.books.*entry->joule));
    out += cell("td", false, format_plain(lane.books.sum())) + "</tr>\n";
  }
  return out +
         "</table></div>\n<p class=\"small\">Work of every kind from start to end; together it is the change "
         "of "
         "kinetic and potential energy. <b>Method</b> is what is left when all forces are counted: numerical "
         "damping where it is negative, energy from nothing where it is positive.</p>\n";
}

/// Why a lane ended as it did, and what is to be known of it.
std::vector<std::string> remarks(const LaneFigures& lane) {
  std::vector<std::string> out;
  if (!lane.blow_up.empty()) out.push_back(lane.blow_up);
  if (lane.not_converged > 0)
    out.push_back(std::to_string(lane.not_converged) + " of " + std::to_string(lane.steps()) +
                  " steps did not converge, the first because " + lane.reason + ".");
  for (const Notice& notice : lane.notices)
    if (notice.cause != NoticeCause::not_converged) out.push_back(text_with_step(notice));
  for (const auto& [what, times] : lane.skipped)
    out.push_back("Skipped: " + what + " (" + std::to_string(times) + ").");
  return out;
}

/// The lane's pictures side by side.
Image strip(const LaneFigures& lane) {
  Image out;
  for (const LaneFigures::Picture& one : lane.pictures) {
    out.width += one.image.width;
    out.height = std::max(out.height, one.image.height);
  }
  constexpr std::size_t kChannels = 4;
  const auto bytes = [](int pixels) { return static_cast<std::size_t>(pixels) * kChannels; };
  out.rgba.assign(bytes(out.width) * static_cast<std::size_t>(out.height), 255);
  std::size_t left = 0;
  for (const LaneFigures::Picture& one : lane.pictures) {
    for (int y = 0; y < one.image.height; ++y) {
      const auto row = static_cast<std::size_t>(y);
      std::copy_n(one.image.rgba.begin() + static_cast<std::ptrdiff_t>(row * bytes(one.image.width)),
                  bytes(one.image.width),
                  out.rgba.begin() + static_cast<std::ptrdiff_t>(row * bytes(out.width) + left));
    }
    left += bytes(one.image.width);
  }
  return out;
}

std::string png_of(const Image& image) { return png_bytes(image.width, image.height, image.rgba); }

std::string lane_section(std::size_t k, const LaneFigures& lane, std::string_view strip_png) {
  std::string out = "<h2>" + lane_mark(k) + " " + escaped(lane.info->title) + "</h2>\n";
  out += "<p>" + escaped(lane.info->summary) + "</p>\n<p class=\"small\">" + escaped(lane.info->formula) +
         "<br>" + escaped(lane.info->reference) + "</p>\n";
  if (!lane.stability.empty()) out += "<p>" + escaped(lane.stability) + "</p>\n";
  for (const std::string& remark : remarks(lane)) out += "<p class=\"bad\">" + escaped(remark) + "</p>\n";
  if (lane.pictures.empty()) return out;
  out += "<figure>" + picture(strip_png, "The cloth over time") + "<figcaption>t = ";
  for (const LaneFigures::Picture& one : lane.pictures) {
    if (&one != lane.pictures.data()) out += ", ";
    out += format_plain(one.time);
  }
  return out + " s</figcaption></figure>\n";
}

std::string lane_file(std::size_t k, const IntegratorInfo& info, std::string_view ending) {
  std::string out(1, lane_letter(k));
  out += '-';
  out += info.id;
  out += ending;
  return out;
}

/// An axis of y that holds the lanes that did not blow up, so that those that did leave it.
ChartAxis sound_axis(std::string title, bool logarithmic, const Comparison& comparison,
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

}  // namespace

std::vector<std::string> report_files(std::span<const IntegratorInfo* const> lanes) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    out.push_back(lane_file(k, *lanes[k], ".csv"));
    out.push_back(lane_file(k, *lanes[k], ".png"));
  }
  out.emplace_back("curves.png");
  out.emplace_back("index.html");
  return out;
}

Chart comparison_chart(const Comparison& comparison) {
  struct Quantity {
    const char* title;
    bool logarithmic;
    const std::vector<double> LaneFigures::*values;
    double factor;
    std::size_t first;  // index of the first value in `time`
  };
  constexpr std::array kQuantities{
      Quantity{"change of the total energy [J]", false, &LaneFigures::energy, 1, 0},
      Quantity{"made by the method, summed [J]", false, &LaneFigures::made, 1, 0},
      Quantity{"kinetic energy [J]", false, &LaneFigures::kinetic, 1, 0},
      Quantity{"largest strain [%]", true, &LaneFigures::strain, 100, 0},
      Quantity{"processor time of a step [ms]", true, &LaneFigures::milliseconds, 1, 1},
  };
  Chart chart{.title = {}, .panels = {}};
  chart.colours = {.background = {255, 255, 255},
                   .field = {255, 255, 255},
                   .grid = {226, 230, 236},
                   .frame = {120, 130, 142},
                   .text = {27, 31, 37},
                   .muted = {84, 94, 108}};
  for (const Quantity& quantity : kQuantities) {
    std::vector<ChartCurve> curves;
    for (std::size_t k = 0; k < comparison.lanes.size(); ++k) {
      const LaneFigures& lane = comparison.lanes[k];
      ChartCurve curve{.label = std::string(1, lane_letter(k)) + "  " + std::string(lane.info->id),
                       .colour = kLaneStyles[k].colour,
                       .dash = kLaneStyles[k].dash};
      curve.x.assign(
          lane.time.begin() + static_cast<std::ptrdiff_t>(std::min(quantity.first, lane.time.size())),
          lane.time.end());
      for (const double y : lane.*quantity.values) curve.y.push_back(quantity.factor * y);
      curves.push_back(std::move(curve));
    }
    ChartAxis y = sound_axis(quantity.title, quantity.logarithmic, comparison, curves);
    chart.panels.push_back({.x = {.title = "time [s]"}, .y = std::move(y), .curves = std::move(curves)});
  }
  return chart;
}

std::string comparison_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows{{""}};
  for (const LaneColumn& column : kColumns) rows[0].emplace_back(column.heading);
  for (std::size_t k = 0; k < comparison.lanes.size(); ++k) {
    rows.push_back({std::string(1, lane_letter(k))});
    for (const LaneColumn& column : kColumns) rows.back().push_back(column.value(comparison.lanes[k]));
  }
  // Characters, not bytes.
  const auto width = [](std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
  };
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t widest = 0;
      for (const std::vector<std::string>& other : rows) widest = std::max(widest, width(other[c]));
      const std::string padding(widest - width(row[c]), ' ');
      const bool is_text = c == 0 || kColumns[c - 1].is_text;
      if (c > 0) line += "  ";
      line += is_text ? row[c] + padding : padding + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  for (std::size_t k = 0; k < comparison.lanes.size(); ++k) {
    for (const std::string& remark : remarks(comparison.lanes[k])) {
      out += "\n";
      out += lane_letter(k);
      out += "  " + remark + "\n";
    }
  }
  return out;
}

void write_report(const Comparison& comparison, const std::filesystem::path& folder) {
  std::string sections;
  for (std::size_t k = 0; k < comparison.lanes.size(); ++k) {
    const LaneFigures& lane = comparison.lanes[k];
    write_file(folder / lane_file(k, *lane.info, ".csv"), lane.diagnostics);
    std::string png;
    if (!lane.pictures.empty()) {
      png = png_of(strip(lane));
      write_file(folder / lane_file(k, *lane.info, ".png"), png);
    }
    sections += lane_section(k, lane, png);
  }
  const std::string curves = png_of(draw_chart(comparison_chart(comparison)));
  write_file(folder / "curves.png", curves);

  const std::string title = escaped(comparison.title);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>";
  page += title;
  page += "</title><style>";
  page += kStyle;
  page += "</style></head><body>\n<h1>" + title + "</h1>\n";
  page += "<p>" + escaped(comparison.scene) +
          ". The same cloth, from the same start, by each of these time integrators.";
  if (!comparison.command.empty())
    page += " Repeat it with <code>" + escaped(comparison.command) + "</code>.";
  page +=
      " Computed with ClothLab on " + std::to_string(comparison.threads) +
      (comparison.threads == 1 ? " thread" : " threads") +
      ", one lane after the other; all figures but the computing times are the same on every machine that "
      "has the same build.</p>\n";
  page += table(comparison);
  if (!comparison.shortfall.empty())
    page += "<p class=\"bad\">There are no pictures: " + escaped(comparison.shortfall) + "</p>\n";
  page += "<figure>" + picture(curves, "Energy, strain and computing time over time") +
          "<figcaption>Curves of lanes that blew up leave the panels. The figures of every step are in the "
          "tables beside this page, such as " +
          (comparison.lanes.empty() ? std::string() : lane_file(0, *comparison.lanes[0].info, ".csv")) +
          ".</figcaption></figure>\n";
  page += ledger_table(comparison) + sections + "</body></html>\n";
  write_file(folder / "index.html", page);
}

}  // namespace clothlab
