// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "mesh/mesh.h"
#include "sim/command.h"
#include "sim/scene.h"

namespace clothlab {

struct IntegratorInfo;

/// The properties of a kind of command: one row per kind.
struct CommandRule {
  bool changes_scene = false;      ///< values, integrator or pins: stored in scene files and restored by undo
  bool acts_on_shown = false;      ///< acts on the shown cloth, which may be a moment of the past
  bool breaks_continuity = false;  ///< restarts multistep methods; MovePins and MoveObstacle do at once
  bool urgent = false;             ///< the running step is abandoned
  /// The value that a gesture sets repeatedly, one entry of undo; null for single changes.
  std::string (*subject)(const Command&) = nullptr;
};

const CommandRule& rule_of(const Command& command);

/// True if a command acts on the method of one lane rather than on the world of all (arena/arena.h).
bool is_of_method(const Command& command);

/// The command that switches to the integrator of a row.
Command choice_of(const IntegratorInfo& info);

/// The scene after a command, on `mesh`; the same object if nothing changes. Mesh, title and initial state
/// stay. Throws InputError, with the sentence for the user, for a command that is refused.
std::shared_ptr<const Scene> changed_scene(const std::shared_ptr<const Scene>& scene, const Command& command,
                                           const ClothMesh& mesh);

}  // namespace clothlab
