// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "mesh/mesh.h"

namespace clothlab {

/// A generated mesh of an obstacle: the text of `assets/<name>.obj`, as GeneratedMesh. All are closed and
/// stand on the plane y = 0.
struct GeneratedBody {
  std::string_view name;
  ObjMesh (*make)();
};

/// All of them, in a fixed order.
std::span<const GeneratedBody> generated_bodies();

}  // namespace clothlab
