// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ui/command_palette.h"
#include "ui/panels/panels.h"
#include "ui/widgets/file_dialog.h"

namespace clothlab {

/// The window's interface around the cloth: side panel, plots, status bar and overlays. It owns display state
/// (open dialogs, messages), never the simulation.
class UserInterface {
 public:
  /// The part of a window of the given size that is free for the cloth, in window coordinates.
  Area view_area(float width, float height, const ViewSettings& view) const {
    return layout(width, height, view).view;
  }

  /// Draws everything; between ImGui::NewFrame() and ImGui::Render().
  void draw(const PanelContext& context, float width, float height);

  /// Handles a key from the window's callback that is not typed text. `typing`: a text field has the
  /// keyboard. True when the key was used.
  bool on_key(const KeyPress& press, bool typing, const PanelContext& context);

  /// A sentence below the view: a refused file, a saved scene.
  void show_message(std::string_view text, bool is_error);
  /// A sentence about a scene, until another scene is shown.
  void show_message_of(std::shared_ptr<const LoadedScene> scene, std::string_view text,
                       bool is_error = false);
  const std::string& message() const { return message_; }
  MeshBar& mesh_bar() { return mesh_bar_; }
  const MeshBar& mesh_bar() const { return mesh_bar_; }

  /// The title of the open tab, and a request to open the one of that title, where it exists, in the next
  /// picture.
  const std::string& tab() const { return tab_; }
  void open_tab(std::string_view title);

  FileDialog& files() { return files_; }
  /// Whether the picture changes by itself: an expiring message, a blinking text cursor.
  bool waits_for_time() const;
  UnsavedQuestion& question() { return question_; }
  SessionOffer& session_offer() { return session_offer_; }
  bool dialog_open() const {
    return files_.is_open() || help_open_ || about_.is_open() || recording_.is_open() || tableau_.is_open() ||
           question_.is_open() || session_offer_.is_open() || commands_.is_open();
  }

 private:
  /// The parts of the window next to the side panel, in window coordinates.
  struct Layout {
    Area view, notices, timeline, shelf, plots;
  };
  Layout layout(float width, float height, const ViewSettings& view) const;
  void draw_below(const PanelContext& context, const Layout& parts, float bottom);
  void draw_shelf(const PanelContext& context, const Area& area);
  void draw_side_panel(const PanelContext& context, float x, float height);
  ActionTargets action_targets(const PanelContext& context, bool shift = false);
  /// Behind the question about unsaved changes and its file dialog, the offer waits.
  bool offers_session() const {
    return session_offer_.is_open() && !question_.is_open() && !files_.is_open();
  }
  void main_buttons(const PanelContext& context);
  void export_menu(const PanelContext& context);
  void draw_overlays(const PanelContext& context, const Layout& parts);
  void draw_cards(const PanelContext& context, const Area& view, const Area& window);
  void draw_tabs(const PanelContext& context, bool low);
  void show_what_is_new(const Snapshot& snapshot);
  /// The notice that the shelf shows with its cures; null while it shows something else, or nothing.
  const Notice* gain_to_show(const PanelContext& context) const;
  /// Whether the blow-up bar shows the same sentence, for the active lane or because no lane runs on.
  bool is_told_by_bar(const Snapshot& now, std::string_view line) const;
  /// Removes the lines of the message that the shelf shows.
  void drop_told_lines(const PanelContext& context);

  FileDialog files_;
  RecordingDialog recording_;
  TableauDialog tableau_;
  UnsavedQuestion question_;
  SessionOffer session_offer_;
  AboutDialog about_;
  CommandPalette commands_;
  bool export_menu_open_ = false;
  bool export_menu_closes_ = false;
  std::string tab_, wanted_tab_;
  std::string tab_before_ = "Scene";  // to which E returns
  bool help_open_ = false;
  MeshBar mesh_bar_;
  bool why_open_ = false;
  std::optional<Notice> closed_gain_;
  float shelf_height_ = 0, notices_height_ = 0;  // of their contents in the last picture
  std::string message_;
  bool message_is_error_ = false;
  std::shared_ptr<const LoadedScene> message_scene_;  // that the message is about; null: about none
  // A notice of the shown run, removed when the scene or the method changes or the run goes back.
  bool message_is_of_run_ = false;
  double time_ = 0;           // shown [s]
  bool past_ = false;         // a moment of it was shown
  double message_until_ = 0;  // ImGui time
  std::uint64_t refusals_seen_ = 0;
  std::shared_ptr<const LoadedScene> scene_;  // of the sliders' spans
  std::size_t method_ = 0;                    // row of the shown run's integrator
  std::uint64_t messages_seen_ = 0;
};

}  // namespace clothlab
