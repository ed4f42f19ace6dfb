// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/stop_probe.h"
#include "mesh/cloth_mesh.h"
#include "sim/checkpoint.h"

namespace clothlab {

/// A run in a file (docs/scene-format.md): a line of JSON with the version, the scene and the mesh's
/// fingerprint, then all numbers of the checkpoint as 64-bit little-endian IEEE numbers, and a fingerprint of
/// the whole.
struct CheckpointFile {
  Scene scene;
  std::uint64_t mesh_hash = 0;
  std::optional<NoticeLog> notices;  ///< none in files of earlier programs
  Memory numbers;
  /// mesh_fingerprints() of the scene's obstacles; none in files of earlier programs.
  std::optional<std::vector<std::uint64_t>> obstacle_hashes = {};
};

/// True when the name ends in `.checkpoint`, in any case.
bool is_checkpoint_file(const std::filesystem::path& path);

/// Fingerprint of what a run uses of its mesh: particles, springs, triangles and rest lengths.
std::uint64_t fingerprint(const ClothMesh& mesh);

/// 16 hexadecimal digits.
std::string fingerprint_text(std::uint64_t fingerprint);
/// Fingerprint of the bytes of a file. Throws InputError, SystemError, Cancelled.
std::uint64_t file_fingerprint(const std::filesystem::path& path, const StopProbe& stop = {});

/// Writes the file whole or not at all. Throws InputError where the path cannot be written, SystemError.
void write_checkpoint_file(const Checkpoint& checkpoint, const ClothMesh& mesh,
                           const std::filesystem::path& path);

/// Throws InputError for a file that is no checkpoint, of another version or broken; SystemError,
/// Cancelled. The meshes of cloth and obstacles are found by MeshSearch; `moved` is the folder that the user
/// names.
CheckpointFile read_checkpoint_file(const std::filesystem::path& path, const StopProbe& stop = {},
                                    const std::filesystem::path& moved = {});

/// The run on the mesh of the file's scene and among its obstacles, which have been read, without its scene.
/// Throws InputError for another mesh of cloth or obstacle.
Checkpoint checkpoint_on(const CheckpointFile& file, const ClothMesh& mesh,
                         std::span<const Obstacle> bodies = {});

}  // namespace clothlab
