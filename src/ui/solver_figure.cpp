// SPDX-License-Identifier: MIT
#include "ui/solver_figure.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "integrate/registry.h"
#include "ui/lane_reading.h"
#include "ui/lanes.h"

namespace clothlab {
namespace {

constexpr std::size_t kStepsShown = 200;
constexpr double kHeadroom = 1.3;  // for what names the columns

using Outcome = SolverFigure::Outcome;

const IntegratorInfo& method_of(const LaneSnapshot& lane) { return integrators()[lane.integrator]; }

// Another method's solves say nothing about this one.
bool has_step(const LaneSnapshot& lane) { return lane.frame.record.integrator == method_of(lane).id; }

std::string counted(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "5 Newton iterations, residual 3e-4 (tolerance 0.001), 23 CG iterations"
std::string effort(const LaneSnapshot& lane) {
  const StepRecord& record = lane.frame.record;
  const bool by_newton = method_of(lane).uses_newton;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (by_newton || record.newton_iterations > 0) add(counted(record.newton_iterations, "Newton iteration"));
  if (by_newton || record.residual > 0)
    add("residual " + format_plain(record.residual) + " (tolerance " +
        format_plain(lane.frame.scene->stepping.solver.newton_tolerance) + ")");
  if (record.last_cg) add(counted(record.cg_iterations, "CG iteration"));
  return text;
}

void judge(const LaneSnapshot& lane, SolverFigure& out) {
  const StepRecord& record = lane.frame.record;
  if (!has_step(lane)) {
    out.verdict = "No step by this method yet: play, or press S for one.";
    return;
  }
  const std::string took = effort(lane);
  const auto judged = [&](Outcome outcome, std::string what) {
    out.outcome = outcome;
    if (!what.ends_with('.')) what += '.';
    out.verdict = what + (took.empty() ? "" : " The last step: " + took + ".");
  };
  const StepTrouble trouble = trouble_of(lane, method_of(lane));
  if (!record.converged)
    judged(Outcome::not_converged, "Did not converge: " + std::string(record.reason));
  else if (!trouble.converged)
    judged(Outcome::warned, "A step of the last second did not converge: " + trouble.why);
  else if (!trouble.why.empty())
    judged(Outcome::warned, trouble.why);
  else
    out.outcome = Outcome::converged;
  if (out.outcome == Outcome::converged && !took.empty()) out.verdict = "Converged: " + took + ".";
}

std::string_view name_of(PreconditionerKind kind) {
  return std::ranges::find(kPreconditioners, kind, &PreconditionerName::kind)->name;
}

std::string manner_of_cg(const LaneSnapshot& lane, const CgSolve& solve) {
  const std::vector<double>& residuals = lane.frame.residuals;
  std::string text = solve.preconditioner == PreconditionerKind::none
                         ? "Last solve without preconditioner"
                         : "Last solve by " + std::string(name_of(solve.preconditioner));
  if (solve.levels > 0) text += ", " + counted(static_cast<int>(solve.levels), "level");
  const std::size_t taken = residuals.empty() ? 0 : residuals.size() - 1;
  text += ": " + std::to_string(taken) + " of at most " +
          std::to_string(lane.frame.scene->stepping.solver.linear.cg.max_iterations) + " iterations to " +
          format_plain(lane.frame.record.cg_residual, 2) + ", tolerance " + format_plain(solve.tolerance);
  if (solve.at_radius) text += "; ended at the radius in which Newton's method trusts the matrix";
  if (solve.indefinite) text += "; ended at a direction of non-positive curvature";
  return text + ".";
}

std::string manner_of(const LaneSnapshot& lane) {
  const IntegratorInfo& info = method_of(lane);
  const StepRecord& record = lane.frame.record;
  if (has_step(lane) && record.last_cg) return manner_of_cg(lane, *record.last_cg);
  const std::string title(info.title);
  if (info.uses_linear_solver || info.inextensible) {
    if (lane.frame.scene->stepping.solver.linear.kind == LinearSolverSettings::Kind::cholesky)
      return "Cholesky solves directly, without iterations" +
             (has_step(lane) ? ", to a residual of " + format_plain(record.cg_residual) + "."
                             : std::string("."));
    return has_step(lane) ? "The last step needed no linear solve." : "";
  }
  switch (info.family) {
    case IntegratorFamily::explicit_method:
      return title + " is explicit: it solves no equations.";
    case IntegratorFamily::exponential:
      return title + " makes its step of exponentials, in Krylov subspaces: no equations are solved.";
    default:
      return title +
             " has no conjugate gradients: it sweeps over the springs, or solves with a factor made "
             "once.";
  }
}

void add_curve(const LaneSnapshot& lane, SolverFigure& out) {
  if (!has_step(lane) || !lane.frame.record.last_cg || lane.frame.residuals.empty()) return;
  out.curves.push_back(
      {lane.lane, lane_name(lane), lane.frame.residuals, lane.frame.record.last_cg->tolerance});
}

void fit_curves(SolverFigure& out) {
  AxisFit fit(true);
  for (const SolverFigure::Curve& curve : out.curves) {
    for (const double residual : curve.residuals) fit.include(residual);
    fit.include(curve.tolerance);
    out.iterations.high = std::max(out.iterations.high, static_cast<double>(curve.residuals.size() - 1));
  }
  if (!fit.empty()) out.residual = fit.range(false);
}

// Up to the shown moment.
void add_steps(const LaneSnapshot& lane, SolverFigure& out) {
  const double end = lane.frame.record.time + 0.5 * lane.frame.scene->stepping.dt;
  double most = 0;
  for (auto it = lane.plot->rbegin(); it != lane.plot->rend() && out.steps.size() < kStepsShown; ++it) {
    if (it->time > end || std::isnan(it->milliseconds)) continue;
    out.steps.push_back({it->time, it->cg_iterations, it->newton_iterations, it->converged});
    most = std::max(most, static_cast<double>(std::max(it->cg_iterations, it->newton_iterations)));
  }
  if (most == 0 && std::ranges::all_of(out.steps, &SolverFigure::Step::converged)) out.steps.clear();
  std::ranges::reverse(out.steps);
  out.most_iterations = std::max(out.most_iterations, kHeadroom * most);
}

}  // namespace

SolverFigure make_solver_figure(const Snapshot& now) {
  SolverFigure out;
  judge(now, out);
  out.manner = manner_of(now);
  add_curve(now, out);
  for (const LaneSnapshot& lane : now.others) add_curve(lane, out);
  fit_curves(out);
  add_steps(now, out);
  return out;
}

}  // namespace clothlab
