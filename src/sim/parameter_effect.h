// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace clothlab {

struct Scene;

/// Why another value of the parameter would leave the run of this scene as it is, as a sentence: "The wind is
/// off." Empty where the value matters. `has_closed_parts`: whether cloth encloses air.
std::string why_without_effect(const Scene& scene, std::string_view id, bool has_closed_parts);

}  // namespace clothlab
