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

/// A mesh that waits to be pinned and played: what was found in it, and what to pin.
class MeshBar {
 public:
  /// Of the mesh of the next pictures.
  void open();
  void close() { open_ = false; }
  bool is_open() const { return open_; }
  /// Closes it when the cloth has begun to move.
  void draw(const PanelContext& context);

  /// The open edges that a press pins; none while the bar is closed.
  std::span<const BoundaryLoop> open_edges(const LoadedScene& loaded) const;
  /// Whether all of them are to be seen, not only the one under the mouse.
  bool shows_open_edges() const { return open_ && choice_ == Choice::open_edge; }
  /// Pins one of them beside those that were chosen before, or frees it; all other pins go.
  void choose_edge(const PanelContext& context, std::size_t edge);

 private:
  enum class Choice { preset, open_edge, by_hand };

  void heading(const PanelContext& context);
  void pin_choices(const PanelContext& context);
  void pin(const PanelContext& context, PinSelection pins, Choice choice);
  void drop_on_floor(const PanelContext& context);
  std::string advice(const PanelContext& context) const;

  bool open_ = false;
  bool details_ = false;
  Choice choice_ = Choice::preset;
  std::vector<std::size_t> chosen_;  // open edges, ascending
};

}  // namespace clothlab
