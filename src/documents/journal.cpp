// SPDX-License-Identifier: MIT
#include "documents/journal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/overloaded.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/bundle.h"
#include "documents/obstacle_meshes.h"
#include "io/output_file.h"
#include "sim/command_rules.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// 1 has no fingerprints of obstacles, 2 loads one lane only.
constexpr int kJournalVersion = 3, kOldestJournal = 1;
constexpr const char* kFingerprints = "obstacle-fingerprints";
constexpr const char* kRunStep = "run-step";
constexpr std::size_t kMaxJournalBytes = std::size_t{4} << 30;
constexpr std::size_t kHexDigits = 16;

std::uint64_t word_of_hex(std::string_view digits) {
  std::uint64_t word = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
  if (digits.size() != kHexDigits || error != std::errc() || end != digits.data() + digits.size())
    throw InputError("16 hexadecimal digits are required here.");
  return word;
}

/// The numbers of a checkpoint as text: 16 hexadecimal digits, the bits of each.
std::string hex_of(const Checkpoint& moment) {
  Memory numbers;
  write_checkpoint(moment, numbers);
  std::string text(kHexDigits * numbers.numbers().size(), '0');
  char* at = text.data();
  for (const double number : numbers.numbers()) {
    const auto word = std::bit_cast<std::uint64_t>(number);
    for (int shift = 60; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

Memory numbers_of_hex(std::string_view text) {
  if (text.size() % kHexDigits != 0) throw InputError("the moment is damaged.");
  std::vector<double> numbers(text.size() / kHexDigits);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::bit_cast<double>(word_of_hex(text.substr(i * kHexDigits, kHexDigits)));
  return Memory(std::move(numbers));
}

std::string line(std::uint64_t step, std::string_view object) {
  std::string text = "{\"step\":";
  return text.append(std::to_string(step)).append(",").append(object.substr(1)).append("\n");
}

std::string object_of(const StateHash& state) { return "{\"state\":\"" + hex_digits(state.value) + "\"}"; }

std::string lane_member(const char* key, LaneId lane) {
  return std::string("\"") + key + "\":\"" + lane_letter(lane) + "\"";
}

std::string position_members(const LogPosition& position) {
  return "\"to-step\":" + std::to_string(position.step) +
         ",\"after-commands\":" + std::to_string(position.commands);
}

std::string object_of(const LaneCommand& command) {
  const auto object = [](const char* name, const auto& c) {
    std::string text = std::string("{\"do\":\"") + name + "\"," + lane_member("lane", c.lane);
    if constexpr (requires { c.from; }) text += "," + lane_member("from", c.from);
    return text + "}";
  };
  return std::visit(Overloaded{[&](const AddLane& c) { return object("add-lane", c); },
                               [&](const RemoveLane& c) { return object("remove-lane", c); },
                               [&](const JoinLane& c) { return object("join-lane", c); },
                               [&](const HoldLane& c) { return object("hold-lane", c); }},
                    command);
}

std::string object_of(const GoTo& entry) {
  return "{\"do\":\"go-to\"," + position_members(entry.position) + "}";
}

std::string object_of(const CaughtUp& entry) {
  std::string object = "{\"do\":\"come-back\"," + lane_member("lane", entry.lane) + ",";
  object.append(position_members(entry.from)).append(",\"method\":");
  return object.append(write_values(*entry.method)).append(entry.frozen ? ",\"frozen\":true}" : "}");
}

LaneId lane_in(const Json& object, const char* key) {
  const Json letter = object.value(key, Json());
  if (!letter.is_string()) throw InputError("\"" + std::string(key) + "\" must name a lane.");
  return lane_of_letter(letter.get<std::string>());
}

std::uint64_t count_in(const Json& object, const char* key) {
  const Json count = object.value(key, Json());
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  if (!count.is_number_unsigned() || count > kMost)
    throw InputError("\"" + std::string(key) + "\" must be a whole number.");
  return count.get<std::uint64_t>();
}

LogPosition position_in(const Json& object) {
  return {count_in(object, "to-step"), count_in(object, "after-commands")};
}

/// Of an entry without its step, and for a lane's entry without its lane.
void check_members(const Json& object, std::initializer_list<std::string_view> allowed) {
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(allowed, key) == allowed.end())
      throw InputError("Unknown key \"" + printable(key) + "\" in this entry.");
}

/// A line that begins with the lane that it acts on; empty for other kinds.
std::optional<JournalEntry::What> lane_entry_of(const Json& object, LaneId lane) {
  const Json kind = object.value("do", Json());
  if (kind == "remove-lane" || kind == "hold-lane") {
    check_members(object, {"do"});
    return kind == "hold-lane" ? LaneCommand(HoldLane{lane}) : RemoveLane{lane};
  }
  if (kind == "add-lane" || kind == "join-lane") {
    const LaneId from = lane_in(object, "from");
    check_members(object, {"do", "from"});
    return kind == "add-lane" ? LaneCommand(AddLane{lane, from}) : JoinLane{lane, from};
  }
  if (kind != "come-back") return std::nullopt;
  check_members(object, {"do", "to-step", "after-commands", "method", "frozen"});
  return CaughtUp{
      lane, position_in(object),
      std::make_shared<const Scene>(parse_scene(object.value("method", Json()).dump(), "\"method\"")),
      object.contains("frozen") && object["frozen"] == true};
}

/// "\"moment\":\"...\"", or with several lanes "\"moments\":[...],\"frozen\":{\"B\":null}".
std::string moment_members(const Moment& moment) {
  if (moment.lanes.size() == 1) return "\"moment\":\"" + hex_of(*moment.lanes.front().checkpoint) + "\"";
  std::string texts;
  Json frozen = Json::object();
  for (const Moment::Part& part : moment.lanes) {
    texts.append(texts.empty() ? "\"" : ",\"").append(hex_of(*part.checkpoint)).append("\"");
    if (part.frozen || part.held)
      frozen[std::string(1, lane_letter(part.lane))] = part.frozen ? blow_up_json(*part.frozen) : Json();
  }
  return "\"moments\":[" + texts + "],\"frozen\":" + frozen.dump();
}

/// ",\"obstacle-fingerprints\":[\"...\",...]"; empty if no obstacle is a mesh.
std::string fingerprints_member(std::span<const Obstacle> bodies) {
  std::string list;
  for (const std::uint64_t each : mesh_fingerprints(bodies))
    list.append(list.empty() ? "" : ",").append("\"").append(hex_digits(each)).append("\"");
  return list.empty() ? list : std::string(",\"") + kFingerprints + "\":[" + list + "]";
}

/// Removes those of an entry from it.
std::optional<std::vector<std::uint64_t>> take_fingerprints(Json& object) {
  const auto found = object.find(kFingerprints);
  if (found == object.end()) return std::nullopt;
  std::vector<std::uint64_t> all;
  if (!found->is_array() || !std::ranges::all_of(*found, &Json::is_string))
    throw InputError("\"obstacle-fingerprints\" must be a list of texts.");
  for (const Json& each : *found) all.push_back(word_of_hex(each.get_ref<const std::string&>()));
  object.erase(found);
  return all;
}

fs::path absolute(const fs::path& path) { return fs::absolute(path); }

std::string object_of_load(Scene scene, std::span<const LaneMethod> lanes, std::uint64_t mesh_hash,
                           const Moment* moment, const PathChange& stored) {
  change_paths(scene, stored);
  std::string load = "{\"do\":\"load\",\"mesh-fingerprint\":\"";
  load.append(hex_digits(mesh_hash)).append("\",");
  if (moment != nullptr) load.append(moment_members(*moment)).append(",");
  load.append("\"scene\":").append(write_scene_line(scene, lanes));
  return load.append(fingerprints_member(scene.obstacles.bodies)).append("}");
}

std::span<const Obstacle> obstacles_of(const Command& command) {
  if (const auto* set = std::get_if<SetObstacles>(&command)) return set->bodies;
  if (const auto* set = std::get_if<SetScene>(&command); set && set->scene)
    return set->scene->obstacles.bodies;
  return {};
}

/// Gives all meshes that a command names other paths.
void change_paths(Command& command, const PathChange& change) {
  if (auto* set = std::get_if<SetObstacles>(&command))
    for (Obstacle& body : set->bodies) change_path(body, change);
  if (auto* set = std::get_if<SetScene>(&command)) {
    auto scene = std::make_shared<Scene>(*set->scene);
    change_paths(*scene, change);
    set->scene = std::move(scene);
  }
}

std::string object_of(Command command, const PathChange& stored) {
  change_paths(command, stored);
  std::string object = write_command(command);
  return object.insert(object.size() - 1, fingerprints_member(obstacles_of(command)));
}

std::string line_of(const LogEntry& entry, const PathChange& stored) {
  std::string object =
      std::visit(Overloaded{[&](const Command& command) { return object_of(command, stored); },
                            [](const auto& what) { return object_of(what); }},
                 entry.what);
  if (entry.lane) object.insert(1, lane_member("lane", *entry.lane).append(","));
  return line(entry.position.step, object);
}

/// State that the lines of a journal share.
struct Reading {
  const MeshSearch& search;
  const StopProbe& stop;
  ObstacleMeshes meshes = {};
};

/// The moment of a load: the numbers of every lane, and by letter which lanes are frozen, with their blow-up.
CheckpointFile moment_in(const Json& object, const JournalEntry::Load& load) {
  CheckpointFile file{.scene = load.scene, .mesh_hash = load.mesh_hash, .lanes = {}};
  const Json texts = object.contains("moments") ? object["moments"] : Json::array({object["moment"]});
  std::vector<LaneMethod> lanes = load.lanes;
  if (lanes.empty()) lanes.push_back({0, load.scene.method()});
  const Json frozen = object.value("frozen", Json::object());
  if (!texts.is_array() || texts.size() != lanes.size() || !std::ranges::all_of(texts, &Json::is_string) ||
      !frozen.is_object())
    throw InputError("the moment of a load has one text for each of its lanes.");
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    CheckpointFile::Lane lane{.lane = lanes[i].lane,
                              .method = std::move(lanes[i].method),
                              .numbers = numbers_of_hex(texts[i].get_ref<const std::string&>())};
    if (const auto found = frozen.find(std::string(1, lane_letter(lane.lane))); found != frozen.end()) {
      lane.held = found->is_null();
      try {
        if (!lane.held) lane.frozen = blow_up_of(nlohmann::json(*found));
      } catch (const nlohmann::json::exception&) {
        throw InputError("the blow-up of a lane is not as it was written.");
      }
    }
    file.lanes.push_back(std::move(lane));
  }
  return file;
}

JournalEntry::Load load_of(Json& object, Reading& reading) {
  JournalEntry::Load load;
  load.obstacle_hashes = take_fingerprints(object);
  for (const auto& [key, value] : object.items())
    if (key != "do" && key != "scene" && key != "mesh-fingerprint" && key != "moment" && key != "moments" &&
        key != "frozen")
      throw InputError("a load has no member " + printable(key) + ".");
  if (!object.contains("scene") || !object.contains("mesh-fingerprint") ||
      !object["mesh-fingerprint"].is_string())
    throw InputError("a load has a \"scene\", a \"mesh-fingerprint\" and perhaps a \"moment\".");
  SceneExtras extras;
  load.scene = parse_scene(object["scene"].dump(), "\"scene\"", reading.stop, &extras);
  load.lanes = std::move(extras.lanes);
  change_paths(load.scene, [&](const fs::path& path) { return reading.search.find(path); });
  load.mesh_hash = word_of_hex(object["mesh-fingerprint"].get_ref<const std::string&>());
  if (object.contains("moment") || object.contains("moments"))
    load.moment = std::make_shared<const CheckpointFile>(moment_in(object, load));
  return load;
}

/// Finds and reads the meshes of the obstacles of a command.
void read_meshes(Command& command, Reading& reading) {
  change_paths(command, [&](const fs::path& path) { return reading.search.find(path); });
  if (auto* set = std::get_if<SetObstacles>(&command)) reading.meshes.read(set->bodies, reading.stop);
  if (auto* set = std::get_if<SetScene>(&command)) {
    auto scene = std::make_shared<Scene>(*set->scene);
    reading.meshes.read(scene->obstacles.bodies, reading.stop);
    set->scene = std::move(scene);
  }
}

/// The entry of a line without its step.
JournalEntry::What entry_of(Json& object, Reading& reading) {
  if (object.size() == 1 && object.contains("state") && object["state"].is_string())
    return StateHash{word_of_hex(object["state"].get_ref<const std::string&>())};
  const Json kind = object.value("do", Json());
  if (kind == "load") return load_of(object, reading);
  if (kind == "go-to") {
    check_members(object, {"do", "to-step", "after-commands"});
    return GoTo{position_in(object)};
  }
  const auto fingerprints = take_fingerprints(object);
  Command command = read_command(object);
  read_meshes(command, reading);
  if (fingerprints) check_mesh_fingerprints(obstacles_of(command), *fingerprints);
  return command;
}

constexpr const char* kNoJournal = "this is not a journal of the window.";

void check_version(std::string_view line) {
  const Json object = parse_strict_json(line);
  if (!object.is_object() || !object.contains("clothlab-journal")) throw InputError(kNoJournal);
  if (const Json& version = object["clothlab-journal"];
      !version.is_number_integer() || version < kOldestJournal || version > kJournalVersion)
    throw InputError("this program reads journals of the versions " + std::to_string(kOldestJournal) +
                     " to " + std::to_string(kJournalVersion) + ".");
}

/// The entry of a line; `position`, of the line above, becomes the position of this line.
JournalEntry parse_line(std::string_view line, LogPosition& position, bool is_first, Reading& reading) {
  Json object = parse_strict_json(line);
  if (!object.is_object() || !object.value("step", Json()).is_number_unsigned())
    throw InputError("every line must be a JSON object with a \"step\".");
  const auto step = object["step"].get<std::uint64_t>();
  object.erase("step");
  if (step < position.step) throw InputError("the step is before the step of the line above.");
  if (step > position.step) position = {step, 0};
  std::optional<LaneId> lane;
  std::optional<JournalEntry::What> of_lanes;
  if (object.contains("lane")) {
    lane = lane_in(object, "lane");
    object.erase("lane");
    of_lanes = lane_entry_of(object, *lane);
  }
  JournalEntry entry{step, lane, of_lanes ? std::move(*of_lanes) : entry_of(object, reading)};
  if (lane && !of_lanes && !std::holds_alternative<Command>(entry.what))
    throw InputError("this entry applies to all lanes and must not name one.");
  if (is_first && !(std::holds_alternative<JournalEntry::Load>(entry.what) && step == 0))
    throw InputError("a journal must begin with a load.");
  const auto* go_to = std::get_if<GoTo>(&entry.what);
  const auto* finish_catch_up = std::get_if<CaughtUp>(&entry.what);
  if ((go_to != nullptr && !(go_to->position <= position)) ||
      (finish_catch_up != nullptr && !(finish_catch_up->from <= position)))
    throw InputError("the moment to go to must be earlier.");
  if (!std::holds_alternative<StateHash>(entry.what)) ++position.commands;
  return entry;
}

}  // namespace

CommandLog Journal::load(const LoadedScene& loaded, const CommandLog& before) {
  std::vector<Section> sections;
  LogPosition position;
  if (before.has_commands() || sections_.size() > 1) {
    sections = sections_;
    sections.back().log = std::make_shared<const CommandLog>(before);
    position = before.position();
  }
  sections.push_back({position.step,
                      std::make_shared<const Start>(
                          Start{loaded.scene, loaded.lanes, fingerprint(*loaded.mesh), loaded.moment}),
                      nullptr});
  ++position.commands;
  sections_ = std::move(sections);
  return CommandLog(position, loaded.moment != nullptr || loaded.lanes.size() > 1);
}

std::string Journal::load_line(const Section& section, const PathChange& stored) {
  const Start& start = *section.start;
  return line(section.step,
              object_of_load(start.scene, start.lanes, start.mesh_hash, start.moment.get(), stored));
}

std::string Journal::text(const CommandLog& run, std::uint64_t now, const PathChange& stored) const {
  std::string text = Json{{"clothlab-journal", kJournalVersion}}.dump() + '\n';
  for (const Section& section : sections_) {
    text += load_line(section, stored);
    for (const LogEntry& entry : (section.log ? *section.log : run).entries()) text += line_of(entry, stored);
  }
  return text + line(run.position().step, object_of(StateHash{now}));
}

void Journal::write(const CommandLog& run, std::uint64_t now, const fs::path& path) const {
  check_replaceable(path);
  write_file(path, text(run, now, absolute));
}

std::string begin_journal(const LoadedScene& loaded, const Moment& moment) {
  std::uint64_t steps = 0;
  for (const Moment::Part& part : moment.lanes) steps = std::max(steps, part.checkpoint->record.step);
  return Json{{"clothlab-journal", kJournalVersion}, {kRunStep, steps}}.dump() + '\n' +
         line(0, object_of_load(*moment.lanes.front().checkpoint->scene, methods_of(moment),
                                fingerprint(*loaded.mesh), &moment, absolute));
}

std::string continue_journal(std::span<const LogEntry> entries, const LogPosition& begin,
                             const LogPosition& end, std::uint64_t state) {
  std::string lines;
  for (LogEntry entry : entries) {
    entry.position.step -= begin.step;
    lines += line_of(entry, absolute);
  }
  return lines + line(end.step - begin.step, object_of(StateHash{state}));
}

JournalSummary summarize_journal(const fs::path& path, const StopProbe& stop) {
  const std::string text = read_text_file(path, kMaxJournalBytes, {stop, {}});
  JournalSummary summary;
  std::size_t number = 0;
  Json last;
  for (std::size_t end; (end = text.find('\n', summary.complete)) != std::string::npos; ++number) {
    if (stop_requested(stop)) throw Cancelled();
    const auto line = std::string_view(text).substr(summary.complete, end - summary.complete);
    try {
      if (number == 0) check_version(line);
      Json object = parse_strict_json(line);
      if (number == 1) {
        SceneExtras extras;
        summary.scene = parse_scene(object.value("scene", Json()).dump(), "\"scene\"", stop, &extras);
        summary.lanes = std::move(extras.lanes);
      }
      if (number == 0) summary.steps = object.value(kRunStep, Json(0)).get<std::uint64_t>();
      last = object.value("step", Json(0));
    } catch (const InputError&) {
      break;
    } catch (const Json::exception&) {
      break;
    }
    summary.complete = end + 1;
  }
  if (number < 2 || !last.is_number_unsigned()) throw InputError(shown_path(path) + ": " + kNoJournal);
  summary.steps += last.get<std::uint64_t>();
  return summary;
}

std::vector<fs::path> files_of(std::span<const JournalEntry> entries) {
  std::vector<fs::path> files;
  const auto add = [&](const std::vector<fs::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  for (const JournalEntry& entry : entries) {
    if (const auto* load = std::get_if<JournalEntry::Load>(&entry.what)) add(files_of(load->scene));
    const auto* command = std::get_if<Command>(&entry.what);
    if (command == nullptr) continue;
    add(files_of(obstacles_of(*command)));
  }
  return files;
}

std::vector<JournalEntry> read_journal(const fs::path& named, const StopProbe& stop, const fs::path& moved) {
  const fs::path path = part_of_bundle(named, kBundledJournal, stop);
  std::string text = read_text_file(path, kMaxJournalBytes, {stop, {}});
  // A window that was killed may leave a part of the last line.
  if (path.extension() == ".session") text.resize(text.rfind('\n') + 1);
  return parse_journal(text, shown_path(path), {path.parent_path(), moved}, stop);
}

std::vector<JournalEntry> parse_journal(std::string_view text, std::string_view name,
                                        const MeshSearch& meshes, const StopProbe& stop) {
  std::vector<JournalEntry> entries;
  std::size_t number = 0;
  LogPosition position;
  Reading reading{meshes, stop};
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (stop_requested(stop)) throw Cancelled();
    try {
      if (++number == 1)
        check_version(line);
      else
        entries.push_back(parse_line(line, position, entries.empty(), reading));
    } catch (const InputError& error) {
      throw InputError(std::string(name) + ", line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (entries.empty()) throw InputError(std::string(name) + ": " + kNoJournal);
  return entries;
}

}  // namespace clothlab
