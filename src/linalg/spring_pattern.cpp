// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>

#include "core/cancel_point.h"
#include "core/disjoint_sets.h"
#include "linalg/nested_dissection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

namespace {

// A chunk is long enough for a thread, and there are enough chunks for 16 threads. More chunks would add
// outer springs, which are computed twice.
constexpr std::size_t kChunkRows = 256;
constexpr std::size_t kMaxChunks = 16;
constexpr std::uint32_t kBlockRows = 64;

// Cuts the mesh into compact chunks by recursive bisection along breadth-first layers, and keeps the layer
// order within a chunk. Deterministic: ties go by index.
class Ordering {
 public:
  Ordering(std::size_t particles, std::span<const SpringPattern::Pair> springs, CancelPoint& cancel)
      : order(particles),
        cancel_(cancel),
        graph_(graph_of_pairs(particles, springs, cancel)),
        label_(particles, 0) {
    std::iota(order.begin(), order.end(), 0u);
    const std::size_t chunks = std::clamp<std::size_t>(particles / kChunkRows, 1, kMaxChunks);
    chunk_begin.push_back(0);
    bisect(order, chunks);
  }

  std::vector<std::uint32_t> order;  // row -> particle
  std::vector<std::uint32_t> chunk_begin;

 private:
  void bisect(std::span<std::uint32_t> part, std::size_t chunks) {
    sort_by_layers(part);
    if (chunks == 1) {
      chunk_begin.push_back(chunk_begin.back() + static_cast<std::uint32_t>(part.size()));
      return;
    }
    const std::size_t middle = part.size() * (chunks / 2) / chunks;
    bisect(part.first(middle), chunks / 2);
    bisect(part.subspan(middle), chunks - chunks / 2);
  }

  // Reorders a part by distance from a particle at its rim, one connected piece after the other.
  void sort_by_layers(std::span<std::uint32_t> part) {
    const std::uint32_t unseen = ++fresh_;
    const std::uint32_t seen = ++fresh_;
    const std::uint32_t done = ++fresh_;
    for (std::uint32_t particle : part) label_[particle] = unseen;
    found_.clear();
    for (std::uint32_t particle : part) {
      if (label_[particle] != unseen) continue;
      const std::size_t piece = found_.size();
      search(particle, unseen, seen);
      const std::uint32_t rim = found_.back();
      found_.resize(piece);
      search(rim, seen, done);
    }
    std::copy(found_.begin(), found_.end(), part.begin());
  }

  // Appends to found_, breadth first, the particles labelled `from` that are reachable from `start`.
  void search(std::uint32_t start, std::uint32_t from, std::uint32_t to) {
    std::size_t head = found_.size();
    found_.push_back(start);
    label_[start] = to;
    for (; head < found_.size(); ++head) {
      cancel_.pass();
      for (const std::uint32_t j : graph_[found_[head]]) {
        if (label_[j] != from) continue;
        label_[j] = to;
        found_.push_back(j);
      }
    }
  }

  CancelPoint& cancel_;
  Graph graph_;
  std::vector<std::uint32_t> label_;  // particle -> its part so far
  std::vector<std::uint32_t> found_;
  std::uint32_t fresh_ = 0;
};

// Slots: springs by lower row, then upper row, then their own order.
void sort_springs(SpringPattern& p, std::span<const SpringPattern::Pair> springs, CancelPoint& cancel) {
  struct Sorted {
    std::uint32_t lower, upper, spring;
  };
  std::vector<Sorted> sorted(springs.size());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    cancel.pass();
    const auto [i, j] = springs[s];
    assert(i != j && i < p.particles() && j < p.particles());
    sorted[s] = {std::min(p.row[i], p.row[j]), std::max(p.row[i], p.row[j]), static_cast<std::uint32_t>(s)};
  }
  std::sort(sorted.begin(), sorted.end(), [&cancel](const Sorted& a, const Sorted& b) {
    cancel.pass();
    return std::tie(a.lower, a.upper, a.spring) < std::tie(b.lower, b.upper, b.spring);
  });
  p.slot.resize(springs.size());
  p.lower.resize(springs.size());
  p.upper.resize(springs.size());
  p.slot_begin.assign(p.particles() + 1, 0);
  for (std::uint32_t k = 0; k < sorted.size(); ++k) {
    cancel.pass();
    p.slot[sorted[k].spring] = k;
    p.lower[k] = sorted[k].lower;
    p.upper[k] = sorted[k].upper;
    ++p.slot_begin[sorted[k].lower + 1];
  }
  std::partial_sum(p.slot_begin.begin(), p.slot_begin.end(), p.slot_begin.begin());
}

void number_parts(SpringPattern& p, CancelPoint& cancel) {
  DisjointSets sets(p.particles());
  for (std::size_t k = 0; k < p.lower.size(); ++k) {
    cancel.pass();
    sets.join(p.lower[k], p.upper[k]);
  }
  p.parts = sets.number(p.part);
}

// Blocks, and the springs that reach a chunk from lower ones.
void cut_chunks(SpringPattern& p, CancelPoint& cancel) {
  p.slot_outer.resize(p.particles());
  std::vector<SpringPattern::Incoming> outer;
  for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk) {
    const std::uint32_t end = p.chunk_begin[chunk + 1];
    std::uint32_t reach = 0;
    for (std::uint32_t r = p.chunk_begin[chunk]; r < end; ++r) {
      cancel.pass();
      std::uint32_t k = p.slot_begin[r];
      for (; k < p.slot_begin[r + 1] && p.upper[k] < end; ++k) reach = std::max(reach, p.upper[k] + 1);
      p.slot_outer[r] = k;
      for (; k < p.slot_begin[r + 1]; ++k) outer.push_back({k, r, p.upper[k]});
      if (r + 1 == end || (r + 1) % kBlockRows == 0) {
        reach = std::max(reach, r + 1);
        p.blocks.items.push_back({r + 1, reach});
      }
    }
    p.blocks.begin.push_back(static_cast<std::uint32_t>(p.blocks.items.size()));
  }
  std::ranges::sort(outer, {}, [](const auto& spring) { return std::pair(spring.upper, spring.slot); });
  p.incoming.fill(p.chunks(), [&](const auto& add) {
    for (const SpringPattern::Incoming& spring : outer) add(p.chunk_of(spring.upper), spring);
  });
}

}  // namespace

std::shared_ptr<const SpringPattern> SpringPattern::build(std::size_t particles,
                                                          std::span<const Pair> springs,
                                                          const StopProbe& stop) {
  CancelPoint cancel(stop);
  const auto pattern = std::make_shared<SpringPattern>();
  SpringPattern& p = *pattern;
  {
    Ordering ordering(particles, springs, cancel);
    p.particle = std::move(ordering.order);
    p.chunk_begin = std::move(ordering.chunk_begin);
  }
  p.row.resize(particles);
  for (std::size_t r = 0; r < particles; ++r) p.row[p.particle[r]] = static_cast<std::uint32_t>(r);
  sort_springs(p, springs, cancel);
  number_parts(p, cancel);
  cut_chunks(p, cancel);
  return pattern;
}

std::size_t SpringPattern::chunk_of(std::size_t r) const {
  const auto next = std::upper_bound(chunk_begin.begin(), chunk_begin.end(), r);
  return static_cast<std::size_t>(next - chunk_begin.begin()) - 1;
}

}  // namespace clothlab
