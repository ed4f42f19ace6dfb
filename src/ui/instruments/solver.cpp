// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "io/csv.h"
#include "sim/parameters.h"
#include "ui/instruments/instruments.h"
#include "ui/instruments/solver_figure.h"
#include "ui/widgets/parameter_row.h"

namespace clothlab {
namespace {

constexpr float kRoomyHeight = 230;     // room for all of the words [interface units]
constexpr float kLowHeight = 120;       // [interface units]
constexpr float kPreconditioner = 104;  // width of that choice [interface units]
constexpr float kRoomForName = 100;     // of height, for the name of an axis [interface units]
constexpr float kRoomForLegend = 50;    // of height, for the names of the columns [interface units]
constexpr float kShareOfSteps = 0.38F;  // of the width
constexpr int kMostLines = 4;           // of settings
constexpr std::size_t kDotsUpTo = 40;   // iterations, each with a dot

// ---- The settings

/// One of the solver's settings in the row of switches.
struct Switch {
  const char* id;
  const char* label;
  float width;  // [interface units]
};
// Those that do not fit are left out.
constexpr std::array kSwitches{
    Switch{"stage-solve", "Stages by", 70},      Switch{"cg-tolerance", "CG to", 46},
    Switch{"newton-tolerance", "Newton to", 46}, Switch{"cg-max-iterations", "CG at most", 46},
    Switch{"jacobian", "Jacobian", 74},
};

/// The user's scene with the method that runs.
Scene running_scene(const PanelContext& context) {
  Scene scene = context.scene();
  scene.integrator = running_method(context.snapshot).id;
  return scene;
}

bool matters(const Scene& scene, std::string_view id) {
  const IntegratorInfo& info = method_info(scene);
  // why_without_effect() also counts its effect on the stability limit that is shown.
  if (id == "jacobian") return info.uses_linear_solver || info.family == IntegratorFamily::exponential;
  return why_without_effect(scene, id, false).empty();
}

struct Setting {
  std::string label;
  float width;  // [px]
  const ParameterSpec* spec;
  double value;
};

// Of the linear solver and Newton's method, and the method's own: sweeps, or how old modes may be.
std::vector<Setting> settings_of(const Scene& scene) {
  std::vector<Setting> settings;
  for (const Switch& each : kSwitches) {
    if (!matters(scene, each.id)) continue;
    const SceneParameter& row = *find_scene_parameter(each.id);
    settings.push_back({each.label, units(each.width), &row.spec, row.get(scene)});
  }
  const IntegratorInfo& info = method_info(scene);
  const IntegratorParameters values = integrator_parameters(scene, info);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterSpec& spec = info.parameters[i];
    settings.push_back({std::string(spec.title), units(46), &spec, values[i]});
  }
  return settings;
}

// In at most that many lines of that width; returns their height.
float draw_switches(const PanelContext& context, const Scene& scene, const std::string& name, ImVec2 at,
                    float width, int most_lines) {
  const float gap = units(4), line = ImGui::GetFrameHeight() + units(3);
  float x = at.x, y = at.y;
  int lines = 0;
  for (const Setting& each : settings_of(scene)) {
    const float label = text_width(each.label);
    const float all = label + gap + each.width;
    if (lines == 0 || x + all > at.x + width) {
      if (lines == most_lines) break;
      if (lines > 0) y += line;
      ++lines;
      x = at.x;
    }
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::AlignTextToFramePadding();
    coloured_text(palette().muted, displayable(each.label));
    ImGui::SetCursorScreenPos(ImVec2(x + label + gap, y));
    const std::string id(each.spec->id);
    if (const auto changed = parameter_field(name + ":" + id, *each.spec, each.value, each.width))
      context.set_parameter(id, *changed);
    x += all + units(10);
  }
  return lines > 0 ? y + line - at.y : 0;
}

// ---- The last solves

ImU32 colour_of_lane(const Snapshot& now, LaneId lane) {
  return now.others.empty() ? palette().kinetic : lane_colour(lane);
}

void draw_tolerances(const Figure& frame, const SolverFigure& figure) {
  const auto is_first = [&](const SolverFigure::Curve& curve) {
    return curve.tolerance == figure.curves.front().tolerance;
  };
  const bool one_for_all = std::ranges::all_of(figure.curves, is_first);
  std::vector<double> drawn;
  for (const SolverFigure::Curve& curve : figure.curves) {
    if (std::ranges::find(drawn, curve.tolerance) != drawn.end()) continue;
    drawn.push_back(curve.tolerance);
    const bool own = &curve == figure.curves.data();
    const ImU32 colour = own ? palette().careful : with_alpha(lane_colour(curve.lane), 0.6F);
    const float y = frame.py(curve.tolerance);
    // Curves fall from the upper left to the lower right; of several, some do so at once.
    const bool low = y > (frame.a().y + frame.b().y) / 2;
    const float share = !low ? 1.0F : figure.curves.size() > 1 ? 0.3F : 0.0F;
    draw_line({ImVec2(frame.a().x, y), ImVec2(frame.b().x, y)}, colour, 1.2F, kShortDash);
    if (own)
      frame.label(ImVec2(frame.a().x + share * frame.width(), y - ImGui::GetTextLineHeight() - units(1)),
                  colour,
                  (one_for_all ? std::string() : std::string(1, lane_letter(curve.lane)) + ": ") +
                      "tolerance " + format_plain(curve.tolerance));
  }
}

void tell_iteration(const Figure& frame, const SolverFigure& figure) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto k = static_cast<std::size_t>(std::max(std::round(frame.x_at(mouse.x)), 0.0));
  frame.upright(frame.px(static_cast<double>(k)), with_alpha(palette().text, 0.5F));
  std::string text =
      std::string("After ").append(std::to_string(k)).append(k == 1 ? " CG iteration" : " CG iterations");
  for (const SolverFigure::Curve& curve : figure.curves)
    text.append("\n")
        .append(curve.name)
        .append(": ")
        .append(k < curve.residuals.size()
                    ? format_plain(curve.residuals[k])
                    : std::string("ended after ").append(std::to_string(curve.residuals.size() - 1)));
  frame.tell(text);
}

void draw_residuals(const Snapshot& now, const std::string& name, const SolverFigure& figure, ImVec2 at,
                    ImVec2 size) {
  const Figure frame({"CG iteration", figure.iterations, false, true},
                     {"relative residual", figure.residual, true}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  draw_tolerances(frame, figure);
  for (std::size_t c = figure.curves.size(); c-- > 0;) {
    const SolverFigure::Curve& curve = figure.curves[c];
    const float thickness = c == 0 ? 2 : 1.2F;
    const ImU32 colour = colour_of_lane(now, curve.lane);
    std::vector<ImVec2> points;
    for (std::size_t k = 0; k <= curve.residuals.size(); ++k) {
      if (k < curve.residuals.size() && Axis::has(curve.residuals[k], true)) {
        points.push_back(frame.at(static_cast<double>(k), curve.residuals[k]));
        if (curve.residuals.size() <= kDotsUpTo)
          ImGui::GetWindowDrawList()->AddCircleFilled(points.back(), units(thickness + 0.4F), colour, 10);
      } else {
        draw_line(points, colour, thickness, now.others.empty() ? Dash{} : lane_dash(curve.lane));
        points.clear();
      }
    }
  }
  if (frame.height() > units(kRoomForName))
    frame.label(ImVec2(frame.b().x, frame.a().y), palette().muted, "relative residual");
  frame.end_clip();
  if (frame.hovered(name + ":residuals")) tell_iteration(frame, figure);
}

// ---- The last steps

void tell_step(const Figure& frame, const PlotSample& step) {
  std::string text = format_quantity(step.time, "s", 4);
  text.append(": ").append(std::to_string(step.cg_iterations)).append(" CG iterations, ");
  text.append(std::to_string(step.newton_iterations)).append(" of Newton's method");
  frame.tell(text, step.converged ? "" : "did not converge");
}

// In the order of Newton's iterations.
void draw_solves(const std::string& name, const SolverFigure& figure, ImVec2 at, ImVec2 size) {
  const double count = static_cast<double>(figure.solves.size());
  const int most = std::ranges::max(figure.solves);
  const Figure frame({"solve", {0.5, std::max(count, 4.0) + 0.5}, false, true},
                     {"iterations", {0, 1.3 * std::max(most, 3)}, false, true}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < figure.solves.size(); ++i) {
    const double middle = static_cast<double>(i) + 1;
    draw->AddRectFilled(ImVec2(std::round(frame.px(middle - 0.4)), frame.py(figure.solves[i])),
                        ImVec2(std::round(frame.px(middle + 0.4)), frame.b().y),
                        with_alpha(palette().stretch, 0.8F));
  }
  if (frame.height() > units(kRoomForLegend)) frame.label(frame.a(), palette().muted, "CG per solve");
  if (!frame.hovered(name + ":solves")) return;
  const double solve = std::round(frame.x_at(ImGui::GetIO().MousePos.x));
  if (!(solve >= 1 && solve <= count)) return;
  std::string text = "Solve " + format_plain(solve) + " of " + format_plain(count) + ": ";
  frame.tell(text.append(std::to_string(figure.solves[static_cast<std::size_t>(solve) - 1]))
                 .append(" CG iterations"));
}

// The newest at the right.
void draw_steps(const std::string& name, const SolverFigure& figure, ImVec2 at, ImVec2 size) {
  const double count = static_cast<double>(figure.steps.size());
  const Figure frame({"step", {-std::max(count, 20.0), 0}, false, true},
                     {"iterations", {0, figure.most_iterations}, false, true}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < figure.steps.size(); ++i) {
    const PlotSample& step = figure.steps[i];
    const double from = static_cast<double>(i) - count;
    const float left = std::round(frame.px(from));
    const float right = std::max(std::round(frame.px(from + 1)) - (count < 60 ? 1.0F : 0.0F), left + 1);
    const auto column = [&](int iterations, ImU32 colour) {
      if (iterations > 0)
        draw->AddRectFilled(ImVec2(left, std::min(frame.py(iterations), frame.b().y - 1)),
                            ImVec2(right, frame.b().y), colour);
    };
    column(step.cg_iterations, step.converged ? with_alpha(palette().muted, 0.7F) : palette().failed);
    column(step.newton_iterations, palette().stretch);
  }
  const bool named = frame.height() > units(kRoomForLegend);
  if (named) frame.label(frame.a(), palette().muted, "CG per step");
  if (named && std::ranges::any_of(figure.steps, [](const auto& step) { return step.newton_iterations > 0; }))
    frame.label(ImVec2(frame.a().x, frame.a().y + ImGui::GetTextLineHeight()), palette().stretch, "Newton");
  if (!frame.hovered(name + ":steps")) return;
  const double index = count + std::floor(frame.x_at(ImGui::GetIO().MousePos.x));
  if (index >= 0 && index < count) tell_step(frame, figure.steps[static_cast<std::size_t>(index)]);
}

// ---- All of it

ImU32 outcome_colour(SolverFigure::Outcome outcome) {
  if (outcome == SolverFigure::Outcome::not_converged) return palette().failed;
  if (outcome == SolverFigure::Outcome::warned) return palette().careful;
  return outcome == SolverFigure::Outcome::no_step ? palette().muted : palette().text;
}

// Room for only one line above the pictures.
bool is_low(float height) { return height < units(kLowHeight); }

// The verdict and the solve in words; returns their height.
float draw_sentences(const std::string& name, const SolverFigure& figure, ImVec2 at, ImVec2 size) {
  const bool roomy = size.y >= units(kRoomyHeight) || (figure.curves.empty() && figure.steps.empty());
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const auto line = [&](ImU32 colour, const std::string& text) {
    if (!text.empty()) coloured_text(colour, roomy ? broken_lines(text, size.x) : first_line(text, size.x));
  };
  const bool low = is_low(size.y);
  if (!low || figure.outcome != SolverFigure::Outcome::converged)
    line(outcome_colour(figure.outcome), figure.verdict);
  if (!low || figure.outcome == SolverFigure::Outcome::converged) line(palette().muted, figure.manner);
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  explain_item(
      name + ":verdict",
      figure.verdict + (figure.manner.empty() ? "" : "\n\n" + figure.manner) +
          "\n\nThe curves: the residual of each lane's last linear solve after every iteration of conjugate "
          "gradients, over its right-hand side. The columns: CG iterations of the active lane's last 200 "
          "steps, red if a step did not converge, with Newton iterations in front of them.");
  return ImGui::GetItemRectSize().y;
}

std::string csv_of_solves(const SolverFigure& figure) {
  std::string text = "iteration";
  std::size_t rows = 0;
  for (const SolverFigure::Curve& curve : figure.curves) {
    text += "," + curve.name;
    rows = std::max(rows, curve.residuals.size());
  }
  text += "\n";
  for (std::size_t k = 0; k < rows; ++k) {
    std::vector<CsvValue> values{static_cast<double>(k)};
    for (const SolverFigure::Curve& curve : figure.curves)
      values.emplace_back(k < curve.residuals.size() ? curve.residuals[k]
                                                     : std::numeric_limits<double>::quiet_NaN());
    text += csv_line(values);
  }
  return text;
}

}  // namespace

void solver_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const Snapshot& now = context.snapshot;
  const SolverFigure figure = make_solver_figure(now);
  const Scene scene = running_scene(context);
  if (matters(scene, "preconditioner")) {
    const SceneParameter& row = *find_scene_parameter("preconditioner");
    if (const auto changed = parameter_field(name + ":preconditioner", row.spec, row.get(context.scene()),
                                             units(kPreconditioner)))
      context.set_parameter("preconditioner", *changed);
    ImGui::SameLine(0, units(4));
  }
  bool& solves = context.view.plots_layout.solves;
  if (!figure.solves.empty() && has_room_for("Per solve", at, size)) {
    if (text_button(name + ":per-solve", "Per solve",
                    "CG iterations of each solve of the last step (one per Newton iteration), instead of the "
                    "last 200 steps.",
                    {.active = solves}))
      solves = !solves;
    ImGui::SameLine(0, units(4));
  }
  if (!figure.curves.empty() && has_room_for("CSV", at, size) &&
      text_button(name + ":csv", "CSV", "Save the residuals of all lanes."))
    context.request(SaveTable{"solver", csv_of_solves(figure)});

  draw_ground(at, size);
  const float pad = units(8);
  const ImVec2 inner(size.x - 2 * pad, size.y);
  float y = at.y + units(3);
  y += draw_sentences(name, figure, ImVec2(at.x + pad, y), inner) + units(3);
  if (!is_low(size.y))
    y += draw_switches(context, scene, name, ImVec2(at.x + pad, y), inner.x,
                       size.y >= units(kRoomyHeight) ? kMostLines : 1);
  const float height = at.y + size.y - y;
  const float steps = figure.steps.empty()    ? 0
                      : figure.curves.empty() ? size.x
                                              : std::floor(kShareOfSteps * size.x);
  if (!figure.curves.empty())
    draw_residuals(now, name, figure, ImVec2(at.x, y), ImVec2(size.x - steps, height));
  if (steps > 0)
    (solves && !figure.solves.empty() ? draw_solves : draw_steps)(
        name, figure, ImVec2(at.x + size.x - steps, y), ImVec2(steps, height));
}

}  // namespace clothlab
