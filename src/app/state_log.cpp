// SPDX-License-Identifier: MIT
#include "app/state_log.h"

#include <cmath>
#include <cstdlib>
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

std::optional<Projected> seen(const StateLog::Picture& picture, const vec3& point) {
  return seen_in(picture.view, picture.camera, point);
}

// Some particles, evenly picked: index, position in the world, and in the window.
Json some_particles(const StateLog::Picture& picture) {
  Json out = Json::array();
  const auto& positions = picture.snapshot.frame.positions;
  const std::size_t count = std::min(positions.size(), kParticles);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = count > 1 ? k * (positions.size() - 1) / (count - 1) : 0;
    Json row;
    row["index"] = i;
    row["position"] = to_json(positions[i]);
    row["pinned"] = picture.snapshot.frame.pinned[i] != 0;
    if (const auto at = seen(picture, positions[i])) row["pixel"] = to_json(at->pixel);
    out.push_back(std::move(row));
  }
  return out;
}

// Distance of the grabbed point from the cursor on the screen; null if one is behind the eye.
Json lag_in_pixels(const StateLog::Picture& picture) {
  const auto point = seen(picture, picture.snapshot.frame.grab->point);
  const auto cursor = seen(picture, picture.snapshot.frame.grab->cursor);
  if (!point || !cursor) return nullptr;
  return glm::length(point->pixel - cursor->pixel);
}

// The point of each edge nearest to the eye, which is probably visible.
Json edges(const StateLog::Picture& picture) {
  Json out = Json::array();
  for (const BoundaryLoop& loop : picture.open_edges) {
    std::optional<Projected> nearest;
    for (const std::uint32_t particle : loop.particles) {
      const auto at = seen(picture, picture.snapshot.frame.positions[particle]);
      if (at && (!nearest || at->depth < nearest->depth)) nearest = at;
    }
    if (nearest) out.push_back({{"particles", loop.particles.size()}, {"pixel", to_json(nearest->pixel)}});
  }
  return out;
}

// The bodies, with the projections of their centres.
Json bodies(const StateLog::Picture& picture) {
  Json out = Json::array();
  for (const Obstacle& body : picture.snapshot.frame.obstacles) {
    out.push_back({{"body", text_of(body)}, {"centre", to_json(centre_of(body))}});
    if (const auto at = seen(picture, centre_of(body))) out.back()["pixel"] = to_json(at->pixel);
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

void StateLog::write(double now, const Picture& picture) {
  if (!path_ || now < next_) return;
  next_ = now + kPeriod;
  const Snapshot& snapshot = picture.snapshot;
  const Frame& frame = snapshot.frame;
  Json json;
  json["written"] = ++written_;
  json["window_title"] = picture.window_title;
  json["recording"] = {{"shown", picture.recording.shown},
                       {"finished", picture.recording.progress.finished},
                       {"frames", picture.recording.progress.frames},
                       {"error", picture.recording.progress.error},
                       {"folder", utf8_of(picture.recording.folder)}};
  json["frames"] = picture.frames;
  json["fps"] = picture.frames_per_second;
  json["size"] = {picture.width, picture.height};
  json["view"] = {picture.view.x, picture.view.y, picture.view.width, picture.view.height};
  json["title"] = frame.scene->title;
  json["mesh"] = frame.mesh->source ? frame.mesh->source->name : "";
  json["scale"] = frame.scene->scale;
  json["z_up"] = frame.scene->z_up;
  json["particles"] = frame.positions.size();
  json["integrator"] = frame.scene->integrator;
  json["playing"] = snapshot.playing;
  json["speed"] = snapshot.speed;
  json["time"] = frame.record.time;
  json["step"] = frame.record.step;
  json["grab"] = frame.grab.has_value();
  if (frame.grab) json["grab_point"] = to_json(frame.grab->point);
  if (frame.grab) json["grab_cursor"] = to_json(frame.grab->cursor);
  if (frame.grab) json["grab_lag"] = lag_in_pixels(picture);
  if (frame.grab) json["grab_force"] = glm::length(frame.grab->force);
  json["blow_up"] = snapshot.blow_up_text;
  json["replay"] = snapshot.replay.has_value();
  json["spectrum_time"] = snapshot.spectrum ? Json(snapshot.spectrum->time) : Json();
  json["kept"] = {snapshot.kept.from, snapshot.kept.to};
  json["lane"] = std::string(1, lane_letter(snapshot.lane));
  json["lanes"] = Json::object();
  for (const LaneSnapshot* lane : snapshot.lanes())
    json["lanes"][std::string(1, lane_letter(lane->lane))] = lane_json(*lane);
  json["message"] = picture.message;
  json["loading"] = picture.loading;
  json["tab"] = picture.tab;
  json["plots"] = picture.plots;
  json["dialog"] = picture.dialog_open;
  json["camera"] = {picture.camera.yaw, picture.camera.pitch, picture.camera.distance};
  std::size_t pinned = 0;
  for (const auto p : frame.pinned) pinned += p != 0 ? 1U : 0U;
  json["pinned"] = pinned;
  for (const SceneParameter& row : scene_parameters()) {
    const double value = row.get(*frame.scene);
    json["parameters"][std::string(row.spec.id)] = std::isfinite(value) ? Json(value) : Json("off");
  }
  json["gravity"] = to_json(frame.scene->material.gravity);
  json["some_particles"] = some_particles(picture);
  json["obstacles"] = bodies(picture);
  json["open_edges"] = edges(picture);
  json["items"] = Json::object();
  for (const auto& [name, rect] : item_rects()) json["items"][name] = {rect.x, rect.y, rect.z, rect.w};
  json["texts"] = shown_texts();
  write_file(*path_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace clothlab
