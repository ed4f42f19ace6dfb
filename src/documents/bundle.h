// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "arena/arena.h"
#include "core/archive.h"
#include "core/stop_probe.h"
#include "documents/journal.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {

// Names in a bundle; meshes are in folders below.
inline constexpr std::string_view kManifestName = "manifest.json", kBundledScene = "scene.json",
                                  kBundledMoment = "moment.checkpoint", kBundledJournal = "session.journal";

/// What a bundle contains: the moment of all lanes with its mesh, and the journal that led to it.
struct BundledRun {
  const Moment& moment;
  const ClothMesh& mesh;
  const Journal& journal;
  const CommandLog& log;  ///< of the present scene
  std::uint64_t now = 0;  ///< Arena::hash of the moment
};

/// Writes a bundle (docs/files.md) whole or not at all, with the files of all meshes as they are on the disk.
/// Throws InputError if the path cannot be written, a mesh is missing or is not the one that was loaded, or
/// its name is not UTF-8; SystemError, Cancelled.
void write_bundle(const BundledRun& run, const std::filesystem::path& path, const StopProbe& stop = {});

/// Throws InputError unless the manifest has the version of this program and exactly the files of the
/// archive, each with its size and hash; Cancelled.
void check_bundle(const Archive& bundle, std::string_view name, const StopProbe& stop = {});

/// `path`, or if it is a bundle, the path of this file in it, after check_bundle. Throws what that throws.
std::filesystem::path part_of_bundle(const std::filesystem::path& path, std::string_view part,
                                     const StopProbe& stop = {});

}  // namespace clothlab
