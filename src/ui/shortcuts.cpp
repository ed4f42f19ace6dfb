#include "ui/shortcuts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "integrate/registry.h"
#include "ui/file_dialog.h"
#include "ui/recording_card.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

constexpr double kForEver = std::numeric_limits<double>::infinity();

void step_integrator(const ShortcutTargets& on, std::size_t by) {
  on.context.set_integrator((on.context.integrator() + by) % integrators().size());
}

void step_through_past(const ShortcutTargets& on, int direction) {
  on.context.send(Control(StepThroughPast{on.shift ? 10 * direction : direction}));
}

constexpr std::array kShortcuts = {
    Shortcut{Key::space, 0, false, false, "Space", "play or pause",
             [](const ShortcutTargets& on) { on.context.set_playing(!on.context.playing()); }},
    Shortcut{Key::none, 'S', false, true, "S", "one step, then pause",
             [](const ShortcutTargets& on) { on.context.send(Control(StepOnce{})); }},
    Shortcut{Key::none, 'R', false, false, "R", "reset: back to the start",
             [](const ShortcutTargets& on) { on.context.send(Command(Reset{})); }},
    Shortcut{Key::backspace, 0, false, true, "Backspace", "rewind a little, and pause",
             [](const ShortcutTargets& on) { on.context.send(Control(Rewind{})); }},
    Shortcut{Key::none, 'B', false, false, "B", "watch the last states again, slowly",
             [](const ShortcutTargets& on) { on.context.send(Control(WatchAgain{})); }},
    Shortcut{Key::left, 0, false, true, "Left  Right", "look back, forward; Shift: by ten",
             [](const ShortcutTargets& on) { step_through_past(on, -1); }},
    Shortcut{Key::right, 0, false, true, nullptr, nullptr,
             [](const ShortcutTargets& on) { step_through_past(on, 1); }},
    Shortcut{Key::home, 0, false, false, "Home  End", "earliest moment kept, present",
             [](const ShortcutTargets& on) { on.context.send(Control(ShowPast{-kForEver})); }},
    Shortcut{Key::end, 0, false, false, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.send(Control(ShowPast{kForEver})); }},
    Shortcut{Key::none, 'N', false, false, "N", "same start, next integrator",
             [](const ShortcutTargets& on) {
               on.context.run_again((on.context.integrator() + 1) % integrators().size());
             }},
    Shortcut{Key::none, '[', false, true, "[  ]", "slower, faster",
             [](const ShortcutTargets& on) { on.context.set_speed(on.context.speed() / 2); }},
    Shortcut{Key::none, ']', false, true, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.set_speed(on.context.speed() * 2); }},
    Shortcut{Key::none, 0, false, false, "1 to 9", "switch to that integrator", nullptr},
    Shortcut{Key::none, ',', false, true, ",  .", "previous, next integrator",
             [](const ShortcutTargets& on) { step_integrator(on, integrators().size() - 1); }},
    Shortcut{Key::none, '.', false, true, nullptr, nullptr,
             [](const ShortcutTargets& on) { step_integrator(on, 1); }},
    Shortcut{Key::none, 'E', false, false, "E", "explain the integrator",
             [](const ShortcutTargets& on) { on.context.view.explain = !on.context.view.explain; }},
    Shortcut{Key::none, 'F', false, false, "F", "frame the cloth",
             [](const ShortcutTargets& on) { on.context.request(FrameCloth{}); }},
    Shortcut{Key::none, 'W', false, false, "W", "wireframe",
             [](const ShortcutTargets& on) { on.context.view.wireframe = !on.context.view.wireframe; }},
    Shortcut{Key::none, 'H', false, false, "H", "strain heat map",
             [](const ShortcutTargets& on) { on.context.view.heat_map = !on.context.view.heat_map; }},
    Shortcut{Key::none, 'G', false, false, "G", "ground grid",
             [](const ShortcutTargets& on) { on.context.view.ground = !on.context.view.ground; }},
    Shortcut{Key::none, 'P', false, false, "P", "plots",
             [](const ShortcutTargets& on) { on.context.view.plots = !on.context.view.plots; }},
    Shortcut{Key::none, 'O', true, false, "Ctrl-O", "open a mesh (OBJ) or a scene (JSON)",
             [](const ShortcutTargets& on) { on.files.open(); }},
    Shortcut{Key::none, 'S', true, false, "Ctrl-S", "save the scene",
             [](const ShortcutTargets& on) { on.files.save(on.context.snapshot.loaded->scene.title); }},
    Shortcut{Key::none, 'Z', true, true, "Ctrl-Z", "undo a change of values, pins or scene",
             [](const ShortcutTargets& on) { on.context.request(Undo{}); }},
    Shortcut{Key::none, 'Y', true, true, "Ctrl-Y", "redo; also Ctrl-Shift-Z",
             [](const ShortcutTargets& on) { on.context.request(Redo{}); }},
    Shortcut{Key::none, 'Z', true, true, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.request(Redo{}); }, true},
    Shortcut{Key::f12, 0, false, false, "F12", "picture of the view (PNG)",
             [](const ShortcutTargets& on) { on.context.request(SavePicture{}); }},
    Shortcut{Key::none, 'E', true, false, "Ctrl-E", "export the mesh as it is (OBJ)",
             [](const ShortcutTargets& on) { on.files.save_mesh(on.context.snapshot.loaded->scene.title); }},
    Shortcut{Key::none, 'R', true, false, "Ctrl-R", "record pictures and meshes; stop",
             [](const ShortcutTargets& on) { record_or_stop(on.context, on.files, on.recording); }},
    Shortcut{Key::none, 'C', true, false, "Ctrl-Shift-C", "copy the command line",
             [](const ShortcutTargets& on) { on.context.request(CopyCommandLine{}); }, true},
    Shortcut{Key::none, 'Q', true, false, "Ctrl-Q", "quit",
             [](const ShortcutTargets& on) { on.context.request(Quit{}); }},
    Shortcut{Key::f1, 0, false, false, "F1", "this list",
             [](const ShortcutTargets& on) { on.help_open = !on.help_open; }},
    // For developers (README.md), so not in the list.
    Shortcut{Key::f5, 0, false, false, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.request(ReloadShaders{}); }},
    Shortcut{Key::none, 0, false, false, "Esc", "let go, close, cancel", nullptr},
};

struct MouseRow {
  const char* action;
  const char* help;
};
constexpr std::array kMouse = {
    MouseRow{"Left-drag on the cloth", "pull it where you took hold"},
    MouseRow{"Wheel while pulling", "away from you, towards you"},
    MouseRow{"Ctrl-click on the cloth", "pin the nearest particle, or free it"},
    MouseRow{"Ctrl-drag around particles", "pin all that are seen; with Shift free them"},
    MouseRow{"Left-drag a pinned particle", "move its pin"},
    MouseRow{"Right-drag", "orbit the camera"},
    MouseRow{"Middle-drag", "pan the camera"},
    MouseRow{"Wheel", "zoom"},
    MouseRow{"On a plot", "wheel zooms, drag pans, right-drag: box"},
    MouseRow{"Drop a file", "open that OBJ mesh or scene JSON"},
};

// Two columns of text; the first is as wide as given.
void row(const char* left, const char* right, float first) {
  const float start = ImGui::GetCursorPosX();
  ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
  ImGui::TextUnformatted(left);
  ImGui::PopStyleColor();
  ImGui::SameLine();
  ImGui::SetCursorPosX(start + first);
  ImGui::TextUnformatted(right);
}

}  // namespace

void record_or_stop(const PanelContext& context, const FileDialog& files, RecordingDialog& dialog) {
  const RecordingStatus& recording = context.recording;
  if (recording.shown && !recording.progress.finished) return context.request(StopRecording{});
  context.request(CloseRecording{});
  dialog.open(files.save_folder());
}

std::span<const Shortcut> shortcuts() { return kShortcuts; }

bool run_shortcut(const KeyPress& press, const ShortcutTargets& targets) {
  if (!press.ctrl && press.character >= '1' && press.character <= '9') {
    if (!press.repeat) targets.context.set_integrator(static_cast<std::size_t>(press.character - '1'));
    return true;
  }
  for (const Shortcut& shortcut : kShortcuts) {
    if (shortcut.act == nullptr || shortcut.key != press.key || shortcut.character != press.character ||
        shortcut.ctrl != press.ctrl || (press.ctrl && shortcut.shift != press.shift))
      continue;
    if (!press.repeat || shortcut.repeats) shortcut.act(targets);
    return true;
  }
  return false;
}

bool help_overlay(const Area& view) {
  ImGui::SetNextWindowPos(ImVec2(view.x + view.width / 2, view.y + view.height / 2), ImGuiCond_Always,
                          ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(view.width - units(16), view.height - units(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(20), units(16)));
  ImGui::Begin("##help", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoSavedSettings);
  ImGui::PushFont(fonts().heading);
  ImGui::TextUnformatted("Keys and mouse");
  ImGui::PopFont();
  ImGui::Spacing();
  const auto listed = std::count_if(kShortcuts.begin(), kShortcuts.end(),
                                    [](const Shortcut& shortcut) { return shortcut.keys != nullptr; });
  std::ptrdiff_t shown = 0;
  ImGui::BeginGroup();
  for (const Shortcut& shortcut : kShortcuts) {
    if (shortcut.keys == nullptr) continue;
    row(shortcut.keys, shortcut.help, units(88));
    if (++shown != (listed + 1) / 2) continue;
    ImGui::EndGroup();
    ImGui::SameLine(0, units(24));
    ImGui::BeginGroup();
  }
  ImGui::EndGroup();
  ImGui::SameLine(0, units(24));
  ImGui::BeginGroup();
  for (const MouseRow& mouse : kMouse) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
    ImGui::TextUnformatted(mouse.action);
    ImGui::PopStyleColor();
    ImGui::TextUnformatted(mouse.help);
    ImGui::Dummy(ImVec2(0, units(2)));
  }
  ImGui::EndGroup();
  ImGui::Spacing();
  const bool closed = text_button("Close (Esc)", "Back to the cloth.");
  note_item("close-help");
  ImGui::End();
  ImGui::PopStyleVar();
  return !closed;
}

}  // namespace clothlab
