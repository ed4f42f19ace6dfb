#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/worker_pool.h"
#include "linalg/quad.h"
#include "linalg/spring_matrix.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define CLOTHLAB_AVX2_PRODUCT
#include <immintrin.h>
#endif

namespace clothlab {

/// One vector in single precision, by row.
using SingleVector = std::vector<Quad>;

/// A SpringMatrix in single precision, for the inside of a preconditioner: half the bytes, and two springs
/// fit one register. A is scaled by a power of two, so that no magnitude of it leaves the range.
///
/// A spring acts on the difference of its ends, so a motion of the whole costs no accuracy however stiff the
/// springs are beside the masses; that would not hold for stored blocks.
class SingleSpringMatrix {
 public:
  /// Takes over which springs to keep: those for which kept[slot] holds. Throws Cancelled when
  /// the probe asks.
  void choose(const SpringPattern& pattern, const std::vector<char>& kept, CancelPoint& cancel);
  /// Copies scale() A, without the springs that are not kept; A has the pattern chosen for.
  void assign(WorkerPool& pool, const SpringMatrix& A);

  /// The slots of the springs that the rows of a chunk keep, ascending.
  std::span<const std::uint32_t> kept(std::size_t chunk) const {
    const std::uint32_t first = begin_[pattern_->chunk_begin[chunk]];
    return {slot_.data() + first, begin_[pattern_->chunk_begin[chunk + 1]] - first};
  }

  double scale() const { return scale_; }
  std::size_t size() const { return diagonal_.size(); }

  /// Calls finish(i, (scale() A x)_i) for every row i of the chunk, ascending. It may write anything at row i
  /// but x. `sums` is scratch on the rows of the chunk, done with at row i when finish(i) is called: it may
  /// be what that writes. Chunks may run concurrently.
  template <class Finish>
  void multiply_chunk(std::size_t chunk, const SingleVector& x, SingleVector& sums,
                      const Finish& finish) const {
    receive(chunk, x, sums);
#if defined(CLOTHLAB_AVX2_PRODUCT)
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return own_springs_avx2(chunk, x.data(), sums.data(), finish);
#endif
    own_springs(chunk, x.data(), sums.data(), finish);
  }

 private:
  // A spring's block is u uᵀ + b I: u, then b.
  static Quad force(Quad ub, Quad difference) {
    const Quad products = ub * difference;  // the fourth is b times 0
    const float along = (products[0] + products[2]) + (products[1] + products[3]);
    return along * ub + ub[3] * difference;
  }

  // sums := what springs from other chunks and the stencils do to the rows of this one.
  void receive(std::size_t chunk, const SingleVector& x, SingleVector& sums) const;

  template <class Finish>
  void own_springs(std::size_t chunk, const Quad* x_of, Quad* sums, const Finish& finish) const {
    for (std::uint32_t i = pattern_->chunk_begin[chunk]; i < pattern_->chunk_begin[chunk + 1]; ++i) {
      const Quad x = x_of[i];
      // Slots alternate between two sums, as two springs share a register in the other kernel.
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

#if defined(CLOTHLAB_AVX2_PRODUCT)
  // The same operations in the same order, nothing fused, so the same bits.
  template <class Finish>
  __attribute__((target("avx2"))) void own_springs_avx2(std::size_t chunk, const Quad* x_of, Quad* sums_of,
                                                        const Finish& finish) const {
    const std::uint32_t* upper = upper_.data();
    const float* springs = reinterpret_cast<const float*>(springs_.data());
    const float* xs = reinterpret_cast<const float*>(x_of);
    float* sums = reinterpret_cast<float*>(sums_of);
    const std::uint32_t end = pattern_->chunk_begin[chunk + 1];
    for (std::uint32_t i = pattern_->chunk_begin[chunk]; i < end; ++i) {
      const __m128 x = _mm_load_ps(xs + 4 * std::size_t{i});
      const __m256 xx = _mm256_set_m128(x, x);
      __m256 sum = _mm256_setzero_ps();
      // The forces of slots k and k + 1.
      const auto both = [&](std::uint32_t k) __attribute__((target("avx2"), always_inline)) {
        const __m256 ub = _mm256_loadu_ps(springs + 4 * std::size_t{k});
        const __m256 ends = _mm256_set_m128(_mm_load_ps(xs + 4 * std::size_t{upper[k + 1]}),
                                            _mm_load_ps(xs + 4 * std::size_t{upper[k]}));
        const __m256 d = _mm256_sub_ps(xx, ends);
        const __m256 products = _mm256_mul_ps(ub, d);
        const __m256 pairs = _mm256_add_ps(products, _mm256_permute_ps(products, 0b01'00'11'10));
        const __m256 along = _mm256_add_ps(pairs, _mm256_permute_ps(pairs, 0b10'11'00'01));
        return _mm256_add_ps(_mm256_mul_ps(along, ub), _mm256_mul_ps(_mm256_permute_ps(ub, 0xff), d));
      };
      // The force of slot k in the lower half, zero above.
      const auto one = [&](std::uint32_t k) __attribute__((target("avx2"), always_inline)) {
        const __m128 ub = _mm_load_ps(springs + 4 * std::size_t{k});
        const __m128 d = _mm_sub_ps(x, _mm_load_ps(xs + 4 * std::size_t{upper[k]}));
        const __m128 products = _mm_mul_ps(ub, d);
        const __m128 pairs = _mm_add_ps(products, _mm_permute_ps(products, 0b01'00'11'10));
        const __m128 along = _mm_add_ps(pairs, _mm_permute_ps(pairs, 0b10'11'00'01));
        return _mm_add_ps(_mm_mul_ps(along, ub), _mm_mul_ps(_mm_permute_ps(ub, 0xff), d));
      };
      const auto take = [&](std::uint32_t k, __m128 f) __attribute__((target("avx2"), always_inline)) {
        float* at = sums + 4 * std::size_t{upper[k]};
        _mm_store_ps(at, _mm_sub_ps(_mm_load_ps(at), f));
      };
      const auto add_low = [&](__m128 f) __attribute__((target("avx2"), always_inline)) {
        sum = _mm256_insertf128_ps(sum, _mm_add_ps(_mm256_castps256_ps128(sum), f), 0);
      };
      const std::uint32_t outer = outer_[i], last = begin_[i + 1];
      std::uint32_t k = begin_[i];
      for (; k + 1 < outer; k += 2) {
        const __m256 f = both(k);
        sum = _mm256_add_ps(sum, f);
        take(k, _mm256_castps256_ps128(f));
        take(k + 1, _mm256_extractf128_ps(f, 1));
      }
      if (k < outer) {
        const __m128 f = one(k);
        add_low(f);
        take(k, f);
        ++k;
      }
      for (; k + 1 < last; k += 2) sum = _mm256_add_ps(sum, both(k));
      if (k < last) add_low(one(k));
      const __m128 own = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
      const __m128 scaled = _mm_mul_ps(_mm_set1_ps(diagonal_[i]), x);
      const __m128 total = _mm_add_ps(_mm_add_ps(_mm_load_ps(sums + 4 * std::size_t{i}), scaled), own);
      finish(i, without_fourth(Quad(total)));
    }
  }
#endif

  const SpringMatrix* A_ = nullptr;
  const SpringPattern* pattern_ = nullptr;
  // The kept springs, as in the pattern; `slot_` says which they are there.
  std::vector<std::uint32_t> begin_, outer_, upper_, slot_;
  std::vector<SpringPattern::Incoming> incoming_;  // its slots count the kept springs
  std::vector<std::uint32_t> incoming_begin_;
  double scale_ = 1;
  std::vector<Quad> springs_;
  std::vector<float> diagonal_;  // by row
};

}  // namespace clothlab
