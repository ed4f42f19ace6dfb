// SPDX-License-Identifier: MIT
#include "linalg/aggregation.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

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
  for (std::size_t i = 0; i < n; ++i) {
    if (of[i] == kNone) of[i] = joined[i];
  }
  return result;
}

}  // namespace

Prolongation Prolongation::transposed() const {
  Prolongation t;
  t.columns = rows();
  t.begin.assign(columns + 1, 0);
  t.column.resize(column.size());
  t.weight.resize(weight.size());
  for (std::size_t k = 0; k < begin.back(); ++k) ++t.begin[column[k] + 1];
  std::partial_sum(t.begin.begin(), t.begin.end(), t.begin.begin());
  std::vector<std::uint32_t> next(t.begin.begin(), t.begin.end() - 1);
  for (std::uint32_t r = 0; r < rows(); ++r) {
    for (std::uint32_t k = begin[r]; k < begin[r + 1]; ++k) {
      const std::uint32_t at = next[column[k]]++;
      t.column[at] = r;
      t.weight[at] = weight[k];
    }
  }
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
    if (at == row.end()) {
      row.emplace_back(column, weight);
    } else {
      at->second += weight;
    }
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
        if (active[j] && aggregates.of[j] != kNone) {
          add(aggregates.of[j], kDamping * graph.strength[k] / total);
        }
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

}  // namespace clothlab
