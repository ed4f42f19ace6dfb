// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

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
  as_is,   ///< Scene::scale stays what it is
  fit,     ///< a mesh whose diagonal lies outside 0.2–5 m is scaled to 1.5 m, others are left as they are
  metres,  ///< scale 1
  centimetres,  ///< scale 0.01
  millimetres,  ///< scale 0.001
};

struct SceneLoadOptions {
  UnitChoice units = UnitChoice::as_is;
  /// A file of --initial-state (io/csv.h) instead of the scene's own; empty: none.
  std::filesystem::path initial_state;
  /// The run to continue, with its scene; null: from the start.
  std::shared_ptr<const CheckpointFile> checkpoint;
  /// The same from memory, on a mesh that the scene gives.
  std::shared_ptr<const Checkpoint> moment;
  StopProbe stop;
  /// Called now and then on the loading thread with the progress, 0 to 1, and the current stage.
  std::function<void(double fraction, std::string_view stage)> progress;
  /// Makes a Simulation for a test: a scene that cannot be started (pins that do not exist) fails to load,
  /// and LoadedScene::model and omega_max are known.
  bool rehearse = false;
};

/// A scene with its mesh, the input of a Simulation. Immutable.
struct LoadedScene {
  Scene scene;                               ///< `scale` is the one used
  std::shared_ptr<const ClothMesh> mesh;     ///< never null; with its `source` for export
  std::shared_ptr<const Checkpoint> moment;  ///< to go on from; null: from the start
  /// Built in advance for a Simulation; null when not rehearsed.
  std::shared_ptr<const ClothModel> model;
  std::vector<BoundaryLoop> open_edges;  ///< of a mesh file; empty for other meshes
  double file_diagonal = 0;              ///< of the mesh as read, in the file's units
  bool fitted = false;                   ///< UnitChoice::fit changed the scale
  double omega_max = 0;                  ///< √λ_max(M⁻¹K_s) at the start [1/s]; 0 when not rehearsed
};

/// Reads or makes the mesh that the scene names. Relative paths are taken from the working folder.
/// Throws InputError (bad file, no mesh, a scale out of range, a checkpoint of another mesh), SystemError,
/// Cancelled (the probe).
LoadedScene load_scene(Scene scene, const SceneLoadOptions& options = {});

/// A simulation of it, from its start or its moment. Throws as Simulation does.
std::unique_ptr<Simulation> simulation_of(const LoadedScene& loaded, WorkerPool& pool,
                                          const StopProbe& stop = {});

}  // namespace clothlab
