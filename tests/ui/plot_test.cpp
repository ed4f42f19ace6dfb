// SPDX-License-Identifier: MIT
// The plots: axes, what is shown and exported, and what mouse and buttons do to them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "chart/axis.h"
#include "integrate/tableau.h"
#include "interface.h"
#include "ui/overlays.h"
#include "ui/plots/plot.h"
#include "ui/plots/plot_kinds.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Interface;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A few roundings of the value.
double rounding(double value) { return 8 * std::numeric_limits<double>::epsilon() * std::abs(value); }
/// Two curves of a run of eleven samples, and a lane of half the length.
Plot two_runs() {
  Plot plot;
  plot.title = "Two";
  plot.x_title = "time [s]";
  plot.unit = "J";
  for (const auto& [name, samples] : {std::pair{"", 11}, std::pair{"Lane \"one\"", 6}}) {
    PlotRun run;
    run.name = name;
    run.what = run.name.empty() ? "This" : run.name;
    run.curves = {{"rising", 0xFFFFFFFF, 1, {}}, {"odd", 0xFFFFFFFF, 1, {}}};
    for (int i = 0; i < samples; ++i) {
      run.x.push_back(i);
      run.curves[0].y.push_back(i * 0.1);
      run.curves[1].y.push_back(i % 2 == 0 ? kNan : -1);
    }
    plot.runs.push_back(std::move(run));
  }
  return plot;
}

TEST(PlotExport, IsATableOfWhatIsShown) {
  const Plot plot = two_runs();
  PlotView view;
  view.x = AxisRange{4.5, 7};
  EXPECT_EQ(plot_csv(shown_plot(plot, view)),
            "run,\"time [s]\",\"rising [J]\",\"odd [J]\"\n"
            "\"This\",5,0.5,-1\n"
            "\"This\",6,0.60000000000000009,nan\n"
            "\"This\",7,0.70000000000000007,-1\n"
            "\"Lane \"\"one\"\"\",5,0.5,-1\n");
  view.hidden = {"odd", "Lane \"one\""};
  EXPECT_EQ(plot_csv(shown_plot(plot, view)),
            "run,\"time [s]\",\"rising [J]\"\n"
            "\"This\",5,0.5\n"
            "\"This\",6,0.60000000000000009\n"
            "\"This\",7,0.70000000000000007\n");
  view.fit();
  EXPECT_EQ(shown_plot(plot, view).x, (AxisRange{0, 10}));
  view.logarithmic = true;
  EXPECT_EQ(shown_plot(plot, view).y, (AxisRange{0.01, 10}))
      << "what is hidden or not positive does not count";
}

// ---- On a snapshot

PlotSample sample_at(double time, std::uint16_t integrator) {
  PlotSample sample;
  sample.time = time;
  // From another zero for each integrator: only what happens since the start is comparable.
  sample.energy = {.kinetic = time, .stretch = 2 + time, .bend = 0, .gravity = integrator - 3 * time};
  sample.energy.total = sample.energy.kinetic + sample.energy.stretch + sample.energy.gravity;
  sample.max_strain = 0.05;
  sample.milliseconds = time == 0 ? kNan : 3;
  sample.cg_iterations = 7;
  sample.integrator = &integrators()[integrator];
  return sample;
}

std::shared_ptr<const std::vector<PlotSample>> samples_until(int seconds, std::uint16_t integrator) {
  std::vector<PlotSample> samples;
  for (int i = 0; i <= 10 * seconds; ++i) samples.push_back(sample_at(0.1 * i, integrator));
  return std::make_shared<const std::vector<PlotSample>>(std::move(samples));
}

LaneOrigin origin_at(const PlotSample& sample) {
  return {.time = sample.time, .energy = sample.energy, .ledger = sample.ledger};
}

/// The interface with a run of twelve seconds.
void give_runs(Interface& face) {
  face.snapshot.plot = samples_until(12, 4);
  face.snapshot.origin = face.snapshot.method_origin = origin_at(face.snapshot.plot->front());
  face.snapshot.kept = {2, 8, 300, 1 << 20};
  face.frame();
}

/// Another lane, whose curves are shorter.
void give_lane(Interface& face) {
  LaneSnapshot& other = face.snapshot.others.emplace_back();
  other.lane = 1;
  other.frame = face.snapshot.frame;
  other.integrator = 1;
  other.plot = samples_until(6, 1);
  other.origin = other.method_origin = origin_at(other.plot->front());
}

TEST(PlotBands, StackGainsUpwardsAndLossesDownwards) {
  PlotRun run;
  run.x = {0, 1, 2};
  const auto add = [&](const char* label, std::vector<double> y, bool stacked = true) {
    run.curves.push_back({label, 0xFFFFFFFF, 1, std::move(y), stacked});
  };
  add("sum", {0, 1, 2}, false);
  add("a", {0, 2, 4});
  add("b", {0, -2, 2});
  add("c", {0, 1, kNan});
  PlotView view;
  // At 0.5, 1, 1.5 and, beyond the samples, 2.5.
  const auto at = [&](const AxisRange& x, std::size_t places) { return stacked_bands(run, view, x, places); };
  const auto bands = at({0.5, 1.5}, 3);
  ASSERT_EQ(bands.size(), 6u) << "two of each stacked curve";
  EXPECT_THAT(bands[0].low, ElementsAre(0, 0, 0));
  EXPECT_THAT(bands[0].high, ElementsAre(1, 2, 3));
  EXPECT_THAT(bands[1].low, ElementsAre(0, 0, 0)) << "a loses nothing";
  EXPECT_THAT(bands[2].high, ElementsAre(1, 2, 3)) << "b, on top of a, gains nothing yet";
  EXPECT_THAT(bands[3].low, ElementsAre(-1, -2, 0));
  EXPECT_THAT(bands[4].low, ElementsAre(1, 2, 3));
  EXPECT_EQ(bands[4].high[0], 1.5);
  EXPECT_TRUE(std::isnan(bands[4].high[2])) << "half of it is no number";
  EXPECT_TRUE(std::isnan(at({2.5, 3}, 2)[0].high[0]));
  // The axis holds the whole stack.
  Plot plot;
  plot.runs = {run};
  EXPECT_GE(shown_y(plot, view, {0, 2}).high, 6);
  EXPECT_LT(shown_y(plot, view, {0, 0.5}).high, 6);
  // Where nothing is stacked, the axis need not have zero.
  plot.runs[0].curves = {{"height", 0xFFFFFFFF, 1, {4, 5, 4.5}}};
  EXPECT_GT(shown_y(plot, view, {0, 2}).low, 3);
  plot.runs = {run};
  view.hidden.insert("a");
  EXPECT_EQ(at({0.5, 1.5}, 3).size(), 4u);
  EXPECT_LT(shown_y(plot, view, {0, 2}).high, 4);
}

TEST(Plot, MarksWhereACurveLeavesItsAxis) {
  PlotRun run;
  run.x = {0, 1, 2, 3, 4, 4.1, 4.2};
  const auto exits = [&](std::vector<double> y, const AxisRange& x = {0, 5}) {
    return exits_of(run, {"c", 0xFFFFFFFF, 1, std::move(y)}, x, Axis({0, 10}, false));
  };
  const auto none = exits({0, 10, 5, 0, 10, kNan, 20});
  EXPECT_TRUE(none.empty()) << "the ends belong to it, and a gap is no way out";
  const auto both = exits({5, 15, 5, -5, 5, 20, 5});
  ASSERT_EQ(both.size(), 3u);
  EXPECT_TRUE(both[0].above);
  EXPECT_NEAR(both[0].x, 0.5, 1e-12);
  EXPECT_FALSE(both[1].above);
  EXPECT_NEAR(both[1].x, 2.5, 1e-12);
  EXPECT_EQ(exits({5, 15, 5, 15, 5, 5, 5}, {2, 5}).size(), 1u) << "only in the range of x";
  EXPECT_EQ(exits({5, 5, 5, 5, 15, 5, 15}, {0, 40}).size(), 1u) << "no two marks over each other";
}

TEST(PlotKinds, StackTheLedgerOfOneLane) {
  Interface face;
  give_runs(face);
  auto samples = *face.snapshot.plot;
  for (PlotSample& s : samples) s.ledger = {.hand = 3 * s.time, .method = -s.time, .energy = 7 + 2 * s.time};
  face.snapshot.plot = std::make_shared<const std::vector<PlotSample>>(samples);
  face.snapshot.origin = face.snapshot.method_origin = origin_at(samples.front());
  const Plot alone = make_plot(PlotKind::ledger, face.snapshot);
  std::vector<std::string> labels;
  for (const PlotCurve& curve : alone.runs[0].curves) {
    labels.push_back(curve.label);
    EXPECT_EQ(curve.stacked, curve.label != "sum");
  }
  EXPECT_THAT(labels, ElementsAre("sum", "method", "grab")) << "nothing was booked to the others";
  EXPECT_DOUBLE_EQ(alone.runs[0].curves[0].y.back(), 2 * (samples.back().time - samples.front().time));
  give_lane(face);
  const Plot beside = make_plot(PlotKind::ledger, face.snapshot);
  EXPECT_EQ(beside.runs[0].curves.size(), 1u);
  EXPECT_EQ(beside.runs[0].curves[0].label, "method");
}

TEST(PlotKinds, ShowTheDistanceFromTheReference) {
  Interface face;
  give_runs(face);
  const auto plot = [&] { return make_plot(PlotKind::distance, face.snapshot); };
  EXPECT_THAT(plot().empty, HasSubstr("add one"));
  auto samples = *samples_until(6, 1);
  for (PlotSample& sample : samples) sample.distance = 0.5, sample.largest_distance = 2;
  LaneSnapshot& other = face.snapshot.others.emplace_back();
  other.lane = 1;
  other.frame = face.snapshot.frame;
  other.plot = std::make_shared<const std::vector<PlotSample>>(samples);
  EXPECT_TRUE(plot().runs.empty());
  EXPECT_THAT(plot().empty, HasSubstr("choose one"));
  face.snapshot.reference = 0;
  ASSERT_EQ(plot().runs.size(), 1u) << "the reference has none";
  EXPECT_EQ(plot().runs[0].curves[0].y.back(), 0.5);
  EXPECT_EQ(plot().y_title, "from lane A");
  EXPECT_EQ(make_plot(PlotKind::largest_distance, face.snapshot).runs[0].curves[0].y.back(), 2);
}

TEST(PlotKinds, ShowTheParticleThatIsFollowed) {
  Interface face;
  give_runs(face);
  EXPECT_THAT(make_plot(PlotKind::height, face.snapshot).empty, HasSubstr("Alt-click"));
  auto samples = *samples_until(6, 1);
  for (PlotSample& sample : samples) {
    sample.position = vec3(1, std::cos(sample.time), 2);
    sample.velocity = vec3(0, -3, 4);
  }
  face.snapshot.plot = std::make_shared<const std::vector<PlotSample>>(samples);
  face.snapshot.followed = 3;
  EXPECT_EQ(make_plot(PlotKind::height, face.snapshot).runs[0].curves[0].y[10], std::cos(samples[10].time));
  EXPECT_EQ(make_plot(PlotKind::speed, face.snapshot).runs[0].curves[0].y[10], 5);
  face.view.plots_layout.chosen[0] = PlotKind::phase;
  for (int i = 0; i < 2; ++i) face.frame();
  EXPECT_GT(face.rect("plot0:phase").z, face.rect("plot0:phase").x);
  face.click("plot0:axis:z");
  EXPECT_EQ(face.view.plots_layout.phase_direction, vec3(0, 0, 1));
  face.click("plot0:direction");
  face.click("plot0:main-direction");
  EXPECT_LT(glm::distance(face.view.plots_layout.phase_direction, vec3(0, 1, 0)), 1e-12) << "its way";
  const auto enter = [&](const char* field, const char* text) {
    face.click(field);
    face.type(text);
    face.click("direction:z");  // ends the typing
  };
  enter("direction:x", "1");
  EXPECT_LT(glm::distance(face.view.plots_layout.phase_direction, vec3(1, 1, 0)), 1e-12);
  enter("direction:y", "0");
  enter("direction:x", "0");
  EXPECT_EQ(face.view.plots_layout.phase_direction, vec3(1, 0, 0)) << "no direction at all";
}

TEST(PlotKinds, ShowTheRun) {
  Interface face;
  give_runs(face);
  const Plot energy = make_plot(PlotKind::energy, face.snapshot);
  ASSERT_EQ(energy.runs.size(), 1u);
  EXPECT_EQ(energy.runs[0].name, "");
  EXPECT_EQ(energy.runs[0].curves.size(), 5u);
  EXPECT_EQ(energy.fit_x, (AxisRange{0, 12}));
  EXPECT_FALSE(energy.cursor.has_value());
  EXPECT_EQ(make_plot(PlotKind::strain, face.snapshot).runs[0].curves[0].y[3], 5) << "per cent";
  const Plot times = make_plot(PlotKind::step_time, face.snapshot);
  ASSERT_EQ(times.levels.size(), 1u);
  EXPECT_EQ(times.levels[0].y, 1e3 * face.snapshot.frame.scene->dt);

  // A long run shows its last 30 s; a moment of the past is marked.
  face.snapshot.plot = samples_until(100, 4);
  face.snapshot.replay = ReplayPosition{3, 10, 77};
  const Plot later = make_plot(PlotKind::energy, face.snapshot);
  EXPECT_NEAR(later.fit_x.value().low, 70, 1e-9);
  EXPECT_NEAR(later.fit_x.value().high, 100, 1e-9);
  EXPECT_EQ(later.cursor, 77);
}

TEST(PlotKinds, ShowOneCurveOfEachLane) {
  Interface face;
  give_runs(face);
  give_lane(face);
  const Plot energy = make_plot(PlotKind::energy, face.snapshot);
  ASSERT_EQ(energy.runs.size(), 2u);
  for (const PlotRun& run : energy.runs) {
    ASSERT_EQ(run.curves.size(), 1u);
    EXPECT_EQ(run.curves[0].y.front(), 0);
  }
  EXPECT_EQ(energy.runs[1].name, "B  " + std::string(integrators()[1].title));
  EXPECT_NE(energy.runs[0].curves[0].colour, energy.runs[1].curves[0].colour);
  EXPECT_EQ(legend_of(energy).size(), 2u);
  // What blew up beside others does not set the scale.
  auto wild = *samples_until(6, 1);
  wild.back().energy.total = 1e9;
  face.snapshot.others[0].plot = std::make_shared<const std::vector<PlotSample>>(wild);
  const PlotView view;
  const auto height = [&] {
    const Plot plot = make_plot(PlotKind::energy, face.snapshot);
    return shown_y(plot, view, shown_x(plot, view)).high;
  };
  EXPECT_GE(height(), 1e9);
  face.snapshot.others[0].frozen = true;
  EXPECT_LT(height(), 1e3);
}

TEST(PlotKinds, ShowEnergiesRelativeToTheStartOfEachRun) {
  Interface face;
  give_runs(face);
  const Plot energy = make_plot(PlotKind::energy, face.snapshot);
  EXPECT_EQ(energy.y_title, "relative to start");
  for (const PlotRun& run : energy.runs) {
    ASSERT_EQ(run.curves.size(), 5u);
    const auto& c = run.curves;
    for (const PlotCurve& curve : c) EXPECT_EQ(curve.y.front(), 0) << run.name << ' ' << curve.label;
    EXPECT_NEAR(c[0].y.back(), -run.x.back(), rounding(20)) << "t + t - 3t";
    EXPECT_NEAR(c[0].y.back(), c[1].y.back() + c[2].y.back() + c[3].y.back() + c[4].y.back(), rounding(60));
  }
  const Plot without = make_plot(PlotKind::energy, face.snapshot, false);
  EXPECT_EQ(without.runs[0].curves[0].label, "kinetic + elastic");
  for (const PlotRun& run : without.runs) EXPECT_NEAR(run.curves[0].y.back(), 2 * run.x.back(), rounding(60));

  // A table says what its energies are measured from, and names the method of each row.
  auto samples = *samples_until(1, 4);
  samples.back().integrator = &integrators()[1];
  face.snapshot.plot = std::make_shared<const std::vector<PlotSample>>(samples);
  PlotView view;
  view.x = AxisRange{0.85, 1};
  view.hidden = {"kinetic", "stretch", "bend", "gravity"};
  std::istringstream table(plot_csv(shown_plot(make_plot(PlotKind::energy, face.snapshot), view)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  const std::string before(integrators()[4].title), after(integrators()[1].title);
  EXPECT_EQ(lines[0], "run,method,\"time [s]\",\"total relative to start [J]\"");
  EXPECT_THAT(lines[1], HasSubstr('"' + before + ", then " + after + "\",\"" + before + "\",0.9"));
  EXPECT_THAT(lines[2], HasSubstr("\",\"" + after + "\",1"));
}

// Two tableaux are two methods of one row of the registry.
TEST(PlotKinds, NameTheTableauOfALane) {
  Interface face;
  give_runs(face);
  auto samples = *samples_until(1, 4);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i].integrator = &tableau_method(tableau_preset(i < 5 ? "heun" : "kutta3")).info;
  face.snapshot.plot = std::make_shared<const std::vector<PlotSample>>(samples);
  const Plot energy = make_plot(PlotKind::energy, face.snapshot);
  EXPECT_EQ(energy.runs[0].what, "Heun, then Kutta 3");
  ASSERT_EQ(energy.runs[0].stretches.size(), 2u);
  const std::string table = plot_csv(shown_plot(energy, {}));
  EXPECT_THAT(table, HasSubstr("\"Heun, then Kutta 3\",\"Heun\",0.3"));
  EXPECT_THAT(table, HasSubstr("\"Heun, then Kutta 3\",\"Kutta 3\",0.8"));
}

TEST(PlotKinds, CountEnergiesOfAllLanesFromOneOrigin) {
  Interface face;
  give_runs(face);
  give_lane(face);
  Snapshot& now = face.snapshot;
  now.common_origin.time = 3;
  now.origin = now.method_origin = origin_at((*now.plot)[30]);
  LaneSnapshot& other = now.others[0];
  other.origin = origin_at((*other.plot)[30]);
  other.method_origin = origin_at((*other.plot)[40]);
  const Plot energy = make_plot(PlotKind::energy, now);
  EXPECT_EQ(energy.origin, 3);
  EXPECT_EQ(energy.y_title, "relative to 3 s");
  for (const PlotRun& run : energy.runs) EXPECT_EQ(run.curves[0].y[30], 0) << run.name;

  auto samples = *other.plot;
  for (PlotSample& sample : samples) sample.ledger.method = -sample.time;
  other.plot = std::make_shared<const std::vector<PlotSample>>(samples);
  other.origin.ledger = samples[30].ledger;
  other.method_origin.ledger = samples[40].ledger;
  const std::vector<double> method = make_plot(PlotKind::ledger, now).runs[1].curves[0].y;
  EXPECT_EQ(method[30], 0);
  EXPECT_NEAR(method[39], -0.9, rounding(10));
  EXPECT_EQ(method[40], 0) << "another method begins";
  EXPECT_NEAR(method[60], -2, rounding(10));

  // The active lane is the youngest.
  now.plot = std::make_shared<const std::vector<PlotSample>>(now.plot->begin() + 30, now.plot->end());
  EXPECT_EQ(make_plot(PlotKind::energy, now).y_title, "relative to 3 s");
  other.plot = now.plot;
  EXPECT_EQ(make_plot(PlotKind::energy, now).y_title, "relative to start");
}

TEST(PlotStrip, NeverOverprintsWhateverTheSwitches) {
  std::mt19937 random(7);
  const auto from = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  constexpr int kLeast = 5;
  constexpr float kMark = 21;
  for (int trial = 0; trial < 2000; ++trial) {
    // Switches from rare to several within a pixel; a view of all or of a part.
    std::vector<PlotStretch> stretches;
    const double usual = std::pow(10, from(-3, 1));
    double end = 0;
    for (int k = static_cast<int>(from(1, 40)); k > 0; --k) {
      const double start = std::exchange(end, end + usual * from(0, 1) * from(0, 1));
      stretches.push_back({start, end, &integrators()[0]});
    }
    const double low = from(-0.2, 0.8) * end;
    const Axis x({low, low + from(0.05, 1.5) * end}, false);
    const int width = static_cast<int>(from(20, 900));
    const std::vector<StripPiece> pieces = strip_pieces(stretches, x, width, kLeast);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const StripPiece& piece = pieces[k];
      ASSERT_GE(piece.left, 0);
      ASSERT_LT(piece.left, piece.right);
      ASSERT_LE(piece.right, width);
      ASSERT_LE(piece.first, piece.last);
      if (k > 0) {
        ASSERT_EQ(piece.left, pieces[k - 1].right) << "neither over one another nor apart";
        ASSERT_EQ(piece.first, pieces[k - 1].last + 1) << "none is left out";
      }
    }
    // Wide pieces are separate and have their mark; every visible span belongs to a piece.
    for (std::size_t k = 0; k < stretches.size(); ++k) {
      const auto place = [&](double value) { return std::clamp(x.position(value), 0.0, 1.0) * width; };
      const double pixels = place(stretches[k].x1) - place(stretches[k].x0);
      const auto of_k = [&](const StripPiece& piece) { return piece.first <= k && k <= piece.last; };
      const auto piece = std::find_if(pieces.begin(), pieces.end(), of_k);
      if (pixels > 0) {
        ASSERT_NE(piece, pieces.end());
      }
      if (pixels > kLeast + 1) {
        ASSERT_FALSE(piece->merged());
      }
      if (pixels > static_cast<double>(kMark) + 3) {
        ASSERT_TRUE(piece->has_room_for(kMark));
      }
    }
  }
}

TEST(PlotLine, HasNoSpikesBeyondItsPoints) {
  const Interface face;
  ImGui::NewFrame();
  ImGui::Begin("line");
  std::vector<ImVec2> points;
  for (int i = 0; i < 20; ++i)
    points.emplace_back(100.0F + static_cast<float>(i), i % 2 == 0 ? 100.0F : 150.0F);
  const auto check = [&](const ImDrawList* list, const auto& draw) {
    const int before = list->VtxBuffer.Size;
    draw();
    EXPECT_GT(list->VtxBuffer.Size, before);
    for (int i = before; i < list->VtxBuffer.Size; ++i) {
      EXPECT_GE(list->VtxBuffer[i].pos.y, 95);
      EXPECT_LE(list->VtxBuffer[i].pos.y, 155);
    }
  };
  check(ImGui::GetWindowDrawList(), [&] { draw_line(points, 0xFFFFFFFF, 2, {}); });
  check(ImGui::GetBackgroundDrawList(), [&] { edge_overlay(points, true, true, {0, 0, 1280, 720}); });
  ImGui::End();
  ImGui::Render();
}

TEST(Plots, BeginWithEnergyStrainAndIterations) {
  const auto row_of = [](std::string_view id) {
    return static_cast<std::uint16_t>(find_integrator(id) - integrators().data());
  };
  {
    Interface face;
    give_runs(face);
    EXPECT_GT(face.rect("plot1:frame").x, 0);
    EXPECT_EQ(face.rect("plot2:frame").x, -1) << "no room for a third";
    EXPECT_GT(face.rect("plot1:legend:largest strain").x, 0);
    EXPECT_GT(face.rect("plot0:strip").z, face.rect("plot0:frame").x + 100);
    EXPECT_LE(face.rect("plot0:strip").w, face.rect("plot0:frame").y) << "the strip covers no curve";
  }
  Interface wide(Interface::sheet(), 1, 1920, 1080);
  give_runs(wide);
  for (const auto& [id, label] : {std::pair{"backward-euler", "Newton"}, std::pair{"rk4", "one step"}}) {
    wide.snapshot.integrator = row_of(id);
    wide.frame();
    EXPECT_GT(wide.rect(std::string("plot2:legend:") + label).x, 0) << id;
  }
  // An older settings file keeps its choice; what is no title changes nothing.
  PlotsLayout layout;
  layout.choose({"Energy", "Nonsense", "Iterations"});
  EXPECT_EQ(layout.titles(), (std::vector<std::string>{"Energy", "", "Iterations"})) << "not chosen";
  EXPECT_EQ(layout.chosen[1], PlotKind::strain);
  EXPECT_TRUE(PlotsLayout().titles().empty()) << "nothing was chosen";
}

TEST(Plots, BearWhateverComes) {
  Interface face;
  for (const double value : {0.0, kNan, kInfinity, -1.0, 1e300, 1e-300}) {
    std::vector<PlotSample> samples;
    for (int i = 0; i < 20; ++i) {
      samples.push_back(sample_at(i, static_cast<std::uint16_t>(i % 3)));
      samples.back().energy = {value, value, value, value, value};
      samples.back().max_strain = value;
      samples.back().milliseconds = value;
    }
    face.snapshot.plot = std::make_shared<const std::vector<PlotSample>>(samples);
    for (std::size_t k = 0; k < kPlotKinds; ++k) {
      const auto kind = static_cast<PlotKind>(k);
      if (instrument(kind) || make_plot(kind, face.snapshot).runs.empty()) continue;
      face.view.plots_layout.chosen[0] = static_cast<PlotKind>(k);
      for (const bool logarithmic : {false, true}) {
        face.view.plots_layout.view(static_cast<PlotKind>(k)).logarithmic = logarithmic;
        face.frame();
        const ImVec4 frame = face.rect("plot0:frame");
        ASSERT_GT(frame.z, frame.x) << "plot " << k << " of " << value;
        face.move((frame.x + frame.z) / 2, (frame.y + frame.w) / 2);
      }
    }
  }
  face.snapshot.plot = std::make_shared<const std::vector<PlotSample>>();
  face.view.plots_layout.chosen[0] = PlotKind::energy;
  face.frame();
  EXPECT_EQ(face.rect("plot0:frame").x, -1) << "a sentence instead";
}

TEST(Plots, AreZoomedPannedAndFitted) {
  Interface face;
  give_runs(face);
  PlotView& view = face.view.plots_layout.view(PlotKind::energy);
  const ImVec4 frame = face.rect("plot0:frame");
  const float width = frame.z - frame.x;
  const float x = std::floor(frame.x + 0.25F * width), y = (frame.y + frame.w) / 2;
  const double share = static_cast<double>((x - frame.x) / width);
  face.move(x, y);
  face.frame();
  EXPECT_GT(face.rect("tooltip").w, 0) << "the readings";
  EXPECT_LE(face.rect("tooltip").w, frame.y) << "and not on the curves";
  face.wheel(1);
  ASSERT_TRUE(view.x.has_value());
  EXPECT_FALSE(view.y.has_value());
  // What lies under the cursor, about 3 s, stays there, to a thousandth of a pixel.
  EXPECT_NEAR(Axis(*view.x, false).position(12 * share), share, 1e-3 / static_cast<double>(width));
  EXPECT_NEAR(view.x->high - view.x->low, 0.8 * 12, 1e-9);

  const AxisRange before = *view.x;
  face.button(true);
  face.move(x + 0.5F * width, y);
  face.button(false);
  EXPECT_NEAR(before.low - view.x->low, 0.5 * 0.8 * 12, 1e-4);

  face.click("plot0:Fit");
  EXPECT_FALSE(view.zoomed());
  face.move(frame.x - 10, y);
  face.wheel(-1);
  EXPECT_FALSE(view.x.has_value());
  EXPECT_TRUE(view.y.has_value()) << "over its numbers, y is zoomed";

  // A box of a quarter of the frame, then a double click.
  view.fit();
  face.move(frame.x + 0.5F * width, frame.y + 0.5F * (frame.w - frame.y));
  face.button(true, 1);
  face.move(frame.x + width, frame.y);
  face.button(false, 1);
  ASSERT_TRUE(view.x && view.y);
  EXPECT_NEAR(view.x->low, 6, 1e-4);
  EXPECT_NEAR(view.x->high, 12, 1e-4);
  face.move(x, y);
  for (const bool down : {true, false, true, false}) face.button(down);
  EXPECT_FALSE(view.zoomed());
}

TEST(Plots, ToggleCurvesScaleAndKind) {
  Interface face;
  give_runs(face);
  PlotView& view = face.view.plots_layout.view(PlotKind::energy);
  face.click("plot0:legend:kinetic");
  EXPECT_TRUE(view.hidden.contains("kinetic"));
  face.click("plot0:CSV");
  ASSERT_FALSE(face.requests.empty());
  const auto* save = std::get_if<SaveTable>(&face.requests.back());
  ASSERT_NE(save, nullptr);
  EXPECT_EQ(save->title, "Energy");
  EXPECT_THAT(save->csv, StartsWith("run,method,"));
  EXPECT_THAT(save->csv, Not(HasSubstr("kinetic")));
  EXPECT_THAT(save->csv, HasSubstr("\n\"Semi-implicit Euler\",\"Semi-implicit Euler\",5,-5,5,0,-15\n"));
  face.click("plot0:PNG");
  const auto* picture = std::get_if<SavePlot>(&face.requests.back());
  ASSERT_NE(picture, nullptr);
  EXPECT_EQ(picture->plot->plot.runs.size(), 1u);
  EXPECT_EQ(picture->plot->plot.runs[0].curves.size(), 4u);
  face.click("plot0:legend:kinetic");
  EXPECT_FALSE(view.hidden.contains("kinetic"));
  // Gravity's share by its button or by its curve.
  face.click("plot0:Gravity");
  EXPECT_FALSE(face.view.plots_layout.with_gravity());
  EXPECT_GT(face.rect("plot0:legend:kinetic + elastic").x, 0);
  face.click("plot0:legend:gravity");
  EXPECT_TRUE(face.view.plots_layout.with_gravity());
  EXPECT_GT(face.rect("plot0:legend:total").x, 0);
  face.click("plot0:Log");
  EXPECT_TRUE(view.logarithmic);
  face.click("plot0:kind");
  face.frame();
  face.click("plot0:kind:Strain");
  EXPECT_EQ(face.view.plots_layout.chosen[0], PlotKind::strain);
  face.click("plot0:More");
  face.frame();
  EXPECT_EQ(face.rect("plot1:frame").x, -1) << "the others make room";
  EXPECT_GT(face.rect("plot0:frame").w - face.rect("plot0:frame").y, 200);
  EXPECT_TRUE(face.press(Key::escape));
  EXPECT_FALSE(face.view.plots_layout.enlarged.has_value());
}

TEST(Timeline, ScrubsBySliderKeysAndTheTimeAxis) {
  Interface face;
  give_runs(face);
  const ImVec4 bar = face.rect("scrub");
  face.move((bar.x + bar.z) / 2, (bar.y + bar.w) / 2);
  face.button(true);
  ASSERT_NE(face.last_control<ShowPast>(), nullptr);
  EXPECT_NEAR(face.last_control<ShowPast>()->time, 5, 6 / (bar.z - bar.x))
      << "the middle of 2 s to 8 s, to a pixel";
  face.move(bar.z + 50, bar.y);
  EXPECT_EQ(face.last_control<ShowPast>()->time, kInfinity) << "the present";
  face.button(false);

  const ImVec4 axis = face.rect("plot0:axis");
  face.move((axis.x + axis.z) / 2, (axis.y + axis.w) / 2);
  face.button(true);
  EXPECT_NEAR(face.last_control<ShowPast>()->time, 6, 1e-4) << "the middle of 0 s to 12 s";
  face.button(false);

  face.press(Key::left);
  EXPECT_EQ(face.last_control<StepThroughPast>()->states, -1);
  face.ui.on_key({.key = Key::right, .shift = true}, false, face.context());
  EXPECT_EQ(face.last_control<StepThroughPast>()->states, 10);
  face.press(Key::home);
  EXPECT_EQ(face.last_control<ShowPast>()->time, -kInfinity);
  face.press(Key::end);
  EXPECT_EQ(face.last_control<ShowPast>()->time, kInfinity);
}

TEST(Timeline, RepeatsAllWithTheNextOrAChosenIntegratorAsALane) {
  Interface face;
  const std::size_t row = face.context().integrator();
  face.press(Key::none, 'N');
  ASSERT_NE(face.last_control<NewLane>(), nullptr);
  EXPECT_EQ(face.last_control<NewLane>()->integrator, integrators()[method_after(row, 1)].id);
  EXPECT_TRUE(face.last_control<NewLane>()->from_start);
  give_runs(face);
  give_lane(face);
  face.snapshot.others[0].integrator = static_cast<std::uint16_t>(method_after(row, 1));
  face.click("run-again");
  EXPECT_EQ(face.last_control<NewLane>()->integrator, integrators()[method_after(row, 2)].id)
      << "the next that no lane has";
  face.click("run-again-with");
  face.frame();
  face.click("run-again-with:" + std::string(integrators()[1].id));
  EXPECT_EQ(face.last_control<NewLane>()->integrator, integrators()[1].id);
}

}  // namespace
}  // namespace clothlab
