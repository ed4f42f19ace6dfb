// SPDX-License-Identifier: MIT
#include "sim/mesh_notices.h"

#include <array>
#include <cmath>

#include "core/text.h"

namespace clothlab {
namespace {

struct Unit {
  const char* name;
  double metres;
};
constexpr std::array kUnits{Unit{"centimetres", 0.01}, Unit{"millimetres", 0.001}};

bool is_usual(double diagonal) { return diagonal >= kSmallestCloth && diagonal <= kLargestCloth; }

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string mesh_size_text(const ClothMesh& mesh) {
  if (is_usual(mesh.diagonal) || !(mesh.diagonal > 0)) return {};
  std::string text = "The mesh is " + format_plain(mesh.diagonal) + " m across. ";
  const auto advice = [&](double factor) { return "Use --scale " + format_digits(mesh.scale * factor, 6); };
  if (mesh.scale == 1)
    for (const Unit& unit : kUnits)
      if (is_usual(unit.metres * mesh.diagonal))
        return text + "Is it in " + unit.name + "? " + advice(unit.metres) + ".";
  const double factor = std::pow(10, std::round(std::log10(kUsualCloth / mesh.diagonal)));
  return text + "Is that too " + (factor < 1 ? "large" : "small") + "? " + advice(factor) + " for " +
         format_plain(factor * mesh.diagonal) + " m.";
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
