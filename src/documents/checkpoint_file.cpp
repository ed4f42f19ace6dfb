// SPDX-License-Identifier: MIT
#include "documents/checkpoint_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/bundle.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "integrate/registry.h"
#include "io/output_file.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// 4 has no moving obstacles, 5 no steps that a barrier has shortened, 6 no stiffened barrier, 7 one lane
// only, 8 no impulses of contacts, 10 no growing bodies, 11 no impulses of pairs.
constexpr int kCheckpointVersion = 12, kOldestCheckpoint = 4, kFirstWithImpulses = 9, kFirstWithPairs = 12;
constexpr std::size_t kMaxCheckpointBytes = std::size_t{4} << 30;
constexpr std::size_t kWord = sizeof(std::uint64_t);

void add_word(std::string& bytes, std::uint64_t word) {
  for (std::size_t i = 0; i < kWord; ++i) bytes += static_cast<char>(word >> (8 * i) & 0xff);
}

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kWord; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return word;
}

nlohmann::ordered_json json_of(const NoticeLog& notices) {
  auto json = nlohmann::ordered_json::array();
  for (const Notice& notice : *notices.list())
    json.push_back({{"cause", name_of(notice.cause)}, {"step", notice.step}, {"text", notice.text}});
  return json;
}

/// Leaves out causes that this program does not know. Throws nlohmann::json::exception.
NoticeLog notices_of(const nlohmann::json& json) {
  NoticeLog notices;
  for (const nlohmann::json& each : json) {
    const auto cause = std::ranges::find(kNoticeCauseNames, each.at("cause").get<std::string>());
    if (cause != kNoticeCauseNames.end())
      notices.add_again(static_cast<NoticeCause>(cause - kNoticeCauseNames.begin()),
                        each.at("step").get<std::uint64_t>(), printable(each.at("text").get<std::string>()));
  }
  return notices;
}

// JSON has no number that is not finite.
nlohmann::ordered_json json_of(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

double number_of(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

/// The lanes of the header; those of earlier versions have one. `lanes` are those of the scene. Throws
/// nlohmann::json::exception, InputError.
std::vector<CheckpointFile::Lane> lanes_of(const nlohmann::json& header, std::vector<LaneMethod> lanes,
                                           const Scene& scene, std::span<const double> numbers) {
  nlohmann::json all = header.value("lanes", nlohmann::json());
  if (!header.contains("lanes")) {
    all = nlohmann::json::array({nlohmann::json::object({{"numbers", numbers.size()}})});
    if (header.contains("notices")) all[0]["notices"] = header["notices"];
    lanes = {{0, scene.method()}};
  }
  std::vector<CheckpointFile::Lane> found;
  if (!all.is_array() || all.empty() || all.size() != lanes.size())
    throw InputError("its lanes differ from those of its scene");
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto size = all[i].at("numbers").get<std::size_t>();
    if (size > numbers.size()) throw InputError("it has too few numbers");
    CheckpointFile::Lane& lane = found.emplace_back();
    lane.lane = lanes[i].lane;
    lane.method = std::move(lanes[i].method);
    if (all[i].contains("notices")) lane.notices = notices_of(all[i]["notices"]);
    lane.numbers = Memory(std::vector(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(size)));
    lane.held = all[i].value("held", false);
    if (all[i].contains("blow-up")) lane.frozen = blow_up_of(all[i]["blow-up"]);
    numbers = numbers.subspan(size);
  }
  if (!numbers.empty()) throw InputError("it has too many numbers");
  return found;
}

/// Throws InputError if a blow-up is of particles that do not exist.
void check_particles(const BlowUp& blow_up, std::size_t n) {
  const bool has_spring = !blow_up.spring || std::max(blow_up.spring->i, blow_up.spring->j) < n;
  if (!has_spring || (blow_up.contact && blow_up.contact->particle >= n))
    throw InputError("The checkpoint is damaged: a lane blew up at a vertex that does not exist.");
}

}  // namespace

nlohmann::ordered_json blow_up_json(const BlowUp& blow_up) {
  nlohmann::ordered_json json = {{"cause", static_cast<int>(blow_up.cause)},
                                 {"step", blow_up.step},
                                 {"time", json_of(blow_up.time)},
                                 {"h", json_of(blow_up.h)},
                                 {"energy", json_of(blow_up.energy)},
                                 {"allowed", json_of(blow_up.allowed)}};
  if (const std::optional<FailedSpring>& spring = blow_up.spring)
    json["spring"] = {{"particles", {spring->i, spring->j}},
                      {"stretch", spring->stretch},
                      {"rest-length", json_of(spring->rest_length)},
                      {"before", json_of(spring->before)},
                      {"after", json_of(spring->after)},
                      {"omega", json_of(spring->omega)}};
  if (const std::optional<FailedContact>& contact = blow_up.contact) {
    json["contact"] = {{"particle", contact->particle},
                       {"surface", contact->surface},
                       {"omega", json_of(contact->omega)},
                       {"friction-rate", json_of(contact->friction_rate)}};
    if (contact->shape) json["contact"]["shape"] = static_cast<int>(*contact->shape);
  }
  return json;
}

BlowUp blow_up_of(const nlohmann::json& json) {
  const int cause = json.at("cause").get<int>();
  if (cause < 0 || cause > static_cast<int>(BlowUp::Cause::crowded))
    throw InputError("unknown cause of a blow-up");
  BlowUp blow_up{.cause = static_cast<BlowUp::Cause>(cause),
                 .step = json.at("step").get<std::uint64_t>(),
                 .time = number_of(json.at("time")),
                 .h = number_of(json.at("h")),
                 .energy = number_of(json.at("energy")),
                 .allowed = number_of(json.at("allowed"))};
  if (const auto spring = json.find("spring"); spring != json.end())
    blow_up.spring = FailedSpring{.i = spring->at("particles").at(0).get<std::uint32_t>(),
                                  .j = spring->at("particles").at(1).get<std::uint32_t>(),
                                  .stretch = spring->at("stretch").get<bool>(),
                                  .rest_length = number_of(spring->at("rest-length")),
                                  .before = number_of(spring->at("before")),
                                  .after = number_of(spring->at("after")),
                                  .omega = number_of(spring->at("omega"))};
  if (const auto contact = json.find("contact"); contact != json.end()) {
    blow_up.contact = FailedContact{.particle = contact->at("particle").get<std::uint32_t>(),
                                    .surface = contact->at("surface").get<std::uint32_t>(),
                                    .omega = number_of(contact->at("omega")),
                                    .friction_rate = number_of(contact->at("friction-rate"))};
    if (const auto shape = contact->find("shape"); shape != contact->end()) {
      const int row = shape->get<int>();
      if (row < 0 || row > static_cast<int>(Obstacle::Shape::mesh))
        throw InputError("unknown shape of an obstacle");
      blow_up.contact->shape = static_cast<Obstacle::Shape>(row);
    }
  }
  return blow_up;
}

void add_part(Hash& hash, std::string_view bytes) {
  std::size_t at = 0;
  for (; at + kWord <= bytes.size(); at += kWord) hash.add(word_at(bytes, at));
  for (; at < bytes.size(); ++at) hash.add(std::uint64_t{static_cast<unsigned char>(bytes[at])});
}

std::uint64_t fingerprint(std::string_view bytes) {
  Hash hash;
  add_part(hash, bytes);
  return hash.value();
}

std::uint64_t fingerprint(const ClothMesh& mesh) {
  Hash hash;
  hash.add(mesh.positions);
  for (const auto* springs : {&mesh.stretch_springs, &mesh.bend_springs}) {
    hash.add(std::uint64_t{springs->size()});
    for (const auto& [i, j] : *springs) hash.add(std::uint64_t{i} << 32 | j);
  }
  for (const auto& [a, b, c] : mesh.triangles) hash.add(std::uint64_t{a} << 32 | b).add(std::uint64_t{c});
  return hash.value();
}

void check_mesh_fingerprint(const Scene& scene, const ClothMesh& mesh, std::uint64_t expected) {
  if (fingerprint(mesh) == expected) return;
  const auto* file = std::get_if<FileSource>(&scene.mesh);
  std::string names = file != nullptr ? shown_path(path_of(file->path)) : std::string("The mesh");
  for (const AddedMesh& added : scene.added_meshes) names += " or " + shown_path(path_of(added.path));
  throw InputError(names + " is not the mesh that was loaded then.");
}

std::string hex_digits(std::uint64_t word) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; word >>= 4) digits[i] = "0123456789abcdef"[word & 15];
  return digits;
}

std::uint64_t file_fingerprint(const fs::path& path, const StopProbe& stop) {
  return fingerprint(std::string_view(read_text_file(path, kMaxCheckpointBytes, {stop, {}})));
}

std::vector<LaneMethod> methods_of(const Moment& moment) {
  std::vector<LaneMethod> methods;
  for (const Moment::Part& part : moment.lanes)
    methods.push_back({part.lane, part.checkpoint->scene->method()});
  return methods;
}

std::string scene_text(const Moment& moment, const PathChange& stored) {
  Scene scene = *moment.lanes.front().checkpoint->scene;
  change_paths(scene, stored);
  return write_scene(scene, methods_of(moment));
}

std::string checkpoint_bytes(const Moment& moment, const ClothMesh& mesh, const PathChange& stored) {
  const Checkpoint& first = *moment.lanes.front().checkpoint;
  Memory numbers;
  auto lanes = nlohmann::ordered_json::array();
  for (const Moment::Part& part : moment.lanes) {
    const std::size_t before = numbers.numbers().size();
    write_checkpoint(*part.checkpoint, numbers);
    nlohmann::ordered_json lane{{"numbers", numbers.numbers().size() - before},
                                {"notices", json_of(part.checkpoint->notices)}};
    if (part.held) lane["held"] = true;
    if (part.frozen) lane["blow-up"] = blow_up_json(*part.frozen);
    lanes.push_back(std::move(lane));
  }
  const nlohmann::ordered_json header{
      {"clothlab-checkpoint", kCheckpointVersion},
      {"step", first.record.step},
      {"time", moment.time},
      {"mesh-fingerprint", fingerprint(mesh)},
      {"obstacle-fingerprints", mesh_fingerprints(first.scene->obstacles.bodies)},
      {"lanes", std::move(lanes)},
      {"scene", scene_text(moment, stored)}};
  std::string bytes = header.dump() + '\n';
  bytes.reserve(bytes.size() + (numbers.numbers().size() + 1) * kWord);
  for (const double number : numbers.numbers()) add_word(bytes, std::bit_cast<std::uint64_t>(number));
  add_word(bytes, fingerprint(std::string_view(bytes)));
  return bytes;
}

void write_checkpoint_file(const Moment& moment, const ClothMesh& mesh, const fs::path& path) {
  write_file(path, checkpoint_bytes(moment, mesh, [](const fs::path& file) { return fs::absolute(file); }));
}

CheckpointFile read_checkpoint_file(const fs::path& named, const StopProbe& stop, const fs::path& moved) {
  const fs::path path = part_of_bundle(named, kBundledMoment, stop);
  const std::string bytes = read_text_file(path, kMaxCheckpointBytes, {stop, {}});
  const std::string name = shown_path(path);
  const auto refuse = [&](const std::string& what) { throw InputError(name + ": " + what); };
  const std::size_t begin = bytes.find('\n') + 1;  // 0 if there is none
  nlohmann::json header;
  try {
    header = parse_strict_json(std::string_view(bytes).substr(0, begin));
  } catch (const InputError& error) {
    refuse(error.what());
  }
  if (!header.is_object() || !header.contains("clothlab-checkpoint"))
    refuse("this is not a checkpoint of `clothlab simulate --checkpoint` or the window.");
  if (const auto& version = header["clothlab-checkpoint"];
      !version.is_number_integer() || version < kOldestCheckpoint || version > kCheckpointVersion)
    refuse("this program reads checkpoints of the versions " +
           std::to_string(kOldestCheckpoint).append(" to ") + std::to_string(kCheckpointVersion) + ".");
  const std::size_t size = bytes.size() - begin;
  const std::string_view all = bytes;
  if (size % kWord != 0 || size == 0 ||
      word_at(all, bytes.size() - kWord) != fingerprint(all.substr(0, bytes.size() - kWord)) ||
      !header.value("mesh-fingerprint", nlohmann::json()).is_number_unsigned() ||
      !header.value("scene", nlohmann::json()).is_string())
    refuse("the checkpoint is damaged: its contents changed after it was written.");

  CheckpointFile file;
  if (const auto found = header.find("obstacle-fingerprints"); found != header.end()) {
    if (!found->is_array() || !std::ranges::all_of(*found, &nlohmann::json::is_number_unsigned))
      refuse("the checkpoint is damaged: its fingerprints changed after it was written.");
    file.obstacle_hashes = found->get<std::vector<std::uint64_t>>();
  }
  std::vector<double> numbers(size / kWord - 1);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::bit_cast<double>(word_at(all, begin + i * kWord));
  file.version = header["clothlab-checkpoint"].get<int>();
  SceneExtras extras;
  file.scene = parse_scene(header["scene"].get<std::string>(), name, stop, &extras);
  try {
    file.lanes = lanes_of(header, std::move(extras.lanes), file.scene, numbers);
  } catch (const nlohmann::json::exception&) {
    refuse("the checkpoint is damaged: its lanes or notices changed after it was written.");
  } catch (const InputError& error) {
    refuse(std::string("the checkpoint is damaged: ") + error.what() + ".");
  }
  const MeshSearch search{path.parent_path(), moved};
  change_paths(file.scene, [&](const fs::path& mesh) { return search.find(mesh); });
  file.mesh_hash = header["mesh-fingerprint"].get<std::uint64_t>();
  return file;
}

Moment moment_of(const CheckpointFile& file, const ClothMesh& mesh, const Scene& scene) {
  if (fingerprint(mesh) != file.mesh_hash) throw InputError("The checkpoint belongs to another mesh.");
  if (file.obstacle_hashes) check_mesh_fingerprints(scene.obstacles.bodies, *file.obstacle_hashes);
  Moment moment;
  for (const CheckpointFile::Lane& lane : file.lanes) {
    if (lane.frozen) check_particles(*lane.frozen, mesh.positions.size());
    MemoryReader numbers(lane.numbers);
    auto checkpoint = std::make_shared<Checkpoint>(read_checkpoint(numbers, mesh.positions.size()));
    if (lane.notices) checkpoint->notices = *lane.notices;
    if (file.version < kFirstWithImpulses && !checkpoint->contacts.empty())
      checkpoint->notices.add(
          NoticeCause::contacts_restarted, checkpoint->record.step,
          "This checkpoint is of an earlier version, which solved friction in another way. Its contacts "
          "start again without impulses, so the run does not continue exactly as it would have then.");
    checkpoint->scene = std::make_shared<const Scene>(with_method(scene, lane.method));
    const IntegratorInfo* method = find_integrator(checkpoint->scene->integrator);
    if (file.version >= kFirstWithImpulses && file.version < kFirstWithPairs &&
        checkpoint->scene->contact.model == ContactModel::impulse && method != nullptr &&
        method->solves_pairs)
      checkpoint->notices.add(
          NoticeCause::contacts_restarted, checkpoint->record.step,
          "This checkpoint is of an earlier version, which separated features of the cloth after each step. "
          "Their contacts start again without impulses, so the run does not continue exactly as then.");
    checkpoint->blow_up = lane.frozen;
    moment.time = std::max(moment.time, checkpoint->state.t);
    moment.lanes.push_back({lane.lane, std::move(checkpoint), lane.frozen, lane.held});
  }
  return moment;
}

}  // namespace clothlab
