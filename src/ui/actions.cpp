// SPDX-License-Identifier: MIT
#include "ui/actions.h"

#include <algorithm>
#include <limits>

#include "ui/command_palette.h"
#include "ui/lanes.h"
#include "ui/panels/panels.h"
#include "ui/widgets/file_dialog.h"

namespace clothlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Request>
void ask(const ActionTargets& on) {
  on.context.request(Request{});
}
template <class What>
void control(const ActionTargets& on) {
  on.context.send(Control(What{}));
}
template <bool ViewSettings::*shown>
void flip(const ActionTargets& on) {
  on.context.view.*shown = !(on.context.view.*shown);
}
template <int by>
void step_through_past(const ActionTargets& on) {
  on.context.send(Control(StepThroughPast{on.shift ? 10 * by : by}));
}
template <int by>
void step_integrator(const ActionTargets& on) {
  on.context.step_integrator(by);
}
template <int by>
void resize_text(const ActionTargets& on) {
  change_text_size(on.context.view, by);
}
template <FileDialog::Purpose purpose>
void save(const ActionTargets& on) {
  on.files.open(purpose, on.context.snapshot.loaded->scene.title);
}

template <FileDialog::Purpose purpose>
void keep_and_save(const ActionTargets& on) {
  on.context.request(KeepForSaving{purpose});
  save<purpose>(on);
}

bool runs(const RecordingStatus& recording) { return recording.shown && !recording.progress.finished; }

// Ends the recording that runs, or opens the dialog.
void record_or_stop(const ActionTargets& on) {
  if (runs(on.context.recording)) return on.context.request(StopRecording{});
  if (on.recording.is_open()) return;  // with what was typed
  on.context.request(CloseRecording{});
  on.recording.open(on.files.save_folder());
}

void next_lane(const ActionTargets& on) {
  const std::vector<const LaneSnapshot*> lanes = on.context.snapshot.lanes();
  const auto here = std::ranges::find(lanes, on.context.snapshot.lane, &LaneSnapshot::lane);
  on.context.select_lane((here + 1 == lanes.end() ? lanes.front() : *(here + 1))->lane);
}

constexpr ActionKey ctrl(char character) { return {.character = character, .ctrl = true}; }
constexpr ActionKey ctrl_shift(char character) {
  return {.character = character, .ctrl = true, .shift = true};
}
constexpr ActionKey repeated(ActionKey key) {
  key.repeats = true;
  return key;
}

constexpr std::array kActions = {
    Action{"play",
           "Play or pause",
           "Space",
           {.key = Key::space},
           [](const ActionTargets& on) { on.context.set_playing(!on.context.playing()); }},
    Action{"step", "One step, then pause", "S", repeated({.character = 'S'}), control<StepOnce>},
    Action{"step-back", "One step of −h, then pause", "A", repeated({.character = 'A'}),
           [](const ActionTargets& on) { on.context.send(Command(StepBack{})); }},
    Action{"reset",
           "Reset to the start",
           "R",
           {.character = 'R'},
           [](const ActionTargets& on) { on.context.send(Command(Reset{})); }},
    Action{"rewind", "Rewind a little and pause", "Backspace", repeated({.key = Key::backspace}),
           control<Rewind>},
    Action{"swap-branches",
           "Undo continuing from the past",
           "Ctrl-Backspace",
           {.key = Key::backspace, .ctrl = true},
           control<SwapBranches>},
    Action{"watch-again", "Replay the last states slowly", "B", {.character = 'B'}, control<WatchAgain>},
    Action{"past-back", "Back in time", "Left", repeated({.key = Key::left}), step_through_past<-1>,
           "With Shift by ten.", "Back in time, with Shift by ten"},
    Action{"past-forward", "Forward in time", "Right", repeated({.key = Key::right}), step_through_past<1>,
           "With Shift by ten.", "Forward in time, with Shift by ten"},
    Action{"past-earliest",
           "Show the earliest kept state",
           "Home",
           {.key = Key::home},
           [](const ActionTargets& on) { on.context.send(Control(ShowPast{-kInfinity})); }},
    Action{"past-end",
           "Show the present",
           "End",
           {.key = Key::end},
           [](const ActionTargets& on) { on.context.send(Control(ShowPast{kInfinity})); }},
    Action{"add-lane",
           "Add a lane with another method",
           "C",
           {.character = 'C'},
           [](const ActionTargets& on) { on.context.add_lane(contrasting_method(on.context.snapshot)); }},
    Action{"repeat-run",
           "Repeat the run with the next integrator",
           "N",
           {.character = 'N'},
           [](const ActionTargets& on) { on.context.add_lane(next_new_method(on.context.snapshot), true); }},
    Action{"next-lane", "Next lane", "Tab", repeated({.key = Key::tab}), next_lane},
    Action{"lane-layout",
           "Lanes: tiles, overlaid, one alone",
           "L",
           {.character = 'L'},
           [](const ActionTargets& on) {
             LaneLayout& layout = on.context.view.lanes;
             layout = static_cast<LaneLayout>((static_cast<int>(layout) + 1) % 3);
           }},
    Action{"remove-lane",
           "Remove this lane",
           "Del",
           {.key = Key::del},
           [](const ActionTargets& on) { on.context.remove_lane(on.context.snapshot.lane); }},
    Action{"slower", "Slower", "[", repeated({.character = '['}),
           [](const ActionTargets& on) { on.context.set_speed(on.context.speed() / 2); }},
    Action{"faster", "Faster", "]", repeated({.character = ']'}),
           [](const ActionTargets& on) { on.context.set_speed(on.context.speed() * 2); }},
    Action{"digits", "Use that integrator, with Shift as a new lane", "1 to 9", {}},
    Action{"previous-method", "Previous integrator", ",", repeated({.character = ','}), step_integrator<-1>},
    Action{"next-method", "Next integrator", ".", repeated({.character = '.'}), step_integrator<1>},
    Action{"explain", "Explain the integrator", "E", {.character = 'E'}, flip<&ViewSettings::explain>},
    Action{"frame-cloth", "Frame the cloth", "F", {.character = 'F'}, ask<FrameCloth>},
    Action{"wireframe", "Wireframe", "W", {.character = 'W'}, flip<&ViewSettings::wireframe>},
    Action{"heat-map", "Heat map", "H", {.character = 'H'}, flip<&ViewSettings::heat_map>},
    Action{"ground", "Ground grid", "G", {.character = 'G'}, flip<&ViewSettings::ground>},
    Action{"plots", "Plots", "P", {.character = 'P'}, flip<&ViewSettings::plots>},
    Action{"theme",
           "Light or dark theme",
           nullptr,
           {},
           [](const ActionTargets& on) {
             Theme& theme = on.context.view.theme;
             theme = theme == Theme::light ? Theme::dark : Theme::light;
           }},
    Action{"commands", "Find commands and values by name", "Ctrl-K", ctrl('K'),
           [](const ActionTargets& on) { on.commands.open(); }},
    Action{"open", "Open a mesh, scene, moment, bundle or journal", "Ctrl-O", ctrl('O'),
           [](const ActionTargets& on) { on.files.open(FileDialog::Purpose::open); }},
    Action{"dress",
           "Dress the bodies",
           nullptr,
           {},
           ask<DressBodies>,
           "Moves the bodies that are meshes into the garment, by at most a third of its diagonal along each "
           "axis. Then all pins are free, the run restarts, and the bodies grow within the time of Grow, or "
           "0.1 s. Esc cancels the search; undo (Ctrl-Z) restores the scene."},
    Action{"open-added-mesh", "Add a mesh to the cloth", nullptr, {}, ask<ChooseAddedMesh>},
    Action{"open-obstacle", "Add a mesh as an obstacle", nullptr, {}, ask<ChooseMeshObstacle>},
    Action{"save-scene", "Save the scene", "Ctrl-S", ctrl('S'), save<FileDialog::Purpose::save_scene>},
    Action{"save-moment", "Save this moment", "Ctrl-Shift-S", ctrl_shift('S'),
           keep_and_save<FileDialog::Purpose::save_moment>,
           "The whole run as it is now. Open it later to continue with the same bits."},
    Action{"save-bundle", "Save a bundle", "Ctrl-B", ctrl('B'),
           keep_and_save<FileDialog::Purpose::save_bundle>,
           "One file to pass on: scene, meshes, bodies, all lanes as they are now, journal and version. It "
           "opens on any machine and continues with the same bits."},
    Action{"undo", "Undo a change of values, pins, lanes", "Ctrl-Z", repeated(ctrl('Z')), ask<Undo>},
    Action{"redo", "Redo", "Ctrl-Y", repeated(ctrl('Y')), ask<Redo>, "Ctrl-Shift-Z does the same.",
           "Redo, also by Ctrl-Shift-Z"},
    Action{"redo-z", nullptr, nullptr, repeated(ctrl_shift('Z')), ask<Redo>},
    Action{"save-picture",
           "Save a picture of the view (PNG)",
           "F12",
           {.key = Key::f12},
           ask<SavePicture>,
           "A PNG of the view, without the panels, in the folder that you last saved to."},
    Action{"export-mesh", "Export the current mesh (OBJ)", "Ctrl-E", ctrl('E'),
           save<FileDialog::Purpose::save_mesh>, "The current shape as an OBJ file."},
    Action{"record", "Record a video, pictures or meshes", "Ctrl-R", ctrl('R'), record_or_stop,
           "A video, pictures or meshes at a fixed rate of simulated time, with the figures of every step. "
           "The same key stops it.",
           "Record, or stop recording"},
    Action{"save-journal", "Save the journal of the session", "Ctrl-J", ctrl('J'), ask<SaveJournal>,
           "All commands so far, each with its step, as a file in the folder that you last saved to. "
           "`clothlab replay` repeats them with the same bits, or with another integrator."},
    Action{"copy-command", "Copy the command line", "Ctrl-Shift-C", ctrl_shift('C'), ask<CopyCommandLine>,
           "The command that runs this without a window: the scene with its current values, or a replay of "
           "the journal if you grabbed, moved or changed something."},
    Action{
        "copy-diagnostics",
        "Copy diagnostics",
        nullptr,
        {},
        ask<CopyDiagnostics>,
        "For a report of a fault: versions, graphics, processor, settings, scene, lanes and the last entries "
        "of the log as text. Your home folder is written as ~."},
    Action{"larger-text", "Larger text", "Ctrl +", repeated(ctrl('+')), resize_text<1>},
    // The key labelled plus, shifted or not.
    Action{"larger-text-2", nullptr, nullptr, repeated(ctrl_shift('+')), resize_text<1>},
    Action{"larger-text-3", nullptr, nullptr, repeated(ctrl('=')), resize_text<1>},
    Action{"larger-text-4", nullptr, nullptr, repeated(ctrl_shift('=')), resize_text<1>},
    Action{"smaller-text", "Smaller text", "Ctrl -", repeated(ctrl('-')), resize_text<-1>},
    Action{"default-text", "Default text size", "Ctrl 0", ctrl('0'),
           [](const ActionTargets& on) { on.context.view.interface_scale = kTextSizes[kUsualTextSize]; }},
    Action{"quit", "Quit", "Ctrl-Q", ctrl('Q'), ask<Quit>},
    Action{"help",
           "Keys and mouse",
           "F1",
           {.key = Key::f1},
           [](const ActionTargets& on) { on.help_open = !on.help_open; }},
    Action{"about",
           "About ClothLab",
           nullptr,
           {},
           [](const ActionTargets& on) { on.about.open(); },
           "Version, and libraries with their licences."},
    // For developers (docs/install.md), so not in the list.
    Action{"reload-shaders", nullptr, nullptr, {.key = Key::f5}, ask<ReloadShaders>},
    Action{"escape", "Release, close, cancel", "Esc", {}},
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
    HelpRow{"Alt-drag", "orbit anywhere; with Shift pan, with Ctrl zoom"},
    HelpRow{"Wheel", "zoom; sideways or with Shift pan"},
    HelpRow{"Two-finger scroll", "the same; with Trackpad (View tab) orbit, Ctrl zooms"},
    HelpRow{"On a plot", "wheel zooms, drag pans, right-drag: box"},
    HelpRow{"Drop a file", "open it; with Shift: add a mesh as a body, with Ctrl: to the cloth"},
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

std::span<const Action> actions() { return kActions; }

const Action* find_action(std::string_view id) {
  const auto found = std::ranges::find(kActions, id, &Action::id);
  return found == kActions.end() ? nullptr : &*found;
}

const char* current_name(const Action& action, const RecordingStatus& recording) {
  return action.id == "record" && runs(recording) ? "Stop recording" : action.name;
}

bool run_action(const KeyPress& press, const ActionTargets& targets) {
  if (!press.ctrl && press.character >= '1' && press.character <= '9') {
    const auto row = static_cast<std::size_t>(press.character - '1');
    if (press.repeat) return true;
    if (press.shift)
      targets.context.add_lane(row);
    else
      targets.context.set_integrator(row);
    return true;
  }
  for (const Action& each : kActions) {
    const ActionKey& key = each.key;
    if (!key.exists() || key.key != press.key || key.character != press.character || key.ctrl != press.ctrl ||
        (press.ctrl && key.shift != press.shift))
      continue;
    if (!press.repeat || key.repeats) each.act(targets);
    return true;
  }
  return false;
}

bool help_overlay(const Area& view, AboutDialog& about, CommandPalette& commands) {
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
  // Above the list, which may be longer than the window.
  const bool closed = text_button("close-help", "Close (Esc)", "Back to the cloth.");
  const auto row = [](const char* id, const char* help) {
    return row_button(id, find_action(id)->name, help);
  };
  const bool finds = row("commands", "Everything by its name (Ctrl-K).");
  if (finds) commands.open();
  const bool wants_about = row("about", find_action("about")->help);
  if (wants_about) about.open();
  ImGui::Spacing();
  const float room =
      view.width - units(16) - 2 * ImGui::GetStyle().WindowPadding.x - ImGui::GetStyle().ScrollbarSize;
  std::vector<HelpRow> keys;
  for (const Action& each : kActions)
    if (each.keys != nullptr) keys.push_back({each.keys, each.listed != nullptr ? each.listed : each.name});
  help_columns(keys, room, 3);
  section("Mouse");
  help_columns({kMouse.begin(), kMouse.end()}, room, 2);
  ImGui::End();
  ImGui::PopStyleVar();
  return !closed && !wants_about && !finds;
}

}  // namespace clothlab
