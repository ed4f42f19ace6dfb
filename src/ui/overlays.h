// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <glm/vec3.hpp>
#include <optional>
#include <span>
#include <string>

#include "sim/frame.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

/// Part of the window, in window coordinates.
struct Area {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;

  ImVec2 a() const { return {x, y}; }  ///< upper left corner
  ImVec2 b() const { return {x + width, y + height}; }
  ImVec2 size() const { return {width, height}; }
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

/// The rectangle around particles to pin or to free, in window coordinates.
void selection_overlay(const Area& box);
/// The visible parts of an open edge of the mesh, in window coordinates.
void edge_overlay(std::span<const ImVec2> line, bool closed, bool under_mouse, const Area& view);
/// A followed particle and its trail, in window coordinates.
void trail_overlay(const std::vector<ImVec2>& trail, ImVec2 at, ImU32 colour, const Area& view);
/// The spring that failed and a ring around it, in window coordinates.
void failure_overlay(ImVec2 from, ImVec2 to, const Area& view);
/// "Part 2" below a point of that part, in window coordinates.
void part_overlay(std::size_t number, ImVec2 at, const Area& view);

/// Flags of cards and notices, which are as high as their content.
inline constexpr ImGuiWindowFlags kCard =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
/// A card near the middle of the view, of that width [px] and as high as its content, which is drawn between
/// the two calls.
void begin_card(const char* id, const std::string& heading, const Area& view, float width, ImU32 edge);
void end_card();
void card_heading(const std::string& text);

/// Counts of the mesh, its size, and the choice of its unit: in the scene panel and while a mesh waits.
void mesh_report(const PanelContext& context);
/// The groups of the OBJ file of an obstacle, counted from 0, or else of the cloth; nothing if it has none.
void group_choice(const PanelContext& context, const std::string& path, std::optional<std::size_t> obstacle);

/// The marks of a grab over the view, in window coordinates.
struct GrabMarks {
  struct Target {
    ImVec2 at;
    bool is_pin = false;
  };
  struct Held {
    ImVec2 at;
    double depth = 0;       ///< behind the plane where the grab began [m]
    double half_depth = 1;  ///< depth of half of the scale [m]
  };
  glm::vec3 colour{1};           ///< sRGB in [0, 1]
  std::optional<Target> target;  ///< the point that a press would grab
  std::optional<Held> held;
  std::optional<ImVec2> particle = {};  ///< that the Method tab shows a step of
};
void draw_grab_marks(const GrabMarks& marks, const Area& view);

/// Force of the grab [N], distance of the grabbed point from the cursor, and depth of the cursor, away from
/// the viewer if `depth` > 0 [m].
std::string grab_reading(const Frame::Grab& grab, double depth);

}  // namespace clothlab
