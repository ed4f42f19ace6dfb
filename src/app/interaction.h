// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <variant>

#include "app/window.h"
#include "mesh/boundary_loops.h"
#include "render/camera.h"
#include "render/picking.h"
#include "runtime/control.h"
#include "runtime/snapshot.h"
#include "sim/command.h"
#include "ui/overlays.h"

namespace clothlab {

/// What the mouse means in the view of the cloth: the camera, the grab that pulls the cloth, pins.
///
/// Events are kept as they come and carried out in handle(), when ImGui knows what lies under the
/// cursor, in their order: a press and a release between two pictures still are a click.
class Interaction {
 public:
  struct Surroundings {
    const Snapshot& snapshot;
    Camera& camera;
    Area view;              ///< of the cloth, in window coordinates
    double scale = 1;       ///< of an interface unit
    bool captured = false;  ///< something of the interface lies under the cursor
    double grab_strength = 1;
    std::function<void(std::variant<Command, Control>)> send;
    /// Open edges of the mesh that a press beside them chooses; empty: none.
    std::span<const BoundaryLoop> open_edges = {};
    std::function<void(std::size_t)> choose_edge = {};
  };

  void button(const MouseClick& click);
  void cursor(double x, double y);
  void wheel(double notches);
  /// Esc, lost focus, another scene: lets go of the cloth.
  void release();

  void handle(const Surroundings& around);

  bool holds_cloth() const { return std::holds_alternative<Hold>(action_); }
  bool idle() const { return std::holds_alternative<std::monostate>(action_); }
  bool orbits() const { return std::holds_alternative<Orbit>(action_); }
  /// What a press would take hold of: a point of the cloth or a pin. None while something is held or turned.
  struct Target {
    vec3 at{0};  ///< [m]
    Pick point;  ///< of the cloth
    std::optional<std::uint32_t> pin;
  };
  const std::optional<Target>& target() const { return target_; }
  /// How far behind the plane that it took the cloth in the grab is, seen from the camera [m]; none while the
  /// grab is empty.
  std::optional<double> depth(const Camera& camera) const;
  /// The rectangle that is being drawn around particles, in window coordinates; none while it is a mere
  /// click.
  std::optional<Area> selection(double scale) const;
  /// The open edge that a press would choose.
  std::optional<std::size_t> edge_under_mouse() const { return edge_; }
  /// True once the cloth has been taken hold of.
  bool has_dragged() const { return has_dragged_; }

 private:
  struct Move {
    Pixels to;
  };
  struct Wheel {
    double notches;
  };
  using Event = std::variant<MouseClick, Move, Wheel>;

  struct Orbit {};
  struct Pan {};
  struct Hold {
    vec3 cursor{0};
    vec3 start{0};  // the cursor when it took hold
  };
  struct Select {
    Pixels from{0};
    bool pins = true;
  };
  struct HoldPin {
    std::uint32_t particle = 0;
    vec3 target{0};
  };

  /// All that target_ and edge_ depend on.
  struct Seen {
    const Snapshot* snapshot = nullptr;
    std::uint64_t applied = 0;
    double time = 0;
    vec3 eye{0}, forward{0};
    double fov = 0;
    Pixels size{0}, at{0};
    std::size_t edges = 0;
    bool searches = false;

    bool operator==(const Seen&) const = default;
  };

  void click(const MouseClick& click, const Surroundings& around);
  std::optional<std::size_t> edge_at(Pixels at, const Surroundings& around) const;
  std::optional<Target> target_at(Pixels at, const Surroundings& around) const;
  void start_grab(const Target& target, Pixels at, const Surroundings& around);
  void toggle_pin(Pixels at, const Surroundings& around);
  void pin_selected(const Select& select, const Surroundings& around);
  void move(Pixels to, const Surroundings& around);
  void turn_wheel(double notches, const Surroundings& around);
  void send_moves(const Surroundings& around);

  std::deque<Event> events_;
  std::variant<std::monostate, Orbit, Pan, Hold, HoldPin, Select> action_;
  MouseButton action_button_ = MouseButton::left;
  Pixels at_{0};
  std::optional<Target> target_;
  Seen seen_;           // when they were found
  bool moved_ = false;  // the held point, since it was last sent
  bool release_ = false;
  bool has_dragged_ = false;
  std::optional<std::size_t> edge_;
};

}  // namespace clothlab
