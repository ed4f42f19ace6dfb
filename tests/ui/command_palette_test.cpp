// SPDX-License-Identifier: MIT
#include "ui/command_palette.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "contact/contact_model.h"
#include "core/text_file.h"
#include "interface.h"
#include "sim/parameters.h"
#include "sim/presets.h"
#include "ui/lanes.h"
#include "ui/panels/panel_values.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Interface;
using ::testing::IsEmpty;

std::vector<std::string> found(const std::vector<PaletteEntry>& entries, std::string_view query) {
  std::vector<std::string> names;
  for (const std::size_t i : matching_entries(entries, query)) names.push_back(entries[i].name);
  return names;
}

PaletteEntry entry(std::string_view kind, std::string name, std::string keywords = {},
                   std::string keys = {}) {
  return {.kind = kind, .name = std::move(name), .keywords = std::move(keywords), .keys = std::move(keys)};
}

const std::vector<PaletteEntry> kSome{
    entry("Command", "Save the scene", "save-scene", "Ctrl-S"),
    entry("Command", "Slower", "slower", "["),
    entry("Method", "Backward Euler", "backward-euler"),
    entry("Method", "Rosenbrock–Euler", "rosenbrock"),
    entry("Parameter", "Stretch stiffness", "stretch-stiffness Material"),
    entry("Parameter", "Wind", "wind"),
    entry("Parameter", "Wind speed", "wind-speed"),
    entry("View", "Stretch springs", "stretch-springs"),
    entry("Tab", "World tab", "panel"),
};

TEST(MatchingEntries, AreAllInTheirOrderWithoutAQuery) {
  EXPECT_EQ(found(kSome, "").size(), kSome.size());
  EXPECT_EQ(found(kSome, "  ").front(), "Save the scene");
}

TEST(MatchingEntries, NeedEveryWordInAnyOrderAndCase) {
  EXPECT_THAT(found(kSome, "STIFFNESS str"), ElementsAre("Stretch stiffness"));
  EXPECT_THAT(found(kSome, "stretch"), ElementsAre("Stretch springs", "Stretch stiffness"));
  EXPECT_THAT(found(kSome, "stretch wind"), IsEmpty());
  EXPECT_THAT(found(kSome, "ward"), ElementsAre("Backward Euler")) << "a part of a word";
  EXPECT_THAT(found(kSome, "euler"), ElementsAre("Backward Euler", "Rosenbrock–Euler"));
}

TEST(MatchingEntries, BeginWithTheNameItself) {
  EXPECT_THAT(found(kSome, "wind"), ElementsAre("Wind", "Wind speed"));
  EXPECT_THAT(found(kSome, "w"), ElementsAre("Wind", "World tab", "Wind speed"));
  EXPECT_EQ(found(kSome, "s").front(), "Slower");
  EXPECT_THAT(found(kSome, "material"), ElementsAre("Stretch stiffness")) << "a keyword";
}

TEST(MatchingEntries, AreFoundByInitialsJoinedWordsAndKeys) {
  EXPECT_THAT(found(kSome, "be"), ElementsAre("Backward Euler"));
  EXPECT_THAT(found(kSome, "backwardeu"), ElementsAre("Backward Euler"));
  EXPECT_THAT(found(kSome, "ctrl-s"), ElementsAre("Save the scene"));
  EXPECT_THAT(found(kSome, "["), ElementsAre("Slower"));
  EXPECT_THAT(found(kSome, "}"), IsEmpty());
}

TEST(MatchingEntries, AreApproximateOnlyWhereNoneIsExact) {
  EXPECT_THAT(found(kSome, "stiftness"), ElementsAre("Stretch stiffness")) << "misspelt";
  EXPECT_THAT(found(kSome, "strtch"), ElementsAre("Stretch springs", "Stretch stiffness"));
  EXPECT_THAT(found(kSome, "bckwd"), ElementsAre("Backward Euler")) << "letters left out";
  const std::vector<PaletteEntry> near{entry("View", "Sketch"), entry("View", "Stretch springs")};
  EXPECT_THAT(found(near, "stretch"), ElementsAre("Stretch springs"));
  EXPECT_THAT(found({near.front()}, "stretch"), ElementsAre("Sketch"));
  EXPECT_THAT(found(kSome, "qqqq"), IsEmpty());
}

std::vector<SceneEntry> some_scenes() {
  std::vector<SceneEntry> scenes(2);
  scenes[0].scene.title = "A hanging sheet";
  scenes[1].scene.title = "Flag in the wind";
  return scenes;
}

// The palette of a paused simulation with some scenes.
struct Offered {
  std::vector<PaletteEntry> entries() { return palette_entries(targets); }
  void expect_first(std::string_view query, std::string_view kind, std::string_view name) {
    const std::vector<PaletteEntry> all = entries();
    const std::vector<std::size_t> best = matching_entries(all, query);
    ASSERT_FALSE(best.empty()) << query;
    // Other kinds may have the same name.
    const auto wanted =
        std::ranges::find_if(best, [&](std::size_t i) { return all[i].kind == kind && all[i].name == name; });
    EXPECT_LT(wanted - best.begin(), 3) << query << ": " << all[best.front()].name;
  }

  Interface face;
  std::vector<SceneEntry>& scenes = face.scenes = some_scenes();
  PanelContext context = face.context();
  FileDialog files;
  RecordingDialog recording;
  AboutDialog about;
  CommandPalette commands;
  bool help_open = false;
  std::string wanted_tab;
  ActionTargets targets{context, files, recording, about, commands, help_open, wanted_tab};
};

TEST(CommandPalette, HasEveryRowOfEveryRegistryUnderItsName) {
  Offered palette;
  for (const Action& each : actions())
    if (each.name != nullptr && each.act != nullptr && each.id != "commands")
      palette.expect_first(each.name, "Command", each.name);
  for (const IntegratorInfo& info : integrators()) {
    palette.expect_first(info.title, "Method", info.title);
    palette.expect_first(info.id, "Method", info.title);
  }
  for (const ParameterSpec* spec : all_parameters()) {
    std::string name(spec->title);
    if (spec->kind == ParameterSpec::Kind::choice) name += ": " + std::string(spec->choices.back());
    palette.expect_first(name, "Parameter", name);
    const std::vector<std::string> by_id = found(palette.entries(), spec->id);
    EXPECT_THAT(by_id, ::testing::Contains(::testing::StartsWith(std::string(spec->title)))) << spec->id;
  }
  for (const PanelValue& each : panel_values()) {
    EXPECT_EQ(find_parameter_spec(each.spec.id), nullptr) << each.spec.id << " has two rows";
    const bool is_choice = each.spec.kind == ParameterSpec::Kind::choice;
    const std::string name(each.spec.title);
    palette.expect_first(name, "Parameter",
                         is_choice ? name + ": " + std::string(each.spec.choices.front()) : name);
  }
  for (const PinChoice& each : pin_choices())
    palette.expect_first(std::string("pins ") + each.label, "Pins", std::string("Pins: ") + each.label);
  for (const ObstacleOffer& each : obstacle_offers())
    if (each.shape != Obstacle::Shape::mesh) palette.expect_first(each.label, "Obstacle", each.label);
  for (const SceneEntry& scene : palette.face.scenes)
    palette.expect_first(scene.scene.title, "Scene", scene.scene.title);
  for (const ViewSwitch& each : view_switches())
    palette.expect_first(each.label, find_action(each.name) != nullptr ? "Command" : "View", each.label);
  for (const Tab& tab : tabs()) palette.expect_first(tab.title, "Tab", std::string(tab.title) + " tab");
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    const auto kind = static_cast<PlotKind>(k);
    palette.expect_first(std::string("plot ") + plot_title(kind), instrument(kind) ? "Instrument" : "Plot",
                         plot_title(kind));
  }
  for (const LaneSet& set : lane_sets()) palette.expect_first(set.title, "Lanes", set.title);
  for (const Preset& preset : presets()) palette.expect_first(preset.title, "Preset", preset.title);
  for (const ContactModelInfo& model : kContactModels)
    palette.expect_first("contact " + std::string(model.title), "Parameter",
                         "Contact by: " + std::string(model.id));
}

TEST(CommandPalette, ShowsKeysValuesAndWhyAValueHasNoEffect) {
  Offered palette;
  const std::vector<PaletteEntry> all = palette.entries();
  const auto row = [&](std::string_view name) {
    const auto found = std::ranges::find(all, name, &PaletteEntry::name);
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? PaletteEntry{} : *found;
  };
  EXPECT_EQ(row("Save the scene").keys, "Ctrl-S");
  EXPECT_EQ(row("Wireframe").value, "off");
  EXPECT_EQ(row(integrators()[0].title).keys, "1");
  const Scene& scene = palette.context.scene();
  EXPECT_EQ(row(method_info(scene).title).value, "current");
  EXPECT_EQ(row("Step h").value, shown_value(find_scene_parameter("dt")->spec, scene.dt));
  EXPECT_THAT(row("Wind speed").help, HasSubstr("The wind is off."));
  EXPECT_THAT(row("Spectral radius ρ∞").help, HasSubstr("Only for Generalized-α"));
}

TEST(CommandPalette, NamesCommandsShortAndByState) {
  Offered palette;
  for (const PaletteEntry& each : palette.entries())
    EXPECT_FALSE(each.kind == "Command" && each.name.find(';') != std::string::npos) << each.name;
  palette.expect_first("record", "Command", "Record a video, pictures or meshes");
  palette.face.recording.shown = true;
  palette.expect_first("record", "Command", "Stop recording");
  palette.face.recording.progress.finished = true;
  palette.expect_first("record", "Command", "Record a video, pictures or meshes");
}

TEST(ExportMenu, ShowsWhetherARecordingRunsAndWhatOpensADialog) {
  Interface face;
  face.click("export");
  face.frame();
  EXPECT_EQ(shown_texts()["export:record"], "Record a video, pictures or meshes ...");
  EXPECT_EQ(shown_texts()["export:save-moment"], "Save this moment ...");
  EXPECT_EQ(shown_texts()["export:copy-command"], "Copy the command line");
  face.recording.shown = true;
  face.frame();
  EXPECT_EQ(shown_texts()["export:record"], "Stop recording");
}

// In the interface, by its keys.
struct Typing {
  explicit Typing(const std::string& text) {
    face.press(Key::none, 'K', true);
    for (int i = 0; i < 3; ++i) face.frame();
    face.type(text);
    face.frame();
  }
  std::string chosen() { return shown_texts()["command"]; }
  // For the palette, and for its text field.
  void enter() {
    face.ui.on_key({.key = Key::enter}, true, face.context());
    face.field_key(ImGuiKey_Enter);
  }
  bool is_open() { return face.rect("command-text").z > 0; }

  Interface face;
};

TEST(CommandPalette, RunsWhatArrowsAndEnterChoose) {
  Typing typing("plot");
  EXPECT_TRUE(typing.face.ui.dialog_open());
  const std::string first = typing.chosen();
  typing.face.press(Key::down);
  typing.face.frame();
  EXPECT_NE(typing.chosen(), first);
  typing.face.press(Key::up);
  typing.face.frame();
  EXPECT_EQ(typing.chosen(), first);
  EXPECT_TRUE(typing.face.view.plots);
  typing.enter();
  EXPECT_FALSE(typing.face.view.plots) << "the command of that name";
  EXPECT_FALSE(typing.is_open());
  EXPECT_FALSE(typing.face.ui.dialog_open());
}

TEST(CommandPalette, SwitchesTheMethod) {
  Typing typing("velocity verlet");
  typing.enter();
  ASSERT_NE(typing.face.last_command<SetIntegrator>(), nullptr);
  EXPECT_EQ(typing.face.last_command<SetIntegrator>()->id, "velocity-verlet");
}

TEST(CommandPalette, AddsALaneWithShift) {
  Typing lane("velocity verlet");
  lane.face.ui.on_key({.key = Key::enter, .shift = true}, true, lane.face.context());
  lane.face.frame();
  EXPECT_EQ(lane.face.last_command<SetIntegrator>(), nullptr);
  ASSERT_NE(lane.face.last_control<NewLane>(), nullptr);
  EXPECT_EQ(lane.face.last_control<NewLane>()->integrator, "velocity-verlet");
}

TEST(CommandPalette, GivesShiftToCommands) {
  for (const bool shift : {false, true}) {
    Typing typing("back in time");
    typing.face.ui.on_key({.key = Key::enter, .shift = shift}, true, typing.face.context());
    typing.face.frame();
    ASSERT_NE(typing.face.last_control<StepThroughPast>(), nullptr);
    EXPECT_EQ(typing.face.last_control<StepThroughPast>()->states, shift ? -10 : -1);
  }
}

TEST(CommandPalette, StatesWhyATypedValueHasNoEffect) {
  Typing typing("spectral radius");
  typing.enter();
  ASSERT_TRUE(shown_texts().contains("command-range"));
  EXPECT_THAT(shown_texts()["command-effect"], HasSubstr("Only for Generalized-α"));
}

TEST(CommandPalette, SetsATypedValueWithinItsRange) {
  Typing typing("stretch stiffness");
  typing.enter();
  EXPECT_TRUE(typing.is_open());
  EXPECT_EQ(shown_texts()["command-range"],
            "A value " + typing_help(find_scene_parameter("stretch-stiffness")->spec) + ".");
  typing.face.type("much");  // replaces the selected value
  typing.enter();
  EXPECT_EQ(typing.face.last_command<SetParameter>(), nullptr);
  EXPECT_THAT(shown_texts()["command-note"], HasSubstr("'much' is not a number"));
  typing.face.type("2.5 kN/m");
  typing.face.frame();
  EXPECT_FALSE(shown_texts().contains("command-note")) << "it was about another text";
  typing.enter();
  ASSERT_NE(typing.face.last_command<SetParameter>(), nullptr);
  EXPECT_EQ(typing.face.last_command<SetParameter>()->id, "stretch-stiffness");
  EXPECT_EQ(typing.face.last_command<SetParameter>()->value, 2500);
  EXPECT_FALSE(typing.is_open());
}

TEST(CommandPalette, StatesThatAValueWasClamped) {
  Typing typing("stretch stiffness");
  typing.enter();
  typing.face.type("1e30");
  typing.enter();
  ASSERT_NE(typing.face.last_command<SetParameter>(), nullptr);
  EXPECT_EQ(typing.face.last_command<SetParameter>()->value, 1e9);
  EXPECT_THAT(shown_texts()["command-note"], HasSubstr("is above the largest value"));
  typing.enter();
  EXPECT_FALSE(typing.is_open());
}

TEST(CommandPalette, FindsWhatTheSceneHasBesidesParameters) {
  Offered palette;
  for (const char* query : {"dress", "gravity", "wind", "pins", "obstacle", "history", "grab", "trackpad"})
    EXPECT_THAT(found(palette.entries(), query), ::testing::Not(IsEmpty())) << query;
  EXPECT_EQ(found(palette.entries(), "dress").front(), "Dress the bodies");
  EXPECT_EQ(found(palette.entries(), "gravity").front(), "Gravity");
}

TEST(CommandPalette, SetsGravity) {
  Typing typing("gravity");
  typing.enter();
  EXPECT_THAT(shown_texts()["command-range"], HasSubstr("m/s²"));
  EXPECT_EQ(shown_texts()["command-effect"], "");
  typing.face.type("1.62");
  typing.enter();
  ASSERT_NE(typing.face.last_command<SetGravity>(), nullptr);
  EXPECT_EQ(typing.face.last_command<SetGravity>()->gravity, vec3(0, -1.62, 0));
}

TEST(CommandPalette, SetsPins) {
  Typing typing("pins clear");
  typing.enter();
  ASSERT_NE(typing.face.last_command<SetPinPreset>(), nullptr);
  EXPECT_EQ(typing.face.last_command<SetPinPreset>()->preset, PinPreset::none);
}

TEST(CommandPalette, AddsBodies) {
  Typing typing("add sphere");
  typing.enter();
  ASSERT_NE(typing.face.last_command<SetObstacles>(), nullptr);
  EXPECT_EQ(typing.face.last_command<SetObstacles>()->bodies.at(0).shape, Obstacle::Shape::sphere);
}

TEST(CommandPalette, DressesTheBodies) {
  Typing typing("dress");
  typing.enter();
  EXPECT_NE(typing.face.last_request<DressBodies>(), nullptr);
}

TEST(CommandPalette, OpensTabs) {
  Typing typing("solver tab");
  typing.enter();
  EXPECT_EQ(typing.face.ui.tab(), "Solver");
}

TEST(CommandPalette, ShowsAPlotOnce) {
  Typing plot("plot ledger");
  plot.face.view.plots = false;
  plot.enter();
  EXPECT_TRUE(plot.face.view.plots);
  EXPECT_EQ(std::ranges::count(plot.face.view.plots_layout.chosen, PlotKind::ledger), 1);
  plot.face.view.plots_layout.show(PlotKind::ledger);
  EXPECT_EQ(std::ranges::count(plot.face.view.plots_layout.chosen, PlotKind::ledger), 1) << "it is shown";
}

TEST(CommandPalette, GoesBackByEscape) {
  Typing typing("mass");
  typing.enter();
  EXPECT_TRUE(shown_texts().contains("command-range"));
  typing.face.press(Key::escape);
  typing.face.frame();
  EXPECT_TRUE(typing.is_open()) << "back to the list";
  EXPECT_FALSE(shown_texts().contains("command-range"));
  typing.face.press(Key::escape);
  typing.face.frame();
  EXPECT_FALSE(typing.is_open());
}

TEST(CommandPalette, GoesBackToTheSameRow) {
  Typing typing("stiffness");
  typing.face.press(Key::down);
  typing.face.frame();
  const std::string chosen = typing.chosen();
  typing.enter();
  ASSERT_TRUE(shown_texts().contains("command-range"));
  typing.face.press(Key::down);  // a key of the list
  typing.face.press(Key::escape);
  for (int i = 0; i < 3; ++i) typing.face.frame();
  EXPECT_EQ(typing.chosen(), chosen);
}

// It is above the dialog that was open, so its keys do not reach that.
TEST(CommandPalette, GetsTheKeysBeforeAnOpenDialog) {
  Interface face;
  face.press(Key::none, 'O', true);
  face.press(Key::none, 'K', true);
  for (int i = 0; i < 3; ++i) face.frame();
  ASSERT_TRUE(shown_texts().contains("command"));
  ASSERT_TRUE(face.ui.files().is_open());
  face.press(Key::escape);
  face.frame();
  EXPECT_FALSE(shown_texts().contains("command"));
  EXPECT_TRUE(face.ui.files().is_open());
}

// Closing the window or dropping a file opens the question over the palette.
TEST(CommandPalette, ClosesWhenAQuestionOpens) {
  {
    Typing typing("wireframe");
    typing.face.ui.question().ask("The mass was changed");
    typing.face.frame();
    EXPECT_FALSE(typing.is_open());
    typing.enter();
    EXPECT_FALSE(typing.face.view.wireframe);
    ASSERT_NE(typing.face.last_request<AnswerUnsaved>(), nullptr);
    EXPECT_EQ(typing.face.last_request<AnswerUnsaved>()->answer, AnswerUnsaved::Answer::save);
  }
  Typing typing("wireframe");
  typing.face.ui.session_offer().ask({{"Scene", "A sheet"}});
  for (int i = 0; i < 2; ++i) typing.face.frame();
  EXPECT_FALSE(typing.is_open());
  typing.face.press(Key::escape);
  EXPECT_NE(typing.face.last_request<AnswerSession>(), nullptr);
}

TEST(CommandPalette, ClosesByItsKey) {
  Typing again("mass");
  again.face.ui.on_key({.character = 'K', .ctrl = true, .repeat = true}, true, again.face.context());
  again.face.frame();
  EXPECT_TRUE(again.is_open()) << "the key that opened it is still held";
  again.face.press(Key::none, 'K', true);
  again.face.frame();
  EXPECT_FALSE(again.is_open());
}

TEST(CommandPalette, RunsWhatIsClicked) {
  Typing click("wireframe");
  click.face.click("command:Wireframe");
  EXPECT_TRUE(click.face.view.wireframe);
}

TEST(CommandPalette, ClosesByAClickElsewhere) {
  Typing elsewhere("wireframe");
  elsewhere.face.move(3, 3);
  elsewhere.face.button(true);
  elsewhere.face.button(false);
  elsewhere.face.frame();
  EXPECT_FALSE(elsewhere.is_open());
  EXPECT_FALSE(elsewhere.face.view.wireframe);
}

TEST(CommandPalette, FitsEverySizeOfTheWindow) {
  for (const float scale : {1.0F, 2.0F}) {
    for (const float width : {640.0F, 1280.0F}) {
      Interface face(Interface::sheet(), scale, width / scale, width / scale * 0.6F);
      face.press(Key::none, 'K', true);
      for (int i = 0; i < 3; ++i) face.frame();
      int listed = 0;
      for (const auto& [name, r] : item_rects()) {
        if (!name.starts_with("command")) continue;
        ++listed;
        EXPECT_GE(r.x, 0) << name;
        EXPECT_LE(r.z, face.width) << name;
      }
      EXPECT_GT(listed, 3) << scale << ", " << width;
    }
  }
}

TEST(CommandPalette, DocsListEveryKey) {
  const std::string docs = read_text_file(CLOTHLAB_SOURCE_DIR "/docs/keys.md", 1 << 20);
  for (const Action& each : actions()) {
    const std::string keys = each.keys != nullptr ? each.keys : "";
    if (keys.empty()) continue;
    EXPECT_THAT(docs, HasSubstr("| " + keys + " | " + each.name)) << each.id;
  }
}

}  // namespace
}  // namespace clothlab
