// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace clothlab {

/// The same number in [-1, 1) for the same index on every machine (splitmix64) [Steele 2014].
inline double pseudo_random(std::uint64_t index) {
  std::uint64_t h = (index + 1) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  h ^= h >> 31;
  return static_cast<double>(h >> 11) * 0x1p-52 - 1.0;
}

}  // namespace clothlab
