// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <string>
#include <vector>

#include "ui/panels.h"
#include "ui/parameter_row.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

// A body of a fifth of the cloth's size below its middle, or beside it where the floor
// leaves no room; and beside those that are there.
Obstacle below_cloth(const Frame& frame, Obstacle::Shape shape, const std::vector<Obstacle>& others) {
  constexpr double kRadius = 0.2, kHalfLength = 0.6;  // of the diagonal
  vec3 low(0), high(0);
  bool any = false;
  for (const vec3& p : frame.positions) {
    if (!std::isfinite(p.x + p.y + p.z)) continue;
    low = any ? glm::min(low, p) : p;
    high = any ? glm::max(high, p) : p;
    any = true;
  }
  const double size = std::clamp(frame.mesh->diagonal, 10 * kSmallestObstacle, 0.1 * kLargestObstacle);
  Obstacle body;
  body.shape = shape;
  body.radius = kRadius * size * (shape == Obstacle::Shape::capsule ? 0.5 : 1.0);
  const vec3 middle =
      glm::clamp((low + high) / 2.0, vec3(-kFarthestObstacle / 2), vec3(kFarthestObstacle / 2));
  vec3 centre(middle.x, std::max(low.y, -kFarthestObstacle / 2) - 1.2 * body.radius, middle.z);
  // Under the floor it would not be seen.
  const auto& floor = frame.scene->floor;
  if (floor.on && centre.y - body.radius < floor.height)
    centre = vec3(middle.x, floor.height + body.radius,
                  std::min(high.z, kFarthestObstacle / 2) + 1.2 * body.radius);
  const double digits = std::pow(10.0, 2 - std::floor(std::log10(body.radius)));
  centre = glm::round(centre * digits) / digits + 0.0;  // no -0
  const auto hides = [&](const Obstacle& other) {
    return glm::distance((other.from + other.to) / 2.0, centre) < other.radius + body.radius;
  };
  while (std::ranges::any_of(others, hides)) centre.z += body.radius;
  const vec3 half = shape == Obstacle::Shape::capsule ? vec3(kHalfLength * size, 0, 0) : vec3(0);
  body.from = centre - half;
  body.to = centre + half;
  return body;
}

// Answers whether the body is to go.
bool obstacle_rows(std::size_t number, Obstacle& body, bool& changed) {
  const std::string id = "obstacle" + std::to_string(number);
  const bool is_sphere = body.shape == Obstacle::Shape::sphere;
  std::string title(is_sphere ? "Sphere " : "Capsule ");
  title += std::to_string(number);
  const auto place = [&](const char* which, const char* label, const char* help, vec3& value) {
    const auto typed = vector_row((id + which).c_str(), label, help, value, kFarthestObstacle, "m");
    if (typed) value = *typed;
    changed = changed || typed;
  };
  if (is_sphere)
    place(":centre", (title + " x, y, z").c_str(), "The centre of the sphere.", body.from);
  else
    place(":from", (title + " from").c_str(), "The centre of one end of the capsule.", body.from);
  ImGui::SameLine(0, units(4));
  const bool goes =
      icon_button(id + ":remove", Icon::close, "Takes " + title + " away.", false, ImGui::GetFrameHeight());
  if (is_sphere)
    body.to = body.from;
  else
    place(":to", "to", "The centre of its other end.", body.to);
  if (const auto radius = number_row((id + ":radius").c_str(), "Radius", "Radius of this body.", body.radius,
                                     kSmallestObstacle, kLargestObstacle, body.radius, "m")) {
    body.radius = *radius;
    changed = true;
  }
  return goes;
}

void obstacles(const PanelContext& context) {
  std::vector<Obstacle> bodies = context.scene().obstacles.bodies;
  const std::size_t before = bodies.size();
  bool changed = false;
  section("Obstacles");
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (obstacle_rows(k + 1, bodies[k], changed)) {
      bodies.erase(bodies.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
  ImGui::BeginDisabled(before == kMostObstacles);
  const Frame& frame = context.snapshot.frame;
  if (text_button(
          "add-sphere", "Add a sphere",
          "A sphere below the cloth, on which it comes to lie; beside it where the floor leaves no room.", 0,
          false))
    bodies.push_back(below_cloth(frame, Obstacle::Shape::sphere, bodies));
  ImGui::SameLine();
  if (text_button("add-capsule", "Add a capsule", "A bar with round ends below the cloth.", 0, false))
    bodies.push_back(below_cloth(frame, Obstacle::Shape::capsule, bodies));
  ImGui::EndDisabled();
  if (changed || bodies.size() != before) context.send(Command(SetObstacles{bodies}));
}

}  // namespace

void contact_panel(const PanelContext& context) {
  parameter_section(context, "Contact");
  parameter_section(context, "Floor");
  obstacles(context);
  parameter_section(context, "Obstacles");
}

}  // namespace clothlab
