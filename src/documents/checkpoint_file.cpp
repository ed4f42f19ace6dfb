// SPDX-License-Identifier: MIT
#include "documents/checkpoint_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "io/output_file.h"
#include "sim/scene_json.h"
#include "sim/strict_json.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// 4 knows no moving obstacles, 5 no ways that a barrier has shortened, 6 none that has got stiffer.
constexpr int kCheckpointVersion = 7, kOldestCheckpoint = 4;
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

std::uint64_t fingerprint(std::string_view bytes) {
  Hash hash;
  std::size_t at = 0;
  for (; at + kWord <= bytes.size(); at += kWord) hash.add(word_at(bytes, at));
  for (; at < bytes.size(); ++at) hash.add(std::uint64_t{static_cast<unsigned char>(bytes[at])});
  return hash.value();
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
      notices.add(static_cast<NoticeCause>(cause - kNoticeCauseNames.begin()),
                  each.at("step").get<std::uint64_t>(), printable(each.at("text").get<std::string>()));
  }
  return notices;
}

}  // namespace

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

std::string fingerprint_text(std::uint64_t fingerprint) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(fingerprint));
  return digits.data();
}

std::uint64_t file_fingerprint(const fs::path& path, const StopProbe& stop) {
  return fingerprint(std::string_view(read_text_file(path, kMaxCheckpointBytes, {stop, {}})));
}

bool is_checkpoint_file(const fs::path& path) {
  return lower_case(utf8_of(path.extension())) == ".checkpoint";
}

void write_checkpoint_file(const Checkpoint& checkpoint, const ClothMesh& mesh, const fs::path& path) {
  Scene scene = *checkpoint.scene;
  change_paths(scene, [](const fs::path& file) { return fs::absolute(file); });
  Memory numbers;
  write_checkpoint(checkpoint, numbers);
  const nlohmann::ordered_json header{{"clothlab-checkpoint", kCheckpointVersion},
                                      {"step", checkpoint.record.step},
                                      {"time", checkpoint.state.t},
                                      {"mesh-fingerprint", fingerprint(mesh)},
                                      {"obstacle-fingerprints", mesh_fingerprints(scene.obstacles.bodies)},
                                      {"notices", json_of(checkpoint.notices)},
                                      {"scene", write_scene(scene)}};
  std::string bytes = header.dump() + '\n';
  bytes.reserve(bytes.size() + (numbers.numbers().size() + 1) * kWord);
  for (const double number : numbers.numbers()) add_word(bytes, std::bit_cast<std::uint64_t>(number));
  add_word(bytes, fingerprint(bytes));
  write_file(path, bytes);
}

CheckpointFile read_checkpoint_file(const fs::path& path, const StopProbe& stop, const fs::path& moved) {
  const std::string bytes = read_text_file(path, kMaxCheckpointBytes, {stop, {}});
  const std::string name = shown_path(path);
  const auto refuse = [&](const std::string& what) { throw InputError(name + ": " + what); };
  const std::size_t begin = bytes.find('\n') + 1;  // 0 where there is none
  nlohmann::json header;
  try {
    header = parse_strict_json(std::string_view(bytes).substr(0, begin));
  } catch (const InputError& error) {
    refuse(error.what());
  }
  if (!header.is_object() || !header.contains("clothlab-checkpoint"))
    refuse("this is no checkpoint, as `clothlab simulate --checkpoint` and the window write them.");
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
    refuse("the checkpoint is broken: it is not as it was written.");

  std::optional<NoticeLog> notices;
  try {
    if (header.contains("notices")) notices = notices_of(header["notices"]);
  } catch (const nlohmann::json::exception&) {
    refuse("the checkpoint is broken: its notices are not as they were written.");
  }
  std::optional<std::vector<std::uint64_t>> obstacle_hashes;
  if (const auto found = header.find("obstacle-fingerprints"); found != header.end()) {
    if (!found->is_array() || !std::ranges::all_of(*found, &nlohmann::json::is_number_unsigned))
      refuse("the checkpoint is broken: its fingerprints are not as they were written.");
    obstacle_hashes = found->get<std::vector<std::uint64_t>>();
  }
  std::vector<double> numbers(size / kWord - 1);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::bit_cast<double>(word_at(all, begin + i * kWord));
  Scene scene = parse_scene(header["scene"].get<std::string>(), name, stop);
  const MeshSearch search{path.parent_path(), moved};
  change_paths(scene, [&](const fs::path& mesh) { return search.find(mesh); });
  return {std::move(scene), header["mesh-fingerprint"].get<std::uint64_t>(), std::move(notices),
          Memory(std::move(numbers)), std::move(obstacle_hashes)};
}

Checkpoint checkpoint_on(const CheckpointFile& file, const ClothMesh& mesh,
                         std::span<const Obstacle> bodies) {
  if (fingerprint(mesh) != file.mesh_hash) throw InputError("The checkpoint belongs to another mesh.");
  if (file.obstacle_hashes) check_mesh_fingerprints(bodies, *file.obstacle_hashes);
  MemoryReader numbers(file.numbers);
  Checkpoint checkpoint = read_checkpoint(numbers, mesh.positions.size());
  if (file.notices) checkpoint.notices = *file.notices;
  return checkpoint;
}

}  // namespace clothlab
