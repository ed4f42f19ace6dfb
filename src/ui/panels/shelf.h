// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mesh/boundary_loops.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

// The shelf is the area below the time line for bars that must not cover the cloth. Its rows wrap in a narrow
// window.

/// The blow-up bar: what happened and how to continue; empty otherwise. `why`: the explanation is unfolded.
void blow_up_strip(const PanelContext& context, bool& why);

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
  /// The parts without a pin that its advice names, to be labelled in the picture; none where all parts are
  /// alike.
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
  PinSelection pins_ = PinPreset::none;  // for which the two below hold
  std::vector<std::size_t> chosen_;      // open edges, ascending
};

}  // namespace clothlab
