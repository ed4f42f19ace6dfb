// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <span>
#include <string>

#include "ui/panels/panel_context.h"

namespace clothlab {

/// Part of the window, in window coordinates.
struct Area {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;
};

/// A window of Dear ImGui at a fixed part of the window, without a background: the window is cleared to
/// palette().panel, so that a software renderer need not blend a third of the picture.
inline constexpr ImGuiWindowFlags kFixedPart =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
void begin_fixed(const char* id, const Area& area, ImVec2 padding, ImGuiWindowFlags flags = kFixedPart);
void end_fixed();

// Drawings over the view of the cloth.

/// The legend of colours and arrows, with units; empty without them.
void view_legend(const PanelContext& context, const Area& view);

/// The rectangle that is drawn around particles to pin or to free them, in window coordinates.
void selection_overlay(const Area& box);
/// The visible parts of an open edge of the mesh, in window coordinates.
void edge_overlay(std::span<const ImVec2> line, bool closed, bool under_mouse, const Area& view);
/// A followed particle, and the way that it came, in window coordinates.
void trail_overlay(const std::vector<ImVec2>& way, ImVec2 at, ImU32 colour, const Area& view);
/// The spring that failed and a ring around it, in window coordinates.
void failure_overlay(ImVec2 from, ImVec2 to, const Area& view);
/// "Part 2" below a point of that part, in window coordinates.
void part_overlay(std::size_t number, ImVec2 at, const Area& view);

/// A card at a place of the view: pivot (0.5, 0) is top centre. Width in units, height of the content. ImGui
/// draws into it between the two calls.
void begin_card(const char* id, const Area& view, ImVec2 pivot, float width, ImU32 edge);
void end_card();
void card_heading(ImU32 colour, const std::string& text);
/// Text wrapped at the card's edge.
void card_text(const std::string& text);

/// Counts of the mesh, its size, and the choice of its unit: in the scene panel and while a mesh waits.
void mesh_report(const PanelContext& context);

}  // namespace clothlab
