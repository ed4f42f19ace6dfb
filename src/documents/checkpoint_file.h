// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arena/arena.h"
#include "core/hash.h"
#include "core/stop_probe.h"
#include "documents/scene_file.h"
#include "mesh/cloth_mesh.h"
#include "sim/checkpoint.h"

namespace clothlab {

/// A moment of a run in a file (docs/scene-format.md): a line of JSON with the version, the scene with its
/// lanes and the mesh's fingerprint, then the numbers of every lane's checkpoint as 64-bit little-endian IEEE
/// numbers, and a fingerprint of the whole.
struct CheckpointFile {
  struct Lane {
    LaneId lane = 0;
    Method method;
    std::optional<NoticeLog> notices = {};  ///< none in files of earlier versions
    Memory numbers;
    bool held = false;                  ///< Moment::Part::held
    std::optional<BlowUp> frozen = {};  ///< Moment::Part::frozen, without its spring and contact
  };
  Scene scene;
  int version = 0;  ///< of the file
  std::uint64_t mesh_hash = 0;
  std::vector<Lane> lanes;  ///< ascending, at least one; the first has the method of the scene
  /// mesh_fingerprints() of the scene's obstacles; none in files of earlier versions.
  std::optional<std::vector<std::uint64_t>> obstacle_hashes = {};
};

/// A blow-up without its spring and contact as a JSON object, and back. Throws InputError,
/// nlohmann::json::exception for another object.
nlohmann::ordered_json blow_up_json(const BlowUp& blow_up);
BlowUp blow_up_of(const nlohmann::json& json);

/// Fingerprint of the parts of a mesh that a run uses: particles, springs, triangles and rest lengths.
std::uint64_t fingerprint(const ClothMesh& mesh);
/// Throws InputError, naming the files of the scene, if its mesh does not have this fingerprint.
void check_mesh_fingerprint(const Scene& scene, const ClothMesh& mesh, std::uint64_t expected);

/// A fingerprint, or the bits of a number, as 16 hexadecimal digits.
std::string hex_digits(std::uint64_t word);
/// Fingerprint of the bytes of a file. Throws InputError, SystemError, Cancelled.
std::uint64_t file_fingerprint(const std::filesystem::path& path, const StopProbe& stop = {});

/// Fingerprint of bytes.
std::uint64_t fingerprint(std::string_view bytes);
/// Adds bytes to a fingerprint; the size of all parts but the last must be a multiple of 8.
void add_part(Hash& hash, std::string_view bytes);

/// The bytes of a checkpoint with all lanes of the moment; `stored`: the paths of meshes in it.
std::string checkpoint_bytes(const Moment& moment, const ClothMesh& mesh, const PathChange& stored);
/// The methods of all lanes of a moment.
std::vector<LaneMethod> methods_of(const Moment& moment);
/// The text of a scene file with the scene and the lanes of a moment.
std::string scene_text(const Moment& moment, const PathChange& stored);

/// Writes the file whole or not at all, with absolute paths. Throws InputError if the path cannot be written,
/// SystemError.
void write_checkpoint_file(const Moment& moment, const ClothMesh& mesh, const std::filesystem::path& path);

/// A checkpoint, or the one in a bundle. Throws InputError for a file that is not a checkpoint, of another
/// version or damaged; SystemError, Cancelled. MeshSearch finds the meshes of cloth and obstacles; `moved` is
/// the folder that the user names.
CheckpointFile read_checkpoint_file(const std::filesystem::path& path, const StopProbe& stop = {},
                                    const std::filesystem::path& moved = {});

/// The moment on a mesh, with a scene whose obstacles have been read. Throws InputError for another mesh of
/// cloth or obstacle than the file has.
Moment moment_of(const CheckpointFile& file, const ClothMesh& mesh, const Scene& scene);

}  // namespace clothlab
