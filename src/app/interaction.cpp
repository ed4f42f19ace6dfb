// SPDX-License-Identifier: MIT
#include "app/interaction.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <utility>

namespace clothlab {
namespace {

// Largest distance of the cursor from the cloth or a pin [interface units].
constexpr double kGrabRadius = 12;
constexpr double kPinRadius = 28;
constexpr double kEdgeRadius = 10;
// Of the diagonal of the cloth.
constexpr double kBelowBody = 0.02;
// Largest motion of the cursor that still counts as a click.
constexpr double kClickSlack = 5;
// Motion of the cursor that turns or moves the camera as far as a notch of the wheel, and that zooms as far.
constexpr double kScrolled = 20, kZoomed = 25;

// Window coordinates to those of the view, as the camera uses them.
Pixels in_view(Pixels at, const Area& view) {
  return {at.x - static_cast<double>(view.x), at.y - static_cast<double>(view.y)};
}

bool inside(Pixels at, const Area& view) {
  const Pixels p = in_view(at, view);
  const Pixels size = size_of(view);
  return p.x >= 0 && p.y >= 0 && p.x < size.x && p.y < size.y;
}

}  // namespace

std::optional<Projected> seen_in(const Area& view, const Camera& camera, const vec3& point) {
  std::optional<Projected> seen = camera.project(point, size_of(view));
  if (seen) seen->pixel += Pixels(static_cast<double>(view.x), static_cast<double>(view.y));
  return seen;
}

const LaneTile& tile_of(std::span<const LaneTile> tiles, LaneId lane) {
  const auto found = std::ranges::find(tiles, lane, [](const LaneTile& tile) { return tile.lane->lane; });
  return found == tiles.end() ? tiles.front() : *found;
}

/// A drag stays in the tile where it began.
void Interaction::enter(Pixels at, const Surroundings& around) {
  if (!idle()) return;
  const auto under =
      std::ranges::find_if(around.tiles, [&](const LaneTile& tile) { return inside(at, tile.cloth); });
  if (under != around.tiles.end()) lane_ = under->lane->lane;
}

void Interaction::cursor(double x, double y) {
  // Only the last of several moves counts.
  if (!events_.empty() && std::holds_alternative<Move>(events_.back())) events_.pop_back();
  events_.emplace_back(Move{{x, y}});
}

void Interaction::handle(const Surroundings& around) {
  if (release_) {
    if (holds_cloth()) around.send(Release{});
    action_ = std::monostate{};
    drag_.reset();
    release_ = false;
  }
  enter(at_, around);
  const std::vector<std::uint8_t>& pinned = frame(around).pinned;
  if (const auto* pin = std::get_if<HoldPin>(&action_);
      pin != nullptr && (pin->particle >= pinned.size() || pinned[pin->particle] != 1))
    action_ = std::monostate{};  // freed meanwhile
  if (const auto* body = std::get_if<HoldObstacle>(&action_)) {
    const std::vector<Obstacle>& obstacles = frame(around).obstacles;
    if (body->obstacle >= obstacles.size() || obstacles[body->obstacle].shape != body->shape)
      action_ = std::monostate{};  // removed meanwhile
  }
  while (!events_.empty()) {
    const Event event = events_.front();
    events_.pop_front();
    if (const auto* c = std::get_if<MouseClick>(&event)) click(*c, around);
    if (const auto* m = std::get_if<Move>(&event)) move(m->to, around);
    if (const auto* s = std::get_if<MouseScroll>(&event)) scroll_by(*s, around);
  }
  send_moves(around);
  // A search visits all particles: on a large mesh it costs more than drawing the interface.
  const bool searches = idle() && !around.captured && inside(at_, area(around));
  const Camera& camera = around.camera;
  const Search search{.snapshot = &around.snapshot,
                      .lane = lane_,
                      .applied = around.snapshot.applied,
                      .time = around.snapshot.frame.record.time,
                      .eye = camera.eye(),
                      .forward = camera.forward(),
                      .fov = camera.fov,
                      .view_size = size(around),
                      .at = in_view(at_, area(around)),
                      .open_edges = around.open_edges.size(),
                      .finds_particle = around.finds_particle,
                      .searches = searches};
  if (std::exchange(searched_, search) == search) return;
  edge_ = searches ? edge_at(at_, around) : std::nullopt;
  target_ = searches && !edge_ ? target_at(at_, around) : std::nullopt;
  if (idle()) particle_ = searches && around.finds_particle ? particle_at(at_, around) : std::nullopt;
}

std::optional<std::size_t> Interaction::edge_at(Pixels at, const Surroundings& around) const {
  return nearest_loop(around.open_edges, frame(around).positions, around.camera, in_view(at, area(around)),
                      size(around), kEdgeRadius * around.scale);
}

void Interaction::click(const MouseClick& click, const Surroundings& around) {
  const Pixels at{click.x, click.y};
  move(at, around);
  if (!click.pressed) {
    if (idle() || click.button != action_button_) return;
    send_moves(around);
    if (holds_cloth()) around.send(Release{});
    if (const auto* select = std::get_if<Select>(&action_)) pin_selected(*select, around);
    if (const auto* orbit = std::get_if<Orbit>(&action_); orbit != nullptr && orbit->click)
      follow(*orbit->click, around);
    action_ = std::monostate{};
    return;
  }
  if (!idle() || around.captured || !inside(at, area(around))) return;
  action_button_ = click.button;
  switch (click.button) {
    case MouseButton::right:
      action_ = Orbit{};
      break;
    case MouseButton::middle:
      action_ = Pan{};
      break;
    case MouseButton::left:
      if (click.alt && click.ctrl)
        action_ = Zoom{at};
      else if (click.alt && click.shift)
        action_ = Pan{};
      else if (click.alt)
        action_ = Orbit{at};
      else if (click.ctrl)
        action_ = Select{at, !click.shift};
      else if (const auto edge = edge_at(at, around))
        around.choose_edge(*edge);
      else if (const std::optional<Target> target = target_at(at, around))
        start_grab(*target, at, around);
      else if (click.shift)
        action_ = Pan{};
      else
        action_ = Orbit{};
      break;
  }
}

std::optional<Interaction::Target> Interaction::target_at(Pixels at, const Surroundings& around) const {
  const Frame& frame = this->frame(around);
  const Grip grip = grip_at(*frame.mesh, frame.positions, around.camera, in_view(at, area(around)),
                            size(around), kGrabRadius * around.scale);
  // Triangles of a cloth that lies on a body may be a little below its surface.
  const Ray ray = around.camera.ray(in_view(at, area(around)), size(around));
  const auto body = pick_obstacle(frame.obstacles, ray);
  if (body && !(grip.point && grip.point->distance < body->distance + kBelowBody * frame.mesh->diagonal))
    return Target{ray.at(body->distance), {}, {}, body->obstacle};
  if (grip.particle && frame.pinned[*grip.particle] == 1)
    return Target{frame.positions[*grip.particle], {}, grip.particle, {}};
  if (!grip.point) return std::nullopt;
  Target target{vec3(0), *grip.point, {}, {}};
  for (int k = 0; k < 3; ++k)
    target.at +=
        target.point.weights[k] * frame.positions[target.point.particles[static_cast<std::size_t>(k)]];
  return target;
}

void Interaction::start_grab(const Target& target, Pixels at, const Surroundings& around) {
  if (target.obstacle) {
    const Obstacle& body = around.snapshot.frame.scene->obstacles.bodies[*target.obstacle];
    action_ = HoldObstacle{*target.obstacle, body.shape, target.at, centre_of(body) - target.at};
    moved_ = false;
    return;
  }
  has_dragged_ = true;
  if (target.pin) {
    action_ = HoldPin{*target.pin, target.at};
    drag_ = RecordedDrag{*target.pin, {}};
    drag_->add(around.snapshot.frame.record.time, target.at);
    moved_ = false;
    return;
  }
  const vec3 cursor = around.camera.in_view_plane(in_view(at, area(around)), size(around), target.at);
  around.send(StartGrab{{target.point.particles, target.point.weights, cursor, 0, 0, around.grab_strength}});
  action_ = Hold{cursor, cursor};
  moved_ = false;
}

std::optional<double> Interaction::depth(const Camera& camera) const {
  const auto* hold = std::get_if<Hold>(&action_);
  if (hold == nullptr) return std::nullopt;
  return glm::dot(hold->cursor - hold->start, camera.forward());
}

std::optional<std::uint32_t> Interaction::particle_at(Pixels at, const Surroundings& around) const {
  const Frame& frame = this->frame(around);
  return nearest_visible_particle(*frame.mesh, frame.positions, around.camera, in_view(at, area(around)),
                                  size(around), kPinRadius * around.scale);
}

void Interaction::follow(Pixels at, const Surroundings& around) {
  const auto particle = particle_at(at, around);
  around.send(FollowParticle{particle == around.snapshot.followed ? std::nullopt : particle});
}

std::optional<Area> Interaction::selection(double scale) const {
  const auto* select = std::get_if<Select>(&action_);
  if (select == nullptr) return std::nullopt;
  const Pixels low = glm::min(select->from, at_);
  const Pixels size = glm::max(select->from, at_) - low;
  if (std::max(size.x, size.y) < kClickSlack * scale) return std::nullopt;
  return Area{static_cast<float>(low.x), static_cast<float>(low.y), static_cast<float>(size.x),
              static_cast<float>(size.y)};
}

void Interaction::pin_selected(const Select& select, const Surroundings& around) {
  const std::optional<Area> box = selection(around.scale);
  const Frame& frame = this->frame(around);
  if (!box) {
    const auto particle = particle_at(select.from, around);
    if (particle) around.send(SetPinned{{*particle}, frame.pinned[*particle] != 1});
    return;
  }
  const Pixels low = in_view({static_cast<double>(box->x), static_cast<double>(box->y)}, area(around));
  const Pixels high = low + Pixels(static_cast<double>(box->width), static_cast<double>(box->height));
  around.send(SetPinned{
      visible_particles(*frame.mesh, frame.positions, around.camera, low, high, size(around)), select.pins});
}

void Interaction::move(Pixels to, const Surroundings& around) {
  const Pixels motion = to - at_;
  at_ = to;
  enter(to, around);
  if (motion == Pixels(0)) return;
  drag_camera(motion, around);
  if (vec3* point = dragged_point()) {
    *point = around.camera.in_view_plane(in_view(to, area(around)), size(around), *point);
    moved_ = true;
  }
}

void Interaction::drag_camera(Pixels motion, const Surroundings& around) {
  if (auto* orbit = std::get_if<Orbit>(&action_)) {
    if (orbit->click) {
      const Pixels since = glm::abs(at_ - *orbit->click);
      if (std::max(since.x, since.y) < kClickSlack * around.scale) return;
      orbit->click.reset();
    }
    around.camera.orbit(motion, size(around));
  }
  if (std::holds_alternative<Pan>(action_)) around.camera.pan(motion, size(around));
  if (const auto* zoom = std::get_if<Zoom>(&action_))
    around.camera.zoom(-motion.y / (kZoomed * around.scale), in_view(zoom->at, area(around)), size(around));
}

vec3* Interaction::dragged_point() {
  return std::visit(
      [](auto& action) -> vec3* {
        if constexpr (requires { action.cursor; })
          return &action.cursor;
        else
          return nullptr;
      },
      action_);
}

void Interaction::scroll_by(const MouseScroll& scroll, const Surroundings& around) {
  if (vec3* point = dragged_point()) {
    *point = around.camera.moved_in_depth(*point, scroll.y);
    moved_ = true;
    return;
  }
  if (around.captured || !inside(at_, area(around))) return;
  // The cloth follows the fingers.
  const Pixels motion = kScrolled * around.scale * Pixels(scroll.x, scroll.y);
  const bool is_sideways = std::abs(scroll.x) > std::abs(scroll.y);
  if (scroll.shift && !scroll.ctrl)
    around.camera.pan(motion, size(around));
  else if (around.trackpad && !scroll.ctrl)
    around.camera.orbit(motion, size(around));
  else if (is_sideways && !scroll.ctrl)
    around.camera.pan({motion.x, 0}, size(around));
  else
    around.camera.zoom(scroll.y, in_view(at_, area(around)), size(around));
}

void Interaction::send_moves(const Surroundings& around) {
  if (!moved_) return;
  moved_ = false;
  if (const auto* hold = std::get_if<Hold>(&action_)) around.send(MoveCursor{hold->cursor});
  // Over the simulated time until the next picture, as fast as the mouse. Paused: at once.
  const double duration = around.snapshot.playing ? around.snapshot.speed / 60 : 0;
  if (const auto* pin = std::get_if<HoldPin>(&action_)) {
    around.send(MovePins{{{pin->particle, pin->cursor}}, duration});
    drag_->add(around.snapshot.frame.record.time, pin->cursor);
  }
  if (const auto* body = std::get_if<HoldObstacle>(&action_)) {
    constexpr vec3 kMost(kFarthestObstacle / 2);  // so that both ends are within the allowed range
    constexpr double kPerMetre = 1e6;  // whole micrometres: so that the panel shows 0 without rounding errors
    const vec3 centre = glm::round((body->cursor + body->to_centre) * kPerMetre) / kPerMetre + vec3(0);
    around.send(MoveObstacle{body->obstacle, glm::clamp(centre, -kMost, kMost), duration});
  }
}

}  // namespace clothlab
