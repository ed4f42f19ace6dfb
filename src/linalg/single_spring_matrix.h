// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/worker_pool.h"
#include "linalg/spring_matrix.h"
#include "linalg/vectors.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define CLOTHLAB_AVX2_PRODUCT
#include <immintrin.h>
#endif

namespace clothlab {

/// A SpringMatrix in single precision, for the inside of a preconditioner: half the bytes, and two springs
/// fit one register. A is scaled by a power of two, so that no magnitude of it leaves the range.
///
/// A spring acts on the difference of its ends, so common motion keeps its accuracy for any stiffness
/// relative to the masses, unlike with stored blocks.
class SingleSpringMatrix {
 public:
  /// Selects the springs with kept[slot]. Throws Cancelled when the probe asks.
  void choose(const SpringPattern& pattern, const std::vector<char>& kept, CancelPoint& cancel);
  /// Adopts the scale of A, which has the pattern of `choose`.
  void start(const SpringMatrix& A);
  /// Copies the rows of one chunk of scale() A, without the springs that are not kept.
  void assign(std::size_t chunk);

  /// The slots of the springs that the rows of a chunk keep, ascending.
  std::span<const std::uint32_t> kept(std::size_t chunk) const {
    const std::uint32_t first = begin_[pattern_->chunk_begin[chunk]];
    return {slot_.data() + first, begin_[pattern_->chunk_begin[chunk + 1]] - first};
  }

  double scale() const { return root_ * root_; }
  std::size_t size() const { return diagonal_.size(); }

  /// Calls finish(i, (scale() A x)_i) for every row i of the chunk, ascending. `finish` may write to any
  /// vector but x at row i. `sums` is scratch on the rows of the chunk; it may be the vector that finish(i)
  /// writes. Chunks may run concurrently.
  template <class Finish>
  void multiply_chunk(std::size_t chunk, const SingleVector& x, SingleVector& sums,
                      const Finish& finish) const {
#if defined(CLOTHLAB_AVX2_PRODUCT)
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return multiply_rows_avx2(chunk, x, sums, finish);
#endif
    multiply_rows(chunk, x, sums, finish);
  }

 private:
  // A spring's block is u uᵀ + b I: u, then b.
  static Quad force(Quad ub, Quad difference) {
    const Quad products = ub * difference;  // the fourth is b times 0
    const float along = (products[0] + products[2]) + (products[1] + products[3]);
    return along * ub + ub[3] * difference;
  }

  // How far a product has begun the rows of a chunk.
  struct Begun {
    std::uint32_t row, incoming;
  };
  Begun begin_of(std::size_t chunk) const { return {pattern_->chunk_begin[chunk], incoming_begin_[chunk]}; }
  // sums := the terms of springs from other chunks and of stencils on the rows up to `end`.
  void begin_rows(std::uint32_t end, Begun& begun, const SingleVector& x, SingleVector& sums) const {
    const std::uint32_t begin = begun.row;
    for (; begun.row < end; ++begun.row) sums[begun.row] = zero_quad();
    for (; begun.incoming < incoming_.size() && incoming_[begun.incoming].upper < end; ++begun.incoming) {
      const SpringPattern::Incoming& in = incoming_[begun.incoming];
      sums[in.upper] = sums[in.upper] - force(springs_[in.slot], x[in.lower] - x[in.upper]);
    }
    A_->for_stencil_forces(
        begin, end, [&](std::uint32_t row) { return vec3(x[row][0], x[row][1], x[row][2]); },
        [&](std::uint32_t row, const vec3& f) { sums[row] = sums[row] + single(scale() * f); });
  }

  template <class Finish>
  void multiply_rows(std::size_t chunk, const SingleVector& x_of, SingleVector& sums,
                     const Finish& finish) const {
    Begun begun = begin_of(chunk);
    std::uint32_t i = begun.row;
    for (const SpringPattern::Block& block : pattern_->blocks_of(chunk)) {
      begin_rows(block.reach, begun, x_of, sums);
      for (; i < block.end; ++i) {
        const Quad x = x_of[i];
        // Slots alternate between two sums, as in the AVX2 kernel, where two springs share a register.
        Quad sum[2] = {zero_quad(), zero_quad()};
        int side = 0;
        std::uint32_t k = begin_[i];
        for (; k < outer_[i]; ++k, side ^= 1) {
          const Quad f = force(springs_[k], x - x_of[upper_[k]]);
          sum[side] = sum[side] + f;
          sums[upper_[k]] = sums[upper_[k]] - f;
        }
        for (side = 0; k < begin_[i + 1]; ++k, side ^= 1) {
          sum[side] = sum[side] + force(springs_[k], x - x_of[upper_[k]]);
        }
        const Quad total = sums[i] + diagonal_[i] * x + (sum[0] + sum[1]);
        finish(i, without_fourth(total));
      }
    }
  }

#if defined(CLOTHLAB_AVX2_PRODUCT)
  // Distance of software prefetches: hardware prefetchers stop at the end of a page.
  static constexpr std::size_t kAheadBytes = 4096;

  // The same operations in the same order, nothing fused, so the same bits.
  template <class Finish>
  __attribute__((target("avx2"), flatten)) void multiply_rows_avx2(std::size_t chunk,
                                                                   const SingleVector& x_of,
                                                                   SingleVector& sums_of,
                                                                   const Finish& finish) const {
    const float* xs = reinterpret_cast<const float*>(x_of.data());
    float* sums = reinterpret_cast<float*>(sums_of.data());
    Begun begun = begin_of(chunk);
    std::uint32_t i = begun.row;
    const std::uint32_t* upper = upper_.data() + begin_[i];  // of the next spring
    const float* spring = reinterpret_cast<const float*>(springs_.data() + begin_[i]);
    for (const SpringPattern::Block& block : pattern_->blocks_of(chunk)) {
      begin_rows(block.reach, begun, x_of, sums_of);
      for (const std::uint32_t end = block.end; i < end; ++i) {
        const __m128 x = _mm_load_ps(xs + 4 * std::size_t{i});
        const __m256 xx = _mm256_set_m128(x, x);
        __m256 sum = _mm256_setzero_ps();
        // The forces of the next two springs, which end at rows j and k.
        const auto both = [&](std::size_t j, std::size_t k) __attribute__((target("avx2"), always_inline)) {
          _mm_prefetch(reinterpret_cast<const char*>(spring) + kAheadBytes, _MM_HINT_T0);
          const __m256 ub = _mm256_loadu_ps(spring);
          const __m256 d =
              _mm256_sub_ps(xx, _mm256_set_m128(_mm_load_ps(xs + 4 * k), _mm_load_ps(xs + 4 * j)));
          const __m256 products = _mm256_mul_ps(ub, d);
          const __m256 pairs = _mm256_add_ps(products, _mm256_permute_ps(products, 0b01'00'11'10));
          const __m256 along = _mm256_add_ps(pairs, _mm256_permute_ps(pairs, 0b10'11'00'01));
          upper += 2;
          spring += 8;
          return _mm256_add_ps(_mm256_mul_ps(along, ub), _mm256_mul_ps(_mm256_permute_ps(ub, 0xff), d));
        };
        // The force of the next spring, which ends at row j.
        const auto one = [&](std::size_t j) __attribute__((target("avx2"), always_inline)) {
          const __m128 ub = _mm_load_ps(spring);
          const __m128 d = _mm_sub_ps(x, _mm_load_ps(xs + 4 * j));
          const __m128 products = _mm_mul_ps(ub, d);
          const __m128 pairs = _mm_add_ps(products, _mm_permute_ps(products, 0b01'00'11'10));
          const __m128 along = _mm_add_ps(pairs, _mm_permute_ps(pairs, 0b10'11'00'01));
          ++upper;
          spring += 4;
          return _mm_add_ps(_mm_mul_ps(along, ub), _mm_mul_ps(_mm_permute_ps(ub, 0xff), d));
        };
        const auto subtract = [&](std::size_t j, __m128 f) __attribute__((target("avx2"), always_inline)) {
          _mm_store_ps(sums + 4 * j, _mm_sub_ps(_mm_load_ps(sums + 4 * j), f));
        };
        const auto add_low = [&](__m128 f) __attribute__((target("avx2"), always_inline)) {
          sum = _mm256_insertf128_ps(sum, _mm_add_ps(_mm256_castps256_ps128(sum), f), 0);
        };
        const std::uint32_t* outer = upper_.data() + outer_[i];
        const std::uint32_t* last = upper_.data() + begin_[i + 1];
        // Inner springs, two at a time: added to both rows.
        while (outer - upper >= 2) {
          const std::size_t j = upper[0], k = upper[1];
          const __m256 f = both(j, k);
          sum = _mm256_add_ps(sum, f);
          subtract(j, _mm256_castps256_ps128(f));
          subtract(k, _mm256_extractf128_ps(f, 1));
        }
        if (upper < outer) {
          const std::size_t j = *upper;
          const __m128 f = one(j);
          add_low(f);
          subtract(j, f);
        }
        // Outer springs: the other chunk computes its own end.
        while (last - upper >= 2) sum = _mm256_add_ps(sum, both(upper[0], upper[1]));
        if (upper < last) add_low(one(*upper));
        // The row is complete: both lanes, d_i x_i and the terms from lower rows.
        const __m128 own = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
        const __m128 scaled = _mm_mul_ps(_mm_set1_ps(diagonal_[i]), x);
        const __m128 total = _mm_add_ps(_mm_add_ps(_mm_load_ps(sums + 4 * std::size_t{i}), scaled), own);
        finish(i, without_fourth(Quad(total)));
      }
    }
  }
#endif

  const SpringMatrix* A_ = nullptr;
  const SpringPattern* pattern_ = nullptr;
  // The kept springs, as in the pattern; `slot_` has their slots there.
  std::vector<std::uint32_t> begin_, outer_, upper_, slot_;
  std::vector<SpringPattern::Incoming> incoming_;  // its slots count the kept springs
  std::vector<std::uint32_t> incoming_begin_;
  double root_ = 1;  // of the scale
  std::vector<Quad> springs_;
  std::vector<float> diagonal_;  // by row
};

}  // namespace clothlab
