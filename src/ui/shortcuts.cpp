// SPDX-License-Identifier: MIT
#include "ui/shortcuts.h"

#include <algorithm>
#include <limits>

#include "ui/lanes.h"
#include "ui/panels/panels.h"
#include "ui/widgets/file_dialog.h"

namespace clothlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Request>
void ask(const ShortcutTargets& on) {
  on.context.request(Request{});
}
template <class What>
void control(const ShortcutTargets& on) {
  on.context.send(Control(What{}));
}
template <bool ViewSettings::*shown>
void flip(const ShortcutTargets& on) {
  on.context.view.*shown = !(on.context.view.*shown);
}
template <int by>
void step_through_past(const ShortcutTargets& on) {
  on.context.send(Control(StepThroughPast{on.shift ? 10 * by : by}));
}
template <int by>
void step_integrator(const ShortcutTargets& on) {
  on.context.step_integrator(by);
}
template <int by>
void resize_text(const ShortcutTargets& on) {
  change_text_size(on.context.view, by);
}
template <FileDialog::Purpose purpose>
void save(const ShortcutTargets& on) {
  on.files.open(purpose, on.context.snapshot.loaded->scene.title);
}

void save_moment(const ShortcutTargets& on) {
  on.context.request(KeepShownMoment{});
  save<FileDialog::Purpose::save_moment>(on);
}

void next_lane(const ShortcutTargets& on) {
  const std::vector<const LaneSnapshot*> lanes = on.context.snapshot.lanes();
  const auto here = std::ranges::find(lanes, on.context.snapshot.lane, &LaneSnapshot::lane);
  on.context.select_lane((here + 1 == lanes.end() ? lanes.front() : *(here + 1))->lane);
}

constexpr std::array kShortcuts = {
    Shortcut{Key::space, 0, false, false, "Space", "play or pause",
             [](const ShortcutTargets& on) { on.context.set_playing(!on.context.playing()); }},
    Shortcut{Key::none, 'S', false, true, "S", "one step, then pause", control<StepOnce>},
    Shortcut{Key::none, 'A', false, true, "A", "one step of −h, then pause",
             [](const ShortcutTargets& on) { on.context.send(Command(StepBack{})); }},
    Shortcut{Key::none, 'R', false, false, "R", "reset to the start",
             [](const ShortcutTargets& on) { on.context.send(Command(Reset{})); }},
    Shortcut{Key::backspace, 0, false, true, "Backspace", "rewind a little and pause", control<Rewind>},
    Shortcut{Key::backspace, 0, true, false, "Ctrl-Backspace", "undo continuing from the past",
             control<SwapBranches>},
    Shortcut{Key::none, 'B', false, false, "B", "replay the last states slowly", control<WatchAgain>},
    Shortcut{Key::left, 0, false, true, "Left  Right", "back, forward in time; Shift: by ten",
             step_through_past<-1>},
    Shortcut{Key::right, 0, false, true, nullptr, nullptr, step_through_past<1>},
    Shortcut{Key::home, 0, false, false, "Home  End", "to the earliest kept state, the present",
             [](const ShortcutTargets& on) { on.context.send(Control(ShowPast{-kInfinity})); }},
    Shortcut{Key::end, 0, false, false, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.send(Control(ShowPast{kInfinity})); }},
    Shortcut{Key::none, 'C', false, false, "C", "add a lane with another method",
             [](const ShortcutTargets& on) { on.context.add_lane(contrasting_method(on.context.snapshot)); }},
    Shortcut{
        Key::none, 'N', false, false, "N", "repeat the run with the next integrator",
        [](const ShortcutTargets& on) { on.context.add_lane(next_new_method(on.context.snapshot), true); }},
    Shortcut{Key::tab, 0, false, true, "Tab", "next lane", next_lane},
    Shortcut{Key::none, 'L', false, false, "L", "lanes: tiles, overlaid, one alone",
             [](const ShortcutTargets& on) {
               LaneLayout& layout = on.context.view.lanes;
               layout = static_cast<LaneLayout>((static_cast<int>(layout) + 1) % 3);
             }},
    Shortcut{Key::del, 0, false, false, "Del", "remove this lane",
             [](const ShortcutTargets& on) { on.context.remove_lane(on.context.snapshot.lane); }},
    Shortcut{Key::none, '[', false, true, "[  ]", "slower, faster",
             [](const ShortcutTargets& on) { on.context.set_speed(on.context.speed() / 2); }},
    Shortcut{Key::none, ']', false, true, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.set_speed(on.context.speed() * 2); }},
    Shortcut{Key::none, 0, false, false, "1 to 9", "switch to that integrator; Shift: as a new lane",
             nullptr},
    Shortcut{Key::none, ',', false, true, ",  .", "previous, next integrator", step_integrator<-1>},
    Shortcut{Key::none, '.', false, true, nullptr, nullptr, step_integrator<1>},
    Shortcut{Key::none, 'E', false, false, "E", "explain the integrator (Method tab), and back",
             flip<&ViewSettings::explain>},
    Shortcut{Key::none, 'F', false, false, "F", "frame the cloth", ask<FrameCloth>},
    Shortcut{Key::none, 'W', false, false, "W", "wireframe", flip<&ViewSettings::wireframe>},
    Shortcut{Key::none, 'H', false, false, "H", "heat map", flip<&ViewSettings::heat_map>},
    Shortcut{Key::none, 'G', false, false, "G", "ground grid", flip<&ViewSettings::ground>},
    Shortcut{Key::none, 'P', false, false, "P", "plots", flip<&ViewSettings::plots>},
    Shortcut{Key::none, 'O', true, false, "Ctrl-O", "open a mesh, scene, moment or journal",
             [](const ShortcutTargets& on) { on.files.open(FileDialog::Purpose::open); }},
    Shortcut{Key::none, 'S', true, false, "Ctrl-S", "save the scene", save<FileDialog::Purpose::save_scene>},
    Shortcut{Key::none, 'S', true, false, "Ctrl-Shift-S", "save this moment", save_moment, true},
    Shortcut{Key::none, 'Z', true, true, "Ctrl-Z", "undo a change of values, pins, lanes or scene",
             ask<Undo>},
    Shortcut{Key::none, 'Y', true, true, "Ctrl-Y", "redo; also Ctrl-Shift-Z", ask<Redo>},
    Shortcut{Key::none, 'Z', true, true, nullptr, nullptr, ask<Redo>, true},
    Shortcut{Key::f12, 0, false, false, "F12", "picture of the view (PNG)", ask<SavePicture>},
    Shortcut{Key::none, 'E', true, false, "Ctrl-E", "export the current mesh (OBJ)",
             save<FileDialog::Purpose::save_mesh>},
    Shortcut{Key::none, 'R', true, false, "Ctrl-R", "record pictures and meshes; stop",
             [](const ShortcutTargets& on) { record_or_stop(on.context, on.files, on.recording); }},
    Shortcut{Key::none, 'J', true, false, "Ctrl-J", "save the journal of the session", ask<SaveJournal>},
    Shortcut{Key::none, 'C', true, false, "Ctrl-Shift-C", "copy the command line", ask<CopyCommandLine>,
             true},
    Shortcut{Key::none, '+', true, true, "Ctrl + - 0", "text larger, smaller, default size", resize_text<1>},
    // The key labelled plus, shifted or not.
    Shortcut{Key::none, '+', true, true, nullptr, nullptr, resize_text<1>, true},
    Shortcut{Key::none, '=', true, true, nullptr, nullptr, resize_text<1>},
    Shortcut{Key::none, '=', true, true, nullptr, nullptr, resize_text<1>, true},
    Shortcut{Key::none, '-', true, true, nullptr, nullptr, resize_text<-1>},
    Shortcut{Key::none, '0', true, false, nullptr, nullptr,
             [](const ShortcutTargets& on) { on.context.view.interface_scale = kTextSizes[kUsualTextSize]; }},
    Shortcut{Key::none, 'Q', true, false, "Ctrl-Q", "quit", ask<Quit>},
    Shortcut{Key::f1, 0, false, false, "F1", "this list",
             [](const ShortcutTargets& on) { on.help_open = !on.help_open; }},
    // For developers (docs/install.md), so not in the list.
    Shortcut{Key::f5, 0, false, false, nullptr, nullptr, ask<ReloadShaders>},
    Shortcut{Key::none, 0, false, false, "Esc", "release, close, cancel", nullptr},
};

struct HelpRow {
  const char* what;
  const char* help;
};
constexpr std::array kMouse = {
    HelpRow{"Left-drag on the cloth", "grab the marked point"},
    HelpRow{"Left-drag on a body", "move it with the cloth on it"},
    HelpRow{"Left-drag next to the cloth", "orbit the camera; with Shift pan"},
    HelpRow{"Wheel during a grab", "move the grab away or closer"},
    HelpRow{"Alt-click on the cloth",
            "follow the nearest particle (trail, height, speed, phase); again: stop"},
    HelpRow{"Ctrl-click on the cloth", "pin the nearest particle, or free it"},
    HelpRow{"Ctrl-drag around particles", "pin those that are visible; with Shift free them"},
    HelpRow{"Left-drag a pinned particle", "move its pin"},
    HelpRow{"Right-drag", "orbit the camera anywhere"},
    HelpRow{"Middle-drag", "pan the camera anywhere"},
    HelpRow{"Wheel", "zoom"},
    HelpRow{"On a plot", "wheel zooms, drag pans, right-drag: box"},
    HelpRow{"Drop a file", "open that OBJ mesh or scene JSON; with Shift: a mesh as a body"},
};

// Pairs of texts in as many columns as there is room for, filled one after the other.
void help_columns(const std::vector<HelpRow>& rows, float room, std::size_t most) {
  float first = 0, second = 0;
  for (const HelpRow& row : rows) {
    first = std::max(first, text_width(row.what));
    second = std::max(second, text_width(row.help));
  }
  const float between = units(14), gap = units(30), width = first + between + second;
  const auto fitting = static_cast<std::size_t>(std::max(1.0F, (room + gap) / (width + gap)));
  const std::size_t columns = std::min(most, fitting);
  const std::size_t in_each = (rows.size() + columns - 1) / columns;
  const float start = ImGui::GetCursorPosX();
  for (std::size_t line = 0; line < in_each; ++line)
    for (std::size_t i = line; i < rows.size(); i += in_each) {
      const std::size_t column = i / in_each;
      const float left = start + static_cast<float>(column) * (width + gap);
      if (i > line) ImGui::SameLine();
      ImGui::SetCursorPosX(left);
      coloured_text(palette().accent, rows[i].what);
      ImGui::SameLine();
      ImGui::SetCursorPosX(left + first + between);
      plain_text(rows[i].help);
      note_item(std::string("help:") + rows[i].what);
    }
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
    const auto row = static_cast<std::size_t>(press.character - '1');
    if (press.repeat) return true;
    if (press.shift)
      targets.context.add_lane(row);
    else
      targets.context.set_integrator(row);
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

bool help_overlay(const Area& view, AboutDialog& about) {
  ImGui::SetNextWindowPos(ImVec2(view.x + view.width / 2, view.y + view.height / 2), ImGuiCond_Always,
                          ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(view.width - units(16), view.height - units(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(20), units(16)));
  ImGui::Begin("##help", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoSavedSettings);
  card_heading("Keys and mouse");
  ImGui::Spacing();
  const float room =
      view.width - units(16) - 2 * ImGui::GetStyle().WindowPadding.x - ImGui::GetStyle().ScrollbarSize;
  std::vector<HelpRow> keys;
  for (const Shortcut& shortcut : kShortcuts)
    if (shortcut.keys != nullptr) keys.push_back({shortcut.keys, shortcut.help});
  help_columns(keys, room, 3);
  section("Mouse");
  help_columns({kMouse.begin(), kMouse.end()}, room, 2);
  ImGui::Spacing();
  const bool closed = text_button("close-help", "Close (Esc)", "Back to the cloth.");
  const bool wants_about =
      row_button("about", "About ClothLab", "Version, and libraries with their licences.");
  if (wants_about) about.open();
  ImGui::End();
  ImGui::PopStyleVar();
  return !closed && !wants_about;
}

}  // namespace clothlab
