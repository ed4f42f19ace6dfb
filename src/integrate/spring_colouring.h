// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"

namespace clothlab {

/// A colouring of the springs: those of one colour share no particle, so threads can process them
/// concurrently and write to both ends, with the same bits for any number of threads.
///
/// Each spring, in the order of elements(), gets the first colour that neither of its particles has (greedy
/// colouring): at most 2d − 1 colours if no particle has more than d springs.
class SpringColouring {
 public:
  /// Springs per chunk of `sweep`, from the first of each colour.
  static constexpr std::size_t kGrain = 512;

  /// Colours the springs if the pattern has changed. Throws Cancelled.
  void update(const DynamicSystem& system, const StopProbe& stop);

  std::size_t colours() const { return begin_.size() - 1; }
  /// All springs, as indices into elements(): colour by colour, ascending in each.
  std::span<const std::uint32_t> order() const { return order_; }

  /// Calls body(first, last) for the range [first, last) of `order()`: colour after colour, the chunks of a
  /// colour concurrently. Throws Cancelled between two colours.
  template <class Body>
  void sweep(WorkerPool& pool, const StopProbe& stop, const Body& body) const {
    const CancelPoint cancel(stop);
    for (std::size_t colour = 0; colour < colours(); ++colour) {
      cancel.poll();
      const std::size_t begin = begin_[colour];
      pool.for_chunks(begin_[colour + 1] - begin, kGrain,
                      [&](std::size_t first, std::size_t last) { body(begin + first, begin + last); });
    }
  }

 private:
  std::shared_ptr<const SpringPattern> pattern_;  // of the springs that are coloured
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> begin_{0};  // colour -> its first index in order_; one more at the end
};

}  // namespace clothlab
