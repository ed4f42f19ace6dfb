// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clothlab {

/// The candidate that a misspelt name most likely meant: the one with the fewest inserted, deleted,
/// replaced and swapped neighbouring letters between them (optimal string alignment; case counts for
/// nothing), the first of several. Only one that is close counts: at most a third of the longer name's
/// letters are wrong (one letter always may be), or one name, of three letters or more, is a part of the
/// other. Empty when there is none.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// The end of a sentence about a name that does not exist: "; did you mean 'mass'?", or "." where no
/// candidate is close.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view quote = "'");

}  // namespace clothlab
