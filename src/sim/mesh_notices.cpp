// SPDX-License-Identifier: MIT
#include "sim/mesh_notices.h"

#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "contact/surfaces.h"
#include "core/text.h"

namespace clothlab {
namespace {

struct Unit {
  const char* name;
  double metres;
};
constexpr std::array kUnits{Unit{"centimetres", 0.01}, Unit{"millimetres", 0.001}};

bool is_usual(double diagonal) { return diagonal >= kSmallestCloth && diagonal <= kLargestCloth; }

/// `option`: text before the advised scale.
std::string size_text(const std::string& mesh, double diagonal, double scale, const char* option) {
  if (is_usual(diagonal) || !(diagonal > 0)) return {};
  std::string text = mesh + " is " + format_plain(diagonal) + " m across. ";
  const auto advice = [&](double factor) { return "Use " + (option + format_digits(scale * factor, 6)); };
  if (scale == 1)
    for (const Unit& unit : kUnits)
      if (is_usual(unit.metres * diagonal))
        return text + "Is it in " + unit.name + "? " + advice(unit.metres) + ".";
  const double factor = std::pow(10, std::round(std::log10(kUsualCloth / diagonal)));
  return text + "Is that too " + (factor < 1 ? "large" : "small") + "? " + advice(factor) + " for " +
         format_plain(factor * diagonal) + " m.";
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string mesh_size_text(const ClothMesh& mesh) {
  return size_text("The mesh", mesh.diagonal, mesh.scale, "--scale ");
}

std::string obstacle_size_text(std::span<const Obstacle> bodies) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Obstacle& body = bodies[k];
    if (body.shape != Obstacle::Shape::mesh) continue;
    const Bounds& bounds = body.mesh.surface->bounds();
    const std::string name = "The mesh of " + surface_text(static_cast<std::uint32_t>(k + 1), bodies);
    if (std::string text =
            size_text(name, body.scale * glm::distance(bounds.low, bounds.high), body.scale, "a scale of ");
        !text.empty())
      return text;
  }
  return {};
}

std::string mesh_repair_text(const MeshReport& report) {
  std::string text;
  if (report.merged_faces > 0)
    text = counted(report.merged_faces, "doubled face was merged", "doubled faces were merged");
  if (report.dropped_faces > 0)
    text += (text.empty() ? "" : " and ") +
            counted(report.dropped_faces, "face without area was dropped", "faces without area were dropped");
  return text.empty() ? text : text + ".";
}

}  // namespace clothlab
