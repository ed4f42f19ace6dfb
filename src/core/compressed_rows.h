// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace clothlab {

/// Lists of items, one for each row, one after the other: those of row r are items[begin[r]] to
/// items[begin[r + 1] − 1].
template <class Item>
struct CompressedRows {
  std::vector<std::uint32_t> begin{0};
  std::vector<Item> items;

  /// Replaces all lists: for_all(add) calls add(row, item) for every item, each time in the same order, which
  /// a row keeps. Allocates only if there are more than ever before.
  template <class ForAll>
  void fill(std::size_t rows, const ForAll& for_all) {
    // begin[r + 1] is first the beginning of row r, and then counts up to its end.
    begin.assign(rows + 2, 0);
    for_all([&](std::size_t row, const Item&) { ++begin[row + 2]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    items.resize(begin.back());
    for_all([&](std::size_t row, const Item& item) { items[begin[row + 1]++] = item; });
    begin.pop_back();
  }

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Item> operator[](std::size_t row) const {
    return std::span(items).subspan(begin[row], begin[row + 1] - begin[row]);
  }
};

}  // namespace clothlab
