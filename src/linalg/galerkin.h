// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/cancel_point.h"
#include "core/compressed_rows.h"
#include "linalg/block_matrix.h"

namespace clothlab {

/// The couplings of the nodes of one multigrid level, as compressed rows without the diagonal.
struct CouplingGraph {
  std::vector<std::uint32_t> begin;      ///< node -> its first neighbour; one more at the end
  std::vector<std::uint32_t> neighbour;  ///< each coupling is listed at both its ends
  std::vector<double> strength;          ///< >= 0

  std::size_t size() const { return begin.size() - 1; }
};

/// A sparse matrix of numbers, one row per fine node, one column per coarse node.
struct Prolongation {
  /// Entries of weight 0 after the last one, for loops that read several at a time.
  static constexpr std::size_t kPadding = 3;

  std::vector<std::uint32_t> begin;   ///< row -> its first entry; one more at the end
  std::vector<std::uint32_t> column;  ///< ascending within a row
  std::vector<float> weight;
  std::size_t columns = 0;

  std::size_t rows() const { return begin.size() - 1; }
};

/// The transposed matrix: of each coarse node the fine nodes, ascending, and their weights.
using Restriction = CompressedRows<std::pair<std::uint32_t, float>>;
Restriction transposed(const Prolongation& P);

/// Smoothed aggregation [Vaněk 1996; Tamstorf 2015, §4]: groups the nodes for which `active` holds into
/// aggregates of neighbours, and returns the interpolation that is constant on each, smoothed by one damped
/// Jacobi step on the graph's Laplacian. One number per pair serves x, y and z, because strengths do not
/// depend on the direction; the near-null space is the translations. Rows of other nodes, and of nodes
/// without neighbours, are empty. Deterministic; throws Cancelled.
Prolongation smoothed_aggregation(const CouplingGraph& graph, const std::vector<char>& active,
                                  CancelPoint& cancel);

// Coarse (Galerkin) matrices PᵀAP: the structure once per mesh, the values by precomputed lists of terms.

/// The couplings of PᵀAP, for an A with the couplings of `fine`. Throws Cancelled, as all below.
BlockMatrix coarse_pattern(const CouplingGraph& fine, const Prolongation& P, const Restriction& transposed,
                           CancelPoint& cancel);
/// The strengths of the couplings of a coarse level: the same PᵀLP as of the matrix, for the graph's
/// Laplacian.
CouplingGraph coarse_graph(const CouplingGraph& fine, const Prolongation& P, const BlockMatrix& coarse,
                           CancelPoint& cancel);

/// The blocks of a coarse matrix that a part of the fine one contributes to. Parts have their own sums,
/// computed concurrently and added in the order of the parts: the same bits for any number of threads.
class PartialSums {
 public:
  using Index = std::uint16_t;  // most of the memory is indices
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  explicit PartialSums(std::size_t coarse_blocks) : sum_of_(coarse_blocks, BlockMatrix::kNone) {}

  /// True if there is room for this number of sums.
  bool has_room_for(std::size_t sums) const { return block_.size() + sums <= kMost; }
  /// The sum for a block of the coarse matrix.
  Index of(std::uint32_t block) {
    if (sum_of_[block] == BlockMatrix::kNone) {
      assert(has_room_for(1));
      sum_of_[block] = static_cast<std::uint32_t>(block_.size());
      block_.push_back(block);
    }
    return static_cast<Index>(sum_of_[block]);
  }
  /// No block is added after this.
  void close() {
    sum_of_ = {};
    block_.shrink_to_fit();
    sum_.resize(block_.size());
  }

  void clear() { std::fill(sum_.begin(), sum_.end(), Symmetric{}); }
  void add(Index sum, double weight, const Symmetric& B) { sum_[sum].add(weight, B); }
  void add_to(std::vector<Symmetric>& coarse) const {
    for (std::size_t k = 0; k < block_.size(); ++k) coarse[block_[k]].add(1, sum_[k]);
  }

 private:
  std::vector<std::uint32_t> sum_of_, block_;
  std::vector<Symmetric> sum_;
};

/// The terms of PᵀAP: term k of block s of the fine matrix adds weight[k] · A_s to block target[k].
struct GalerkinTerms {
  std::vector<std::uint32_t> begin;  // block -> its first term; one more at the end
  std::vector<std::uint32_t> target;
  std::vector<double> weight;

  void add(std::size_t s, const Symmetric& B, std::vector<Symmetric>& coarse) const {
    for (std::uint32_t k = begin[s]; k < begin[s + 1]; ++k) coarse[target[k]].add(weight[k], B);
  }
};

/// The same for a part of the finest matrix, a sum of w wᵀ ⊗ B: w of a spring is the difference of two rows
/// of P; w of a number on the diagonal is one row.
///
/// Σ w of a spring is at most rounding, so the error of common motion is that squared: negligible for any
/// stiffness relative to the masses.
class RankOneTerms {
 public:
  static constexpr std::size_t kMostWeights = 255;
  static constexpr std::size_t kMostTargets = kMostWeights * (kMostWeights + 1) / 2;

  void push_back(std::span<const std::pair<std::uint32_t, double>> row, const BlockMatrix& coarse,
                 PartialSums& sums);
  void close() {
    count_.shrink_to_fit();
    weight_.shrink_to_fit();
    target_.shrink_to_fit();
  }

  class Cursor {
   public:
    explicit Cursor(const RankOneTerms& terms)
        : count_(terms.count_.data()), weight_(terms.weight_.data()), target_(terms.target_.data()) {}

    /// Adds the next term; call in order.
    void add(const Symmetric& B, PartialSums& sums) {
      const float* const last = weight_ + *count_++;
      for (; weight_ != last; ++weight_) {
        const double weight = *weight_;
        for (const float* other = weight_; other != last; ++other) sums.add(*target_++, weight * *other, B);
      }
    }

   private:
    const std::uint8_t* count_;
    const float* weight_;
    const PartialSums::Index* target_;
  };

 private:
  std::vector<std::uint8_t> count_;  // of the weights
  std::vector<float> weight_;
  std::vector<PartialSums::Index> target_;  // of each pair of weights
};

/// Calls body(coarse block, weight) for the terms of one block of the fine matrix. Weights are products in
/// double precision, since the blocks of a stiff cloth cancel almost to the masses.
template <class Body>
void for_terms(BlockMatrix::Nodes nodes, const Prolongation& P, const BlockMatrix& coarse, Body&& body) {
  const auto [i, j] = nodes;
  for (std::uint32_t k = P.begin[i]; k < P.begin[i + 1]; ++k) {
    const std::uint32_t a = P.column[k];
    const double weight = P.weight[k];
    if (i == j) {
      for (std::uint32_t l = k; l < P.begin[i + 1]; ++l)
        body(coarse.find(a, P.column[l]), weight * P.weight[l]);
    } else {
      for (std::uint32_t l = P.begin[j]; l < P.begin[j + 1]; ++l) {
        const std::uint32_t b = P.column[l];
        body(coarse.find(a, b), (a == b ? 2 : 1) * weight * P.weight[l]);
      }
    }
  }
}

/// The terms of `coarse`, the coarse_pattern of `fine`.
GalerkinTerms coarse_terms(const BlockMatrix& fine, const Prolongation& P, const BlockMatrix& coarse,
                           CancelPoint& cancel);

/// The difference of two rows of P, ascending.
void row_difference(BlockMatrix::Nodes ends, const Prolongation& P,
                    std::vector<std::pair<std::uint32_t, double>>& row);

}  // namespace clothlab
