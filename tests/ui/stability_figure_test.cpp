// SPDX-License-Identifier: MIT
// The picture of stability: what it says, and that it draws itself at every size.

#include "ui/instruments/stability_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <sstream>

#include "integrate/registry.h"
#include "interface.h"
#include "sim/parameters.h"
#include "uniform_estimate.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using testing::Interface;
using ::testing::Not;
using ::testing::StartsWith;
using testing::uniform_estimate;

constexpr double kStep = 0.01;  // h [s]

/// ω = 10, 20 … 400 rad/s, d = 0.02 ω.
std::shared_ptr<const MeasuredSpectrum> forty_modes(double damping = 0.02, double time = 0) {
  MeasuredSpectrum measured;
  measured.time = time;
  Spectrum& spectrum = measured.spectrum;
  spectrum.is_exact = true;
  spectrum.free_directions = 40;
  for (int k = 1; k <= 40; ++k) spectrum.groups.push_back({100. * k * k, damping * 10 * k, 1});
  spectrum.highest = 160000;
  spectrum.is_damped = damping > 0;
  return std::make_shared<const MeasuredSpectrum>(measured);
}

/// The snapshot with that method, h of 10 ms and those modes.
void use(Interface& face, std::string_view method, double damping = 0.02) {
  Scene scene = *face.snapshot.frame.scene;
  scene.integrator = method;
  set_parameter(scene, "dt", kStep);
  face.snapshot.frame.scene = std::make_shared<const Scene>(scene);
  face.snapshot.integrator = static_cast<std::uint16_t>(find_integrator(method) - integrators().data());
  face.snapshot.spectrum = forty_modes(damping);
}

void expect_finite(const StabilityFigure& figure) {
  ASSERT_TRUE(figure.empty.empty()) << figure.empty;
  EXPECT_GT(figure.h_omega.low, 0);
  EXPECT_GT(figure.h_omega.high, figure.h_omega.low);
  EXPECT_TRUE(std::isfinite(figure.h_omega.high) && figure.most_growth > 1);
  for (const StabilityFigure::Mode& mode : figure.modes) {
    EXPECT_TRUE(std::isfinite(mode.growth) && std::isfinite(std::abs(mode.z)) && mode.growth >= 0);
    EXPECT_GE(mode.h_omega, figure.h_omega.low);
    EXPECT_LE(mode.h_omega, figure.h_omega.high);
  }
  double sum = 0;
  for (const StabilityFigure::Bar& bar : figure.bars) sum += bar.modes;
  EXPECT_NEAR(sum, 40, 1e-9);
  ASSERT_FALSE(figure.curves.empty());
  for (const StabilityFigure::Curve& curve : figure.curves)
    for (const double growth : curve.growth) EXPECT_TRUE(std::isfinite(growth) && growth >= 0);
}

TEST(StabilityFigure, SaysWhichModesGrow) {
  Interface face;
  EXPECT_EQ(make_stability_figure(face.snapshot).empty, "The frequencies of the cloth are being measured.");
  use(face, "symplectic-euler", 0);
  const StabilityFigure figure = make_stability_figure(face.snapshot);
  EXPECT_EQ(figure.limit, 2);
  // hω = 0.1, 0.2 … 4: 20 of them beyond 2; there λ² − (2 − 16) λ + 1 = 0.
  EXPECT_THAT(figure.verdict,
              StartsWith("20 of 40 modes grow, those above hω = 2.1, by up to 13.9× per step."));
  const auto growing =
      std::ranges::count_if(figure.bars, [](const auto& bar) { return bar.modes > 0 && bar.grows; });
  EXPECT_GT(growing, 0);
  for (const StabilityFigure::Bar& bar : figure.bars)
    EXPECT_TRUE(bar.grows || bar.modes == 0 || std::sqrt(bar.h_omega.low * bar.h_omega.high) < 2.1);
}

TEST(StabilityFigure, ComparesTheLimitsWithAndWithoutDamping) {
  Interface face;
  use(face, "symplectic-euler");
  face.snapshot.stability = uniform_estimate(1000, 542);
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict,
              HasSubstr(" Stable below h = 1.53 ms, without damping below 2/ω_max = 2 ms."));
  face.snapshot.stability->others_are_exact = false;
  face.snapshot.stability->free_directions = 1194;
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict, HasSubstr(" Stable below h ≈ 1.53 ms"));
  use(face, "explicit-euler");
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict, Not(HasSubstr("Stable below"))) << "unknown";
  face.snapshot.stability = uniform_estimate(1000, 542);
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict,
              HasSubstr(" Stable below h = 542 µs with damping."));
  use(face, "backward-euler");
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict, Not(HasSubstr("Stable below")));
}

TEST(StabilityFigure, SaysWhatAnImplicitMethodDamps) {
  Interface face;
  use(face, "backward-euler", 0);
  const StabilityFigure figure = make_stability_figure(face.snapshot);
  EXPECT_FALSE(figure.limit.has_value());
  // 1/√(1 + y²) < ½ where y > √3: from 1.8 on.
  EXPECT_THAT(figure.verdict,
              StartsWith("None of 40 modes grows. Those above hω = 1.8 lose more than half per "
                         "step: 58 % of all."));
  use(face, "trapezoidal", 0);
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict, HasSubstr("keeps its amplitude"));
  use(face, "explicit-euler", 0);
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict,
              StartsWith("40 of 40 modes grow by up to 4.12× per step: without damping no h is stable."));
}

TEST(StabilityFigure, SaysThatDistancesAreLeftOut) {
  Interface face;
  use(face, "rk4", 0);
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict, ::testing::Not(HasSubstr("Distances")));
  auto measured = *face.snapshot.spectrum;
  measured.spectrum.without_distances = true;
  face.snapshot.spectrum = std::make_shared<const MeasuredSpectrum>(measured);
  EXPECT_THAT(make_stability_figure(face.snapshot).verdict, HasSubstr(kWithoutDistances));
}

TEST(StabilityFigure, PlacesEigenvaluesInThePlane) {
  Interface face;
  for (const double damping : {0.02, 2.0, 5.0}) {
    use(face, "rk4", damping);
    for (const StabilityFigure::Mode& mode : make_stability_figure(face.snapshot).modes) {
      // The product of both is (hω)², their sum −hd.
      EXPECT_NEAR(std::abs(mode.z * mode.z2 - mode.h_omega * mode.h_omega), 0, 1e-9);
      EXPECT_NEAR(std::abs(mode.z + mode.z2 + damping * mode.h_omega), 0, 1e-9);
      EXPECT_GE(mode.z.imag(), 0);
    }
  }
}

TEST(StabilityFigure, SaysWhoseItIsAndHowOld) {
  Interface face;
  use(face, "bdf2");
  EXPECT_EQ(make_stability_figure(face.snapshot).title, "BDF2, measured at t = 0.000 s");
  face.snapshot.frame.record.time = 0.25;
  EXPECT_EQ(make_stability_figure(face.snapshot).title, "BDF2, measured at t = 0.000 s, 250 ms ago");
  LaneSnapshot other = face.snapshot;
  other.lane = 1;
  face.snapshot.others.push_back(other);
  const StabilityFigure figure = make_stability_figure(face.snapshot);
  EXPECT_THAT(figure.title, StartsWith("A  BDF2, measured"));
  ASSERT_EQ(figure.curves.size(), 2u);
  EXPECT_EQ(figure.curves[0].lane, 0);
  EXPECT_EQ(figure.curves[1].lane, 1);
}

TEST(StabilityFigure, IsFiniteForEveryMethod) {
  Interface face;
  for (const IntegratorInfo& info : integrators()) {
    SCOPED_TRACE(info.id);
    for (const double damping : {0.0, 0.02, 5.0}) {
      use(face, info.id, damping);
      face.snapshot.frame.record.modes = 5;
      expect_finite(make_stability_figure(face.snapshot));
    }
  }
}

TEST(StabilityInstrument, DrawsItselfAndAsksForTheSpectrum) {
  for (const auto& [scale, enlarged] : {std::pair{1.0F, false}, {1.0F, true}, {2.0F, false}}) {
    Interface face(Interface::sheet(), scale, 1280 / scale, 720 / scale);
    EXPECT_FALSE(face.view.spectrum.wanted);
    face.view.plots_layout.chosen[0] = PlotKind::stability;
    if (enlarged) face.view.plots_layout.enlarged = 0;
    face.frame();
    EXPECT_EQ(face.view.spectrum, (ShowSpectrum{true, false})) << "and has nothing to draw yet";
    for (const char* method : {"symplectic-euler", "bdf2", "siere"}) {
      use(face, method);
      for (const bool plane : {false, true}) {
        face.view.plots_layout.stability.plane = plane;
        face.frame();
        for (const char* part : {"plot0:growth", "plot0:region"}) {
          if (!enlarged && plane != (std::string(part) == "plot0:region")) continue;
          const ImVec4 frame = face.rect(part);
          ASSERT_GT(frame.z, frame.x + 40) << part;
          EXPECT_GT(frame.w, frame.y + 15) << part;
          EXPECT_LE(frame.w, face.height) << part;
          EXPECT_GE(frame.y, face.rect("plot0:verdict").w - 1) << "below the words";
          face.move((frame.x + frame.z) / 2, (frame.y + frame.w) / 2);
          EXPECT_GT(face.rect("tooltip").w, 0) << "the values there";
          face.move(5, 5);
        }
      }
    }
    face.view.plots = false;
    face.frame();
    EXPECT_FALSE(face.view.spectrum.wanted) << "when hidden";
  }
}

TEST(StabilityInstrument, OffersExactEigenvaluesWhereTheyArePossible) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::stability;
  use(face, "rk4");
  face.frame();
  face.click("plot0:plane");
  face.click("plot0:eigenvalues");
  face.frame();
  EXPECT_EQ(face.view.spectrum, (ShowSpectrum{true, true}));
  MeasuredSpectrum large = *forty_modes();
  large.spectrum.is_exact = false;
  face.snapshot.spectrum = std::make_shared<const MeasuredSpectrum>(large);
  face.frame();
  face.click("plot0:eigenvalues");
  EXPECT_TRUE(face.view.plots_layout.stability.eigenvalues) << "the button does nothing";
  face.snapshot.spectrum = forty_modes();
  face.frame();
  face.click("plot0:eigenvalues");
  EXPECT_FALSE(face.view.plots_layout.stability.eigenvalues);
}

TEST(StabilityInstrument, IsZoomedByTheMouse) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::stability;
  face.view.plots_layout.enlarged = 0;
  use(face, "rk4");
  for (int i = 0; i < 2; ++i) face.frame();
  StabilityView& view = face.view.plots_layout.stability;
  const auto at = [](const ImVec4& r, float x, float y) {
    return ImVec2(std::floor(r.x + x * (r.z - r.x)), std::floor(r.y + y * (r.w - r.y)));
  };
  const AxisRange whole = make_stability_figure(face.snapshot).h_omega;
  const ImVec4 growth = face.rect("plot0:growth");
  ImVec2 mouse = at(growth, 0.25F, 0.5F);
  face.move(mouse.x, mouse.y);
  face.wheel(1);
  ASSERT_TRUE(view.growth_axes.x.has_value());
  EXPECT_FALSE(view.growth_axes.y.has_value());
  const double share = static_cast<double>((mouse.x - growth.x) / (growth.z - growth.x));
  EXPECT_NEAR(Axis(*view.growth_axes.x, true).position(Axis(whole, true).value(share)), share, 1e-4);
  // The curve and the bars are those of what is seen.
  const StabilityFigure zoomed = make_stability_figure(face.snapshot, view.growth_axes.x);
  EXPECT_EQ(zoomed.curves.front().h_omega.front(), view.growth_axes.x->low);
  EXPECT_NEAR(zoomed.bars.back().h_omega.high, view.growth_axes.x->high, 1e-12);
  face.button(true);
  face.move(mouse.x + 50, mouse.y);
  face.button(false);
  EXPECT_LT(view.growth_axes.x->low, zoomed.h_omega.low);
  for (const bool down : {true, false, true, false}) face.button(down);
  EXPECT_FALSE(view.growth_axes.zoomed());

  const ImVec4 region = face.rect("plot0:region");
  mouse = at(region, 0.5F, 0.5F);
  face.move(mouse.x, mouse.y);
  face.wheel(2);
  ASSERT_TRUE(view.plane_axes.x && view.plane_axes.y) << "both axes together";
  const AxisRange im = *view.plane_axes.y;
  EXPECT_GT(im.low, 0);
  face.button(true);
  face.move(mouse.x, mouse.y - 30);
  face.button(false);
  EXPECT_LT(view.plane_axes.y->low, im.low);
  EXPECT_NEAR(view.plane_axes.y->high - view.plane_axes.y->low, im.high - im.low, 1e-9);
  for (int i = 0; i < 10; ++i) face.frame();
  EXPECT_EQ(view.region.im(), *view.plane_axes.y);
  for (const bool down : {true, false, true, false}) face.button(down);
  EXPECT_FALSE(view.plane_axes.zoomed());
}

TEST(StabilityInstrument, SavesWhatItShows) {
  Interface face;
  face.view.plots_layout.chosen[0] = PlotKind::stability;
  face.frame();
  EXPECT_LT(face.rect("plot0:csv").z, 0) << "nothing to save yet";
  use(face, "symplectic-euler");
  for (int i = 0; i < 2; ++i) face.frame();
  face.click("plot0:csv");
  const SaveTable* table = face.last_request<SaveTable>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->title, "stability");
  // The first mode: h ω = 0.1 at ω = 10 rad/s, d = 0.2/s.
  std::istringstream lines(table->csv);
  std::string title, first;
  std::getline(lines, title);
  std::getline(lines, first);
  EXPECT_EQ(title,
            "kind,h_omega,h_omega_to,omega_rad_per_s,damping_per_s,growth_per_step,modes,re_h_lambda,"
            "im_h_lambda");
  double h_omega = 0, omega = 0, damping = 0, growth = 0, modes = 0, re = 0, im = 0;
  ASSERT_EQ(std::sscanf(first.c_str(), "mode,%lf,nan,%lf,%lf,%lf,%lf,%lf,%lf", &h_omega, &omega, &damping,
                        &growth, &modes, &re, &im),
            7)
      << first;
  EXPECT_NEAR(h_omega, 0.1, 1e-12);
  EXPECT_NEAR(omega, 10, 1e-9);
  EXPECT_NEAR(damping, 0.2, 1e-9);
  EXPECT_LT(growth, 1);
  EXPECT_EQ(modes, 1);
  EXPECT_NEAR(re, -0.001, 1e-12);
  EXPECT_NEAR(std::hypot(re, im), 0.1, 1e-12);
  std::size_t bars = 0;
  for (std::string line; std::getline(lines, line);) bars += line.starts_with("bar,") ? 1 : 0;
  EXPECT_EQ(bars, make_stability_figure(face.snapshot).bars.size());
}

TEST(GrowthRegion, FillsItselfAndStaysUntilSomethingChanges) {
  const IntegratorInfo& info = *find_integrator("rk4");
  const IntegratorParameters values = default_parameters(info);
  GrowthRegion region;
  int calls = 0;
  for (; !region.complete() && calls < 100; ++calls) region.prepare(info, values, {-4, 0}, {0, 4});
  EXPECT_GT(calls, 1) << "not all in one picture";
  ASSERT_TRUE(region.complete());
  const auto expected = [&](std::size_t column, std::size_t row) {
    using Complex = std::complex<double>;
    const Complex z(-4 + (static_cast<double>(column) + 0.5) * 4 / GrowthRegion::kColumns,
                    (static_cast<double>(row) + 0.5) * 4 / GrowthRegion::kRows);
    return std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))));
  };
  for (std::size_t row = 0; row < GrowthRegion::kRows; row += 7)
    for (std::size_t column = 0; column < GrowthRegion::kColumns; column += 5)
      EXPECT_NEAR(region.growth(column, row), expected(column, row), 1e-9 * (1 + expected(column, row)));
  // Other ranges come when they are whole; another method at once.
  region.prepare(info, values, {-3, 1}, {1, 2});
  EXPECT_TRUE(region.complete());
  EXPECT_EQ(region.re(), (AxisRange{-4, 0}));
  for (int k = 1; k < calls; ++k) region.prepare(info, values, {-3, 1}, {1, 2});
  EXPECT_EQ(region.re(), (AxisRange{-3, 1}));
  EXPECT_EQ(region.im(), (AxisRange{1, 2}));
  const IntegratorInfo& other = *find_integrator("backward-euler");
  region.prepare(other, default_parameters(other), {-3, 1}, {1, 2});
  EXPECT_FALSE(region.complete());
}

}  // namespace
}  // namespace clothlab
