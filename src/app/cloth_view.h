// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/interaction.h"
#include "app/window.h"
#include "render/camera.h"
#include "render/look.h"
#include "render/renderer.h"
#include "render/scales.h"
#include "session/snapshot.h"
#include "sim/frame.h"
#include "ui/lanes.h"
#include "ui/overlays.h"
#include "ui/panels/panels.h"
#include "ui/user_interface.h"

namespace clothlab {

/// The part of the window that shows the cloth: its area, its camera, and how it is drawn.
class ClothView {
 public:
  ClothView(const Window& window, const UserInterface& ui, const Interaction& interaction,
            const ViewSettings& settings)
      : window_(window), ui_(ui), interaction_(interaction), settings_(settings) {}

  Camera camera;

  /// Size of an interface unit in window coordinates.
  double interface_scale() const;
  /// The part of the window for all lanes, and the part of each lane, in window coordinates.
  Area area() const;
  std::vector<LaneTile> tiles(const Snapshot& shown) const {
    return lane_tiles(area(), shown, settings_.lanes);
  }
  std::array<int, 2> pixels() const;  ///< width and height of the whole area in the framebuffer
  void look_at(const Box& box, const Snapshot& shown);
  /// At the start of a scene, see room_to_move(); from high up if cloth may fall into a mesh.
  void look_at_scene(const Snapshot& shown);
  /// Frames the whole cloth if the number of tiles has changed.
  void follow_tiles(const Box& box, const Snapshot& shown);

  /// Into the window's framebuffer.
  void draw(const Snapshot& shown);
  /// Into a framebuffer of that size, which is bound; the lanes without heads and feet.
  void draw(const Snapshot& shown, int width, int height);
  /// A frame alone; a `zoom` below 1 shows more around it.
  void draw(const Frame& frame, int width, int height, double zoom);
  /// Throws SystemError; then the previous ones stay in use.
  void reload_shaders() { renderer_.reload_shaders(); }

  /// Chooses the length of the arrows of the active lane and the colours of distances.
  void scale(const Snapshot& shown);
  ViewLegend legend(const Snapshot& shown) const;
  /// For the tile that shows this frame.
  GrabMarks grab_marks(const Frame& frame, const Area& cloth) const;

 private:
  Look look() const { return settings_.theme == Theme::light ? light_look() : Look(); }
  ViewOptions options() const;
  bool heat_is_distance(const Snapshot& shown) const;
  /// The frame of the reference lane, if that lane can be compared with it.
  const Frame* heat_from(const Snapshot& shown, const LaneSnapshot& lane) const;
  void draw(const Snapshot& shown, const std::function<Viewport(const LaneTile&)>& viewport_of);

  const Window& window_;
  const UserInterface& ui_;
  const Interaction& interaction_;
  const ViewSettings& settings_;
  Renderer renderer_;
  std::size_t tiles_ = 1;               // in the last picture
  std::optional<double> pitch_before_;  // the camera's pitch before a scene that is shown from high up
  ArrowScale velocity_scale_, force_scale_, contact_scale_;
  std::vector<vec3> contact_forces_;  // of all lanes
  double largest_distance_ = 1;       // at the end of the heat map's colours [m]
};

/// Draws the marks of the mesh bar over a waiting mesh: the open edge under the mouse or all of them, and the
/// numbers of the parts without a pin.
void draw_mesh_marks(const MeshBar& bar, const Snapshot& snapshot, const Camera& camera, const Area& view,
                     std::optional<std::size_t> edge_under_mouse);

/// Marks the spring or the contact at which the lane's last step failed, if it did.
void draw_failure(const LaneSnapshot& lane, const Camera& camera, const Area& view);

/// Marks the followed particle, and its path of the last seconds.
void draw_trail(const LaneSnapshot& lane, std::uint32_t particle, bool alone, const Camera& camera,
                const Area& view);

}  // namespace clothlab
