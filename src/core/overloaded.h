// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

/// Functions of all alternatives of a variant, for std::visit.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace clothlab
