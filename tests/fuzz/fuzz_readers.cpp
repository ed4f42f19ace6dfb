// SPDX-License-Identifier: MIT
// libFuzzer on all readers of files. The first byte of the input chooses the reader, the rest is the file.
// Any file is read, or refused with one printable sentence; a scene that was read can be written and read
// again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.h"
#include "core/error.h"
#include "core/text.h"
#include "documents/bundle.h"
#include "documents/journal.h"
#include "io/csv.h"
#include "mesh/cloth_mesh.h"
#include "mesh/obj_reader.h"
#include "mesh/obj_writer.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 6) {
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
      default:
        read_manifest(text);
    }
  } catch (const InputError& refused) {
    const std::string_view said = refused.what();
    require(said.size() < 4000 && printable(said, said.size()) == said,
            "a refusal is one short, printable line");
  }
  return 0;
}
