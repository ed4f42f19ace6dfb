// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "integrate/tableau.h"
#include "mesh/boundary_loops.h"
#include "sim/notice.h"
#include "sim/parameters.h"
#include "ui/instruments/stability_figure.h"
#include "ui/keys.h"
#include "ui/overlays.h"
#include "ui/panels/panel_context.h"
#include "ui/readings.h"
#include "ui/theme.h"
#include "ui/widgets/parameter_row.h"
#include "ui/widgets/widgets.h"

namespace clothlab {

// One function per panel, each in its own file, listed in user_interface.cpp. A panel draws into the
// current ImGui window, reads the snapshot of the context and sends commands. This header also brings what
// most panels use: widgets, theme, texts of numbers and readings.

void transport_panel(const PanelContext& context);
void integrator_panel(const PanelContext& context);
void scene_panel(const PanelContext& context);
void cloth_panel(const PanelContext& context);
void world_panel(const PanelContext& context);
void contact_panel(const PanelContext& context);
void solver_panel(const PanelContext& context);
void view_panel(const PanelContext& context);
/// The explanation of the current integrator, with its current numbers.
void method_panel(const PanelContext& context);
/// The time line and the buttons to repeat the run with another method, in one row.
void timeline_panel(const PanelContext& context, float width);
void plots_panel(const PanelContext& context, float width, float height);
void status_bar(const PanelContext& context);

/// A tab of the side panel. A new panel is one file and one line of tabs().
struct Tab {
  const char* title;
  const char* help;
  void (*draw)(const PanelContext& context);
};
std::span<const Tab> tabs();

/// A switch of the View tab.
struct ViewSwitch {
  const char* label;
  const char* name;
  bool ViewSettings::*value;
  const char* help;
};
std::span<const ViewSwitch> view_switches();

/// Pins of the Cloth tab.
struct PinChoice {
  PinPreset preset;
  const char *label, *name, *help;
};
std::span<const PinChoice> pin_choices();

/// A body that the Contact tab adds near the cloth, or as a mesh from a file.
struct ObstacleOffer {
  Obstacle::Shape shape;
  const char *id, *label, *help;
};
std::span<const ObstacleOffer> obstacle_offers();

/// A parameter's row, dimmed while the parameter has no effect.
void scene_parameter_row(const PanelContext& context, const ParameterSpec& spec, double value);
/// Those of one section of the table.
void parameter_section(const PanelContext& context, std::string_view section);

/// Height of the line reserved for notices below the view [interface units].
inline constexpr float kNoticeHeight = 28;

/// Progress of a load or a recording, a message, and hints for newcomers, in `room`; they scroll if they need
/// more. `height` becomes what they need. Returns false when the message was clicked away.
bool notices(const PanelContext& context, const Area& room, const std::string& message, bool is_error,
             float& height);

/// A list of all methods by family, with mark, key, name, order, cost of a step on this scene, and use;
/// closed it shows `preview`. Returns the chosen row. Its entries are noted as `name`:`id`. ImGuiComboFlags
/// as for choice_list().
struct MethodList {
  const char* name;
  std::string preview;
  const char* help;  ///< of the closed list
  int flags = 0;
};
std::optional<std::size_t> method_list(const PanelContext& context, const MethodList& list);

// The shelf is the area below the time line for bars that must not cover the cloth. Its rows wrap in a narrow
// window.

/// The blow-up bar: the message and the buttons to continue; empty if nothing blew up. `why`: the explanation
/// is unfolded.
void blow_up_strip(const PanelContext& context, bool& why);

/// The notice that a step of the active lane gained much spurious energy, while its method, its h and its
/// fixed steps are those that gained it; null without one.
const Notice* gain_to_cure(const PanelContext& context);
/// The bar of that notice: its first sentence, with `why` unfolded all of it, buttons that change the lane's
/// method or steps, and one that closes it. Returns false when it is closed.
bool gain_strip(const PanelContext& context, const Notice& notice, bool& why);

/// The mesh bar, for a mesh that waits to be pinned and played: the mesh report and the choice of pins. Shown
/// while the mesh is at its start, until it is closed.
class MeshBar {
 public:
  /// Of the mesh of the next pictures.
  void open();
  void close() { open_ = false; }
  bool is_shown(const Snapshot& now) const;
  void draw(const PanelContext& context);

  /// The open edges that a press pins; none while the bar is not shown.
  std::span<const BoundaryLoop> open_edges(const Snapshot& now) const;
  /// Whether to show all of them, not only the one under the mouse.
  bool shows_all_open_edges() const { return choice_ == Choice::open_edge; }
  /// The parts without a pin that its advice names, to be labelled in the picture; none if all parts have a
  /// pin or none has one.
  std::vector<std::uint32_t> parts_to_mark(const Snapshot& now) const;
  /// Adds an open edge to the chosen ones, or removes it; all other pins are freed.
  void choose_edge(const PanelContext& context, std::size_t edge);

 private:
  enum class Choice { preset, open_edge, by_hand };

  void heading(const PanelContext& context);
  void pin_choices(const PanelContext& context);
  void note_pins(const PinSelection& pins, Choice choice);
  void follow_pins(const PanelContext& context);
  void pin(const PanelContext& context, PinSelection pins, Choice choice);
  void drop_on_floor(const PanelContext& context);
  std::string advice(const PanelContext& context) const;

  bool open_ = false;
  bool details_ = false;
  Choice choice_ = Choice::preset;
  PinSelection pins_ = PinPreset::none;  // those that choice_ and chosen_ describe
  std::vector<std::size_t> chosen_;      // open edges, ascending
};

/// Progress of a recording with its stop button; after it, its folder and how to make a video. Draws into the
/// current window.
void recording_notice(const PanelContext& context);

/// A dialog that Enter accepts and Esc closes.
class Dialog {
 public:
  void close() { open_ = false; }
  bool is_open() const { return open_; }
  /// True when the key was meant for the dialog.
  bool on_key(const KeyPress& press);

 protected:
  void open_now() {
    open_ = true;
    accept_ = false;
  }
  /// True if its button was pressed, or Enter since the last call.
  bool takes_enter(bool pressed) { return std::exchange(accept_, false) || pressed; }

 private:
  bool open_ = false, accept_ = false;
};

/// What to record, how often and where.
class RecordingDialog : public Dialog {
 public:
  /// `folder` is the suggested parent of the recording's folder.
  void open(const std::filesystem::path& folder);
  void draw(const PanelContext& context, const Area& view);

 private:
  std::string folder_;
  VideoFile video_;  // of what kind it can be
};

/// Version and commit of the program, and the libraries that it was built with.
class AboutDialog : public Dialog {
 public:
  void open() { open_now(); }
  void draw(const PanelContext& context, const Area& view);
};

/// Edits the coefficients of a method, with its properties while they are typed. Its method goes to the
/// active lane or to a new one.
class TableauDialog : public Dialog {
 public:
  void open(const Tableau& tableau);
  void draw(const PanelContext& context, const Area& view);

 private:
  Tableau written() const;
  std::size_t columns() const { return edited_.is_two_step() ? edited_.alpha.size() : edited_.b.size(); }
  /// Follows the cells: what is known of the method, or what is wrong.
  void update();
  void choose_preset();
  void choose_stages();
  void edit_cells();
  float left_of_cell(std::size_t column) const;
  /// A row of cells with its head; the items are "`item`:1", ...
  void edit_row(const std::string& head, std::string_view help, const std::string& item,
                std::vector<std::string>& cells);
  void show_facts(float height);

  Tableau edited_;                // as typed
  std::optional<Tableau> known_;  // that the following belongs to
  std::string fault_;             // one sentence; empty: none
  TableauFacts facts_;
  double measured_order_ = 0;
  IntegratorInfo info_;  // of the region
  IntegratorParameters values_;
  GrowthRegion region_;
};

/// Asks what to do about unsaved changes. The answer is an AnswerUnsaved.
class UnsavedQuestion {
 public:
  /// `changes` describes them.
  void ask(std::string changes) { changes_ = std::move(changes); }
  void close() { changes_.clear(); }
  bool is_open() const { return !changes_.empty(); }

  /// True when the key was meant for the question.
  bool on_key(const KeyPress& press, const PanelContext& context);
  void draw(const PanelContext& context, const Area& view);

 private:
  void answer(AnswerUnsaved::Answer answer, const PanelContext& context);

  std::string changes_;
};

/// Offers to restore a session that did not end properly. The answer is an AnswerSession.
class SessionOffer {
 public:
  /// What is known of it: a name and a value each.
  using Rows = std::vector<std::pair<std::string, std::string>>;
  void ask(Rows rows) { rows_ = std::move(rows); }
  /// When the answer is carried out, which may wait for the question about unsaved changes.
  void close() { rows_.clear(); }
  bool is_open() const { return !rows_.empty(); }

  /// True when the key was meant for the offer.
  bool on_key(const KeyPress& press, const PanelContext& context);
  void draw(const PanelContext& context, const Area& view);

 private:
  void answer(AnswerSession::Answer answer, const PanelContext& context);

  Rows rows_;
  bool answered_ = false;  // since the last picture
};

}  // namespace clothlab
