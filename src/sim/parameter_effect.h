// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace clothlab {

struct Scene;

/// The reason why the parameter does not affect the run of this scene, as a sentence: "The wind is off."
/// Empty if it has an effect. `has_closed_parts`: cloth encloses air.
std::string why_without_effect(const Scene& scene, std::string_view id, bool has_closed_parts);

}  // namespace clothlab
