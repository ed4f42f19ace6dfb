// SPDX-License-Identifier: MIT
#include "session/edit_history.h"

#include <gtest/gtest.h>

#include "core/worker_pool.h"
#include "integrate/tableau.h"
#include "session/support.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

using testing::loaded;
using testing::sheet_scene;

std::shared_ptr<const LoadedScene> sheet(const char* title, int n = 4) {
  Scene scene = sheet_scene(n);
  scene.title = title;
  return loaded(std::move(scene));
}

TEST(EditHistory, UndoGivesBackWhatWasThereAndSaysSo) {
  EditHistory edits(sheet("Sheet"));
  EXPECT_FALSE(edits.undo());
  EXPECT_FALSE(edits.redo());
  edits.record(SetParameter{"stretch-stiffness", 150});
  edits.record(SetIntegrator{"rk4"});
  EXPECT_EQ(edits.undo_text(), "Runge–Kutta 4 → Semi-implicit Euler");

  const auto first = edits.undo();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->lanes.front().scene->integrator, "semi-implicit-euler");
  EXPECT_EQ(first->lanes.front().scene->material.stretch_stiffness, 150);
  EXPECT_EQ(first->other_scene, nullptr);
  const auto second = edits.undo();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "Stretch stiffness 150 → 1000 N/m");
  EXPECT_EQ(second->lanes.front().scene->material.stretch_stiffness, 1000);
  EXPECT_FALSE(edits.undo());

  EXPECT_EQ(edits.redo()->text, "Stretch stiffness 1000 → 150 N/m");
  EXPECT_EQ(edits.redo()->lanes.front().scene->integrator, "rk4");
  EXPECT_FALSE(edits.redo());
}

TEST(EditHistory, ANewChangeEndsWhatCouldBeRedone) {
  EditHistory edits(sheet("Sheet"));
  edits.record(SetParameter{"mass", 1});
  edits.undo();
  edits.record(SetParameter{"mass", 2});
  EXPECT_FALSE(edits.can_redo());
  EXPECT_EQ(edits.undo()->lanes.front().scene->material.mass, 0.2);
}

TEST(EditHistory, OneDragOfASliderIsOneEntry) {
  EditHistory edits(sheet("Sheet"));
  for (const double mass : {0.3, 0.5, 0.7}) edits.record(SetParameter{"mass", mass});
  edits.end_gesture();
  for (const double mass : {0.8, 0.9}) edits.record(SetParameter{"mass", mass});
  edits.end_gesture();
  EXPECT_EQ(edits.undo()->lanes.front().scene->material.mass, 0.7);
  EXPECT_EQ(edits.undo()->lanes.front().scene->material.mass, 0.2);
  EXPECT_FALSE(edits.can_undo());
}

TEST(EditHistory, OneDragOfAnObstacleIsOneEntry) {
  EditHistory edits(sheet("Sheet"));
  const auto start = std::vector{parse_obstacle("sphere:0,-1,0,0.2"), parse_obstacle("box:1,-1,0,1,1,1")};
  edits.record(SetObstacles{start});
  edits.end_gesture();
  for (const double y : {-0.9, -0.8, -0.75}) edits.record(MoveObstacle{0, vec3(0, y, 0), 0.01});
  edits.end_gesture();
  for (const double y : {-0.9, -0.5}) edits.record(MoveObstacle{1, vec3(1, y, 0), 0});
  edits.end_gesture();
  EXPECT_EQ(edits.undo_text(), "Obstacle 2 moved by 0.5 m");
  EXPECT_EQ(edits.undo()->lanes.front().scene->obstacles.bodies[1], start[1]);
  EXPECT_EQ(edits.undo_text(), "Obstacle 1 moved by 0.25 m");
  EXPECT_EQ(edits.undo()->lanes.front().scene->obstacles.bodies, start);
  EXPECT_EQ(edits.redo()->lanes.front().scene->obstacles.bodies[0].from.y, -0.75);
  EXPECT_TRUE(edits.undo() && edits.undo());
  EXPECT_FALSE(edits.can_undo());
}

TEST(EditHistory, WhatChangesNothingIsNoEntry) {
  EditHistory edits(sheet("Sheet"));
  edits.record(SetParameter{"mass", 0.2});
  edits.record(SetParameter{"mass", -1});  // refused
  edits.record(SetIntegrator{"nonsense"});
  edits.record(SetPinned{{0, 3}, true});  // the top corners already
  edits.record(Reset{});
  edits.record(Release{});
  EXPECT_FALSE(edits.can_undo());
  // There and back with the button down.
  edits.record(SetParameter{"mass", 0.5});
  edits.record(SetParameter{"mass", 0.2});
  EXPECT_FALSE(edits.can_undo());
  // And with the same pins under another name on the way, which the simulation has then.
  for (const bool pinned : {true, false}) edits.record(SetPinned{{5}, pinned});
  EXPECT_EQ(edits.scene().pins, PinSelection(std::vector<std::uint32_t>{0, 3}));
  edits.record(SetParameter{"mass", 0.5});
  edits.record(SetPinPreset{PinPreset::top_corners});
  edits.record(SetParameter{"mass", 0.2});
  EXPECT_EQ(edits.scene().pins, PinSelection(PinPreset::top_corners));
}

TEST(EditHistory, PinsComeBack) {
  EditHistory edits(sheet("Sheet"));
  edits.record(SetPinned{{5, 6}, true});
  edits.record(SetPinned{{0, 3, 5}, false});
  const ClothMesh& mesh = *edits.loaded().mesh;
  const auto held = [&] { return selected_particles(mesh, edits.scene()); };
  EXPECT_EQ(held(), (std::vector<std::uint32_t>{6}));
  EXPECT_EQ(edits.undo()->text, "Pinned particles 1 → 4");
  EXPECT_EQ(held(), (std::vector<std::uint32_t>{0, 3, 5, 6}));
  edits.record(Reset{});  // which keeps them
  EXPECT_EQ(held(), (std::vector<std::uint32_t>{0, 3, 5, 6}));
}

TEST(EditHistory, PinsComeBackToTheirPlaces) {
  const auto loaded = sheet("Sheet");
  EditHistory edits(loaded);
  Frame seen;
  seen.positions = loaded->mesh->positions;
  const vec3 there(0.5, 0, 0), here(0, -1, 0);
  seen.moving_pins = {{3, there}};
  seen.positions[5] = here;
  edits.record(SetPinned{{3, 5}, false}, std::make_shared<Frame>(seen));  // 5 is none
  edits.record(SetPinned{{5}, true}, std::make_shared<Frame>(seen));
  seen.positions.assign(16, vec3(9));  // fallen since

  EXPECT_TRUE(edits.undo()->pins.empty());
  const auto back = edits.undo();
  ASSERT_FALSE(back->lanes.empty());
  ASSERT_EQ(back->pins.size(), 1u);  // 0 was pinned all the time
  EXPECT_EQ(back->pins[0].particle, 3u);
  EXPECT_EQ(back->pins[0].position, there);
  EXPECT_TRUE(edits.redo()->pins.empty());
  const auto again = edits.redo();
  ASSERT_EQ(again->pins.size(), 1u);
  EXPECT_EQ(again->pins[0].particle, 5u);
  EXPECT_EQ(again->pins[0].position, here);
}

TEST(EditHistory, OneDragOfAPinIsOneEntry) {
  const auto loaded = sheet("Sheet");
  EditHistory edits(loaded);
  Frame seen;
  seen.positions = loaded->mesh->positions;
  vec3& pin = seen.positions[3];
  const vec3 start = pin, first(0.3, 0, 0), second(0.3, 0.4, 0);
  const auto drag = [&](const vec3& to) {
    edits.record(MovePins{{{3, to}}, 0}, std::make_shared<Frame>(seen));
    pin = to;
  };
  drag(start);  // taken hold of, and not moved
  EXPECT_FALSE(edits.can_undo());
  for (const double way : {0.1, 0.2, 0.3}) drag(vec3(way, 0, 0));
  edits.end_gesture();
  edits.record(SetParameter{"mass", 3});
  edits.end_gesture();
  drag(second);
  edits.end_gesture();
  EXPECT_EQ(edits.unsaved_changes(), "Mass 0.2 → 3 kg");  // a scene does not say where pins were taken

  const auto is_motion = [](const std::optional<EditHistory::Step>& step, const vec3& to) {
    return step && step->lanes.empty() && step->pins.size() == 1 && step->pins[0].particle == 3 &&
           step->pins[0].position == to;
  };
  EXPECT_EQ(edits.undo_text(), "Pin of particle 3 moved by 0.4 m");
  EXPECT_TRUE(is_motion(edits.undo(), first));
  EXPECT_TRUE(edits.undo()->pins.empty());  // the mass
  EXPECT_TRUE(is_motion(edits.undo(), start));
  EXPECT_FALSE(edits.can_undo());

  EXPECT_TRUE(is_motion(edits.redo(), first));
  EXPECT_EQ(edits.redo()->lanes.front().scene->material.mass, 3);
  EXPECT_TRUE(is_motion(edits.redo(), second));
  EXPECT_FALSE(edits.can_redo());

  edits.record(SetIntegrator{"rk4"});  // what comes after is about itself
  EXPECT_TRUE(edits.undo()->pins.empty());
  EXPECT_TRUE(is_motion(edits.undo(), first));
}

/// Sends a control as the window does.
void send(EditHistory& edits, Control control) { edits.record(control); }

std::string letters(const LaneScenes& lanes) {
  std::string text;
  for (const LaneScene& lane : lanes) text += lane_letter(lane.lane);
  return text;
}

TEST(EditHistory, UndoCoversAddingRemovingAndChangingLanes) {
  EditHistory edits(sheet("Sheet"));
  send(edits, NewLane{"rk4"});
  EXPECT_EQ(edits.scene().integrator, "rk4") << "the new lane is the active one";
  edits.record(SetParameter{"substeps", 4});
  send(edits, NewLane{});
  EXPECT_EQ(edits.scene().substeps, 4) << "a copy of the active lane";
  send(edits, SelectLane{1});
  edits.record(SetIntegrator{"bdf2"});
  edits.record(SetParameter{"mass", 3});
  send(edits, ChangeLanes{RemoveLane{0}});
  EXPECT_EQ(letters(edits.version().lanes), "BC");
  EXPECT_EQ(edits.undo_text(), "lane A (Semi-implicit Euler) added");

  auto step = edits.undo();
  EXPECT_EQ(letters(step->lanes), "ABC");
  EXPECT_EQ(step->lanes[0].scene->material.mass, 3) << "in the world of then";
  EXPECT_EQ(edits.undo_text(), "Mass 3 → 0.2 kg");
  step = edits.undo();
  for (const LaneScene& lane : step->lanes) EXPECT_EQ(lane.scene->material.mass, 0.2);
  EXPECT_EQ(edits.undo_text(), "lane B: BDF2 → Runge–Kutta 4");
  step = edits.undo();
  EXPECT_EQ(step->lanes[1].scene->integrator, "rk4");
  EXPECT_EQ(edits.undo_text(), "lane C (Runge–Kutta 4) removed");
  EXPECT_EQ(letters(edits.undo()->lanes), "AB");
  EXPECT_EQ(edits.undo()->lanes[1].scene->substeps, 1);
  EXPECT_EQ(letters(edits.undo()->lanes), "A");
  EXPECT_FALSE(edits.can_undo());
  EXPECT_EQ(letters(edits.redo()->lanes), "AB");
  EXPECT_EQ(edits.redo()->lanes[1].scene->substeps, 4);
}

TEST(EditHistory, ASetOfLanesIsOneEntry) {
  EditHistory edits(sheet("Sheet"));
  send(edits, NewLane{"xpbd"});
  send(edits, SelectLane{0});
  edits.begin_action();
  send(edits, ChangeLanes{RemoveLane{1}});
  edits.record(SetIntegrator{"explicit-euler"});
  for (const char* id : {"symplectic-euler", "rk4"}) send(edits, NewLane{id});
  edits.record(SetParameter{"dt", 0.01});
  send(edits, SelectLane{0});
  edits.begin_action();
  EXPECT_EQ(letters(edits.version().lanes), "ABC");
  const auto step = edits.undo();
  ASSERT_EQ(letters(step->lanes), "AB");
  EXPECT_EQ(step->lanes[0].scene->integrator, "semi-implicit-euler");
  EXPECT_EQ(step->lanes[1].scene->integrator, "xpbd");
  EXPECT_EQ(step->lanes[0].scene->dt, 1.0 / 60);
  EXPECT_EQ(letters(edits.undo()->lanes), "A");
}

TEST(EditHistory, ANewLaneGetsTheFirstFreeLetter) {
  EditHistory edits(sheet("Sheet"));
  Control first = NewLane{"rk4"}, second = NewLane{"bdf2", true};
  edits.record(first);
  edits.record(second);
  EXPECT_EQ(std::get<NewLane>(first).lane, 1U);
  EXPECT_EQ(std::get<NewLane>(second).lane, 2U);
  EXPECT_EQ(edits.scene().integrator, "rk4") << "a lane that catches up is not active yet";
}

TEST(EditHistory, ARefusedLaneIsNoEntry) {
  EditHistory edits(sheet("Sheet"));
  send(edits, NewLane{"rk4"});
  edits.sent(1);
  edits.record(SetParameter{"mass", 3});
  edits.sent(2);
  edits.resolve(2, {1});
  EXPECT_EQ(letters(edits.version().lanes), "A");
  EXPECT_EQ(edits.scene().material.mass, 3);
  EXPECT_EQ(letters(edits.undo()->lanes), "A");
  EXPECT_FALSE(edits.can_undo());
}

TEST(EditHistory, FollowsLanesThatComeAndGoByThemselves) {
  EditHistory edits(sheet("Sheet"));
  send(edits, NewLane{"rk4", true});
  edits.sent(1);
  const LaneScenes one{{0, std::make_shared<const Scene>(edits.scene())}};
  edits.follow(one, 0);
  EXPECT_EQ(edits.version().lanes.size(), 2U) << "a request waits for its answer";
  edits.resolve(1, {});
  edits.follow(one, 0);  // it blew up on its way
  EXPECT_EQ(edits.version().lanes.size(), 1U);
  EXPECT_FALSE(edits.can_undo()) << "there is nothing to undo any more";
}

TEST(EditHistory, UnsavedLanesAreTold) {
  EditHistory edits(sheet("Sheet"));
  edits.record(SetIntegrator{"bdf2"});
  EXPECT_EQ(edits.unsaved_changes(), "") << "the integrator of the only lane is changed often";
  send(edits, NewLane{"rk4"});
  EXPECT_EQ(edits.unsaved_changes(), "Lane A: Semi-implicit Euler → BDF2, lane B (Runge–Kutta 4) added");
  EXPECT_EQ(edits.unsaved_values(), "") << "a scene without lanes keeps the lanes and their integrators";
  edits.saved(edits.version());
  EXPECT_EQ(edits.unsaved_changes(), "");
  edits.record(SetIntegrator{"xpbd"});
  EXPECT_EQ(edits.unsaved_changes(), "Lane B: Runge–Kutta 4 → XPBD");
  edits.record(SetParameter{"mass", 3});
  EXPECT_EQ(edits.unsaved_values(), "Mass 0.2 → 3 kg");
  EXPECT_EQ(edits.unsaved_changes(), "Mass 0.2 → 3 kg, lane B: Runge–Kutta 4 → XPBD");
}

TEST(EditHistory, ATableauThatWasTypedIsUnsaved) {
  EditHistory edits(sheet("Sheet"));
  edits.record(SetTableau{&tableau_method(tableau_preset("heun"))});
  EXPECT_EQ(edits.unsaved_changes(), "") << "it has a name";
  edits.record(SetTableau{&tableau_method({"Mine", {{"0", "0"}, {"3/4", "0"}}, {"1/3", "2/3"}})});
  EXPECT_EQ(edits.unsaved_changes(), "Semi-implicit Euler → Mine");
  edits.saved(edits.version());
  EXPECT_EQ(edits.unsaved_changes(), "");
}

TEST(EditHistory, AnotherSceneComesBackWithItsLanes) {
  EditHistory edits(sheet("First"));
  edits.record(SetIntegrator{"rk4"});
  edits.record_scene(sheet("Second", 5), EditHistory::Arrival::another);
  edits.record(SetIntegrator{"xpbd"});
  send(edits, NewLane{"bdf2"});
  edits.undo();
  edits.undo();
  const auto first = edits.undo();
  ASSERT_TRUE(first && first->other_scene);
  EXPECT_EQ(letters(first->lanes), "A");
  EXPECT_EQ(first->lanes[0].scene->integrator, "rk4");
  const auto second = edits.redo();
  ASSERT_TRUE(second && second->other_scene);
  edits.redo();
  EXPECT_EQ(edits.redo()->lanes[1].scene->integrator, "bdf2");
}

TEST(EditHistory, AnotherSceneComesBackWithItsMeshAndItsValues) {
  const auto first = sheet("First");
  const auto second = sheet("Second", 5);
  EditHistory edits(first);
  edits.record(SetParameter{"mass", 3});
  edits.record_scene(second, EditHistory::Arrival::another);
  edits.record(SetParameter{"mass", 4});
  edits.undo();
  const auto back = edits.undo();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text, "scene Second → First");
  EXPECT_EQ(back->other_scene, first);  // the very same: no file is read
  EXPECT_EQ(back->lanes.front().scene->material.mass, 3);
  EXPECT_EQ(edits.undo()->other_scene, nullptr);
  edits.redo();
  EXPECT_EQ(edits.redo()->other_scene, second);
}

TEST(EditHistory, KnowsWhatIsNotSaved) {
  EditHistory edits(sheet("Sheet"));
  EXPECT_EQ(edits.unsaved_changes(), "");
  edits.record(SetIntegrator{"rk4"});  // not worth a question
  EXPECT_EQ(edits.unsaved_changes(), "");
  edits.record(SetParameter{"mass", 3});
  EXPECT_EQ(edits.unsaved_changes(), "Mass 0.2 → 3 kg");
  edits.saved(edits.version());
  EXPECT_EQ(edits.unsaved_changes(), "");
  edits.undo();
  EXPECT_EQ(edits.unsaved_changes(), "Mass 3 → 0.2 kg");
  edits.record_scene(sheet("Other"), EditHistory::Arrival::another);
  EXPECT_EQ(edits.unsaved_changes(), "");
}

// Undo restores every value of the simulation, and changes no bit of x and v.
TEST(EditHistory, ASceneOfWhichNothingWasSavedIsUnsaved) {
  const auto first = sheet("Sheet"), restored = sheet("Restored");
  EditHistory edits(first);
  edits.record_scene(restored, EditHistory::Arrival::another);
  edits.saved({restored, {}});
  EXPECT_EQ(edits.unsaved_changes(), "The restored session is in no scene file or bundle");
  edits.record(SetParameter{"mass", 1});
  EXPECT_FALSE(edits.unsaved_values().empty());
  edits.saved(edits.version());
  EXPECT_EQ(edits.unsaved_changes(), "");
  EXPECT_TRUE(edits.undo() && edits.undo());
  EXPECT_EQ(edits.unsaved_changes(), "") << "the scene before";
}

TEST(EditHistory, UndoLeavesPositionsAndVelocitiesAlone) {
  const auto start = sheet("Sheet", 6);
  EditHistory edits(start);
  WorkerPool pool(1);
  Simulation simulation(start->scene, start->mesh, pool);
  for (int i = 0; i < 30; ++i) simulation.step(pool);
  const State before = simulation.state();
  for (const Command& command :
       std::vector<Command>{SetParameter{"stretch-stiffness", 150}, SetParameter{"rayleigh-mass", 2},
                            SetGravity{vec3(1, 2, 3)}, SetIntegrator{"xpbd"},
                            SetParameter{"xpbd-iterations", 7}, SetPinned{{7, 8}, true}}) {
    edits.record(command);
    edits.end_gesture();
    simulation.apply(pool, command);
  }
  for (int entries = 0; edits.can_undo(); ++entries) {
    ASSERT_LT(entries, 6);
    simulation.apply(pool, SetScene{edits.undo()->lanes.front().scene});
  }
  EXPECT_EQ(simulation.state().x, before.x);
  EXPECT_EQ(simulation.state().v, before.v);
  EXPECT_EQ(simulation.state().t, before.t);
  for (const SceneParameter& row : scene_parameters())
    EXPECT_EQ(row.get(simulation.scene()), row.get(start->scene)) << row.spec.id;
  EXPECT_EQ(simulation.scene().integrator, start->scene.integrator);
  EXPECT_EQ(simulation.scene().material.gravity, start->scene.material.gravity);
  EXPECT_TRUE(simulation.is_pinned(0));
  EXPECT_FALSE(simulation.is_pinned(7));
}

TEST(EditHistory, AnUndoLeadsToWhereItWasSentWhenWhatCameBeforeIsRefused) {
  const auto a = sheet("A"), b = sheet("B", 5);
  EditHistory edits(a);
  edits.record(SetIntegrator{"rk4"});
  edits.sent(1);
  edits.record_scene(b, EditHistory::Arrival::another);
  edits.sent(2);
  edits.resolve(2, {});
  // Back to A, A again, and back: of the last one only the values are sent, as A is believed to run.
  EXPECT_EQ(edits.undo()->other_scene, a);
  edits.sent(3);
  edits.record_scene(a, EditHistory::Arrival::another);
  edits.sent(4);
  const auto last = edits.undo();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->other_scene, nullptr);
  edits.sent(5);
  edits.resolve(5, {3, 4});
  EXPECT_EQ(&edits.loaded(), b.get()) << "which was never left";
  EXPECT_EQ(edits.scene().title, "B");
  EXPECT_EQ(edits.scene().integrator, "rk4");
}

TEST(EditHistory, WhatHadNothingToSendKeepsNoAnswerUp) {
  const auto a = sheet("A"), b = sheet("B", 5);
  EditHistory edits(a);
  edits.record(SetIntegrator{"rk4"});  // never sent
  edits.record_scene(b, EditHistory::Arrival::another);
  edits.sent(1);
  edits.resolve(1, {1});
  EXPECT_EQ(&edits.loaded(), a.get());
}

}  // namespace
}  // namespace clothlab
