// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "app/window.h"
#include "mesh/boundary_loops.h"
#include "render/camera.h"
#include "render/picking.h"
#include "session/control.h"
#include "session/snapshot.h"
#include "sim/command.h"
#include "sim/recorded_drag.h"
#include "ui/lanes.h"
#include "ui/overlays.h"
#include "ui/readings.h"

namespace clothlab {

/// The size of a part of the window, as the camera uses it.
inline Pixels size_of(const Area& view) {
  return {static_cast<double>(view.width), static_cast<double>(view.height)};
}
/// The projection of a point in that view, in window coordinates; none behind the eye.
std::optional<Projected> seen_in(const Area& view, const Camera& camera, const vec3& point);

/// The tile of that lane, or else the first one.
const LaneTile& tile_of(std::span<const LaneTile> tiles, LaneId lane);

/// The mouse in the view of the cloth: camera, grab and pins.
///
/// Events are queued and handled in order in handle(), when ImGui knows what is under the cursor: a press and
/// a release between two pictures are a click.
class Interaction {
 public:
  struct Surroundings {
    const Snapshot& snapshot;
    Camera& camera;
    std::vector<LaneTile> tiles;
    double scale = 1;       ///< of an interface unit
    bool captured = false;  ///< the cursor is over the interface
    double grab_strength = 1;
    std::function<void(std::variant<Command, Control>)> send;
    /// Open edges of the mesh that a press near them chooses.
    std::span<const BoundaryLoop> open_edges = {};
    std::function<void(std::size_t)> choose_edge = {};
    bool finds_particle = false;  ///< particle_under_mouse() is wanted
    bool trackpad = false;        ///< scrolling orbits instead of zooming
  };

  void button(const MouseClick& click) { events_.emplace_back(click); }
  void cursor(double x, double y);
  void scroll(const MouseScroll& scroll) { events_.emplace_back(scroll); }
  /// Ends the grab: Esc, lost focus, another scene.
  void release() { release_ = true; }

  void handle(const Surroundings& around);

  /// The lane under the mouse, or the lane where the drag began.
  LaneId lane() const { return lane_; }
  bool holds_cloth() const { return std::holds_alternative<Hold>(action_); }
  bool idle() const { return std::holds_alternative<std::monostate>(action_); }
  bool orbits() const {
    const auto* orbit = std::get_if<Orbit>(&action_);
    return orbit != nullptr && !orbit->click;
  }
  /// The point of the cloth, the pin or the obstacle that a press would grab. None during a grab or while the
  /// camera moves.
  struct Target {
    vec3 at{0};  ///< [m]
    Pick point;  ///< of the cloth
    std::optional<std::uint32_t> pin;
    std::optional<std::uint32_t> obstacle;
  };
  const std::optional<Target>& target() const { return target_; }
  /// Depth of the cursor behind the plane where the grab began, seen from the camera [m]; none without a
  /// grab.
  std::optional<double> depth(const Camera& camera) const;
  /// The rectangle drawn around particles, in window coordinates; none during a click.
  std::optional<Area> selection(double scale) const;
  /// The open edge that a press would choose.
  std::optional<std::size_t> edge_under_mouse() const { return edge_; }
  /// The visible particle nearest to the mouse; during a drag as it was before.
  std::optional<std::uint32_t> particle_under_mouse() const { return particle_; }
  /// The current or last drag of a pin; null: none since another scene was opened.
  const RecordedDrag* drag() const { return drag_ ? &*drag_ : nullptr; }
  /// True once the cloth has been grabbed.
  bool has_dragged() const { return has_dragged_; }

 private:
  struct Move {
    Pixels to;
  };
  using Event = std::variant<MouseClick, Move, MouseScroll>;

  struct Orbit {
    std::optional<Pixels> click = {};  // it may still become a click with Alt, there
  };
  struct Pan {};
  struct Zoom {
    Pixels at{0};
  };
  struct Hold {
    vec3 cursor{0};
    vec3 start{0};  // the cursor at the start of the grab
  };
  struct Select {
    Pixels from{0};
    bool pins = true;
  };
  struct HoldPin {
    std::uint32_t particle = 0;
    vec3 cursor{0};
  };

  struct HoldObstacle {
    std::uint32_t obstacle = 0;
    Obstacle::Shape shape = Obstacle::Shape::sphere;
    vec3 cursor{0};     // under the mouse, in the plane of the view through the pressed point
    vec3 to_centre{0};  // from there
  };

  const Area& area(const Surroundings& around) const { return tile_of(around.tiles, lane_).cloth; }
  Pixels size(const Surroundings& around) const { return size_of(area(around)); }
  /// The dragged point, in the plane of the view; null: none.
  vec3* dragged_point();
  const Frame& frame(const Surroundings& around) const { return tile_of(around.tiles, lane_).lane->frame; }
  void enter(Pixels at, const Surroundings& around);
  void click(const MouseClick& click, const Surroundings& around);
  // What a press at this point would choose or grab; the point must be in the view of the lane and not over
  // the interface.
  std::optional<std::size_t> edge_at(Pixels at, const Surroundings& around) const;
  std::optional<Target> target_at(Pixels at, const Surroundings& around) const;
  void start_grab(const Target& target, Pixels at, const Surroundings& around);
  std::optional<std::uint32_t> particle_at(Pixels at, const Surroundings& around) const;
  void follow(Pixels at, const Surroundings& around);
  void pin_selected(const Select& select, const Surroundings& around);
  void move(Pixels to, const Surroundings& around);
  void scroll_by(const MouseScroll& scroll, const Surroundings& around);
  /// Moves the camera with the cursor.
  void drag_camera(Pixels motion, const Surroundings& around);
  void send_moves(const Surroundings& around);

  std::deque<Event> events_;
  std::variant<std::monostate, Orbit, Pan, Zoom, Hold, HoldPin, HoldObstacle, Select> action_;
  MouseButton action_button_ = MouseButton::left;
  Pixels at_{0};
  LaneId lane_ = 0;
  std::optional<Target> target_;
  // The inputs of the last search for the edge, the target and the particle.
  struct Search {
    const Snapshot* snapshot = nullptr;
    LaneId lane = 0;
    std::uint64_t applied = 0;
    double time = 0;  // [s]
    vec3 eye{0}, forward{0};
    double fov = 0;
    Pixels view_size{0}, at{0};
    std::size_t open_edges = 0;
    bool finds_particle = false, searches = false;

    bool operator==(const Search&) const = default;
  };
  Search searched_;
  bool moved_ = false;  // the dragged point, since it was last sent
  bool release_ = false;
  bool has_dragged_ = false;
  std::optional<std::size_t> edge_;
  std::optional<std::uint32_t> particle_;
  std::optional<RecordedDrag> drag_;
};

}  // namespace clothlab
