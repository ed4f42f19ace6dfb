// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "ui/theme.h"

namespace clothlab {

/// Registry rows in the order of the method list: by family, then as registered. Comma and full stop use this
/// order too.
std::span<const std::size_t> methods_by_family();
/// The row of a registered integrator.
std::size_t method_row(std::string_view id);
/// The row `steps` further in that order, cyclic.
std::size_t method_after(std::size_t row, int steps);

/// Size of a method's mark in the current font.
ImVec2 method_mark_size();
/// Draws a method's mark, the same in list, status bar and plots: its letters on its colour, with the corners
/// of its family. `at` is the upper left corner.
void draw_method_mark(ImDrawList* draw, ImVec2 at, std::size_t row);

}  // namespace clothlab
