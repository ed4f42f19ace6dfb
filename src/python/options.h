// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

#include "cli/options.h"
#include "sim/scene.h"

namespace clothlab {

/// Keyword arguments as options of the command line, whose name they have with _ for -. Lists become
/// "1,2,3", sizes "20x30", dictionaries JSON; None leaves an option out. Throws InputError.
SceneOptions options_of(const pybind11::kwargs& values);

/// The values of all parameters of a scene, by the names of those arguments.
pybind11::dict values_of(const Scene& scene);

}  // namespace clothlab
