// SPDX-License-Identifier: MIT
// Several lanes in the window: their places, their figures, and what their controls ask for.

#include "ui/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "integrate/registry.h"
#include "sim/parameters.h"
#include "ui/interface.h"
#include "ui/readings.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using testing::Interface;
using ::testing::Not;

std::uint16_t row_named(std::string_view id) { return static_cast<std::uint16_t>(method_row(id)); }

void add_lanes(Interface& face, std::size_t count) {
  for (LaneId lane = 1; lane < count; ++lane) {
    LaneSnapshot& other = face.snapshot.others.emplace_back();
    other.lane = lane;
    other.frame = face.snapshot.frame;
    other.integrator = static_cast<std::uint16_t>(lane);
    other.plot = face.snapshot.plot;
  }
}

TEST(LaneTiles, FillTheViewWithoutOverlap) {
  Interface face;
  const Area view{10, 20, 800, 400};
  for (std::size_t count = 1; count <= kMostLanes; ++count) {
    face.snapshot.others.clear();
    add_lanes(face, count);
    const std::vector<LaneTile> tiles = lane_tiles(view, face.snapshot, LaneLayout::tiles);
    ASSERT_EQ(tiles.size(), count);
    float area = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Area& tile = tiles[i].whole;
      EXPECT_EQ(tiles[i].lane->lane, i);
      EXPECT_GE(tile.x, view.x);
      EXPECT_LE(tile.x + tile.width, view.x + view.width + 0.01F);
      EXPECT_LE(tile.y + tile.height, view.y + view.height + 0.01F);
      EXPECT_GT(tiles[i].cloth.height, count > 1 ? 0.5F * tile.height : 0.99F * tile.height);
      area += tile.width * tile.height;
      for (std::size_t k = 0; k < i; ++k) {
        const Area& other = tiles[k].whole;
        EXPECT_TRUE(tile.x >= other.x + other.width || tile.y >= other.y + other.height ||
                    other.x >= tile.x + tile.width || other.y >= tile.y + tile.height);
      }
    }
    EXPECT_GT(area, 0.6F * view.width * view.height) << count;
    EXPECT_EQ(lane_tiles(view, face.snapshot, LaneLayout::alone).size(), 1u);
    EXPECT_EQ(lane_tiles(view, face.snapshot, LaneLayout::overlay).size(), 1u);
  }
}

TEST(LaneColours, AreReadableAndDistinctInBothThemes) {
  Interface face;
  for (const Theme theme : {Theme::dark, Theme::light}) {
    use_palette(theme);
    std::set<ImU32> colours;
    for (LaneId lane = 0; lane < kMostLanes; ++lane) {
      EXPECT_GE(contrast(lane_colour(lane), palette().panel), 3) << lane_letter(lane);
      colours.insert(lane_colour(lane));
    }
    EXPECT_EQ(colours.size(), kMostLanes);
  }
  use_palette(Theme::dark);
}

TEST(Lanes, AreChosenAddedAndLaidOut) {
  Interface face;
  face.click("add-lane");
  ASSERT_NE(face.last_control<NewLane>(), nullptr);
  EXPECT_EQ(face.last_control<NewLane>()->integrator, "symplectic-euler")
      << "the contrast of an implicit method";
  EXPECT_FALSE(face.last_control<NewLane>()->from_start);
  add_lanes(face, 3);
  for (int i = 0; i < 3; ++i) face.frame();
  face.click("lane:B");
  EXPECT_EQ(face.last_control<SelectLane>()->lane, 1u);
  face.click("lane-head:C");
  EXPECT_EQ(face.last_control<SelectLane>()->lane, 2u);
  face.click("lane-row:B");
  EXPECT_EQ(face.last_control<SelectLane>()->lane, 1u);
  face.press(Key::tab);
  EXPECT_EQ(face.last_control<SelectLane>()->lane, 1u) << "the next of A";
  face.click("lanes-overlay");
  EXPECT_EQ(face.view.lanes, LaneLayout::overlay);
  face.press(Key::none, 'L');
  EXPECT_EQ(face.view.lanes, LaneLayout::alone);
  face.click("lanes-tiles");
  EXPECT_EQ(face.view.lanes, LaneLayout::tiles);
  face.ui.on_key({.key = Key::none, .character = '4', .shift = true}, false, face.context());
  EXPECT_EQ(face.last_control<NewLane>()->integrator, integrators()[3].id);
  face.press(Key::del);
  EXPECT_EQ(std::get<RemoveLane>(face.last_control<ChangeLanes>()->command).lane, 0u);
  face.click("lane-more");
  face.frame();
  face.click("lane-hold");
  EXPECT_EQ(std::get<HoldLane>(face.last_control<ChangeLanes>()->command).lane, 0u);
}

TEST(LaneSets, AreValidAndBeginAtTheStart) {
  Interface face;
  for (const LaneSet& set : lane_sets()) {
    const LaneChoices choices = set.choose(face.context());
    EXPECT_GE(choices.lanes.size(), 2u) << set.title;
    EXPECT_LE(choices.lanes.size(), kMostLanes) << set.title;
    for (const NewLane& lane : choices.lanes) {
      EXPECT_NE(find_integrator(lane.integrator), nullptr) << set.title;
      EXPECT_NO_THROW(check_parameter(parameter_spec("substeps"), lane.substeps.value_or(0))) << set.title;
      EXPECT_EQ(lane.is_reference,
                std::string_view(set.title) == "Against a reference" && &lane == &choices.lanes.back());
    }
    if (choices.dt) {
      EXPECT_NO_THROW(check_parameter(parameter_spec("dt"), *choices.dt));
    }
  }
  face.click("lane-sets");
  face.frame();
  face.click("lane-set:Classic four");
  EXPECT_EQ(face.last_command<SetIntegrator>()->id, "explicit-euler");
  EXPECT_EQ(face.last_control<NewLane>()->integrator, "implicit-midpoint");
  EXPECT_NE(face.last_command<Reset>(), nullptr);
  EXPECT_TRUE(face.last_control<SetPlaying>()->playing);
}

TEST(LaneReading, SaysWhatALaneDoes) {
  Interface face;
  LaneSnapshot lane = face.snapshot;
  EXPECT_EQ(read_lane(lane).state, "no step yet");
  lane.step_ms = {1, 1, 1, 2};
  EXPECT_EQ(read_lane(lane).state, "8.3× real time") << "1/60 s in 2 ms of wall-clock time";
  EXPECT_EQ(read_lane(lane).short_state, "8.3×");
  EXPECT_THAT(read_lane(lane).help, HasSubstr("costs 1 ms"));
  lane.frame.record.ledger.method = -0.25;
  lane.frame.record.ledger.damping = -0.75;
  EXPECT_EQ(read_lane(lane).method, "-250 mJ");
  EXPECT_EQ(read_lane(lane).method_share, -0.25);
  lane.stability.reset();
  EXPECT_EQ(read_lane(lane).limit, "–") << "not measured yet";
  StabilityEstimate estimate;
  estimate.stiffest = {.omega = 1000};
  lane.stability = estimate;
  EXPECT_EQ(read_lane(lane).limit, "any");
  lane.integrator = row_named("explicit-euler");
  auto explicit_scene = std::make_shared<Scene>(*lane.frame.scene);
  explicit_scene->integrator = "explicit-euler";
  lane.frame.scene = explicit_scene;
  EXPECT_EQ(read_lane(lane).limit, "none") << "without damping it is stable at no h";
  lane.blow_up_sentence = "It blew up.";
  EXPECT_EQ(read_lane(lane).limit, "none") << "as theory said";
  lane = face.snapshot;
  lane.stability = estimate;
  lane.frame.record.integrator = integrators()[lane.integrator].id;
  lane.frame.record.converged = false;
  lane.frame.record.reason = "it was not";
  EXPECT_EQ(read_lane(lane).verdict, "not converged") << "also where the warning is over";
  lane.frame.record.converged = true;
  lane.frozen = true;
  EXPECT_EQ(read_lane(lane).short_state, "frozen");
  lane.blew_up_at = 0.75;
  EXPECT_EQ(read_lane(lane).verdict, "blew up here at 0.75 s") << "before it went back";
  lane.blew_up_at.reset();
  lane.blow_up_sentence = "It blew up.";
  lane.blow_up_time = 0.367;
  lane.frame.record.time = 0.35;
  EXPECT_EQ(read_lane(lane).state, "blew up at 0.367 s") << "as the sentence, not the last good state";
  lane.blow_up_h = 0.02;
  EXPECT_EQ(read_lane(lane).verdict, "blew up at h = 20 ms") << "which is not the present h";
  lane.blow_up_h = lane.frame.scene->h();
  EXPECT_EQ(read_lane(lane).short_state, "blew up");
  EXPECT_EQ(read_lane(lane).verdict, "blew up anyway") << "nothing that blew up is called stable";
  EXPECT_EQ(read_lane(lane).limit, "–") << "nor stable at any h";
  lane.catching_up = CatchingUp{0.1, 0.2};
  EXPECT_EQ(read_lane(lane).short_state, "catches up");
  auto scene = std::make_shared<Scene>(*lane.frame.scene);
  scene->substeps = 4;
  lane.frame.scene = scene;
  EXPECT_THAT(read_lane(lane).name, HasSubstr("Substeps 4")) << "what is not usual is marked";
  EXPECT_EQ(lane_name(lane), "A  ÷4 " + std::string(integrators()[lane.integrator].title));
}

TEST(LaneReading, CountsFromTheOriginAndTheMethodFromWhereTheLaneGotIt) {
  Interface face;
  LaneSnapshot lane = face.snapshot;
  StepRecord& record = lane.frame.record;
  record.time = 2;
  record.energy = {.kinetic = 1, .stretch = 2, .total = 3};
  record.ledger.method = -0.5;
  lane.origin.time = lane.method_origin.time = 1;
  lane.origin.energy.total = 1;
  lane.origin.ledger.method = lane.method_origin.ledger.method = -0.1;
  EXPECT_EQ(read_lane(lane).energy, "+2 J");
  EXPECT_EQ(read_lane(lane).method, "-400 mJ");
  EXPECT_EQ(read_lane(lane).method_since, "");
  lane.method_origin.time = 1.5;
  lane.method_origin.ledger.method = -0.3;
  EXPECT_EQ(read_lane(lane).method, "-200 mJ");
  EXPECT_EQ(read_lane(lane).power, "-400 mW") << "in half a second";
  EXPECT_EQ(read_lane(lane).method_since, "since 1.5 s");
  EXPECT_THAT(read_lane(lane).help, HasSubstr("dissipated 200 mJ since 1.5 s, when the lane's method"));
  record.time = 0.5;
  EXPECT_EQ(read_lane(lane).energy, "–") << "it stood before the origin";
  EXPECT_EQ(read_lane(lane).power, "–");
  EXPECT_EQ(read_lane(lane).method, "–");
}

TEST(Lanes, NarrowTilesHaveRoomForNameVerdictAndEnergy) {
  Interface face;
  add_lanes(face, 8);
  for (LaneSnapshot& lane : face.snapshot.others) {
    lane.integrator = row_named("exponential-rosenbrock-euler");
    lane.step_ms = {3, 3, 3, 4};
  }
  for (int i = 0; i < 3; ++i) face.frame();
  for (const LaneSnapshot& lane : face.snapshot.others) {
    const std::string letter(1, lane_letter(lane.lane));
    EXPECT_EQ(shown_texts().at("lane-head:" + letter), "Exponential Rosenbrock–Euler");
    EXPECT_THAT(shown_texts().at("lane-energy:" + letter), HasSubstr("method "));
    EXPECT_THAT(shown_texts().at("lane-foot:" + letter), Not(HasSubstr("...")));
  }
}

TEST(Lanes, NameTheirOriginAndRestartFromTheStart) {
  Interface face;
  add_lanes(face, 2);
  face.snapshot.common_origin = {1.2, "lane B was added"};
  face.snapshot.others[0].method_origin.time = 2;
  for (int i = 0; i < 3; ++i) face.frame();
  EXPECT_EQ(shown_texts().at("lane-origin"),
            "Energies since 1.2 s, lane B was added; method of B since 2 s.");
  face.click("plot1:restart");
  EXPECT_NE(face.last_command<Reset>(), nullptr);
}

TEST(Lanes, TheirTableTakesThePlaceOfNoChosenPlot) {
  Interface face;
  PlotsLayout& layout = face.view.plots_layout;
  const auto frames = [&] {
    for (int i = 0; i < 3; ++i) face.frame();
  };
  const auto has_table = [&] { return face.rect("lane-row:A").x >= 0; };
  frames();
  EXPECT_FALSE(has_table());
  add_lanes(face, 2);
  frames();
  EXPECT_TRUE(has_table()) << "in the place of a plot that nobody has chosen";
  // The user wants the plot there.
  face.click("plot1:kind");
  face.frame();
  face.click("plot1:kind:Strain");
  frames();
  EXPECT_FALSE(has_table());
  face.snapshot.others.clear();
  frames();
  add_lanes(face, 2);
  frames();
  EXPECT_FALSE(has_table()) << "another lane does not take it away";
  PlotsLayout later;
  later.choose(layout.titles());
  EXPECT_EQ(later.by_user, layout.by_user) << "nor does another session";
  EXPECT_EQ(later.chosen, layout.chosen);
  face.click("plot0:kind");
  face.frame();
  face.click("plot0:kind:Lanes");
  frames();
  EXPECT_TRUE(has_table());
}

TEST(Lanes, TheirTableIsReachableInSmallAndScaledWindows) {
  for (const auto& [width, height, scale] :
       {std::array{800.0F, 600.0F, 1.0F}, std::array{960.0F, 540.0F, 2.0F}}) {
    Interface face(Interface::sheet(), scale, width, height);
    add_lanes(face, 4);
    for (int i = 0; i < 3; ++i) face.frame();
    face.click("plot0:kind");
    face.frame();
    face.click("plot0:kind:Lanes");
    for (int i = 0; i < 3; ++i) face.frame();
    for (const char* row : {"lane-row:A", "lane-row:D"}) {
      const ImVec4 at = face.rect(row);
      EXPECT_GT(at.z, at.x) << row << " at " << width << " by " << height;
      EXPECT_LE(at.w, height * scale) << row;
    }
    face.click("lane-row:C");
    EXPECT_EQ(face.last_control<SelectLane>()->lane, 2u);
    face.click("plot0:restart");
    EXPECT_NE(face.last_command<Reset>(), nullptr);
  }
}

TEST(LaneReading, NamesTheGainWhereTheLedgerContradictsTheory) {
  Interface face;
  LaneSnapshot lane = face.snapshot;
  lane.integrator = row_named("implicit-midpoint");
  auto scene = std::make_shared<Scene>(*lane.frame.scene);
  scene->integrator = "implicit-midpoint";
  lane.frame.scene = scene;
  StabilityEstimate estimate;
  estimate.stiffest = {.omega = 1000};
  lane.stability = estimate;
  StepRecord& record = lane.frame.record;
  record.time = 1;
  record.energy = {.kinetic = 20, .stretch = 30, .total = 50};
  record.ledger.damping = -100;
  EXPECT_EQ(read_lane(lane).verdict, "stable on an oscillator");
  EXPECT_EQ(read_lane(lane).level_colour, palette().good);
  record.max_strain = 3.42;
  EXPECT_EQ(read_lane(lane).verdict, "stable, but strained by 342 %");
  EXPECT_EQ(read_lane(lane).level_colour, palette().careful);
  record.max_strain = 0.1;
  record.ledger.method = 142;
  EXPECT_EQ(read_lane(lane).verdict, "gained 142 J, though stable on an oscillator");
  EXPECT_EQ(read_lane(lane).level_colour, palette().failed) << "the colour of what a method gains";
  // Less than the cloth has itself may be an error that swings; the run reports what stays.
  record.ledger.method = 40;
  EXPECT_EQ(read_lane(lane).verdict, "stable on an oscillator");
  NoticeLog log;
  log.add(NoticeCause::spurious_energy, 30, "It gained some.");
  lane.notices = log.list();
  EXPECT_THAT(read_lane(lane).verdict, HasSubstr("gained 40"));
  lane.method_origin.notices = 1;
  EXPECT_EQ(read_lane(lane).verdict, "stable on an oscillator") << "that was another method";
  record.ledger.method = -5;
  EXPECT_EQ(read_lane(lane).verdict, "stable on an oscillator");

  // Together with the window's own run, at the bottom.
  static_cast<LaneSnapshot&>(face.snapshot) = lane;
  record.ledger.method = 142;
  face.snapshot.frame.record.ledger.method = 142;
  face.context().send(Command(SetIntegrator{"implicit-midpoint"}));
  for (int i = 0; i < 2; ++i) face.frame();
  EXPECT_THAT(shown_texts().at("stability"), HasSubstr("gained 142 J"));
}

TEST(Lanes, HeadTableAndTheLineBelowHHaveTheSameFigures) {
  Interface face(Interface::sheet(), 1, 1600, 900);
  add_lanes(face, 2);
  face.snapshot.step_ms = {3, 3, 3, 4};
  face.snapshot.others[0].step_ms = {20, 20, 20, 25};
  face.snapshot.lag = RealTimeLag{0.05};
  for (int i = 0; i < 3; ++i) face.frame();
  auto& texts = shown_texts();
  EXPECT_THAT(texts.at("lane-state:A"), HasSubstr("4.2×"));
  EXPECT_THAT(texts.at("lane-state:B"), HasSubstr("0.67×"));
  EXPECT_EQ(texts.at("lane-row:B:ms"), "20.0");
  EXPECT_EQ(texts.at("lane-row:B:real time"), "0.67×");
  EXPECT_EQ(texts.at("lag"), "slowest lane by itself: B, 20 ms per step, 0.67× real time");
  face.snapshot.lag = RealTimeLag{0.0, RealTimeLag::Limit{1, 0.0028}};
  face.frame();
  EXPECT_THAT(texts.at("lag"),
              HasSubstr("At no stable h up to 50 ms do all lanes together reach real time: lane "
                        "B (Symplectic Euler) is stable below 2.8"));
  face.snapshot.others[0].frozen = true;
  face.snapshot.others[0].frame.record.time = 0.046;
  for (int i = 0; i < 3; ++i) face.frame();
  EXPECT_EQ(texts.at("lane-row:B:real time"), "frozen");
  EXPECT_EQ(texts.at("lane-row:B:time"), "0.046 s") << "its figures are of then";
}

TEST(LaneReading, OfThePastHasTheMethodAndTheStepOfThen) {
  Interface face;
  LaneSnapshot lane = face.snapshot;
  Scene then = *lane.frame.scene;
  then.integrator = "rk4";
  then.dt = 0.25;
  lane.scene_then = std::make_shared<const Scene>(then);
  EXPECT_THAT(read_lane(lane).help, ::testing::StartsWith("Runge–Kutta 4, h = 250 ms."));
  EXPECT_THAT(lane_name(lane), HasSubstr("Runge–Kutta 4"));
  // The estimate is that of the present, where the forces are the same.
  lane.stability = StabilityEstimate{};
  lane.stability->stiffest = {.omega = 1000};
  EXPECT_EQ(read_lane(lane).limit, "–");
  then.integrator = lane.frame.scene->integrator;
  lane.scene_then = std::make_shared<const Scene>(then);
  EXPECT_NE(read_lane(lane).limit, "–");
  // So has the status bar.
  lane.stability->stiffest = {.omega = 0.01};
  static_cast<LaneSnapshot&>(face.snapshot) = lane;
  face.snapshot.replay = ReplayPosition{0, 2, 0.1};
  face.frame();
  EXPECT_THAT(shown_texts().at("stability"), HasSubstr("h·ω_max 0.0025")) << "at h = 250 ms";
}

TEST(LaneReading, NamesTheContrastThatNoLaneHas) {
  Interface face;
  EXPECT_EQ(contrasting_method(face.snapshot), row_named("symplectic-euler"));
  add_lanes(face, 2);
  face.snapshot.others[0].integrator = row_named("symplectic-euler");
  EXPECT_EQ(contrasting_method(face.snapshot), row_named("explicit-euler"));
  face.snapshot.integrator = row_named("rk4");
  EXPECT_EQ(contrasting_method(face.snapshot), row_named("semi-implicit-euler"));
}

}  // namespace
}  // namespace clothlab
