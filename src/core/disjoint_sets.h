// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace clothlab {

/// Disjoint sets of the numbers below n, represented by their least members.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n = 0) { reset(n); }
  /// Each number is alone.
  void reset(std::size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::size_t size() const { return parent_.size(); }

  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// False if they are in one set already.
  bool join(std::uint32_t i, std::uint32_t j) {
    const auto [low, high] = std::minmax({find(i), find(j)});
    parent_[high] = low;
    return low != high;
  }
  /// of[i] := the number of the set of i, counted from 0 by their least members. Returns how many there are.
  std::uint32_t number(std::vector<std::uint32_t>& of) {
    std::uint32_t sets = 0;
    of.resize(size());
    for (std::uint32_t i = 0; i < size(); ++i) of[i] = find(i) == i ? sets++ : of[find(i)];
    return sets;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace clothlab
