// SPDX-License-Identifier: MIT
// The picture of the solver: what it says of the last solves, that it draws itself at every size, and what
// its switches send.

#include "ui/instruments/solver_figure.h"
#include "ui/readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "integrate/registry.h"
#include "interface.h"
#include "sim/parameters.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Interface;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// A step of that method that ended with these residuals.
void give_solve(LaneSnapshot& lane, std::string_view method, std::vector<double> residuals,
                const CgSolve& solve) {
  lane.integrator = static_cast<std::uint16_t>(method_row(method));
  lane.frame.residuals = std::move(residuals);
  StepRecord& record = lane.frame.record;
  record.integrator = integrators()[lane.integrator].id;
  const double h = lane.frame.scene->dt;
  record.time = 300 * h;
  record.cg_iterations = static_cast<int>(lane.frame.residuals.size()) - 1;
  record.cg_residual = lane.frame.residuals.back();
  record.solves = {};
  record.solves.add(record.cg_iterations);
  record.last_cg = solve;
  record.converged = solve.converged;
  record.reason = solve.converged ? "" : "the linear solve did not reach its tolerance";
  std::vector<PlotSample> samples;
  for (int i = 1; i <= 300; ++i) {
    PlotSample& sample = samples.emplace_back();
    sample.integrator = &shown_method(lane);
    sample.time = i * h;
    sample.milliseconds = 1;
    sample.cg_iterations = i == 300 ? 12 : 3;
    sample.converged = i < 300;
  }
  lane.plot = std::make_shared<const std::vector<PlotSample>>(samples);
}

/// Lane A converged with multigrid, lane B did not.
void give_two_lanes(Interface& face) {
  face.snapshot.others.clear();
  LaneSnapshot other = face.snapshot;
  give_solve(face.snapshot, "semi-implicit-euler", {1, 0.05, 4e-4},
             {PreconditionerKind::multigrid, 3, 1e-3, true, false, false});
  other.lane = 1;
  give_solve(other, "backward-euler", {1, 0.7, 0.6, 0.5, 0.45, 0.4},
             {PreconditionerKind::none, 0, 0.25, false, true, false});
  face.snapshot.others.push_back(std::move(other));
}

TEST(SolverFigure, HasACurveAndAToleranceForEveryLane) {
  Interface face;
  give_two_lanes(face);
  const SolverFigure figure = make_solver_figure(face.snapshot);
  ASSERT_THAT(figure.curves, SizeIs(2));
  EXPECT_EQ(figure.curves[0].lane, 0);
  EXPECT_EQ(figure.curves[0].tolerance, 1e-3);
  EXPECT_EQ(figure.curves[1].tolerance, 0.25) << "that of Newton's method";
  EXPECT_EQ(figure.iterations.high, 5);
  EXPECT_LT(figure.residual.low, 4e-4);
  EXPECT_THAT(figure.verdict, StartsWith("Converged: 2 CG iterations"));
  EXPECT_THAT(figure.manner,
              HasSubstr("by multigrid, 3 levels: 2 of at most 500 iterations to 0.0004, tolerance 0.001"));
  ASSERT_THAT(figure.steps, SizeIs(200));
  EXPECT_THAT(figure.solves, ElementsAre(2));
  EXPECT_FALSE(figure.steps.back().converged);
  EXPECT_GT(figure.most_iterations, 12);
  face.snapshot.frame.record.time = 100 * face.snapshot.frame.scene->dt;
  EXPECT_THAT(make_solver_figure(face.snapshot).steps, SizeIs(100)) << "up to the shown moment";
}

TEST(SolverFigure, SaysWhyALaneDidNotConvergeOrHasNothingToShow) {
  Interface face;
  EXPECT_THAT(make_solver_figure(face.snapshot).verdict, StartsWith("No step by this method yet"));
  give_two_lanes(face);
  std::swap(static_cast<LaneSnapshot&>(face.snapshot), face.snapshot.others.front());
  const SolverFigure failed = make_solver_figure(face.snapshot);
  EXPECT_EQ(failed.outcome, SolverFigure::Outcome::not_converged);
  EXPECT_THAT(failed.verdict, StartsWith("Did not converge: the linear solve did not reach its tolerance."));
  EXPECT_THAT(failed.verdict, HasSubstr("0 Newton"));
  EXPECT_THAT(failed.manner, HasSubstr("without preconditioner"));
  EXPECT_THAT(failed.manner, HasSubstr("non-positive curvature"));

  for (const IntegratorInfo& info : integrators()) {
    StepRecord& record = face.snapshot.frame.record;
    face.snapshot.integrator = static_cast<std::uint16_t>(method_row(info.id));
    record = StepRecord{};
    record.integrator = info.id;
    const SolverFigure none = make_solver_figure(face.snapshot);
    EXPECT_THAT(none.curves, SizeIs(1)) << "that of the other lane";
    EXPECT_THAT(none.manner, Not(IsEmpty())) << info.id;
  }
  Scene scene = *face.snapshot.frame.scene;
  set_parameter(scene, "linear-solver", 1);
  face.snapshot.frame.scene = std::make_shared<const Scene>(scene);
  face.snapshot.integrator = static_cast<std::uint16_t>(method_row("backward-euler"));
  EXPECT_THAT(make_solver_figure(face.snapshot).manner, StartsWith("Cholesky solves directly"));
}

TEST(SolverFigure, DrawsItselfAndItsSwitchesSendCommands) {
  for (const auto& [width, height, scale] :
       {std::array{1280.F, 720.F, 1.F}, {1920, 1080, 1}, {1280, 720, 2}}) {
    Interface face(Interface::sheet(), scale, width, height);
    face.view.plots_layout.chosen[0] = PlotKind::solver;
    face.frame();
    EXPECT_LT(face.rect("plot0:residuals").x, 0) << "nothing to draw yet";
    give_two_lanes(face);
    face.frame();
    for (const char* part : {"plot0:residuals", "plot0:steps"}) {
      const ImVec4 frame = face.rect(part);
      EXPECT_GT(frame.z, frame.x + 60 * scale) << part << " " << width;
      EXPECT_GT(frame.w, frame.y + 40 * scale) << part << " " << width;
      face.move((frame.x + frame.z) / 2, (frame.y + frame.w) / 2);
    }
    face.click("plot0:per-solve");
    face.frame();
    EXPECT_GT(face.rect("plot0:solves").z, face.rect("plot0:solves").x + 60 * scale);
    face.click("plot0:preconditioner");
    face.frame();
    face.click("plot0:preconditioner:jacobi");
    const SetParameter* sent = face.last_command<SetParameter>();
    ASSERT_NE(sent, nullptr);
    EXPECT_EQ(sent->id, "preconditioner");
    face.click("plot0:cg-tolerance#field");
    face.type("0.02");
    face.move(300 * scale, 200 * scale);
    face.button(true);
    face.button(false);
    sent = face.last_command<SetParameter>();
    EXPECT_EQ(sent->id, "cg-tolerance");
    EXPECT_EQ(sent->value, 0.02);
    face.click("plot0:csv");
    const auto* table = std::get_if<SaveTable>(&face.requests.back());
    ASSERT_NE(table, nullptr);
    EXPECT_THAT(table->csv,
                StartsWith("iteration,A  Semi-implicit Euler (multigrid),B  Backward Euler (none)\n0,1,1\n"));
  }
}

TEST(SolverFigure, LeavesRoomForMore) {
  for (const float width : {640.0F, 760.0F, 900.0F, 1100.0F}) {
    Interface face(Interface::sheet(), 2, width, 360);
    give_two_lanes(face);
    for (const PlotKind kind : {PlotKind::solver, PlotKind::stability, PlotKind::phase}) {
      face.view.plots_layout.chosen[0] = kind;
      for (int i = 0; i < 2; ++i) face.frame();
      const ImVec4 more = face.rect("plot0:More");
      ASSERT_GT(more.x, 0) << width;
      for (const auto& [name, r] : item_rects()) {
        const bool beside =
            name.starts_with("plot0:") && name != "plot0:More" && r.y < more.w && r.w > more.y;
        EXPECT_TRUE(!beside || r.z <= more.x) << name << " " << width;
      }
    }
  }
}

TEST(SolverFigure, ShowsTheSettingsThatMatter) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::solver;
  const auto shows = [&](std::string_view method, const std::string& item) {
    face.snapshot.integrator = static_cast<std::uint16_t>(method_row(method));
    for (int i = 0; i < 2; ++i) face.frame();
    return face.rect("plot0:" + item).x >= 0;
  };
  EXPECT_TRUE(shows("backward-euler", "stage-solve"));
  EXPECT_TRUE(shows("backward-euler", "newton-tolerance#field"));
  EXPECT_FALSE(shows("semi-implicit-euler", "newton-tolerance#field"));
  EXPECT_TRUE(shows("semi-implicit-euler", "preconditioner"));
  EXPECT_FALSE(shows("rk4", "preconditioner"));
  face.view.plots_layout.enlarged = 0;  // room for all
  EXPECT_TRUE(shows("backward-euler", "stage-solve"));
  EXPECT_FALSE(shows("semi-implicit-euler", "stage-solve"));
  EXPECT_TRUE(shows("siere", "mode-refresh#field"));
  EXPECT_TRUE(shows("xpbd", "xpbd-iterations#field"));
  EXPECT_FALSE(shows("rk4", "jacobian"));
  EXPECT_FALSE(shows("pbd-proj2", "newton-tolerance#field")) << "rods have a tolerance of their own";
  EXPECT_FALSE(shows(kRungeKuttaIntegrator, "preconditioner")) << "its coefficients are no settings";
}

TEST(SolverFigure, BearsWhateverComes) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::solver;
  for (const double value : {0.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), -1.0, 1e300, 1e-300}) {
    give_solve(face.snapshot, "semi-implicit-euler", {value, value, 1, value},
               {PreconditionerKind::jacobi, 0, value, true, false, false});
    face.frame();
    face.frame();
    EXPECT_GT(face.rect("plot0:residuals").z, 0) << value;
  }
}

}  // namespace
}  // namespace clothlab
