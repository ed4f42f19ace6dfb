// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mesh/boundary_loops.h"
#include "ui/panel_context.h"

namespace clothlab {

// What stands on the shelf, the room below the time line for what concerns the cloth and must not cover it.
// Its rows break where the window is too narrow.

/// What happened, and the ways on; nothing while all is well. `why` says whether the explanation is unfolded.
void blow_up_strip(const PanelContext& context, bool& why);

/// A mesh that waits to be pinned and played: what was found in it, and what to pin. It is shown whenever the
/// mesh stands at its start, so that a reset brings it back, until it is closed.
class MeshBar {
 public:
  /// Of the mesh of the next pictures.
  void open();
  void close() { open_ = false; }
  bool is_shown(const Snapshot& now) const;
  void draw(const PanelContext& context);

  /// The open edges that a press pins; none while the bar is not shown.
  std::span<const BoundaryLoop> open_edges(const Snapshot& now) const;
  /// Whether all of them are to be seen, not only the one under the mouse.
  bool shows_all_open_edges() const { return choice_ == Choice::open_edge; }
  /// The parts that its advice names as held by no pin, to be found in the picture; none where all are alike.
  std::vector<std::uint32_t> parts_to_mark(const Snapshot& now) const;
  /// Pins one of the open edges beside those that were chosen before, or frees it; all other pins go.
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
