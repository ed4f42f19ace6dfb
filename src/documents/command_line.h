// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/scene.h"

namespace clothlab {

/// A word of a command line, quoted if the shell needs it.
std::string shell_quoted(const std::string& text);

/// The command that runs a scene from its start for `steps` steps, with every value that differs from its
/// default: "clothlab simulate --grid 20x20 --mass 0.5 --steps 60". For a mesh without an option, or an
/// initial state, it names the scene's file and the later changes; empty without such a file. Paths
/// are quoted for the shell.
std::string command_line(const Scene& scene, const Scene* of_file, const std::string& file,
                         std::uint64_t steps);

/// The command that runs all lanes of a scene's file: "clothlab compare --scene FILE --mass 0.5 --steps 60".
/// `scenes` have the later changes, `of_file` do not; one for each lane.
std::string compare_command_line(std::span<const Scene> scenes, std::span<const Scene> of_file,
                                 const std::string& file, std::uint64_t steps);

/// The options of a scene's method, without those that have their default: "--integrator bdf2 --substeps 4".
std::string method_options(const Scene& scene);

/// The command that repeats a journal: "clothlab replay 'FILE'".
std::string replay_command_line(const std::string& journal);

}  // namespace clothlab
