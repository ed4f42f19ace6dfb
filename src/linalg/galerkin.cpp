// SPDX-License-Identifier: MIT
#include "linalg/galerkin.h"

#include <algorithm>
#include <array>
#include <limits>

namespace clothlab {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// 4/3 over the largest eigenvalue of D⁻¹L, which is near 1.6 for the nets of triangle meshes.
constexpr double kDamping = 0.8;
// Entries below this share of a row are distributed to the others. Weak (bending) springs have little effect
// on the interpolation, and every entry costs time in each product.
constexpr double kSmallWeight = 0.02;

struct Aggregates {
  std::vector<std::uint32_t> of;  // node -> aggregate, or kNone
  std::uint32_t count = 0;
};

Aggregates aggregate(const CouplingGraph& graph, const std::vector<char>& active, CancelPoint& cancel) {
  const std::size_t n = graph.size();
  Aggregates result{std::vector<std::uint32_t>(n, kNone), 0};
  std::vector<std::uint32_t>& of = result.of;
  const auto for_neighbours = [&](std::size_t i, auto&& body) {
    for (std::uint32_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
      const std::uint32_t j = graph.neighbour[k];
      if (active[j] && graph.strength[k] > 0) body(j, graph.strength[k]);
    }
  };
  // A node whose neighbours have no aggregate yet becomes the centre of one.
  for (std::size_t i = 0; i < n; ++i) {
    cancel.pass();
    if (!active[i] || of[i] != kNone) continue;
    bool alone = true, surrounded = true;
    for_neighbours(i, [&](std::uint32_t j, double) {
      alone = false;
      surrounded = surrounded && of[j] == kNone;
    });
    if (alone || !surrounded) continue;
    of[i] = result.count;
    for_neighbours(i, [&](std::uint32_t j, double) { of[j] = result.count; });
    ++result.count;
  }
  // The other nodes join their most strongly coupled neighbour with an aggregate; it exists, otherwise the
  // node would be a centre.
  std::vector<std::uint32_t> joined(n, kNone);
  for (std::size_t i = 0; i < n; ++i) {
    cancel.pass();
    if (!active[i] || of[i] != kNone) continue;
    double strongest = 0;
    for_neighbours(i, [&](std::uint32_t j, double strength) {
      if (of[j] == kNone || !(strength > strongest)) return;
      strongest = strength;
      joined[i] = of[j];
    });
  }
  for (std::size_t i = 0; i < n; ++i)
    if (of[i] == kNone) of[i] = joined[i];
  return result;
}

}  // namespace

Restriction transposed(const Prolongation& P) {
  Restriction t;
  t.fill(P.columns, [&](const auto& add) {
    for (std::uint32_t r = 0; r < P.rows(); ++r)
      for (std::uint32_t k = P.begin[r]; k < P.begin[r + 1]; ++k) add(P.column[k], {r, P.weight[k]});
  });
  return t;
}

Prolongation smoothed_aggregation(const CouplingGraph& graph, const std::vector<char>& active,
                                  CancelPoint& cancel) {
  const Aggregates aggregates = aggregate(graph, active, cancel);
  Prolongation P;
  P.columns = aggregates.count;
  P.begin.reserve(graph.size() + 1);
  P.begin.push_back(0);
  std::vector<std::pair<std::uint32_t, double>> row;
  const auto add = [&row](std::uint32_t column, double weight) {
    const auto at = std::find_if(row.begin(), row.end(), [&](const auto& e) { return e.first == column; });
    if (at == row.end())
      row.emplace_back(column, weight);
    else
      at->second += weight;
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    cancel.pass();
    row.clear();
    if (active[i] && aggregates.of[i] != kNone) {
      double total = 0;
      for (std::uint32_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k) total += graph.strength[k];
      add(aggregates.of[i], 1 - kDamping);
      for (std::uint32_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
        const std::uint32_t j = graph.neighbour[k];
        if (active[j] && aggregates.of[j] != kNone)
          add(aggregates.of[j], kDamping * graph.strength[k] / total);
      }
    }
    double sum = 0, kept = 0;
    for (const auto& [column, weight] : row) sum += weight;
    for (const auto& [column, weight] : row) kept += weight >= kSmallWeight * sum ? weight : 0;
    std::sort(row.begin(), row.end());
    for (const auto& [column, weight] : row) {
      if (weight < kSmallWeight * sum) continue;
      P.column.push_back(column);
      P.weight.push_back(static_cast<float>(weight * sum / kept));
    }
    P.begin.push_back(static_cast<std::uint32_t>(P.column.size()));
  }
  P.column.resize(P.column.size() + Prolongation::kPadding, 0);
  P.weight.resize(P.weight.size() + Prolongation::kPadding, 0.0f);
  P.column.shrink_to_fit();
  P.weight.shrink_to_fit();
  return P;
}

BlockMatrix coarse_pattern(const CouplingGraph& fine, const Prolongation& P, const Restriction& transposed,
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
    for (const auto& [i, weight] : transposed[a]) {
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
    for (std::size_t l = k; l < row.size(); ++l)
      target_.push_back(sums.of(coarse.find(row[k].first, row[l].first)));
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
  for (const std::uint32_t block : coarse.block) graph.strength.push_back(std::max(0.0, -laplacian[block]));
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
