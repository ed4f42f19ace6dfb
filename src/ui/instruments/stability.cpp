// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "analysis/stability.h"
#include "sim/parameters.h"
#include "ui/instruments/instruments.h"

namespace clothlab {
namespace {

constexpr float kRoomForBoth = 720;   // room for both pictures [interface units]
constexpr float kRoomForTitle = 120;  // of height [interface units]
constexpr float kRoomForLabel = 420;  // of the longer label of a button [interface units]
constexpr float kRoomForAll = 300;    // of width, of long titles [interface units]
constexpr float kRoomForNames = 60;   // of height, for the names of the axes [interface units]
constexpr double kTallestBar = 0.45;  // of the frame
constexpr double kStable = 1 + 1e-9;

void eigenvalues_button(const PanelContext& context, const std::string& name, float width) {
  StabilityView& view = context.view.plots_layout.stability;
  const auto& measured = context.snapshot.spectrum;
  const bool possible = !measured || measured->spectrum.is_exact;
  if (text_button(
          name + ":eigenvalues", width < units(kRoomForLabel) ? "Exact" : "Exact eigenvalues",
          possible
              ? "Crosses: exact eigenvalues of the damped equations, in which damping couples the modes. "
                "They need seconds for some hundred free directions. Dots: each mode with its own damping."
              : "There are " + std::to_string(measured->spectrum.free_directions) +
                    " free directions; all eigenvalues are computed up to " +
                    std::to_string(kExactDirections) + ".",
          {.active = view.eigenvalues && possible, .enabled = possible}))
    view.eigenvalues = !view.eigenvalues;
}

void buttons_of(const PanelContext& context, const std::string& name, const StabilityFigure& figure,
                bool both, ImVec2 at, ImVec2 size) {
  StabilityView& view = context.view.plots_layout.stability;
  if (!both) {
    if (text_button(name + ":plane", "Plane",
                    "The plane of hλ with the eigenvalues λ of the equations of motion. Blue: the method "
                    "damps, more where darker; red: it grows. Off: growth over frequency.",
                    {.active = view.plane}))
      view.plane = !view.plane;
    ImGui::SameLine(0, units(4));
  }
  if (both || view.plane) {
    eigenvalues_button(context, name, size.x);
    ImGui::SameLine(0, units(4));
  }
  if (figure.empty.empty() && has_room_for("CSV", at, size) &&
      text_button(name + ":csv", "CSV", "Save modes, eigenvalues and bars as a table."))
    context.request(SaveTable{"stability", csv_of(figure, context.snapshot.frame.scene->h())});
}

// ---- Growth over frequency

std::string per_step(double growth) { return format_plain(growth, 4) + " per step"; }

// The parts of a curve that grow are red.
void draw_curve(const Figure& frame, const StabilityFigure::Curve& curve, ImU32 colour, float thickness,
                const Dash& dash, bool marks_growth) {
  std::vector<ImVec2> points;
  bool grows = false;
  const auto flush = [&] {
    draw_line(points, grows ? palette().failed : colour, thickness, dash);
    if (points.size() > 1) points = {points.back()};
  };
  for (std::size_t i = 0; i < curve.growth.size(); ++i) {
    const bool now = marks_growth && curve.growth[i] > kStable;
    if (now != grows) flush();
    grows = now;
    points.push_back(frame.at(curve.h_omega[i], curve.growth[i]));
  }
  flush();
}

void draw_bars(const Figure& frame, const StabilityFigure& figure) {
  double most = 0;
  for (const StabilityFigure::Bar& bar : figure.bars) most = std::max(most, bar.modes);
  if (!(most > 0)) return;
  const double height = kTallestBar * static_cast<double>(frame.height());
  for (const StabilityFigure::Bar& bar : figure.bars) {
    if (!(bar.modes > 0)) continue;
    const float top = frame.b().y - std::max(static_cast<float>(height * bar.modes / most), 1.0F);
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(std::round(frame.px(bar.h_omega.low)), top),
        ImVec2(std::round(frame.px(bar.h_omega.high)) - 1, frame.b().y),
        with_alpha(bar.grows ? palette().failed : palette().muted, 0.45F));
  }
}

void tell_frequency(const Figure& frame, const StabilityFigure& figure, double h) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double h_omega = frame.x_at(mouse.x), omega = h_omega / h;
  frame.upright(mouse.x, with_alpha(palette().text, 0.5F));
  std::string text = "hω " + format_plain(h_omega) + ": ω " + format_plain(omega) + " rad/s, " +
                     format_quantity(omega / 6.283185307179586, "Hz");
  const StabilityFigure::Curve& curve = figure.curves.front();
  const auto at = std::ranges::lower_bound(curve.h_omega, h_omega);
  const auto i = std::min(static_cast<std::size_t>(at - curve.h_omega.begin()), curve.growth.size() - 1);
  text += "\nwithout damping " + per_step(curve.growth[i]);
  for (const StabilityFigure::Bar& bar : figure.bars)
    if (h_omega >= bar.h_omega.low && h_omega < bar.h_omega.high)
      text += (figure.is_exact ? "\n" : "\n≈ ") + format_plain(std::round(bar.modes), 4) + " modes from " +
              format_plain(bar.h_omega.low) + " to " + format_plain(bar.h_omega.high);
  frame.tell(text);
}

void draw_growth(const PanelContext& context, const std::string& name, const StabilityFigure& figure,
                 ImVec2 at, ImVec2 size) {
  const Snapshot& now = context.snapshot;
  AxesView& axes = context.view.plots_layout.stability.growth_axes;
  const AxisRange growth = axes.y.value_or(AxisRange{0, figure.most_growth});
  const Figure frame({"hω", figure.h_omega, true}, {"growth per step", growth}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  draw_bars(frame, figure);
  const float one = frame.py(1);
  draw_line({ImVec2(frame.a().x, one), ImVec2(frame.b().x, one)}, palette().careful, 1.2F, kShortDash);
  for (std::size_t c = figure.curves.size(); c-- > 0;) {
    const StabilityFigure::Curve& curve = figure.curves[c];
    const bool own = curve.lane == now.lane;
    draw_curve(frame, curve, own ? palette().accent_strong : lane_colour(curve.lane), own ? 2 : 1.2F,
               curve.slow ? kShortDash : Dash{}, own);
  }
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (const StabilityFigure::Mode& mode : figure.modes)
    draw->AddCircleFilled(frame.at(mode.h_omega, std::min(mode.growth, growth.high)), units(1.8F),
                          mode.growth > kStable ? palette().failed : palette().text, 8);
  if (figure.limit && *figure.limit > figure.h_omega.low && *figure.limit < figure.h_omega.high) {
    const float x = frame.px(*figure.limit);
    frame.upright(x, palette().careful, 1.2F);
    const std::string text = "undamped limit " + format_plain(*figure.limit);
    const float width = text_width(text) + units(4);
    frame.label(ImVec2(x + width > frame.b().x ? x - width : x + units(4), frame.a().y), palette().careful,
                text);
  }
  if (frame.height() > units(kRoomForNames) && one > frame.a().y + ImGui::GetTextLineHeight())
    frame.label(frame.a(), palette().muted, "growth per step");
  frame.end_clip();
  if (frame.zoom(name + ":growth", axes)) tell_frequency(frame, figure, now.frame.scene->h());
}

// ---- The plane of hλ

ImU32 shade(double growth) {
  if (!(growth <= kStable)) return with_alpha(palette().failed, 0.22F);
  constexpr std::array kAlphas{0.6F, 0.46F, 0.32F, 0.18F};  // up to a quarter, a half …
  return with_alpha(palette().accent,
                    kAlphas[std::min<std::size_t>(static_cast<std::size_t>(4 * growth), 3)]);
}

void tell_growth(const Figure& frame, const IntegratorInfo& info, const IntegratorParameters& values) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double re = frame.x_at(mouse.x), im = frame.y_at(mouse.y);
  frame.tell("hλ = " + format_plain(re) + (im < 0 ? " − " : " + ") + format_plain(std::abs(im)) +
             " i: " + per_step(info.growth(std::hypot(re, im), -2 * re, values)));
}

void draw_plane(const PanelContext& context, const std::string& name, const StabilityFigure& figure,
                ImVec2 at, ImVec2 size) {
  const Snapshot& now = context.snapshot;
  double most_re = 0, most_im = 1.2 * figure.limit.value_or(0);
  for (const auto* modes : {&figure.modes, &figure.eigenvalues})
    for (const StabilityFigure::Mode& mode : *modes) {
      most_re = std::max({most_re, -mode.z.real(), -mode.z2.real()});
      most_im = std::max(most_im, mode.z.imag());
    }
  const double largest = std::max({most_re, most_im, 1e-6});
  StabilityView& view = context.view.plots_layout.stability;
  // Round numbers, so that the axes seldom change.
  const auto end = [&](double most) {
    return rounded_up(1.1 * std::max(most, 0.1 * largest), {1, 1.5, 2, 3, 5, 7});
  };
  const AxisRange re = view.plane_axes.x.value_or(AxisRange{-end(most_re), 0});
  const AxisRange im = view.plane_axes.y.value_or(AxisRange{0, end(most_im)});
  const IntegratorInfo& info = running_method(now);
  const IntegratorParameters values = integrator_parameters(*now.frame.scene);
  view.region.prepare(info, values, re, im);

  std::string title = "Re hλ";
  if (size.x >= units(kRoomForAll))
    title += figure.eigenvalues.empty() ? " (diagonal approximation)" : " (dots: diagonal, crosses: exact)";
  const Figure frame({title, re}, {"Im hλ", im}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw_region(frame, view.region);
  const auto colour = [](const StabilityFigure::Mode& mode) {
    return mode.growth > kStable ? palette().failed : palette().text;
  };
  const auto point = [&](std::complex<double> z) { return frame.at(z.real(), z.imag()); };
  for (const StabilityFigure::Mode& mode : figure.modes)
    for (const std::complex<double> z : {mode.z, mode.z2})
      if (z.imag() >= 0) draw->AddCircleFilled(point(z), units(1.8F), colour(mode), 8);
  for (const StabilityFigure::Mode& mode : figure.eigenvalues)
    for (const std::complex<double> z : {mode.z, mode.z2}) {
      if (z.imag() < 0 || z == 0.0) continue;
      const ImVec2 p = point(z);
      const float arm = units(3);
      draw->AddLine(ImVec2(p.x - arm, p.y - arm), ImVec2(p.x + arm, p.y + arm), palette().careful);
      draw->AddLine(ImVec2(p.x - arm, p.y + arm), ImVec2(p.x + arm, p.y - arm), palette().careful);
    }
  if (frame.height() > units(kRoomForNames)) frame.label(frame.a(), palette().muted, "Im hλ");
  frame.end_clip();
  if (frame.zoom(name + ":region", view.plane_axes, true)) tell_growth(frame, info, values);
}

// Title and verdict at the top; returns their height.
float draw_words(const std::string& name, const StabilityFigure& figure, ImVec2 at, ImVec2 size) {
  const float line = ImGui::GetTextLineHeight();
  const bool roomy = size.y >= units(kRoomForTitle);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (roomy) coloured_text(palette().muted, first_line(figure.title, size.x));
  coloured_text(palette().text,
                roomy ? broken_lines(figure.verdict, size.x) : first_line(figure.verdict, size.x));
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  explain_item(
      name + ":verdict",
      figure.title + ".\n\n" + figure.verdict +
          "\n\nDots: the modes at their growth per step, damping included. Bars: the number of modes at a "
          "frequency. Curve: the method without damping; thin curves: the other lanes.\n\nThe wheel zooms, "
          "over the numbers of the growth only that axis. A left-drag pans, a right-drag zooms into a box, a "
          "double click fits again.",
      figure.verdict);
  // Title and two lines, so that the picture does not move when the verdict changes.
  return std::max(ImGui::GetItemRectSize().y, roomy ? 3 * line : line);
}

}  // namespace

// Neighbours of one shade in a row are one rectangle.
void draw_region(const Figure& frame, const GrowthRegion& region) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto between = [](const AxisRange& range, std::size_t k, std::size_t count) {
    return range.low + (range.high - range.low) * static_cast<double>(k) / static_cast<double>(count);
  };
  for (std::size_t row = 0; row < GrowthRegion::kRows; ++row) {
    const auto y = [&](std::size_t k) {
      return std::round(frame.py(between(region.im(), k, GrowthRegion::kRows)));
    };
    const auto x = [&](std::size_t k) {
      return std::round(frame.px(between(region.re(), k, GrowthRegion::kColumns)));
    };
    for (std::size_t begin = 0, end = 0; begin < GrowthRegion::kColumns; begin = end) {
      if (!region.has(begin, row)) return;
      const ImU32 colour = shade(region.growth(begin, row));
      for (end = begin + 1; end < GrowthRegion::kColumns && region.has(end, row); ++end)
        if (shade(region.growth(end, row)) != colour) break;
      draw->AddRectFilled(ImVec2(x(begin), y(row + 1)), ImVec2(x(end), y(row)), colour);
    }
  }
}

void stability_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const StabilityView& view = context.view.plots_layout.stability;
  const bool both = size.x >= units(kRoomForBoth);
  context.view.spectrum = {.wanted = true, .eigenvalues = view.eigenvalues && (both || view.plane)};
  const StabilityFigure figure = make_stability_figure(context.snapshot, view.growth_axes.x);
  buttons_of(context, name, figure, both, at, size);

  if (!figure.empty.empty()) return draw_empty(figure.empty, at, size);
  draw_ground(at, size);
  const float pad = units(8);
  const float words =
      draw_words(name, figure, ImVec2(at.x + pad, at.y + units(3)), ImVec2(size.x - 2 * pad, size.y)) +
      units(3);
  const ImVec2 corner(at.x, at.y + words);
  const ImVec2 room(both ? std::floor(size.x / 2) : size.x, size.y - words);
  if (both || !view.plane) draw_growth(context, name, figure, corner, room);
  if (both || view.plane)
    draw_plane(context, name, figure, ImVec2(both ? corner.x + room.x : corner.x, corner.y), room);
}

}  // namespace clothlab
