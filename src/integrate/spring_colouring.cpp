// SPDX-License-Identifier: MIT
#include "integrate/spring_colouring.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace clothlab {

void SpringColouring::update(const DynamicSystem& system, const StopProbe& stop) {
  if (pattern_ == system.pattern()) return;
  pattern_.reset();  // until all is done
  const ElasticElements springs = system.elements();
  CancelPoint cancel(stop);

  // 64 colours at a time: springs without a free one wait for the next 64.
  std::vector<std::uint64_t> taken(system.size());
  std::vector<std::uint32_t> colour_of(springs.size()), left(springs.size()), waiting;
  std::iota(left.begin(), left.end(), 0u);
  begin_.assign(1, 0);
  for (std::uint32_t first_colour = 0; !left.empty(); first_colour += 64) {
    std::ranges::fill(taken, 0);
    waiting.clear();
    for (const std::uint32_t s : left) {
      cancel.pass();
      const ElasticElement e = springs[s];
      const std::uint64_t free = ~(taken[e.i] | taken[e.j]);
      if (free == 0) {
        waiting.push_back(s);
        continue;
      }
      const std::uint64_t bit = free & -free;  // the lowest
      taken[e.i] |= bit;
      taken[e.j] |= bit;
      colour_of[s] = first_colour + static_cast<std::uint32_t>(std::countr_zero(bit));
      if (colour_of[s] + 2 > begin_.size()) begin_.resize(colour_of[s] + 2, 0);
      ++begin_[colour_of[s] + 1];
    }
    left.swap(waiting);
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());

  cancel.poll();
  order_.resize(springs.size());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t s = 0; s < springs.size(); ++s) order_[next[colour_of[s]]++] = s;
  pattern_ = system.pattern();
}

}  // namespace clothlab
