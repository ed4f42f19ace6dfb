// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/worker_pool.h"

namespace clothlab {

/// all := everything that each(i, found) appends to `found`, for every i below n, in the order of i. Chunks
/// of `grain` run concurrently; `by_chunk` is scratch memory.
template <class Item, class Each>
void collect(WorkerPool& pool, std::size_t n, std::size_t grain, std::vector<std::vector<Item>>& by_chunk,
             std::vector<Item>& all, const Each& each) {
  const std::size_t chunks = (n + grain - 1) / grain;
  by_chunk.resize(std::max(by_chunk.size(), chunks));
  pool.for_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<Item>& found = by_chunk[begin / grain];
    found.clear();
    for (std::size_t i = begin; i < end; ++i) each(i, found);
  });
  all.clear();
  for (std::size_t c = 0; c < chunks; ++c) all.insert(all.end(), by_chunk[c].begin(), by_chunk[c].end());
}

}  // namespace clothlab
