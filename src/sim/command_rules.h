// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "mesh/mesh.h"
#include "sim/command.h"
#include "sim/scene.h"

namespace clothlab {

/// What there is to know of a command without carrying it out: one row per kind.
struct CommandRule {
  std::size_t kind = 0;            ///< Command::index()
  bool changes_scene = false;      ///< values, integrator or pins: what a scene file has and undo gives back
  bool acts_on_shown = false;      ///< on the cloth as it is shown, which may be a moment of the past
  bool breaks_continuity = false;  ///< the integrator goes on without a past; MovePins does where pins jump
  bool urgent = false;             ///< the step that is running is worthless
  /// What a gesture sets again and again, in one entry of undo; null for what is done at once.
  std::string (*subject)(const Command&) = nullptr;
};

const CommandRule& rule_of(const Command& command);

/// What a command makes of a scene that runs on `mesh`, for the simulation and for all who foresee it: the
/// very same object where nothing of it changes. What the scene says of the mesh, its title and its initial
/// state stay. Throws InputError, with the sentence for the user, for a command that is refused.
std::shared_ptr<const Scene> changed_scene(const std::shared_ptr<const Scene>& scene, const Command& command,
                                           const ClothMesh& mesh);

}  // namespace clothlab
