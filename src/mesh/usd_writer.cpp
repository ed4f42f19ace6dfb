// SPDX-License-Identifier: MIT
#include "mesh/usd_writer.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace clothlab {
namespace {

void append_float(std::string& text, double value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr);
}

/// "name = [1, 2]" of all corners; `number` appends one.
template <class Range, class Number>
std::string list(const char* name, const Range& range, const Number& number) {
  std::string text = std::string("    ") + name + " = [";
  for (const char* before = ""; const auto& item : range) {
    number(text += before, item);
    before = ", ";
  }
  return text + "]";
}

std::string text_of_faces(const ObjMesh& obj) {
  std::string counts = "    int[] faceVertexCounts = [";
  for (std::size_t f = 0; f < obj.face_count(); ++f)
    counts += (f > 0 ? ", " : "") + std::to_string(obj.face(f).size());
  std::string text = counts + "]\n" +
                     list("int[] faceVertexIndices", obj.corners,
                          [](std::string& to, const ObjMesh::Corner& c) { to += std::to_string(c.vertex); }) +
                     "\n    uniform token subdivisionScheme = \"none\"\n";
  if (!std::ranges::all_of(obj.corners, [](const ObjMesh::Corner& c) { return c.texture >= 0; })) return text;
  const auto uv = [](std::string& to, const TextureCoordinate& t) {
    append_float(to += '(', t.value[0]);
    append_float(to += ", ", t.value[1]);
    to += ')';
  };
  const auto index = [](std::string& to, const ObjMesh::Corner& c) { to += std::to_string(c.texture); };
  return text + list("texCoord2f[] primvars:st", obj.texture_coordinates, uv) +
         " (\n        interpolation = \"faceVarying\"\n    )\n" +
         list("int[] primvars:st:indices", obj.corners, index) + "\n";
}

}  // namespace

void UsdShapes::add(double time, std::span<const vec3> points) {
  if (samples_.empty()) first_ = time;
  last_ = time;
  std::string sample = "        " + std::to_string(samples_.size()) + ": [";
  for (const vec3& p : points) {
    for (int axis = 0; axis < 3; ++axis) append_float(sample += axis == 0 ? "(" : ", ", p[axis]);
    sample += &p == &points.back() ? ")" : "), ";
  }
  samples_.push_back(sample + "],\n");
}

void UsdShapes::write(const ClothMesh& mesh, const std::function<void(std::string_view piece)>& sink) const {
  const double last = static_cast<double>(samples_.size()) - 1;
  std::string rate;
  append_float(rate, last_ > first_ ? last / (last_ - first_) : 24);  // times are sums of rounded steps
  sink("#usda 1.0\n(\n    defaultPrim = \"cloth\"\n    endTimeCode = " + format_number(last) +
       "\n    framesPerSecond = " + rate + "\n    metersPerUnit = " + format_number(mesh.scale) +
       "\n    startTimeCode = 0\n    timeCodesPerSecond = " + rate + "\n    upAxis = \"" +
       (mesh.z_up ? "Z" : "Y") + "\"\n)\n\ndef Mesh \"cloth\"\n{\n" + text_of_faces(*mesh.source) +
       "    point3f[] points.timeSamples = {\n");
  for (const std::string& sample : samples_) sink(sample);
  sink("    }\n}\n");
}

}  // namespace clothlab
