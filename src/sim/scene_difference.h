// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

/// In what two descriptions of the same cloth differ, of all that may change while it runs: parameters, the
/// integrators' own too, gravity, integrator and pins. In words, one entry each:
/// "Stretch stiffness 1000 → 150 N/m". Pins are the same when they hold the same particles of `mesh`.
/// Throws InputError for pins that the mesh does not have.
std::vector<std::string> differences(const Scene& from, const Scene& to, const ClothMesh& mesh);

/// The same as one text: at most three of them, then how many more there are.
std::string describe_differences(const Scene& from, const Scene& to, const ClothMesh& mesh);

}  // namespace clothlab
