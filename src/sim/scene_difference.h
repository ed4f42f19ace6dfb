// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

/// The differences between two scenes of the same cloth in values that may change while it runs: parameters,
/// those of the integrators, gravity, integrator and pins. One entry each, as "Stretch stiffness 1000 → 150
/// N/m". Pins are equal when they pin the same particles of `mesh`. Throws InputError for pins that the mesh
/// does not have.
std::vector<std::string> differences(const Scene& from, const Scene& to, const ClothMesh& mesh);

/// The same as one text: at most three entries, then the number of the others.
std::string describe_differences(const Scene& from, const Scene& to, const ClothMesh& mesh);

}  // namespace clothlab
