// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "arena/arena.h"
#include "cloth/cloth_model.h"
#include "core/stop_probe.h"
#include "documents/checkpoint_file.h"
#include "mesh/boundary_loops.h"
#include "mesh/mesh.h"
#include "sim/scene.h"
#include "sim/simulation.h"

namespace clothlab {

/// The unit of a mesh file.
enum class UnitChoice {
  as_is,        ///< Scene::scale does not change
  fit,          ///< a mesh whose diagonal lies outside 0.2–5 m is scaled to 1.5 m, others do not change
  metres,       ///< scale 1
  centimetres,  ///< scale 0.01
  millimetres,  ///< scale 0.001
};

/// What led to a moment: the scene at the start of the run, and what was done to it.
struct PastRun {
  Scene scene;
  CommandLog log;
  std::uint64_t steps = 0;  ///< since the last reset
};

struct SceneLoadOptions {
  UnitChoice units = UnitChoice::as_is;
  std::size_t fit_last_meshes = 0;  ///< UnitChoice::fit for each of so many of the last added meshes
  /// A file of --initial-state (io/csv.h) instead of the scene's own; empty: none.
  std::filesystem::path initial_state;
  /// The run to continue, with its scene; null: from the start.
  std::shared_ptr<const CheckpointFile> checkpoint;
  /// The same from memory, on the mesh of the scene.
  std::shared_ptr<const Moment> moment = nullptr;
  std::shared_ptr<const PastRun> past = nullptr;  ///< of that moment; see LoadedScene::past
  std::vector<LaneMethod> lanes = {};             ///< see LoadedScene::lanes
  StopProbe stop;
  /// Called now and then on the loading thread with the progress, 0 to 1, and the current stage.
  std::function<void(double fraction, std::string_view stage)> progress;
  /// Moves the bodies into the cloth (sim/dressing.h); they grow, within kDressingGrowth if the scene has no
  /// time for that.
  bool dress = false;
  /// Constructs a Simulation as a test: a scene that cannot start (missing pins) fails to load, and
  /// LoadedScene::model and omega_max are set.
  bool rehearse = false;
};

/// A scene with its mesh, the input of one Simulation or of several lanes. Immutable.
struct LoadedScene {
  Scene scene;                            ///< of the first lane; `scale` is the one used
  std::shared_ptr<const ClothMesh> mesh;  ///< never null; with its `source` for export
  /// The lanes of the file, ascending; the first has the method of `scene`. Empty: the file names none, and
  /// has one.
  std::vector<LaneMethod> lanes;
  std::shared_ptr<const Moment> moment;  ///< of these lanes, to continue from; null: from the start
  /// What led to the moment; null unless it was recorded from the start.
  std::shared_ptr<const PastRun> past;
  /// Built in advance for a Simulation; null when not rehearsed.
  std::shared_ptr<const ClothModel> model;
  std::vector<BoundaryLoop> open_edges;  ///< of a mesh file; empty for other meshes
  double file_diagonal = 0;              ///< of the first mesh as read, in the file's units
  bool fitted = false;                   ///< UnitChoice::fit changed the scale
  double omega_max = 0;                  ///< √λ_max(M⁻¹K_s) at the start [1/s]; 0 when not rehearsed
};

/// Reads or makes the meshes that the scene names; the unit follows from the first one. Relative paths are
/// taken from the working folder. Throws InputError (bad file, no mesh, a scale out of range, a checkpoint of
/// another mesh), SystemError, Cancelled (the probe).
LoadedScene load_scene(Scene scene, const SceneLoadOptions& options = {});

/// A simulation of its first lane, from its start or its moment. Throws as Simulation does.
std::unique_ptr<Simulation> simulation_of(const LoadedScene& loaded, WorkerPool& pool,
                                          const StopProbe& stop = {});
/// Its first lanes, from the start or the moment; lane A if the file names none. Throws as Simulation does;
/// with several lanes the sentence names the lane.
std::vector<Lane> lanes_of(const LoadedScene& loaded, WorkerPool& pool, const StopProbe& stop = {},
                           std::size_t most = kMostLanes);

}  // namespace clothlab
