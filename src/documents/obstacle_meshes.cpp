// SPDX-License-Identifier: MIT
#include "documents/obstacle_meshes.h"

#include <array>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "core/text_file.h"
#include "mesh/cloth_mesh.h"
#include "mesh/obj_reader.h"

namespace clothlab {
namespace {

std::shared_ptr<const TriangleSurface> read_surface(const std::filesystem::path& path,
                                                    const StopProbe& stop) {
  ClothMesh read = build_cloth_mesh(read_obj_file(path, {stop, {}}), {.stop = stop});
  try {
    return std::make_shared<const TriangleSurface>(std::move(read.positions), std::move(read.triangles));
  } catch (const InputError& error) {
    throw InputError(shown_path(path) + ": " + error.what());
  }
}

}  // namespace

void ObstacleMeshes::read(std::span<Obstacle> bodies, const StopProbe& stop) {
  for (const Obstacle& body : bodies)
    if (body.mesh.path && body.mesh.surface) surfaces_.try_emplace(*body.mesh.path, body.mesh.surface);
  for (Obstacle& body : bodies) {
    if (body.shape != Obstacle::Shape::mesh || body.mesh.surface) continue;
    const std::filesystem::path path = std::filesystem::absolute(path_of(*body.mesh.path));
    body.mesh.path = std::make_shared<const std::string>(utf8_of(path));
    std::shared_ptr<const TriangleSurface>& surface = surfaces_[*body.mesh.path];
    if (!surface) surface = read_surface(path, stop);
    body.mesh.surface = surface;
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
