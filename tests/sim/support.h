// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/stability_meter.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/text_file.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"
#include "one_thread.h"
#include "sim/checkpoint.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"
#include "sim/simulation.h"
#include "slowdown.h"

namespace clothlab::testing {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline std::filesystem::path source_dir() { return CLOTHLAB_SOURCE_DIR; }

inline std::shared_ptr<const ClothMesh> built(ObjMesh obj, const Scene& scene = {}) {
  MeshOptions options;
  options.scale = scene.scale;
  options.weld = scene.weld;
  options.z_up = scene.z_up;
  return std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj), options));
}

inline std::shared_ptr<const ClothMesh> grid_mesh(int rows, int cols) {
  return built(make_grid_obj(rows, cols));
}

/// The mesh of a scene that needs no file.
inline std::shared_ptr<const ClothMesh> mesh_of(const Scene& scene) {
  if (const auto* grid = std::get_if<GridSource>(&scene.mesh))
    return built(make_grid_obj(grid->rows, grid->cols, grid->width, grid->depth), scene);
  return built(find_generated_mesh(std::get<GeneratedSource>(scene.mesh).name).make(), scene);
}

inline Scene scene_asset(const std::string& name) {
  const std::filesystem::path path = source_dir() / "assets" / "scenes" / (name + ".json");
  return parse_scene(read_text_file(path, 1 << 20), name);
}

/// Where meshes may lie that are no part of the project.
inline std::filesystem::path shared_meshes() {
  if (const char* named = std::getenv("CLOTHLAB_SHARED_MESHES")) return named;
  return source_dir().parent_path() / "shared" / "meshes";
}

inline double omega_max(const Simulation& simulation, WorkerPool& pool) {
  StabilityMeter meter;
  return meter.omega_max(simulation.system(), simulation.state().x, JacobianMode::clamped, pool).value();
}

/// The moment as a checkpoint file has it: written as numbers and read again.
inline Checkpoint through_numbers(const Checkpoint& moment) {
  Memory numbers;
  write_checkpoint(moment, numbers);
  MemoryReader reader(numbers);
  Checkpoint read = read_checkpoint(reader, moment.state.x.size());
  read.scene = moment.scene;
  return read;
}

/// Equal to the last bit, signs of zeros included.
inline bool same_bits(const State& a, const State& b) {
  const auto same = [](std::span<const vec3> u, std::span<const vec3> v) {
    return u.size() == v.size() && (u.empty() || std::memcmp(u.data(), v.data(), u.size_bytes()) == 0);
  };
  return same(a.x, b.x) && same(a.v, b.v) && std::memcmp(&a.t, &b.t, sizeof a.t) == 0;
}

/// For what must be the same after every rewind: a method without a memory, all that remember a step, and
/// those that remember modes.
inline constexpr std::array kRewound{"semi-implicit-euler", "bdf2",  "semi-implicit-bdf2",
                                     "generalized-alpha",   "siere", "semi-implicit-bdf2-ere",
                                     "str-sbdf2-ere"};

/// Takes up to `steps` steps and returns how many were taken before a blow-up.
inline int run(Simulation& simulation, int steps, WorkerPool& pool = one_thread()) {
  for (int k = 0; k < steps; ++k)
    if (simulation.step(pool) != StepStatus::done) return k;
  return steps;
}

/// All integrators; under a sanitizer the first of each family, as what it may find is the same for others.
inline std::vector<IntegratorInfo> tried_integrators() {
  std::vector<IntegratorInfo> tried(integrators().begin(), integrators().end());
  if (kSlowdown == 1) return tried;
  std::vector<IntegratorInfo> some;
  for (const IntegratorInfo& info : tried)
    if (std::ranges::find(some, info.family, &IntegratorInfo::family) == some.end()) some.push_back(info);
  return some;
}

/// The message of the InputError that `action` throws; fails the test when it throws none.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

}  // namespace clothlab::testing
