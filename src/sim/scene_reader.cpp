// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "mesh/cloth_mesh.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;
using KeyList = std::vector<std::string_view>;

/// The keys of an object that is part of the scene; none if the value of `key` is not an object.
KeyList keys_within(std::string_view key) {
  if (key == "mesh") return {"grid", "size", "file", "generated"};
  if (key == "pin") return {"groups"};
  if (key == "initial-state") return {"positions", "velocities"};
  if (key == "tableau") return {"name", "a", "b", "c", "alpha", "beta"};
  return {};
}

bool takes_list(std::string_view key) {
  return key == "pin" || key == "gravity" || key == "obstacles" || key == "added-meshes" ||
         key == "drivers" || key == "seams" || key == "lanes" || key == "groups" || key == "grid" ||
         key == "size" || key == "a" || key == "b" || key == "c" || key == "alpha" || key == "beta";
}

/// A text in blocks. Polls the probe before each, so that reading a long string or list can be stopped.
class PolledText : public std::streambuf {
 public:
  PolledText(std::string_view text, const StopProbe& stop) : left_(text), stop_(stop) {}

 private:
  int_type underflow() override {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (stop_requested(stop_)) throw Cancelled();
    block_ = left_.substr(0, kBlock);
    left_.remove_prefix(block_.size());
    setg(block_.data(), block_.data(), block_.data() + block_.size());
    return block_.empty() ? traits_type::eof() : traits_type::to_int_type(block_.front());
  }

  std::string_view left_;
  const StopProbe& stop_;
  std::string block_;
};

constexpr const char* kRows = "must be a list of three numbers for every vertex";

/// Builds a scene from the parser's events. Reports errors during reading: an unknown or repeated key, a
/// misplaced list or object. Reads a value when it is complete and does not keep it.
class SceneReader {
 public:
  void read(std::string_view text, const StopProbe& stop) {
    try {
      PolledText polled(text, stop);
      std::istream stream(&polled);
      [[maybe_unused]] const json rest = json::parse(stream, std::ref(*this));
    } catch (const json::parse_error& error) {
      refuse_line(text.substr(0, error.byte - (error.byte > 0)));
    } catch (const json::out_of_range&) {
      if (top_.empty()) refuse_line(text.substr(0, text.find_first_not_of(" \t\r\n")));
      refuse_value(last_key(), "holds a number that is too large");
    }
  }

  SceneExtras extras() { return {std::move(remark_), std::move(lanes_)}; }
  Scene result() {
    const Keys& keys = keys_.front();
    if (!keys.contains("clothlab-scene"))
      throw InputError("the key \"clothlab-scene\" with the version is missing");
    if (version_ == 1 && !keys.contains("newton-tolerance")) scene_.solver.newton_tolerance = 1e-6;
    if (version_ <= 2) {
      for (const auto& [key, value] : {std::pair{"xpbd-iterations", 20}, {"xpbd-substeps", 1}})
        if (!keys.contains(key)) set_parameter(scene_, key, value);
    }
    check_drivers(scene_.groups, scene_.drivers);  // their keys come in any order
    check_tableau(scene_);
    if (!lanes_.empty()) scene_ = with_method(std::move(scene_), lanes_.front().method);
    return std::move(scene_);
  }

  /// The parser's callback: true to keep the parsed value. `depth`: of the containers around it.
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::key:
        add_key(depth, parsed.get_ref<const std::string&>());
        return true;
      case json::parse_event_t::object_start:
        open(depth, json::object());
        keys_.emplace_back();
        return true;
      case json::parse_event_t::array_start:
        open(depth, json::array());
        row_size_ = 0;
        return true;
      case json::parse_event_t::value:
        return add(depth, parsed);
      case json::parse_event_t::object_end:
        if (depth > 0) keys_.pop_back();
        return close(depth, parsed);
      case json::parse_event_t::array_end:
        return close(depth, parsed);
    }
    return true;
  }

 private:
  using Keys = std::set<std::string, std::less<>>;

  [[noreturn]] static void refuse_text() { throw InputError("a scene must be a JSON object, { ... }"); }

  [[noreturn]] static void refuse_line(std::string_view before) {
    throw InputError("line " + std::to_string(1 + std::ranges::count(before, '\n')) + " is not valid JSON");
  }

  const std::string& last_key() const { return inner_.empty() ? top_ : inner_; }
  bool in_state() const { return top_ == "initial-state"; }

  void add_key(int depth, const std::string& name) {
    const KeyList within = keys_within(top_);
    const bool is_in_part = depth == 2 && !within.empty();
    if (depth == 1) {
      check_key(name, scene_keys());
      top_ = name;
      size_ = 0;
    } else if (is_in_part) {
      if (std::ranges::find(within, name) == within.end())
        refuse_value(top_, "has no \"" + printable(name) + '"' + suggestion(name, within, "\"") +
                               " Allowed are " + joined(within));
      inner_ = name;
    }
    if (keys_.back().insert(name).second) return;
    if (depth > 1 && !is_in_part) refuse_value(top_, "has \"" + printable(name) + "\" twice");
    refuse_value(name, "occurs twice");
  }

  /// True if a list, or else an object, may begin here.
  bool may_open(int depth, bool is_list) const {
    constexpr int kDeepestObstacle = 5;  // an obstacle, its path, a keyframe, a vector
    constexpr int kRow = 3;
    constexpr int kDeepestOfGroups = 4, kDeepestOfDrivers = 5, kDeepestOfSeams = 4;
    if (depth == 1)
      return is_list ? takes_list(top_)
                     : top_ == "groups" || top_ == "materials" || !keys_within(top_).empty();
    if (top_ == "materials") return !is_list && depth == 2;
    if (top_ == "groups") return depth <= kDeepestOfGroups && is_list == (depth > 2);  // a box, its corners
    if (top_ == "drivers") return depth <= kDeepestOfDrivers && (depth > 2 || !is_list);  // as obstacles
    if (top_ == "seams") return depth <= kDeepestOfSeams && is_list == (depth > 2);       // pairs, a pair
    if (top_ == "added-meshes") return depth == (is_list ? 3 : 2);  // a mesh, its position
    if (top_ == "lanes")                                            // a lane, its method, a tableau there
      return is_list ? depth == 5 || depth == 6 : depth <= 4;
    if (top_ == "tableau") return is_list && depth <= 3;
    if (top_ == "obstacles") return depth <= kDeepestObstacle && (depth > 2 || !is_list);
    if (in_state()) return is_list && depth <= kRow;
    return is_list && depth == 2 && !inner_.empty() && takes_list(inner_);
  }

  /// Refuses a misplaced list or object without reading its contents.
  void open(int depth, const json& empty) {
    if (depth == 0) {
      if (!empty.is_object()) refuse_text();
      return;
    }
    if (may_open(depth, empty.is_array())) return count(depth);
    if (depth == 1) finish(empty);
    if (in_state()) refuse_value(inner_, kRows);
    refuse_value(last_key(), "is nested too deeply");
  }

  /// A value other than a list or an object.
  bool add(int depth, json& value) {
    constexpr int kInRow = 4;
    if (depth == 0) refuse_text();
    if (depth == 1) return finish(std::move(value));
    if (!in_state()) return count(depth), true;
    if (depth != kInRow || row_size_ == vec3::length() || !value.is_number()) refuse_value(inner_, kRows);
    row_[row_size_++] = value.get<double>();
    return false;
  }

  bool close(int depth, json& parsed) {
    constexpr int kRow = 3;
    if (depth == 1) return inner_.clear(), finish(std::move(parsed));
    if (!in_state() || depth != kRow) return true;
    if (row_size_ != vec3::length()) refuse_value(inner_, kRows);
    (inner_ == "positions" ? state_.positions : state_.velocities).push_back(row_);
    return false;
  }

  /// Limits the memory of a list, or of the obstacles, before they are read.
  void count(int depth) {
    constexpr std::size_t kMostOfObstacles = kMostObstacles * kMostKeyframes * 12;
    if (depth == 1 || in_state()) return;
    ++size_;
    if ((top_ == "obstacles" || top_ == "added-meshes" || top_ == "drivers" || top_ == "lanes") &&
        size_ > kMostOfObstacles)
      refuse_value(top_, "holds too many values");
    if (size_ > kMaxParticles)
      refuse_value(last_key(),
                   "holds more than the " + std::to_string(kMaxParticles) + " values that are allowed");
  }

  /// Reads the value of a key of the scene, which is complete.
  bool finish(json value) {
    if (!in_state()) {
      if (top_ == "clothlab-scene" && value.is_number_integer()) version_ = value.get<int>();
      remark_ += replace_retired_value(top_, value);
      if (top_ == "lanes")
        read_lanes(value);
      else
        read_value(top_, value, scene_);
      return false;
    }
    if (!value.is_object()) refuse_value(top_, "must be an object with \"positions\" and \"velocities\"");
    for (const std::string_view part : keys_within(top_))
      if (!value.contains(part)) refuse_value(top_, "lacks \"" + std::string(part) + "\"");
    if (state_.positions.size() != state_.velocities.size())
      refuse_value(top_, "must have as many \"velocities\" as \"positions\"");
    scene_.initial_state = std::move(state_);
    return false;
  }

  /// [{"letter": "B", "method": {...}}]; missing keys of a method have their defaults.
  void read_lanes(const json& list) {
    const auto refuse = [](const std::string& what) { refuse_value("lanes", what); };
    if (!list.is_array() || list.empty() || list.size() > kMostLanes)
      refuse("must be a list of 1 to " + std::to_string(kMostLanes) + " lanes");
    for (const json& lane : list) {
      if (!lane.is_object() || lane.size() != 2 || !lane.contains("letter") || !lane["letter"].is_string() ||
          !lane.contains("method"))
        refuse("must be a list of objects with a \"letter\" and a \"method\"");
      const LaneId letter = lane_of_letter(lane["letter"].get<std::string>());
      if (!lanes_.empty() && letter <= lanes_.back().lane)
        refuse("must have ascending letters, each lane once");
      lanes_.push_back({letter, method_from_json(lane["method"])});
    }
  }

  Scene scene_;
  std::vector<LaneMethod> lanes_;
  int version_ = kSceneVersion;
  std::string remark_;
  std::vector<Keys> keys_;   // of the open objects
  std::string top_, inner_;  // the key that is being read, and the one in its object
  std::size_t size_ = 0;     // values of the key so far
  InitialState state_;
  vec3 row_{0};
  int row_size_ = 0;
};

}  // namespace

Scene parse_scene(std::string_view json_text, std::string_view name, const StopProbe& stop,
                  SceneExtras* extras) {
  try {
    SceneReader reader;
    reader.read(json_text, stop);
    Scene scene = reader.result();
    if (extras == nullptr) return scene;
    *extras = reader.extras();
    if (!extras->remark.empty()) extras->remark = std::string(name) + ": " + extras->remark;
    return scene;
  } catch (const InputError& error) {
    std::string what = error.what();
    if (what.back() != '.' && what.back() != '?') what += '.';
    throw InputError(std::string(name) + ": " + what);
  }
}

}  // namespace clothlab
