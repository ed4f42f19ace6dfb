// SPDX-License-Identifier: MIT
#include "ui/widgets/file_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <cstdlib>

#include "core/text.h"
#include "core/text_file.h"
#include "documents/body_file.h"
#include "io/free_path.h"
#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// Most folders are read within this time and shown in the next picture.
constexpr std::chrono::milliseconds kAtOnce{30};

std::string file_size(std::uintmax_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  if (bytes < 1000 * 1000) return format_plain(static_cast<double>(bytes) / 1e3) + " kB";
  return format_plain(static_cast<double>(bytes) / 1e6) + " MB";
}

fs::path home() {
  for (const char* name : {"HOME", "USERPROFILE"})
    if (const char* value = std::getenv(name)) return value;
  return {};
}

struct Words {
  std::vector<std::string> extensions;  // in lower case; the first is that of a file to save
  const char* heading;
  const char* hint;  // in the empty text field
  const char* help;  // below the list
};

const Words& words_of(FileDialog::Purpose purpose) {
  static const std::array<Words, 7> kWords{{
      {{".obj", ".json", ".checkpoint", ".journal", ".clothlab"},
       "Open a mesh, scene, moment, journal or bundle",
       "Type to filter, or a whole path",
       "Arrows and Enter, or a click. OBJ meshes, scene files (JSON), checkpoints, journals "
       "and bundles."},
      {{".obj", ".pc2"},
       "Add a mesh as an obstacle",
       "Type to filter, or a whole path",
       "OBJ, or a point cache (PC2) that moves. Type body.obj#skin for one group of its faces, and "
       "walk_####.obj for a sequence of numbered files."},
      {{".obj"},
       "Add a mesh to the cloth",
       "Type to filter, or a whole path",
       "Its particles become part of the cloth. Type shirt.obj#collar for one group of its faces."},
      {{".json"},
       "Save the scene",
       "Name of the scene file",
       "Mesh, material, pins and all lanes with their settings, as JSON."},
      {{".obj"},
       "Export the mesh as it is now",
       "Name of the OBJ file",
       "The current shape, with the faces, texture coordinates and vertex order of the original mesh."},
      {{".checkpoint"},
       "Save this moment",
       "Name of the checkpoint",
       "The whole run at the moment shown; opened again, it continues with the same bits."},
      {{".clothlab"},
       "Save a bundle",
       "Name of the bundle",
       "One ZIP file with scene, meshes, bodies, all lanes, the journal and the version. It opens on any "
       "machine."},
  }};
  return kWords[static_cast<std::size_t>(purpose)];
}

}  // namespace

void FileDialog::set_places(const fs::path& open_from, const fs::path& save_in,
                            std::vector<fs::path> recent) {
  if (!open_from.empty()) open_from_ = open_from;
  if (!save_in.empty()) save_in_ = save_in;
  recent_ = std::move(recent);
}

void FileDialog::close() {
  purpose_.reset();
  reading_.reset();
}

void FileDialog::open(Purpose purpose, std::string_view title) {
  purpose_ = purpose;
  appearing_ = true;
  accept_awaited_ = false;
  entries_.clear();
  shown_.clear();
  std::error_code error;
  const fs::path& start = is_saving() ? save_in_ : open_from_;
  go_to(fs::is_directory(start, error) ? start : home());
  if (!is_saving()) return;
  const std::string stem = file_stem(title, {});
  text_ = (stem.empty() ? "scene" : stem) + words_of(purpose).extensions.front();
}

void FileDialog::go_to(const fs::path& folder) {
  problem_.clear();
  confirm_overwrite_ = false;
  std::error_code error;
  read_folder_ = fs::absolute(folder, error).lexically_normal();
  reading_ = std::make_unique<BackgroundTask<FolderListing>>(
      [wanted = read_folder_, extensions = words_of(*purpose_).extensions](const StopProbe& stop) {
        return list_folder(wanted, extensions, stop);
      });
  if (reading_->done(kAtOnce)) show_listing();
}

void FileDialog::show_listing() {
  const std::unique_ptr<BackgroundTask<FolderListing>> read = std::move(reading_);
  const FolderListing& found = read->result();
  problem_ = found.problem;
  if (!problem_.empty()) return;
  folder_ = read_folder_;
  (is_saving() ? save_in_ : open_from_) = folder_;
  entries_ = found.entries;
  if (!is_saving()) text_.clear();
  filter();
  appearing_ = true;
}

void FileDialog::filter() {
  const std::string wanted = !is_saving() ? lower_case(text_) : std::string();
  shown_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (wanted.empty() || entries_[i].key.find(wanted) != std::string::npos) shown_.push_back(i);
  // Enter on a filtered list prefers a file to a folder.
  const auto file = std::ranges::find_if(shown_, [&](std::size_t i) { return !entries_[i].is_folder; });
  selected_ = !wanted.empty() && file != shown_.end() ? static_cast<std::size_t>(file - shown_.begin()) : 0;
  scroll_to_selected_ = true;
}

void FileDialog::choose(const Entry& entry) {
  if (entry.is_folder) {
    const fs::path folder = entry.path;  // go_to replaces the entries
    go_to(folder);
  } else if (!is_saving()) {
    chosen_ = entry.path;
  } else {
    text_ = entry.name;
    appearing_ = true;
    confirm_overwrite_ = false;  // that was for another file
    problem_.clear();
  }
}

void FileDialog::accept() {
  appearing_ = true;  // Enter ends the input of text; it continues if nothing is chosen
  std::error_code error;
  const fs::path typed = path_of(text_).is_absolute() ? path_of(text_) : folder_ / path_of(text_);
  if (!is_saving()) {
    const bool whole_path = text_.find_first_of("/\\") != std::string::npos || text_ == "..";
    const bool names_body = text_.find('#') != std::string::npos;
    if (whole_path && fs::is_directory(typed, error))
      go_to(typed);
    else if ((whole_path && fs::exists(typed, error)) || (names_body && BodyFile(typed).exists()))
      chosen_ = typed;
    else if (whole_path)
      problem_ = shown_path(typed) + " does not exist.";
    else if (selected_ < shown_.size())
      choose(entries_[shown_[selected_]]);
    return;
  }
  if (text_.empty()) return;
  if (fs::is_directory(typed, error)) {
    go_to(typed);
    return;
  }
  fs::path target = typed;
  const std::string& extension = words_of(*purpose_).extensions.front();
  if (lower_case(utf8_of(target.extension())) != extension) target += extension;
  if (fs::exists(target, error) && !confirm_overwrite_) {
    problem_ = utf8_of(target.filename()) + " exists already. Save again to replace it.";
    confirm_overwrite_ = true;
    return;
  }
  chosen_ = target;
}

bool FileDialog::on_key(const KeyPress& press) {
  if (!is_open()) return false;
  constexpr std::array<std::pair<Key, int>, 4> kMoves{
      {{Key::up, -1}, {Key::down, 1}, {Key::page_up, -10}, {Key::page_down, 10}}};
  for (const auto& [key, by] : kMoves) {
    if (press.key != key) continue;
    const int last = std::max(static_cast<int>(shown_.size()) - 1, 0);
    selected_ = static_cast<std::size_t>(std::clamp(static_cast<int>(selected_) + by, 0, last));
    return scroll_to_selected_ = true;
  }
  if (press.key == Key::escape) return close(), true;
  if (press.key == Key::enter) return accept_awaited_ = true;  // earlier typing reaches the field in draw()
  if (press.key == Key::backspace) {
    // In an empty field, one folder up.
    if (!is_saving() && text_.empty() && !press.repeat) go_to(folder_.parent_path());
    return true;
  }
  return !press.ctrl;  // the rest is typing
}

void FileDialog::draw_places() {
  small_text("Places");
  const auto place = [&](const char* label, const fs::path& path) {
    if (!path.empty() && list_item("place:" + std::string(label), label, utf8_of(path))) go_to(path);
  };
  if (!is_saving()) place("Bundled meshes", bundled_);
  place("Home", home());
  std::error_code error;
  place("Working folder", fs::current_path(error));
  if (recent_.empty() || is_saving()) return;
  ImGui::Spacing();
  small_text("Recent files");
  for (std::size_t i = 0; i < recent_.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string name = shortened(utf8_of(recent_[i].filename()), ImGui::GetContentRegionAvail().x);
    if (list_item("recent:" + std::to_string(i), name, utf8_of(recent_[i]))) chosen_ = recent_[i];
    ImGui::PopID();
  }
}

void FileDialog::draw_list(float height) {
  ImGui::BeginChild("files", ImVec2(0, height), true);
  if (shown_.empty() && !is_reading())
    small_text(entries_.empty() ? "No such files here." : "No name here contains that.");
  // Only the rows in view are drawn, so the selected one cannot scroll itself there.
  const float row = ImGui::GetTextLineHeightWithSpacing();
  if (std::exchange(scroll_to_selected_, false))
    ImGui::SetScrollY(static_cast<float>(selected_) * row - (ImGui::GetWindowHeight() - row) / 2);
  std::size_t clicked = shown_.size();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_.size()), row);
  while (clipper.Step()) {
    for (auto i = static_cast<std::size_t>(clipper.DisplayStart);
         i < static_cast<std::size_t>(clipper.DisplayEnd); ++i) {
      ImGui::PushID(static_cast<int>(i));
      // A file is saved by its name, whatever is chosen in the list.
      const Entry& entry = entries_[shown_[i]];
      if (draw_entry(entry, is_saving() ? entry.name == text_ : i == selected_)) clicked = i;
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  if (clicked < shown_.size()) choose(entries_[shown_[clicked]]);
}

/// One row of the list; true when it was clicked.
bool FileDialog::draw_entry(const Entry& entry, bool selected) {
  const bool clicked = ImGui::Selectable("##entry", selected);
  note_item("file:" + entry.name);
  const ImVec2 a = ImGui::GetItemRectMin();
  const ImVec2 b = ImGui::GetItemRectMax();
  const float y = a.y + (b.y - a.y - ImGui::GetTextLineHeight()) / 2;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const std::string size = entry.is_folder ? std::string() : file_size(entry.bytes);
  const float size_width = text_width(size);
  // Columns as wide as their widest entry.
  const float of_size = text_width("000.00 MB") + units(6);
  const std::string date = format_time(entry.modified);
  const float of_date = text_width("0000-00-00 00:00") + units(14);
  const bool with_date = b.x - a.x > of_size + of_date + units(160);
  const float room = b.x - a.x - units(24) - (with_date ? of_size + of_date : size_width);
  const std::string name = shortened(entry.name + (entry.is_folder ? "/" : ""), room);
  if (name.find("...") != std::string::npos) tooltip(entry.name);
  draw->AddText(ImVec2(a.x + units(6), y), entry.is_folder ? palette().accent : palette().text, name.c_str());
  draw->AddText(ImVec2(b.x - units(6) - size_width, y), palette().muted, size.c_str());
  if (with_date) draw->AddText(ImVec2(b.x - of_size - of_date, y), palette().muted, date.c_str());
  return clicked;
}

// The folder, and what is typed.
void FileDialog::draw_head() {
  const Words& words = words_of(*purpose_);
  card_heading(words.heading);

  if (text_button("folder-up", "Up", "The folder above (Backspace when nothing is typed)."))
    go_to(folder_.parent_path());
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  // A long path is cut at its beginning.
  std::string path = utf8_of(folder_);
  while (path.size() > 8 && text_width(path) > ImGui::GetContentRegionAvail().x)
    path = "..." + path.substr(7);
  plain_text(path);

  if (appearing_) ImGui::SetKeyboardFocusHere();
  appearing_ = false;
  ImGui::SetNextItemWidth(-1);
  // The first typed letter replaces the suggested name.
  const ImGuiInputTextFlags flags =
      is_saving() ? ImGuiInputTextFlags_AutoSelectAll : ImGuiInputTextFlags_None;
  if (text_input("##text", text_, flags, words.hint)) {
    confirm_overwrite_ = false;
    problem_.clear();
    filter();
  }
  explain_item("file-text",
               is_saving() ? "The name of the file in this folder, or a whole path."
                           : "Shows only the files whose names contain this; a whole path opens directly.");
  if (!is_reading() && std::exchange(accept_awaited_, false)) accept();
}

// Messages and buttons.
void FileDialog::draw_foot() {
  if (is_reading())
    small_text("Reading " + utf8_of(read_folder_) + " ...");
  else if (problem_.empty())
    small_text(words_of(*purpose_).help);
  else
    coloured_text(palette().careful, problem_);
  if (text_button("file-accept", is_saving() ? "Save (Enter)" : "Open (Enter)",
                  is_saving() ? "Writes the file under this name." : "Opens the chosen or typed file.",
                  {.width = units(130)}))
    accept();
  ImGui::SameLine();
  if (text_button("file-cancel", "Cancel (Esc)", "Back to the cloth; nothing changes.",
                  {.width = units(130)}))
    close();
}

void FileDialog::draw(const Area& view, const Chosen& chosen) {
  if (!is_open()) return;
  if (reading_ && reading_->done()) show_listing();
  const ImVec2 size(std::min(units(720), view.width - units(24)),
                    std::min(units(470), view.height - units(24)));
  ImGui::SetNextWindowPos(ImVec2(view.x + view.width / 2, view.y + view.height / 2), ImGuiCond_Always,
                          ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSize(size);
  if (appearing_) ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(16), units(14)));
  ImGui::Begin("##file-dialog", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  draw_head();
  const float bottom = ImGui::GetFrameHeightWithSpacing() + ImGui::GetTextLineHeightWithSpacing() + units(4);
  const float height = std::max(units(60), ImGui::GetContentRegionAvail().y - bottom);
  ImGui::BeginChild("places", ImVec2(units(170), height));
  draw_places();
  ImGui::EndChild();
  ImGui::SameLine();
  draw_list(height);
  draw_foot();
  ImGui::End();
  ImGui::PopStyleVar();

  if (!chosen_.empty()) {
    const fs::path target = std::exchange(chosen_, {});
    const Purpose purpose = *purpose_;
    close();
    chosen(purpose, target);
  }
}

}  // namespace clothlab
