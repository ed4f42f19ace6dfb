// SPDX-License-Identifier: MIT
#include "integrate/colouring.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace clothlab {

CompressedRows<SpringLink> spring_links(const ElasticElements& springs, std::size_t particles,
                                        CancelPoint& cancel) {
  CompressedRows<SpringLink> links;
  links.fill(particles, [&](const auto& add) {
    for (std::uint32_t s = 0; s < springs.size(); ++s) {
      cancel.pass();
      const ElasticElement e = springs[s];
      add(e.i, {e.rest_length, e.j, s});
      add(e.j, {e.rest_length, e.i, s});
    }
  });
  return links;
}

template <class Taken, class Take>
void Colouring::colour(std::size_t n, std::size_t particles, CancelPoint& cancel, const Taken& taken_by,
                       const Take& take) {
  // 64 colours at a time: those without a free one wait for the next 64.
  std::vector<std::uint64_t> taken(particles);
  std::vector<std::uint32_t> colour_of(n), left(n), waiting;
  std::iota(left.begin(), left.end(), 0u);
  begin_.assign(1, 0);
  for (std::uint32_t first_colour = 0; !left.empty(); first_colour += 64) {
    std::ranges::fill(taken, 0);
    waiting.clear();
    for (const std::uint32_t s : left) {
      cancel.pass();
      const std::uint64_t free = ~taken_by(s, taken);
      if (free == 0) {
        waiting.push_back(s);
        continue;
      }
      const std::uint64_t bit = free & -free;  // the lowest
      take(s, bit, taken);
      colour_of[s] = first_colour + static_cast<std::uint32_t>(std::countr_zero(bit));
      if (colour_of[s] + 2 > begin_.size()) begin_.resize(colour_of[s] + 2, 0);
      ++begin_[colour_of[s] + 1];
    }
    left.swap(waiting);
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());

  cancel.poll();
  order_.resize(n);
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t s = 0; s < n; ++s) order_[next[colour_of[s]]++] = s;
}

void SpringColouring::update(const DynamicSystem& system, const StopProbe& stop) {
  if (pattern_ == system.pattern()) return;
  pattern_.reset();  // until all is done
  const ElasticElements springs = system.elements();
  CancelPoint cancel(stop);
  colour(
      springs.size(), system.size(), cancel,
      [&](std::uint32_t s, const std::vector<std::uint64_t>& taken) {
        const ElasticElement e = springs[s];
        return taken[e.i] | taken[e.j];
      },
      [&](std::uint32_t s, std::uint64_t bit, std::vector<std::uint64_t>& taken) {
        const ElasticElement e = springs[s];
        taken[e.i] |= bit;
        taken[e.j] |= bit;
      });
  pattern_ = system.pattern();
}

void ParticleColouring::update(const DynamicSystem& system, const StopProbe& stop) {
  if (pattern_ == system.pattern()) return;
  pattern_.reset();  // until all is done
  CancelPoint cancel(stop);
  links_ = spring_links(system.elements(), system.size(), cancel);
  colour(
      system.size(), system.size(), cancel,
      [&](std::uint32_t i, const std::vector<std::uint64_t>& taken) {
        std::uint64_t of_neighbours = 0;
        for (const SpringLink& link : links(i)) of_neighbours |= taken[link.other];
        return of_neighbours;
      },
      [&](std::uint32_t i, std::uint64_t bit, std::vector<std::uint64_t>& taken) { taken[i] = bit; });
  pattern_ = system.pattern();
}

}  // namespace clothlab
