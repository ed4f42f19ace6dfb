// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <span>
#include <string>

#include "ui/panel_context.h"

namespace clothlab {

/// Part of the window, in window coordinates.
struct Area {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;
};

// What lies over the view of the cloth.

/// What the colours and arrows over the cloth mean, in units; nothing while there are none.
void view_legend(const PanelContext& context, const Area& view);

/// The rectangle that is drawn around particles to pin or to free them, in window coordinates.
void selection_overlay(const Area& box);
/// An open edge of the mesh, in window coordinates; parts that are not seen are left out of it.
void edge_overlay(std::span<const ImVec2> line, bool closed, bool under_mouse, const Area& view);
/// "Part 2" below a point of that part, in window coordinates.
void part_overlay(std::size_t number, ImVec2 at, const Area& view);

/// A card at a place of the view: pivot (0.5, 0) is top centre. Its width is fixed [units], its height its
/// content's. Between the two calls ImGui draws into it.
void begin_card(const char* id, const Area& view, ImVec2 pivot, float width, ImU32 edge);
void end_card();
void card_heading(ImU32 colour, const std::string& text);
/// Wrapped at the card's edge.
void card_text(const std::string& text);

/// Counts of the mesh, its size, and the choice of its unit: in the scene panel and while a mesh waits.
void mesh_report(const PanelContext& context);

}  // namespace clothlab
