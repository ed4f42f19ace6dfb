// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "linalg/symmetric.h"
#include "linalg/vectors.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define CLOTHLAB_AVX2_BLOCKS
#include <immintrin.h>
#endif

namespace clothlab {

/// A symmetric matrix of symmetric 3x3 blocks, every block stored once.
struct BlockMatrix {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  /// The two nodes of a block; equal on the diagonal.
  using Nodes = std::array<std::uint32_t, 2>;

  std::vector<std::uint32_t> begin;      ///< row -> its first neighbour; one more at the end
  std::vector<std::uint32_t> neighbour;  ///< ascending within a row, without the row itself
  std::vector<std::uint32_t> block;      ///< of the coupling, in `value`
  std::vector<Symmetric> value;          ///< those of the diagonal, then the couplings
  std::vector<Nodes> nodes;              ///< of each value

  std::size_t size() const { return begin.size() - 1; }

  /// The value that couples a and b, or kNone.
  std::uint32_t find(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return a;
    const auto first = neighbour.begin() + begin[a];
    const auto last = neighbour.begin() + begin[a + 1];
    const auto at = std::lower_bound(first, last, b);
    return at != last && *at == b ? block[static_cast<std::size_t>(at - neighbour.begin())] : kNone;
  }
};

/// A scaled BlockMatrix in single precision, split into differences of nodes and common motion,
///   (A x)_i = (sum_j A_ij) x_i + sum_{j != i} A_ij (x_j - x_i),
/// so that common motion keeps its accuracy for any stiffness relative to the masses.
class SingleBlockMatrix {
 public:
  /// Adopts the couplings of A.
  void choose(const BlockMatrix& A) {
    whole_.resize(A.size());
    coupling_.resize(A.neighbour.size());
  }
  /// Copies row i of s A.
  void assign_row(double s, const BlockMatrix& A, std::size_t i) {
    Symmetric whole = A.value[i];
    for (std::uint32_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
      const Symmetric& B = A.value[A.block[k]];
      whole.add(1, B);
      coupling_[k] = SingleSymmetric(s, B);
    }
    whole_[i] = SingleSymmetric(s, whole);
  }
  /// Calls finish(i, (s A x)_i) for the rows from `begin` to `end`; `A` has the couplings.
  template <class Finish>
  void multiply_rows(const BlockMatrix& A, std::size_t begin, std::size_t end, const SingleVector& x,
                     const Finish& finish) const {
#if defined(CLOTHLAB_AVX2_BLOCKS)
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return multiply_rows_avx2(A, begin, end, x, finish);
#endif
    for (std::size_t i = begin; i < end; ++i) {
      const Quad xi = x[i];
      // Couplings alternate between two sums, as in the AVX2 kernel, where two share a register.
      Quad sum[2] = {whole_[i] * xi, zero_quad()};
      int side = 0;
      for (std::uint32_t k = A.begin[i]; k < A.begin[i + 1]; ++k, side ^= 1) {
        sum[side] = sum[side] + coupling_[k] * (x[A.neighbour[k]] - xi);
      }
      finish(i, sum[0] + sum[1]);
    }
  }

 private:
#if defined(CLOTHLAB_AVX2_BLOCKS)
  // The same operations in the same order, nothing fused, so the same bits.
  template <class Finish>
  __attribute__((target("avx2"), flatten)) void multiply_rows_avx2(const BlockMatrix& A, std::size_t begin,
                                                                   std::size_t end, const SingleVector& x,
                                                                   const Finish& finish) const {
    const float* xs = reinterpret_cast<const float*>(x.data());
    const auto x_of = [xs](std::size_t j) { return _mm_load_ps(xs + 4 * j); };
    for (std::size_t i = begin; i < end; ++i) {
      const __m128 xi = x_of(i);
      const __m256 xx = _mm256_set_m128(xi, xi);
      __m256 sum = _mm256_set_m128(_mm_setzero_ps(), __m128(whole_[i] * Quad(xi)));
      std::uint32_t k = A.begin[i];
      const std::uint32_t last = A.begin[i + 1];
      for (; k + 1 < last; k += 2) {
        const __m256 d = _mm256_sub_ps(_mm256_set_m128(x_of(A.neighbour[k + 1]), x_of(A.neighbour[k])), xx);
        const float *one = coupling_[k].value.data(), *two = coupling_[k + 1].value.data();
        const __m256 head = _mm256_set_m128(_mm_loadu_ps(two), _mm_loadu_ps(one));          // xx, yy, zz, xy
        const __m256 tail = _mm256_set_m128(_mm_loadu_ps(two + 2), _mm_loadu_ps(one + 2));  // zz, xy, xz, yz
        const __m256 across = _mm256_add_ps(
            _mm256_mul_ps(_mm256_permute_ps(tail, 0b11'10'01'01), _mm256_permute_ps(d, 0b11'00'00'01)),
            _mm256_mul_ps(_mm256_permute_ps(tail, 0b11'11'11'10), _mm256_permute_ps(d, 0b11'01'10'10)));
        sum = _mm256_add_ps(sum, _mm256_add_ps(_mm256_mul_ps(head, d), across));
      }
      __m128 low = _mm256_castps256_ps128(sum);
      if (k < last) low = _mm_add_ps(low, __m128(coupling_[k] * Quad(_mm_sub_ps(x_of(A.neighbour[k]), xi))));
      finish(i, Quad(_mm_add_ps(low, _mm256_extractf128_ps(sum, 1))));
    }
  }
#endif

  std::vector<SingleSymmetric> whole_;
  std::vector<SingleSymmetric> coupling_;  // in the order of BlockMatrix::neighbour
};

}  // namespace clothlab
