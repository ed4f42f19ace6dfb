// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/vec.h"

namespace clothlab {

/// What a method remembers of earlier steps, written down: a sequence of numbers whose meaning is the
/// method's own. What can be computed anew (factors, hierarchies, patterns) is no part of it. Empty: nothing
/// is remembered, as at the start.
class Memory {
 public:
  Memory() = default;
  /// As `numbers` gave them.
  explicit Memory(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  bool empty() const { return numbers_.empty(); }
  std::span<const double> numbers() const { return numbers_; }

  /// Keeps its room.
  void clear() { numbers_.clear(); }
  void put(double number) { numbers_.push_back(number); }
  void put(std::span<const vec3> vectors);

 private:
  std::vector<double> numbers_;
};

/// Reads a Memory in the order in which it was put. Throws InputError where it holds something else, which
/// one from a file may.
class MemoryReader {
 public:
  /// `memory` must outlive this.
  explicit MemoryReader(const Memory& memory) : left_(memory.numbers()) {}

  bool at_end() const { return left_.empty(); }
  std::size_t left() const { return left_.size(); }
  /// The next number, of any value.
  double number();
  /// A whole number from 0 to `most`.
  std::size_t count(std::size_t most);
  /// As many vectors as `into` has.
  void vectors(std::span<vec3> into);

 private:
  std::span<const double> left_;
};

}  // namespace clothlab
