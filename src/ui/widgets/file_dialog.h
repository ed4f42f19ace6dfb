// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/background_task.h"
#include "documents/folder_listing.h"
#include "ui/keys.h"
#include "ui/overlays.h"

namespace clothlab {

/// Dialog to open a file and to name one to save, since no native dialog exists on every system. The keyboard
/// goes to its text field, whose text filters the list, names the file to save, or is a whole path; arrows
/// choose, Enter opens.
class FileDialog {
 public:
  using Purpose = FilePurpose;

  /// Shows the files that can be opened, in the last folder, or asks for the name of the file to save; the
  /// suggestion is based on `title`.
  void open(Purpose purpose, std::string_view title = {});
  void close();
  bool is_open() const { return purpose_.has_value(); }
  /// Whether a folder is still being read; the previous one is shown until then.
  bool is_reading() const { return reading_ != nullptr; }

  /// The folders to open from and to save in, and files that were opened before, newest first. An empty
  /// folder keeps the last shown one.
  void set_places(const std::filesystem::path& open_from, const std::filesystem::path& save_in,
                  std::vector<std::filesystem::path> recent);
  /// The folder of the meshes and scenes that come with the program: a place to open from. Empty: none.
  void set_bundled(std::filesystem::path folder) { bundled_ = std::move(folder); }
  const std::filesystem::path& save_folder() const { return save_in_; }

  /// True when the key was meant for the dialog.
  bool on_key(const KeyPress& press);

  /// Draws the dialog, if open. Returns the user's choice: an existing file to open, or a path to save to
  /// that ends in .json, .obj, .checkpoint or .clothlab.
  using Chosen = std::function<void(Purpose purpose, const std::filesystem::path& path)>;
  void draw(const Area& view, const Chosen& chosen);

 private:
  using Entry = FolderListing::Entry;

  bool is_saving() const { return purpose_ > Purpose::added_mesh; }
  void go_to(const std::filesystem::path& folder);
  void show_listing();
  void filter();
  void choose(const Entry& entry);
  void accept();
  void draw_places();
  void draw_head();
  void draw_foot();
  void draw_list(float height);
  bool draw_entry(const Entry& entry, bool selected);

  std::optional<Purpose> purpose_;
  bool appearing_ = false;
  bool scroll_to_selected_ = false;
  bool confirm_overwrite_ = false;
  bool accept_awaited_ = false;
  std::filesystem::path folder_;  // that is shown
  std::filesystem::path open_from_, save_in_, bundled_;
  std::vector<std::filesystem::path> recent_;
  std::filesystem::path read_folder_;  // that is being read
  std::unique_ptr<BackgroundTask<FolderListing>> reading_;
  std::vector<Entry> entries_;      // of the folder
  std::vector<std::size_t> shown_;  // indices into entries_ that pass the filter
  std::size_t selected_ = 0;        // index into shown_
  std::string problem_;             // with the folder or the name
  std::string text_;
  std::filesystem::path chosen_;  // returned by draw()
};

}  // namespace clothlab
