// SPDX-License-Identifier: MIT
#include "linalg/nested_dissection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

namespace clothlab {

Graph graph_of_pairs(std::size_t vertices, std::span<const std::array<std::uint32_t, 2>> pairs,
                     CancelPoint& cancel) {
  Graph graph;
  graph.fill(vertices, [&](const auto& add) {
    for (const auto& [i, j] : pairs) {
      cancel.pass();
      add(i, j);
      add(j, i);
    }
  });
  return graph;
}

Graph simple_graph(std::size_t vertices, std::span<const std::array<std::uint32_t, 2>> pairs,
                   const StopProbe& stop) {
  CancelPoint cancel(stop);
  Graph g = graph_of_pairs(vertices, pairs, cancel);
  // Sorts every row and removes duplicates.
  auto end = g.items.begin();
  for (std::size_t v = 0; v < vertices; ++v) {
    cancel.pass();
    const auto first = g.items.begin() + g.begin[v], last = g.items.begin() + g.begin[v + 1];
    std::sort(first, last);
    g.begin[v] = static_cast<std::uint32_t>(end - g.items.begin());
    end = std::copy(first, std::unique(first, last), end);
  }
  g.begin[vertices] = static_cast<std::uint32_t>(end - g.items.begin());
  g.items.resize(g.begin[vertices]);
  return g;
}

namespace {

using Vertices = std::vector<std::uint32_t>;
constexpr std::uint32_t kNoVertex = std::numeric_limits<std::uint32_t>::max();

// Chosen by the fill on sheets, garments and figures, which depends little on these values.
constexpr std::size_t kSmallPart = 60;    // is ordered by minimum degree
constexpr double kLargestSide = 0.7;      // share of a part that a separator may leave on one side
constexpr std::size_t kCorners = 6;       // far corners between which cuts are tried
constexpr std::size_t kRefined = 2;       // number of best cuts to refine
constexpr int kMaxPasses = 8;             // of a refinement
constexpr std::size_t kMovesInVain = 50;  // without improvement, until a pass ends

// A piece of the whole graph.
struct Part {
  Graph graph;
  Vertices vertex;  // of the part -> of the whole
};

struct Distances {
  Vertices order;     // breadth first; shorter than the part if that is not connected
  Vertices distance;  // by vertex, kNoVertex if not reached
};

// Replaces the order by that of the vertices reached from `start`, none of which has a distance yet.
void search(const Graph& graph, std::uint32_t start, CancelPoint& cancel, Distances& found) {
  found.order.assign(1, start);
  found.distance[start] = 0;
  for (std::size_t head = 0; head < found.order.size(); ++head) {
    cancel.pass();
    const std::uint32_t v = found.order[head];
    for (std::uint32_t u : graph[v]) {
      if (found.distance[u] != kNoVertex) continue;
      found.distance[u] = found.distance[v] + 1;
      found.order.push_back(u);
    }
  }
}

Distances search(const Graph& graph, std::uint32_t start, CancelPoint& cancel) {
  Distances found{{}, Vertices(graph.size(), kNoVertex)};
  found.order.reserve(graph.size());
  search(graph, start, cancel, found);
  return found;
}

// Sorts vertices by a(v) - b(v), stable in the order of `a`.
Vertices between(const Distances& a, const Distances& b, CancelPoint& cancel) {
  const std::size_t farthest = b.distance[b.order.back()];
  const auto key = [&](std::uint32_t v) { return a.distance[v] + farthest - b.distance[v]; };
  std::vector<std::size_t> begin(a.distance[a.order.back()] + farthest + 2, 0);
  for (std::uint32_t v : a.order) ++begin[key(v) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  Vertices order(a.order.size());
  for (std::uint32_t v : a.order) {
    cancel.pass();
    order[begin[key(v)]++] = v;
  }
  return order;
}

// Two sides that no edge joins, and between them the separator.
class Split {
 public:
  enum Side : std::uint8_t { kFirst, kSecond, kSeparator };

  // The best cut of a sequence of all vertices. Vertices before the cut are the first side; those after it
  // with a neighbour there are the separator.
  Split(const Graph& graph, const Vertices& sequence, CancelPoint& cancel)
      : graph_(&graph), side_(graph.size(), kSecond) {
    const std::size_t n = graph.size();
    Vertices index_of(n);
    for (std::uint32_t k = 0; k < n; ++k) index_of[sequence[k]] = k;
    // A vertex is in the separators of cuts after its first neighbour and before itself.
    std::vector<int> change(n + 1, 0);
    for (std::uint32_t v = 0; v < n; ++v) {
      cancel.pass();
      std::uint32_t first = index_of[v];
      for (std::uint32_t u : graph[v]) first = std::min(first, index_of[u]);
      if (first == index_of[v]) continue;
      ++change[first + 1];
      if (index_of[v] + 1 < n) --change[index_of[v] + 1];
    }
    std::size_t cut = n / 2;
    double least = std::numeric_limits<double>::infinity();
    int width = 0;
    for (std::size_t k = 0; k < n; ++k) {
      width += change[k];
      const auto separator = static_cast<std::size_t>(width);
      const std::size_t larger = std::max(k, n - k - separator);
      if (!allowed(larger) || !(cost(separator, larger) < least)) continue;
      least = cost(separator, larger);
      cut = k;
    }
    for (std::size_t k = 0; k < n; ++k) {
      cancel.pass();
      const std::uint32_t v = sequence[k];
      const auto joined = graph[v];
      if (k < cut) {
        side_[v] = kFirst;
      } else if (std::any_of(joined.begin(), joined.end(),
                             [&](std::uint32_t u) { return index_of[u] < cut; })) {
        side_[v] = kSeparator;
      }
      ++size_[side_[v]];
    }
  }

  Side operator[](std::uint32_t v) const { return side_[v]; }
  /// Order of cuts: by the size of the separator, then by balance.
  double cost() const { return cost(size_[kSeparator], std::max(size_[kFirst], size_[kSecond])); }

  // Shrinks the separator by moving single vertices of it to one side, which adds their neighbours on the
  // other side [Fiduccia 1982; for separators Ashcraft 1998]. A pass continues through worse separators for a
  // while and returns to the best.
  void refine(CancelPoint& cancel) {
    for (int pass = 0; pass < kMaxPasses && improve(cancel); ++pass) {
    }
  }

 private:
  struct Move {
    int gain;
    std::uint32_t vertex;
    Side to;
    bool operator<(const Move& b) const { return gain != b.gain ? gain < b.gain : vertex > b.vertex; }
  };

  double cost(std::size_t separator, std::size_t larger) const {
    return static_cast<double>(separator) * static_cast<double>(graph_->size() + 2 * larger);
  }
  bool allowed(std::size_t larger) const {
    return static_cast<double>(larger) <= kLargestSide * static_cast<double>(graph_->size());
  }

  static Side other(Side side) { return side == kFirst ? kSecond : kFirst; }

  int gain(std::uint32_t v, Side to) const {
    int drawn = 0;
    for (std::uint32_t u : (*graph_)[v]) drawn += side_[u] == other(to);
    return 1 - drawn;
  }

  void change(std::uint32_t v, Side to) {
    --size_[side_[v]];
    side_[v] = to;
    ++size_[to];
  }

  // One pass; false without improvement.
  bool improve(CancelPoint& cancel) {
    std::vector<bool> moved(graph_->size(), false);
    std::priority_queue<Move> queue;
    const auto offer = [&](std::uint32_t v) {
      cancel.pass();
      if (moved[v] || side_[v] != kSeparator) return;
      for (Side to : {kFirst, kSecond}) queue.push({gain(v, to), v, to});
    };
    for (std::uint32_t v = 0; v < graph_->size(); ++v) offer(v);

    // The changes so far, `kept` of them up to the best separator.
    struct Change {
      std::uint32_t vertex;
      Side before;
    };
    std::vector<Change> done;
    std::size_t kept = 0;
    const double start = cost();
    double least = start;
    for (std::size_t in_vain = 0; in_vain < kMovesInVain && !queue.empty();) {
      const auto [its_gain, v, to] = queue.top();
      queue.pop();
      if (moved[v] || side_[v] != kSeparator || gain(v, to) != its_gain) continue;  // out of date
      if (!allowed(size_[to] + 1)) continue;
      // Moves v; its neighbours on the other side enter the separator.
      moved[v] = true;
      done.push_back({v, kSeparator});
      change(v, to);
      for (std::uint32_t u : (*graph_)[v]) {
        if (side_[u] == other(to)) {
          done.push_back({u, side_[u]});
          change(u, kSeparator);
          for (std::uint32_t w : (*graph_)[u]) offer(w);
        }
        offer(u);
      }
      ++in_vain;
      if (cost() < least) {
        least = cost();
        kept = done.size();
        in_vain = 0;
      }
    }
    // Returns to the best.
    for (; done.size() > kept; done.pop_back()) change(done.back().vertex, done.back().before);
    return least < start;
  }

  const Graph* graph_;
  std::vector<Side> side_;
  std::array<std::size_t, 3> size_{};
};

class Dissection {
 public:
  Dissection(const Graph& whole, CancelPoint& cancel)
      : order(whole.size()), whole_(whole), cancel_(cancel), local_(whole.size(), kNoVertex) {
    // Vertices with very many neighbours are ordered last.
    const double many = std::max(16.0, 10 * std::sqrt(static_cast<double>(whole.size())));
    Vertices rest, dense;
    for (std::uint32_t v = 0; v < whole.size(); ++v)
      (static_cast<double>(whole[v].size()) > many ? dense : rest).push_back(v);
    std::copy(dense.begin(), dense.end(), order.begin() + static_cast<std::ptrdiff_t>(rest.size()));
    dissect(piece(rest), std::span(order).first(rest.size()));
  }

  Vertices order;

 private:
  // The part of the whole graph on some vertices.
  Part piece(const Vertices& vertices) {
    Part part;
    part.vertex = vertices;
    part.graph.begin.reserve(vertices.size() + 1);
    for (std::uint32_t k = 0; k < vertices.size(); ++k) local_[vertices[k]] = k;
    for (std::uint32_t v : vertices) {
      cancel_.pass();
      for (std::uint32_t u : whole_[v])
        if (local_[u] != kNoVertex) part.graph.items.push_back(local_[u]);
      part.graph.begin.push_back(static_cast<std::uint32_t>(part.graph.items.size()));
    }
    for (std::uint32_t v : vertices) local_[v] = kNoVertex;
    return part;
  }

  void dissect(Part part, std::span<std::uint32_t> to) {
    if (part.vertex.size() <= kSmallPart) return by_minimum_degree(part, to);
    const Distances any = search(part.graph, 0, cancel_);
    if (any.order.size() < part.vertex.size()) return by_component(part, to);
    const Split split = separate(part.graph, any.order.back());
    std::array<Vertices, 3> vertices;
    for (std::uint32_t v = 0; v < part.vertex.size(); ++v) vertices[split[v]].push_back(part.vertex[v]);
    part = {};
    const auto& [first, second, separator] = vertices;
    std::copy(separator.begin(), separator.end(), to.last(separator.size()).begin());
    dissect(piece(first), to.first(first.size()));
    dissect(piece(second), to.subspan(first.size(), second.size()));
  }

  void by_component(const Part& part, std::span<std::uint32_t> to) {
    Distances found{{}, Vertices(part.vertex.size(), kNoVertex)};
    Vertices& component = found.order;
    for (std::uint32_t start = 0; start < part.vertex.size(); ++start) {
      if (found.distance[start] != kNoVertex) continue;
      search(part.graph, start, cancel_, found);
      for (std::uint32_t& v : component) v = part.vertex[v];
      dissect(piece(component), to.first(component.size()));
      to = to.subspan(component.size());
    }
  }

  // The best of the cuts across the distance from one far corner and from one to another.
  Split separate(const Graph& graph, std::uint32_t rim) {
    std::vector<Distances> from;
    std::vector<Split> splits;
    Vertices nearest(graph.size(), kNoVertex);  // distance to the nearest corner so far
    for (std::uint32_t corner = rim; from.size() < kCorners;) {
      from.push_back(search(graph, corner, cancel_));
      const Distances& last = from.back();
      splits.emplace_back(graph, last.order, cancel_);
      for (std::size_t k = 0; k + 1 < from.size(); ++k)
        splits.emplace_back(graph, between(from[k], last, cancel_), cancel_);
      for (std::uint32_t v = 0; v < graph.size(); ++v) {
        nearest[v] = std::min(nearest[v], last.distance[v]);
        if (nearest[v] > nearest[corner]) corner = v;
      }
    }
    const auto better = [](const Split& a, const Split& b) { return a.cost() < b.cost(); };
    std::stable_sort(splits.begin(), splits.end(), better);
    for (std::size_t k = 0; k < kRefined; ++k) splits[k].refine(cancel_);
    return *std::min_element(splits.begin(), splits.begin() + kRefined, better);
  }

  // Minimum degree; neighbours in the separators around the part count, though they are eliminated later.
  // Rows are bit sets, since the parts are small.
  void by_minimum_degree(const Part& part, std::span<std::uint32_t> to) {
    // Local numbers: the part, then its neighbours around it.
    const std::size_t n = part.vertex.size();
    Vertices around;
    for (std::uint32_t k = 0; k < n; ++k) local_[part.vertex[k]] = k;
    for (std::uint32_t v : part.vertex) {
      for (std::uint32_t u : whole_[v]) {
        if (local_[u] != kNoVertex) continue;
        local_[u] = static_cast<std::uint32_t>(n + around.size());
        around.push_back(u);
      }
    }
    // The neighbours of every vertex of the part, as bits.
    const std::size_t words = (n + around.size() + 63) / 64;
    std::vector<std::uint64_t> bits(n * words, 0);
    const auto row = [&](std::size_t k) { return std::span(bits).subspan(k * words, words); };
    const auto bit = [](std::size_t k) { return std::uint64_t{1} << (k % 64); };
    Vertices degree(n);
    for (std::size_t k = 0; k < n; ++k) {
      const auto joined = whole_[part.vertex[k]];
      for (std::uint32_t u : joined) row(k)[local_[u] / 64] |= bit(local_[u]);
      degree[k] = static_cast<std::uint32_t>(joined.size());
    }
    for (std::uint32_t v : part.vertex) local_[v] = kNoVertex;
    for (std::uint32_t v : around) local_[v] = kNoVertex;

    // Eliminates a vertex of least degree; its neighbours become joined to each other.
    for (std::uint32_t& v : to) {
      const auto k =
          static_cast<std::size_t>(std::min_element(degree.begin(), degree.end()) - degree.begin());
      v = part.vertex[k];
      degree[k] = kNoVertex;
      for (std::size_t u = 0; u < n; ++u) {
        if ((row(k)[u / 64] & bit(u)) == 0) continue;
        cancel_.pass();
        std::uint32_t count = 0;
        for (std::size_t w = 0; w < words; ++w) {
          row(u)[w] |= row(k)[w];
          count += static_cast<std::uint32_t>(std::popcount(row(u)[w]));
        }
        row(u)[k / 64] &= ~bit(k);
        row(u)[u / 64] &= ~bit(u);
        degree[u] = count - 2;
      }
    }
  }

  const Graph& whole_;
  CancelPoint& cancel_;
  Vertices local_;  // scratch: vertex of the whole -> of the current part, or kNoVertex
};

}  // namespace

std::vector<std::uint32_t> nested_dissection(const Graph& graph, const StopProbe& stop) {
  CancelPoint cancel(stop);
  return Dissection(graph, cancel).order;
}

}  // namespace clothlab
