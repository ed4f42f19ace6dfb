// SPDX-License-Identifier: MIT
#include "app/cloth_view.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "app/framing.h"
#include "chart/axis.h"
#include "core/vec.h"
#include "experiments/step_trial.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

// Interface units that the window has at least, unless it is smaller at a scale of 1.
constexpr double kLeastWidth = 560;
constexpr double kLeastHeight = 315;

// The colours of distances end at a round number, which is chosen again if a distance exceeds it or if too
// few colours are used.
constexpr double kLeastOfColours = 0.15;
constexpr double kLeastDistance = 1e-9;  // [m]

// A part of the window in a framebuffer of that height, whose upper left corner is the corner of `origin`.
Viewport viewport(const Area& part, const Area& origin, double density, int height) {
  const auto pixels = [&](float size) {
    return static_cast<int>(std::lround(static_cast<double>(size) * density));
  };
  const int left = pixels(part.x - origin.x), top = pixels(part.y - origin.y);
  const int bottom = pixels(part.y - origin.y + part.height);
  return {left, height - bottom, pixels(part.x - origin.x + part.width) - left, bottom - top};
}

std::optional<ImVec2> point_in(const Area& view, const Camera& camera, const vec3& point) {
  const std::optional<Projected> seen = seen_in(view, camera, point);
  if (!seen) return std::nullopt;
  return ImVec2(static_cast<float>(seen->pixel.x), static_cast<float>(seen->pixel.y));
}

glm::vec3 colour_of(LaneId lane) {
  const Rgb colour = rgb_of(lane_colour(lane));
  return glm::vec3(colour[0], colour[1], colour[2]) / 255.0F;
}

constexpr double kTrailSeconds = 3;

using SeenParticle = std::function<std::optional<ImVec2>(std::uint32_t)>;

void draw_open_edges(const MeshBar& bar, const Snapshot& snapshot, const SeenParticle& seen, const Area& view,
                     std::optional<std::size_t> under_mouse) {
  const std::span<const BoundaryLoop> loops = bar.open_edges(snapshot);
  std::vector<ImVec2> line;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (i != under_mouse && !bar.shows_all_open_edges()) continue;
    line.clear();
    for (const std::uint32_t particle : loops[i].particles)
      if (const auto at = seen(particle)) line.push_back(*at);
    edge_overlay(line, loops[i].closed, i == under_mouse, view);
  }
}

// Each number is below the lowest particle of its part, so that it covers no cloth of that part.
void draw_part_numbers(const MeshBar& bar, const Snapshot& snapshot, const SeenParticle& seen,
                       const Area& view) {
  const std::vector<std::uint32_t>& of_particle = snapshot.frame.mesh->part_of_particle;
  for (const std::uint32_t part : bar.parts_to_mark(snapshot)) {
    std::optional<ImVec2> lowest;
    for (std::uint32_t i = 0; i < of_particle.size(); ++i) {
      if (of_particle[i] != part) continue;
      const auto at = seen(i);
      if (at && (!lowest || at->y > lowest->y)) lowest = at;
    }
    if (lowest) part_overlay(part + 1, *lowest, view);
  }
}

}  // namespace

double ClothView::interface_scale() const {
  // The largest scale at which the interface fits the window, whatever the text size.
  const double most = std::min(window_.width() / kLeastWidth, window_.height() / kLeastHeight);
  return std::min(window_.interface_scale() * static_cast<double>(settings_.interface_scale),
                  std::max(most, 1.0));
}

Area ClothView::area() const {
  return ui_.view_area(static_cast<float>(window_.width()), static_cast<float>(window_.height()), settings_);
}

std::array<int, 2> ClothView::pixels() const {
  const auto pixels = [&](double size) { return static_cast<int>(std::lround(size * window_.density())); };
  const Area whole = area();
  return {pixels(static_cast<double>(whole.width)), pixels(static_cast<double>(whole.height))};
}

void ClothView::look_at(const Box& box, const Snapshot& shown) {
  camera.frame(box, size_of(tiles(shown).front().cloth));
}

void ClothView::look_at_scene(const Snapshot& shown) {
  constexpr double kFromHighUp = 0.8;  // [rad]
  // The next scene has the pitch from before, unless the user has turned the camera.
  if (pitch_before_ && camera.pitch == kFromHighUp) camera.pitch = *pitch_before_;
  pitch_before_.reset();
  if (may_fall_into_mesh(shown.frame) && camera.pitch < kFromHighUp)
    pitch_before_ = std::exchange(camera.pitch, kFromHighUp);
  look_at(room_to_move(shown.frame), shown);
}

void ClothView::follow_tiles(const Box& box, const Snapshot& shown) {
  const std::size_t count = tiles(shown).size();
  if (std::exchange(tiles_, count) != count) look_at(box, shown);
}

ViewOptions ClothView::options() const {
  ViewOptions out;
  out.weave = settings_.weave;
  out.particles = settings_.particles;
  out.stretch_springs = settings_.stretch_springs;
  out.bend_springs = settings_.bend_springs;
  out.pins = settings_.pins;
  out.velocity_scale = velocity_scale_.metres_per_unit();
  out.force_scale = force_scale_.metres_per_unit();
  out.contact_scale = contact_scale_.metres_per_unit();
  out.wireframe = settings_.wireframe;
  out.heat_map = settings_.heat_map;
  out.heat_max_strain = settings_.heat_max_strain;
  out.heat_max_distance = largest_distance_;
  out.grid = settings_.ground;
  out.look = look();
  out.pixel_scale = interface_scale() * window_.density();
  return out;
}

void ClothView::draw(const Snapshot& shown) {
  const int below = static_cast<int>(std::lround(window_.height() * window_.density()));
  draw(shown, [&](const LaneTile& tile) { return viewport(tile.cloth, {}, window_.density(), below); });
}

void ClothView::draw(const Snapshot& shown, int width, int height) {
  const Area whole = area();
  const double density = static_cast<double>(width) / static_cast<double>(whole.width);
  draw(shown, [&](const LaneTile& tile) { return viewport(tile.whole, whole, density, height); });
}

void ClothView::draw(const Snapshot& shown, const std::function<Viewport(const LaneTile&)>& viewport_of) {
  const std::vector<const LaneSnapshot*> lanes = shown.lanes();
  ViewOptions of_lane = options();
  const bool overlay = settings_.lanes == LaneLayout::overlay && lanes.size() > 1;
  for (const LaneTile& tile : tiles(shown)) {
    for (const LaneSnapshot* lane : lanes) {
      // In the overlay, a lane that blew up would hide the others.
      if (lane != tile.lane && (!overlay || lane->frozen)) continue;
      const Frame* from = heat_from(shown, *lane);
      of_lane.heat_from = from != nullptr ? &from->positions : nullptr;
      of_lane.heat_map = settings_.heat_map && (from != nullptr || !heat_is_distance(shown));
      // In the overlay, only the active lane shows contacts.
      of_lane.contact_scale = overlay && lane->lane != shown.lane ? 0.0 : contact_scale_.metres_per_unit();
      if (overlay) of_lane.look.cloth_front = of_lane.look.cloth_back = colour_of(lane->lane);
      renderer_.draw(lane->frame, camera, of_lane, viewport_of(tile));
      of_lane.over = overlay;
    }
  }
}

void ClothView::draw(const Frame& frame, int width, int height, double zoom) {
  Camera from = camera;
  from.distance /= zoom;
  renderer_.draw(frame, from, options(), {0, 0, width, height});
}

bool ClothView::heat_is_distance(const Snapshot& shown) const {
  return settings_.heat_map && settings_.heat_of == HeatQuantity::distance && shown.reference;
}

const Frame* ClothView::heat_from(const Snapshot& shown, const LaneSnapshot& lane) const {
  if (!heat_is_distance(shown)) return nullptr;
  for (const LaneSnapshot* other : shown.lanes())
    if (other->lane == shown.reference && other->frame.record.time == lane.frame.record.time &&
        other->frame.positions.size() == lane.frame.positions.size())
      return &other->frame;
  return nullptr;
}

void ClothView::scale(const Snapshot& shown) {
  const Frame& frame = shown.frame;
  // At rest only noise is left: velocities below 1 cm/s and forces below a hundredth of a particle's weight
  // do not lengthen the arrows.
  const double weight =
      9.8 * frame.scene->material.mass_of(frame.mesh->area) / static_cast<double>(frame.positions.size());
  if (!frame.velocities.empty()) velocity_scale_.update(frame.velocities, frame.mesh->diagonal, 0.01);
  if (!frame.forces.empty()) force_scale_.update(frame.forces, frame.mesh->diagonal, 0.01 * weight);
  contact_forces_.clear();
  for (const LaneSnapshot* lane : shown.lanes())
    for (const ContactPair& pair : lane->frame.contacts) contact_forces_.push_back(pair.push + pair.friction);
  if (!contact_forces_.empty()) contact_scale_.update(contact_forces_, frame.mesh->diagonal, 0.01 * weight);

  double most = 0;
  for (const LaneSnapshot* lane : shown.lanes())
    if (const Frame* from = heat_from(shown, *lane))
      most = std::max(most, largest_distance(lane->frame.positions, from->positions));
  if (most > largest_distance_ || most < kLeastOfColours * largest_distance_)
    largest_distance_ = rounded_up(std::max(most, kLeastDistance), {1, 2, 5});
}

ViewLegend ClothView::legend(const Snapshot& shown) const {
  const Frame& frame = shown.frame;
  const Look colours = look();
  ViewLegend out;
  out.stretch_spring = colours.stretch_spring;
  out.bend_spring = colours.bend_spring;
  out.grab = colours.grab;
  out.heat = {{}, settings_.heat_max_strain, frame.record.max_strain};
  if (heat_is_distance(shown)) {
    const Frame* from = heat_from(shown, shown);
    out.heat = {shown.reference, largest_distance_,
                from != nullptr ? largest_distance(frame.positions, from->positions)
                                : std::numeric_limits<double>::quiet_NaN()};
  }
  out.grab_depth = interaction_.depth(camera).value_or(0);
  if (!frame.velocities.empty())
    out.velocity = {colours.velocity, velocity_scale_.length(), velocity_scale_.value()};
  if (!frame.forces.empty()) out.force = {colours.force, force_scale_.length(), force_scale_.value()};
  out.contact = {colours.sticking, contact_scale_.length(), contact_scale_.value()};
  out.sliding = colours.sliding;
  out.intersection = colours.intersection;
  out.seam = colours.seam;
  out.stride = arrow_stride(frame.positions.size());
  return out;
}

GrabMarks ClothView::grab_marks(const Frame& frame, const Area& cloth) const {
  const auto seen = [&](const vec3& point) { return point_in(cloth, camera, point); };
  GrabMarks out;
  out.colour = look().grab;
  const std::optional<Interaction::Target>& target = interaction_.target();
  if (const auto at = target && ImGui::IsMousePosValid() ? seen(target->at) : std::nullopt)
    out.target = {*at, target->pin.has_value()};
  const auto particle = interaction_.particle_under_mouse();
  if (particle && settings_.step_of && std::ranges::count(*settings_.step_of, *particle) > 0)
    out.particle = seen(frame.positions[*particle]);
  const auto at = frame.grab ? seen(frame.grab->cursor) : std::nullopt;
  if (const auto depth = interaction_.depth(camera); at && depth)
    out.held = {*at, *depth, frame.mesh->diagonal / 4};
  return out;
}

void draw_mesh_marks(const MeshBar& bar, const Snapshot& snapshot, const Camera& camera, const Area& view,
                     std::optional<std::size_t> edge_under_mouse) {
  if (!bar.is_shown(snapshot)) return;
  const auto seen = [&](std::uint32_t i) { return point_in(view, camera, snapshot.frame.positions[i]); };
  draw_open_edges(bar, snapshot, seen, view, edge_under_mouse);
  draw_part_numbers(bar, snapshot, seen, view);
}

void draw_failure(const LaneSnapshot& lane, const Camera& camera, const Area& view) {
  if (!lane.failed_spring && !lane.failed_contact) return;
  const auto seen = [&](std::uint32_t i) { return point_in(view, camera, lane.frame.positions[i]); };
  const auto from = seen(lane.failed_contact ? lane.failed_contact->particle : lane.failed_spring->i);
  const auto to = lane.failed_contact ? from : seen(lane.failed_spring->j);
  if (from && to) failure_overlay(*from, *to, view);
}

void draw_trail(const LaneSnapshot& lane, std::uint32_t particle, bool alone, const Camera& camera,
                const Area& view) {
  if (particle >= lane.frame.positions.size()) return;
  const auto seen = [&](const vec3& point) { return point_in(view, camera, point); };
  const double now = lane.frame.record.time;
  std::vector<ImVec2> way;
  for (const PlotSample& sample : *lane.plot) {
    if (sample.time < now - kTrailSeconds || sample.time > now || !is_finite(sample.position)) continue;
    if (const auto at = seen(sample.position)) way.push_back(*at);
  }
  const auto at = seen(lane.frame.positions[particle]);
  if (at) trail_overlay(way, *at, alone ? palette().careful : lane_colour(lane.lane), view);
}

}  // namespace clothlab
