// SPDX-License-Identifier: MIT
#include "app/state_log.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "app/interaction.h"
#include "core/hash.h"
#include "core/text_file.h"
#include "io/output_file.h"
#include "sim/parameters.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr double kPeriod = 0.02;
constexpr std::size_t kParticles = 16;

using Json = nlohmann::json;

Json to_json(const vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const Pixels& p) { return Json::array({p.x, p.y}); }

/// Where a point is seen in the window.
using Seen = std::function<std::optional<Projected>(const vec3& point)>;

// Some particles, evenly picked: index, position in the world, and in the window.
Json some_particles(const Frame& frame, const Seen& seen) {
  Json out = Json::array();
  const auto& positions = frame.positions;
  const std::size_t count = std::min(positions.size(), kParticles);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = count > 1 ? k * (positions.size() - 1) / (count - 1) : 0;
    Json row;
    row["index"] = i;
    row["position"] = to_json(positions[i]);
    row["pinned"] = frame.pinned[i] != 0;
    if (const auto at = seen(positions[i])) row["pixel"] = to_json(at->pixel);
    out.push_back(std::move(row));
  }
  return out;
}

// Distance of the grabbed point from the cursor on the screen; null if one is behind the eye.
Json lag_in_pixels(const Frame::Grab& grab, const Seen& seen) {
  const auto point = seen(grab.point);
  const auto cursor = seen(grab.cursor);
  if (!point || !cursor) return nullptr;
  return glm::length(point->pixel - cursor->pixel);
}

// The point of each edge nearest to the eye, which is probably visible.
Json edges(std::span<const BoundaryLoop> open_edges, const Frame& frame, const Seen& seen) {
  Json out = Json::array();
  for (const BoundaryLoop& loop : open_edges) {
    std::optional<Projected> nearest;
    for (const std::uint32_t particle : loop.particles) {
      const auto at = seen(frame.positions[particle]);
      if (at && (!nearest || at->depth < nearest->depth)) nearest = at;
    }
    if (nearest) out.push_back({{"particles", loop.particles.size()}, {"pixel", to_json(nearest->pixel)}});
  }
  return out;
}

// The bodies, with the projections of their centres.
Json bodies(const Frame& frame, const Seen& seen) {
  Json out = Json::array();
  for (const Obstacle& body : frame.obstacles) {
    out.push_back({{"body", text_of(body)}, {"centre", to_json(centre_of(body))}});
    if (const auto at = seen(centre_of(body))) out.back()["pixel"] = to_json(at->pixel);
  }
  return out;
}

// The sum of all positions shows whether a cloth has moved; the hash compares their bits.
Json lane_json(const LaneSnapshot& lane) {
  vec3 sum(0);
  for (const vec3& x : lane.frame.positions) sum += x;
  return {{"integrator", lane.frame.scene->integrator},
          {"step", lane.frame.record.step},
          {"time", lane.frame.record.time},
          {"frozen", lane.frozen},
          {"catching_up", lane.catching_up.has_value()},
          {"blow_up", lane.blow_up_sentence},
          {"grab", lane.frame.grab.has_value()},
          {"contacts",
           {{"pairs", lane.frame.record.contacts.pairs},
            {"sticking", lane.frame.record.contacts.sticking},
            {"force", lane.frame.record.contacts.push},
            {"drawn", lane.frame.contacts.size()}}},
          {"intersections", lane.frame.intersections.pairs},
          {"samples", lane.plot->size()},
          {"distance", lane.plot->empty() ? Json() : Json(lane.plot->back().distance)},
          {"places", to_json(sum)},
          {"hash", std::to_string(Hash().add(lane.frame.positions).value())}};
}

}  // namespace

StateLog::StateLog() {
  if (const char* path = std::getenv("CLOTHLAB_WINDOW_STATE")) path_ = path;
}

bool StateLog::is_due(double now) {
  if (!path_ || now < next_) return false;
  next_ = now + kPeriod;
  return true;
}

void StateLog::write(const Snapshot& snapshot, const Camera& camera, const Area& view,
                     std::span<const BoundaryLoop> open_edges, const Json& more) {
  const Seen seen = [&](const vec3& point) { return seen_in(view, camera, point); };
  const Frame& frame = snapshot.frame;
  Json json = lane_json(snapshot);
  json.update(more);
  json["written"] = ++written_;
  json["view"] = {view.x, view.y, view.width, view.height};
  json["title"] = frame.scene->title;
  json["mesh"] = frame.mesh->source ? frame.mesh->source->name : "";
  json["scale"] = frame.scene->scale;
  json["z_up"] = frame.scene->z_up;
  json["particles"] = frame.positions.size();
  json["playing"] = snapshot.playing;
  json["speed"] = snapshot.speed;
  if (frame.grab) {
    json["grab_point"] = to_json(frame.grab->point);
    json["grab_cursor"] = to_json(frame.grab->cursor);
    json["grab_lag"] = lag_in_pixels(*frame.grab, seen);
    json["grab_force"] = glm::length(frame.grab->force);
  }
  json["blow_up"] = snapshot.blow_up_text;
  json["replay"] = snapshot.replay.has_value();
  json["spectrum_time"] = snapshot.spectrum ? Json(snapshot.spectrum->time) : Json();
  json["kept"] = {snapshot.kept.from, snapshot.kept.to};
  json["lane"] = std::string(1, lane_letter(snapshot.lane));
  json["lanes"] = Json::object();
  for (const LaneSnapshot* lane : snapshot.lanes())
    json["lanes"][std::string(1, lane_letter(lane->lane))] = lane_json(*lane);
  json["camera"] = {camera.yaw, camera.pitch, camera.distance};
  json["pinned"] = std::ranges::count_if(frame.pinned, [](std::uint8_t pinned) { return pinned != 0; });
  for (const SceneParameter& row : scene_parameters()) {
    const double value = row.get(*frame.scene);
    json["parameters"][std::string(row.spec.id)] = std::isfinite(value) ? Json(value) : Json("off");
  }
  json["gravity"] = to_json(frame.scene->material.gravity);
  json["some_particles"] = some_particles(frame, seen);
  json["obstacles"] = bodies(frame, seen);
  json["open_edges"] = edges(open_edges, frame, seen);
  json["items"] = Json::object();
  for (const auto& [name, rect] : item_rects()) json["items"][name] = {rect.x, rect.y, rect.z, rect.w};
  json["texts"] = shown_texts();
  write_file(*path_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace clothlab
