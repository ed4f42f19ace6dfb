// SPDX-License-Identifier: MIT
#include "mesh/bodies.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace clothlab {
namespace {

// As in mesh/generators.cpp.
double to_micrometres(double value) { return std::round(value * 1e6) / 1e6 + 0.0; }

struct ProfilePoint {
  double radius, height;
};

// The surface that a profile describes as it turns about an upright axis through (x, z), with this many
// sides. The profile goes up on the outside; one that does not end on the axis is closed. Along z it is
// flattened by that factor.
void revolve(ObjMesh& mesh, const std::vector<ProfilePoint>& profile, int sides, double x = 0, double z = 0,
             double flat = 1) {
  const auto vertex = [&](double radius, double height, int k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    mesh.vertices.emplace_back(to_micrometres(x + radius * std::cos(angle)), to_micrometres(height),
                               to_micrometres(z - flat * radius * std::sin(angle)));
  };
  std::vector<int> first;
  for (const auto& [radius, height] : profile) {
    first.push_back(static_cast<int>(mesh.vertices.size()));
    for (int k = 0; k < (radius > 0 ? sides : 1); ++k) vertex(radius, height, k);
  }
  const auto at = [&](std::size_t ring, int k) {
    return ObjMesh::Corner{first[ring] + (profile[ring].radius > 0 ? k % sides : 0)};
  };
  const bool closed = profile.back().radius > 0;
  for (std::size_t ring = 0; ring + (closed ? 0 : 1) < profile.size(); ++ring) {
    const std::size_t above = (ring + 1) % profile.size();
    for (int k = 0; k < sides; ++k) {
      std::vector<ObjMesh::Corner> corners{at(ring, k)};
      if (profile[ring].radius > 0) corners.push_back(at(ring, k + 1));
      corners.push_back(at(above, k + 1));
      if (profile[above].radius > 0) corners.push_back(at(above, k));
      mesh.add_face(corners);
    }
  }
}

// 0.72 m high, its top 0.7 m across.
ObjMesh make_round_table() {
  ObjMesh mesh;
  mesh.name = "round_table";
  revolve(mesh,
          {{0, 0},
           {0.2, 0},
           {0.2, 0.02},
           {0.03, 0.06},
           {0.03, 0.69},
           {0.34, 0.69},
           {0.35, 0.7},
           {0.35, 0.71},
           {0.34, 0.72},
           {0, 0.72}},
          48);
  return mesh;
}

// 0.61 m high: a cone 0.8 m across on a spout of 0.2 m.
ObjMesh make_funnel() {
  ObjMesh mesh;
  mesh.name = "funnel";
  revolve(mesh, {{0.1, 0}, {0.12, 0}, {0.14, 0.3}, {0.42, 0.6}, {0.4, 0.61}, {0.12, 0.31}}, 48);
  return mesh;
}

// 5 × 5 cones of 0.25 m, 0.2 m apart.
ObjMesh make_needles() {
  ObjMesh mesh;
  mesh.name = "needles";
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) revolve(mesh, {{0, 0}, {0.03, 0}, {0, 0.25}}, 8, 0.2 * i, 0.2 * j);
  return mesh;
}

// A tailor's dummy on its stand, 1.45 m high: hips, waist, chest, shoulders and neck, and no arms.
ObjMesh make_dummy() {
  ObjMesh mesh;
  mesh.name = "dummy";
  revolve(mesh, {{0, 0},        {0.2, 0},      {0.2, 0.02},   {0.03, 0.05},  {0.03, 0.7},
                 {0.12, 0.72},  {0.165, 0.78}, {0.17, 0.85},  {0.155, 0.94}, {0.13, 1.03},
                 {0.145, 1.12}, {0.165, 1.2},  {0.175, 1.27}, {0.17, 1.32},  {0.14, 1.35},
                 {0.085, 1.37}, {0.06, 1.39},  {0.055, 1.44}, {0.03, 1.45},  {0, 1.45}},
          36, 0, 0, 0.62);
  return mesh;
}

constexpr std::array<GeneratedBody, 4> kBodies{{{"round_table", make_round_table},
                                                {"funnel", make_funnel},
                                                {"needles", make_needles},
                                                {"dummy", make_dummy}}};

}  // namespace

std::span<const GeneratedBody> generated_bodies() { return kBodies; }

}  // namespace clothlab
