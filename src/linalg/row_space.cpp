// SPDX-License-Identifier: MIT
#include "linalg/row_space.h"

#include <algorithm>
#include <cassert>

namespace clothlab {

void RowFilter::assign(const SpringPattern& pattern, const Projection& projection) {
  assert(projection.size() == pattern.particles());
  entries_.clear();
  for (const Projection::Entry& entry : projection.entries()) {
    entries_.push_back({pattern.row[entry.particle], entry.S, entry.S == mat3(0.0), entry.passing});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
  chunk_begin_.clear();
  for (std::uint32_t begin : pattern.chunk_begin) {
    const auto first =
        std::lower_bound(entries_.begin(), entries_.end(), begin,
                         [](const Entry& entry, std::uint32_t row) { return entry.row < row; });
    chunk_begin_.push_back(static_cast<std::uint32_t>(first - entries_.begin()));
  }
}

void RowFilter::filter(std::size_t chunk, Padded* a) const {
  for (std::uint32_t k = chunk_begin_[chunk]; k < chunk_begin_[chunk + 1]; ++k) {
    const Entry& entry = entries_[k];
    a[entry.row] = entry.fixed ? Padded{} : padded(entry.S * unpadded(a[entry.row]));
  }
}

}  // namespace clothlab
