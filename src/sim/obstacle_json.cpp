// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kMembers{"body", "turn", "path", "loops"};
constexpr std::array<std::string_view, 3> kKeyMembers{"time", "move", "turn"};

[[noreturn]] void refuse_member(std::string_view key, const char* what) {
  throw InputError("\"" + std::string(key) + "\" of an obstacle must be " + what);
}

void check_members(const json& object, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError("an obstacle has no \"" + printable(key) + "\"" + suggestion(key, known, "\"") +
                       " Allowed are " + joined(known));
}

vec3 vector_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return vec3(0);
  constexpr const char* kThree = "a list of three numbers";
  if (!found->is_array() || found->size() != 3) refuse_member(key, kThree);
  vec3 v(0);
  for (int k = 0; k < 3; ++k) {
    const json& number = (*found)[static_cast<std::size_t>(k)];
    if (!number.is_number()) refuse_member(key, kThree);
    v[k] = number.get<double>();
  }
  return v;
}

}  // namespace

Obstacle read_obstacle(const json& value) {
  if (value.is_string()) return parse_obstacle(value.get<std::string>());
  if (!value.is_object())
    throw InputError(
        "an obstacle must be a text such as \"sphere:0,-1,0,0.3\", or an object with that as its \"body\"");
  check_members(value, kMembers);
  if (!value.contains("body") || !value["body"].is_string())
    refuse_member("body", "a text such as \"sphere:0,-1,0,0.3\"");
  Obstacle obstacle = turned(parse_obstacle(value["body"].get<std::string>()), vector_of(value, "turn"));
  if (const auto path = value.find("path"); path != value.end()) {
    if (!path->is_array()) refuse_member("path", "a list of keyframes");
    for (const json& key : *path) {
      if (!key.is_object()) refuse_member("path", "a list of keyframes");
      check_members(key, kKeyMembers);
      if (!key.contains("time") || !key["time"].is_number()) refuse_member("time", "a number of seconds");
      obstacle.path.keys.push_back(
          {key["time"].get<double>(), vector_of(key, "move"), vector_of(key, "turn")});
    }
  }
  if (const auto loops = value.find("loops"); loops != value.end()) {
    if (!loops->is_boolean()) refuse_member("loops", "true or false");
    obstacle.path.loops = loops->get<bool>();
  }
  check_obstacles(std::array{obstacle});
  return obstacle;
}

std::string write_obstacle(const Obstacle& obstacle) {
  const std::string body = json_text(text_of(obstacle));
  if (obstacle.turn == vec3(0) && obstacle.path == ObstaclePath()) return body;
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
