#pragma once

#include <span>
#include <string_view>

namespace clothlab {

/// The candidate that a misspelt name most likely meant: the one with the fewest inserted, deleted,
/// replaced and swapped neighbouring letters between them (optimal string alignment; case counts for
/// nothing), the first of several. Empty when there are no candidates.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace clothlab
