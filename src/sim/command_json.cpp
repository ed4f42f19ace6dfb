// SPDX-License-Identifier: MIT
#include "sim/command_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "sim/obstacle_json.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kOff = std::numeric_limits<double>::infinity();

// Written without a JSON tree: to destroy one takes memory, and without that ends the program.

std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string text;
  for (const auto& [key, value] : members)
    text.append(text.empty() ? "{\"" : ",\"").append(key).append("\":").append(value);
  return text.append("}");
}

template <class Values, class Text>
std::string list_of(const Values& values, const Text& text) {
  std::string list = "[";
  for (const auto& value : values) list.append(list.size() > 1 ? "," : "").append(text(value));
  return list.append("]");
}

std::string number_text(double value) {
  return value == 0 && std::signbit(value) ? "-0.0" : format_number(value);
}
std::string count_text(std::uint64_t value) { return std::to_string(value); }
std::string list_of(const vec3& v) { return list_of(std::array{v.x, v.y, v.z}, number_text); }

struct Write {
  std::string operator()(const SetParameter& c) const {
    return json_object({{"do", "\"set\""},
                        {"id", json_text(c.id)},
                        {"value", c.value == kOff ? "\"off\"" : number_text(c.value)}});
  }
  std::string operator()(const SetGravity& c) const {
    return json_object({{"do", "\"set-gravity\""}, {"to", list_of(c.gravity)}});
  }
  std::string operator()(const SetObstacles& c) const {
    return json_object({{"do", "\"set-obstacles\""}, {"to", list_of(c.bodies, write_obstacle)}});
  }
  std::string operator()(const MoveObstacle& c) const {
    return json_object({{"do", "\"move-obstacle\""},
                        {"obstacle", count_text(c.obstacle)},
                        {"to", list_of(c.to)},
                        {"duration", number_text(c.duration)}});
  }
  std::string operator()(const SetIntegrator& c) const {
    return json_object({{"do", "\"set-integrator\""}, {"id", json_text(c.id)}});
  }
  std::string operator()(const SetPinned& c) const {
    return json_object(
        {{"do", c.pinned ? "\"pin\"" : "\"unpin\""}, {"particles", list_of(c.particles, count_text)}});
  }
  std::string operator()(const SetPinPreset& c) const {
    return json_object(
        {{"do", "\"pin-preset\""}, {"name", json_text(kPinPresetNames[static_cast<std::size_t>(c.preset)])}});
  }
  std::string operator()(const SetScene& c) const {
    return json_object({{"do", "\"set-scene\""}, {"scene", c.scene ? write_values(*c.scene) : "null"}});
  }
  std::string operator()(const MovePins& c) const {
    const auto pin = [](const PinPlace& p) {
      return json_object({{"particle", count_text(p.particle)}, {"to", list_of(p.place)}});
    };
    return json_object(
        {{"do", "\"move-pins\""}, {"pins", list_of(c.pins, pin)}, {"duration", number_text(c.duration)}});
  }
  std::string operator()(const Grab& c) const {
    return json_object({{"do", "\"grab\""},
                        {"particles", list_of(c.particles, count_text)},
                        {"weights", list_of(c.weights)},
                        {"cursor", list_of(c.cursor)},
                        {"stiffness", number_text(c.stiffness)},
                        {"damping", number_text(c.damping)},
                        {"strength", number_text(c.strength)}});
  }
  std::string operator()(const MoveCursor& c) const {
    return json_object({{"do", "\"move-cursor\""}, {"to", list_of(c.cursor)}});
  }
  std::string operator()(const Release&) const { return json_object({{"do", "\"release\""}}); }
  std::string operator()(const Reset&) const { return json_object({{"do", "\"reset\""}}); }
  std::string operator()(const GoBack& c) const {
    const JournalPlace place = c.moment ? c.moment->place : JournalPlace{};
    return json_object({{"do", "\"go-to\""},
                        {"to-step", count_text(place.step)},
                        {"after-commands", count_text(place.commands)}});
  }
  std::string operator()(const RestoreSoundState&) const {
    return json_object({{"do", "\"restore-sound-state\""}});
  }
  std::string operator()(const TurnRound&) const { return json_object({{"do", "\"turn-round\""}}); }
};

/// The members of an object, each to be read once; `done` refuses what is left over.
class Members {
 public:
  explicit Members(const Json& object) : left_(object) {
    if (!left_.is_object()) throw InputError("An entry must be a JSON object.");
  }

  Json get(const char* key) {
    const auto found = left_.find(key);
    if (found == left_.end()) throw InputError("\"" + std::string(key) + "\" is missing.");
    Json value = std::move(*found);
    left_.erase(key);
    return value;
  }

  std::string text(const char* key) {
    const Json value = get(key);
    if (!value.is_string()) refuse(key, "a text");
    return value.get<std::string>();
  }

  double number(const char* key) {
    const Json value = get(key);
    if (!value.is_number()) refuse(key, "a number");
    return value.get<double>();
  }

  std::uint64_t count(const char* key) { return count_of(get(key), key, std::uint64_t{1} << 53); }

  vec3 vector(const char* key) {
    const Json value = get(key);
    vec3 v(0);
    if (!value.is_array() || value.size() != 3) refuse(key, "three numbers");
    for (int a = 0; a < 3; ++a) {
      const Json& number = value[static_cast<std::size_t>(a)];
      if (!number.is_number()) refuse(key, "three numbers");
      v[a] = number.get<double>();
    }
    return v;
  }

  std::uint32_t particle(const char* key) { return particle_of(get(key), key); }

  std::vector<std::uint32_t> particles(const char* key) {
    const Json value = get(key);
    if (!value.is_array()) refuse(key, "a list of particles");
    std::vector<std::uint32_t> all;
    for (const Json& each : value) all.push_back(particle_of(each, key));
    return all;
  }

  std::vector<Obstacle> obstacles(const char* key) {
    const Json value = get(key);
    if (!value.is_array()) refuse(key, "a list of obstacles");
    std::vector<Obstacle> all;
    for (const Json& each : value) all.push_back(read_obstacle(nlohmann::json(each)));
    return all;
  }

  void done() const {
    if (left_.empty()) return;
    throw InputError("There is no \"" + printable(left_.begin().key()) + "\" in this entry.");
  }

 private:
  [[noreturn]] static void refuse(const char* key, const char* what) {
    throw InputError("\"" + std::string(key) + "\" must be " + what + ".");
  }
  static std::uint64_t count_of(const Json& value, const char* key, std::uint64_t most) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) refuse(key, "a whole number");
    return value.get<std::uint64_t>();
  }
  static std::uint32_t particle_of(const Json& value, const char* key) {
    return static_cast<std::uint32_t>(count_of(value, key, std::numeric_limits<std::uint32_t>::max()));
  }

  Json left_;
};

double value_of(Members& from) {
  const Json value = from.get("value");
  if (value == "off") return kOff;
  if (!value.is_number()) throw InputError("\"value\" must be a number, or \"off\".");
  return value.get<double>();
}

PinPreset preset_of(const std::string& name) {
  const auto found = std::ranges::find(kPinPresetNames, name);
  if (found == kPinPresetNames.end()) throw InputError("There are no pins \"" + printable(name) + "\".");
  return static_cast<PinPreset>(found - kPinPresetNames.begin());
}

std::vector<PinPlace> pin_places(const Json& list) {
  if (!list.is_array()) throw InputError("\"pins\" must be a list.");
  std::vector<PinPlace> pins;
  for (const Json& each : list) {
    Members of(each);
    pins.push_back({of.particle("particle"), of.vector("to")});
    of.done();
  }
  return pins;
}

Grab grab_of(Members& from) {
  Grab grab;
  const std::vector<std::uint32_t> particles = from.particles("particles");
  if (particles.size() != grab.particles.size()) throw InputError("A grab holds three particles.");
  std::ranges::copy(particles, grab.particles.begin());
  grab.weights = from.vector("weights");
  grab.cursor = from.vector("cursor");
  grab.stiffness = from.number("stiffness");
  grab.damping = from.number("damping");
  grab.strength = from.number("strength");
  return grab;
}

struct Reader {
  std::string_view name;
  Command (*read)(Members&);
};

constexpr std::array kReaders{
    Reader{"set",
           [](Members& from) -> Command {
             return SetParameter{from.text("id"), value_of(from)};
           }},
    Reader{"set-obstacles", [](Members& from) -> Command { return SetObstacles{from.obstacles("to")}; }},
    Reader{"move-obstacle",
           [](Members& from) -> Command {
             return MoveObstacle{from.particle("obstacle"), from.vector("to"), from.number("duration")};
           }},
    Reader{"set-gravity", [](Members& from) -> Command { return SetGravity{from.vector("to")}; }},
    Reader{"set-integrator", [](Members& from) -> Command { return SetIntegrator{from.text("id")}; }},
    Reader{"pin",
           [](Members& from) -> Command {
             return SetPinned{from.particles("particles"), true};
           }},
    Reader{"unpin",
           [](Members& from) -> Command {
             return SetPinned{from.particles("particles"), false};
           }},
    Reader{"pin-preset", [](Members& from) -> Command { return SetPinPreset{preset_of(from.text("name"))}; }},
    Reader{"set-scene",
           [](Members& from) -> Command {
             return SetScene{
                 std::make_shared<const Scene>(parse_scene(from.get("scene").dump(), "\"scene\""))};
           }},
    Reader{"move-pins",
           [](Members& from) -> Command {
             return MovePins{pin_places(from.get("pins")), from.number("duration")};
           }},
    Reader{"grab", [](Members& from) -> Command { return grab_of(from); }},
    Reader{"move-cursor", [](Members& from) -> Command { return MoveCursor{from.vector("to")}; }},
    Reader{"release", [](Members&) -> Command { return Release{}; }},
    Reader{"reset", [](Members&) -> Command { return Reset{}; }},
    Reader{"restore-sound-state", [](Members&) -> Command { return RestoreSoundState{}; }},
    Reader{"turn-round", [](Members&) -> Command { return TurnRound{}; }},
};

}  // namespace

std::string write_values(Scene scene) {
  scene.mesh = NoSource{};
  scene.initial_state.reset();
  return write_scene_line(scene);
}

std::string write_command(const Command& command) { return std::visit(Write{}, command); }

Command read_command(const Json& object) {
  Members from(object);
  const std::string name = from.text("do");
  for (const Reader& row : kReaders) {
    if (row.name != name) continue;
    Command command = row.read(from);
    from.done();
    return command;
  }
  throw InputError("There is no command \"" + printable(name) + "\".");
}

JournalPlace read_go_to(const Json& object) {
  Members from(object);
  from.text("do");
  const JournalPlace place{from.count("to-step"), from.count("after-commands")};
  from.done();
  return place;
}

}  // namespace clothlab
