// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/output/output_files.h"
#include "cli/scene_options.h"
#include "documents/scene_loader.h"
#include "sim/simulation.h"

namespace clothlab {

/// Length of a run without a window: --steps or --duration.
class LengthOptions {
 public:
  explicit LengthOptions(std::uint64_t default_steps = 60) : default_steps_(default_steps) {}
  void add_to(CLI::App& app);
  /// Whole steps of `dt`; `without`: where neither option is given. Throws InputError.
  std::uint64_t steps(double dt, const std::optional<std::uint64_t>& without = {}) const;

 private:
  std::uint64_t default_steps_;
  std::optional<std::string> steps_, duration_;
};

/// Reads the mesh of `scene`, and the initial state that the options name; none of what is read may be one of
/// the `outputs`. `checkpoint`: see SceneLoadOptions. Throws InputError, SystemError, and Cancelled on
/// Ctrl-C.
LoadedScene load_with_state(Scene scene, const SceneOptions& options, const OutputFiles& outputs,
                            std::shared_ptr<const CheckpointFile> checkpoint = nullptr);

/// The scene that the options name, which must name one. Throws InputError.
Scene named_scene(SceneOptions& options);

/// The scene of a checkpoint, to continue from there; --mesh and --mesh-folder may say where its meshes lie
/// now. Throws InputError, SystemError, Cancelled.
LoadedScene load_checkpoint(const std::string& checkpoint, SceneOptions& options, const OutputFiles& outputs);

/// What a blow-up was and why, with the numbers (model.md, "Blow-up").
std::string blow_up_text(const Simulation& simulation, WorkerPool& pool);

}  // namespace clothlab
