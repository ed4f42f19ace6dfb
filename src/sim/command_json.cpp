// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using Json = nlohmann::ordered_json;

/// A number that may be "off", which is infinity.
template <class Number>
struct OrOff {
  explicit OrOff(Number& its_number) : number(its_number) {}
  Number& number;
};
constexpr double kOff = std::numeric_limits<double>::infinity();

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// The object of each command: `field` is called with its keys and values, which it writes or reads.

void fields_of(Is<SetParameter> auto& c, auto& field) {
  field("do", "set")("id", c.id)("value", OrOff(c.value));
}
void fields_of(Is<SetGravity> auto& c, auto& field) { field("do", "set-gravity")("to", c.gravity); }
void fields_of(Is<SetObstacles> auto& c, auto& field) { field("do", "set-obstacles")("to", c.bodies); }
void fields_of(Is<MoveObstacle> auto& c, auto& field) {
  field("do", "move-obstacle")("obstacle", c.obstacle)("to", c.to)("duration", c.duration);
}
void fields_of(Is<SetIntegrator> auto& c, auto& field) { field("do", "set-integrator")("id", c.id); }
void fields_of(Is<SetTableau> auto& c, auto& field) { field("do", "set-tableau")("tableau", c.tableau); }
void fields_of(Is<SetPinned> auto& c, auto& field) {
  field("do", c.pinned ? "pin" : "unpin")("particles", c.particles);
}
void fields_of(Is<SetPinPreset> auto& c, auto& field) { field("do", "pin-preset")("name", c.preset); }
void fields_of(Is<SetScene> auto& c, auto& field) { field("do", "set-scene")("scene", c.scene); }
void fields_of(Is<MovePins> auto& c, auto& field) {
  field("do", "move-pins")("pins", c.pins)("duration", c.duration);
}
void fields_of(Is<PinTarget> auto& pin, auto& field) { field("particle", pin.particle)("to", pin.position); }
void fields_of(Is<Grab> auto& c, auto& field) {
  field("do", "grab")("particles", c.particles)("weights", c.weights)("cursor", c.cursor);
  field("stiffness", c.stiffness)("damping", c.damping)("strength", c.strength);
}
void fields_of(Is<MoveCursor> auto& c, auto& field) { field("do", "move-cursor")("to", c.cursor); }
void fields_of(Is<Release> auto&, auto& field) { field("do", "release"); }
void fields_of(Is<Reset> auto&, auto& field) { field("do", "reset"); }
void fields_of(Is<GoBack> auto&, auto& field) { field("do", "go-to"); }  // a log has GoTo instead
void fields_of(Is<RestoreGoodState> auto&, auto& field) { field("do", "restore-sound-state"); }
void fields_of(Is<ReverseVelocities> auto&, auto& field) { field("do", "turn-round"); }
void fields_of(Is<StepBack> auto&, auto& field) { field("do", "step-back"); }
void fields_of(Is<SetDriver> auto& c, auto& field) {
  field("do", "set-driver")("driver", c.driver)("on", c.on);
}

/// Writes an object without a JSON tree: destroying a tree needs memory and ends the program without it.
class ObjectText {
 public:
  explicit ObjectText(const auto& of) { fields_of(of, *this); }
  ObjectText& operator()(const char* key, const auto& value) {
    text_.append(text_.empty() ? "{\"" : ",\"").append(key).append("\":").append(text_of(value));
    return *this;
  }
  std::string text() const { return text_ + "}"; }

 private:
  static std::string text_of(const char* text) { return json_text(text); }
  static std::string text_of(const std::string& text) { return json_text(text); }
  static std::string text_of(double value) { return json_number(value); }
  static std::string text_of(bool value) { return value ? "true" : "false"; }
  static std::string text_of(std::uint32_t value) { return std::to_string(value); }
  static std::string text_of(std::uint64_t value) { return std::to_string(value); }
  static std::string text_of(const OrOff<const double>& value) {
    return value.number == kOff ? "\"off\"" : json_number(value.number);
  }
  static std::string text_of(const vec3& v) { return text_of(std::array{v.x, v.y, v.z}); }
  static std::string text_of(const TableauMethod* tableau) {
    return tableau == nullptr ? "null" : write_tableau(tableau->tableau);
  }
  static std::string text_of(const Obstacle& body) { return write_obstacle(body); }
  static std::string text_of(const PinTarget& pin) { return ObjectText(pin).text(); }
  static std::string text_of(PinPreset preset) {
    return json_text(kPinPresetNames[static_cast<std::size_t>(preset)]);
  }
  static std::string text_of(const std::shared_ptr<const Scene>& scene) {
    return scene ? write_values(*scene) : "null";
  }
  template <class Values>
  static std::string text_of(const Values& list) {
    std::string text = "[";
    for (const auto& value : list) text.append(text.size() > 1 ? "," : "").append(text_of(value));
    return text.append("]");
  }

  std::string text_;
};

template <class T>
constexpr const char* kNameOfList = "a list";
template <>
constexpr const char* kNameOfList<std::uint32_t> = "a list of particles";
template <>
constexpr const char* kNameOfList<Obstacle> = "a list of obstacles";

/// Reads the members of an object, each once; `done` refuses unread members.
class ObjectReader {
 public:
  explicit ObjectReader(const Json& object) : left_(object) {
    if (!left_.is_object()) throw InputError("An entry must be a JSON object.");
  }

  std::string take_name() {
    std::string name;
    (*this)("do", name);
    return name;
  }

  ObjectReader& operator()(const char*, const char*) { return *this; }  // the name, which is read before
  ObjectReader& operator()(const char* key, auto&& value) {
    const auto found = left_.find(key);
    if (found == left_.end()) throw InputError("\"" + std::string(key) + "\" is missing.");
    read(*found, key, value);
    left_.erase(key);
    return *this;
  }

  void done() const {
    if (left_.empty()) return;
    throw InputError("Unknown key \"" + printable(left_.begin().key()) + "\" in this entry.");
  }

 private:
  [[noreturn]] static void refuse(const char* key, const char* what) {
    throw InputError("\"" + std::string(key) + "\" must be " + what + ".");
  }

  static void read(const Json& value, const char* key, std::string& text) {
    if (!value.is_string()) refuse(key, "a text");
    text = value.get<std::string>();
  }
  static void read(const Json& value, const char* key, bool& flag) {
    if (!value.is_boolean()) refuse(key, "true or false");
    flag = value.get<bool>();
  }
  static void read(const Json& value, const char* key, double& number, const char* allowed = "a number") {
    if (!value.is_number()) refuse(key, allowed);
    number = value.get<double>();
  }
  static void read(const Json& value, const char* key, const OrOff<double>& to) {
    if (value == "off")
      to.number = kOff;
    else
      read(value, key, to.number, "a number, or \"off\"");
  }
  static void read(const Json& value, const char* key, std::uint64_t& count,
                   std::uint64_t most = std::uint64_t{1} << 53) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) refuse(key, "a whole number");
    count = value.get<std::uint64_t>();
  }
  static void read(const Json& value, const char* key, std::uint32_t& particle) {
    std::uint64_t count = 0;
    read(value, key, count, std::numeric_limits<std::uint32_t>::max());
    particle = static_cast<std::uint32_t>(count);
  }
  static void read(const Json& value, const char* key, vec3& v) {
    constexpr const char* kThree = "three numbers";
    if (!value.is_array() || value.size() != 3) refuse(key, kThree);
    for (int a = 0; a < 3; ++a) read(value[static_cast<std::size_t>(a)], key, v[a], kThree);
  }
  template <class T>
  static void read(const Json& value, const char* key, std::vector<T>& list) {
    if (!value.is_array()) refuse(key, kNameOfList<T>);
    for (const Json& each : value) read(each, key, list.emplace_back());
  }
  static void read(const Json& value, const char* key, std::array<std::uint32_t, 3>& particles) {
    std::vector<std::uint32_t> list;
    read(value, key, list);
    if (list.size() != particles.size()) throw InputError("A grab needs three particles.");
    std::ranges::copy(list, particles.begin());
  }
  static void read(const Json& value, const char*, const TableauMethod*& tableau) {
    tableau = &read_tableau(nlohmann::json(value));
  }
  static void read(const Json& value, const char*, Obstacle& body) {
    body = read_obstacle(nlohmann::json(value));
  }
  static void read(const Json& value, const char*, PinTarget& pin) {
    ObjectReader reader(value);
    fields_of(pin, reader);
    reader.done();
  }
  static void read(const Json& value, const char* key, PinPreset& preset) {
    std::string name;
    read(value, key, name);
    const auto found = std::ranges::find(kPinPresetNames, name);
    if (found == kPinPresetNames.end()) throw InputError("Unknown pin preset \"" + printable(name) + "\".");
    preset = static_cast<PinPreset>(found - kPinPresetNames.begin());
  }
  static void read(const Json& value, const char* key, std::shared_ptr<const Scene>& scene) {
    scene = std::make_shared<const Scene>(parse_scene(value.dump(), "\"" + std::string(key) + "\""));
  }

  Json left_;
};

/// The name of a command, which is its first field.
class NameOf {
 public:
  explicit NameOf(const auto& command) { fields_of(command, *this); }
  NameOf& operator()(const char*, const char* name) { return name_ = name, *this; }
  NameOf& operator()(const char*, const auto&) { return *this; }
  std::string_view name() const { return name_; }

 private:
  const char* name_ = "";
};

const std::vector<Command>& empty_commands() {
  static const std::vector<Command> all{
      SetParameter{},      SetGravity{}, SetObstacles{}, MoveObstacle{},
      SetIntegrator{},     SetTableau{}, SetPinned{},    SetPinned{{}, false},
      SetPinPreset{},      SetScene{},   MovePins{},     Grab{},
      MoveCursor{},        Release{},    Reset{},        RestoreGoodState{},
      ReverseVelocities{}, SetDriver{},  StepBack{}};
  return all;
}

}  // namespace

std::string write_values(Scene scene) {
  scene.mesh = NoSource{};
  scene.added_meshes.clear();
  scene.initial_state.reset();
  return write_scene_line(scene);
}

std::string write_command(const Command& command) {
  return std::visit([](const auto& c) { return ObjectText(c).text(); }, command);
}

Command read_command(const Json& object) {
  ObjectReader reader(object);
  const std::string name = reader.take_name();
  for (Command command : empty_commands()) {
    const auto has_name = [&](const auto& c) { return NameOf(c).name() == name; };
    if (!std::visit(has_name, command)) continue;
    std::visit([&](auto& c) { fields_of(c, reader); }, command);
    reader.done();
    return command;
  }
  throw InputError("Unknown command \"" + printable(name) + "\".");
}

}  // namespace clothlab
