// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/vec.h"

namespace clothlab {

/// A method's memory of earlier steps: a sequence of numbers that only the method interprets, without derived
/// data (factors, hierarchies, patterns). Empty at the start.
class Memory {
 public:
  Memory() = default;
  /// Sets all numbers, as `numbers` returned them.
  explicit Memory(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  bool empty() const { return numbers_.empty(); }
  std::span<const double> numbers() const { return numbers_; }

  /// Keeps the capacity.
  void clear() { numbers_.clear(); }
  void put(double number) { numbers_.push_back(number); }
  void put(std::span<const vec3> vectors);

 private:
  std::vector<double> numbers_;
};

/// Reads a Memory in the order in which it was written. Throws InputError if the numbers do not fit, as in
/// a damaged file.
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
