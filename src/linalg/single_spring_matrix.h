// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/worker_pool.h"
#include "linalg/registers.h"
#include "linalg/spring_matrix.h"
#include "linalg/spring_product.h"
#include "linalg/vectors.h"

namespace clothlab {

/// A SpringMatrix in single precision, for preconditioners: half the bytes, and two springs fit one register.
/// A is scaled by a power of two, so that its values stay within the range.
///
/// A spring acts on the difference of its ends, so common motion keeps its accuracy for any stiffness
/// relative to the masses, unlike with stored blocks.
class SingleSpringMatrix {
 public:
  /// Selects the springs with kept[slot]. Throws Cancelled.
  void choose(const SpringPattern& pattern, const std::vector<char>& kept, CancelPoint& cancel);
  /// Adopts the scale of A, which has the pattern of `choose`.
  void start(const SpringMatrix& A);
  /// Copies the rows of one chunk of scale() A, with the kept springs only.
  void assign(std::size_t chunk);

  /// The slots of the springs that the rows of a chunk keep, ascending.
  std::span<const std::uint32_t> kept(std::size_t chunk) const {
    const std::uint32_t first = begin_[pattern_->chunk_begin[chunk]];
    return {slot_.data() + first, begin_[pattern_->chunk_begin[chunk + 1]] - first};
  }

  double scale() const { return root_ * root_; }

  /// Calls finish(i, (scale() A x)_i) for every row i of the chunk, ascending. `finish` may write to any
  /// vector but x at row i. `sums` is scratch on the rows of the chunk; it may be the vector that finish(i)
  /// writes. Chunks may run concurrently.
  template <class Finish>
  void multiply_chunk(std::size_t chunk, const SingleVector& x, SingleVector& sums,
                      const Finish& finish) const {
    with_best_registers([&](auto registers) {
      multiply_rows<typename decltype(registers)::Eight>(chunk, x.data(), sums.data(), finish);
    });
  }

 private:
  // sums := the terms of springs from other chunks and of stencils on the rows up to `end`.
  void begin_rows(std::uint32_t end, BegunRows& begun, const Quad* x, Quad* sums) const {
    const std::uint32_t first = begun.begin(
        end, [&](std::uint32_t row) { sums[row] = Quad{}; },
        [&](const SpringPattern::Incoming& in) {
          sums[in.upper] = sums[in.upper] - spring_force(springs_[in.slot], x[in.lower] - x[in.upper]);
        });
    A_->for_stencil_forces(
        first, end, [&](std::uint32_t row) { return vec3(x[row][0], x[row][1], x[row][2]); },
        [&](std::uint32_t row, const vec3& f) { sums[row] = sums[row] + single(scale() * f); });
  }

  // Two springs share a register, so slots alternate between two sums.
  template <class Eight, class Finish>
  void multiply_rows(std::size_t chunk, const Quad* x_of, Quad* sums, const Finish& finish) const {
    BegunRows begun{pattern_->chunk_begin[chunk], incoming_[chunk]};
    std::uint32_t i = begun.row;
    const std::uint32_t* upper = upper_.data() + begin_[i];  // of the next spring
    const Quad* spring = springs_.data() + begin_[i];
    for (const SpringPattern::Block& block : pattern_->blocks[chunk]) {
      begin_rows(block.reach, begun, x_of, sums);
      for (const std::uint32_t end = block.end; i < end; ++i) {
        const Quad x = x_of[i];
        const Eight xx = joined<Eight>(x, x);
        Eight sum{};
        // The forces of the next two springs, which end at rows j and k.
        const auto both = [&](std::size_t j, std::size_t k) CLOTHLAB_INLINED {
          prefetch_next_page(spring);
          const Eight f = spring_force(load_unaligned<Eight>(spring), xx - joined<Eight>(x_of[j], x_of[k]));
          upper += 2;
          spring += 2;
          return f;
        };
        // The force of the next spring, which ends at row j.
        const auto one = [&](std::size_t j) {
          ++upper;
          return spring_force(*spring++, x - x_of[j]);
        };
        const auto add_low = [&](Quad f) { sum = joined<Eight>(low(sum) + f, high(sum)); };
        const std::uint32_t* outer = upper_.data() + outer_[i];
        const std::uint32_t* last = upper_.data() + begin_[i + 1];
        // Inner springs: added to both rows.
        while (outer - upper >= 2) {
          const std::size_t j = upper[0], k = upper[1];
          const Eight f = both(j, k);
          sum = sum + f;
          sums[j] = sums[j] - low(f);
          sums[k] = sums[k] - high(f);
        }
        if (upper < outer) {
          const std::size_t j = *upper;
          const Quad f = one(j);
          add_low(f);
          sums[j] = sums[j] - f;
        }
        // Outer springs: the other chunk computes its own end.
        while (last - upper >= 2) sum = sum + both(upper[0], upper[1]);
        if (upper < last) add_low(one(*upper));
        // The row is complete, with the terms from lower rows.
        finish(i, without_fourth(sums[i] + diagonal_[i] * x + (low(sum) + high(sum))));
      }
    }
  }

  const SpringMatrix* A_ = nullptr;
  const SpringPattern* pattern_ = nullptr;
  // The kept springs, as in the pattern; `slot_` has their slots there.
  std::vector<std::uint32_t> begin_, outer_, upper_, slot_;
  CompressedRows<SpringPattern::Incoming> incoming_;  // its slots count the kept springs
  double root_ = 1;                                   // of the scale
  std::vector<Quad> springs_;
  std::vector<float> diagonal_;  // by row
};

}  // namespace clothlab
