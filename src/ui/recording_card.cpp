#include "ui/recording_card.h"

#include <imgui.h>

#include <cstdio>
#include <utility>

#include "core/text.h"
#include "core/text_file.h"
#include "ui/numbers.h"
#include "ui/parameter_row.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

std::string summary(const Recorder::Progress& progress) {
  return format_count(progress.frames) + (progress.frames == 1 ? " frame · " : " frames · ") +
         format_plain(progress.seconds) + " s · " + format_plain(static_cast<double>(progress.bytes) / 1e6) +
         " MB";
}

void running_card(const PanelContext& context, const Area& view) {
  const Recorder::Progress& progress = context.recording.progress;
  begin_card("##recording", view, ImVec2(0, 0), units(360), palette().failed);
  const float size = ImGui::GetTextLineHeight();
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + size / 2, at.y + ImGui::GetFrameHeight() / 2),
                                              size * 0.36F, palette().failed, 20);
  ImGui::Dummy(ImVec2(size, size));
  ImGui::SameLine(0, units(6));
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(displayable(summary(progress)).c_str());
  note_item("recording-progress");
  tooltip("Into " + shown_path(context.recording.folder) +
          ". Frames follow simulated time; where files cannot be written as fast, the simulation waits for "
          "them.");
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - units(104));
  if (progress.stopped) {
    ImGui::TextUnformatted("Finishing ...");
  } else {
    if (text_button("Stop (Ctrl-R)", "Ends the recording; what is under way is still written.", units(104)))
      context.request(StopRecording{});
    note_item("stop-recording");
  }
  end_card();
}

void ended_card(const PanelContext& context, const Area& view) {
  const RecordingStatus& recording = context.recording;
  const bool failed = !recording.progress.error.empty();
  begin_card("##recording", view, ImVec2(0.5F, 0.42F), units(560),
             failed ? palette().failed : palette().good);
  card_heading(failed ? palette().failed : palette().text,
               failed ? "The recording has ended early" : "Recorded");
  if (failed) card_text(recording.progress.error);
  card_text(summary(recording.progress) + (failed ? " are whole, in" : " in"));
  card_text(shown_path(recording.folder));
  if (recording.settings.pictures && recording.progress.frames > 0) {
    const std::string command = video_command(recording.settings);
    small_text("A video of the pictures, typed in that folder:");
    card_text(command);
    if (text_button("Copy the command", "Puts it on the clipboard.")) context.request(CopyText{command});
    note_item("copy-video-command");
    ImGui::SameLine();
  }
  if (text_button("Copy the folder", "Puts the folder's path on the clipboard."))
    context.request(CopyText{shown_path(recording.folder)});
  note_item("copy-folder");
  ImGui::SameLine();
  if (text_button("Close (Esc)", "Back to the cloth.")) context.request(CloseRecording{});
  note_item("close-recording");
  end_card();
}

}  // namespace

void recording_card(const PanelContext& context, const Area& view) {
  if (!context.recording.shown) return;
  (context.recording.progress.finished ? ended_card : running_card)(context, view);
}

void RecordingDialog::open(const std::filesystem::path& folder) {
  open_ = true;
  accept_ = false;
  std::snprintf(folder_.data(), folder_.size(), "%s", shown_path(folder).c_str());
}

bool RecordingDialog::on_key(const KeyPress& press) {
  if (!open_) return false;
  if (press.key == Key::escape) close();
  if (press.key == Key::enter) accept_ = true;
  return press.key != Key::none || !press.ctrl;
}

void RecordingDialog::draw(const PanelContext& context, const Area& view) {
  if (!open_) return;
  Recorder::Settings& settings = context.view.recording;
  begin_card("##record", view, ImVec2(0.5F, 0.42F), units(480), palette().accent);
  card_heading(palette().text, "Record");
  ImGui::Checkbox("Pictures of the view (PNG)", &settings.pictures);
  note_item("record-pictures");
  tooltip("frame-000000.png and on, without the panels, of the view's present size; the camera may move.");
  ImGui::Checkbox("Meshes (OBJ)", &settings.meshes);
  note_item("record-meshes");
  tooltip(
      "frame-000000.obj and on, with the faces, texture coordinates and vertex order of the mesh that was "
      "read.");
  if (const auto rate =
          number_row("record-rate", "Frame rate",
                     "Frames per second of simulated time. A video that is shown at this rate runs as "
                     "fast as the real cloth would.",
                     settings.frames_per_second, kLeastFrameRate, kMostFrameRate, 60, "1/s"))
    settings.frames_per_second = *rate;
  small_text("Every step's energies, strain and iterations are written beside them, as diagnostics.csv.");
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("In a new folder of");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##folder", folder_.data(), folder_.size());
  note_item("record-folder");
  tooltip("The folder that the recording's own, numbered folder is made in.");
  ImGui::Spacing();
  const bool anything = settings.pictures || settings.meshes;
  ImGui::BeginDisabled(!anything);
  const bool pressed = text_button("Start (Enter)", "Records from now on; the simulation plays.", units(130));
  ImGui::EndDisabled();
  note_item("start-recording");
  if (anything && (std::exchange(accept_, false) || pressed)) {
    const std::string folder = folder_.data();
    context.request(
        StartRecording{settings, std::filesystem::path(std::u8string(folder.begin(), folder.end()))});
    close();
  }
  ImGui::SameLine();
  if (text_button("Cancel (Esc)", "Back to the cloth; nothing is recorded.", units(130))) close();
  note_item("cancel-recording");
  end_card();
}

}  // namespace clothlab
