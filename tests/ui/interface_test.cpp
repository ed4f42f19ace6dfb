// SPDX-License-Identifier: MIT
#include "interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "chart/font.h"
#include "integrate/registry.h"
#include "integrate/tableau.h"
#include "one_thread.h"
#include "sim/contact.h"
#include "sim/parameters.h"
#include "sim/simulation.h"
#include "ui/actions.h"
#include "ui/lanes.h"
#include "ui/widgets/parameter_row.h"
#include "ui/widgets/widgets.h"
#include "uniform_estimate.h"

namespace clothlab {
namespace {

using testing::Interface;
using testing::uniform_estimate;

bool overlap(const ImVec4& a, const ImVec4& b) {
  // Half a pixel of rounding is none.
  return a.x < b.z - 0.5F && b.x < a.z - 0.5F && a.y < b.w - 0.5F && b.y < a.w - 0.5F;
}

// The side panel fits 1280×720 (times the display's scale) with every tab and every integrator: all
// controls lie inside the window and do not overlap.
TEST(Interface, FitsTheSmallestSizeThatIsPromised) {
  for (const float scale : {1.0F, 1.5F, 2.0F}) {
    for (const IntegratorInfo& info : integrators()) {
      Scene scene = Interface::sheet();
      scene.integrator = info.id;
      Interface face(scene, scale);
      const float bottom = face.rect("stability").y;
      ASSERT_GT(bottom, 0);
      for (const char* tab : {"Scene", "Cloth", "World", "Contact", "Solver", "View"}) {
        SCOPED_TRACE(::testing::Message() << info.id << ", " << tab << ", scale " << scale);
        face.click(std::string("tab:") + tab);
        auto items = item_rects();
        items.erase("step-time");  // in the status bar
        EXPECT_GT(items.size(), 12U);
        for (const auto& [name, r] : items) {
          if (name == "stability") continue;
          EXPECT_GE(r.x, 0) << name;
          EXPECT_LE(r.z, face.width) << name;
          EXPECT_LE(r.w, bottom) << name;
          for (const auto& [other, o] : items) {
            if (name >= other || other == "stability") continue;
            EXPECT_FALSE(overlap(r, o)) << name << " and " << other;
          }
        }
      }
    }
  }
}

TEST(Interface, TheSidePanelGetsTheWidthToWhichItIsDragged) {
  Interface face;
  const auto view_width = [&] { return face.ui.view_area(face.width, face.height, face.view).width; };
  const auto drag = [&](float to) {
    const ImVec4 r = face.rect("panel-splitter");
    face.move((r.x + r.z) / 2, 300);
    face.button(true);
    face.move(to, 300);
    face.button(false);
    face.frame();
  };
  EXPECT_EQ(view_width(), face.width - kUsualPanelWidth);
  drag(700);
  EXPECT_NEAR(view_width(), 700, 4);
  drag(100);  // more than half of the window stays for the cloth and plots only
  EXPECT_NEAR(view_width(), 0.45F * face.width, 1);
  drag(1270);
  EXPECT_EQ(view_width(), face.width - kLeastPanelWidth);
  const ImVec4 r = face.rect("panel-splitter");
  face.move((r.x + r.z) / 2, 300);
  for (const bool down : {true, false, true, false}) face.button(down);
  EXPECT_EQ(view_width(), face.width - kUsualPanelWidth) << "a double click";
}

TEST(Interface, FitsANarrowAndAWidePanel) {
  for (const float width : {kLeastPanelWidth, 640.0F}) {
    for (const char* method : {"semi-implicit-euler", "generalized-alpha", "xpbd"}) {
      Scene scene = Interface::sheet();
      scene.integrator = method;
      Interface face(scene);
      face.view.panel_width = width;
      for (const Tab& tab : tabs()) {
        SCOPED_TRACE(::testing::Message() << width << ", " << method << ", " << tab.title);
        face.click(std::string("tab:") + tab.title);
        const float left = face.ui.view_area(face.width, face.height, face.view).width;
        for (const auto& [name, r] : item_rects()) {
          if (r.x < left) continue;  // in the view or the status bar
          EXPECT_LE(r.z, face.width) << name;
          for (const auto& [other, o] : item_rects()) {
            const float bottom = face.height - 28;  // of the panel; the rest of a tab is scrolled to
            if (name >= other || o.x < left || r.w > bottom || o.w > bottom) continue;
            EXPECT_FALSE(overlap(r, o)) << name << " and " << other;
          }
        }
      }
    }
  }
}

TEST(Interface, ShowsTheNumbersOfAContactModelThatHasSome) {
  Interface face;
  face.click("tab:Contact");
  EXPECT_GT(face.rect("contact").z, 0);
  EXPECT_LT(face.rect("contact-stiffness").z, 0);
}

TEST(Interface, ShowsWhatTheClothTouches) {
  Scene scene = Interface::sheet();
  {
    Interface bare(scene);
    bare.click("tab:Contact");
    EXPECT_LT(bare.rect("contact-pairs").z, 0) << "nothing to touch";
  }
  scene.floor.on = true;
  Interface face(scene);
  face.click("tab:Contact");
  const auto says = [&](const char* name) { return shown_texts()[name]; };
  EXPECT_EQ(says("contact-pairs"), "0 contacts, 0 sticking");
  ContactFigures& now = face.snapshot.frame.record.contacts;
  now.add({0, 0, true, 1e-20, 0, vec3(0, 1.5, 0), vec3(0)});
  now.add({1, 0, false, 2e-3, 0.5, vec3(0, 0.5, 0), vec3(0.2, 0, 0)});
  face.frame();
  EXPECT_EQ(says("contact-pairs"), "2 contacts, 1 sticking");
  EXPECT_EQ(says("contact-gap"), "0 m") << "rounding";
  EXPECT_EQ(says("contact-force"), "2 N");
  EXPECT_EQ(says("contact-friction"), "100 mW");
  EXPECT_EQ(says("contact-stiffness-now"), "–");
  now.stiffness = 157;
  face.frame();
  EXPECT_EQ(says("contact-stiffness-now"), "157 N/m");

  face.view.contacts = true;
  face.legend.contact = {glm::vec3(1), 0.1, 0.5};
  face.frame();
  EXPECT_EQ(says("legend:contacts"), "sticking contact: 10 cm = 500 mN");
  EXPECT_EQ(says("legend:intersections"), "");
  face.view.intersections = true;
  face.frame();
  EXPECT_EQ(says("legend:intersections"), "no triangles intersect");
  face.view.intersections = false;
  face.snapshot.frame.intersections = {2, 0, {0, 1, 5}, {}};  // at the start
  face.frame();
  EXPECT_EQ(says("legend:intersections"), "2 pairs of triangles intersect now");
}

// Also where the cloth has nothing but itself to touch.
TEST(Interface, ShowsTheContactsOfClothWithItself) {
  for (const ContactModel model : {ContactModel::filter, ContactModel::impulse}) {
    Scene scene = Interface::sheet();
    scene.contact.model = model;
    Interface face(scene);
    face.click("tab:Contact");
    EXPECT_EQ(item_rects().contains("contact-pairs"), model == ContactModel::impulse);
  }
}

// The arrows beside the list pass over methods that cannot run the scene.
void expect_arrows_to_reach_all(Scene scene) {
  std::set<std::string> seen;
  for (std::size_t k = 0; k < integrators().size(); ++k) {
    Interface face(scene);
    face.click("next-integrator");
    ASSERT_NE(face.last_command<SetIntegrator>(), nullptr);
    scene.integrator = face.last_command<SetIntegrator>()->id;
    EXPECT_TRUE(supports(scene, *find_integrator(scene.integrator))) << scene.integrator;
    seen.insert(scene.integrator);
  }
  const auto able =
      std::ranges::count_if(integrators(), [&](const IntegratorInfo& info) { return supports(scene, info); });
  EXPECT_LT(able, std::ssize(integrators()));
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(able));
}

TEST(Interface, ArrowsReachEveryMethodThatTakesContactByForces) {
  Scene scene = Interface::sheet();
  scene.contact.model = ContactModel::penalty;
  expect_arrows_to_reach_all(scene);
}

Scene sheet_with_a_distance() {
  Scene scene = Interface::sheet();
  scene.groups = {{.name = "bar", .vertices = {5, 10}, .obj_group = {}}};
  scene.drivers = {{"bar", GroupDistance{}}};
  return scene;
}

TEST(Interface, ArrowsReachEveryMethodThatKeepsDistances) {
  expect_arrows_to_reach_all(sheet_with_a_distance());
  Interface face(sheet_with_a_distance());
  for (std::size_t row = 0; row < integrators().size(); ++row) {
    face.snapshot.integrator = static_cast<std::uint16_t>(row);
    EXPECT_TRUE(takes_couplings(integrators()[next_new_method(face.snapshot)])) << row;
  }
}

// On a path and on a line a particle has no figure of its step, for different reasons.
TEST(Interface, TellsAPinFromAPathAndALine) {
  Scene scene = Interface::sheet();
  scene.groups = {{.name = "moved", .vertices = {5}, .obj_group = {}},
                  {.name = "ring", .vertices = {10}, .obj_group = {}},
                  {.name = "bar", .vertices = {6, 9}, .obj_group = {}}};
  scene.drivers = {{"moved", GroupPath{.keys = {{}}}}, {"ring", GroupLine{}}, {"bar", GroupDistance{}}};
  Interface face(scene);
  const std::vector<std::uint8_t>& pinned = face.snapshot.frame.pinned;
  EXPECT_EQ(pinned[5], 2);
  EXPECT_EQ(pinned[10], 3);
  EXPECT_EQ(pinned[6] + pinned[9], 0);
  EXPECT_EQ(std::ranges::count(pinned, 1), 2);
}

TEST(Interface, HasAControlForEveryParameter) {
  Scene scene = Interface::sheet();
  scene.material.strain_limit = 0.1;
  std::set<std::string> seen;
  for (const ContactModel model : {ContactModel::penalty, ContactModel::impulse, ContactModel::barrier}) {
    scene.contact.model = model;
    scene.material.kind = model == ContactModel::impulse ? MaterialKind::fabric : MaterialKind::springs;
    Interface face(scene);
    for (const char* tab : {"Scene", "Cloth", "World", "Contact", "Solver", "View"}) {
      face.click(std::string("tab:") + tab);
      for (const auto& [name, rect] : item_rects()) seen.insert(name);
    }
  }
  for (const SceneParameter& row : scene_parameters()) {
    if (row.spec.id == "seam-seconds")
      continue;  // of meshes with line elements: see the window's seams_close
    EXPECT_TRUE(seen.contains(std::string(row.spec.id))) << row.spec.id;
  }
  EXPECT_TRUE(seen.contains("gravity"));
}

TEST(Interface, HasAControlForWhatIsTheIntegratorsOwn) {
  int own = 0;
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = Interface::sheet();
    scene.integrator = info.id;
    Interface face(scene);
    for (const ParameterSpec& spec : info.parameters) {
      const ImVec4 r = face.rect(std::string(spec.id));
      EXPECT_GT(r.z, r.x) << spec.id;
      ++own;
    }
  }
  EXPECT_GT(own, 0);
}

TEST(Interface, AButtonTurnsVelocitiesRound) {
  Interface face;
  face.click("turn-round");
  EXPECT_NE(face.last_command<ReverseVelocities>(), nullptr);
}

TEST(Interface, AButtonTakesAStepBackWhereOneIsPossible) {
  for (const char* integrator : {"velocity-verlet", "bdf2"}) {
    Scene scene;
    scene.mesh = GridSource{4, 4, 1, 1};
    scene.integrator = integrator;
    Interface face(scene);
    face.click("step-back");
    EXPECT_EQ(face.last_command<StepBack>() != nullptr, scene.integrator == "velocity-verlet");
  }
}

TEST(Interface, ASliderKeepsTheSignOfANegativeStep) {
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  scene.dt = -0.01;
  Interface face(scene);
  const ImVec4 r = face.rect("dt");
  const float y = (r.y + r.w) / 2;
  face.move((r.x + r.z) / 2, y);
  face.button(true);
  face.move(r.z + 200, y);
  face.button(false);
  face.frame();
  const auto* set = face.last_command<SetParameter>();
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->id, "dt");
  EXPECT_LT(set->value, -0.01);
  EXPECT_GE(set->value, -1);
}

// A slider sends the ends of its span, and shows what was set unless the simulation refuses it.
TEST(Interface, SlidersSendTheEndsOfTheirSpan) {
  Interface face;
  face.click("tab:Cloth");
  const ImVec4 r = face.rect("stretch-stiffness");
  const float y = (r.y + r.w) / 2;
  face.move((r.x + r.z) / 2, y);
  face.button(true);
  face.move(r.z + 200, y);
  const auto* command = face.last_command<SetParameter>();
  ASSERT_NE(command, nullptr);
  EXPECT_EQ(command->id, "stretch-stiffness");
  const SliderSpan span = sensible_span(find_scene_parameter("stretch-stiffness")->spec, 1000, 1);
  EXPECT_EQ(command->value, span.high);
  face.move(r.x - 200, y);
  EXPECT_EQ(face.last_command<SetParameter>()->value, span.low);
  face.button(false);
  EXPECT_EQ(face.context().scene().material.stretch_stiffness, span.low);
  std::vector<std::uint64_t> refused;
  for (std::uint64_t stamp = 1000; stamp <= face.stamp; ++stamp) refused.push_back(stamp);
  face.edits->resolve(face.stamp, refused);
  EXPECT_EQ(face.context().scene().material.stretch_stiffness, 1000);
}

// Shift makes a slider ten times finer; its span does not move while it is dragged, and follows what is
// typed.
TEST(Interface, ASliderIsFineWithShiftAndFollowsTyping) {
  Interface face;
  face.click("tab:Cloth");
  const ParameterSpec& mass = find_scene_parameter("mass")->spec;
  const SliderSpan span = slider_spans().of(mass, 0.2);
  const ImVec4 r = face.rect("mass");
  const float knob = 6, left = r.x + knob, length = r.z - r.x - 2 * knob, y = (r.y + r.w) / 2;
  const auto at = [&](float share) {
    return std::floor(left + share * length);
  };  // whole pixels, as the mouse
  const auto share_of = [&](float x) { return static_cast<double>((x - left) / length); };
  const auto place = [&] { return slider_position(mass, span, face.last_command<SetParameter>()->value); };
  constexpr double kThreeDigits = 2e-3;  // of a value, in this span's 3.4 decades
  const float pressed = at(0.5F), moved = at(0.9F);
  face.move(pressed, y);
  face.button(true);
  EXPECT_NEAR(place(), share_of(pressed), kThreeDigits);
  ImGui::GetIO().KeyShift = true;
  face.move(moved, y);
  EXPECT_NEAR(place(), share_of(pressed) + 0.1 * (share_of(moved) - share_of(pressed)), kThreeDigits);
  ImGui::GetIO().KeyShift = false;
  face.move(r.z + 100, y);
  EXPECT_EQ(face.last_command<SetParameter>()->value, span.high);
  face.button(false);
  EXPECT_EQ(slider_spans().of(mass, span.high).high, span.high);

  face.click("mass#field");
  face.frame();
  face.type("2000");
  face.move(300, 200);
  face.button(true);
  face.button(false);
  EXPECT_EQ(face.last_command<SetParameter>()->value, 2000);
  face.frame();
  EXPECT_GT(slider_spans().of(mass, 2000).high, 2000);
}

// However small the window, a logarithmic slider is long enough to be set by hand.
TEST(Interface, LogarithmicSlidersAreLongInEveryWindow) {
  for (const auto& [scale, width, height] :
       {std::array{1.0F, 1280.0F, 720.0F}, {1.0F, 640.0F, 400.0F}, {2.0F, 640.0F, 360.0F}}) {
    Interface face(Interface::sheet(), scale, width, height);
    std::size_t seen = 0;
    const auto check = [&] {
      for (int i = 0; i < 3; ++i) face.frame();
      for (const auto& [name, r] : item_rects()) {
        const ParameterSpec* spec = find_parameter_spec(name);
        const bool slides = spec != nullptr && spec->logarithmic;
        if (!slides && name != "speed" && name != "gravity" && name != "history-memory") continue;
        EXPECT_GE(r.z - r.x, 140 * scale - 1) << name << ", " << width << " at scale " << scale;
        EXPECT_LE(r.z, face.width) << name;
        ++seen;
      }
    };
    for (const char* tab : {"Cloth", "World", "Contact", "Solver", "View"}) {
      face.ui.open_tab(tab);
      check();
    }
    for (const IntegratorInfo& info : integrators()) {
      face.edits->record(SetIntegrator{std::string(info.id)});
      check();
    }
    EXPECT_GT(seen, 40U);
  }
}

TEST(Interface, ObstaclesAreAddedChangedAndRemoved) {
  Interface face;
  face.click("tab:Contact");
  const auto bodies = [&] {
    const auto* sent = face.last_command<SetObstacles>();
    return sent == nullptr ? std::vector<Obstacle>() : sent->bodies;
  };
  face.click("add-sphere");
  ASSERT_EQ(bodies().size(), 1u);
  for (const vec3& p : face.snapshot.frame.positions)
    EXPECT_GT(glm::distance(p, bodies()[0].from), bodies()[0].radius) << "the cloth is not inside";
  face.frame();
  face.click("obstacle1:centre:y");
  face.type("-2");
  face.click("obstacle1:centre:z");
  EXPECT_EQ(bodies()[0].from.y, -2);
  EXPECT_EQ(bodies()[0].to, bodies()[0].from);
  for (const char* again : {"add-sphere", "add-sphere", "add-capsule"}) {
    face.frame();
    face.click(again);
  }
  ASSERT_EQ(bodies().size(), 4u);
  const auto middle = [&](std::size_t k) { return (bodies()[k].from + bodies()[k].to) / 2.0; };
  for (const std::size_t k : {1, 2, 3})
    EXPECT_GE(glm::distance(middle(k), middle(k - 1)), bodies()[k].radius + bodies()[k - 1].radius)
        << "beside it";
  EXPECT_EQ(bodies()[3].shape, Obstacle::Shape::capsule);
  for (std::size_t left = 3; left > 0; --left) {
    face.frame();
    face.click("obstacle1:remove");
    ASSERT_EQ(bodies().size(), left);
  }
  EXPECT_EQ(bodies()[0].shape, Obstacle::Shape::capsule);
}

TEST(Interface, EveryKindOfObstacleHasItsNumbers) {
  Interface face;
  face.click("tab:Contact");
  const auto last = [&] { return face.last_command<SetObstacles>()->bodies.back(); };
  const auto type = [&](const char* field, const char* text) {
    face.frame();
    face.click(field);
    face.type(text);
    face.move(300, 200);
    face.button(true);  // a click elsewhere ends the typing
    face.button(false);
    return last();
  };
  const auto put_below = [&](const char* add) {
    face.frame();
    if (face.last_command<SetObstacles>() != nullptr) face.click("obstacle1:remove");
    face.frame();
    face.click(add);
    for (const vec3& p : face.snapshot.frame.positions) {
      const SurfacePoint place = closest_point(last(), p);
      EXPECT_GT(place.height, place.level) << add;
    }
  };
  put_below("add-plane");
  EXPECT_EQ(last().shape, Obstacle::Shape::plane);
  EXPECT_EQ(type("obstacle1:normal:x", "-3").normal.x, -3);
  EXPECT_EQ(type("obstacle1:offset#field", "-2.5").offset, -2.5);
  put_below("add-box");
  EXPECT_EQ(last().shape, Obstacle::Shape::box);
  EXPECT_EQ(type("obstacle1:size:y", "0.75").size.y, 0.75);
  EXPECT_EQ(type("obstacle1:size:y", "-1").size.y, 0.75) << "no box has such a side";
  EXPECT_EQ(type("obstacle1:centre:z", "2").to.z, 2);
  put_below("add-cylinder");
  EXPECT_EQ(last().shape, Obstacle::Shape::cylinder);
  EXPECT_EQ(type("obstacle1:to:x", "0.25").to.x, 0.25);
  EXPECT_EQ(type("obstacle1:radius#field", "0.125").radius, 0.125);
  face.frame();
  face.click("add-mesh");
  EXPECT_NE(face.last_request<ChooseMeshObstacle>(), nullptr);
}

TEST(Interface, TypedValuesAreTakenAndClamped) {
  Interface face;
  const auto type_dt = [&](const char* text) {
    face.click("dt#field");
    face.frame();
    face.type(text);
    face.move(300, 200);
    face.button(true);  // a click elsewhere ends the typing
    face.button(false);
    return face.last_command<SetParameter>() != nullptr ? face.last_command<SetParameter>()->value : -1;
  };
  EXPECT_EQ(type_dt("2 ms"), 2 * 1e-3);
  EXPECT_EQ(type_dt("1/50 s"), 1.0 / 50);
  EXPECT_EQ(type_dt("nonsense"), 1.0 / 50);
  EXPECT_EQ(type_dt("1e12 s"), find_scene_parameter("dt")->spec.max);
}

// What is refused or clamped is explained below the field, which keeps the keyboard; Esc gives up.
TEST(Interface, AFieldExplainsWhatItRefuses) {
  Interface face;
  const auto explained = [&] { return shown_texts()["field-note"]; };
  const auto sent = [&] { return face.last_command<SetParameter>()->value; };
  const auto enter = [&](const char* text) {
    face.type(text);
    face.field_key(ImGuiKey_Enter);
  };
  face.click("dt#field");
  face.frame();
  enter("20 us");
  EXPECT_EQ(sent(), 20e-6);
  EXPECT_EQ(explained(), "");
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);

  face.click("dt#field");
  face.frame();
  enter("5 kg");
  EXPECT_EQ(sent(), 20e-6);
  EXPECT_TRUE(explained().starts_with("'5 kg' is not in s.")) << explained();
  EXPECT_GE(face.rect("field-note").y, face.rect("dt#field").w);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "the field keeps the keyboard";
  enter("1/60");
  EXPECT_EQ(sent(), 1.0 / 60) << "what is typed next is typed into it";
  EXPECT_EQ(explained(), "");

  face.click("dt#field");
  face.frame();
  enter("2e10 s");
  EXPECT_EQ(sent(), 1e10);
  EXPECT_EQ(explained(), "'2e10 s' is above the largest value; set to 1e10 s.");
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  enter("soon");
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  face.field_key(ImGuiKey_Escape);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  EXPECT_EQ(explained(), "");
  EXPECT_EQ(sent(), 1e10);

  // A click elsewhere ends the typing; the explanation stays until the next one.
  face.click("dt#field");
  face.frame();
  face.type("soon");
  face.click("mass#field");
  EXPECT_TRUE(explained().starts_with("'soon' is not a number.")) << explained();
  face.click("mass#field");
  EXPECT_EQ(explained(), "");
}

// Every control without effect is dimmed and says why; all others are not.
TEST(Interface, ControlsWithoutEffectSayWhy) {
  for (const char* method : {"rk4", "backward-euler"}) {
    Scene scene = Interface::sheet();
    scene.integrator = method;
    Interface face(scene);
    std::size_t dimmed = 0;
    for (const char* tab : {"Cloth", "World", "Contact", "Solver"}) {
      face.click(std::string("tab:") + tab);
      for (const SceneParameter& row : scene_parameters()) {
        if (!item_rects().contains(row.spec.id)) continue;
        const std::string why = why_without_effect(scene, row.spec.id, false);
        EXPECT_EQ(shown_texts()[std::string(row.spec.id) + "#without-effect"], why) << row.spec.id;
        dimmed += why.empty() ? 0 : 1;
      }
    }
    EXPECT_GT(dimmed, 10U);
    face.click("tab:World");
    const ImVec4 r = face.rect("wind-speed");
    face.move((r.x + r.z) / 2, (r.y + r.w) / 2);
    for (int i = 0; i < 40; ++i) face.frame();
    EXPECT_TRUE(shown_texts()["tooltip"].starts_with("No effect now: The wind is off.\n\n"));
    face.click("wind-speed#field");
    face.frame();
    face.type("7");
    face.field_key(ImGuiKey_Enter);
    ASSERT_NE(face.last_command<SetParameter>(), nullptr) << "it can be set before";
    EXPECT_EQ(face.last_command<SetParameter>()->value, 7);
  }
}

TEST(Interface, TheListOfScenesHasGroupsAndTheFreeHeight) {
  const auto height_of_list = [](float height) {
    Interface face(Interface::sheet(), 1, 1280, height);
    for (int k = 0; k < 31; ++k) {
      Scene scene = Interface::sheet();
      scene.title += " " + std::to_string(k);
      face.scenes.push_back({scene, {}, std::to_string(k), {}, k < 8 ? "Basics" : "Methods"});
    }
    for (int i = 0; i < 5; ++i) face.frame();
    EXPECT_GT(face.rect("scene:0").y, face.rect("scene-group:Basics").y);
    EXPECT_GT(face.rect("scene-group:Methods").y, face.rect("scene:7").y);
    EXPECT_LT(face.rect("scene-group:Methods").y, face.rect("scene:8").y);
    face.click("scene:3");
    EXPECT_NE(face.last_request<OpenScene>(), nullptr);
    const ImVec4 list = face.rect("scene-list");
    if (height > 1300) {
      EXPECT_GE(list.w, face.rect("scene:30").w) << "all of them are in view";
    }
    return list.w - list.y;
  };
  const float low = height_of_list(720), middle = height_of_list(1000), high = height_of_list(1400);
  EXPECT_GT(low, 150);
  EXPECT_GT(middle, low + 200) << "it takes what is left";
  EXPECT_LT(high, 900) << "and no more than it needs";
}

TEST(Interface, TheListOfScenesFollowsTheScene) {
  Interface face;
  for (int k = 0; k < 31; ++k) {
    Scene scene = Interface::sheet();
    scene.title = "Scene " + std::to_string(k);
    face.scenes.push_back({scene, {}, std::to_string(k), {}, "Basics"});
  }
  for (const int k : {30, 0, 15}) {
    face.snapshot.loaded = std::make_shared<const LoadedScene>(load_scene(face.scenes[k].scene));
    for (int i = 0; i < 4; ++i) face.frame();
    const ImVec4 list = face.rect("scene-list"), row = face.rect("scene:" + std::to_string(k));
    EXPECT_GE(row.y, list.y) << k;
    EXPECT_LE(row.w, list.w) << k;
  }
}

TEST(Interface, AButtonShowsTheInstruments) {
  for (const auto& [width, height] : {std::pair{1280.0F, 720.0F}, {800.0F, 600.0F}}) {
    Interface face(Interface::sheet(), 1, width, height);
    const ImVec4 button = face.rect("plot0:instruments");
    ASSERT_GT(button.z, button.x);
    EXPECT_FALSE(overlap(button, face.rect("plot0:More")));
    face.click("plot0:instruments");
    face.frame();
    face.click("plot0:instruments:Stability");
    EXPECT_EQ(face.view.plots_layout.chosen[0], PlotKind::stability);
  }
}

TEST(Interface, HIsMarkedAsSharedByAllLanes) {
  Scene scene = Interface::sheet();
  scene.dt = 0.01;
  Interface face(scene);
  EXPECT_FALSE(item_rects().contains("shared-step"));
  LaneSnapshot& other = face.snapshot.others.emplace_back();
  other.lane = 1;
  other.frame = face.snapshot.frame;
  other.plot = face.snapshot.plot;
  face.frame();
  EXPECT_EQ(shown_texts()["shared-step"], "No lane uses substeps.");
  auto divided = std::make_shared<Scene>(scene);
  divided->substeps = 4;
  other.frame.scene = divided;
  face.frame();
  EXPECT_EQ(shown_texts()["shared-step"], "Substeps: A 1, B 4 of 2.5 ms.");
}

// The tab below has it, whole.
TEST(Interface, TheMethodIsExplainedOnce) {
  Interface face;
  EXPECT_TRUE(item_rects().contains("explain"));
  face.click("tab:Method");
  face.frame();
  EXPECT_FALSE(item_rects().contains("explain"));
}

TEST(Interface, TheTooltipOfATabIsAboveIt) {
  Interface face;
  for (const char* tab : {"tab:Cloth", "tab:Contact", "tab:Method"}) {
    const ImVec4 r = face.rect(tab);
    face.move((r.x + r.z) / 2, (r.y + r.w) / 2);
    for (int i = 0; i < 40; ++i) face.frame();
    ASSERT_TRUE(item_rects().contains("tooltip")) << tab;
    EXPECT_LE(face.rect("tooltip").w, r.y) << tab;
  }
}

// The moment of the key press, not that of the answer to the dialog.
TEST(Interface, AMomentIsKeptWhenItsKeyIsPressed) {
  {
    Interface face;
    EXPECT_TRUE(face.ui.on_key({Key::none, 'S', true, true, false}, false, face.context()));
    ASSERT_NE(face.last_request<KeepForSaving>(), nullptr);
    EXPECT_EQ(face.last_request<KeepForSaving>()->purpose, FilePurpose::save_moment);
    EXPECT_EQ(face.last_request<FileRequest>(), nullptr);
    EXPECT_TRUE(face.ui.dialog_open());
  }
  Interface face;
  face.click("export");
  face.frame();
  face.click("save-bundle");
  ASSERT_NE(face.last_request<KeepForSaving>(), nullptr);
  EXPECT_EQ(face.last_request<KeepForSaving>()->purpose, FilePurpose::save_bundle);
}

// Only the keys that edit a field are left to it.
TEST(Interface, KeysWithCtrlActWhileAFieldHasTheKeyboard) {
  Interface face;
  const auto press = [&](char character) {
    return face.ui.on_key({Key::none, character, true, false, false}, true, face.context());
  };
  for (const char editing : std::string_view("ACVXYZ")) EXPECT_FALSE(press(editing)) << editing;
  EXPECT_FALSE(face.ui.on_key({Key::backspace, 0, true, false, false}, true, face.context()));
  face.recording.shown = true;
  EXPECT_TRUE(press('R'));
  EXPECT_NE(face.last_request<StopRecording>(), nullptr);
  EXPECT_TRUE(press('J'));
  EXPECT_NE(face.last_request<SaveJournal>(), nullptr);
}

TEST(Interface, TheKeyOfARecordingKeepsItsOpenDialog) {
  Interface face;
  face.press(Key::none, 'R', true);
  for (int i = 0; i < 3; ++i) face.frame();
  face.click("record-folder");
  face.type("/somewhere/else");
  face.move(3, 3);
  face.button(true);  // the field gives up the keyboard
  face.button(false);
  face.press(Key::none, 'R', true);
  face.frame();
  face.press(Key::enter);
  face.frame();
  ASSERT_NE(face.last_request<StartRecording>(), nullptr);
  EXPECT_NE(face.last_request<StartRecording>()->folder.string().find("/somewhere/else"), std::string::npos);
}

TEST(Interface, SeveralLanesOfferAComparisonVideo) {
  Interface face;
  face.view.recording = {.pictures = false};
  const auto open = [&] {
    face.press(Key::none, 'R', true);
    for (int i = 0; i < 3; ++i) face.frame();
    return item_rects().contains("record-comparison") && item_rects().contains("record-plot");
  };
  EXPECT_FALSE(open());
  face.press(Key::escape);
  LaneSnapshot& other = face.snapshot.others.emplace_back();
  other.lane = 1;
  other.frame = face.snapshot.frame;
  other.plot = face.snapshot.plot;
  EXPECT_TRUE(open());
  face.press(Key::enter);
  face.frame();
  EXPECT_EQ(face.last_request<StartRecording>(), nullptr) << "nothing to record";
  face.click("record-comparison");
  face.click("start-recording");
  face.frame();
  ASSERT_NE(face.last_request<StartRecording>(), nullptr);
  EXPECT_TRUE(face.last_request<StartRecording>()->settings.comparison);
}

TEST(Interface, TheErrorOfALoadGoesWithTheNextScene) {
  Interface face;
  face.ui.show_message_of(face.snapshot.loaded, "bad.obj has no faces.", true);
  face.frame();
  EXPECT_TRUE(item_rects().contains("message"));
  face.snapshot.loaded = std::make_shared<const LoadedScene>(load_scene(Interface::sheet()));
  face.frame();
  face.frame();
  EXPECT_FALSE(item_rects().contains("message"));
}

// Until its answer is carried out, which may wait for the question about unsaved changes.
TEST(Interface, TheOfferOfASessionReturnsAfterACancelledQuestion) {
  Interface face;
  face.ui.session_offer().ask({{"Scene", "A flag"}});
  face.frame();
  const auto answers = [&] {
    return std::ranges::count_if(
        face.requests, [](const AppRequest& each) { return std::holds_alternative<AnswerSession>(each); });
  };
  face.ui.on_key({Key::enter}, false, face.context());
  face.ui.on_key({Key::enter}, false, face.context());
  EXPECT_EQ(answers(), 1) << "two keys before the next picture";
  face.ui.question().ask("Mass 1 → 2 kg");
  face.frame();
  EXPECT_FALSE(item_rects().contains("session-restore")) << "behind the question";
  face.press(Key::escape);
  EXPECT_NE(face.last_request<AnswerUnsaved>(), nullptr);
  EXPECT_EQ(answers(), 1) << "Esc belongs to the question";
  face.frame();
  EXPECT_TRUE(item_rects().contains("session-restore"));
  face.press(Key::enter);
  EXPECT_EQ(answers(), 2);
  face.ui.session_offer().close();
  face.frame();
  EXPECT_FALSE(face.ui.dialog_open());
}

TEST(Interface, ANoticeOfAMeshGoesWithIt) {
  Interface face;
  const auto next = std::make_shared<const LoadedScene>(load_scene(Interface::sheet()));
  face.ui.show_message_of(next, "6 pairs of triangles intersect at the start.");
  face.frame();
  EXPECT_TRUE(item_rects().contains("message")) << "its scene is not shown yet";
  const auto first = face.snapshot.loaded;
  face.snapshot.loaded = next;
  face.frame();
  face.frame();
  EXPECT_TRUE(item_rects().contains("message"));
  face.snapshot.loaded = first;
  face.frame();
  face.frame();
  EXPECT_FALSE(item_rects().contains("message"));
}

TEST(Interface, ANoticeOfARunGoesWhereTheRunGoesBack) {
  Interface face;
  face.snapshot.frame.record.time = 2;
  face.frame();
  face.snapshot.message = "A stretch spring is strained by 60 %.";
  face.snapshot.messages = 1;
  face.frame();
  face.frame();
  EXPECT_TRUE(item_rects().contains("message"));
  face.snapshot.frame.record.time = 1;
  face.frame();
  face.frame();
  EXPECT_FALSE(item_rects().contains("message"));
}

TEST(Interface, AMessageOfTheMomentShownGoesWithIt) {
  Interface face;
  face.snapshot.replay = ReplayPosition{0, 2, 0.1};
  face.frame();
  face.snapshot.message = "Space goes on from the moment shown.";
  face.snapshot.messages = 1;
  face.frame();
  face.frame();
  EXPECT_TRUE(item_rects().contains("message"));
  face.snapshot.replay.reset();
  face.frame();
  face.frame();
  EXPECT_FALSE(item_rects().contains("message"));
}

TEST(Interface, ObstaclesHaveUnits) {
  Interface face;
  face.click("tab:Contact");
  face.click("add-box");
  face.frame();
  const auto enter = [&](const char* field, const char* text) {
    face.click(field);
    face.frame();
    face.type(text);
    face.field_key(ImGuiKey_Enter);
    return face.last_command<SetObstacles>()->bodies.back();
  };
  EXPECT_EQ(enter("obstacle1:centre:x", "12 cm").from.x, 0.12);
  EXPECT_EQ(enter("obstacle1:turn:y", "45°").turn.y, 45);
  EXPECT_EQ(enter("obstacle1:turn:y", "360/8").turn.y, 45);
  EXPECT_NE(enter("obstacle1:size:y", "-1 m").size.y, -1);
  EXPECT_EQ(shown_texts()["field-note"], "Each side of an obstacle must be 1e-04 to 1000 m.");
}

TEST(Interface, TheDefaultButtonSendsTheDefault) {
  Scene scene = Interface::sheet();
  scene.dt = 0.001;
  Interface face(scene);
  face.click("dt#default");
  ASSERT_NE(face.last_command<SetParameter>(), nullptr);
  EXPECT_EQ(face.last_command<SetParameter>()->value, find_scene_parameter("dt")->spec.fallback);
}

TEST(Interface, KeysSwitchTheIntegratorUnlessOneTypes) {
  Interface face;
  const std::size_t start = face.context().integrator();
  EXPECT_TRUE(face.press(Key::none, '1'));
  ASSERT_NE(face.last_command<SetIntegrator>(), nullptr);
  EXPECT_EQ(face.last_command<SetIntegrator>()->id, integrators()[0].id);
  EXPECT_TRUE(face.press(Key::none, '.'));
  EXPECT_EQ(face.last_command<SetIntegrator>()->id, integrators()[1].id);
  EXPECT_TRUE(face.press(Key::none, ','));
  EXPECT_EQ(face.last_command<SetIntegrator>()->id, integrators()[0].id);
  ASSERT_NE(start, 0U);

  const std::size_t sent = face.sent.size();
  face.click("dt#field");
  face.frame();
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  EXPECT_FALSE(face.press(Key::none, '2'));
  EXPECT_FALSE(face.press(Key::space));
  EXPECT_EQ(face.sent.size(), sent);
}

TEST(Interface, EveryKeyIsListedAndDoesSomething) {
  for (const Action& action : actions()) {
    if (!action.key.exists()) continue;
    Interface face;
    face.view.interface_scale = 1.1F;
    LaneSnapshot& other = face.snapshot.others.emplace_back();
    other.lane = 1;
    other.frame = face.snapshot.frame;
    other.plot = face.snapshot.plot;
    const ViewSettings before = face.view;
    EXPECT_TRUE(
        face.ui.on_key({action.key.key, action.key.character, action.key.ctrl, action.key.shift, false},
                       false, face.context()));
    const bool acted = !face.sent.empty() || !face.requests.empty() || face.ui.dialog_open() ||
                       before.wireframe != face.view.wireframe || before.heat_map != face.view.heat_map ||
                       before.ground != face.view.ground || before.plots != face.view.plots ||
                       before.explain != face.view.explain || before.lanes != face.view.lanes ||
                       before.interface_scale != face.view.interface_scale;
    EXPECT_TRUE(acted) << action.id;
    face.frame();
  }
}

TEST(Interface, TheViewTabSwitchesWhatIsShown) {
  Interface window;
  window.click("tab:View");
  const struct {
    const char* name;
    bool ViewSettings::*value;
  } toggles[] = {{"weave", &ViewSettings::weave},
                 {"wireframe", &ViewSettings::wireframe},
                 {"pins", &ViewSettings::pins},
                 {"particles", &ViewSettings::particles},
                 {"stretch-springs", &ViewSettings::stretch_springs},
                 {"bend-springs", &ViewSettings::bend_springs},
                 {"velocities", &ViewSettings::velocities},
                 {"forces", &ViewSettings::forces},
                 {"contacts", &ViewSettings::contacts},
                 {"intersections", &ViewSettings::intersections},
                 {"heat-map", &ViewSettings::heat_map},
                 {"ground", &ViewSettings::ground}};
  for (const auto& toggle : toggles) {
    const bool before = window.view.*toggle.value;
    window.click(toggle.name);
    EXPECT_NE(window.view.*toggle.value, before) << toggle.name;
  }
  window.click("theme");
  window.click("theme:light");
  EXPECT_EQ(window.view.theme, Theme::light);
  window.click("text-size");
  window.click("text-size:150 %");
  EXPECT_FLOAT_EQ(window.view.interface_scale, 1.5F);
}

// The same lines as docs/integrators.md, which is made of card_lines() too. They are docked in the panel.
TEST(Interface, TheMethodTabExplainsTheIntegratorAtEverySize) {
  for (const float scale : {1.0F, 1.5F, 2.0F}) {
    for (const float width : {1280 / scale, 1280.0F}) {  // a small window on a dense display, and a large one
      Interface face(Interface::sheet(), scale, width, width * 720 / 1280);
      const Area view = face.ui.view_area(face.width, face.height, face.view);
      face.click("explain-button");
      for (int i = 0; i < 4; ++i) face.frame();
      EXPECT_TRUE(face.view.explain);
      EXPECT_EQ(face.ui.tab(), "Method");
      for (const CardLine& line :
           card_lines(integrators()[face.context().integrator()], face.context().own_parameters(),
                      face.context().scene().solver)) {
        const ImVec4 r = face.rect("explain:" + std::string(line.title));
        EXPECT_GT(r.z, r.x) << line.title;
        EXPECT_GE(r.x, view.width) << line.title << " lies over the cloth";
        EXPECT_LE(r.z, face.width) << line.title;
      }
    }
  }
}

TEST(WorldPanel, ShowsErrorAndForceOfTheDistancesThatAreOn) {
  Scene scene = Interface::sheet();  // its springs along x are 1/3 m long
  scene.material.gravity = vec3(0);
  scene.groups = {{.name = "longer", .vertices = {1, 2}, .obj_group = {}},
                  {.name = "unused", .vertices = {5, 6}, .obj_group = {}},
                  {.name = "shorter", .vertices = {9, 10}, .obj_group = {}}};
  scene.drivers = {{"longer", GroupDistance{0.4}},
                   {"unused", GroupDistance{0.3}, false},
                   {"shorter", GroupDistance{0.25}}};
  Interface face(scene);
  face.click("tab:World");
  for (int i = 0; i < 2; ++i) face.frame();
  auto& texts = shown_texts();
  EXPECT_EQ(texts.at("driver0"), "Now 400 mm, error within rounding.") << "before a step there is no force";
  EXPECT_FALSE(texts.contains("driver1"));
  std::vector<vec3>& now = face.snapshot.frame.positions;
  now[10] = now[9] + vec3(0.36, 0, 0);
  face.frame();
  EXPECT_EQ(texts.at("driver2"), "Now 360 mm, error 110 mm.");

  Simulation run(scene, face.snapshot.frame.mesh, one_thread());
  for (int i = 0; i < 20; ++i) ASSERT_EQ(run.step(one_thread()), StepStatus::done);
  ASSERT_EQ(run.distance_forces().size(), 2u);
  capture(run, run.shared_scene(), face.snapshot.frame);
  face.frame();
  const auto force = [&](std::size_t k) {
    return format_quantity(std::abs(run.distance_forces()[k]), "N") + ".";
  };
  EXPECT_NE(force(0), force(1));
  const auto are_shown = [&] {
    EXPECT_THAT(texts.at("driver0"), ::testing::StartsWith("Now 400 mm, error "));
    EXPECT_THAT(texts.at("driver0"), ::testing::EndsWith(", compression " + force(0)));
    EXPECT_FALSE(texts.contains("driver1"));
    EXPECT_THAT(texts.at("driver2"), ::testing::StartsWith("Now 250 mm, error "));
    EXPECT_THAT(texts.at("driver2"), ::testing::EndsWith(", tension " + force(1)));
  };
  are_shown();
  // The run keeps its figures until it applies a change.
  face.click("driver0");
  face.frame();
  ASSERT_FALSE(face.context().scene().drivers[0].on);
  are_shown();
}

TEST(TableauDialog, NamesAChangedPresetAndTheCellThatIsTooLong) {
  Scene scene = Interface::sheet();
  set_integrator(scene, tableau_method(tableau_preset("kutta3")).info);
  Interface face(scene);
  face.view.edit_tableau = true;
  for (int i = 0; i < 3; ++i) face.frame();
  face.click("b:3");
  face.type(std::string(kLongestCell, '0') + "1");
  EXPECT_EQ(shown_texts().at("tableau-fault"),
            "The tableau has 61 characters in b, column 3; at most 60 are allowed in a cell.");
  face.click("b:3");
  face.type("1/3 - 1/6");  // the same number, written in another way
  EXPECT_THAT(shown_texts().at("tableau-facts"), ::testing::HasSubstr("Order 3"));
  face.click("use-tableau");
  const auto* set = face.last_command<SetTableau>();
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->tableau->tableau.name, "Kutta 3, changed");
}

TEST(Timeline, ItsLabelEndsBeforeTheSlider) {
  for (const double h : {0.000152, 0.00154, 1.0 / 60}) {
    Scene scene = Interface::sheet();
    scene.dt = h;
    Interface face(scene);
    for (const double span : {82 * h, 12.5, 1234.5, 98765.0, 1.23e7}) {
      face.snapshot.kept = {0, span, 300, 1 << 20};
      face.snapshot.replay.reset();
      face.frame();
      const float slider = face.rect("scrub").x;
      EXPECT_LT(face.rect("kept").z, slider) << shown_texts().at("kept");
      for (const double back : {h, span / 3, span}) {
        face.snapshot.replay = ReplayPosition{.time = span - back};
        face.frame();
        EXPECT_EQ(face.rect("scrub").x, slider) << shown_texts().at("kept");
        EXPECT_LT(face.rect("kept").z, slider) << shown_texts().at("kept");
      }
    }
  }
}

TEST(Interface, ETurnsToTheMethodTabAndBack) {
  Interface face;
  face.click("tab:World");
  const auto press = [&] {
    EXPECT_TRUE(face.press(Key::none, 'E'));
    for (int i = 0; i < 3; ++i) face.frame();
    return face.ui.tab();
  };
  EXPECT_EQ(press(), "Method");
  EXPECT_EQ(press(), "World");
  EXPECT_EQ(press(), "Method");
  face.click("tab:View");
  EXPECT_FALSE(face.view.explain);
  EXPECT_EQ(press(), "Method");
  EXPECT_EQ(press(), "View");
}

// Whatever parameters a method has, and however long its name is.
TEST(Interface, NothingInThePanelMovesWhenTheMethodChanges) {
  for (const auto& [width, height] : {std::pair{1280.0F, 720.0F}, {640.0F, 400.0F}, {2560.0F, 720.0F}}) {
    Interface face(Interface::sheet(), 1, width, height);
    const auto places = [&] {
      std::vector<float> all;
      for (const char* name : {"integrator", "next-integrator", "explain-button", "dt", "dt#field", "speed",
                               "tab:Scene", "tab:View", "scene-list", "stability"}) {
        const ImVec4 r = face.rect(name);
        all.insert(all.end(), {r.x, r.y, std::string(name) == "stability" ? r.x : r.z, r.w});
      }
      return all;
    };
    const std::vector<float> before = places();
    for (std::size_t i = 0; i < integrators().size(); ++i) {
      face.press(Key::none, '.');
      for (int k = 0; k < 3; ++k) face.frame();
      EXPECT_EQ(places(), before) << integrators()[face.context().integrator()].id << " at " << width;
      const ImVec4 own = face.rect("explain");
      EXPECT_LE(own.w, face.rect("tab:Scene").y) << integrators()[face.context().integrator()].id;
    }
  }
}

TEST(Interface, TheMethodListShowsAllMethodsFamilyByFamily) {
  for (const auto& [scale, width, height] :
       {std::array{1.0F, 1280.0F, 720.0F}, {1.0F, 640.0F, 400.0F}, {2.0F, 1280.0F, 720.0F}}) {
    Interface face(Interface::sheet(), scale, width, height);
    const bool scrolls = height < 500;
    face.click("integrator");
    for (int i = 0; i < 3; ++i) face.frame();
    const ImVec4 closed = face.rect("integrator");
    float last = closed.w;
    for (const std::size_t row : methods_by_family()) {
      const ImVec4 r = face.rect("integrator:" + std::string(integrators()[row].id));
      EXPECT_GE(r.y, last) << integrators()[row].id;
      EXPECT_GE(r.x, 0);
      EXPECT_LE(r.z, face.width);
      EXPECT_TRUE(scrolls || r.w <= face.height) << integrators()[row].id;
      last = r.w;
    }
    face.click("integrator:rk4");
    EXPECT_EQ(face.last_command<SetIntegrator>()->id, "rk4");
  }
}

// Notices stand below the cloth, however long they are.
TEST(Interface, NoticesStayOffTheCloth) {
  const std::string sentence =
      "\"a folder/with a rather long name/of a mesh that is not one.obj\", line 12345: the face names vertex "
      "99999, and there are 4 vertices up to there. Faces may only name vertices that the file has, counted "
      "from 1 or, negative, from the end.";
  for (const auto& [width, height] : {std::pair{1280.0F, 720.0F}, {640.0F, 400.0F}, {2560.0F, 720.0F}}) {
    for (const bool plots : {true, false}) {
      Interface face(Interface::sheet(), 1, width, height);
      face.view.plots = plots;
      for (int i = 0; i < 3; ++i) face.frame();
      const auto expect_below = [&](const char* name) {
        for (int i = 0; i < 3; ++i) face.frame();
        const Area view = face.ui.view_area(face.width, face.height, face.view);
        const ImVec4 r = face.rect(name);
        EXPECT_GT(r.z, r.x) << name;
        EXPECT_GE(r.y, view.y + view.height) << name;
        const ImVec4 slider = face.rect("scrub");
        EXPECT_TRUE(r.w <= slider.y || r.y >= slider.w) << name << " hides the time slider";
        EXPECT_GE(r.x, view.x) << name;
        EXPECT_LE(r.z, view.x + view.width) << name;
      };
      expect_below("close-hints");
      face.ui.show_message(sentence, true);
      expect_below("message");
      expect_below("close-message");
      face.press(Key::escape);
      face.load = {true, "a mesh with a long name that nobody would type.obj", 0.3, "finding modes"};
      expect_below("cancel-load");
      face.load = {};
      face.recording.shown = true;
      face.recording.folder = "/tmp/a folder";
      expect_below("stop-recording");
      face.recording.progress.finished = true;
      face.recording.progress.frames = 14;
      for (const char* name : {"copy-video-command", "copy-folder", "close-recording"}) expect_below(name);
    }
  }
}

// A tooltip stands beside its control, wherever that is, and in the window.
TEST(Interface, TooltipsDoNotCoverTheirControls) {
  for (const auto& [width, height] : {std::pair{1280.0F, 720.0F}, {640.0F, 400.0F}}) {
    Interface face(Interface::sheet(), 1, width, height);
    ImGui::GetIO().DeltaTime = 0.3F;
    int shown = 0;
    for (const char* tab : {"Cloth", "World", "Contact", "Solver", "View"}) {
      face.ui.open_tab(tab);
      for (int i = 0; i < 3; ++i) face.frame();
      const ItemRects items = item_rects();
      for (const auto& [name, r] : items) {
        const float x = (r.x + r.z) / 2, y = (r.y + r.w) / 2;
        if (y < 0 || y > face.height - 28) continue;  // scrolled out of sight
        face.move(x, y);
        for (int i = 0; i < 3; ++i) face.frame();
        const ImVec4 tip = face.rect("tooltip");
        if (tip.x < 0) continue;
        ++shown;
        EXPECT_FALSE(overlap({tip.x - 10, tip.y - 8, tip.z + 10, tip.w + 8}, r)) << name << " at " << width;
        EXPECT_GE(tip.x, 0) << name;
        EXPECT_GE(tip.y, 0) << name;
        EXPECT_LE(tip.z, face.width) << name;
        EXPECT_LE(tip.w, face.height) << name;
      }
    }
    EXPECT_GT(shown, 60);
  }
}

TEST(Interface, AKeyHidesTheTooltipUntilTheMouseMoves) {
  Interface face;
  ImGui::GetIO().DeltaTime = 0.3F;
  const ImVec4 r = face.rect("export");
  const auto shows_tooltip = [&](float x) {
    face.move(x, (r.y + r.w) / 2);
    for (int i = 0; i < 3; ++i) face.frame();
    return face.rect("tooltip").x >= 0;
  };
  shows_tooltip(r.x +
                4);  // the first position of a mouse is no movement, and an earlier test may have hidden them
  EXPECT_TRUE(shows_tooltip(r.x + 5));
  face.press(Key::none, 'W');
  EXPECT_FALSE(shows_tooltip(r.x + 5));
  EXPECT_TRUE(shows_tooltip(r.x + 6));
}

TEST(Interface, TheListOfKeysHasRoomInWidth) {
  for (const float scale : {1.0F, 1.5F, 2.0F}) {
    for (const float width : {1280 / scale, 1280.0F}) {
      Interface face(Interface::sheet(), scale, width, width * 720 / 1280);
      face.click("keys");
      for (int i = 0; i < 3; ++i) face.frame();
      int listed = 0;
      for (const auto& [name, r] : item_rects()) {
        if (!name.starts_with("help:")) continue;
        ++listed;
        EXPECT_GE(r.x, 0) << name;
        EXPECT_LE(r.z, face.width) << name << ", scale " << scale << ", width " << face.width;
      }
      EXPECT_GT(listed, 30);
    }
  }
}

TEST(Interface, TheStatusBarKeepsStillWhileNumbersChange) {
  Interface face;
  std::vector<float> places;
  for (const double strain : {0.2, 0.0968, 0.1234}) {
    face.snapshot.frame.record.max_strain = strain;
    face.frame();
    places.push_back(face.rect("step-time").x);
  }
  EXPECT_GT(places[0], 0);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[0], places[2]);
}

TEST(Interface, SaysFromWhichStepOnItRunsInRealTime) {
  for (const auto& [scale, width] : {std::pair{1.0F, 1280.0F}, {2.0F, 1280.0F}, {1.0F, 640.0F}}) {
    Interface face(Interface::sheet(), scale, width, width * 0.6F);
    const std::vector<const char*> below{"dt", "explain", "tab:Scene"};
    std::vector<ImVec4> before;
    for (const char* name : below) before.push_back(face.rect(name));
    EXPECT_LT(face.rect("real-time").x, 0);
    for (const std::optional<double> step : {std::optional<double>(), {0.0}, {0.0025}}) {
      face.snapshot.lag = RealTimeLag{step};
      for (int k = 0; k < 3; ++k) face.frame();
      EXPECT_GT(face.rect("lag").z, 0);
      EXPECT_LE(face.rect("lag").z, face.width);
      EXPECT_EQ(face.rect("real-time").x > 0, step > 0.0) << "a button where there is such an h";
      for (std::size_t i = 0; i < below.size(); ++i)
        EXPECT_EQ(face.rect(below[i]).y, before[i].y) << below[i] << " moves";
    }
    face.snapshot.lag = RealTimeLag{0.0, RealTimeLag::Limit{0, 0.0028}};
    face.frame();
    EXPECT_THAT(shown_texts().at("lag"),
                ::testing::HasSubstr("reaches real time: Semi-implicit Euler is stable below 2.8"));
    face.snapshot.lag = RealTimeLag{0.0025, RealTimeLag::Limit{0, 0.0028}};
    face.frame();
    face.click("real-time");
    const auto* set = face.last_command<SetParameter>();
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(set->id, "dt");
    EXPECT_EQ(set->value, 0.0025);
    face.snapshot.speed = 0.5;
    face.frame();
    EXPECT_GT(face.rect("real-time").x, 0);
  }
}

TEST(Interface, AGrabDoesNotCoverTheVerdict) {
  for (const float width : {640.0F, 1280.0F}) {
    Interface face(Interface::sheet(), 1, width, width * 0.6F);
    face.snapshot.stability = uniform_estimate(100);
    face.snapshot.frame.grab.emplace();
    face.snapshot.frame.grab->force = vec3(0, 15.5, 0);
    face.legend.grab_depth = 0.2;
    face.frame();
    EXPECT_GT(face.rect("grab-force").x, face.rect("stability").z) << width;
    EXPECT_LE(face.rect("grab-force").z, width);
  }
}

TEST(Interface, LinesBreakAtSpacesAlone) {
  const Interface face;
  ImGui::NewFrame();
  const auto width = [](const char* text) { return ImGui::CalcTextSize(text).x; };
  EXPECT_EQ(broken_lines("one two", width("one two")), "one two");
  EXPECT_EQ(broken_lines("one two", width("one t")), "one\ntwo");
  EXPECT_EQ(broken_lines("as diagnostics.csv", width("as diagnostics.")), "as\ndiagnostics.csv");
  EXPECT_EQ(broken_lines("at h = 1 ms", width("at h =")), "at\nh = 1\nms");
  EXPECT_EQ(broken_lines("while h·ω < 2", width("while h·ω <")), "while\nh·ω < 2");
  EXPECT_EQ(shortened("a shirt.obj", width("a shirt.obj")), "a shirt.obj");
  const std::string cut = shortened("a very, very long name of a shirt.obj", width("a very long name"));
  EXPECT_LE(width(cut.c_str()), width("a very long name"));
  EXPECT_TRUE(cut.starts_with("a v") && cut.ends_with("obj")) << cut;
  for (float room = 0; room < 60; room += 3) {  // no half a character
    const std::string umlauts = shortened("äöüäöüäöü", room);
    EXPECT_EQ(displayable(umlauts, false), umlauts);
  }
  ImGui::EndFrame();
}

TEST(Interface, EveryTextHasItsSignsWithAnyFont) {
  const Interface face;
  const auto expect_signs = [](std::string_view text) {
    EXPECT_EQ(displayable(text, true).find('?'), std::string::npos) << text;
    EXPECT_EQ(displayable(text).find('?'), std::string::npos) << text;
    EXPECT_EQ(displayable(text).find("\u25A1"), std::string::npos) << text;
  };
  for (const IntegratorInfo& info : integrators()) {
    expect_signs(info.title);
    expect_signs(info.summary);
    for (const CardLine& line : card_lines(info, default_parameters(info), {})) expect_signs(line.text);
    for (const ParameterSpec& spec : info.parameters)
      expect_signs(std::string(spec.title) + std::string(spec.help));
  }
  for (const SceneParameter& row : scene_parameters())
    expect_signs(std::string(row.spec.title) + std::string(row.spec.help));
}

// File names as they occur. None can break a line or imitate another character.
TEST(Interface, NamesOfFilesAreShownHonestly) {
  const Interface face;
  if (find_font_file().empty()) GTEST_SKIP() << "no TrueType font";
  for (const char* name : {"Kleid für Łucja.obj", "футболка.obj", "Μανίκι.obj", "áo dài – ấm.obj"})
    EXPECT_EQ(displayable(name), name);
  EXPECT_EQ(displayable("日本.obj"), "\u25A1\u25A1.obj");
  EXPECT_EQ(displayable("日", true), "?");
  EXPECT_EQ(displayable("a\x1b[31m\x7f"), "a\u25A1[31m\u25A1");
  EXPECT_EQ(shortened("two\nlines", 1000), "two lines");
  // Bytes that are no UTF-8: alone, cut off, overlong, half a surrogate pair, beyond Unicode.
  for (const char* bytes : {"\xff", "\xe6\x97", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"})
    EXPECT_EQ(displayable(bytes).find_first_not_of("\uFFFD"), std::string::npos) << bytes;
  EXPECT_EQ(displayable("\xe6\x97.obj"), "\uFFFD\uFFFD.obj");
}

TEST(Interface, UndoAndRedoHaveKeysAndButtonsThatWaitForSomethingToUndo) {
  Interface face;
  face.click("undo");
  EXPECT_TRUE(face.requests.empty());
  face.edits->record(SetParameter{"mass", 1});
  face.frame();
  face.click("undo");
  ASSERT_EQ(face.requests.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Undo>(face.requests.back()));
  face.edits->undo();
  face.frame();
  face.click("redo");
  EXPECT_TRUE(std::holds_alternative<Redo>(face.requests.back()));

  face.press(Key::none, 'Z', true);
  EXPECT_TRUE(std::holds_alternative<Undo>(face.requests.back()));
  face.press(Key::none, 'Y', true);
  EXPECT_TRUE(std::holds_alternative<Redo>(face.requests.back()));
  face.press(Key::none, 'Z', true);
  face.ui.on_key({Key::none, 'Z', true, true, false}, false, face.context());  // with Shift
  EXPECT_TRUE(std::holds_alternative<Redo>(face.requests.back()));
}

TEST(Interface, HintsGoOneByOneOrAllAtOnce) {
  Interface face;
  const auto shown = [&] { return face.rect("close-hints").x >= 0; };
  EXPECT_TRUE(shown());
  face.press(Key::none, '1');
  face.press(Key::f1);
  face.frame();
  EXPECT_TRUE(face.view.hints_done[static_cast<std::size_t>(Hint::integrator)]);
  EXPECT_TRUE(face.view.hints_done[static_cast<std::size_t>(Hint::keys)]);
  face.press(Key::f1);
  for (int i = 0; i < 3; ++i) face.frame();  // until it has the size of what is left
  EXPECT_TRUE(shown());
  face.click("close-hints");
  EXPECT_FALSE(shown());
  EXPECT_TRUE(face.view.hints_done[static_cast<std::size_t>(Hint::drag)]);
}

TEST(Interface, ATabCanBeOpenedByName) {
  Interface face;
  face.ui.open_tab("Solver");
  face.frame();
  face.frame();
  EXPECT_EQ(face.ui.tab(), "Solver");
  face.click("tab:View");
  EXPECT_EQ(face.ui.tab(), "View");
  face.ui.open_tab("No such tab");
  face.frame();
  EXPECT_EQ(face.ui.tab(), "View");
}

TEST(Interface, CtrlPlusMinusAndZeroChangeTheTextSize) {
  Interface face;
  const auto press = [&](char character, bool shift = false) {
    face.ui.on_key({Key::none, character, true, shift, false}, false, face.context());
    return face.view.interface_scale;
  };
  EXPECT_EQ(press('+'), 1.1F);
  EXPECT_EQ(press('='), 1.25F);       // where it is the key of the plus
  EXPECT_EQ(press('=', true), 1.5F);  // and shifted
  EXPECT_EQ(press('+', true), 1.75F);
  EXPECT_EQ(press('+'), 2.0F);
  EXPECT_EQ(press('+'), 2.0F);
  EXPECT_EQ(press('-'), 1.75F);
  EXPECT_EQ(press('0'), 1.0F);
  for (const float size : {0.9F, 0.75F, 0.75F}) EXPECT_EQ(press('-'), size);
  face.view.interface_scale = 1.2F;  // of a settings file
  EXPECT_EQ(press('-'), 1.1F);
}

TEST(Interface, PinButtonsSendTheirPreset) {
  Interface face;
  face.click("tab:Cloth");
  for (const auto& [name, preset] :
       {std::pair{"pin-none", PinPreset::none}, std::pair{"pin-corners", PinPreset::corners},
        std::pair{"pin-top-edge", PinPreset::top_edge}}) {
    face.click(name);
    ASSERT_NE(face.last_command<SetPinPreset>(), nullptr);
    EXPECT_EQ(face.last_command<SetPinPreset>()->preset, preset);
  }
}

TEST(Interface, AGroupIsPinnedExactlyOrSoftly) {
  Interface face;
  ParticleGroup hem;
  hem.name = "hem";
  hem.by = ParticleGroup::By::loop;
  Scene scene = face.edits->scene();
  scene.groups = {hem};
  face.context().set_scene(scene);
  face.click("tab:Cloth");
  face.move((face.rect("mass").x + face.rect("mass").z) / 2, face.rect("mass").y);
  face.wheel(-100);
  for (int i = 0; i < 2; ++i) face.frame();
  const auto choose = [&](const char* list) {
    face.click(list);
    face.frame();  // the list has its place from its second picture on
    face.click(std::string(list) + ":hem");
  };
  choose("pin-group");
  EXPECT_EQ(face.edits->scene().pins, PinSelection(PinnedGroups({"hem"})));
  ASSERT_TRUE(face.edits->undo());
  EXPECT_EQ(face.edits->scene().pins, scene.pins);
  choose("soft-pin");
  ASSERT_EQ(face.edits->scene().drivers.size(), 1u);
  EXPECT_EQ(face.edits->scene().drivers[0].group, "hem");
  for (int i = 0; i < 2; ++i) face.frame();
  EXPECT_GT(face.rect("soft-pin-stiffness0").z, 0);
  choose("soft-pin");
  EXPECT_TRUE(face.edits->scene().drivers.empty());
}

TEST(Interface, AGroupOfTheMeshGetsAMaterial) {
  Interface face;
  auto loaded = std::make_shared<LoadedScene>(*face.snapshot.loaded);
  auto mesh = std::make_shared<ClothMesh>(*loaded->mesh);
  auto source = std::make_shared<ObjMesh>(*mesh->source);
  source->groups = {{{"collar"}, 0}};
  mesh->source = source;
  loaded->mesh = mesh;
  face.snapshot.loaded = loaded;
  face.edits.emplace(loaded);
  face.click("tab:Cloth");
  for (int k = 0; k < 2; ++k) face.frame();
  face.click("group-material:collar");
  face.frame();  // the list has its place from its second picture on
  EXPECT_GT(face.rect("group-material:collar:stiff").z, 0);
  EXPECT_LT(face.rect("group-material:collar:denim").z, 0) << "a fabric, and the cloth is springs";
  face.click("group-material:collar:stiff");
  ASSERT_EQ(face.edits->scene().material.groups.size(), 1u);
  EXPECT_EQ(face.edits->scene().material.groups[0].group, "collar");
  face.click("group-material:collar");
  face.frame();
  face.click("group-material:collar:");
  EXPECT_TRUE(face.edits->scene().material.groups.empty());
  ASSERT_TRUE(face.edits->undo());
  EXPECT_EQ(face.edits->scene().material.groups.size(), 1u);
}

/// Whether anything in a window of the interface is drawn in that colour.
bool draws(const char* window, ImU32 colour) {
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) {
    const ImDrawList* list = data->CmdLists[i];
    if (list->_OwnerName == nullptr || std::string_view(list->_OwnerName) != window) continue;
    for (const ImDrawVert& vertex : list->VtxBuffer)
      if (vertex.col == colour) return true;
  }
  return false;
}

TEST(Interface, ABlowUpSaysWhyBesideTheClothAndOffersTheWaysOn) {
  Interface face;
  face.snapshot.stability = uniform_estimate(1);
  face.frame();
  EXPECT_TRUE(draws("##status", palette().good));
  const Area before = face.ui.view_area(face.width, face.height, face.view);
  face.snapshot.blow_up_sentence = "It blew up in step 3.";
  face.snapshot.blow_up_text = "Blown up in step 3, because it is told so here.";
  for (int i = 0; i < 3; ++i) face.frame();
  EXPECT_FALSE(draws("##status", palette().good)) << "it is frozen";
  const auto is_beside = [&] {
    const Area view = face.ui.view_area(face.width, face.height, face.view);
    for (const char* name : {"blow-up", "watch-again", "blow-up-stable-method", "blow-up-reset"})
      EXPECT_GE(face.rect(name).y, view.y + view.height) << name;
    return view.height;
  };
  EXPECT_EQ(is_beside(), before.height) << "the picture does not jump";
  const float closed = face.rect("plot0:CSV").y;
  face.click("blow-up-why");
  for (int i = 0; i < 2; ++i) face.frame();
  is_beside();
  EXPECT_GT(face.rect("plot0:CSV").y, closed);

  // Why the other method is stable, with numbers once they are known.
  ImGui::GetIO().DeltaTime = 0.3F;  // tooltips wait a little
  const auto height_of_help = [&] {
    const ImVec4 button = face.rect("blow-up-stable-method");
    face.move((button.x + button.z) / 2, (button.y + button.w) / 2);
    for (int i = 0; i < 3; ++i) face.frame();
    return face.rect("tooltip").w - face.rect("tooltip").y;
  };
  const auto estimate = std::exchange(face.snapshot.stability, std::nullopt);
  const float without_numbers = height_of_help();
  const ImVec4 before_numbers = face.rect("blow-up-stable-method");
  EXPECT_GT(without_numbers, 0);
  face.snapshot.stability = estimate;
  EXPECT_GT(height_of_help(), without_numbers);
  EXPECT_EQ(face.rect("blow-up-stable-method").x, before_numbers.x) << "numbers that come late move nothing";

  face.click("watch-again");
  EXPECT_NE(face.last_control<WatchAgain>(), nullptr);
  // Semi-implicit Euler is in force, which theory calls stable: half of its step, or another such method.
  face.click("blow-up-smaller-h");
  ASSERT_NE(face.last_command<SetParameter>(), nullptr);
  EXPECT_NEAR(face.last_command<SetParameter>()->value, 0.0083, 1e-12);
  face.click("blow-up-substeps");
  EXPECT_EQ(face.last_command<SetParameter>()->id, "substeps");
  EXPECT_EQ(face.last_command<SetParameter>()->value, 3) << "1/60 s in parts of at most 8.3 ms";
  face.click("blow-up-fork");
  EXPECT_EQ(face.last_control<ShowPast>()->time, face.snapshot.frame.record.time - 0.5);
  EXPECT_EQ(face.last_control<NewLane>()->integrator, "backward-euler");
  EXPECT_TRUE(face.last_control<SetPlaying>()->playing);
  face.click("blow-up-stable-method");
  EXPECT_EQ(face.last_command<SetIntegrator>()->id, "backward-euler");
  face.click("blow-up-rewind");
  EXPECT_NE(face.last_control<Rewind>(), nullptr);
  face.click("blow-up-reset");
  EXPECT_NE(face.last_command<Reset>(), nullptr);

  // The largest stable step, of a method that has one.
  Scene scene = *face.snapshot.frame.scene;
  scene.integrator = "symplectic-euler";
  face.context().set_scene(std::move(scene));
  face.snapshot.stability = uniform_estimate(200);  // 2/200 = 10 ms
  face.frame();
  face.click("blow-up-smaller-h");
  EXPECT_NEAR(face.last_command<SetParameter>()->value, 0.0095, 1e-12);

  // What failed is shown, a contact or a spring.
  EXPECT_LT(face.rect("blow-up-where").z, 0);
  face.snapshot.failed_contact = FailedContact{};
  face.frame();
  face.click("blow-up-where");
  EXPECT_TRUE(std::holds_alternative<FrameFailure>(face.requests.back()));
}

TEST(Interface, ASmallWindowShowsAllOfTheStrip) {
  Interface face(Interface::sheet(), 1, 640, 400);
  face.snapshot.stability = uniform_estimate(100);
  face.snapshot.blow_up_sentence = "Explicit Euler blew up in step 34 with h = 16.7 ms, at 0.567 s.";
  face.snapshot.blow_up_text = "Because.";
  for (int i = 0; i < 3; ++i) face.frame();
  const Area view = face.ui.view_area(face.width, face.height, face.view);
  EXPECT_GE(view.height, 120);
  for (const char* name : {"blow-up-why", "watch-again", "blow-up-smaller-h", "blow-up-stable-method",
                           "blow-up-rewind", "blow-up-reset"}) {
    const ImVec4 r = face.rect(name);
    EXPECT_GE(r.x, 0) << name;
    EXPECT_LE(r.z, view.width) << name;
    EXPECT_LE(r.w, face.height - 28) << name;
  }
  // However long the explanation is: the strip scrolls.
  for (int i = 0; i < 6; ++i)
    face.snapshot.blow_up_text += " Because it is told so at length, with many numbers.";
  face.click("blow-up-why");
  for (int i = 0; i < 3; ++i) face.frame();
  EXPECT_GE(face.ui.view_area(face.width, face.height, face.view).height, 120);
}

TEST(Interface, AGainInAStepIsCuredWithOneClick) {
  Interface face;
  const float view = face.ui.view_area(face.width, face.height, face.view).height;
  NoticeLog log;
  log.add(NoticeCause::gain_in_step, 6, "It gained 3 J. It did so because this and that was so.");
  face.snapshot.notices = log.list();
  face.snapshot.message = log.list()->front().text;
  ++face.snapshot.messages;
  for (int i = 0; i < 3; ++i) face.frame();
  EXPECT_EQ(shown_texts().at("gain"), "Step 6: It gained 3 J. It did so because this and that was so.");
  const ImVec4 folded = face.rect("plot0:kind");
  face.click("gain-why");
  for (int i = 0; i < 2; ++i) face.frame();
  EXPECT_GT(face.rect("plot0:kind").y, folded.y) << "the reasons are below the first sentence";
  face.click("gain-why");
  EXPECT_EQ(face.ui.view_area(face.width, face.height, face.view).height, view)
      << "the picture does not jump";
  EXPECT_LT(face.rect("message").z, 0) << "the same text once";
  // Of a message of several lines, this line only.
  const std::string& told = log.list()->front().text;
  const std::vector<std::pair<std::string, std::string>> messages{
      {told + "\nAnother notice.", "Another notice."},
      {"An answer.\n" + told, "An answer."},
      {"Lane A: " + told + "\nLane A: Another.", "Lane A: Another."},
      {"An answer.\n" + told + "\nMore.", "An answer.\nMore."},
      {"Lane B: " + told, "Lane B: " + told},
      {"An answer. " + told, "An answer. " + told}};
  for (const auto& [message, rest] : messages) {
    face.snapshot.message = message;
    ++face.snapshot.messages;
    face.frame();
    EXPECT_EQ(face.ui.message(), rest) << message;
  }

  face.click("gain-adaptive");
  ASSERT_NE(face.last_command<SetParameter>(), nullptr);
  EXPECT_EQ(face.last_command<SetParameter>()->id, "adaptive-dt");
  EXPECT_EQ(face.last_command<SetParameter>()->value, 1);
  EXPECT_LT(face.rect("gain-adaptive").z, 0) << "cured, before the run has adopted it";
  EXPECT_FALSE(face.edits->undo_text().empty());
  face.context().set_parameter("adaptive-dt", 0);
  for (int i = 0; i < 2; ++i) face.frame();

  face.click("gain-backward-euler");
  ASSERT_NE(face.last_command<SetIntegrator>(), nullptr);
  EXPECT_EQ(face.last_command<SetIntegrator>()->id, "backward-euler");
  EXPECT_LT(face.rect("gain-backward-euler").z, 0);
  face.context().send(Command(SetIntegrator{"semi-implicit-euler"}));
  for (int i = 0; i < 2; ++i) face.frame();
  EXPECT_GT(face.rect("gain-backward-euler").z, 0);

  // Not of an earlier method.
  face.snapshot.method_origin.notices = 1;
  face.frame();
  EXPECT_LT(face.rect("gain").z, 0);
  face.snapshot.method_origin.notices = 0;
  for (int i = 0; i < 2; ++i) face.frame();

  // Closed, until a run reports another one.
  face.click("gain-close");
  EXPECT_LT(face.rect("gain").z, 0);
  NoticeLog next;
  next.add(NoticeCause::gain_in_step, 9, "It gained 2 J.");
  face.snapshot.notices = next.list();
  for (int i = 0; i < 2; ++i) face.frame();
  EXPECT_EQ(shown_texts().at("gain"), "Step 9: It gained 2 J.");
  EXPECT_TRUE(face.press(Key::escape));
  face.frame();
  EXPECT_LT(face.rect("gain").z, 0);
}

TEST(Interface, AMeshThatWaitsIsPinnedFromItsBar) {
  Interface face;
  auto loaded = std::make_shared<LoadedScene>(*face.snapshot.loaded);
  loaded->open_edges = boundary_loops(*loaded->mesh);
  face.snapshot.loaded = loaded;
  MeshBar& bar = face.ui.mesh_bar();
  EXPECT_TRUE(bar.open_edges(face.snapshot).empty());
  bar.open();
  for (int i = 0; i < 3; ++i) face.frame();
  const Area view = face.ui.view_area(face.width, face.height, face.view);
  const auto pins = [&] { return face.last_command<SetScene>()->scene->pins; };
  for (const auto& [name, wanted] :
       {std::pair{"mesh-two-corners", PinPreset::top_corners},
        std::pair{"mesh-top-edge", PinPreset::top_edge}, std::pair{"mesh-by-hand", PinPreset::none},
        std::pair{"mesh-drop", PinPreset::none}}) {
    EXPECT_GE(face.rect(name).y, view.y + view.height) << name;
    face.click(name);
    ASSERT_NE(face.last_command<SetScene>(), nullptr);
    EXPECT_EQ(pins(), PinSelection(wanted)) << name;
  }
  const Floor& floor = face.last_command<SetScene>()->scene->floor;
  EXPECT_TRUE(floor.on);
  EXPECT_LT(floor.height, face.snapshot.loaded->mesh->box.low.y);

  // An open edge: the border of the sheet, all of it, and off again.
  face.click("mesh-open-edge");
  EXPECT_TRUE(bar.shows_all_open_edges());
  ASSERT_EQ(bar.open_edges(face.snapshot).size(), 1u);
  bar.choose_edge(face.context(), 0);
  EXPECT_EQ(pins(), PinSelection(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15}));
  bar.choose_edge(face.context(), 0);
  EXPECT_EQ(pins(), PinSelection(PinPreset::none));

  // Undo goes back from "By hand" to the open edge that was pinned before it, which counts as chosen again.
  face.click("mesh-by-hand");
  face.frame();
  EXPECT_TRUE(bar.open_edges(face.snapshot).empty());
  ASSERT_TRUE(face.edits->undo());
  face.frame();
  ASSERT_EQ(bar.open_edges(face.snapshot).size(), 1u);
  EXPECT_TRUE(bar.shows_all_open_edges());
  bar.choose_edge(face.context(), 0);
  EXPECT_EQ(pins(), PinSelection(PinPreset::none)) << "a pinned edge is freed";

  face.click("mesh-play");
  EXPECT_TRUE(face.last_control<SetPlaying>()->playing);
  // It goes while the cloth moves, comes back with a reset, and stays away once it was closed.
  for (const auto& [step, playing, shown] : {std::tuple{0, true, false}, std::tuple{1, true, false},
                                             std::tuple{1, false, false}, std::tuple{0, false, true}}) {
    face.snapshot.frame.record.step = static_cast<std::uint64_t>(step);
    face.snapshot.playing = playing;
    face.frame();
    EXPECT_EQ(item_rects().contains("mesh-play"), shown) << step << playing;
    EXPECT_EQ(bar.open_edges(face.snapshot).empty(), !shown) << "a press takes hold of the cloth again";
  }
  face.click("close-mesh-bar");
  face.frame();
  EXPECT_FALSE(item_rects().contains("mesh-play"));
}

TEST(Interface, ANoticeIsShownOnce) {
  Interface face;
  EXPECT_TRUE(face.ui.message().empty());
  face.snapshot.message = "Energy from nothing.";
  for (int k = 0; k < 2; ++k) {
    ++face.snapshot.messages;
    face.frame();
    EXPECT_EQ(face.ui.message(), "Energy from nothing.");
    face.press(Key::escape);
    face.frame();
    EXPECT_TRUE(face.ui.message().empty());
  }
  // It goes with the method and the scene that it is about; what was said of another one stays.
  ++face.snapshot.messages;
  face.frame();
  face.context().set_integrator(0);
  face.frame();
  EXPECT_TRUE(face.ui.message().empty());
  ++face.snapshot.messages;
  face.frame();
  face.snapshot.loaded = std::make_shared<LoadedScene>(*face.snapshot.loaded);
  face.frame();
  EXPECT_TRUE(face.ui.message().empty());
  face.ui.show_message("Saved.", false);
  face.snapshot.loaded = std::make_shared<LoadedScene>(*face.snapshot.loaded);
  face.frame();
  EXPECT_EQ(face.ui.message(), "Saved.");
}

TEST(Interface, ObstaclesAreAddedAboveTheFloor) {
  Scene scene = Interface::sheet();
  scene.floor.on = true;
  scene.floor.height = -0.01;
  Interface face(scene);
  face.click("tab:Contact");
  face.click("add-sphere");
  ASSERT_NE(face.last_command<SetObstacles>(), nullptr);
  const Obstacle body = face.last_command<SetObstacles>()->bodies.at(0);
  EXPECT_GT(body.from.y, -0.01);
  for (const vec3& p : face.snapshot.frame.positions) EXPECT_GT(glm::distance(p, body.from), body.radius);
}

TEST(Interface, ABlowUpIsToldInOnePlace) {
  Interface face;
  LaneSnapshot& other = face.snapshot.others.emplace_back();
  other.lane = 1;
  other.frame = face.snapshot.frame;
  other.plot = face.snapshot.plot;
  other.blow_up_sentence = "Lane B: it blew up.";
  const auto tell = [&] {
    face.snapshot.message = "Lane B: it blew up.";
    ++face.snapshot.messages;
    face.frame();
    return !face.ui.message().empty();
  };
  EXPECT_TRUE(tell());
  face.snapshot.blow_up_sentence = "Lane A: it blew up.";
  EXPECT_FALSE(tell()) << "none goes on";
  other.blow_up_sentence.clear();
  face.snapshot.blow_up_sentence = "Lane B: it blew up.";
  EXPECT_FALSE(tell()) << "the strip says it";
  face.snapshot.message = "Lane B: it blew up.\nLane C: It gained 3 J.";
  ++face.snapshot.messages;
  face.frame();
  EXPECT_EQ(face.ui.message(), "Lane C: It gained 3 J.") << "the other line is not in the strip";
}

TEST(Interface, EscClosesOneThingAfterTheOther) {
  Interface face;
  face.ui.show_message("No.", true);
  face.press(Key::f1);
  face.press(Key::none, 'O', true);
  EXPECT_TRUE(face.ui.files().is_open());
  face.press(Key::escape);
  EXPECT_FALSE(face.ui.files().is_open());
  EXPECT_TRUE(face.ui.dialog_open());
  face.press(Key::escape);
  EXPECT_FALSE(face.ui.dialog_open());
  EXPECT_FALSE(face.ui.message().empty());
  face.press(Key::escape);
  EXPECT_TRUE(face.ui.message().empty());
}

TEST(Interface, OnlyThePlainKeyDiscardsChanges) {
  Interface face;
  face.ui.question().ask("Mass 1 → 2 kg");
  face.press(Key::none, 'D', true);
  face.ui.on_key({.character = 'D', .repeat = true}, false, face.context());
  EXPECT_EQ(face.last_request<AnswerUnsaved>(), nullptr);
  face.press(Key::none, 'D');
  ASSERT_NE(face.last_request<AnswerUnsaved>(), nullptr);
  EXPECT_EQ(face.last_request<AnswerUnsaved>()->answer, AnswerUnsaved::Answer::discard);
}

TEST(Interface, AHeldEnterAnswersOneQuestion) {
  Interface face;
  const auto records = [&] {
    face.frame();
    return std::ranges::any_of(
        face.requests, [](const AppRequest& asked) { return std::holds_alternative<StartRecording>(asked); });
  };
  face.press(Key::none, 'R', true);
  face.ui.on_key({Key::enter, 0, false, false, true}, false, face.context());
  EXPECT_FALSE(records());
  face.press(Key::enter);
  EXPECT_TRUE(records());
}

TEST(Interface, AHeldKeyAnswersOneOfferOfASession) {
  Interface face;
  const auto answers = [&] {
    face.frame();
    return std::ranges::count_if(
        face.requests, [](const AppRequest& asked) { return std::holds_alternative<AnswerSession>(asked); });
  };
  face.ui.session_offer().ask({{"Step", "12"}});
  EXPECT_TRUE(face.ui.on_key({Key::none, 'D', false, false, true}, false, face.context()));
  face.press(Key::none, 'D', true);
  EXPECT_EQ(answers(), 0);
  face.press(Key::none, 'D');
  EXPECT_EQ(answers(), 1);
}

TEST(Interface, EscClosesAnOpenListAndChangesNothing) {
  Interface face;
  const auto is_open = [&] { return face.rect("integrator:rattle").x >= 0; };
  for (int i = 0; i < 2; ++i) {
    face.click("integrator");
    EXPECT_TRUE(is_open());
    EXPECT_TRUE(face.press(Key::escape));
    face.frame();
    face.frame();
    EXPECT_FALSE(is_open());
  }
  EXPECT_TRUE(face.sent.empty());
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("clothlab-ui-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "meshes");
    for (const char* name :
         {"flag.obj", "shirt.OBJ", "scene.json", "notes.txt", ".hidden.obj", "meshes/tube.obj"}) {
      std::ofstream(folder_ / name) << "v 0 0 0\n";
    }
    face_.ui.files().set_places(folder_, folder_, {folder_ / "flag.obj"});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool lists(const std::string& name) { return item_rects().contains("file:" + name); }
  const FileRequest* opened() const {
    const auto* file = face_.requests.empty() ? nullptr : std::get_if<FileRequest>(&face_.requests.back());
    return file != nullptr && file->purpose == FilePurpose::open ? file : nullptr;
  }

  std::filesystem::path folder_;
  Interface face_;
};

TEST_F(Files, TheDialogShowsFoldersMeshesAndScenesAlone) {
  face_.press(Key::none, 'O', true);
  face_.frame();
  EXPECT_TRUE(lists("meshes"));
  EXPECT_TRUE(lists("flag.obj"));
  EXPECT_TRUE(lists("shirt.OBJ"));
  EXPECT_TRUE(lists("scene.json"));
  EXPECT_FALSE(lists("notes.txt"));
  EXPECT_FALSE(lists(".hidden.obj"));
}

// A folder is listed off the window's thread, and only its visible rows are drawn, however many files it has.
TEST_F(Files, AFolderOfManyFilesIsReadBesideTheWindowAndDrawnInPart) {
  constexpr int kMany = 2'000;
  const auto name = [](int i) { return "file-" + std::to_string(100'000 + i) + ".obj"; };
  for (int i = 0; i < kMany; ++i) std::ofstream(folder_ / "meshes" / name(i));
  face_.ui.files().set_places(folder_ / "meshes", folder_, {});
  face_.press(Key::none, 'O', true);
  const auto listed = [] {
    return std::count_if(item_rects().begin(), item_rects().end(),
                         [](const auto& item) { return item.first.starts_with("file:"); });
  };
  while (face_.ui.files().is_reading()) face_.frame();
  face_.frame();
  EXPECT_TRUE(lists(name(0)));
  EXPECT_GT(listed(), 5);
  EXPECT_LT(listed(), 60);
  for (int i = 0; i < 30; ++i) face_.press(Key::page_down);
  for (int i = 0; i < 2; ++i) face_.frame();
  EXPECT_TRUE(lists(name(300))) << "the selected one is scrolled to";
  EXPECT_FALSE(lists(name(0)));
  face_.press(Key::enter);
  face_.frame();
  ASSERT_NE(opened(), nullptr);
  EXPECT_EQ(opened()->path.filename(), name(300));
}

TEST_F(Files, ArrowsAndEnterOpen) {
  face_.press(Key::none, 'O', true);
  face_.frame();
  face_.press(Key::enter);  // the folder comes first
  face_.frame();
  EXPECT_TRUE(lists("tube.obj"));
  face_.press(Key::backspace);
  face_.frame();
  EXPECT_TRUE(lists("flag.obj"));
  face_.press(Key::down);
  face_.press(Key::enter);
  face_.frame();
  ASSERT_NE(opened(), nullptr);
  EXPECT_EQ(opened()->path.filename(), "flag.obj");
  EXPECT_FALSE(face_.ui.files().is_open());
}

TEST_F(Files, TypingFilters) {
  face_.press(Key::none, 'O', true);
  for (int i = 0; i < 3; ++i) face_.frame();
  face_.type("shi");
  face_.frame();
  EXPECT_TRUE(lists("shirt.OBJ"));
  EXPECT_FALSE(lists("flag.obj"));
  face_.press(Key::enter);
  face_.frame();
  ASSERT_NE(opened(), nullptr);
  EXPECT_EQ(opened()->path.filename(), "shirt.OBJ");
}

TEST_F(Files, RecentFilesOpenWithAClick) {
  face_.press(Key::none, 'O', true);
  for (int i = 0; i < 3; ++i) face_.frame();
  face_.click("recent:0");
  ASSERT_NE(opened(), nullptr);
  EXPECT_EQ(opened()->path, folder_ / "flag.obj");
}

TEST_F(Files, TheBundledMeshesAreAPlaceToOpenFromAlone) {
  face_.press(Key::none, 'O', true);
  face_.frame();
  EXPECT_LT(face_.rect("place:Bundled meshes").x, 0) << "none are known";
  face_.ui.files().set_bundled(folder_ / "meshes");
  face_.frame();
  face_.click("place:Bundled meshes");
  face_.frame();
  EXPECT_TRUE(lists("tube.obj"));
  face_.press(Key::escape);
  face_.press(Key::none, 'S', true);
  face_.frame();
  EXPECT_LT(face_.rect("place:Bundled meshes").x, 0);
}

TEST_F(Files, TypingReplacesTheSuggestedName) {
  face_.press(Key::none, 'S', true);
  for (int i = 0; i < 3; ++i) face_.frame();
  face_.type("mine");
  face_.press(Key::enter);
  face_.frame();
  ASSERT_FALSE(face_.requests.empty());
  const auto* save = std::get_if<FileRequest>(&face_.requests.back());
  ASSERT_NE(save, nullptr);
  EXPECT_EQ(save->purpose, FilePurpose::save_scene);
  EXPECT_EQ(save->path, folder_ / "mine.json");
}

TEST_F(Files, SavingAsksBeforeItReplaces) {
  face_.snapshot.loaded = std::make_shared<const LoadedScene>(load_scene([] {
    Scene scene = Interface::sheet();
    scene.title = "Scene";
    return scene;
  }()));
  face_.press(Key::none, 'S', true);
  for (int i = 0; i < 3; ++i) face_.frame();
  face_.press(Key::enter);
  face_.frame();
  EXPECT_TRUE(face_.requests.empty());
  EXPECT_TRUE(face_.ui.files().is_open());
  face_.press(Key::enter);
  face_.frame();
  ASSERT_FALSE(face_.requests.empty());
  const auto* save = std::get_if<FileRequest>(&face_.requests.back());
  ASSERT_NE(save, nullptr);
  EXPECT_EQ(save->purpose, FilePurpose::save_scene);
  EXPECT_EQ(save->path, folder_ / "scene.json");
}

}  // namespace
}  // namespace clothlab
