// SPDX-License-Identifier: MIT
#include "linalg/row_space.h"

#include <cassert>

namespace clothlab {

void RowFilter::assign(const SpringPattern& pattern, const Projection& projection) {
  assert(projection.size() == pattern.particles());
  const std::span<const Projection::Entry> constrained = projection.entries();
  entries_.items.clear();
  entries_.begin.assign(pattern.chunk_begin.size(), 0);
  if (constrained.empty()) return;
  // Sorted by row in time linear in the rows.
  constexpr std::uint32_t kNoEntry = 0;
  entry_of_row_.assign(pattern.particles(), kNoEntry);
  for (std::uint32_t k = 0; k < constrained.size(); ++k)
    entry_of_row_[pattern.row[constrained[k].particle]] = k + 1;
  for (std::size_t chunk = 0; chunk < pattern.chunks(); ++chunk) {
    for (std::uint32_t row = pattern.chunk_begin[chunk]; row < pattern.chunk_begin[chunk + 1]; ++row) {
      if (entry_of_row_[row] == kNoEntry) continue;
      const Projection::Entry& entry = constrained[entry_of_row_[row] - 1];
      entries_.items.push_back({row, entry.S, entry.S == mat3(0.0), entry.passing});
    }
    entries_.begin[chunk + 1] = static_cast<std::uint32_t>(entries_.items.size());
  }
}

void RowFilter::filter(std::size_t chunk, Padded* a) const {
  for (const Entry& entry : entries_[chunk])
    a[entry.row] = entry.fixed ? Padded{} : padded(entry.S * unpadded(a[entry.row]));
}

}  // namespace clothlab
