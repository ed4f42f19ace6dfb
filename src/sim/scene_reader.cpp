// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"
#include "mesh/cloth_mesh.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"
#include "sim/scene_values.h"

namespace clothlab {
namespace {

using nlohmann::json;
using KeyList = std::vector<std::string_view>;

// The keys that are no parameters of the table. "clothlab-scene" is the version.
constexpr std::array<std::string_view, 13> kOwnKeys{
    "clothlab-scene", "title",      "description",   "mesh",      "scale", "weld", "z-up", "pin",
    "gravity",        "integrator", "initial-state", "obstacles", "lanes"};

/// The keys of an object that is part of the scene; none where the value of `key` is no object.
KeyList keys_within(std::string_view key) {
  if (key == "mesh") return {"grid", "size", "file", "generated"};
  if (key == "initial-state") return {"positions", "velocities"};
  return {};
}

bool takes_list(std::string_view key) {
  return key == "pin" || key == "gravity" || key == "obstacles" || key == "lanes" || key == "grid" ||
         key == "size";
}

/// A text that is read byte by byte and polls the probe, so that reading a long string or list can be
/// stopped.
class PolledText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  PolledText(const char* at, const StopProbe& stop) : at_(at), poll_(at), stop_(&stop) {}
  reference operator*() const { return *at_; }
  PolledText& operator++() {
    if (at_++ == poll_) poll();
    return *this;
  }
  bool operator==(const PolledText& other) const { return at_ == other.at_; }

 private:
  static constexpr std::ptrdiff_t kBytes = std::ptrdiff_t{1} << 16;

  void poll() {
    poll_ += kBytes;
    if (stop_requested(*stop_)) throw Cancelled();
  }

  const char* at_;
  const char* poll_;
  const StopProbe* stop_;
};

constexpr const char* kRows = "must be a list of three numbers for every vertex";

/// Makes a scene of the parser's events. Errors are found as they are read: an unknown key, a repeated one, a
/// list or an object where none belongs.
class SceneReader final : public json::json_sax_t {
 public:
  explicit SceneReader(std::string_view text) : text_(text) {}

  SceneExtras extras() { return {std::move(remark_), std::move(lanes_)}; }
  Scene result() {
    if (!top_keys_.contains("clothlab-scene"))
      throw InputError("the key \"clothlab-scene\" with the version is missing");
    if (version_ == 1 && !top_keys_.contains("newton-tolerance")) scene_.solver.newton_tolerance = 1e-6;
    if (version_ <= 2) {
      for (const auto& [key, value] : {std::pair{"xpbd-iterations", 20}, {"xpbd-substeps", 1}})
        if (!top_keys_.contains(key)) set_parameter(scene_, key, value);
    }
    for (const json& lane : lanes_json_) read_lane(lane);
    if (!lanes_.empty()) scene_ = with_method(std::move(scene_), lanes_.front().method);
    return std::move(scene_);
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // there is none in a text

  bool key(string_t& name) override {
    if (!tree_.empty()) {
      if (!tree_.back()->is_object() || tree_.back()->contains(name))
        refuse_value(top_, "has \"" + printable(name) + "\" twice");
      count_in_tree();
      tree_key_ = name;
      return true;
    }
    const bool within = level_ == Level::within;
    const KeyList known = within ? keys_within(top_) : scene_keys();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string shown = '"' + printable(name) + '"';
      if (within)
        refuse_value(top_,
                     "has no " + shown + suggestion(name, known, "\"") + " Allowed are " + joined(known));
      throw InputError("there is no key " + shown + suggestion(name, known, "\""));
    }
    (within ? inner_ : top_) = name;
    if (!(within ? inner_keys_ : top_keys_).insert(name).second) refuse_value(name, "is there twice");
    return true;
  }

  bool start_object(std::size_t) override {
    if (holds_trees()) {
      grow_tree(json::object());
    } else if (level_ == Level::outside) {
      level_ = Level::scene;
    } else if (level_ == Level::scene && !keys_within(top_).empty()) {
      level_ = Level::within;
      inner_keys_.clear();
      value_ = json::object();
    } else {
      refuse_container(json::object());
    }
    return true;
  }

  bool end_object() override {
    if (!tree_.empty()) {
      tree_.pop_back();
    } else if (level_ == Level::within) {
      level_ = Level::scene;
      inner_.clear();
      finish();
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (!tree_.empty()) {
      grow_tree(json::array());
    } else if (rows_ != nullptr && !in_row_) {
      in_row_ = true;
      row_size_ = 0;
    } else if (level_ == Level::within && top_ == "initial-state") {
      rows_ = inner_ == "positions" ? &state_.positions : &state_.velocities;
      open_list();
    } else if ((level_ == Level::scene || level_ == Level::within) && takes_list(last_key())) {
      list_ = level_ == Level::within ? &value_[inner_] : &value_;
      *list_ = json::array();
      open_list();
    } else {
      refuse_container(json::array());
    }
    return true;
  }

  bool end_array() override {
    if (!tree_.empty()) {
      tree_.pop_back();
      return true;
    }
    if (std::exchange(in_row_, false)) {
      if (row_size_ != vec3::length()) refuse_value(inner_, kRows);
      rows_->push_back(row_);
      return true;
    }
    level_ = list_level_;
    rows_ = nullptr;
    list_ = nullptr;
    if (level_ == Level::scene) finish();
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    constexpr int kNumberOutOfRange = 406;
    if (error.id == kNumberOutOfRange && !top_.empty())
      refuse_value(last_key(), "holds a number that is too large");
    const std::string_view before = text_.substr(0, std::min(position - (position > 0), text_.size()));
    throw InputError("line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
                     " is not valid JSON");
  }

 private:
  enum class Level {
    outside,  ///< before the scene's object
    scene,    ///< in it
    within,   ///< in an object that is the value of one of its keys
    list,
  };

  const std::string& last_key() const { return inner_.empty() ? top_ : inner_; }

  void open_list() {
    list_level_ = level_;
    level_ = Level::list;
  }

  /// A value that is neither a list nor an object.
  bool add(json value) {
    if (level_ == Level::outside) throw InputError("a scene must be a JSON object, { ... }");
    if (!tree_.empty()) {
      add_to_tree(std::move(value));
    } else if (rows_ != nullptr) {
      add_to_row(value);
    } else if (list_ != nullptr) {
      if (list_->size() == kMaxParticles)
        refuse_value(last_key(),
                     "holds more than the " + std::to_string(kMaxParticles) + " values that are allowed");
      list_->push_back(std::move(value));
    } else if (level_ == Level::within) {
      if (top_ == "initial-state") refuse_value(inner_, kRows);
      value_[inner_] = std::move(value);
    } else {
      value_ = std::move(value);
      finish();
    }
    return true;
  }

  /// Obstacles may be objects, with paths in them: a few levels, of limited size.
  bool holds_trees() const {
    return !tree_.empty() || (list_ != nullptr && (top_ == "obstacles" || top_ == "lanes"));
  }
  void count_in_tree() {
    constexpr std::size_t kMost = kMostObstacles * kMostKeyframes * 12;
    if (++in_tree_ > kMost) refuse_value(top_, "holds too many values");
  }
  json& add_to_tree(json value) {
    count_in_tree();
    json& parent = tree_.empty() ? *list_ : *tree_.back();
    if (parent.is_array()) return parent.emplace_back(std::move(value));
    return parent[tree_key_] = std::move(value);
  }
  void grow_tree(json empty) {
    constexpr std::size_t kDeepest = 4;  // an obstacle, its path, a keyframe, a vector
    if (tree_.size() == kDeepest) refuse_value(top_, "is nested too deeply");
    tree_.push_back(&add_to_tree(std::move(empty)));
  }

  void add_to_row(const json& value) {
    if (!in_row_ || row_size_ == vec3::length() || !value.is_number()) refuse_value(inner_, kRows);
    row_[row_size_++] = value.get<double>();
  }

  /// Refuses a list or an object where none belongs, without reading its contents.
  [[noreturn]] void refuse_container(json empty) {
    add(std::move(empty));
    refuse_value(last_key(), "is nested too deeply");
  }

  /// The value of a key of the scene is complete.
  void finish() {
    if (top_ != "initial-state") {
      if (top_ == "clothlab-scene" && value_.is_number_integer()) version_ = value_.get<int>();
      remark_ += replace_retired_value(top_, value_);
      if (top_ == "lanes") {
        lanes_json_ = std::move(value_);
        if (!lanes_json_.is_array() || lanes_json_.empty() || lanes_json_.size() > kMostLanes)
          refuse_value(top_, "must be a list of 1 to " + std::to_string(kMostLanes) + " lanes");
        return;
      }
      return read_value(top_, value_, scene_);
    }
    if (!value_.is_object()) refuse_value(top_, "must be an object with \"positions\" and \"velocities\"");
    for (const std::string_view part : keys_within(top_))
      if (!inner_keys_.contains(part)) refuse_value(top_, "lacks \"" + std::string(part) + "\"");
    if (state_.positions.size() != state_.velocities.size())
      refuse_value(top_, "must have as many \"velocities\" as \"positions\"");
    scene_.initial_state = std::move(state_);
  }

  /// {"letter": "B", "method": {...}}; what the method leaves out has its default.
  void read_lane(const json& lane) {
    const auto refuse = [](const std::string& what) { refuse_value("lanes", what); };
    if (!lane.is_object() || lane.size() != 2 || !lane.contains("letter") || !lane["letter"].is_string() ||
        !lane.contains("method") || !lane["method"].is_object())
      refuse("must be a list of objects with a \"letter\" and a \"method\"");
    const LaneId letter = lane_of_letter(lane["letter"].get<std::string>());
    if (!lanes_.empty() && letter <= lanes_.back().lane)
      refuse("must have ascending letters, each lane once");
    Scene own = with_method(scene_, Method());
    for (const auto& [key, value] : lane["method"].items()) {
      if (!is_of_method(key))
        refuse("holds a method with \"" + printable(key) + "\", which is not a value of a method");
      read_value(key, value, own);
    }
    lanes_.push_back({letter, own.method()});
  }
  static bool is_of_method(std::string_view key) {
    if (key == "integrator") return true;
    const SceneParameter* row = find_scene_parameter(key);
    return row != nullptr ? row->is_of_method() : find_parameter_spec(key) != nullptr;
  }

  const std::string_view text_;
  Scene scene_;
  int version_ = kSceneVersion;
  std::string remark_;
  json lanes_json_ = json::array();
  std::vector<LaneMethod> lanes_;
  Level level_ = Level::outside, list_level_ = Level::outside;
  std::set<std::string, std::less<>> top_keys_, inner_keys_;
  std::string top_, inner_;  // the key that is being read, and the one in its object
  json value_;               // of `top_`
  json* list_ = nullptr;     // that is open
  std::vector<json*> tree_;  // what is open in it
  std::string tree_key_;
  std::size_t in_tree_ = 0;  // values so far
  InitialState state_;
  std::vector<vec3>* rows_ = nullptr;  // of the state, that are open
  bool in_row_ = false;
  vec3 row_{0};
  int row_size_ = 0;
};

}  // namespace

std::vector<std::string_view> scene_keys() {
  std::vector<std::string_view> keys(kOwnKeys.begin(), kOwnKeys.end());
  for (const SceneParameter& row : scene_parameters()) keys.push_back(row.spec.id);
  for (const IntegratorInfo& info : integrators())
    for (const ParameterSpec& spec : info.parameters)
      if (std::find(keys.begin(), keys.end(), spec.id) == keys.end()) keys.push_back(spec.id);
  return keys;
}

Scene parse_scene(std::string_view json_text, std::string_view name, const StopProbe& stop,
                  SceneExtras* extras) {
  try {
    SceneReader reader(json_text);
    json::sax_parse(PolledText(json_text.data(), stop), PolledText(json_text.data() + json_text.size(), stop),
                    &reader);
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
