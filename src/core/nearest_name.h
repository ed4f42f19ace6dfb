// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clothlab {

/// The candidate nearest to a misspelt name, by the number of inserted, deleted, replaced and swapped
/// neighbouring letters (optimal string alignment, ignoring case); the first of several. It must be close: at
/// most a third of the longer name's letters differ (one letter always may), or one name, of three letters or
/// more, is a part of the other. Otherwise empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// The end of a sentence about a name that does not exist: "; did you mean 'mass'?", or "." if no
/// candidate is close.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view quote = "'");

}  // namespace clothlab
