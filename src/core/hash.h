// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "core/vec.h"

namespace clothlab {

/// A 64-bit fingerprint of a sequence of numbers, the same on every machine and in every build: of the bits
/// of the values (0.0 and -0.0 differ) in their order. For golden tests and for comparing runs; not
/// cryptographic.
///
/// Each word is mixed in with a multiply-xorshift round (the finaliser of MurmurHash3 [Appleby 2011]),
/// so that one changed bit changes about half of the result.
class Hash {
 public:
  Hash& add(std::uint64_t word) {
    state_ ^= word;
    state_ ^= state_ >> 33;
    state_ *= 0xff51afd7ed558ccdULL;
    state_ ^= state_ >> 33;
    state_ *= 0xc4ceb9fe1a85ec53ULL;
    state_ ^= state_ >> 33;
    state_ += 0x9e3779b97f4a7c15ULL;  // a sequence of zero words must not stay at zero
    return *this;
  }
  Hash& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
  Hash& add(const vec3& v) { return add(v.x).add(v.y).add(v.z); }
  Hash& add(std::span<const double> values) {
    for (double value : values) add(value);
    return *this;
  }
  Hash& add(std::span<const vec3> values) {
    for (const vec3& value : values) add(value);
    return *this;
  }

  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace clothlab
