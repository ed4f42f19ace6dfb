// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arena/arena.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "sim/scene.h"

namespace clothlab {

struct NewLane;

/// The scene of a lane: the world that all lanes share, and the lane's own method.
struct LaneScene {
  LaneId lane = 0;
  std::shared_ptr<const Scene> scene;                 ///< never null
  bool operator==(const LaneScene&) const = default;  ///< of the same object
};
/// Of all lanes: ascending, at least one.
using LaneScenes = std::vector<LaneScene>;

/// The scene of a lane; null if there is no such lane.
std::shared_ptr<const Scene> find_scene(const LaneScenes& lanes, LaneId lane);
std::vector<LaneMethod> methods_of(const LaneScenes& lanes);

/// The lanes with which a scene begins: those of its file. Where the file names none, lane A with its method,
/// and of the `present` lanes all but the first, which keep their integrators. A lane whose integrator does
/// not support the scene is left out; its letter is added to `removed`.
LaneScenes initial_lanes(const LoadedScene& loaded, const LaneScenes& present,
                         std::vector<LaneId>* removed = nullptr);

/// The lanes of a scene, from its start or its moment, with these scenes and with this log. At its moment
/// there is no grab. Throws as Simulation does.
std::unique_ptr<Arena> begin_run(WorkerPool& pool, const LoadedScene& loaded, const LaneScenes& lanes,
                                 CommandLog log = CommandLog(), const StopProbe& stop = {});

/// The scene with the method of a new lane. Throws InputError.
Scene with_new_lane(Scene scene, const NewLane& lane);

/// The lanes after a change of one lane's scene: all lanes get its world.
LaneScenes with_scene(LaneScenes lanes, LaneId lane, const std::shared_ptr<const Scene>& scene);

/// True if the scenes of a cloth have the same world and the same method.
bool have_same_values(const Scene& a, const Scene& b);
/// True if the same lanes have the same values; pins are compared by the particles of the mesh.
bool are_equal(const LaneScenes& a, const LaneScenes& b, const ClothMesh& mesh);
/// The differences in words: "lane B (RK4) added, lane C: Substeps 1 → 4". Empty without differences.
std::string describe_differences(const LaneScenes& from, const LaneScenes& to, const ClothMesh& mesh);

}  // namespace clothlab
