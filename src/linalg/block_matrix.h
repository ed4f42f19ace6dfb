// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "linalg/registers.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace clothlab {

/// A symmetric matrix of symmetric 3x3 blocks, every block stored once.
struct BlockMatrix {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  /// The two nodes of a block; equal on the diagonal.
  using Nodes = std::array<std::uint32_t, 2>;

  std::vector<std::uint32_t> begin;      ///< row -> its first neighbour; one more at the end
  std::vector<std::uint32_t> neighbour;  ///< ascending within a row, without the row itself
  std::vector<std::uint32_t> block;      ///< of the coupling, in `value`
  std::vector<Symmetric> value;          ///< the diagonal, then the couplings
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
    with_best_registers([&](auto registers) {
      // Two couplings share a register.
      using Eight = typename decltype(registers)::Eight;
      for (std::size_t i = begin; i < end; ++i) {
        const Quad xi = x[i];
        const Eight xx = joined<Eight>(xi, xi);
        Eight sum = joined<Eight>(whole_[i] * xi, Quad{});
        std::uint32_t k = A.begin[i];
        const std::uint32_t last = A.begin[i + 1];
        for (; k + 1 < last; k += 2) {
          const SingleSymmetric &one = coupling_[k], &two = coupling_[k + 1];
          const Eight d = joined<Eight>(x[A.neighbour[k]], x[A.neighbour[k + 1]]) - xx;
          sum = sum + SingleSymmetric::multiply(joined<Eight>(one.head(), two.head()),
                                                joined<Eight>(one.tail(), two.tail()), d);
        }
        Quad even = low(sum);
        if (k < last) even = even + coupling_[k] * (x[A.neighbour[k]] - xi);
        finish(i, even + high(sum));
      }
    });
  }

 private:
  std::vector<SingleSymmetric> whole_;
  std::vector<SingleSymmetric> coupling_;  // in the order of BlockMatrix::neighbour
};

}  // namespace clothlab
