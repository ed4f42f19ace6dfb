#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "linalg/quad.h"
#include "linalg/symmetric.h"

namespace clothlab {

/// A symmetric matrix of symmetric 3x3 blocks, every block stored once.
struct BlockMatrix {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  /// The two nodes of a block; the same twice on the diagonal.
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

/// A BlockMatrix times a number, in single precision, as what the differences of the nodes do and what a
/// motion of all of them does,
///   (A x)_i = (sum_j A_ij) x_i + sum_{j != i} A_ij (x_j - x_i),
/// so that however stiff the couplings are beside the masses, a motion of the whole costs no accuracy.
class SingleBlockMatrix {
 public:
  /// For the couplings of A.
  void choose(const BlockMatrix& A) {
    whole_.resize(A.size());
    coupling_.resize(A.neighbour.size());
  }
  /// Takes over row i of s A.
  void assign_row(double s, const BlockMatrix& A, std::size_t i) {
    Symmetric whole = A.value[i];
    for (std::uint32_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
      const Symmetric& B = A.value[A.block[k]];
      whole.add(1, B);
      coupling_[k] = SingleSymmetric(s, B);
    }
    whole_[i] = SingleSymmetric(s, whole);
  }
  /// (s A x)_i; `A` tells who is coupled.
  Quad row_times(const BlockMatrix& A, std::size_t i, const SingleVector& x) const {
    const Quad xi = x[i];
    Quad sum = whole_[i] * xi;
    Quad other = zero_quad();  // two sums, for additions take longer than they are apart
    std::uint32_t k = A.begin[i];
    for (; k + 1 < A.begin[i + 1]; k += 2) {
      sum = sum + coupling_[k] * (x[A.neighbour[k]] - xi);
      other = other + coupling_[k + 1] * (x[A.neighbour[k + 1]] - xi);
    }
    if (k < A.begin[i + 1]) sum = sum + coupling_[k] * (x[A.neighbour[k]] - xi);
    return sum + other;
  }

 private:
  std::vector<SingleSymmetric> whole_;
  std::vector<SingleSymmetric> coupling_;  // in the order of BlockMatrix::neighbour
};

}  // namespace clothlab
