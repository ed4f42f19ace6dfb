// SPDX-License-Identifier: MIT
// libFuzzer on all readers of files, and on the springs of a fabric. The first byte of the input chooses one,
// the rest is the file, or the numbers of a fabric and its mesh. Any file is read, or refused with one
// printable sentence; what was read can be written and read again.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <glm/geometric.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cloth/cloth_model.h"
#include "core/archive.h"
#include "core/error.h"
#include "core/text.h"
#include "core/vec.h"
#include "documents/bundle.h"
#include "documents/journal.h"
#include "io/csv.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"
#include "mesh/obj_writer.h"
#include "mesh/point_cache.h"
#include "sim/scene_json.h"

namespace {

using namespace clothlab;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void read_mesh(std::string_view text) {
  const ClothMesh mesh = build_cloth_mesh(parse_obj(text, "fuzz.obj"));
  const ClothMesh again = build_cloth_mesh(parse_obj(obj_text(mesh, mesh.positions), "again.obj"));
  require(again.stretch_springs == mesh.stretch_springs, "a mesh that was written has the same springs");
}

void read_state(std::string_view text) {
  const std::size_t rows = text.empty() ? 0 : static_cast<unsigned char>(text.front()) % 8;
  const StateRows state = parse_state_csv(text.substr(text.empty() ? 0 : 1), "fuzz.csv", rows);
  const std::string written = state_csv(state.positions, state.velocities);
  const StateRows again = parse_state_csv(written, "again.csv", rows);
  require(state_csv(again.positions, again.velocities) == written, "a state that was written is read again");
}

void read_scene(std::string_view text) {
  const std::string written = write_scene(parse_scene(text, "fuzz.json"));
  require(write_scene(parse_scene(written, "again.json")) == written,
          "a scene that was written is read again");
}

void read_journal_text(std::string_view text) {
  for (const JournalEntry& entry : parse_journal(text, "fuzz.journal", {})) {
    const auto* command = std::get_if<Command>(&entry.what);
    if (command == nullptr) continue;
    const std::string written = write_command(*command);
    require(write_command(read_command(nlohmann::ordered_json::parse(written))) == written,
            "a command that was written is read again");
  }
}

/// A bundle of any bytes: whatever its manifest lists can be read.
void read_bundle(std::string_view bytes) {
  const Archive bundle(bytes, "fuzz.clothlab");
  for (const Archive::Entry& entry : bundle.entries())
    require(path_of(entry.name).is_relative() &&
                std::ranges::count(path_of(entry.name), std::filesystem::path("..")) == 0,
            "names stay in the bundle");
  check_bundle(bundle, "fuzz.clothlab");
}

/// An undamaged bundle with any manifest.
void read_manifest(std::string_view text) {
  const std::vector<ArchivedFile> files{{"manifest.json", std::string(text)}, {"scene.json", "{}"}};
  read_bundle(archive_bytes(files));
}

/// The point cache of these bytes, from a file, as it is read in pieces.
PointCache cache_of(std::string_view bytes) {
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("clothlab-fuzz-" + std::to_string(getpid()) + ".pc2");
  std::ofstream(file, std::ios::binary) << bytes;
  const PointCache cache = read_point_cache(file);
  std::filesystem::remove(file);
  return cache;
}

void read_cache(std::string_view bytes) {
  const PointCache cache = cache_of(bytes);
  require(cache.points > 0 && !cache.positions.empty() && cache.positions.size() % cache.points == 0,
          "a cache has whole samples");
  PointCacheSamples samples(PointCacheFormat::pc2);
  for (std::size_t first = 0; first < cache.positions.size(); first += cache.points)
    samples.add(0, std::span(cache.positions).subspan(first, cache.points));
  std::string written;
  samples.write([&](std::string_view piece) { written += piece; });
  const PointCache again = cache_of(written);
  require(again.points == cache.points && again.positions.size() == cache.positions.size() &&
              std::memcmp(again.positions.data(), cache.positions.data(),
                          cache.positions.size() * sizeof(vec3)) == 0,
          "a cache that was written is read again");
}

/// Numbers from bytes, two for each; 0 behind their end.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  double share() {  // 0 to 1
    unsigned value = 0;
    for (int k = 0; k < 2; ++k, bytes_.remove_prefix(bytes_.empty() ? 0 : 1))
      value = 256 * value + (bytes_.empty() ? 0 : static_cast<unsigned char>(bytes_.front()));
    return value / 65535.0;
  }
  double power(double low, double high) { return low * std::pow(high / low, share()); }

 private:
  std::string_view bytes_;
};

/// A fabric of any values in the ranges of its options, on a small mesh of any shape: its springs are finite,
/// edges pull, and hinges never gain energy from a shape.
void use_fabric(std::string_view bytes) {
  Numbers numbers(bytes);
  const int rows = 2 + static_cast<int>(4 * numbers.share()),
            cols = 2 + static_cast<int>(4 * numbers.share());
  ObjMesh grid = make_grid_obj(rows, cols);
  const double crumpled = numbers.share();
  for (vec3& vertex : grid.vertices)
    for (int axis = 0; axis < 3; ++axis) vertex[axis] += crumpled * (2 * numbers.share() - 1);
  const auto mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(grid));
  const ClothModel model(mesh);
  Material material;
  material.kind = MaterialKind::fabric;
  material.fabric = {.warp = numbers.power(1e-3, 1e9),
                     .weft = numbers.power(1e-3, 1e9),
                     .shear = numbers.share() < 0.1 ? 0 : numbers.power(1e-6, 1e9),
                     .bending = numbers.share() < 0.1 ? 0 : numbers.power(1e-12, 1e3),
                     .density = numbers.power(1e-6, 1e6)};
  for (const double mass : model.masses(material))
    require(std::isfinite(mass) && mass > 0, "mass is positive");
  const FabricSprings springs = model.springs_of(material);
  require(springs.inexact >= 0 && springs.inexact <= 1 + 1e-9, "a share of the area");
  const SpringPattern& pattern = *model.pattern();
  std::vector<vec3> shape(model.particles());
  for (vec3& x : shape)
    for (int axis = 0; axis < 3; ++axis) x[axis] = 2 * numbers.share() - 1;
  double energy = 0, size = 0;
  for (std::size_t slot = 0; slot < springs.stiffness.size(); ++slot) {
    require(std::isfinite(springs.stiffness[slot]) && springs.stiffness[slot] >= 0, "edges pull");
    require(std::isfinite(springs.bending[slot]), "hinges are finite");
    const vec3 apart =
        shape[pattern.particle[pattern.lower[slot]]] - shape[pattern.particle[pattern.upper[slot]]];
    const double each = springs.bending[slot] * glm::dot(apart, apart) / 2;
    energy += each;
    size += std::abs(each);
  }
  require(energy >= -1e-9 * size, "no shape has less energy than the flat one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 8) {
      case 0:
        read_mesh(text);
        break;
      case 1:
        read_state(text);
        break;
      case 2:
        read_scene(text);
        break;
      case 3:
        read_journal_text(text);
        break;
      case 4:
        read_bundle(text);
        break;
      case 5:
        read_manifest(text);
        break;
      case 6:
        read_cache(text);
        break;
      default:
        use_fabric(text);
    }
  } catch (const InputError& refused) {
    const std::string_view said = refused.what();
    require(said.size() < 4000 && printable(said, said.size()) == said,
            "a refusal is one short, printable line");
  }
  return 0;
}
