// SPDX-License-Identifier: MIT
#include "ui/instruments/solver_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "integrate/registry.h"
#include "ui/lanes.h"
#include "ui/readings.h"
#include "ui/widgets/numbers.h"

namespace clothlab {
namespace {

constexpr std::size_t kStepsShown = 200;
constexpr double kHeadroom = 1.3;  // for the names of the columns

using Outcome = SolverFigure::Outcome;

// Solves of another method do not describe this one.
bool has_step(const LaneSnapshot& lane) { return lane.frame.record.integrator == shown_method(lane).id; }

// "5 Newton iterations and 23 CG iterations, residual 3e-4 (tolerance 0.001)"
std::string effort(const LaneSnapshot& lane) {
  const StepRecord& record = lane.frame.record;
  const bool by_newton = solves_by_newton(shown_method(lane), lane.scene().solver);
  const bool once = solves_stages_once(shown_method(lane), lane.scene().solver);
  std::string text;
  if (by_newton || record.newton_iterations > 0)
    text = counted(static_cast<unsigned>(record.newton_iterations), "Newton iteration");
  if (record.last_cg) {
    if (!text.empty()) text += " and ";
    text += counted(static_cast<unsigned>(record.cg_iterations), "CG iteration");
  }
  if (by_newton || record.residual > 0) {
    if (!text.empty()) text += ", ";
    text.append(once ? "nonlinear residual " : "residual ").append(format_plain(record.residual, 2));
    if (!once)
      text.append(" (tolerance ").append(format_plain(lane.scene().solver.newton_tolerance)).append(")");
  }
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
  const StepTrouble trouble = trouble_of(lane, shown_method(lane));
  if (!record.converged)
    judged(Outcome::not_converged, std::string("Did not converge: ").append(record.reason));
  else if (!trouble.converged)
    judged(Outcome::warned, "A step of the last second did not converge: " + trouble.why);
  else if (!trouble.why.empty())
    judged(Outcome::warned, trouble.why);
  else
    out.outcome = Outcome::converged;
  if (out.outcome == Outcome::converged && !took.empty()) out.verdict = "Converged: " + took + ".";
}

std::string_view preconditioner_name(PreconditionerKind kind) {
  return std::ranges::find(kPreconditioners, kind, &PreconditionerName::kind)->name;
}

std::string manner_of_cg(const LaneSnapshot& lane, const CgSolve& solve) {
  const std::vector<double>& residuals = lane.frame.residuals;
  std::string text = solve.preconditioner == PreconditionerKind::none
                         ? "Last solve without preconditioner"
                         : std::string("Last solve by ").append(preconditioner_name(solve.preconditioner));
  if (solve.levels > 0) text.append(", ").append(counted(solve.levels, "level"));
  const std::size_t taken = residuals.empty() ? 0 : residuals.size() - 1;
  text.append(": ").append(std::to_string(taken)).append(" of at most ");
  text.append(std::to_string(lane.scene().solver.linear.cg.max_iterations));
  text.append(" iterations to ").append(format_plain(lane.frame.record.cg_residual, 2));
  text.append(", tolerance ").append(format_plain(solve.tolerance));
  if (solve.at_radius) text += "; ended at the trust radius of Newton's method";
  if (solve.indefinite) text += "; ended at a direction of non-positive curvature";
  return text + ".";
}

std::string manner_of_contact(const LaneSnapshot& lane) {
  const std::optional<ContactSolves>& solves = lane.frame.record.contact_solves;
  if (!has_step(lane) || !solves) return {};
  return " Contact and friction: " + counted(static_cast<unsigned>(solves->rounds), "round") +
         " of solves, " + counted(static_cast<unsigned>(solves->changes), "change") +
         " between open, slipping and sticking contacts, residual " + format_plain(solves->residual, 2) +
         " of the forces.";
}

std::string manner_of(const LaneSnapshot& lane) {
  const IntegratorInfo& info = shown_method(lane);
  const StepRecord& record = lane.frame.record;
  if (has_step(lane) && record.last_cg) return manner_of_cg(lane, *record.last_cg);
  if (info.uses_linear_solver || info.inextensible) {
    const bool direct = lane.scene().solver.linear.kind == LinearSolverSettings::Kind::cholesky;
    if (!has_step(lane)) return direct ? "Cholesky solves directly, without iterations." : "";
    if (!direct) return "The last step needed no linear solve.";
    std::string text("Cholesky solves directly, without iterations, to a residual of ");
    return text.append(format_plain(record.cg_residual, 2)).append(".");
  }
  const bool is_explicit = info.family == IntegratorFamily::explicit_method;
  return std::string(info.title)
      .append(is_explicit ? " is explicit and solves no equations. " : " has no conjugate gradients. ")
      .append(info.cost);
}

void add_curve(const LaneSnapshot& lane, SolverFigure& out) {
  if (!has_step(lane) || !lane.frame.record.last_cg || lane.frame.residuals.empty()) return;
  const CgSolve& solve = *lane.frame.record.last_cg;
  std::string name = lane_name(lane);
  name.append(" (").append(preconditioner_name(solve.preconditioner)).append(")");
  out.curves.push_back({lane.lane, std::move(name), lane.frame.residuals, solve.tolerance});
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
  const double end = lane.frame.record.time + 0.5 * std::abs(lane.scene().dt);
  double most = 0;
  for (auto it = lane.plot->rbegin(); it != lane.plot->rend() && out.steps.size() < kStepsShown; ++it) {
    if (it->time > end || std::isnan(it->milliseconds)) continue;
    out.steps.push_back(*it);
    most = std::max(most, static_cast<double>(std::max(it->cg_iterations, it->newton_iterations)));
  }
  if (most == 0) out.steps.clear();
  std::ranges::reverse(out.steps);
  out.most_iterations = std::max(out.most_iterations, kHeadroom * most);
}

}  // namespace

SolverFigure make_solver_figure(const Snapshot& now) {
  SolverFigure out;
  judge(now, out);
  out.manner = manner_of(now) + manner_of_contact(now);
  add_curve(now, out);
  for (const LaneSnapshot& lane : now.others) add_curve(lane, out);
  fit_curves(out);
  add_steps(now, out);
  if (has_step(now)) {
    const std::span<const int> solves = now.frame.record.solves.all();
    out.solves.assign(solves.begin(), solves.end());
  }
  return out;
}

}  // namespace clothlab
