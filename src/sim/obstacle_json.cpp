// SPDX-License-Identifier: MIT

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

constexpr const char *kOf = "an obstacle", *kKeyframes = "a list of keyframes";

}  // namespace

Obstacle read_obstacle(const json& value) {
  if (value.is_string()) return parse_obstacle(value.get<std::string>());
  if (!value.is_object())
    throw InputError(
        "an obstacle must be a text such as \"sphere:0,-1,0,0.3\", or an object with that as its \"body\"");
  const JsonMembers members(value, kOf, {"body", "turn", "path", "loops", "frames"});
  if (!members.has("body") || !value["body"].is_string())
    members.refuse("body", "a text such as \"sphere:0,-1,0,0.3\"");
  Obstacle obstacle = parse_obstacle(value["body"].get<std::string>());
  vec3 turn(0);
  members.read_if("turn", turn);
  obstacle = turned(obstacle, turn);
  for (const json& each : members.has("path") ? members.list("path", kKeyframes) : json::array()) {
    if (!each.is_object()) members.refuse("path", kKeyframes);
    const JsonMembers key(each, std::string("a keyframe of ") + kOf, {"time", "move", "turn"});
    if (!key.has("time") || !each["time"].is_number()) key.refuse("time", "a number of seconds");
    Keyframe& read = obstacle.path.keys.emplace_back();
    key.read("time", read.time);
    key.read_if("move", read.move);
    key.read_if("turn", read.turn);
  }
  members.read_if("loops", obstacle.path.loops);
  if (members.has("frames")) {
    if (obstacle.shape != Obstacle::Shape::mesh || !value["frames"].is_object())
      members.refuse("frames", "an object, of a mesh");
    const JsonMembers frames(value["frames"], kOf, {"rate", "start", "loops"});
    frames.read_if("rate", obstacle.mesh.playback.rate);
    frames.read_if("start", obstacle.mesh.playback.start);
    frames.read_if("loops", obstacle.mesh.playback.loops);
  }
  check_obstacles(std::array{obstacle});
  return obstacle;
}

std::string write_obstacle(const Obstacle& obstacle) {
  const std::string body = json_text(text_of(obstacle));
  const Playback& playback = obstacle.mesh.playback;
  if (obstacle.turn == vec3(0) && obstacle.path == ObstaclePath() && playback == Playback()) return body;
  std::string text = "{\"body\": " + body;
  if (obstacle.turn != vec3(0)) text.append(", \"turn\": ").append(json_list(obstacle.turn));
  if (!obstacle.path.keys.empty()) {
    text += ", \"path\": [";
    for (const Keyframe& key : obstacle.path.keys) {
      text.append(text.ends_with('[') ? "" : ", ").append("{\"time\": ").append(json_number(key.time));
      if (key.move != vec3(0)) text.append(", \"move\": ").append(json_list(key.move));
      if (key.turn != vec3(0)) text.append(", \"turn\": ").append(json_list(key.turn));
      text += '}';
    }
    text += ']';
  }
  if (obstacle.path.loops) text += ", \"loops\": true";
  if (playback != Playback())
    text.append(", \"frames\": {\"rate\": ")
        .append(json_number(playback.rate))
        .append(", \"start\": ")
        .append(json_number(playback.start))
        .append(playback.loops ? ", \"loops\": true}" : "}");
  return text + "}";
}

Obstacle parse_obstacle_argument(std::string_view text) {
  if (!text.starts_with('{')) return parse_obstacle(text);
  try {
    const json value = parse_strict_json(text);
    if (value.is_discarded()) throw InputError("this is not valid JSON");
    return read_obstacle(value);
  } catch (const InputError& error) {
    throw InputError("The obstacle \"" + printable(text) + "\": " + error.what() +
                     (std::string_view(error.what()).ends_with('.') ? "" : "."));
  }
}

std::string obstacle_argument(const Obstacle& obstacle) {
  const std::string text = write_obstacle(obstacle);
  return text.starts_with('{') ? text : text_of(obstacle);
}

}  // namespace clothlab
