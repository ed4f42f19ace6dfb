// SPDX-License-Identifier: MIT
#include "ui/panels/panels.h"

#include <imgui.h>

#include <optional>

#include "core/about.h"
#include "core/text_file.h"
#include "ui/actions.h"

namespace clothlab {
namespace {

std::string summary(const Recorder::Progress& progress) {
  return counted(progress.frames, "frame") + " · " + format_plain(progress.seconds) + " s · " +
         format_plain(static_cast<double>(progress.bytes) / 1e6) + " MB";
}

void running_notice(const PanelContext& context) {
  const Recorder::Progress& progress = context.recording.progress;
  const float size = ImGui::GetTextLineHeight(), button = units(104);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + size / 2, at.y + ImGui::GetFrameHeight() / 2),
                                              size * 0.36F, palette().failed, 20);
  ImGui::Dummy(ImVec2(size, size));
  ImGui::SameLine(0, units(6));
  ImGui::AlignTextToFramePadding();
  plain_text(shortened(summary(progress), ImGui::GetContentRegionAvail().x - button - units(6)));
  const RecordingStatus& recording = context.recording;
  std::string what = recording.comparison ? "Comparison video" : "";
  if (recording.settings.pictures) what += what.empty() ? "Pictures" : ", pictures";
  if (recording.settings.video) what += what.empty() ? "Video" : ", video";
  if (recording.settings.draws())
    what +=
        " of " + std::to_string(recording.pixels[0]) + "x" + std::to_string(recording.pixels[1]) + " pixels";
  if (recording.settings.meshes) what += what.empty() ? "Meshes" : ", meshes";
  explain_item(
      "recording-progress",
      what + " at " + format_plain(recording.settings.frames_per_second) + " fps of simulated time, into " +
          shown_path(recording.folder) +
          ". Frames follow simulated time. If files are written more slowly, the simulation waits for them." +
          (recording.settings.video || recording.comparison ? " The size of a video is added at its end."
                                                            : ""));
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - button);
  if (progress.stopped) {
    plain_text("Finishing ...");
  } else if (text_button("stop-recording", "Stop (Ctrl-R)",
                         "Ends the recording; waiting frames are still written.", {.width = button})) {
    context.request(StopRecording{});
  }
}

void ended_notice(const PanelContext& context) {
  const RecordingStatus& recording = context.recording;
  const bool failed = !recording.progress.error.empty();
  const std::string counts = summary(recording.progress);
  wrapped_text(failed ? recording.progress.error + " Complete: " + counts : "Recorded " + counts,
               failed ? palette().failed : palette().text);
  const bool compared = recording.comparison && !failed && recording.progress.frames > 0;
  if (compared) wrapped_text("Saved the comparison video as " + shown_path(recording.comparison->path) + ".");
  if (compared && !recording.settings.video && !recording.comparison->notice.empty())
    small_text(recording.comparison->notice);
  if (recording.settings.video && !failed && recording.progress.frames > 0) {
    wrapped_text("Saved the video as " + shown_path(recording.video.path) +
                 (recording.lanes > 1 ? ", and one of each other lane." : "."));
    if (!recording.video.notice.empty()) small_text(recording.video.notice);
  } else if (!compared) {
    wrapped_text("In " + shown_path(recording.folder));
  }
  if (recording.settings.pictures && recording.progress.frames > 0) {
    const std::string command = video_command(recording.settings);
    if (row_button("copy-video-command", "Copy the video command",
                   std::string("Run in ") + (recording.lanes > 1 ? "a lane's" : "that") +
                       " folder, it makes a video: " + command))
      context.request(CopyText{command});
  }
  if (row_button("copy-folder", "Copy the folder", "Copies the folder's path to the clipboard."))
    context.request(CopyText{utf8_of(recording.folder)});
  if (row_button("close-recording", "Close (Esc)", "Closes this message; the files stay."))
    context.request(CloseRecording{});
}

}  // namespace

void recording_notice(const PanelContext& context) {
  if (!context.recording.shown) return;
  (context.recording.progress.finished ? ended_notice : running_notice)(context);
}

void RecordingDialog::open(const std::filesystem::path& folder) {
  open_now();
  folder_ = utf8_of(folder);
  video_ = choose_video_file("video.mp4");
}

bool Dialog::on_key(const KeyPress& press) {
  if (!open_) return false;
  if (press.key == Key::escape) close();
  if (press.key == Key::enter) accept_ = true;
  return press.key != Key::none || !press.ctrl;
}

void RecordingDialog::draw(const PanelContext& context, const Area& view) {
  if (!is_open()) return;
  Recorder::Settings& settings = context.view.recording;
  begin_card("##record", "Record", view, units(480), palette().accent);
  check_item(
      "record-pictures", "Pictures of the view (PNG)", settings.pictures,
      "frame-000000.png and so on: the view without the panels, at its present size; the camera may move.");
  check_item("record-video",
             video_.notice.empty() ? "Video of the view (MP4)" : "Video of the view (animated PNG)",
             settings.video,
             "video" + utf8_of(video_.path.extension()) + ", the same pictures as one file. " +
                 (video_.notice.empty() ? "Written by the program ffmpeg." : video_.notice));
  const bool several = !context.snapshot.others.empty();
  if (several) {
    check_item(
        "record-comparison", "Comparison video of the lanes", settings.comparison,
        "comparison" + utf8_of(video_.path.extension()) +
            ": the lanes next to each other, from the camera of the view, each with letter, method and h, "
            "and a plot below them. Shows blow-ups. 1280x720 pixels.");
    ImGui::SetNextItemWidth(-1);
    choice_list("record-plot", title_of(settings.plot), "The plot below the lanes of the comparison video.",
                [&] {
                  for (std::size_t k = 0; k < kLanePlotNames.size(); ++k)
                    if (const auto plot = static_cast<LanePlot>(k);
                        list_item("record-plot:" + std::string(kLanePlotNames[k]), title_of(plot), "",
                                  plot == settings.plot))
                      settings.plot = plot;
                });
  }
  check_item("record-meshes", "Meshes (OBJ)", settings.meshes,
             "frame-000000.obj and so on, with the faces, texture coordinates and vertex order of the "
             "original mesh.");
  if (const auto rate = number_row(
          "record-rate", "Frame rate",
          "Frames per second of simulated time. A video played at this rate shows the cloth in real time.",
          settings.frames_per_second, kLeastRecordedRate, kMostRecordedRate, 60, "fps"))
    settings.frames_per_second = *rate;
  small_text(
      "Energies, strain and iterations of every step are written to diagnostics.csv in the same folder.");
  if (several)
    small_text("Each lane has its own folder, lane-A and so on. A lane that is added later is not recorded.");
  ImGui::AlignTextToFramePadding();
  plain_text("In a new folder inside");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  text_input("##folder", folder_);
  explain_item("record-folder", "The recording gets its own numbered folder inside this one.");
  ImGui::Spacing();
  const bool anything = settings.draws() || settings.meshes || (settings.comparison && several);
  const bool pressed =
      text_button("start-recording", "Start (Enter)", "Starts recording and plays the simulation.",
                  {.width = units(130), .enabled = anything});
  if (takes_enter(pressed) && anything) {
    context.request(StartRecording{settings, path_of(folder_)});
    close();
  }
  ImGui::SameLine();
  if (text_button("cancel-recording", "Cancel (Esc)", "Back to the cloth; nothing is recorded.",
                  {.width = units(130)}))
    close();
  end_card();
}

void AboutDialog::draw(const PanelContext& context, const Area& view) {
  if (!is_open()) return;
  std::string text = "ClothLab " + std::string(program_version());
  if (!program_commit().empty()) text += ", commit " + std::string(program_commit());
  begin_card("##about", text, view, units(680), palette().accent);
  plain_text("A laboratory for cloth and its time integrators. MIT licence.");
  section("Built with");
  text += "\n";
  for (const UsedLibrary& library : used_libraries()) {
    const std::string name = std::string(library.name) + " " + std::string(library.version);
    coloured_text(palette().accent, name);
    ImGui::SameLine(units(350));
    wrapped_text(library.licence);
    text += name + ": " + std::string(library.licence) + "\n";
  }
  note_text("about", text);
  ImGui::Spacing();
  if (takes_enter(text_button("close-about", "Close (Esc)", "Back to the cloth."))) close();
  const Action& copies = *find_action("copy-diagnostics");
  if (row_button("copy-diagnostics", copies.name, copies.help)) context.request(CopyDiagnostics{});
  end_card();
}

using Answer = AnswerUnsaved::Answer;

void UnsavedQuestion::answer(Answer answer, const PanelContext& context) {
  close();
  context.request(AnswerUnsaved{answer});
}

bool UnsavedQuestion::on_key(const KeyPress& press, const PanelContext& context) {
  if (!is_open()) return false;
  if (press.key == Key::escape) answer(Answer::cancel, context);
  if (press.key == Key::enter || press.character == 'S') answer(Answer::save, context);
  if (press.character == 'D' && !press.ctrl && !press.repeat) answer(Answer::discard, context);
  return true;
}

void UnsavedQuestion::draw(const PanelContext& context, const Area& view) {
  if (!is_open()) return;
  const std::string& title = context.edits.scene().title;
  begin_card("##unsaved", "Save the changes" + (title.empty() ? "?" : " of " + title + "?"), view, units(480),
             palette().careful);
  wrapped_text(changes_ + ".");
  ImGui::Spacing();
  if (text_button("unsaved-save", "Save (Enter)", "Asks for the scene file's name, then continues."))
    answer(Answer::save, context);
  ImGui::SameLine();
  if (text_button("unsaved-discard", "Don't save (D)", "Continues; these changes are lost."))
    answer(Answer::discard, context);
  ImGui::SameLine();
  if (text_button("unsaved-cancel", "Cancel (Esc)", "Back to the cloth; nothing is lost."))
    answer(Answer::cancel, context);
  end_card();
}

void SessionOffer::answer(AnswerSession::Answer answer, const PanelContext& context) {
  if (!std::exchange(answered_, true)) context.request(AnswerSession{answer});
}

bool SessionOffer::on_key(const KeyPress& press, const PanelContext& context) {
  if (!is_open()) return false;
  // A held key answers one offer, not the next one too.
  if (press.repeat || press.ctrl) return true;
  if (press.key == Key::escape) answer(AnswerSession::Answer::later, context);
  if (press.key == Key::enter || press.character == 'R') answer(AnswerSession::Answer::restore, context);
  if (press.character == 'D') answer(AnswerSession::Answer::discard, context);
  return true;
}

void SessionOffer::draw(const PanelContext& context, const Area& view) {
  if (!is_open()) return;
  begin_card("##session", "Restore the session that did not end properly?", view, units(560),
             palette().accent);
  wrapped_text(
      "The program was ended before its window was closed. Restore returns to the "
      "last step that was written, and pauses.");
  ImGui::Spacing();
  std::string text;
  for (const auto& [name, value] : rows_) {
    if (value.empty()) continue;
    coloured_text(palette().muted, name);
    ImGui::SameLine(units(150));
    wrapped_text(value);
    text.append(name).append(": ").append(value).append("\n");
  }
  note_text("session", text);
  ImGui::Spacing();
  std::optional<AnswerSession::Answer> chosen;
  if (text_button("session-restore", "Restore (Enter)",
                  "Replaces the present scene by the session. Asks first about unsaved changes."))
    chosen = AnswerSession::Answer::restore;
  ImGui::SameLine();
  if (text_button("session-later", "Not now (Esc)", "Keeps the session; the next start offers it again."))
    chosen = AnswerSession::Answer::later;
  ImGui::SameLine();
  if (text_button("session-discard", "Discard (D)", "Deletes the session's file."))
    chosen = AnswerSession::Answer::discard;
  if (chosen) answer(*chosen, context);
  answered_ = false;
  end_card();
}

}  // namespace clothlab
