// SPDX-License-Identifier: MIT
#include "documents/obstacle_meshes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/archive.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/body_file.h"
#include "mesh/cloth_mesh.h"
#include "mesh/obj_groups.h"
#include "mesh/obj_reader.h"
#include "mesh/point_cache.h"

namespace clothlab {
namespace {

/// Throws InputError if two OBJ files differ in more than the positions of their vertices.
void check_same_faces(const ObjMesh& first, const ObjMesh& other) {
  const auto refuse = [&](const std::string& difference) {
    throw InputError(other.name + ": " + difference + " " + first.name +
                     ". All frames of a body need the same vertices and faces.");
  };
  const auto counts = [&](const char* what, std::size_t count, std::size_t of_first) {
    if (count != of_first)
      refuse("it has " + std::to_string(count) + " " + what + ", and " + std::to_string(of_first) +
             " are in");
  };
  counts("vertices", other.vertices.size(), first.vertices.size());
  counts("faces", other.face_count(), first.face_count());
  for (std::size_t f = 0; f < first.face_count(); ++f)
    if (!std::ranges::equal(first.face(f), other.face(f), {}, &ObjMesh::Corner::vertex,
                            &ObjMesh::Corner::vertex))
      refuse("face " + std::to_string(f + 1) + " has other vertices than in");
}

/// The number at the end of a file's name, "walk_012.obj"; none without one.
std::optional<double> number_of(const std::filesystem::path& file) {
  const std::string name = utf8_of(file.stem());
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  return parse_number(std::string_view(name).substr(digits));
}

/// Throws InputError if frames are not numbered at equal intervals: one may be missing, or of another body.
void check_numbers(std::span<const std::filesystem::path> files) {
  for (std::size_t k = 2; k < files.size(); ++k) {
    const auto first = number_of(files[0]), second = number_of(files[1]), before = number_of(files[k - 1]),
               own = number_of(files[k]);
    if (!first || !second || !before || !own || *own - *before == *second - *first) continue;
    throw InputError(shown_path(files[k]) + ": its number does not follow that of " +
                     shown_path(files[k - 1].filename()) + " as " + shown_path(files[1].filename()) +
                     " follows " + shown_path(files[0].filename()) +
                     ". Frames are numbered at equal intervals; one may be missing.");
  }
}

/// The vertices of the first OBJ file in all frames.
PointCache read_frames(const BodyFile& body, std::span<const std::filesystem::path> files,
                       const ObjMesh& first, const StopProbe& stop) {
  if (body.is_point_cache()) {
    PointCache cache = read_point_cache(body.file, stop);
    if (cache.points != first.vertices.size())
      throw InputError(shown_path(body.file) + ": it has " + std::to_string(cache.points) +
                       " points, and the mesh " + first.name + " has " +
                       std::to_string(first.vertices.size()) + " vertices.");
    return cache;
  }
  check_numbers(files);
  PointCache frames{first.vertices.size(), 1, first.vertices};
  for (std::size_t k = 1; k < files.size(); ++k) {
    const ObjMesh next = read_obj_file(files[k], {stop, {}});
    check_same_faces(first, next);
    frames.positions.insert(frames.positions.end(), next.vertices.begin(), next.vertices.end());
  }
  return frames;
}

void read_mesh(MeshFile& mesh, const std::filesystem::path& path, const StopProbe& stop) {
  const KeepBundleOpen keep;
  const BodyFile body(path);
  const std::vector<std::filesystem::path> files = body.files(stop);
  if (files.empty()) throw InputError(shown_path(body.file) + ": the folder has no OBJ files.");
  if (body.is_point_cache() && !BodyFile(files[0]).exists())
    throw InputError(shown_path(body.file) + ": the faces of this point cache are missing. Put the mesh as " +
                     shown_path(files[0].filename()) + " next to it.");
  const ObjMesh whole = read_obj_file(files[0], {stop, {}});
  ObjMesh part = whole;
  keep_groups(part, body.groups);
  ClothMesh read = build_cloth_mesh(std::move(part), {.stop = stop});
  const PointCache frames = read_frames(body, files, whole, stop);
  try {
    if (files.size() > 1) {
      std::vector<vec3> corners;
      for (std::size_t first = 0; first < frames.positions.size(); first += frames.points)
        for (const std::uint32_t vertex : read.vertex_of_particle)
          corners.push_back(frames.positions[first + vertex]);
      std::copy_n(corners.begin(), read.positions.size(), read.positions.begin());
      mesh.frames =
          std::make_shared<const MeshFrames>(std::move(corners), read.positions.size(), frames.interval);
    }
    TriangleSurface surface(std::move(read.positions), std::move(read.triangles));
    if (mesh.frames) surface.deform(*mesh.frames, 0);
    mesh.surface = std::make_shared<const TriangleSurface>(std::move(surface));
  } catch (const InputError& error) {
    throw InputError(shown_path(path) + ": " + error.what());
  }
}

}  // namespace

void ObstacleMeshes::read(std::span<Obstacle> bodies, const StopProbe& stop) {
  for (const Obstacle& body : bodies)
    if (body.mesh.path && body.mesh.surface) read_.try_emplace(*body.mesh.path, body.mesh);
  for (Obstacle& body : bodies) {
    if (body.shape != Obstacle::Shape::mesh || body.mesh.surface) continue;
    std::filesystem::path path = std::filesystem::absolute(path_of(*body.mesh.path));
    if (!path.has_filename()) path = path.parent_path();  // "walk/"
    body.mesh.path = std::make_shared<const std::string>(utf8_of(path));
    MeshFile& mesh = read_[*body.mesh.path];
    if (!mesh.surface) read_mesh(mesh, path, stop);
    body.mesh.surface = mesh.surface;
    body.mesh.frames = mesh.frames;
    check_obstacles(std::array{body});
  }
}

std::vector<std::uint64_t> mesh_fingerprints(std::span<const Obstacle> bodies) {
  std::vector<std::uint64_t> all;
  for (const Obstacle& body : bodies) {
    if (!body.mesh.surface) continue;
    Hash hash;
    hash.add(body.mesh.surface->positions());
    for (const auto& [a, b, c] : body.mesh.surface->triangles())
      hash.add(std::uint64_t{a} << 32 | b).add(std::uint64_t{c});
    if (body.mesh.frames) hash.add(body.mesh.frames->positions()).add(body.mesh.frames->interval());
    all.push_back(hash.value());
  }
  return all;
}

void check_mesh_fingerprints(std::span<const Obstacle> bodies, std::span<const std::uint64_t> expected) {
  const std::vector<std::uint64_t> found = mesh_fingerprints(bodies);
  if (found.size() != expected.size())
    throw InputError("There are " + std::to_string(found.size()) +
                     " obstacles that are meshes, and fingerprints of " + std::to_string(expected.size()) +
                     ".");
  std::size_t k = 0;
  for (const Obstacle& body : bodies) {
    if (!body.mesh.surface) continue;
    if (found[k] != expected[k])
      throw InputError(shown_path(path_of(*body.mesh.path)) + " is not the mesh that was loaded then.");
    ++k;
  }
}

}  // namespace clothlab
