// SPDX-License-Identifier: MIT
#include "linalg/galerkin.h"

#include <algorithm>
#include <array>

namespace clothlab {

BlockMatrix coarse_pattern(const CouplingGraph& fine, const Prolongation& P, const Prolongation& transposed,
                           CancelPoint& cancel) {
  const std::size_t n = P.columns;
  BlockMatrix coarse;
  coarse.begin.push_back(0);
  for (std::uint32_t a = 0; a < n; ++a) coarse.nodes.push_back({a, a});
  std::vector<std::uint32_t> seen_by(n, static_cast<std::uint32_t>(n));
  std::vector<std::uint32_t> row;
  for (std::uint32_t a = 0; a < n; ++a) {
    row.clear();
    seen_by[a] = a;
    const auto reach = [&](std::uint32_t j) {
      cancel.pass();
      for (std::uint32_t k = P.begin[j]; k < P.begin[j + 1]; ++k) {
        const std::uint32_t b = P.column[k];
        if (seen_by[b] == a) continue;
        seen_by[b] = a;
        row.push_back(b);
      }
    };
    for (std::uint32_t m = transposed.begin[a]; m < transposed.begin[a + 1]; ++m) {
      const std::uint32_t i = transposed.column[m];
      reach(i);
      for (std::uint32_t k = fine.begin[i]; k < fine.begin[i + 1]; ++k) reach(fine.neighbour[k]);
    }
    std::sort(row.begin(), row.end());
    for (const std::uint32_t b : row) {
      coarse.neighbour.push_back(b);
      if (b < a) {
        coarse.block.push_back(coarse.find(b, a));
      } else {
        coarse.block.push_back(static_cast<std::uint32_t>(coarse.nodes.size()));
        coarse.nodes.push_back({a, b});
      }
    }
    coarse.begin.push_back(static_cast<std::uint32_t>(coarse.neighbour.size()));
  }
  coarse.value.resize(coarse.nodes.size());
  return coarse;
}

void RankOneTerms::push_back(std::span<const std::pair<std::uint32_t, double>> row, const BlockMatrix& coarse,
                             PartialSums& sums) {
  assert(row.size() <= kMostWeights);
  count_.push_back(static_cast<std::uint8_t>(row.size()));
  for (std::size_t k = 0; k < row.size(); ++k) {
    weight_.push_back(static_cast<float>(row[k].second));
    for (std::size_t l = k; l < row.size(); ++l) {
      target_.push_back(sums.of(coarse.find(row[k].first, row[l].first)));
    }
  }
}

GalerkinTerms coarse_terms(const BlockMatrix& fine, const Prolongation& P, const BlockMatrix& coarse,
                           CancelPoint& cancel) {
  GalerkinTerms terms;
  terms.begin.push_back(0);
  for (const BlockMatrix::Nodes nodes : fine.nodes) {
    cancel.pass();
    for_terms(nodes, P, coarse, [&](std::uint32_t block, double weight) {
      const auto first = terms.target.begin() + terms.begin.back();
      const auto at = std::find(first, terms.target.end(), block);
      if (at == terms.target.end()) {
        terms.target.push_back(block);
        terms.weight.push_back(weight);
      } else {
        terms.weight[static_cast<std::size_t>(at - terms.target.begin())] += weight;
      }
    });
    terms.begin.push_back(static_cast<std::uint32_t>(terms.target.size()));
  }
  return terms;
}

CouplingGraph coarse_graph(const CouplingGraph& fine, const Prolongation& P, const BlockMatrix& coarse,
                           CancelPoint& cancel) {
  std::vector<double> laplacian(coarse.nodes.size(), 0.0);
  for (std::uint32_t i = 0; i < fine.size(); ++i) {
    cancel.pass();
    double total = 0;
    const auto add = [&](std::uint32_t j, double value) {
      for_terms({i, j}, P, coarse,
                [&](std::uint32_t block, double weight) { laplacian[block] += weight * value; });
    };
    for (std::uint32_t k = fine.begin[i]; k < fine.begin[i + 1]; ++k) {
      total += fine.strength[k];
      if (fine.neighbour[k] > i) add(fine.neighbour[k], -fine.strength[k]);
    }
    add(i, total);
  }
  CouplingGraph graph;
  graph.begin = coarse.begin;
  graph.neighbour = coarse.neighbour;
  for (const std::uint32_t block : coarse.block) {
    graph.strength.push_back(std::max(0.0, -laplacian[block]));
  }
  return graph;
}

void row_difference(BlockMatrix::Nodes ends, const Prolongation& P,
                    std::vector<std::pair<std::uint32_t, double>>& row) {
  std::array<std::uint32_t, 2> at{P.begin[ends[0]], P.begin[ends[1]]};
  const std::array<std::uint32_t, 2> last{P.begin[ends[0] + 1], P.begin[ends[1] + 1]};
  row.clear();
  while (at[0] < last[0] || at[1] < last[1]) {
    const std::uint32_t i = at[0] < last[0] ? P.column[at[0]] : BlockMatrix::kNone;
    const std::uint32_t j = at[1] < last[1] ? P.column[at[1]] : BlockMatrix::kNone;
    double weight = 0;
    if (i <= j) weight += P.weight[at[0]++];
    if (j <= i) weight -= P.weight[at[1]++];
    if (weight != 0) row.emplace_back(std::min(i, j), weight);
  }
}

}  // namespace clothlab
