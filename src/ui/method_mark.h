// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstddef>
#include <span>

#include "ui/palette.h"

namespace clothlab {

/// Registry rows in the order of the method list: family by family, within one as registered. Comma and full
/// stop go through the methods in this order too.
std::span<const std::size_t> methods_by_family();
/// The row so many places further in that order, round and round.
std::size_t method_after(std::size_t row, int places);

/// Size of a method's mark in the current font.
ImVec2 method_mark_size();
/// The mark by which a method is recognised in the list, the status bar and the plots: its letters on its
/// colour, with corners that are those of its family. `at` is its upper left corner.
void draw_method_mark(ImDrawList* draw, ImVec2 at, std::size_t row);

}  // namespace clothlab
