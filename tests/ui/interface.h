// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "session/edit_history.h"
#include "session/simulation_thread.h"
#include "ui/theme.h"
#include "ui/user_interface.h"
#include "ui/widgets/widgets.h"

namespace clothlab::testing {

/// The whole interface on a paused simulation, without a window: ImGui's draw lists are not shown.
class Interface {
 public:
  explicit Interface(Scene scene = sheet(), float scale = 1, float w = 1280, float h = 720)
      : width(w * scale), height(h * scale), scale_(scale) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
#if IMGUI_VERSION_NUM < 18700
    io.KeyMap[ImGuiKey_Enter] = ImGuiKey_Enter;
    io.KeyMap[ImGuiKey_Escape] = ImGuiKey_Escape;
#endif
    io.DisplaySize = ImVec2(width, height);
    io.DeltaTime = 1.0F / 60;
    apply_theme(Theme::dark, scale_, 1);
    unsigned char* pixels = nullptr;
    int texture_width = 0;
    int texture_height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &texture_width, &texture_height);
    SimulationThread::Options options;
    options.threads = 1;
    options.playing = false;
    const auto loaded = std::make_shared<const LoadedScene>(load_scene(std::move(scene)));
    edits.emplace(loaded);
    simulation = std::make_unique<SimulationThread>(loaded, options);
    snapshot = *simulation->latest();
    for (int i = 0; i < 3; ++i) frame();
  }
  ~Interface() { ImGui::DestroyContext(); }

  static Scene sheet() {
    Scene scene;
    scene.title = "A sheet";
    scene.description = "Three sentences. That say something. Of this scene.";
    scene.mesh = GridSource{4, 4, 1, 1};
    return scene;
  }

  PanelContext context() {
    return {snapshot,
            scenes,
            load,
            recording,
            limits,
            map,
            nullptr,
            0,
            60,
            [](double) { return glm::vec3(0.5F); },
            legend,
            view,
            intentions,
            *edits,
            [this](std::variant<Command, Control> what) {
              if (const auto* command = std::get_if<Command>(&what)) edits->record(*command);
              sent.push_back(std::move(what));
              edits->sent(++stamp);
              return stamp;
            },
            [this](AppRequest request) { requests.push_back(std::move(request)); }};
  }

  void frame() {
    ImGui::NewFrame();
    ui.draw(context(), width, height);
    ImGui::Render();
  }

  void move(float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMousePosEvent(x, y);
#else
    ImGui::GetIO().MousePos = ImVec2(x, y);
#endif
    frame();
  }
  void button(bool down, int which = 0) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMouseButtonEvent(which, down);
#else
    ImGui::GetIO().MouseDown[which] = down;
#endif
    frame();
  }
  void wheel(float notches) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMouseWheelEvent(0, notches);
#else
    ImGui::GetIO().MouseWheel = notches;
#endif
    frame();
  }
  ImVec4 rect(const std::string& name) {
    const auto found = item_rects().find(name);
    return found == item_rects().end() ? ImVec4(-1, -1, -1, -1) : found->second;
  }
  void click(const std::string& name) {
    const ImVec4 r = rect(name);
    move((r.x + r.z) / 2, (r.y + r.w) / 2);
    button(true);
    button(false);
    frame();
  }
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frame();
  }
  /// A key of a text field.
  void field_key(ImGuiKey key) {
    for (const bool down : {true, false}) {
#if IMGUI_VERSION_NUM >= 18700
      ImGui::GetIO().AddKeyEvent(key, down);
#else
      ImGui::GetIO().KeysDown[key] = down;
#endif
      frame();
    }
    for (int i = 0; i < 3; ++i) frame();
  }
  /// In a frame of its own and before it is drawn, as the window does it.
  bool press(Key key, char character = 0, bool ctrl = false) {
    ImGui::NewFrame();
    const bool used =
        ui.on_key({key, character, ctrl, false, false}, ImGui::GetIO().WantTextInput, context());
    ui.draw(context(), width, height);
    ImGui::Render();
    return used;
  }

  template <class T>
  const T* last_command() const {
    for (auto it = sent.rbegin(); it != sent.rend(); ++it) {
      if (const auto* command = std::get_if<Command>(&*it)) {
        if (const auto* wanted = std::get_if<T>(command)) return wanted;
      }
    }
    return nullptr;
  }
  template <class T>
  const T* last_control() const {
    for (auto it = sent.rbegin(); it != sent.rend(); ++it) {
      if (const auto* control = std::get_if<Control>(&*it)) {
        if (const auto* wanted = std::get_if<T>(control)) return wanted;
      }
    }
    return nullptr;
  }

  template <class Request>
  const Request* last_request() const {
    for (auto it = requests.rbegin(); it != requests.rend(); ++it)
      if (const auto* found = std::get_if<Request>(&*it)) return found;
    return nullptr;
  }

  float width = 0;
  float height = 0;
  std::optional<EditHistory> edits;
  std::unique_ptr<SimulationThread> simulation;
  Snapshot snapshot;
  std::vector<SceneEntry> scenes;
  LoadStatus load;
  ViewLegend legend;
  RecordingStatus recording;
  ViewSettings view;
  Intentions intentions;
  UserInterface ui;
  std::uint64_t stamp = 1000;
  std::vector<std::variant<Command, Control>> sent;
  const LimitSearch* limits = nullptr;
  const StabilityMap* map = nullptr;
  std::vector<AppRequest> requests;

 private:
  float scale_ = 1;
};

}  // namespace clothlab::testing
