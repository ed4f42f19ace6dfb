// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

/// Compares the springs of a mesh without degenerate triangles with a naive implementation of model.md's
/// definition. Their order is compared too: it is part of the contract.
inline void expect_springs_of_the_definition(const ClothMesh& mesh) {
  ASSERT_EQ(mesh.report.degenerate_triangles, 0u);
  using Pair = std::array<std::uint32_t, 2>;
  std::map<Pair, std::vector<std::uint32_t>> opposites;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      opposites[{std::min(a, b), std::max(a, b)}].push_back(t[(i + 2) % 3]);
    }
  std::vector<Pair> stretch, bend;
  std::size_t boundary = 0, nonmanifold = 0, dropped = 0;
  for (auto& [edge, corners] : opposites) {
    stretch.push_back(edge);
    boundary += corners.size() == 1;
    nonmanifold += corners.size() > 2;
    std::sort(corners.begin(), corners.end());
    std::set<Pair> across;
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t j = i + 1; j < corners.size(); ++j)
        if (corners[i] == corners[j] || !across.insert({corners[i], corners[j]}).second)
          ++dropped;
        else
          bend.push_back({corners[i], corners[j]});
  }
  EXPECT_EQ(mesh.stretch_springs, stretch);
  EXPECT_EQ(mesh.bend_springs, bend);
  EXPECT_EQ(mesh.report.boundary_edges, boundary);
  EXPECT_EQ(mesh.report.nonmanifold_edges, nonmanifold);
  EXPECT_EQ(mesh.report.dropped_springs, dropped);
}

}  // namespace clothlab
