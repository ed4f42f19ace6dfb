// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/scene.h"

namespace clothlab {

/// The command that takes so many steps of a scene from its start, with every value that differs from its
/// default: "clothlab simulate --grid 20x20 --mass 0.5 --steps 60". A mesh that no option names, and an
/// initial state, need the scene's own file: then the command names that and what has changed since. Empty
/// where such a scene has none. Paths are quoted for the shell.
std::string command_line(const Scene& scene, const Scene* of_file, const std::string& file,
                         std::uint64_t steps);

}  // namespace clothlab
